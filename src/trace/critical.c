/* critical.c -- the path back from the last end; slack_find follows the same edges back from all
 * ends */
#include "trace/critical.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "trace/constraints.h"
#include "trace/lanes.h"
#include "trace/sharing.h"
#include "trace/table.h"
#include "trace/why.h"

struct latest {
	const struct constraints *c;
	node_id from;
	int64_t ns, fulfilled; /* -1: none yet */
};

/* Ties: matches first, then the lowest rank, stream, number */
static bool node_precedes(const struct constraints *c, node_id a, node_id b)
{
	op_id x = node_op(c, a), y = node_op(c, b);
	const struct op *p = &c->trace->world->ops[x], *q = &c->trace->world->ops[y];
	if (!x || !y)
		return !x && (y || a < b);
	int stream_p = node_part(a) == NODE_ISSUED ? STREAM_HOST : p->stream,
	    stream_q = node_part(b) == NODE_ISSUED ? STREAM_HOST : q->stream;
	if (p->rank != q->rank)
		return p->rank < q->rank;
	return stream_p != stream_q ? stream_p < stream_q : p->number < q->number;
}

static void take_latest(void *self, node_id from, int64_t ns)
{
	struct latest *choice = self;
	int64_t fulfilled = node_time(choice->c, from) + ns;
	if (fulfilled < choice->fulfilled ||
	        (fulfilled == choice->fulfilled && !node_precedes(choice->c, from, choice->from)))
		return;
	choice->from = from;
	choice->ns = ns;
	choice->fulfilled = fulfilled;
}

static void add_piece(struct critical *critical, enum critical_kind kind, op_id op, int64_t from, int64_t to)
{
	from = most_of(from, critical->window.from);
	if (from >= to)
		return;
	struct critical_piece *last = critical->count ? &critical->piece[critical->count - 1] : NULL;
	if (last && last->kind == kind && last->op == op)
		last->from = from;
	else
		*MEM_ADD(&critical->piece, &critical->count) = (struct critical_piece){kind, op, from, to};
	if (kind != CRITICAL_IDLE)
		critical->on[op] |= (uint8_t)(1 << kind);
}

static enum critical_kind kind_of_work(const struct trace *trace, op_id id)
{
	enum op_kind kind = op_record(trace->world, id)->kind;
	if (kind == OP_KERNEL && !trace_on_host(trace->world, id))
		return CRITICAL_COMPUTE;
	if (trace_communicates(kind))
		return CRITICAL_COMM;
	return kind == OP_COPY ? CRITICAL_COPY : kind == OP_SEGMENT ? CRITICAL_MEMORY : CRITICAL_HOST;
}

/* Adds the time between two nodes: a launch, or work, whose loss by sharing comes last. */
static void add_edge(
        struct critical *critical, const struct constraints *c, node_id node, int64_t from, int64_t to)
{
	op_id id = node_op(c, node);
	const struct moment *m = id ? node_moment(c, id) : NULL;
	if (!m || from >= to)
		return;
	if (node_part(node) == NODE_ISSUED) {
		add_piece(critical, CRITICAL_LAUNCH, id, from, to);
		return;
	}
	int64_t lost = least_of(trace_lost(c->trace, id, &m->t), to - from);
	add_piece(critical, CRITICAL_SHARING, id, to - lost, to);
	add_piece(critical, kind_of_work(c->trace, id), id, from, to - lost);
}

/* Nodes equal in time cannot form a circle, because each rule leads back in a program's order.
 * Measured times are inexact, so the number of nodes limits the steps. */
static enum status walk_back(struct critical *critical, const struct constraints *c, node_id node)
{
	int64_t at = node_time(c, node);
	for (node_id steps = 0; at > critical->window.from && steps < c->nodes; steps++) {
		struct latest choice = {.c = c, .fulfilled = -1};
		op_id id = node_op(c, node);
		if (steps % 1024 == 0 && trace_step(c->trace, 1024) != ST_OK)
			return ST_INTERRUPTED;
		constraints_of(c, node, take_latest, &choice);
		if (choice.fulfilled < 0)
			break;
		add_piece(critical, CRITICAL_IDLE, id, choice.fulfilled, at);
		add_edge(critical, c, node, choice.fulfilled - choice.ns, choice.fulfilled);
		node = choice.from;
		at = node_time(c, node);
	}
	/* the rank's first launch, and the time before it */
	op_id id = node_op(c, node);
	int64_t launch =
	        id && node_part(node) == NODE_ISSUED ? least_of(node_moment(c, id)->t.launch, at) : 0;
	add_piece(critical, CRITICAL_LAUNCH, id, at - launch, at);
	add_piece(critical, CRITICAL_IDLE, id, critical->window.from, at - launch);
	for (size_t i = 0, j = critical->count; i + 1 < j; i++) { /* into the order of time */
		struct critical_piece piece = critical->piece[--j];
		critical->piece[j] = critical->piece[i];
		critical->piece[i] = piece;
	}
	return ST_OK;
}

