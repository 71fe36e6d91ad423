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
 * BW, or one F, one B and one W, in this order; (2) two chunks that are neighbours in the model, on two stages, take
 * the micro-batches in the same order, forward and backward; (3) no stage waits for ever (schedule_time proves
 * it). */
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

enum work { WORK_F, WORK_B, WORK_W, WORK_BW, WORK_IDLE /* of a file: the stage has nothing in this slot */ };
struct task {
	int work, chunk, micro;
};
/* The model is cut into pieces, which the stages have as their chunks. A stage's chunks are in the order of the
 * model:
 *
 *     3 stages of 2 chunks     evenly  0: 0 3   1: 1 4   2: 2 5        in a V  0: 0 5   1: 1 4   2: 2 3 */
struct schedule {
	int stages, chunks, micros, pieces;
	size_t count;          /* tasks of each stage */
	struct task *task;     /* stage s: task[s * count] .. */
	int *memories, *piece; /* of chunk c of stage s, at [s * chunks + c] */
	int *holder, *chunk;   /* by piece: its stage, and which of that one's chunks it is */
};

/* ST_RANGE when the numbers do not fit the schedule: says which, and the nearest that fit. */
enum status schedule_make(const struct schedule_ask *ask, struct schedule *schedule);
void schedule_release(struct schedule *schedule);

/* What the stages do in slot k: "forward of micro-batches 1-2 on stages 0 1, backward of 0 on stage 2",
 * appended to *text */
void schedule_doing(const struct schedule *schedule, size_t k, struct text *text);
/* The works that some stage does there, in the enum's order: "F BW" */
void schedule_works(const struct schedule *schedule, size_t k, struct text *text);
/* schedule_memory.c: fills schedule->memories: micro-batch m's activations are in memory m % memories of its chunk,
 * what arrives for it in box m % (memories + 1), and no two that are under way at once, from F to the end of
 * backward, share one. Neighbouring pieces on one stage have equally many: the next one works on what the one before
 * left in its memory. */
void schedule_memories(struct schedule *schedule);

/* schedule_file.c: an order as PyTorch's pipelining writes it: a row a rank, a cell a slot, STAGE ACTION MICROBATCH:
 *
 *     0F0,0F1,,0B0,0B1        stage: the piece of the model. F forward, B backward whole (our BW), I the gradients of
 *     ,1F0,1B0,1F1,1B1        inputs (our B), W those of weights; an empty cell: the rank has nothing to do
 *
 * A piece may lie on any rank. ask: stages, micros and chunks, which the file must have. name: for messages, as
 * "mine.csv". ST_RANGE, worded with the row: another number of rows, micro-batches or chunks; a cell that is none, that
 * stands twice or before what it needs; one that is missing; neighbours in unlike orders; cells that wait for one another
 * in a circle. */
enum status schedule_read(const struct schedule_ask *ask, const char *name, const char *text, size_t count,
        struct schedule *schedule);
void schedule_write(const struct schedule *schedule, struct text *out);
/* schedule_check.c: of an order that was read, the last four of these */
enum status schedule_check(const char *name, const struct schedule *schedule);
/* One chunk's micro-batch and work as a cell: "3F0" */
void schedule_cell(const struct schedule *schedule, int stage, const struct task *task, struct text *out);
/* Room for the pieces, the stages' chunks and their tasks, all zero; sizes are set in *schedule */
void schedule_room(struct schedule *schedule);

/* Carries the tasks out, each as soon as the stage's one before and its input are there. span: the longest of
 * any stage from its first forward to its last task, in the unit of `ask`; the optimizer step is no barrier.
 * ST_BUG when a stage waits for ever. */
enum status schedule_time(const struct schedule_ask *ask, const struct schedule *schedule, double *span);

/* schedule_auto.c: searches zb-auto's order into schedule->task, which has room. */
enum status schedule_search(const struct schedule_ask *ask, struct schedule *schedule);

#endif
