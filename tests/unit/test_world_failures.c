/* test_world_failures.c -- every allocation of the books fails in turn; and the same calls give
 * the same digest */
#include "check.h"
#include "tests/unit/world_help.h"
#include <stdio.h>

/* A small session; each step is one change of the books. */
struct session {
	struct books b;
	int io, x, y, view, event, group;
	op_id a, r, last;
	name_id names[12];
};
enum { STEPS = 22 };

static enum status queue_one(struct session *s, int rank, int lane, enum op_kind kind, int tensor, int access,
        op_id target, op_id *id)
{
	struct operand operand = {0};
	struct part part = {.direction = rank ? P2P_RECV : P2P_SEND, .peer = 1 - rank};
	struct record record = {.kind = (uint8_t)kind,
	        .microbatch = -1,
	        .title = s->names[0],
	        .group = -1,
	        .root = -1,
	        .duration_ns = -1};

	if (tensor >= 0) {
		operand = whole(&s->b, tensor, access);
		record.operands = 1;
		record.operand = &operand;
	}
	if (kind == OP_COLLECTIVE || kind == OP_P2P)
		record.group = kind == OP_COLLECTIVE ? s->group : 0;
	if (kind == OP_P2P) {
		record.parts = 1;
		record.part = &part;
	}
	return world_queue(s->b.world, rank, lane, &record, 0, target, 0, id);
}

static enum status make_one(struct session *s, int rank, int which, int64_t elements, int *index)
{
	struct layout layout;
	layout_make(&layout, DT_F32, 1, &elements);
	return world_tensor_make(
	        s->b.world, rank, s->names[which], &layout, SPACE_DEVICE, 1, false, 0, index);
}

static enum status step(struct session *s, int i)
{
	struct world *w = s->b.world;
	int index, starts[] = {0, 2}, ranks[] = {0, 1};
	struct layout half = {.dtype = DT_F32, .dims = 1, .dim = {8}, .stride = {1}};
	op_id id;

	switch (i) {
	case 0:
		return world_stream_make(w, 0, s->names[1], 0, false, &index);
	case 1:
		return make_one(s, 0, 2, 64, &s->x);
	case 2:
		return make_one(s, 0, 3, 1000000, &s->y);
	case 3:
		return world_view_make(w, 0, s->names[4], s->x, w->tensors[s->x].address, &half, &s->view);
	case 4:
		return world_event_make(w, 0, s->names[5], &s->event);
	case 5:
		return world_group_make(w, s->names[6], false, 1, starts, ranks, &s->group);
	case 6:
		return queue_one(s, 0, 2, OP_KERNEL, s->x, ACCESS_WRITE, 0, &s->a);
	case 7:
		return queue_one(s, 0, 1, OP_KERNEL, s->view, ACCESS_WRITE | ACCESS_ADD, 0, &id);
	case 8:
		return queue_one(s, 0, 2, OP_RECORD, -1, 0, 0, &s->r);
	case 9:
		world_event_record(w, 0, s->event, s->r);
		return ST_OK;
	case 10:
		return queue_one(s, 0, 1, OP_WAIT, -1, 0, s->r, &id);
	case 11:
		return queue_one(s, 0, 1, OP_COLLECTIVE, s->x, ACCESS_WRITE | ACCESS_ADD, 0, &id);
	case 12:
		return queue_one(s, 1, 1, OP_COLLECTIVE, -1, 0, 0, &id);
	case 13:
		return queue_one(s, 0, 2, OP_P2P, s->x, ACCESS_READ, 0, &id);
	case 14:
		return queue_one(s, 0, STREAM_HOST, OP_SYNC, -1, 0, OP_EVERYTHING, &id);
	case 15:
		world_mark(w, s->names[7], 3);
		return ST_OK;
	case 16:
		world_tensor_free(w, s->x, 2);
		return ST_OK;
	case 17:
		return make_one(s, 0, 2, 32, &s->x);
	case 18:
		return queue_one(s, 0, 1, OP_KERNEL, s->x, ACCESS_READ, 0, &id);
	case 19:
		world_tensor_free(w, s->y, 0);
		return ST_OK;
	case 20:
		return world_trim(w, 0);
	default:
		world_abort(w, 0);
		return ST_OK;
	}
}

