/* figures.c -- the figures of a section, each computed by its metric
 *
 * Which figures a rank has depends on its work. A table's rows are the union over its columns, in
 * an order that keeps kinds together (figures_join). */
#include "backend/traffic.h"
#include "trace/figures.h"
#include "trace/lanes.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

const char *section_name(const struct trace *trace, int section)
{
	if (section < 0)
		return "everything";
	name_id name = trace->world->sections[section].name;
	return name ? names_text(trace->world->names, name) : "the start";
}

bool section_used(const struct trace *trace, int section)
{
	for (size_t i = 1; i <= trace->world->op_count; i++) {
		const struct record *record = op_record(trace->world, i);
		if (record->section == section && record->kind != OP_FILL)
			return true;
	}
	return false;
}

void figures_release(struct figures *figures)
{
	mem_free(figures->figure);
	*figures = (struct figures){0};
}

const struct figure *figures_find(const struct figures *figures, const char *name)
{
	for (size_t i = 0; i < figures->count; i++)
		if (strcmp(figures->figure[i].name, name) == 0)
			return &figures->figure[i];
	return NULL;
}

static bool same_kind(const struct figure *a, const struct figure *b)
{
	size_t word = strcspn(a->name, " ") + 1;
	return strncmp(a->name, b->name, word) == 0;
}

/* A new name goes after its predecessor in `more`, past others of that one's kind:
 *
 *      have: time, busy default, stall peer    more: time, busy default, busy io, stall peer
 *      then: time, busy default, busy io, stall peer */
void figures_join(struct figures *figures, const struct figures *more)
{
	size_t at = 0;
	for (size_t k = 0; k < more->count; k++) {
		const struct figure *found = figures_find(figures, more->figure[k].name);
		if (found) {
			at = found - figures->figure + 1;
			continue;
		}
		while (k && at < figures->count && !same_kind(&more->figure[k], &more->figure[k - 1]) &&
		        same_kind(&more->figure[k - 1], &figures->figure[at]))
			at++;
		*MEM_INSERT(&figures->figure, &figures->count, at) = more->figure[k];
		at++;
	}
}

/* Adds a figure. After ST_WAITS it is not known yet; the first other failure ends the table. */
__attribute__((format(printf, 5, 6))) static void figure_put(struct figures *figures, enum status status,
        enum figure_kind kind, double value, const char *name, ...)
{
	va_list arguments;
	if (figures->status == ST_OK && status != ST_WAITS)
		figures->status = status;
	struct figure *figure = MEM_ADD(&figures->figure, &figures->count);
	*figure = (struct figure){.kind = kind, .value = value, .known = status == ST_OK};
	va_start(arguments, name);
	vsnprintf(figure->name, sizeof figure->name, name, arguments);
	va_end(arguments);
}

struct used {
	bool stream[STREAMS_MAX + 1], communicates, computes;
	int64_t ops;
};
static struct used used_streams(const struct trace *trace, int section, int rank)
{
	const struct world *world = trace->world;
	struct used used = {0};

	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		enum op_kind kind = (enum op_kind)op_record(world, id)->kind;
		if (!trace_is_work(kind) || !trace_in(trace, id, section))
			continue;
		used.communicates |= trace_communicates(kind);
		used.computes |= trace_computes(world, id);
		used.stream[world->ops[id].stream] = true;
		used.ops++;
	}
	return used;
}

static bool is_device(const struct trace *trace, int rank, int stream)
{
	const struct stream *known = world_stream(trace->world, rank, stream);
	return known && !known->host;
}

static void put_busy(
        const struct trace *trace, int section, int rank, const struct used *used, struct figures *figures)
{
	struct text name = {0};

	for (int a = 0, last; a <= STREAMS_MAX && figures->status == ST_OK; a = last + 1) {
		enum status status = ST_OK;
		double sum = 0, part;
		last = a;
		if (!used->stream[a])
			continue;
		last = trace_last_thread(trace, rank, a);
		for (int k = a; k <= last && status == ST_OK; k++, sum += part)
			status = metric_busy(trace, section, rank, k, &part);
		text_clear(&name);
		trace_lanes_name(trace, rank, a, last, &name);
		figure_put(figures, status, FIGURE_PART, sum / (last + 1 - a), "busy %s", text_string(&name));
	}
	text_release(&name);
}

/* Adds at most six pairs of device streams. They come last, because ranks with different pairs
 * make many rows. */
static void put_overlaps(
        const struct trace *trace, int section, int rank, const struct used *used, struct figures *figures)
{
	int pairs = 0;
	double part;

	for (int a = 0; a <= STREAMS_MAX; a++)
		for (int b = a + 1; b <= STREAMS_MAX && figures->status == ST_OK && pairs < 6; b++) {
			if (!used->stream[a] || !used->stream[b] || !is_device(trace, rank, a) ||
			        !is_device(trace, rank, b))
				continue;
			pairs++;
			enum status status = metric_overlap(trace, section, rank, a, b, &part);
			figure_put(figures, status, FIGURE_PART, part, "overlap %s, %s",
			        trace_lane_name(trace, rank, a), trace_lane_name(trace, rank, b));
		}
}

