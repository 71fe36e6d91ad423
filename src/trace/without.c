/* without.c -- what the world is without the roots that `why` has named: what a replay takes away */
#include "backend/backend.h"
#include "base/memory.h"
#include "world/op.h"
#include "trace/why.h"

#include <stdlib.h>

static struct op_otherwise without(const struct root *root, op_id id)
{
	struct op_otherwise other = {.id = id, .ns = -1};
	switch (root->kind) {
	case ROOT_HOST:
	case ROOT_WORK:
		other.ns = 0;
		break;
	case ROOT_MEMORY:
		other.ns = 0;
		other.not_held = true;
		break;
	case ROOT_LAUNCH:
		other.no_launch = true;
		break;
	case ROOT_HELD:
		other.not_held = true;
		break;
	case ROOT_SHARED:
		other.alone = true;
		break;
	case ROOT_LONGER:
		other.ns = root->ns;
		break;
	case ROOT_SLOW:
	case ROOT_CIRCLE:
	case ROOT_MISMATCH:
	case ROOT_MISSING:
	case ROOT_COUNT:
		break;
	}
	return other;
}

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
		for (size_t k = 0; of_operations && k < root->count; k++)
			*MEM_ADD(op, &count) = without(root, root->op[k]);
	}
	if (count)
		qsort(*op, count, sizeof **op, by_id);
	return count;
}