/* Returns the section's last node with a time; host threads count only if there is nothing else.
 * Ties: rank, stream, number. 0: none. */
static node_id last_node(const struct constraints *c, int section, bool threads)
{
	const struct world *world = c->trace->world;
	node_id last = 0;
	for (op_id id = 1; id <= world->op_count; id++) {
		if (!trace_counts(c->trace, id, section) || (!threads && trace_on_host(world, id)))
			continue;
		node_id node = node_at(id, NODE_ENDED);
		if (node_time(c, node) == TIME_UNKNOWN)
			node = node_at(id, NODE_ISSUED);
		int64_t time = node_time(c, node);
		if (time == TIME_UNKNOWN)
			continue;
		if (!last || time > node_time(c, last) ||
		        (time == node_time(c, last) && node_precedes(c, node, last)))
			last = node;
	}
	return last;
}

enum status critical_find(const struct trace *trace, int section, bool slack, struct critical *critical)
{
	struct constraints c;
	enum status status = constraints_load(&c, trace);
	*critical = (struct critical){.ops = trace->world->op_count};
	node_id last = status == ST_OK ? last_node(&c, section, false) : 0;
	if (status == ST_OK && !last)
		last = last_node(&c, section, true);
	if (last) {
		critical->window = trace_window(trace, section);
		critical->window.to = node_time(&c, last);
		critical->on = mem_alloc(critical->ops + 1);
		status = walk_back(critical, &c, last);
	}
	if (status == ST_OK && last && slack)
		status = slack_find(&c, section, critical->window.to, &critical->slack);
	constraints_release(&c);
	return status;
}

void critical_release(struct critical *critical)
{
	mem_free(critical->piece);
	mem_free(critical->slack);
	mem_free(critical->on);
	*critical = (struct critical){0};
}

static unsigned bits_of(const struct span *span, int stream)
{
	if (span->kind == SPAN_WORK)
		return CRITICAL_WORK | 1 << CRITICAL_HOST;
	if (stream != STREAM_HOST)
		return 0;
	if (span->cause == CAUSE_MEMORY)
		return 1 << CRITICAL_MEMORY;
	return span->kind == SPAN_HOST && span->cause == CAUSE_LAUNCH ? 1 << CRITICAL_LAUNCH : 0;
}

bool critical_keep(const struct critical *critical, int stream, struct spans *spans)
{
	bool some = false;
	for (size_t i = 0; i < spans->count; i++) {
		struct span *span = &spans->span[i];
		if (span->op && span->op <= critical->ops && critical->on[span->op] & bits_of(span, stream)) {
			some = true;
		} else if (span->kind == SPAN_WORK) {
			span->aside = true;
		} else {
			span_blank(span);
		}
	}
	return some;
}

const char *critical_kind_name(enum critical_kind kind)
{
	static const char *const names[] = {
#define X(symbol, name) name,
		CRITICAL_KINDS(X)
#undef X
	};
	return names[kind];
}

/* A row of the chain: consecutive pieces of one kind and name on one rank */
struct path_row {
	size_t first, end;
};

static bool same_row(
        const struct world *world, const struct critical_piece *a, const struct critical_piece *b)
{
	return a->kind == b->kind && world->ops[a->op].rank == world->ops[b->op].rank &&
	        (a->kind == CRITICAL_LAUNCH ||
	                op_record(world, a->op)->title == op_record(world, b->op)->title);
}

static void put_row(
        const struct trace *trace, const struct critical *critical, struct path_row row, struct table *table)
{
	const struct critical_piece *first = &critical->piece[row.first],
	                            *last = &critical->piece[row.end - 1];
	size_t count = row.end - row.first;
	table_time(table, first->from);
	table_time(table, last->to - first->from);
	table_cells(table, critical_kind_name(first->kind));
	if (count > 1 && first->op && first->kind == CRITICAL_LAUNCH) {
		text_add(
		        &table->cells, "%zu operations on rank %d", count, trace->world->ops[first->op].rank);
	} else if (first->op) {
		trace_put_op(trace->world, first->op, "on", &table->cells);
		trace_put_line_behind(trace, first->op, &table->cells);
		if (count > 1)
			text_add(&table->cells, ", and %zu more", count - 1);
	}
	table_end(table);
	table_row(table);
}