static void put_hidden(
        const struct trace *trace, int section, int rank, const struct used *used, struct figures *figures)
{
	double part = 0;
	int64_t ns;
	enum status status = metric_idle(trace, section, rank, &part);
	if (used->computes)
		figure_put(figures, status, FIGURE_PART, part, "idle compute streams");
	status = metric_exposed(trace, section, rank, HIDE_COMMUNICATION, &ns);
	figure_put(figures, status, FIGURE_TIME, ns, "exposed communication");
	status = metric_hidden(trace, section, rank, HIDE_COMMUNICATION, &part);
	if (used->communicates)
		figure_put(figures, status, FIGURE_PART, part, "communication overlapped");
}

/* Adds each axis with operations on the rank, if the mesh has several; a single axis has the
 * figures above. */
static void put_axes(const struct trace *trace, int section, int rank, struct figures *figures)
{
	struct axis_use *use;
	size_t count = trace_axes(trace->world, rank, &use);
	if (count)
		figures->status = metric_axes(trace, section, rank, use, (int)count);
	if (figures->status == ST_WAITS)
		figures->status = ST_OK;
	for (size_t i = 0; i < count; i++) {
		const char *name = names_text(trace->world->names, trace->world->groups[use[i].axis].name);
		if (!use[i].operations)
			continue;
		figure_put(figures, ST_OK, FIGURE_COUNT, (double)use[i].operations, "%s operations", name);
		for (int kind = 0; kind < LINK_KINDS; kind++)
			if (use[i].sent[kind] > 0)
				figure_put(figures, ST_OK, FIGURE_BYTES, use[i].sent[kind], "%s bytes %s",
				        name, link_name(kind));
		figure_put(figures, use[i].known ? ST_OK : ST_WAITS, FIGURE_TIME, (double)use[i].exposed_ns,
		        "%s exposed", name);
	}
	mem_free(use);
}

enum status figures_of_rank(const struct trace *trace, int section, int rank, struct figures *figures)
{
	struct used used = used_streams(trace, section, rank);
	double part[CAUSE_COUNT], sent[LINK_KINDS] = {0};
	int64_t ns = 0;

	figures->count = 0;
	figures->status = ST_OK;
	enum status status = metric_time(trace, section, rank, &ns);
	figure_put(figures, status, FIGURE_TIME, ns, "time");
	figure_put(figures, ST_OK, FIGURE_COUNT, used.ops, "operations");
	put_busy(trace, section, rank, &used, figures);
	if (figures->status != ST_OK)
		return figures->status;
	put_hidden(trace, section, rank, &used, figures);
	if (figures->status == ST_OK)
		figures->status = metric_stalls(trace, section, rank, part);
	if (figures->status != ST_OK)
		return figures->status;
	for (int cause = 0; cause < CAUSE_DONE; cause++)
		if (part[cause] > 0)
			figure_put(figures, ST_OK, FIGURE_PART, part[cause], "stall %s", trace_causes[cause]);
	traffic_sent(trace->backend, trace->world, rank,
	        (struct counted){.section = section, .first = trace->first}, sent);
	for (int kind = 0; kind < LINK_KINDS; kind++)
		if (sent[kind] > 0)
			figure_put(figures, ST_OK, FIGURE_BYTES, sent[kind], "bytes %s", link_name(kind));
	double mean, most;
	if (trace_staleness(trace, section, rank, &mean, &most)) {
		figure_put(figures, ST_OK, FIGURE_MOST, mean, "staleness mean");
		figure_put(figures, ST_OK, FIGURE_MOST, most, "staleness most");
	}
	figure_put(figures, ST_OK, FIGURE_PEAK, (double)metric_peak(trace, section, rank, -1), "peak memory");
	put_axes(trace, section, rank, figures);
	put_overlaps(trace, section, rank, &used, figures);
	return figures->status;
}

static void add_rank(struct figures *all, const struct figures *rank)
{
	for (size_t i = 0; i < rank->count; i++) {
		const struct figure *figure = &rank->figure[i];
		struct figure *found = (struct figure *)figures_find(all, figure->name);
		if (!found)
			continue;
		found->known = found->known && figure->known;
		if (figure->kind == FIGURE_TIME || figure->kind == FIGURE_MOST || figure->kind == FIGURE_PEAK)
			found->value = figure->value > found->value ? figure->value : found->value;
		else
			found->value += figure->value;
	}
	figures_join(all, rank);
}

enum status figures_of_section(const struct trace *trace, int section, struct figures *figures)
{
	struct figures rank = {0};
	enum status status = ST_OK;
	int counted = 0;

	figures->count = 0;
	for (int r = 0; r < trace->world->n && status == ST_OK; r++) {
		struct used used = used_streams(trace, section, r);
		counted += used.ops > 0;
		if (used.ops)
			status = figures_of_rank(trace, section, r, &rank);
		if (used.ops && status == ST_OK)
			add_rank(figures, &rank);
	}
	for (size_t i = 0; i < figures->count; i++)
		if (figures->figure[i].kind == FIGURE_PART)
			figures->figure[i].value /= counted;
	figures_release(&rank);
	return status;
}

void figure_text(const struct figure *figure, struct text *out)
{
	if (!figure->known)
		text_add(out, "waits");
	else if (figure->kind == FIGURE_TIME)
		time_text(figure->value, out);
	else if (figure->kind == FIGURE_PART)
		text_add(out, "%.0f%%", 100 * figure->value);
	else if (figure->kind == FIGURE_BYTES || figure->kind == FIGURE_PEAK)
		bytes_text(figure->value, out);
	else if (figure->kind == FIGURE_MOST)
		text_add(out, "%.3g", figure->value);
	else
		text_add(out, "%.0f", figure->value);
}
