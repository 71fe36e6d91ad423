/* metrics.c -- the figures of `expect`, `stats` and `diff`; trace.h has the formulas
 *
 * Figures of work are arithmetic on interval sets: a stream's work, other work, their
 * intersection. So concurrent kernels count once.
 *
 *      io       |  ======        ====  |         length 10
 *      compute  |     =========        |         length 9, in common 3: overlap 3/9 */
#include "base/arithmetic.h"
#include "trace/lanes.h"
#include "backend/traffic.h"
#include "collectives/collective.h"

#include <string.h>

enum status trace_never_ends(const struct trace *trace, op_id id)
{
	struct text label = {0};
	op_label(trace->world, id, &label);
	enum status status = fail(ST_WAITS, "`%s` on rank %d has no end yet: `stuck` shows what it waits for",
	        text_string(&label), trace->world->ops[id].rank);
	text_release(&label);
	return status;
}

static size_t operations_of(const struct world *world, int rank)
{
	return world->last[rank] ? world->ops[world->last[rank]].number : 0;
}

/* Returns the rank's time in the section. *endless: the first operation without an end, 0 if
 * none. */
static struct window own_window(const struct trace *trace, int section, int rank, op_id *endless)
{
	const struct world *world = trace->world;
	struct window window = {.from = trace_begins(trace, section, rank), .section = section};
	struct {
		int64_t to;
		op_id endless;
		bool any;
	} until[2] = {0};

	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		if (!trace_counts(trace, id, section) || op_record(world, id)->kind == OP_CRASH)
			continue;
		struct times t = backend_times(trace->backend, id);
		int thread = trace_on_host(world, id);
		until[thread].any = true;
		if (t.end != TIME_UNKNOWN)
			until[thread].to = most_of(until[thread].to, t.end);
		else if (!until[thread].endless)
			until[thread].endless = id;
	}
	window.to = until[!until[0].any].to;
	*endless = until[!until[0].any].endless;
	window.from = least_of(window.from, window.to);
	return window;
}

enum status metric_time(const struct trace *trace, int section, int rank, int64_t *ns)
{
	op_id endless;
	struct window window = own_window(trace, section, rank, &endless);
	*ns = endless ? 0 : window.to - window.from;
	return endless ? trace_never_ends(trace, endless)
	               : trace_step(trace, operations_of(trace->world, rank));
}

enum status metric_longest(const struct trace *trace, int section, int64_t *ns, int *ranks)
{
	enum status status = ST_OK;
	int64_t own;
	int used = 0;
	*ns = 0;
	for (int rank = 0; rank < trace->world->n && status == ST_OK; rank++) {
		status = metric_time(trace, section, rank, &own);
		*ns = most_of(*ns, own);
		used += own > 0;
	}
	if (ranks)
		*ranks = used;
	return status;
}

/* Adds the time in which the rank's picked operations work, joined. Fails with ST_WAITS if one has
 * no end. */
typedef bool wants(const struct world *world, op_id id, int argument);
enum { ANY = -2 }; /* section: everything, also before trace.first */
struct pick {
	int section;
	wants *wanted;
	int argument;
};
static enum status work_of(const struct trace *trace, int rank, struct pick pick, struct intervals *set)
{
	const struct world *world = trace->world;
	enum status status = ST_OK;

	for (op_id id = world->first[rank]; id && status == ST_OK; id = world->ops[id].next_program) {
		if (!trace_is_work(op_record(world, id)->kind) ||
		        (pick.section != ANY && !trace_in(trace, id, pick.section)) ||
		        !pick.wanted(world, id, pick.argument))
			continue;
		struct times t = backend_times(trace->backend, id);
		if (t.end == TIME_UNKNOWN)
			status = trace_never_ends(trace, id);
		else
			intervals_add(set, t.start, t.end);
	}
	intervals_join(set);
	return status == ST_OK ? trace_step(trace, operations_of(world, rank)) : status;
}

static bool on_stream(const struct world *world, op_id id, int stream)
{
	return world->ops[id].stream == stream;
}
/* Device work only, because a host thread hides nothing on its GPU */
static bool beside_stream(const struct world *world, op_id id, int stream)
{
	return world->ops[id].stream >= STREAM_DEFAULT && world->ops[id].stream != stream &&
	        !trace_on_host(world, id);
}
static bool of_kind(const struct world *world, op_id id, int kind)
{
	return op_record(world, id)->kind == kind;
}
static bool is_work_of(const struct world *world, op_id id, int work)
{
	bool collective = of_kind(world, id, OP_COLLECTIVE),
	     transfer = of_kind(world, id, OP_P2P) || of_kind(world, id, OP_ONE_SIDED);
	if (work == HIDE_COPIES)
		return of_kind(world, id, OP_COPY) && !trace_on_host(world, id);
	return (collective && work != HIDE_TRANSFERS) || (transfer && work != HIDE_COLLECTIVES);
}
static bool computes(const struct world *world, op_id id, int unused)
{
	(void)unused;
	return trace_computes(world, id);
}
/* Returns part / whole; 0 if `whole` is 0. */
static double part_of(int64_t part, int64_t whole)
{
	return whole > 0 ? part / (double)whole : 0;
}

