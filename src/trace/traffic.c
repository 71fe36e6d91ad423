/* traffic.c -- bytes sent: by rank and kind of link, by collectives, and from rank to rank by
 * transfers
 *
 *      ranks  nvlink out   nic out    by collectives
 *      0-3        1.5 MB    768 kB    what       in     times  size  sent    formula  off
 *                                     allreduce  world      2  2 MB  3.5 MB     3 MB  x 1.17
 *      from rank to rank
 *      from \ to      0      1
 *      0                512 kB
 *
 * Queued work counts too, work that would never end does not. */
#include "backend/traffic.h"
#include "collectives/algorithm.h"
#include "collectives/collective.h"
#include "trace/lanes.h"
#include "trace/table.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MATRIX_MOST = 8, PAIRS_MOST = 16, ROWS_MOST = 40 };

struct pair {
	int from, to;
	int64_t count;
	double bytes;
};
/* Collectives with one name and group, on the rank that sends most */
struct kind {
	name_id title, group;
	int64_t count, sends;          /* by steps, as in `unroll`; -1: unknown */
	double message, sent, formula; /* bytes; formula: 0 if there is none */
	struct sizes {
		int64_t least, most; /* bytes; most 0: none */
	} by[ALGORITHM_COUNT];
};
struct kinds {
	struct kind *kind;
	size_t count;
};
struct traffic {
	struct pair *pair;
	size_t pairs;
	struct kinds kinds;
};

static void print_links(const struct trace *trace, int section, int width, struct text *out)
{
	struct table table = {.align = "lr"}, row = {0};
	struct blocks blocks = {0};
	bool used[LINK_KINDS] = {0}, any = false;

	for (int pass = 0; pass < 2; pass++)
		for (int rank = 0; rank < trace->world->n; rank++) {
			if (!trace_tells(trace, rank))
				continue;
			double sent[LINK_KINDS] = {0};
			traffic_sent(trace->backend, trace->world, rank,
			        (struct counted){.section = section, .first = trace->first}, sent);
			text_clear(&row.cells);
			for (int kind = 0; kind < LINK_KINDS; kind++) {
				used[kind] = used[kind] || sent[kind] > 0;
				any = any || sent[kind] > 0;
				if (sent[kind] > 0)
					table_bytes(&row, sent[kind]);
				else if (used[kind])
					table_end(&row);
			}
			table_row(&row);
			if (pass == 1)
				blocks_add(&blocks, rank, &row.cells);
		}
	table_cell(&table, "ranks");
	for (int kind = 0; kind < LINK_KINDS; kind++)
		if (used[kind])
			table_cells(&table, link_name(kind));
	table_row(&table);
	table_blocks(&table, &blocks, ROWS_MOST);
	if (!any)
		text_add(out, "no link has carried anything\n");
	else
		table_print(&table, width, out);
	table_release(&row);
	table_release(&table);
}

static int by_ranks(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	return x->from != y->from ? x->from - y->from : x->to - y->to;
}

/* Adds an entry for each send or one-sided operation; a get's bytes come from its target. */
static void add_pairs(const struct world *world, op_id id, struct traffic *traffic)
{
	const struct record *record = op_record(world, id);

	for (int i = 0; i < record->parts; i++) {
		const struct part *part = &record->part[i];
		bool one_sided = record->kind == OP_ONE_SIDED;
		struct pair pair = {world->ops[id].rank, part->peer, 1, record->bytes};
		if (!one_sided && part->direction != P2P_SEND)
			continue;
		if (one_sided && part->direction == ONE_SIDED_GET)
			pair = (struct pair){part->peer, world->ops[id].rank, 1, record->bytes};
		if (!one_sided && part->operand >= 0 && part->operand < record->operands)
			pair.bytes = layout_bytes(&record->operand[part->operand].layout);
		*MEM_ADD(&traffic->pair, &traffic->pairs) = pair;
	}
}

static void sum_pairs(struct traffic *traffic)
{
	size_t kept = 0;

	if (traffic->pairs)
		qsort(traffic->pair, traffic->pairs, sizeof *traffic->pair, by_ranks);
	for (size_t i = 0; i < traffic->pairs; i++) {
		struct pair *pair = &traffic->pair[i];
		if (kept && by_ranks(&traffic->pair[kept - 1], pair) == 0) {
			traffic->pair[kept - 1].count += pair->count;
			traffic->pair[kept - 1].bytes += pair->bytes;
		} else {
			traffic->pair[kept++] = *pair;
		}
	}
	traffic->pairs = kept;
}

