/* schedule.h -- in which order each stage of a pipeline works on its micro-batches, and what that order
 * costs.
 *
 *      stage 0  F0 F1 F2 F3 .. .. .. B0 F4 B1 ..       F forward, B the gradient of the inputs, W of the
 *                                                      weights
 *      stage 1  .. F0 F1 F2 .. .. B0 F3 B1 F4 ..       BW both, where the schedule does not take them apart
 *
 * Pure: times in, orders out; it knows no model and writes no program. May call base/ only.
 *
 * Sources: GPipe arXiv:1811.06965; 1F1B arXiv:1806.03377; interleaved arXiv:2104.04473; zero bubble
 * arXiv:2401.10241. Invariants of every order, by stage: (1) each micro-batch of each chunk has one F and one
 * BW, or one F, one B and one W, in this order; (2) the micro-batches of a chunk come in rising order in each
 * kind of work; (3) no stage waits for ever (schedule_time proves it). */
#ifndef RANKSH_SCHEDULE_H
#define RANKSH_SCHEDULE_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum schedule_kind {
	SCHEDULE_GPIPE,
	SCHEDULE_1F1B,
	SCHEDULE_INTERLEAVED,
	SCHEDULE_ZB_H1,
	SCHEDULE_ZB_H2,
	SCHEDULE_ZB_AUTO
};
/* In the order of the enum */
#define SCHEDULE_WORDS "gpipe 1f1b interleaved zb-h1 zb-h2 zb-auto"

/* "F", "B", "W", "BW" */
const char *schedule_work_name(int work);
/* ST_ARGUMENT for another word. */
enum status schedule_find(const char *word, enum schedule_kind *kind);
bool schedule_splits(enum schedule_kind kind); /* backward is B and W */

struct schedule_ask {
	enum schedule_kind kind;
	int stages, micros;
	/* of a stage; above 1 only interleaved: chunk c of stage s is part c * stages + s of the model */
	int chunks;
	double f, b, w; /* of a whole stage and a micro-batch, in any unit; f above 0 */
	double comm;    /* of a transfer to the next stage, during which both work on */
	/* zb-auto: activations that a stage may hold, as a multiple of what the first stage of 1F1B holds
	 * (`stages` micro-batches), and the share of a micro-batch's activations that are held after B, until
	 * W. */
	double limit, held;
};

enum work { WORK_F, WORK_B, WORK_W, WORK_BW };
struct task {
	int work, chunk, micro;
};
struct schedule {
	int stages, chunks;
	size_t count;      /* tasks of each stage */
	struct task *task; /* stage s: task[s * count] .. */
	int *memories;     /* of chunk c of stage s, at [s * chunks + c]: schedule_memories */
};

/* ST_RANGE when the numbers do not fit the schedule: says which, and the nearest that fit. */
enum status schedule_make(const struct schedule_ask *ask, struct schedule *schedule);
void schedule_release(struct schedule *schedule);

/* What the stages do in slot k: "forward of micro-batches 1-3, backward of 0", appended to *text */
void schedule_doing(const struct schedule *schedule, size_t k, struct text *text);
/* The works that some stage does there, in the enum's order: "F BW" */
void schedule_works(const struct schedule *schedule, size_t k, struct text *text);
/* schedule_memory.c: the most micro-batches of the chunk that are under way at once, from F to the end of
 * backward. Micro-batch m's activations are in memory m % memories. */
int schedule_memories(const struct schedule *schedule, int stage, int chunk);

/* Carries the tasks out, each as soon as the stage's one before and its input are there. span: the longest of
 * any stage from its first forward to its last task, in the unit of `ask`; the optimizer step is no barrier.
 * ST_BUG when a stage waits for ever. */
enum status schedule_time(const struct schedule_ask *ask, const struct schedule *schedule, double *span);

/* schedule_auto.c: searches zb-auto's order into schedule->task, which has room. */
enum status schedule_search(const struct schedule_ask *ask, struct schedule *schedule);

#endif
