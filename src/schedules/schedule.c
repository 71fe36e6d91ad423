/* schedule.c -- the orders that a rule gives; schedule_auto.c searches for one
 *
 * An order is a list of tasks for each stage; a wait for input delays a task, but does not reorder
 * it. With 4 stages, 4 micro-batches, F and BW equally long:
 *
 *     gpipe     0  F0 F1 F2 F3 .. .. .. .. .. .. B0 B1 B2 B3      all forwards first: all
 *               1  .. F0 F1 F2 F3 .. .. .. .. B0 B1 B2 B3         activations are held
 *               2  .. .. F0 F1 F2 F3 .. .. B0 B1 B2 B3
 *               3  .. .. .. F0 F1 F2 F3 B0 B1 B2 B3
 *
 *     1f1b      0  F0 F1 F2 F3 .. .. .. B0 .. B1 .. B2 .. B3      as long; stage s holds
 *               1  .. F0 F1 F2 .. .. B0 F3 B1 .. B2 .. B3         4 - s at most
 *               2  .. .. F0 F1 .. B0 F2 B1 F3 B2 .. B3
 *               3  .. .. .. F0 B0 F1 B1 F2 B2 F3 B3
 *
 * Both leave (p - 1)(F + BW) of a stage's time empty. Interleaving divides that by the chunks of a
 * stage; zero bubble splits BW, because no stage waits for W:
 *
 *     zb-h1     0  F0 F1 F2 F3 .. .. .. B0 W0 B1 W1 B2 W2 B3 W3    W fills the gaps, later after B
 *               1  .. F0 F1 F2 .. .. B0 F3 B1 W0 B2 W1 B3 W2 W3    on deeper stages: gradients
 *               2  .. .. F0 F1 .. B0 F2 B1 F3 B2 W0 B3 W1 W2 W3    return sooner, all stages
 *               3  .. .. .. F0 B0 F1 B1 F2 B2 F3 B3 W0 W1 W2 W3    hold p */
#include "schedules/schedule.h"

#include "base/arithmetic.h"
#include "base/memory.h"

#include <string.h>

enum status schedule_find(const char *word, enum schedule_kind *kind)
{
	int place = text_place(SCHEDULE_WORDS, word, strlen(word));
	*kind = (enum schedule_kind)place;
	if (place >= 0)
		return ST_OK;
	int length;
	const char *near = text_nearest(SCHEDULE_WORDS, word, strlen(word), &length);
	return near
	        ? fail(ST_ARGUMENT, "no schedule '%s'; did you mean '%.*s'? (there are %s; or a file F.csv)",
	                  word, length, near, SCHEDULE_WORDS)
	        : fail(ST_ARGUMENT, "no schedule '%s': there are %s; or a file F.csv", word, SCHEDULE_WORDS);
}

bool schedule_splits(enum schedule_kind kind)
{
	return kind == SCHEDULE_ZB_H1 || kind == SCHEDULE_ZB_H2 || kind == SCHEDULE_ZB_AUTO;
}

/* Writes `warm` forwards, then a backward and a forward in turn, then the remaining backwards. The
 * stage holds `warm` micro-batches: all of them in GPipe, p - s at stage s in 1F1B. split: W runs
 * `delay` micro-batches after B, so each stage holds `warm` + `delay`: p in zb-h1, 2p - 1 in
 * zb-h2. */
static void one_forward_one_backward(struct task *task, int micros, int warm, bool split, int delay)
{
	warm = (int)least_of(warm, micros);
	for (int m = 0; m < warm; m++)
		*task++ = (struct task){.work = WORK_F, .micro = m};
	for (int m = 0; m < micros + delay; m++) {
		if (m < micros)
			*task++ = (struct task){.work = split ? WORK_B : WORK_BW, .micro = m};
		if (split && m >= delay) /* frees memory for F */
			*task++ = (struct task){.work = WORK_W, .micro = m - delay};
		if (m + warm < micros)
			*task++ = (struct task){.work = WORK_F, .micro = m + warm};
	}
}

/* Interleaved: `stages` micro-batches (a group) pass through each chunk in turn, then the next
 * group. The next group's first forward goes before the last chunk, where it fills the time of
 * `stages` transfers. Earlier it would overtake a message of the last stage.
 *
 *     2 stages, 3 chunks a b c, 6 micro-batches:
 *       a0 a1  b0 b1 (a2) c0 c1    a3  b2 b3 (a4) c2 c3    a5  b4 b5  c4 c5
 *
 * Returns the k-th forward. */