/* Returns the sends of one rank's collective, by the algorithm's steps; -1 if it has none. */
static int64_t sends_of(const struct record *record, const struct match *match, int place)
{
	struct collective_step *steps;
	int64_t sends = 0;
	int count = 0;
	if (record->collective == &collective_alltoall)
		return match->n - 1;
	if (record->taken == ALGORITHM_AUTO || !record->operands || !collective_unrolls(record->collective))
		return -1;
	int64_t size = dtype_bytes((enum dtype)record->operand[0].layout.dtype);
	steps = mem_alloc(STEPS_MAX((size_t)match->n) * sizeof *steps);
	bool known = collective_steps(record->collective, record->taken, match->n, place, record->root,
	                     record->bytes / size, steps, &count) == ST_OK;
	for (int i = 0; i < count; i++)
		sends += steps[i].to >= 0;
	mem_free(steps);
	return known ? sends : -1;
}

/* Adds the least that a rank must send: 2(n-1)/n message sizes in an allreduce, 1/n in a
 * gather. */
static void add_formula(const struct world *world, op_id id, struct kind *kind)
{
	const struct record *record = op_record(world, id);
	const struct match *match = &world->matches[world->ops[id].match];
	if (!record->collective || record->split.n)
		return;
	kind->formula += (double)record->bytes *
	        (record->collective == &collective_gather
	                        ? 1.0 / match->n
	                        : collective_bus_factor(record->collective, match->n));
	struct sizes *by = &kind->by[record->taken];
	by->least = by->most ? least_of(by->least, record->bytes) : record->bytes;
	by->most = most_of(by->most, record->bytes);
	int place = world->groups[match->group].place_of[world->ops[id].rank];
	int64_t sends = sends_of(record, match, place);
	kind->sends = sends < 0 || kind->sends < 0 ? -1 : kind->sends + sends;
}

static struct kind *kind_of(struct kinds *kinds, name_id title, name_id group)
{
	for (size_t i = 0; i < kinds->count; i++)
		if (kinds->kind[i].title == title && kinds->kind[i].group == group)
			return &kinds->kind[i];
	struct kind *kind = MEM_ADD(&kinds->kind, &kinds->count);
	*kind = (struct kind){.title = title, .group = group};
	return kind;
}

static void add_collective(const struct world *world, op_id id, struct kinds *kinds)
{
	const struct record *record = op_record(world, id);
	struct kind *kind =
	        kind_of(kinds, record->title, record->group >= 0 ? world->groups[record->group].name : 0);
	double sent[LINK_KINDS] = {0};

	traffic_of(world, world->ops[id].rank, id, sent);
	for (int link = 0; link < LINK_KINDS; link++)
		kind->sent += sent[link];
	kind->count++;
	kind->message += record->bytes;
	add_formula(world, id, kind);
}

static void traffic_gather(const struct trace *trace, int section, struct traffic *traffic)
{
	const struct world *world = trace->world;
	struct kinds own = {0};

	for (int rank = 0; rank < world->n; rank++) {
		for (op_id id = trace_tells(trace, rank) ? world->first[rank] : 0; id;
		        id = world->ops[id].next_program) {
			const struct record *record = op_record(world, id);
			if (!trace_in(trace, id, section) || !traffic_goes(trace->backend, id))
				continue;
			if (record->kind == OP_P2P || record->kind == OP_ONE_SIDED)
				add_pairs(world, id, traffic);
			else if (record->kind == OP_COLLECTIVE && record->bytes > 0)
				add_collective(world, id, &own);
		}
		for (size_t i = 0; i < own.count; i++) {
			struct kind *kind = kind_of(&traffic->kinds, own.kind[i].title, own.kind[i].group);
			if (kind->count == 0 || own.kind[i].sent > kind->sent)
				*kind = own.kind[i];
		}
		own.count = 0;
	}
	sum_pairs(traffic);
	mem_free(own.kind);
}

/* Up to MATRIX_MOST ranks: a cell for every pair; more ranks: only pairs that send, the largest
 * first */
static void fill_matrix(const struct traffic *traffic, int n, struct table *table)
{
	const struct pair *pair = traffic->pair, *end = pair + traffic->pairs;
	table_cell(table, "from \\ to");
	for (int to = 0; to < n; to++)
		table_cell(table, "%d", to);
	table_row(table);
	for (int from = 0; from < n; from++) {
		table_cell(table, "%d", from);
		for (int to = 0; to < n; to++)
			if (pair < end && pair->from == from && pair->to == to)
				table_bytes(table, pair++->bytes);
			else
				table_end(table);
		table_row(table);
	}
}

static int by_bytes(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	return x->bytes != y->bytes ? (x->bytes > y->bytes ? -1 : 1) : by_ranks(a, b);
}

