/* schedule_auto.c -- zb-auto: searches an order of F, B and W under a limit of activation memory
 *
 * A candidate is three numbers: how many more forwards a stage makes before its first B than the next stage
 * does (`slope`), whether that is rounded up (`round`), and how readily a W is put before a B once the
 * forwards are done (`eager`). The rest follows: after its first forwards a stage takes one B and one F in
 * turn, and the weight gradients, for which nobody waits, fill what would be left empty:
 *
 *      F F F F F . B F B F .. B F W B F W B .. B W B W B W W W
 *                              ^ memory is full: W makes room     ^ a gap until the next B comes: W fits in
 *
 * While forwards are left a W must fit its gap whole; later it may reach over the gap's end by `eager` of its
 * time, since at the end of the iteration every stage has weight gradients left and only the first stages are
 * late. The best candidate by span wins; zb-h1 and zb-h2 are candidates too, where they keep the limit. */
#include "schedules/schedule.h"

#include "base/memory.h"

#include <math.h>

static const double EAGER[] = {0, 0.5, 1};
enum { EAGERS = sizeof EAGER / sizeof *EAGER, SLOPES = 4 };
static const double SMALL = 1e-9; /* of a micro-batch's activations: sums of shares are rounded */

/* A stage of the candidate that is being built */
struct stage {
	double at, first; /* when it is free; when its first task began */
	int f, b, w;      /* F, B and W that it has so far: the next one's micro-batch */
	int warm;         /* forwards that it may be ahead of its backwards */
	size_t count;     /* tasks so far */
};
struct search {
	const struct schedule_ask *ask;
	struct schedule *best;
	struct task *task; /* the candidate's, as schedule->task */
	struct stage *stage;
	double *sent[2]; /* [part * micros + micro]: end of F, of B; below 0: not yet */
	double eager, span;
};

/* The stage's next task: it takes its time from when the stage is free, and what depends on it may follow */
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

/* When the input of the stage's next F or B is there; below 0: not known yet. */
static double task_ready(const struct search *s, int stage, enum work work)
{
	const struct stage *at = &s->stage[stage];
	int micros = s->ask->micros, from = work == WORK_F ? stage - 1 : stage + 1;
	double sent;

	if (from < 0) /* the first stage's inputs are the data */
		return 0;
	if (from == s->ask->stages) /* the last stage's gradient comes from its own forward */
		return s->sent[0][stage * micros + at->b];
	sent = s->sent[work == WORK_B][from * micros + (work == WORK_F ? at->f : at->b)];
	return sent < 0 ? sent : sent + s->ask->comm;
}

/* A forward would go over the limit: weight gradients make room. A micro-batch between F and B holds 1, one
 * between B and W holds `held` of that; a W gives that share back. False when there are none to make, or they
 * give nothing back. */
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

/* The stage's next F or B with the W before it; false while its input is not known, or for ever when memory
 * is too small. */
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

/* Builds the candidate. It ends: each call of advance() that says true puts an F or a B, of which a stage has
 * as many as micro-batches. Stages go on, one after the other and round again, as far as their inputs are known;
 * at last each has its remaining W. False when a stage got stuck on the limit. */
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

/* Keeps the order if it is the shortest so far: of two as short the one tried first */
static void candidate_keep(struct search *s, const struct task *task, double span)
{
	size_t total = s->best->count * (size_t)s->ask->stages;

	if (span >= s->span)
		return;
	s->span = span;
	for (size_t i = 0; i < total; i++)
		s->best->task[i] = task[i];
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

/* A candidate of schedule.c; its activations never exceed peak micro-batches. */
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
	/* the last: the forwards that fit in while a micro-batch goes to the next stage and its gradient
	 * comes back */
	const double slope[SLOPES] = {1, 1.5, 2, 1 + (ask->b + 2 * ask->comm) / ask->f};
	size_t stages = (size_t)ask->stages, cells = stages * (size_t)ask->micros;
	struct search s = {.ask = ask,
	        .best = schedule,
	        .span = INFINITY,
	        .task = mem_alloc(stages * schedule->count * sizeof *s.task),
	        .stage = mem_alloc(stages * sizeof *s.stage),
	        .sent = {mem_alloc(2 * cells * sizeof *s.sent[0])}};

	s.sent[1] = s.sent[0] + cells;
	/* every slope, rounded down and up, with every eagerness: 24 candidates */
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
