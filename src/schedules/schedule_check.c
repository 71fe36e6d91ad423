/* schedule_check.c -- checks whether an order from a file can run
 *
 * Each piece must have each cell once, forward before backward, and the same order of
 * micro-batches as its neighbours, because messages arrive in order. Then the order is run without
 * times; if tasks remain, they wait for one another in a circle. */
#include "schedules/schedule.h"

#include "base/memory.h"

struct checking {
	const char *name;
	const struct schedule *schedule;
	/* [piece][micro][F, B, W]: its slot on the stage, from 1; 0: missing. A whole backward is
	 * B and W */
	size_t *place;
};

static size_t *place_of(const struct checking *r, int piece, int micro, int work)
{
	return &r->place[((size_t)piece * (size_t)r->schedule->micros + (size_t)micro) * 3 + (size_t)work];
}

/* ---- what each piece needs ---- */

static enum status task_twice(const struct checking *r, int stage, size_t k, size_t before)
{
	struct text text = {0};
	schedule_cell(r->schedule, stage, schedule_task(r->schedule, stage, k), &text);
	text_add(&text, " in cell %zu repeats the work of ", k + 1);
	schedule_cell(r->schedule, stage, schedule_task(r->schedule, stage, before), &text);
	enum status status = fail(
	        ST_RANGE, "%s: row %d: %s in cell %zu", r->name, stage + 1, text_string(&text), before + 1);
	text_release(&text);
	return status;
}

static enum status note_cells(struct checking *r)
{
	const struct schedule *schedule = r->schedule;
	for (int s = 0; s < schedule->stages; s++)
		for (size_t k = 0; k < schedule->count; k++) {
			const struct task *task = schedule_task(schedule, s, k);
			if (task->work == WORK_IDLE)
				continue;
			int piece = schedule->piece[s * schedule->chunks + task->chunk];
			for (int work = WORK_F; work <= WORK_W; work++) {
				if (task->work != work && !(task->work == WORK_BW && work != WORK_F))
					continue;
				size_t *place = place_of(r, piece, task->micro, work);
				if (*place)
					return task_twice(r, s, k, *place - 1);
				*place = k + 1;
			}
		}
	return ST_OK;
}

static enum status check_piece(const struct checking *r, int n)
{
	static const char *const missing[] = {[WORK_F] = "F%d", [WORK_B] = "B%d (or I%d)", [WORK_W] = "W%d"};
	int row = r->schedule->holder[n] + 1;
	for (int m = 0; m < r->schedule->micros; m++) {
		size_t f = *place_of(r, n, m, WORK_F), b = *place_of(r, n, m, WORK_B),
		       w = *place_of(r, n, m, WORK_W);
		int lacks = !f ? WORK_F : !b ? WORK_B : !w ? WORK_W : -1;
		if (lacks >= 0) {
			struct text cell = {0};
			text_add(&cell, missing[lacks], m, m);
			enum status status =
			        fail(ST_RANGE, "%s: row %d: %d%s is missing, and there are %d micro-batches",
			                r->name, row, n, text_string(&cell), r->schedule->micros);
			text_release(&cell);
			return status;
		}
		if (b < f || w < b)
			return fail(ST_RANGE,
			        "%s: row %d: the %s of stage %d and micro-batch %d comes before the %s",
			        r->name, row, b < f ? "backward" : "W", n, m, b < f ? "forward" : "I");
	}
	return ST_OK;
}

/* For adjacent pieces on one stage: the later piece's W must precede the earlier one's, because it
 * reads that piece's memory. */
static enum status check_joined(const struct checking *r, int n)
{
	int row = r->schedule->holder[n] + 1;
	for (int m = 0; m < r->schedule->micros; m++)
		if (*place_of(r, n + 1, m, WORK_W) > *place_of(r, n, m, WORK_W))
			return fail(ST_RANGE,
			        "%s: row %d: the W of stage %d and micro-batch %d must come before that of "
			        "stage %d, which frees the memory of both",
			        r->name, row, n + 1, m, n);
	return ST_OK;
}

