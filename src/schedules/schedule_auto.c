/* schedule_auto.c -- zb-auto: searches for an order of F, B and W within a limit of activation
 * memory
 *
 * A candidate has three numbers. `slope`: how many forwards more than the next stage a stage runs
 * before its first B; `round`: whether that is rounded up; `eager`: how readily a W goes before a
 * B once the forwards are done. After its first forwards a stage takes B and F in turn, and W
 * fills gaps:
 *
 *      F F F F F . B F B F .. B F W B F W B .. B W B W B W W W
 *                              ^ memory is full: W frees some  ^ a gap: W fits
 *
 * While forwards are left, a W must fit into its gap. Later it may exceed the gap by `eager` of
 * its duration. The candidate with the shortest span wins; zb-h1 and zb-h2 take part if they keep
 * the limit. */
#include "schedules/schedule.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double EAGER[] = {0, 0.5, 1};
enum { EAGERS = sizeof EAGER / sizeof *EAGER, SLOPES = 4 };
static const double SMALL = 1e-9; /* in micro-batches: slack for rounded sums */

/* A stage of the current candidate */
struct stage {
	double at, first; /* time when free; start of its first task */
	int f, b, w;      /* done so far: the next micro-batch */
	int warm;         /* how many forwards may be ahead of backwards */
	size_t count;     /* tasks */
};
struct search {
	const struct schedule_ask *ask;
	struct schedule *best;
	struct task *task; /* the candidate's, as schedule->task */
	struct stage *stage;
	double *sent[2]; /* [part * micros + micro]: end of F, of B; below 0: unknown */
	double eager, span;
};

static void task_put(struct search *s, int stage, enum work work)
{
	struct stage *at = &s->stage[stage];
	int *counter = work == WORK_F ? &at->f : work == WORK_B ? &at->b : &at->w;

	s->task[(size_t)stage * s->best->count + at->count++] =
	        (struct task){.work = work, .micro = (*counter)++};
	at->at += work == WORK_F ? s->ask->f : work == WORK_B ? s->ask->b : s->ask->w;
	if (work != WORK_W)
		s->sent[work == WORK_B][stage * s->ask->micros + *counter - 1] = at->at;
}

/* Returns when the input of the stage's next F or B arrives; below 0: unknown. */
static double task_ready(const struct search *s, int stage, enum work work)
{
	const struct stage *at = &s->stage[stage];
	int micros = s->ask->micros, from = work == WORK_F ? stage - 1 : stage + 1;
	double sent;

	if (from < 0) /* the first stage reads the data */
		return 0;
	if (from == s->ask->stages) /* the last stage's own forward */
		return s->sent[0][stage * micros + at->b];
	sent = s->sent[work == WORK_B][from * micros + (work == WORK_F ? at->f : at->b)];
	return sent < 0 ? sent : sent + s->ask->comm;
}

/* Adds the W that free memory for the next forward. Returns false if it would exceed the limit
 * even then. */
static bool make_room(struct search *s, int stage)
{
	struct stage *at = &s->stage[stage];

	while (at->f - at->b + s->ask->held * (at->b - at->w) + 1 > s->ask->limit * s->ask->stages + SMALL) {
		if (at->w == at->b || s->ask->held <= 0)
			return false;
		task_put(s, stage, WORK_W);
	}
	return true;
}

/* Adds the stage's next F or B, and before it the W that fit. Returns false if its input is
 * unknown, no B is left, or memory does not suffice. */
static bool search_advance(struct search *s, int stage)
{
	struct stage *at = &s->stage[stage];
	int micros = s->ask->micros;
	enum work work = at->f < micros && at->f - at->b < at->warm ? WORK_F : WORK_B;
	double input, over = at->f < micros ? 0 : s->eager;

	if (at->b == micros)
		return false;
	input = task_ready(s, stage, work);
	if (input < 0 || (work == WORK_F && !make_room(s, stage)))
		return false;
	while (at->w < at->b && input - at->at >= s->ask->w * (1 - over) && input > at->at)
		task_put(s, stage, WORK_W);
	if (input > at->at)
		at->at = input;
	if (at->count == 0)
		at->first = at->at;
	task_put(s, stage, work);
	return true;
}