static double part_worked(const struct intervals *work, struct window window)
{
	struct interval whole = {window.from, window.to};
	return part_of(intervals_common(work, &(struct intervals){&whole, 1}), window.to - window.from);
}

enum status metric_busy(const struct trace *trace, int section, int rank, int stream, double *part)
{
	struct intervals work = {0};
	op_id endless;
	struct window window = own_window(trace, section, rank, &endless);
	enum status status = work_of(trace, rank, (struct pick){section, on_stream, stream}, &work);

	*part = part_worked(&work, window);
	intervals_release(&work);
	return status;
}

/* The work of each of two picks, and of both at once:
 *
 *     a       ======    ====      10
 *     b          =====            5       both 3, so 7 of a are without b */
struct two_works {
	int64_t a, b, both;
};
static enum status compare_work(
        const struct trace *trace, int rank, struct pick a, struct pick b, struct two_works *ns)
{
	struct intervals x = {0}, y = {0};
	enum status status = work_of(trace, rank, a, &x);

	if (status == ST_OK)
		status = work_of(trace, rank, b, &y);
	*ns = (struct two_works){intervals_length(&x), intervals_length(&y), intervals_common(&x, &y)};
	intervals_release(&x);
	intervals_release(&y);
	return status;
}

enum status metric_overlap(const struct trace *trace, int section, int rank, int a, int b, double *part)
{
	struct two_works ns;
	enum status status = compare_work(
	        trace, rank, (struct pick){section, on_stream, a}, (struct pick){section, on_stream, b}, &ns);
	*part = part_of(ns.both, least_of(ns.a, ns.b));
	return status;
}

/* Any kernel of the rank hides the work, in any section. */
static enum status compare_with_kernels(
        const struct trace *trace, int section, int rank, enum hideable work, struct two_works *ns)
{
	return compare_work(trace, rank, (struct pick){section, is_work_of, (int)work},
	        (struct pick){ANY, computes, 0}, ns);
}

enum status metric_exposed(const struct trace *trace, int section, int rank, enum hideable work, int64_t *ns)
{
	struct two_works of;
	enum status status = compare_with_kernels(trace, section, rank, work, &of);
	*ns = of.a - of.both;
	return status;
}

enum status metric_hidden(const struct trace *trace, int section, int rank, enum hideable work, double *part)
{
	struct two_works of;
	enum status status = compare_with_kernels(trace, section, rank, work, &of);
	*part = part_of(of.both, of.a);
	return status;
}

enum status metric_idle(const struct trace *trace, int section, int rank, double *part)
{
	const struct world *world = trace->world;
	struct intervals work = {0};
	op_id endless;
	struct window window = own_window(trace, section, rank, &endless);
	bool kernels[STREAMS_MAX + 1] = {false}, works[STREAMS_MAX + 1] = {false}, any = false;
	enum status status = ST_OK;

	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		int stream = world->ops[id].stream;
		if (!trace_in(trace, id, section) || !trace_is_work(op_record(world, id)->kind) ||
		        trace_on_host(world, id))
			continue;
		works[stream] = true;
		kernels[stream] |= computes(world, id, 0);
		any |= kernels[stream];
	}
	for (int stream = STREAM_DEFAULT; stream <= STREAMS_MAX && status == ST_OK; stream++)
		if (any ? kernels[stream] : works[stream])
			status = work_of(trace, rank, (struct pick){section, on_stream, stream}, &work);
	*part = window.to > window.from ? 1 - part_worked(&work, window) : 0;
	intervals_release(&work);
	return status;
}

enum status metric_exposed_stream(const struct trace *trace, int section, int rank, int stream, int64_t *ns)
{
	struct two_works work;
	enum status status = compare_work(trace, rank, (struct pick){section, on_stream, stream},
	        (struct pick){ANY, beside_stream, stream}, &work);
	*ns = work.a - work.both;
	return status;
}