static struct task interleaved_forward(const struct schedule_ask *ask, int k)
{
	/* places after the group's first forward */
	int p = ask->stages, ahead = (ask->chunks - 1) * p - 1;
	int group = (k - 1) / (p * ask->chunks), place = (k - 1) % (p * ask->chunks);
	if (k == 0)
		return (struct task){.work = WORK_F};
	if ((group + 1) * p == ask->micros && place >= ahead) /* none in the last group */
		place++;
	if (place < p - 1 || place == ahead)
		return (struct task){
		        .work = WORK_F, .micro = group * p + 1 + (place < p - 1 ? place : p - 1)};
	if (place < ahead)
		place++;
	return (struct task){.work = WORK_F, .chunk = place / p, .micro = group * p + place % p};
}

static void interleaved(const struct schedule_ask *ask, struct task *task, int stage)
{
	int count = ask->micros * ask->chunks;
	int warm = (int)least_of(count, 2 * (ask->stages - 1 - stage) + (ask->chunks - 1) * ask->stages + 2);

	/* the last stage begins backward with its last chunk's first micro-batch; each stage
	 * before it has two more under way, one in each direction */
	for (int k = 0; k < warm; k++)
		*task++ = interleaved_forward(ask, k);
	for (int k = 0; k < count; k++) {
		/* the chunks of backwards come in falling order */
		*task++ = (struct task){.work = WORK_BW,
		        .chunk = ask->chunks - 1 - k / ask->stages % ask->chunks,
		        .micro = k / (ask->stages * ask->chunks) * ask->stages + k % ask->stages};
		if (k + warm < count)
			*task++ = interleaved_forward(ask, k + warm);
	}
}

static void fill_stage(const struct schedule_ask *ask, struct task *task, int s)
{
	int p = ask->stages;
	bool h1 = ask->kind == SCHEDULE_ZB_H1;

	if (ask->kind == SCHEDULE_INTERLEAVED && ask->chunks > 1)
		interleaved(ask, task, s);
	else if (ask->kind == SCHEDULE_ZB_H2)
		one_forward_one_backward(task, ask->micros, 2 * (p - s) - 1, true, 2 * s);
	else if (ask->kind != SCHEDULE_ZB_AUTO) /* interleaved with one chunk is 1F1B */
		one_forward_one_backward(
		        task, ask->micros, ask->kind == SCHEDULE_GPIPE ? ask->micros : p - s, h1, h1 ? s : 0);
}

static enum status request_check(const struct schedule_ask *ask)
{
	if (ask->stages < 1 || ask->micros < 1 || ask->chunks < 1)
		return fail(ST_RANGE, "a pipeline needs at least one stage, one micro-batch and one chunk");
	if (ask->chunks > 1 && ask->kind != SCHEDULE_INTERLEAVED)
		return fail(ST_RANGE, "chunks=%d: only schedule=interleaved has more than one chunk a stage",
		        ask->chunks);
	if (ask->chunks > 1 && ask->micros % ask->stages) {
		int below = ask->micros / ask->stages * ask->stages;
		if (!below)
			return fail(ST_RANGE,
			        "micro=%d: interleaved needs a multiple of %d stages; the nearest that fits "
			        "is %d",
			        ask->micros, ask->stages, ask->stages);
		return fail(ST_RANGE,
		        "micro=%d: interleaved needs a multiple of %d stages; the nearest that fit are %d "
		        "and %d",
		        ask->micros, ask->stages, below, below + ask->stages);
	}
	if (ask->kind == SCHEDULE_ZB_AUTO &&
	        (ask->limit < 1 || ask->held < 0 || ask->held > 1 || !(ask->f > 0)))
		return fail(ST_RANGE, "zb-auto needs limit= of at least 1, held= from 0 to 1, and F above 0");
	return ST_OK;
}

enum status schedule_make(const struct schedule_ask *ask, struct schedule *schedule)
{
	enum status status = request_check(ask);
	size_t works = schedule_splits(ask->kind) ? 3 : 2;