static bool open_session(struct session *s)
{
	*s = (struct session){.b = {.live = mem_live()}};
	s->b.machine = mem_alloc(sizeof *s->b.machine);
	if (!s->b.machine)
		return false;
	s->b.machine->memory = 256e6;
	s->b.world = world_create(2, 0, s->b.machine);
	for (int i = 0; s->b.world && i < 12; i++) {
		char text[8];
		snprintf(text, sizeof text, "n%d", i % 100);
		s->names[i] = names_make(s->b.world->names, text, strlen(text));
	}
	return s->b.world && s->names[11];
}

static bool play_all(void *self)
{
	struct session s;
	bool good = open_session(&s);
	(void)self;
	for (int i = 0; i < STEPS; i++)
		good = step(&s, i) == ST_OK && good;
	books_close(&s.b);
	return good;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	sweep_memory(play_all, NULL);
}

static bool launch(void *self)
{
	struct session *s = self;
	return world_graph_launch(s->b.world, 0, s->names[8], 1, 0) == ST_OK &&
	        races_now(s->b.world)->count > 0;
}

static void launches_may_fail(void **state)
{
	struct session s;
	op_id id;
	(void)state;
	assert_true(open_session(&s));
	for (int i = 0; i < 6; i++)
		assert_int_equal(step(&s, i), ST_OK);
	assert_int_equal(world_capture_begin(s.b.world, 0, s.names[8], 1), ST_OK);
	assert_int_equal(queue_one(&s, 0, 1, OP_RECORD, -1, 0, 0, &id), ST_OK);
	assert_int_equal(queue_one(&s, 0, 2, OP_WAIT, -1, 0, id, &id), ST_OK);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(
		        queue_one(&s, 0, 1 + i % 2, OP_KERNEL, s.x, ACCESS_WRITE | ACCESS_ADD, 0, &id),
		        ST_OK);
		assert_int_equal(
		        queue_one(&s, 0, 1, OP_COLLECTIVE, s.y, ACCESS_WRITE | ACCESS_ADD, 0, &id), ST_OK);
		assert_int_equal(queue_one(&s, 0, 1, OP_P2P, s.y, ACCESS_READ, 0, &id), ST_OK);
		assert_int_equal(queue_one(&s, 0, 2, OP_RECORD, -1, 0, 0, &id), ST_OK);
		assert_int_equal(queue_one(&s, 0, 1, OP_WAIT, -1, 0, id, &id), ST_OK);
	}
	assert_int_equal(world_capture_end(s.b.world, 0, true), ST_OK);
	sweep_memory(launch, &s);
	assert_true(launch(&s));
	books_close(&s.b);
}

/* The same calls give the same digest; another call gives another one. */
static void digests_tell(void **state)
{
	uint64_t seen[STEPS + 1];
	struct session s, t;

	(void)state;
	assert_true(open_session(&s) && open_session(&t));
	seen[0] = s.b.world->digest;
	for (int i = 0; i < STEPS; i++) {
		assert_int_equal(step(&s, i), ST_OK);
		assert_int_equal(step(&t, i), ST_OK);
		assert_true(s.b.world->digest == t.b.world->digest);
		seen[i + 1] = s.b.world->digest;
		for (int k = 0; k <= i; k++)
			assert_true(seen[k] != seen[i + 1]);
	}
	world_free(t.b.world);
	mem_free(t.b.machine);
	books_close(&s.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_allocation_may_fail),
	        cmocka_unit_test(launches_may_fail),
	        cmocka_unit_test(digests_tell),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