static void sum_stalls(const struct lanes *lanes, struct window window, int64_t ns[CAUSE_COUNT], int *streams)
{
	struct spans spans = {0};

	for (int stream = STREAM_DEFAULT; stream < lanes->streams; stream++) {
		bool used = false, host = world_stream(lanes->trace->world, lanes->rank, stream)->host;
		for (uint32_t i = lanes->first[stream]; i < lanes->first[stream + 1] && !used && !host; i++) {
			op_id id = moment_at(lanes, i)->id;
			used = trace_is_work(op_record(lanes->trace->world, id)->kind) &&
			        trace_in(lanes->trace, id, window.section);
		}
		if (!used)
			continue;
		++*streams;
		lanes_spans(lanes, stream, window, &spans);
		for (size_t i = 0; i < spans.count; i++)
			if (spans.span[i].kind == SPAN_STALL)
				ns[spans.span[i].cause] += spans.span[i].to - spans.span[i].from;
	}
	spans_release(&spans);
}

enum status metric_stalls(const struct trace *trace, int section, int rank, double part[CAUSE_COUNT])
{
	struct lanes lanes = {0};
	op_id endless;
	struct window window = own_window(trace, section, rank, &endless);
	int64_t ns[CAUSE_COUNT] = {0};
	int streams = 0;
	enum status status = lanes_load(&lanes, trace, rank);

	if (status == ST_OK)
		sum_stalls(&lanes, window, ns, &streams);
	for (int cause = 0; cause < CAUSE_COUNT; cause++)
		part[cause] = part_of(ns[cause], (window.to - window.from) * streams);
	lanes_release(&lanes);
	return status;
}

enum status metric_sent(const struct trace *trace, int section, int rank, const char *link, double *bytes)
{
	double sent[LINK_KINDS] = {0};
	int matches = 0;

	traffic_sent(trace->backend, trace->world, rank,
	        (struct counted){.section = section, .first = trace->first}, sent);
	*bytes = 0;
	for (int kind = 0; kind < LINK_KINDS; kind++) {
		const char *name = link_name(kind);
		bool whole = link && strcmp(link, name) == 0;
		if (link && strncmp(name, link, strlen(link)) != 0)
			continue;
		matches++;
		if (whole || (kind != LINK_IN && kind != LINK_NIC_IN))
			*bytes += sent[kind];
	}
	if (matches)
		return ST_OK;
	struct text known = {0};
	for (int kind = 0; kind < LINK_KINDS; kind++)
		text_add(&known, "%s\"%s\"", kind ? " " : "", link_name(kind));
	enum status status = fail(ST_NAME, "no link '%s'; there are %s", link, text_string(&known));
	text_release(&known);
	return status;
}

static double sent_away(const struct trace *trace, int rank, struct counted counted)
{
	double sent[LINK_KINDS] = {0}, bytes = 0;
	traffic_sent(trace->backend, trace->world, rank, counted, sent);
	for (int kind = 0; kind < LINK_KINDS; kind++)
		bytes += kind == LINK_IN || kind == LINK_NIC_IN ? 0 : sent[kind];
	return bytes;
}

double metric_sent_by(const struct trace *trace, int section, int rank, int stream, name_id tensor)
{
	struct counted counted = {
	        .section = section, .first = trace->first, .stream = stream, .object = tensor};
	return sent_away(trace, rank, counted);
}

double metric_sent_to_others(const struct trace *trace, int section, int rank)
{
	size_t groups = trace->world->group_count;
	bool *all = mem_alloc(groups * sizeof *all);
	memset(all, true, groups * sizeof *all);
	double bytes = sent_away(
	        trace, rank, (struct counted){.section = section, .first = trace->first, .groups = all});
	mem_free(all);
	return bytes;
}

/* nccl-tests, doc/PERFORMANCE.md: comparable between algorithms and numbers of ranks */
enum status metric_busbw(const struct trace *trace, op_id id, double *bytes_per_s)
{
	const struct world *world = trace->world;
	const struct record *record = op_record(world, id);
	double factor = 1;

	if (!trace_communicates(record->kind) && record->kind != OP_COPY)
		return fail(ST_ARGUMENT,
		        "busbw: '%s' moves nothing between GPUs; name a collective, a send, a recv or a copy",
		        names_text(world->names, record->title));
	struct times t = backend_times(trace->backend, id);
	if (t.end == TIME_UNKNOWN)
		return trace_never_ends(trace, id);
	if (record->kind == OP_COLLECTIVE)
		factor = collective_bus_factor(record->collective, world->matches[world->ops[id].match].n);
	*bytes_per_s = t.end > t.start ? record->bytes / ((t.end - t.start) * 1e-9) * factor : 0;
	return ST_OK;
}