static void fill_pairs(struct traffic *traffic, struct table *table)
{
	qsort(traffic->pair, traffic->pairs, sizeof *traffic->pair, by_bytes);
	table_line(table, "from", "to", "sends", "bytes");
	for (size_t i = 0; i < traffic->pairs && i < PAIRS_MOST; i++) {
		const struct pair *pair = &traffic->pair[i];
		table_cell(table, "%d", pair->from);
		table_cell(table, "%d", pair->to);
		table_cell(table, "%lld", (long long)pair->count);
		table_bytes(table, pair->bytes);
		table_row(table);
	}
}

static void print_transfers(struct traffic *traffic, int n, int width, struct text *out)
{
	struct table table = {.align = "lr"};

	if (!traffic->pairs)
		return;
	if (n <= MATRIX_MOST)
		fill_matrix(traffic, n, &table);
	else
		fill_pairs(traffic, &table);
	text_add(out, "from rank to rank\n");
	table_print(&table, width, out);
	if (n > MATRIX_MOST && traffic->pairs > PAIRS_MOST)
		text_add(out, "   ... and %zu more pairs\n", traffic->pairs - PAIRS_MOST);
}

static int algorithms_of(const struct kind *kind, enum algorithm *last)
{
	int used = 0;
	for (int i = ALGORITHM_AUTO + 1; i < ALGORITHM_COUNT; i++)
		if (kind->by[i].most) {
			*last = (enum algorithm)i;
			used++;
		}
	return used;
}

/* "   allreduce in world: ring 256 kB to 4 MB, tree 64 B": message sizes by algorithm, if there
 * are several */
static void print_algorithms(const struct names *names, const struct kind *kind, struct text *out)
{
	enum algorithm last = ALGORITHM_AUTO;
	const char *between = ": ";
	if (algorithms_of(kind, &last) < 2)
		return;
	text_add(out, "   %s in %s", names_text(names, kind->title), names_text(names, kind->group));
	for (int i = ALGORITHM_AUTO + 1; i < ALGORITHM_COUNT; i++) {
		const struct sizes *by = &kind->by[i];
		if (!by->most)
			continue;
		text_add(out, "%s%s %s", between, algorithm_name(i), bytes_words(by->least).text);
		between = ", ";
		if (by->most > by->least)
			text_add(out, " to %s", bytes_words(by->most).text);
	}
	text_add(out, "\n");
}

/* Pieces of a message are whole elements: a difference below the shown digits is rounding. */
static void put_formula(struct table *table, const struct kind *kind)
{
	enum algorithm last = ALGORITHM_AUTO;
	int used = algorithms_of(kind, &last);
	if (kind->formula <= 0) {
		table_cells(table, "", "", "", "");
		return;
	}
	table_bytes(table, kind->formula);
	if (fabs(kind->sent / kind->formula - 1) >= 0.005)
		text_add(&table->cells, "x %.2f", kind->sent / kind->formula);
	table_end(table);
	if (kind->sends >= 0)
		text_add(&table->cells, "%lld", (long long)kind->sends);
	table_end(table);
	table_cells(table, used > 1 ? "several" : used ? algorithm_name(last) : "");
}

static void print_collectives(
        const struct trace *trace, const struct traffic *traffic, int width, struct text *out)
{
	const struct names *names = trace->world->names;
	struct table table = {.align = "llr"};

	if (!traffic->kinds.count)
		return;
	text_add(out, "by collectives\n");
	table_line(&table, "what", "in", "times", "size", "sent", "formula", "off", "sends", "by");
	for (size_t i = 0; i < traffic->kinds.count; i++) {
		const struct kind *kind = &traffic->kinds.kind[i];
		table_cells(&table, names_text(names, kind->title), names_text(names, kind->group));
		table_cell(&table, "%lld", (long long)kind->count);
		table_bytes(&table, kind->message);
		table_bytes(&table, kind->sent);
		put_formula(&table, kind);
		table_row(&table);
	}
	table_print(&table, width, out);
	for (size_t i = 0; i < traffic->kinds.count; i++)
		print_algorithms(names, &traffic->kinds.kind[i], out);
}

/* Cannot be interrupted. */
enum status trace_traffic(const struct trace *trace, int section, int width, struct text *out)
{
	struct traffic traffic = {0};
	print_links(trace, section, width, out);
	traffic_gather(trace, section, &traffic);
	print_collectives(trace, &traffic, width, out);
	print_transfers(&traffic, trace->world->n, width, out);
	mem_free(traffic.pair);
	mem_free(traffic.kinds.kind);
	return ST_OK;
}
