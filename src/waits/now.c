/* now.c -- the operation that waiting ranks depend on now: one at work, or not begun
 *
 *     rank 0   sync compute                   its host waits
 *                '---> wait io  (compute's head) ---> copy h -> x  (io's head)         returned
 *     rank 1   sync ---> allreduce y ---> rank 0's part, not begun ---> its head:       returned
 *
 * The graph is that in waits.h with only final times counting as finished. */
#include "backend/backend.h"
#include "waits/waits.h"

/* A backend that reports only the final times of another */
struct past {
	struct backend backend;
	struct backend *of;
};

static void past_times(struct backend *backend, op_id id, struct times *times)
{
	struct past *past = (struct past *)(void *)backend;
	past->of->times(past->of, id, times);
	if (times->projected)
		times->end = TIME_UNKNOWN;
}

static op_id late_member(const struct waits *waits, op_id id)
{
	int count;
	const uint32_t *matches = op_matches(waits->world, id, &count);
	for (int part = 0; part < count; part++) {
		const struct match *match = &waits->world->matches[matches[part]];
		for (int i = 0; i < match->n; i++) {
			op_id member = match->member[i];
			if (member && !waits_finished(waits, member) && waits->head[member] != member)
				return member;
		}
	}
	return 0;
}

/* Returns the operation that `id` waits for; 0 if none: it is at work. */
static op_id next_wait(const struct waits *waits, op_id id)
{
	const struct op *op = &waits->world->ops[id];
	if (waits->head[id] != id)
		return waits->head[id];
	if (op->target == OP_EVERYTHING)
		return waits->rank[op->rank].first != id ? waits->rank[op->rank].first : 0;
	if (op->target && op->target <= waits->world->op_count && !waits_finished(waits, op->target))
		return op->target;
	return late_member(waits, id);
}

op_id waits_now(const struct world *world, struct backend *backend)
{
	struct past past = {.backend.times = past_times, .of = backend};
	struct waits waits;
	op_id id = 0;
	waits_make(&waits, world, &past.backend);
	for (int rank = 0; rank < world->n && !id; rank++)
		id = waits.rank[rank].blocked;
	for (int rank = 0; rank < world->n && !id; rank++)
		id = waits.rank[rank].first;
	for (int steps = 0; id && steps < 1000; steps++) {
		op_id on = next_wait(&waits, id);
		if (!on)
			break;
		id = on;
	}
	waits_release(&waits);
	return id;
}
