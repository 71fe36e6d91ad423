/* root.c -- the roots of an answer of `why`: of which kind one is, those of a kind and rank gathered, and the line that names it
 *
 *      root: matmul y on ranks 0-3 (line 9) takes its time */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "trace/chain.h"

#include <stdlib.h>
#include <string.h>

static void put_place_behind(const struct world *world, name_id file, int line, struct text *out)
{
	text_add(out, line ? " (" : "");
	source_line_text(world, file, line, out);
	text_add(out, line ? ")" : "");
}

void trace_put_line(const struct trace *trace, op_id id, struct text *out)
{
	const struct record *record = op_record(trace->world, id);
	source_line_text(trace->world, record->file, record->line, out);
}

void trace_put_line_behind(const struct trace *trace, op_id id, struct text *out)
{
	const struct record *record = op_record(trace->world, id);
	put_place_behind(trace->world, record->file, record->line, out);
}

/* ---- which kind ---- */

/* The same line on other ranks: operations that were queued with this one, for as long as they took. The line of all ranks
 * stands together in the books, but for what the books queued in between. */
static size_t durations_elsewhere(const struct chain *chain, op_id id, int64_t *ns, size_t most)
{
	const struct world *world = chain->trace->world;
	const struct record *record = op_record(world, id);
	struct ranks told = {0};
	size_t count = 0, near = 8 * (size_t)world->n + 64;
	op_id from = id > near ? id - (op_id)near : 1,
	      to = (op_id)least_of((int64_t)(id + near), (int64_t)world->op_count);
	for (op_id at = from; at <= to && count < most; at++) {
		const struct record *other = op_record(world, at);
		int rank = world->ops[at].rank;
		if (rank == world->ops[id].rank || other->line != record->line ||
		        other->file != record->file || other->title != record->title ||
		        other->object != record->object || ranks_has(&told, rank))
			continue;
		struct times t = backend_times(chain->trace->backend, at);
		if (t.end == TIME_UNKNOWN)
			continue;
		ranks_add(&told, rank);
		ns[count++] = t.end - t.start;
	}
	return count;
}

static int by_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* What it takes on other ranks: the median, the lower one of two; -1: there are none. What meets others takes the same
 * everywhere. */
static int64_t takes_elsewhere(const struct chain *chain, op_id id)
{
	enum op_kind kind = op_record(chain->trace->world, id)->kind;
	if (kind != OP_KERNEL && kind != OP_COPY && kind != OP_ONE_SIDED)
		return -1;
	int64_t *ns = mem_alloc((size_t)chain->trace->world->n * sizeof *ns);
	size_t count = durations_elsewhere(chain, id, ns, (size_t)chain->trace->world->n);
	qsort(ns, count, sizeof *ns, by_ns);
	int64_t median = count ? ns[(count - 1) / 2] : -1;
	mem_free(ns);
	return median;
}

/* What explains an eighth of the time in the way, of what somebody did, or a half of what befell the work, is the root of
 * it; else the work itself is. */
enum root_kind root_of_work(struct chain *chain, op_id id, int64_t ns, int64_t *elsewhere)
{
	enum { OF_SLOW = 8, OF_SHARED = 2 };
	const struct trace *trace = chain->trace;
	const struct record *record = op_record(trace->world, id);
	struct times t = backend_times(trace->backend, id);
	*elsewhere = 0;
	if (t.end == TIME_UNKNOWN)
		return ROOT_WORK;
	ns = least_of(ns, t.end - t.start);
	bool slow = record->kind == OP_KERNEL && !trace_on_host(trace->world, id) &&
	        world_slow_at(trace->world, id);
	if (slow && record->alone_ns >= 0 && (t.alone - record->alone_ns) * OF_SLOW >= ns && ns > 0)
		return ROOT_SLOW;
	if (trace_lost(trace, id, &t) * OF_SHARED >= ns && trace_lost(trace, id, &t) > 0)
		return ROOT_SHARED;
	int64_t median = takes_elsewhere(chain, id);
	if (median < 0 || (t.end - t.start - median) * OF_SHARED < ns || t.end - t.start == median)
		return ROOT_WORK;
	*elsewhere = median;
	return ROOT_LONGER;
}

/* ---- the roots that were found ---- */

/* Kinds of which several operations are taken away together: what one line, or one host, did to them all */
static bool adds_up(enum root_kind kind)
{
	return kind == ROOT_SLOW || kind == ROOT_LAUNCH;
}

void root_add(struct chain *chain, enum root_kind kind, int rank, op_id id, int64_t ns)
{
	struct why *why = chain->why;
	struct root *root = NULL;
	for (size_t i = 0; i < why->roots; i++) {
		struct root *known = &why->root[i];
		bool same = known->kind == kind && known->rank == rank;
		if (same && known->count && known->op[known->count - 1] == id)
			return;
		if (same && adds_up(kind))
			root = known;
	}
	if (!root) {
		root = MEM_ADD(&why->root, &why->roots);
		*root = (struct root){.kind = kind, .rank = rank};
	}
	*MEM_ADD(&root->op, &root->count) = id;
	if (kind == ROOT_LONGER)
		root->ns = ns;
	else
		root->ns += ns;
}