/* Builds the candidate: advances stages as far as inputs are known, then adds the remaining W.
 * Returns false if the limit has stopped a stage. */
static bool candidate_build(struct search *s, double slope, double round)
{
	int p = s->ask->stages, limit = (int)(s->ask->limit * p);

	for (int i = 0; i < 2 * p * s->ask->micros; i++)
		s->sent[0][i] = -1;
	for (int i = 0; i < p; i++) {
		int warm = (int)((p - 1 - i) * slope + 1 + round);
		s->stage[i] = (struct stage){.warm = warm < limit ? warm : limit};
	}
	for (bool moved = true; moved;) {
		moved = false;
		for (int i = 0; i < p; i++)
			while (search_advance(s, i))
				moved = true;
	}
	for (int i = 0; i < p; i++) {
		if (s->stage[i].b < s->ask->micros)
			return false;
		while (s->stage[i].w < s->ask->micros)
			task_put(s, i, WORK_W);
	}
	return true;
}

/* Keeps the order if it is shorter than the best so far. */
static void candidate_keep(struct search *s, const struct task *task, double span)
{
	size_t total = s->best->count * (size_t)s->ask->stages;

	if (span >= s->span)
		return;
	s->span = span;
	memcpy(s->best->task, task, total * sizeof *task);
}

static void try_candidate(struct search *s, double slope, double round, double eager)
{
	double span = 0;

	s->eager = eager;
	if (!candidate_build(s, slope, round))
		return;
	for (int i = 0; i < s->ask->stages; i++)
		if (s->stage[i].at - s->stage[i].first > span)
			span = s->stage[i].at - s->stage[i].first;
	candidate_keep(s, s->task, span);
}

/* Tries an order of schedule.c, which holds at most `peak` micro-batches. */
static enum status try_rule(struct search *s, enum schedule_kind kind, double peak)
{
	struct schedule_ask ask = *s->ask;
	struct schedule rule;
	double span = 0;
	enum status status;

	ask.kind = kind;
	if (peak > ask.limit * ask.stages + SMALL)
		return ST_OK;
	status = schedule_make(&ask, &rule);
	if (status == ST_OK)
		status = schedule_time(&ask, &rule, &span);
	if (status == ST_OK)
		candidate_keep(s, rule.task, span);
	schedule_release(&rule);
	return status;
}

enum status schedule_search(const struct schedule_ask *ask, struct schedule *schedule)
{
	/* the last: the forwards that fit into a round trip to the next stage */
	const double slope[SLOPES] = {1, 1.5, 2, 1 + (ask->b + 2 * ask->comm) / ask->f};
	size_t stages = (size_t)ask->stages, cells = stages * (size_t)ask->micros;
	struct search s = {.ask = ask,
	        .best = schedule,
	        .span = INFINITY,
	        .task = mem_alloc(stages * schedule->count * sizeof *s.task),
	        .stage = mem_alloc(stages * sizeof *s.stage),
	        .sent = {mem_alloc(2 * cells * sizeof *s.sent[0])}};

	s.sent[1] = s.sent[0] + cells;
	for (int i = 0; i < SLOPES * EAGERS * 2; i++)
		try_candidate(&s, slope[i / 2 / EAGERS], i % 2 ? 1 - SMALL : 0, EAGER[i / 2 % EAGERS]);
	enum status status = try_rule(&s, SCHEDULE_ZB_H1, ask->stages);
	if (status == ST_OK)
		status = try_rule(&s, SCHEDULE_ZB_H2, 2 * ask->stages - 1);
	mem_free(s.task);
	mem_free(s.stage);
	mem_free(s.sent[0]);
	return status;
}
