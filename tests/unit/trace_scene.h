/* trace_scene.h -- for the tests of trace/: real books, and a backend whose times the test sets */
#ifndef RANKSH_TRACE_SCENE_H
#define RANKSH_TRACE_SCENE_H

#include "base/memory.h"
#include "races/races.h"
#include "trace/export.h"
#include "trace/lanes.h"
#include <string.h>

/* behind ours: cmocka has a macro named fail */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* One lane's spans in the window */
static inline enum status trace_lane(
        const struct trace *trace, int rank, int stream, struct window window, struct spans *spans)
{
	struct lanes lanes = {0};
	enum status status = lanes_load(&lanes, trace, rank);
	if (status == ST_OK)
		lanes_spans(&lanes, stream, window, spans);
	lanes_release(&lanes);
	return status;
}

/* All of it as Chrome's trace events */
static inline enum status export_json(const struct trace *trace, struct text *out)
{
	return trace_export_json(trace, &(struct export_options){.window = trace_window(trace, -1)}, out);
}

enum { SCENE_OPS = 300000, US = 1000, MS = 1000000 };
#define NEVER TIME_UNKNOWN

struct scene {
	struct backend backend; /* first: the backend's functions find the scene by it */
	struct machine machine;
	struct world *world;
	struct trace trace;
	struct times *times; /* by op_id */
	int section;
	int group; /* of collectives and transfers */
	struct {
		bool waits;
		op_id on;
	} hangs[1024];
};

static inline void scene_times(struct backend *backend, op_id id, struct times *t)
{
	*t = ((struct scene *)backend)->times[id];
}
static inline void scene_host(struct backend *backend, int rank, struct host_now *now)
{
	struct scene *scene = (struct scene *)backend;
	*now = (struct host_now){0};
	for (op_id id = scene->world->first[rank]; id; id = scene->world->ops[id].next_program) {
		const struct times *t = &scene->times[id];
		bool host = op_kind_is_host(op_record(scene->world, id)->kind);
		if (host && t->end == NEVER && t->start != NEVER) {
			*now = (struct host_now){.clock = t->start, .state = HOST_BLOCKED, .on = id};
			return;
		}
		int64_t at = host ? t->end : t->issue;
		if (at != NEVER && at > now->clock)
			now->clock = at;
	}
}
static inline void scene_cost(struct backend *backend, op_id id, struct op_cost *cost)
{
	const struct record *record = op_record(((struct scene *)backend)->world, id);
	*cost = (struct op_cost){
	        .launch = record->launch_ns, .alone = record->alone_ns < 0 ? 0 : record->alone_ns};
}
static inline bool scene_waiting(struct backend *backend, int rank, op_id *on)
{
	struct scene *scene = (struct scene *)backend;
	*on = scene->hangs[rank].on;
	return scene->hangs[rank].waits;
}

static inline struct scene *scene_open(int n)
{
	struct scene *scene = mem_alloc(sizeof *scene);
	scene->backend = (struct backend){.name = "scene",
	        .times = scene_times,
	        .host = scene_host,
	        .cost = scene_cost,
	        .waiting = scene_waiting};
	scene->machine = (struct machine){.name = "scene",
	        .launch = 20 * US,
	        .memory = 256 << 20,
	        .segment = 100 * US,
	        .gpus = 8,
	        .nodes = 1};
	scene->world = world_create(n, -1, &scene->machine);
	assert_non_null(scene->world);
	scene->trace = (struct trace){.world = scene->world, .backend = &scene->backend};
	scene->times = mem_alloc(SCENE_OPS * sizeof *scene->times);
	return scene;
}

static inline void scene_close(struct scene *scene)
{
	races_free(scene->world);
	world_free(scene->world);
	mem_free(scene->times);
	mem_free(scene);
}

static inline name_id scene_name(struct scene *scene, const char *text)
{
	return text && *text ? names_make(scene->world->names, text, strlen(text)) : 0;
}

/* Makes a stream of that name on every rank; returns its number. */
static inline int scene_stream(struct scene *scene, const char *name)
{
	int index, number = 0;
	for (int rank = 0; rank < scene->world->n; rank++) {
		assert_int_equal(
		        world_stream_make(scene->world, rank, scene_name(scene, name), 0, false, &index),
		        ST_OK);
		number = scene->world->streams[index].number;
	}
	return number;
}

static inline void scene_mark(struct scene *scene, const char *name)
{
	scene->section = world_mark(scene->world, scene_name(scene, name), 0);
}