	*schedule = (struct schedule){.stages = ask->stages,
	        .chunks = ask->chunks,
	        .micros = ask->micros,
	        .pieces = ask->stages * ask->chunks,
	        .count = works * (size_t)ask->micros * (size_t)ask->chunks};
	if (status != ST_OK)
		return status;
	schedule_room(schedule);
	for (int n = 0; n < schedule->pieces; n++) {
		schedule->holder[n] = n % ask->stages;
		schedule->chunk[n] = n / ask->stages;
		schedule->piece[schedule->holder[n] * ask->chunks + schedule->chunk[n]] = n;
	}
	for (int s = 0; s < ask->stages; s++)
		fill_stage(ask, schedule_task(schedule, s, 0), s);
	if (ask->kind == SCHEDULE_ZB_AUTO)
		status = schedule_search(ask, schedule);
	if (status != ST_OK) {
		schedule_release(schedule);
		return status;
	}
	schedule_memories(schedule);
	return ST_OK;
}

void schedule_room(struct schedule *schedule)
{
	size_t stages = (size_t)schedule->stages, chunks = stages * (size_t)schedule->chunks,
	       pieces = (size_t)schedule->pieces;
	schedule->task = mem_alloc(stages * schedule->count * sizeof *schedule->task);
	schedule->memories = mem_alloc(2 * (chunks + pieces) * sizeof *schedule->memories);
	schedule->piece = schedule->memories + chunks;
	schedule->holder = schedule->piece + chunks;
	schedule->chunk = schedule->holder + pieces;
}

void schedule_release(struct schedule *schedule)
{
	mem_free(schedule->task);
	mem_free(schedule->memories);
	*schedule = (struct schedule){0};
}

/* ---- in words ---- */

const char *schedule_work_name(int work)
{
	static const char *const names[] = {
	        [WORK_F] = "F", [WORK_B] = "B", [WORK_W] = "W", [WORK_BW] = "BW", [WORK_IDLE] = "idle"};
	return names[work];
}

/* Sets the least and largest micro-batch of this work in slot k; false: none. */
static bool micros_of(const struct schedule *schedule, size_t k, int work, int *from, int *to)
{
	bool any = false;
	for (int s = 0; s < schedule->stages; s++) {
		const struct task *task = schedule_task(schedule, s, k);
		if (task->work != work)
			continue;
		*from = any && *from < task->micro ? *from : task->micro;
		*to = any && *to > task->micro ? *to : task->micro;
		any = true;
	}
	return any;
}

/* Appends " on stages 0-2 5": the first few stages with this work in slot k. */
static void add_stages(const struct schedule *schedule, size_t k, int work, struct text *text)
{
	enum { SHOWN = 4 };
	struct text list = {0};
	int parts = 0, stages = 0, last;
	for (int s = 0; s < schedule->stages && parts <= SHOWN; s = last + 1) {
		last = s;
		if (schedule_task(schedule, s, k)->work != work)
			continue;
		while (last + 1 < schedule->stages && schedule_task(schedule, last + 1, k)->work == work)
			last++;
		stages += last - s + 1;
		if (++parts > SHOWN)
			text_add(&list, " ..");
		else
			text_add(&list, last > s ? " %d-%d" : " %d", s, last);
	}
	text_add(text, " on stage%s%s", stages > 1 ? "s" : "", text_string(&list));
	text_release(&list);
}

void schedule_doing(const struct schedule *schedule, size_t k, struct text *text)
{
	static const char *const words[] = {[WORK_F] = "forward",
	        [WORK_B] = "input gradients",
	        [WORK_W] = "weight gradients",
	        [WORK_BW] = "backward"};
	const char *comma = "";
	/* several kinds of work name their stages */
	int works = 0;
	for (int work = WORK_F, from, to; work <= WORK_BW; work++)
		works += micros_of(schedule, k, work, &from, &to);
	for (int work = WORK_F, from = 0, to = 0; work <= WORK_BW; work++) {
		if (!micros_of(schedule, k, work, &from, &to))
			continue;
		text_add(text, "%s%s of %s%d", comma, words[work],
		        *comma              ? ""
		                : from < to ? "micro-batches "
		                            : "micro-batch ",
		        from);
		if (from < to)
			text_add(text, "-%d", to);
		if (works > 1)
			add_stages(schedule, k, work, text);
		comma = ", ";
	}
}

void schedule_works(const struct schedule *schedule, size_t k, struct text *text)
{
	for (int work = WORK_F, from, to; work <= WORK_BW; work++)
		if (micros_of(schedule, k, work, &from, &to))
			text_add(text, "%s%s", text->count ? " " : "", schedule_work_name(work));
}
