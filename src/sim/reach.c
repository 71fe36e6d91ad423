/* reach.c -- answers: `print` or `let` asks for operations that are not final, because their
 * ranks' idle hosts could still issue something
 *
 * The asking host waits for the answer, so it issues nothing: it is quiet. The ranks it depends
 * on are found by trying on a copy:
 *
 *     try 1   quiet: 0         rank 0 meets rank 1 (stopped, already queued)        needed: 1
 *     try 2   quiet: 0 1       rank 1 meets rank 3 likewise                         needed: 3
 *     try 3   quiet: 0 1 3     no other is met: reached at 4.2 ms, or a line is missing
 *     commit                   all of it in one pass, on the machine itself
 *
 * A try continues the one before, whose events are final with more quiet ranks, too. Then the
 * quiet ranks' devices are final up to 4.2 ms, and later lines join links and groups no
 * earlier. */
#include "sim/lookahead.h"
#include "base/memory.h"
#include "waits/search.h"
#include "waits/waits.h"

#include <string.h>

struct engine *fresh_copy(struct sim *sim)
{
	sim->projected = false;
	engine_copy(sim->copy, sim->engine);
	sim->copy->everybody_quiet = false;
	/* the copy's earlier uses differ between processes */
	sim->copy->ticks = sim->copy->ticks_all = 0;
	return sim->copy;
}

/* The pass ends when these operations are done (count 0: no goal), at `until`, or when nothing
 * more is final. */
static void goal_set(struct engine *e, const op_id *goal, int count, int64_t until)
{
	e->goal_left = count ? 0 : SIZE_MAX;
	e->until = until;
	for (int i = 0; i < count; i++) {
		struct op *op = op_at(e, goal[i]);
		if (op->flags & (OPF_DONE | OPF_GOAL))
			continue;
		op->flags |= OPF_GOAL;
		e->goal_left++;
	}
}

/* Tries until no further rank is needed, and adds the needed ranks to quiet[]. When the goal is
 * reached, continues up to its time, because every rank that a quiet one meets until then must be
 * quiet. */
static enum status find_needed(struct sim *sim, const op_id *goal, int count, int64_t until, bool *quiet,
        bool *needed, struct budget *budget)
{
	size_t n = sim->engine->ranks_count;
	struct engine *e = fresh_copy(sim);
	enum status status = ST_OK;
	bool reached = count == 0;
	goal_set(e, goal, count, until);
	for (bool more = true; more && status == ST_OK;) {
		memset(needed, 0, n * sizeof *needed);
		e->quiet = quiet;
		e->needed = needed;
		status = engine_run(e, budget);
		e->quiet = e->needed = NULL;
		if (!reached && e->goal_left == 0) {
			reached = true;
			e->goal_left = SIZE_MAX;
			e->until = e->s.now + 1;
		}
		more = false;
		for (size_t i = 0; i < n; i++) {
			more |= needed[i];
			quiet[i] |= needed[i];
		}
	}
	return status == ST_OK && !reached ? ST_WAITS : status;
}

static void settle_past(struct engine *e, const bool *quiet, int64_t time, op_id by)
{
	for (size_t i = 0; i < e->ranks_count; i++)
		if (quiet[i])
			e->ranks[i].settled = most_of(e->ranks[i].settled, time);
	e->s.fixed = most_of(e->s.fixed, time);
	*MEM_ADD(&e->log->answers, &e->log->answer_count) =
	        (struct answer){e->world->op_count + 1, by, time, e->s.fixed};
}

/* Returns the operation that ends last; of several the first by rank, stream, number. */
static op_id goal_last(const struct engine *e, const op_id *goal, int count)
{
	op_id last = 0;
	for (int i = 0; i < count; i++) {
		const struct op *op = op_at(e, goal[i]), *than = op_at(e, last);
		if (!last || op->end > than->end || (op->end == than->end && op_order(op) < op_order(than)))
			last = goal[i];
	}
	return last;
}

static enum status commit_run(
        struct sim *sim, const op_id *goal, int count, int64_t until, bool *quiet, struct budget *budget)
{
	struct engine *e = sim->engine;
	e->quiet = quiet;
	goal_set(e, goal, count, until);
	e->latest = 0;
	enum status status = engine_run(e, budget);
	e->quiet = NULL;
	if (status == ST_OK && count && e->goal_left > 0)
		status = fail(ST_BUG, "an answer that was found was not reached");
	for (int i = 0; i < count; i++)
		op_at(e, goal[i])->flags &= ~OPF_GOAL;
	goal_set(e, NULL, 0, TIME_UNKNOWN);
	settle_past(e, quiet, count ? e->latest : until, goal_last(e, goal, count));
	sim->projected = false;
	return status;
}

enum status commit(struct sim *sim, const op_id *goal, int count, int64_t until, const bool *start,
        struct budget *budget)
{
	size_t n = sim->engine->ranks_count;
	bool *quiet = mem_alloc(2 * n * sizeof *quiet), *needed = quiet + n;
	memcpy(quiet, start, n * sizeof *quiet);
	enum status status = find_needed(sim, goal, count, until, quiet, needed, budget);
	if (status == ST_OK)
		status = commit_run(sim, goal, count, until, quiet, budget);
	mem_free(quiet);
	return status;
}

/* Reports the first operation that no line can complete; if there is none, the last that misses a
 * line. */
static enum status name_missing(struct sim *sim, const op_id *ids, int count)
{
	struct waits waits;
	enum status worst = ST_OK;
	waits_make(&waits, sim->engine->world, &sim->backend);
	for (int i = 0; i < count && worst != ST_STUCK; i++) {
		if (waits_finished(&waits, ids[i]))
			continue;
		waits_forget(&waits);
		wait_follow(&waits.search, ids[i]);
		worst = waits_refusal(&waits);
	}
	waits_release(&waits);
	return worst == ST_OK ? fail(ST_BUG, "an answer was not reached, and nobody is missing") : worst;
}

enum status sim_reach(struct backend *backend, const op_id *ids, int count, struct budget *budget)
{
	struct sim *sim = (struct sim *)backend;
	enum status status = sim_run(backend, budget);
	int left = 0;
	for (int i = 0; i < count; i++)
		left += !op_done(sim->engine, ids[i]);
	if (status != ST_OK || left == 0)
		return status;
	bool *start = mem_alloc(sim->engine->ranks_count); /* asking hosts are quiet */
	for (int i = 0; i < count; i++)
		start[sim->engine->world->ops[ids[i]].rank] = true;
	status = commit(sim, ids, count, TIME_UNKNOWN, start, budget);
	mem_free(start);
	if (status == ST_WAITS)
		return name_missing(sim, ids, count);
	return status == ST_OK ? sim_run(backend, budget) : status;
}