/* A record as the commands would make it; the launch takes 20 us. */
static inline struct record scene_record(
        struct scene *scene, enum op_kind kind, const char *title, const char *object)
{
	return (struct record){.kind = (uint8_t)kind,
	        .microbatch = -1,
	        .title = scene_name(scene, title),
	        .object = scene_name(scene, object),
	        .section = scene->section,
	        .group = kind == OP_COLLECTIVE || kind == OP_P2P ? scene->group : -1,
	        .root = -1,
	        .duration_ns = -1,
	        .alone_ns = -1,
	        .launch_ns = op_kind_is_host(kind) ? 0 : 20 * US};
}

static inline op_id scene_queue(
        struct scene *scene, int rank, int stream, const struct record *record, op_id target, struct times t)
{
	op_id id;
	assert_int_equal(world_queue(scene->world, rank, stream, record, 0, target, 0, &id), ST_OK);
	assert_true(id < SCENE_OPS);
	scene->world->records[scene->world->ops[id].record].launch_ns = record->launch_ns;
	scene->times[id] = t;
	scene->times[id].launch = record->launch_ns;
	return id;
}

/* The same with the times in microseconds: issue, ready, start, end. */
static inline int64_t scene_us(int64_t us)
{
	return us == NEVER ? NEVER : us * US;
}
static inline op_id scene_op(struct scene *scene, int rank, int stream, enum op_kind kind, const char *title,
        const char *object, op_id target, int64_t issue, int64_t ready, int64_t start, int64_t end)
{
	struct record record = scene_record(scene, kind, title, object);
	if (kind == OP_SYNC)
		record.reason = record.title;
	return scene_queue(scene, rank, stream, &record, target,
	        (struct times){.issue = scene_us(issue),
	                .ready = scene_us(ready),
	                .start = scene_us(start),
	                .end = scene_us(end)});
}

/* One send or receive with its peer, and maybe in a phase such as F3. */
static inline op_id scene_transfer(struct scene *scene, int rank, int stream, enum p2p_direction direction,
        int peer, const char *phase, int microbatch, int64_t issue, int64_t ready, int64_t start, int64_t end)
{
	struct record record = scene_record(scene, OP_P2P, direction == P2P_SEND ? "send" : "recv", "a");
	struct part part = {.direction = (uint8_t)direction, .peer = peer};
	struct operand operand = {.space = SPACE_DEVICE,
	        .access = direction == P2P_SEND ? ACCESS_READ : ACCESS_WRITE,
	        .tensor = -1,
	        .name = record.object,
	        .address = 512};
	int64_t dim[1] = {256};
	layout_make(&operand.layout, DT_F32, 1, dim);
	record.part = &part;
	record.parts = 1;
	record.operand = &operand;
	record.operands = 1;
	record.bytes = 1024;
	record.phase = scene_name(scene, phase);
	record.colour = phase ? phase[0] : 0;
	record.microbatch = (int16_t)microbatch;
	return scene_queue(scene, rank, stream, &record, 0,
	        (struct times){.issue = scene_us(issue),
	                .ready = scene_us(ready),
	                .start = scene_us(start),
	                .end = scene_us(end)});
}

static inline void assert_text(const char *got, const char *wanted)
{
	if (strcmp(got, wanted) != 0)
		print_error("got:\n%s\nwanted:\n%s\n", got, wanted);
	assert_string_equal(got, wanted);
}

/* "launch 20 host 30 ..." of one lane: what each cause took, in us, in the order of time, and the blamed rank */
static inline void expect_lane(struct scene *scene, int rank, int stream, const char *wanted)
{
	const char *const names[] = {
#define X(symbol, letter, name) name,
		CAUSES(X)
#undef X
	};
	struct spans spans = {0};
	struct text out = {0};

	assert_int_equal(
	        trace_lane(&scene->trace, rank, stream, trace_window(&scene->trace, -1), &spans), ST_OK);
	for (size_t i = 0; i < spans.count; i++) {
		const struct span *s = &spans.span[i];
		int64_t from = s->from;
		while (s->kind != SPAN_WORK && i + 1 < spans.count && s[1].kind == s->kind &&
		        s[1].cause == s->cause)
			s = &spans.span[++i];
		text_add(&out, "%s%s %g", out.count ? " " : "",
		        s->kind == SPAN_WORK ? "work" : names[s->cause], (double)(s->to - from) / 1000);
		if (s->blame)
			text_add(&out, "(%d)", (int)scene->world->ops[s->blame].rank);
	}
	assert_text(text_string(&out), wanted);
	spans_release(&spans);
	text_release(&out);
}

#endif