static void put_slow(const struct chain *chain, const struct root *root, struct text *out)
{
	const struct slowness *slow = world_slow_at(chain->trace->world, root->op[0]);
	text_add(out, "`@%d slow %gx`", root->rank, slow->factor);
	put_place_behind(chain->trace->world, slow->file, slow->line, out);
}

/* "rank 2", "ranks 0-3" */
static void put_ranks(const struct root *root, struct text *out)
{
	text_add(out, ranks_count(&root->ranks) > 1 ? "ranks " : "rank ");
	ranks_text(&root->ranks, out);
}

/* "matmul y on ranks 0-3 (line 9)" */
static void put_op(const struct chain *chain, const struct root *root, struct text *out)
{
	op_label(chain->trace->world, root->op[0], out);
	text_add(out, " on ");
	put_ranks(root, out);
	trace_put_line_behind(chain->trace, root->op[0], out);
}

/* "the host of rank 2 gets memory (line 9)" */
static void put_host(const struct chain *chain, const struct root *root, const char *does, struct text *out)
{
	text_add(out, "the host of ");
	put_ranks(root, out);
	text_add(out, "%s", does);
	trace_put_line_behind(chain->trace, root->op[0], out);
}

/* The launches of several operations are counted. */
static void put_launches(const struct chain *chain, const struct root *root, struct text *out)
{
	size_t each = root->count / (size_t)ranks_count(&root->ranks);
	text_add(out, "the launch of ");
	if (root->count == (size_t)ranks_count(&root->ranks)) {
		put_op(chain, root, out);
		return;
	}
	text_add(out, "%zu operations on ", each);
	put_ranks(root, out);
	text_add(out, ", ");
	time_text(root->ns, out);
}

/* "matmul y on rank 2 (line 9) takes its time": work is the root, of itself, or of what it shared */
static void put_work(const struct chain *chain, const struct root *root, struct text *out)
{
	struct times t = backend_times(chain->trace->backend, root->op[0]);
	put_op(chain, root, out);
	if (root->kind == ROOT_SHARED) {
		text_add(out, ", which shares what it needs");
	} else if (root->kind == ROOT_LONGER) {
		text_add(out, " takes ");
		time_text(t.end - t.start, out);
		text_add(out, ", elsewhere ");
		time_text(root->ns, out);
	} else {
		text_add(out, " takes its time");
	}
}

static void word(const struct chain *chain, struct root *root)
{
	const struct world *world = chain->trace->world;
	const struct record *record = op_record(world, root->op[0]);
	struct text *out = &root->text;
	switch (root->kind) {
	case ROOT_SLOW:
		put_slow(chain, root, out);
		break;
	case ROOT_LAUNCH:
		put_launches(chain, root, out);
		break;
	case ROOT_HELD:
		text_add(out, "`%s` holds ", names_text(world->names, record->reason));
		put_host(chain, root, "", out);
		break;
	case ROOT_MEMORY:
		put_host(chain, root, " gets memory", out);
		break;
	case ROOT_HOST:
		put_host(chain, root, " computes", out);
		break;
	case ROOT_CIRCLE:
		text_add(out, "ranks wait for each other, as in ");
		put_op(chain, root, out);
		break;
	case ROOT_MISMATCH:
		put_op(chain, root, out);
		text_add(out, " does not match what it meets");
		break;
	case ROOT_MISSING:
		text_add(out,
		        record->kind == OP_CRASH ? "the crash of rank %d"
		                                 : "a line of rank %d that has not come",
		        root->rank);
		break;
	default:
		put_work(chain, root, out);
	}
}

void roots_word(struct chain *chain)
{
	for (size_t i = 0; i < chain->why->roots; i++)
		word(chain, &chain->why->root[i]);
}

void why_put_roots(const struct why *why, struct text *out)
{
	enum { TOLD = 6 };
	for (size_t i = 0; i < why->roots && i < TOLD; i++)
		text_add(out, "%s%s%s", i ? "      " : "root: ", text_string(&why->root[i].text),
		        i + 1 < why->roots && i + 1 < TOLD ? ", and\n" : "");
	if (why->roots > TOLD)
		text_add(out, ", and %zu more", why->roots - TOLD);
	text_add(out, why->roots ? "\n" : "");
}

void why_release(struct why *why)
{
	for (size_t i = 0; i < why->roots; i++) {
		mem_free(why->root[i].op);
		text_release(&why->root[i].text);
	}
	mem_free(why->root);
	text_release(&why->text);
	*why = (struct why){0};
}
