/* root.c -- the roots of `why`: their kinds, ties and texts
 *
 *      root: matmul y on ranks 0-3 (line 9): its own duration */
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

/* Stores the operation's durations on other ranks, which are near it in the log. Returns their
 * number. */
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

/* Returns the operation's median duration on other ranks (the lower of two); -1 if there is none,
 * or if it has a match. */
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

/* `slow` is the root if it explains an eighth of the delay; sharing, or a longer duration than
 * elsewhere, if it explains half of it; else the work itself. */
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

void root_add(struct chain *chain, enum root_kind kind, int rank, op_id id, int64_t ns)
{
	struct why *why = chain->why;
	struct root *root = NULL;
	for (size_t i = 0; i < why->roots; i++) {
		struct root *known = &why->root[i];
		bool same = known->kind == kind && known->rank == rank;
		if (same && known->count && known->op[known->count - 1] == id)
			return;
		/* removed together: one line, or one host, caused them all */
		if (same && (kind == ROOT_SLOW || kind == ROOT_LAUNCH))
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

static void put_op(const struct chain *chain, const struct root *root, struct text *out)
{
	op_label(chain->trace->world, root->op[0], out);
	text_add(out, " on ");
	trace_put_ranks(&root->ranks, out);
	trace_put_line_behind(chain->trace, root->op[0], out);
}

static void put_host(const struct chain *chain, const struct root *root, const char *does, struct text *out)
{
	text_add(out, "the host of ");
	trace_put_ranks(&root->ranks, out);
	text_add(out, "%s", does);
	trace_put_line_behind(chain->trace, root->op[0], out);
}

static void put_launches(const struct chain *chain, const struct root *root, struct text *out)
{
	size_t ranks = (size_t)ranks_count(&root->ranks);
	text_add(out, "the launch of ");
	if (root->count == ranks) {
		put_op(chain, root, out);
		return;
	}
	text_add(out, "%zu operations on ", root->count / ranks);
	trace_put_ranks(&root->ranks, out);
	text_add(out, ", %s", time_words(root->ns).text);
}

static void put_work(const struct chain *chain, const struct root *root, struct text *out)
{
	struct times t = backend_times(chain->trace->backend, root->op[0]);
	put_op(chain, root, out);
	if (root->kind == ROOT_SHARED)
		text_add(out, ", which shares a resource");
	else if (root->kind == ROOT_LONGER)
		text_add(out, " takes %s, elsewhere %s", time_words(t.end - t.start).text,
		        time_words(root->ns).text);
	else
		text_add(out, ": its own duration");
}

static void put_root(const struct chain *chain, struct root *root)
{
	const struct world *world = chain->trace->world;
	const struct record *record = op_record(world, root->op[0]);
	const struct slowness *slow = world_slow_at(world, root->op[0]);
	struct text *out = &root->text;
	switch (root->kind) {
	case ROOT_SLOW:
		text_add(out, "`@%d slow %gx`", root->rank, slow->factor);
		put_place_behind(world, slow->file, slow->line, out);
		break;
	case ROOT_LAUNCH:
		put_launches(chain, root, out);
		break;
	case ROOT_HELD:
		text_add(out, "`%s` holds ", names_text(world->names, record->reason));
		put_host(chain, root, "", out);
		break;
	case ROOT_MEMORY:
	case ROOT_HOST:
		put_host(chain, root, root->kind == ROOT_HOST ? " computes" : " gets memory", out);
		break;
	case ROOT_CIRCLE:
		text_add(out, "ranks wait for each other, as in ");
		put_op(chain, root, out);
		break;
	case ROOT_MISMATCH:
		put_op(chain, root, out);
		text_add(out, " does not match the other members");
		break;
	case ROOT_MISSING:
		text_add(out, record->kind == OP_CRASH ? "the crash of rank %d" : "a missing line on rank %d",
		        root->rank);
		break;
	default:
		put_work(chain, root, out);
	}
}

void roots_word(struct chain *chain)
{
	for (size_t i = 0; i < chain->why->roots; i++)
		put_root(chain, &chain->why->root[i]);
}

enum { LOOKS_MOST = 300000 }; /* limit of operations visited */

static bool root_ties(const struct trace *trace, op_id id, op_id other)
{
	const struct record *a = op_record(trace->world, id), *b = op_record(trace->world, other);
	return a->kind == b->kind && a->line == b->line && a->title == b->title &&
	        backend_times(trace->backend, id).end == backend_times(trace->backend, other).end;
}

/* Adds the rank's operations with the same numbers, if each of the root's operations has one that
 * ties. */
static void root_join_rank(const struct trace *trace, struct root *root, int rank, size_t own)
{
	const struct world *world = trace->world;
	op_id other = world->first[rank];
	size_t before = root->count;
	for (size_t i = 0; i < own; i++) {
		uint32_t number = world->ops[root->op[i]].number;
		while (other && world->ops[other].number < number)
			other = world->ops[other].next_program;
		if (!other || !root_ties(trace, root->op[i], other)) {
			root->count = before;
			return;
		}
		*MEM_ADD(&root->op, &root->count) = other;
	}
	ranks_add(&root->ranks, rank);
}

/* Adds all members of a collective, which are one work. Returns false if the root is no
 * collective. */
static bool root_join_members(const struct world *world, struct root *root)
{
	op_id own = root->op[0];
	const struct match *match = &world->matches[world->ops[own].match];
	if (root->kind != ROOT_WORK || root->count != 1 || op_record(world, own)->kind != OP_COLLECTIVE)
		return false;
	for (int i = 0; i < match->n; i++)
		if (match->member[i] && match->member[i] != own) {
			*MEM_ADD(&root->op, &root->count) = match->member[i];
			ranks_add(&root->ranks, match->ranks[i]);
		}
	return true;
}

/* Ranks that run the same lines may delay the end equally:
 *
 *    rank 0   |== matmul y, 2 ms ==|  allreduce y     without rank 0's matmul alone the allreduce
 *    rank 1   |== matmul y, 2 ms ==|                  begins no sooner: both are the root
 *
 * An operation of another rank ties if its number in the program, its line and its end are the
 * same. */
void roots_tie(struct chain *chain)
{
	const struct world *world = chain->trace->world;
	for (size_t i = 0; i < chain->why->roots; i++) {
		struct root *root = &chain->why->root[i];
		size_t own = root->count;
		ranks_one(&root->ranks, root->rank);
		bool alone = root->kind == ROOT_SLOW || root->kind == ROOT_LONGER ||
		        root->kind == ROOT_SHARED || root->kind >= ROOT_CIRCLE;
		if (alone || !own || root_join_members(world, root) ||
		        (int64_t)world->n * world->ops[root->op[own - 1]].number > LOOKS_MOST)
			continue;
		for (int rank = 0; rank < world->n; rank++)
			if (rank != root->rank)
				root_join_rank(chain->trace, root, rank, own);
	}
}

/* How operations change without a root of each kind. LONGER: they take the time elsewhere; SLOW
 * changes all kernels of the rank. */
static const struct op_otherwise without[ROOT_COUNT] = {[ROOT_HOST] = {.ns = 0},
        [ROOT_WORK] = {.ns = 0},
        [ROOT_MEMORY] = {.ns = 0, .not_held = true},
        [ROOT_LAUNCH] = {.ns = -1, .no_launch = true},
        [ROOT_HELD] = {.ns = -1, .not_held = true},
        [ROOT_SHARED] = {.ns = -1, .alone = true}};
_Static_assert(ROOT_COUNT == 11, "a new kind of root has its row in `without`, or comes after ROOT_CIRCLE");

static int by_id(const void *a, const void *b)
{
	const struct op_otherwise *x = a, *y = b;
	return x->id < y->id ? -1 : x->id > y->id;
}

size_t why_without(const struct why *why, struct op_otherwise **op, struct ranks *slowed)
{
	size_t count = 0;
	*op = NULL;
	*slowed = (struct ranks){0};
	for (size_t i = 0; i < why->roots; i++) {
		const struct root *root = &why->root[i];
		if (root->kind == ROOT_SLOW)
			ranks_add(slowed, root->rank);
		bool of_operations = root->kind != ROOT_SLOW && root->kind < ROOT_CIRCLE;
		for (size_t k = 0; of_operations && k < root->count; k++) {
			struct op_otherwise *other = MEM_ADD(op, &count);
			*other = without[root->kind];
			other->id = root->op[k];
			if (root->kind == ROOT_LONGER)
				other->ns = root->ns;
		}
	}
	if (count)
		qsort(*op, count, sizeof **op, by_id);
	return count;
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