static void put_chain(const struct trace *trace, const struct critical *critical, int width, struct text *out)
{
	enum { SHOWN = 24, AT_THE_END = 12 };
	struct table table = {.align = "rrll"};
	struct path_row *row = NULL;
	size_t rows = 0;
	for (size_t i = 0, end; i < critical->count; i = end) {
		for (end = i + 1; end < critical->count &&
		        same_row(trace->world, &critical->piece[i], &critical->piece[end]);)
			end++;
		*MEM_ADD(&row, &rows) = (struct path_row){i, end};
	}
	table_line(&table, "from", "takes", "", "");
	for (size_t i = 0; i < rows; i++) {
		if (rows > SHOWN && i == SHOWN - AT_THE_END) {
			table_cells(&table, "", "", "...");
			table_cell(&table, "%zu more", rows - SHOWN);
			table_row(&table);
			i = rows - AT_THE_END;
		}
		put_row(trace, critical, row[i], &table);
	}
	table_print(&table, width, out);
	mem_free(row);
}

static void put_kinds(const struct critical *critical, int width, struct text *out)
{
	struct table table = {.align = "lrr"};
	int64_t sum[CRITICAL_KIND_COUNT] = {0},
	        length = most_of(critical->window.to - critical->window.from, 1);
	for (size_t i = 0; i < critical->count; i++)
		sum[critical->piece[i].kind] += critical->piece[i].to - critical->piece[i].from;
	text_add(out, "by kind\n");
	for (int kind = 0; kind < CRITICAL_KIND_COUNT; kind++) {
		if (!sum[kind])
			continue;
		table_cells(&table, critical_kind_name((enum critical_kind)kind));
		table_time(&table, sum[kind]);
		table_cell(&table, "%.0f%%", 100 * (double)sum[kind] / (double)length);
		table_row(&table);
	}
	table_print(&table, width, out);
}

/* Orders by rank, then program. Ids alone depend on the order of typing. */
static bool op_precedes(const struct world *world, op_id a, op_id b)
{
	int rank = world->ops[a].rank, other = world->ops[b].rank;
	return rank != other ? rank < other : a < b;
}

static void put_slack(
        const struct trace *trace, const struct critical *critical, int section, int width, struct text *out)
{
	enum { SHOWN = 5 };
	struct table table = {.align = "lrr"};
	struct long_work {
		op_id op;
		int64_t ns;
	} most[SHOWN] = {0};
	for (op_id id = 1; id <= critical->ops; id++) {
		if (!trace_in(trace, id, section) || (critical->on[id] & CRITICAL_WORK) ||
		        critical->slack[id] == TIME_UNKNOWN ||
		        !trace_is_work(op_record(trace->world, id)->kind))
			continue;
		struct times t = backend_times(trace->backend, id);
		struct long_work work = {id, t.end - t.start};
		for (int i = 0; i < SHOWN; i++)
			if (work.ns > most[i].ns ||
			        (most[i].op && work.ns == most[i].ns &&
			                op_precedes(trace->world, work.op, most[i].op))) {
				struct long_work shorter = most[i];
				most[i] = work;
				work = shorter;
			}
	}
	if (!most[0].op)
		return;
	table_line(&table, "longest of the rest", "takes", "slack");
	for (int i = 0; i < SHOWN && most[i].op; i++) {
		trace_put_op(trace->world, most[i].op, "on", &table.cells);
		table_end(&table);
		table_time(&table, most[i].ns);
		table_time(&table, critical->slack[most[i].op]);
		table_row(&table);
	}
	table_print(&table, width, out);
}

enum status trace_critical(const struct trace *trace, int section, int width, struct text *out)
{
	struct critical critical;
	enum status status = critical_find(trace, section, true, &critical);
	if (status == ST_OK && !trace_says_nothing(trace, section, out)) {
		text_add(out, "critical path, %s: %s",
		        critical.window.from ? "of this section" : "from the beginning",
		        time_words(critical.window.to - critical.window.from).text);
		trace_put_hangs(trace, out);
		put_chain(trace, &critical, width, out);
		put_kinds(&critical, width, out);
		put_slack(trace, &critical, section, width, out);
		trace_put_uncertainty(trace, 1, out);
	}
	critical_release(&critical);
	return status;
}
