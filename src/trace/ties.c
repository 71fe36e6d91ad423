/* ties.c -- roots that tie: what keeps one rank back as long as it keeps others, who run the same lines
 *
 *      rank 0   |== matmul y, 2 ms ==|  allreduce y        without rank 0's matmul alone the allreduce begins no sooner:
 *      rank 1   |== matmul y, 2 ms ==|                     those of both ranks are the root, and go together
 *
 * The operation of another rank ties that has the same place in its program, is of the same line, and ends at the same time. */
#include "base/memory.h"
#include "trace/chain.h"

enum { LOOKS_MOST = 300000 }; /* operations gone through: a look is short */

/* The rank's operation with this number; 0: it has none */
static op_id numbered(const struct world *world, int rank, uint32_t number)
{
	op_id id = world->first[rank];
	while (id && world->ops[id].number < number)
		id = world->ops[id].next_program;
	return id;
}

static bool ties(const struct trace *trace, op_id id, op_id other)
{
	const struct record *a = op_record(trace->world, id), *b = op_record(trace->world, other);
	return other && a->kind == b->kind && a->line == b->line && a->title == b->title &&
	        backend_times(trace->backend, id).end == backend_times(trace->backend, other).end;
}

/* All of the root's operations have one on that rank: they join it. */
static void join(const struct trace *trace, struct root *root, int rank, size_t own)
{
	const struct world *world = trace->world;
	op_id other = numbered(world, rank, world->ops[root->op[0]].number);
	size_t before = root->count;
	for (size_t i = 0; i < own; i++) {
		uint32_t number = world->ops[root->op[i]].number;
		while (other && world->ops[other].number < number)
			other = world->ops[other].next_program;
		if (!other || !ties(trace, root->op[i], other)) {
			root->count = before;
			return;
		}
		*MEM_ADD(&root->op, &root->count) = other;
	}
	ranks_add(&root->ranks, rank);
}

/* A collective is one work of all of its members, wherever it stands in their programs. False: the root is none */
static bool join_members(const struct world *world, struct root *root)
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

void roots_tie(struct chain *chain)
{
	const struct world *world = chain->trace->world;
	for (size_t i = 0; i < chain->why->roots; i++) {
		struct root *root = &chain->why->root[i];
		size_t own = root->count;
		ranks_one(&root->ranks, root->rank);
		bool alone = root->kind == ROOT_SLOW || root->kind == ROOT_LONGER ||
		        root->kind == ROOT_SHARED || root->kind >= ROOT_CIRCLE;
		if (alone || !own || join_members(world, root) ||
		        (int64_t)world->n * world->ops[root->op[own - 1]].number > LOOKS_MOST)
			continue;
		for (int rank = 0; rank < world->n; rank++)
			if (rank != root->rank)
				join(chain->trace, root, rank, own);
	}
}