/* Fills order[micros] with the micro-batches of piece n in the order of that work. */
static void order_of(const struct checking *r, int n, int work, int *order)
{
	const struct schedule *schedule = r->schedule;
	int stage = schedule->holder[n];
	for (size_t k = 0; k < schedule->count; k++) {
		const struct task *task = schedule_task(schedule, stage, k);
		if (task->chunk == schedule->chunk[n] && task->work != WORK_IDLE &&
		        (task->work == work || (task->work == WORK_BW && work == WORK_B)))
			*order++ = task->micro;
	}
}

static enum status check_neighbours(const struct checking *r, int n)
{
	const struct schedule *schedule = r->schedule;
	int micros = schedule->micros, *here = mem_alloc(2 * (size_t)micros * sizeof *here),
	    *there = here + micros;
	enum status status = ST_OK;
	for (int work = WORK_F; work <= WORK_B && status == ST_OK; work++) {
		order_of(r, n, work, here);
		order_of(r, n + 1, work, there);
		int i = 0;
		while (i < micros && here[i] == there[i])
			i++;
		if (i < micros)
			status = fail(ST_RANGE,
			        "%s: stage %d (row %d) does the %s of micro-batch %d when stage %d (row %d) "
			        "does that of %d: neighbouring stages need the same order",
			        r->name, n, schedule->holder[n] + 1, work == WORK_F ? "forward" : "backward",
			        here[i], n + 1, schedule->holder[n + 1] + 1, there[i]);
	}
	mem_free(here);
	return status;
}

/* ---- does it run? ---- */

/* Each blocked stage waits for a later cell of another stage, so following the waits leads into a
 * circle. */
static enum status find_circle(const struct checking *r, const size_t *next)
{
	const struct schedule *schedule = r->schedule;
	struct text text = {0};
	bool *met = mem_alloc(2 * (size_t)schedule->stages), *named = met + schedule->stages;
	int stage = 0;
	while (next[stage] == schedule->count)
		stage++;
	while (!named[stage]) {
		const struct task *task = schedule_task(schedule, stage, next[stage]);
		bool forward = task->work == WORK_F;
		int piece = schedule->piece[stage * schedule->chunks + task->chunk] + (forward ? -1 : 1),
		    other = schedule->holder[piece];
		const struct task *wanted = schedule_task(
		        schedule, other, *place_of(r, piece, task->micro, forward ? WORK_F : WORK_B) - 1);
		if (met[stage]) {
			text_add(&text, "%srow %d: ", text.count ? "; " : "", stage + 1);
			schedule_cell(schedule, stage, task, &text);
			text_add(&text, " waits for ");
			schedule_cell(schedule, other, wanted, &text);
			named[stage] = true;
		}
		met[stage] = true;
		stage = other;
	}
	enum status status = fail(ST_RANGE,
	        "%s: cells wait for one another in a circle, because each runs after the one before it in "
	        "its row: %s",
	        r->name, text_string(&text));
	text_release(&text);
	mem_free(met);
	return status;
}

enum status schedule_check(const char *name, const struct schedule *schedule)
{
	size_t tasks = (size_t)schedule->pieces * (size_t)schedule->micros;
	struct checking r = {.name = name, .schedule = schedule};
	if (2 * tasks > (size_t)schedule->stages * schedule->count)
		return fail(ST_RANGE,
		        "%s: %d stages and %d micro-batches need a forward and a backward each, but there "
		        "are %zu cells",
		        name, schedule->pieces, schedule->micros, (size_t)schedule->stages * schedule->count);
	r.place = mem_alloc(tasks * 3 * sizeof *r.place);
	enum status status = note_cells(&r);
	for (int n = 0; n < schedule->pieces && status == ST_OK; n++)
		status = check_piece(&r, n);
	for (int n = 0; n + 1 < schedule->pieces && status == ST_OK; n++)
		status = schedule->holder[n] == schedule->holder[n + 1] ? check_joined(&r, n)
		                                                        : check_neighbours(&r, n);
	size_t *next = mem_alloc((size_t)schedule->stages * sizeof *next);
	double span;
	if (status == ST_OK &&
	        !schedule_carry_out(
	                &(struct schedule_ask){.stages = schedule->stages}, schedule, next, &span))
		status = find_circle(&r, next);
	mem_free(next);
	mem_free(r.place);
	return status;
}
