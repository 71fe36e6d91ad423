/* schedule.h -- the order of each pipeline stage's work on its micro-batches, and its cost
 *
 *      stage 0  F0 F1 F2 F3 .. .. .. B0 F4 B1 ..       F forward, B input gradients, W weight
 *      stage 1  .. F0 F1 F2 .. .. B0 F3 B1 F4 ..       gradients, BW both
 *
 * Pure functions of times and sizes, without model or program. May call base/ only.
 *
 * Sources: GPipe arXiv:1811.06965; 1F1B arXiv:1806.03377; interleaved arXiv:2104.04473; zero
 * bubble arXiv:2401.10241. Invariants, by stage: (1) each micro-batch of each chunk has one F and
 * one BW, or one F, B and W, in this order; (2) chunks that are neighbours in the model, on two
 * stages, take micro-batches in the same order, forward and backward; (3) no stage waits for ever
 * (schedule_time checks it). */
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
/* in the order of the enum */
#define SCHEDULE_WORDS "gpipe 1f1b interleaved zb-h1 zb-h2 zb-auto"

/* Returns "F", "B", "W" or "BW". */
const char *schedule_work_name(int work);
/* Fails with ST_ARGUMENT for an unknown word. */
enum status schedule_find(const char *word, enum schedule_kind *kind);
bool schedule_splits(enum schedule_kind kind); /* B and W are separate */

struct schedule_ask {
	enum schedule_kind kind;
	int stages, micros;
	/* of a stage; above 1 only for interleaved: chunk c of stage s is piece c * stages + s of
	 * the model */
	int chunks;
	double f, b, w; /* of a stage and micro-batch, any unit; f > 0 */
	double comm;    /* of a transfer to the next stage, overlapped with work */
	/* zb-auto. limit: the activations that a stage may hold, relative to the first stage of
	 * 1F1B; held: the share of them that is kept between B and W */
	double limit, held;
};

enum work { WORK_F, WORK_B, WORK_W, WORK_BW, WORK_IDLE /* of a file: an empty slot */ };
struct task {
	int work, chunk, micro;
};
/* The model is cut into pieces. A stage's chunks are the pieces it holds, in the model's order:
 *
 *     3 stages of 2 chunks  evenly  0: 0 3   1: 1 4   2: 2 5   in a V  0: 0 5   1: 1 4   2: 2 3
 */
struct schedule {
	int stages, chunks, micros, pieces;
	size_t count;          /* tasks of each stage */
	struct task *task;     /* stage s: task[s * count] .. */
	int *memories, *piece; /* of chunk c of stage s, at [s * chunks + c] */
	int *holder, *chunk;   /* by piece: its stage and chunk */
};

static inline struct task *schedule_task(const struct schedule *schedule, int stage, size_t slot)
{
	return &schedule->task[(size_t)stage * schedule->count + slot];
}

/* Fails with ST_RANGE if the numbers do not fit, and names the nearest that do. The caller calls
 * schedule_release. */
enum status schedule_make(const struct schedule_ask *ask, struct schedule *schedule);
void schedule_release(struct schedule *schedule);

/* Appends "forward of micro-batches 1-2 on stages 0 1, backward of 0 on stage 2" for slot k. */
void schedule_doing(const struct schedule *schedule, size_t k, struct text *text);
/* Appends the works of slot k, in the enum's order: "F BW". */
void schedule_works(const struct schedule *schedule, size_t k, struct text *text);
/* schedule_memory.c. Fills schedule->memories: micro-batch m uses memory m % memories of its chunk
 * and receive box m % (memories + 1), and no two that are under way at once share one. Adjacent
 * pieces of a stage get equal numbers, because the second works in the first one's memory. */
void schedule_memories(struct schedule *schedule);

/* schedule_file.c. Reads an order as PyTorch's pipelining writes it: a row for each rank, a cell
 * STAGE ACTION MICROBATCH for each slot:
 *
 *     0F0,0F1,,0B0,0B1        stage: a piece of the model. F forward, B whole backward (BW here),
 *     ,1F0,1B0,1F1,1B1        I input gradients (B here), W weight gradients; empty: idle
 *
 * Any rank may hold a piece. The file must have ask's stages, micros and chunks. name: for
 * messages. Fails with ST_RANGE, naming the row: wrong numbers, a malformed cell, an order that
 * schedule_check refuses; with ST_SYNTAX for a text in another encoding, and with ST_LIMIT for a
 * row that is too long. */
enum status schedule_read(const struct schedule_ask *ask, const char *name, const char *text, size_t count,
        struct schedule *schedule);
void schedule_write(const struct schedule *schedule, struct text *out);
/* schedule_check.c. Fails with ST_RANGE for repeated, early or missing cells, for neighbouring
 * pieces in different orders, and for circular waits. */
enum status schedule_check(const char *name, const struct schedule *schedule);
/* Appends a task as a cell: "3F0". */
void schedule_cell(const struct schedule *schedule, int stage, const struct task *task, struct text *out);
/* Allocates zeroed pieces, chunks and tasks for the sizes in *schedule. */
void schedule_room(struct schedule *schedule);

/* Runs each task as soon as the stage's task before it and its input are done. span: the longest
 * time of a stage from the start of its first task to the end of its last, in ask's unit; an idle
 * slot is no task. Adds to next[stage], zeroed by the caller, the tasks that ran. Returns false if
 * a stage waits for ever. */
bool schedule_carry_out(
        const struct schedule_ask *ask, const struct schedule *schedule, size_t *next, double *span);
/* As schedule_carry_out, but fails with ST_BUG if a stage waits for ever. */
enum status schedule_time(const struct schedule_ask *ask, const struct schedule *schedule, double *span);

/* schedule_auto.c. Finds zb-auto's order and stores it in schedule->task, which the caller has
 * allocated. */
enum status schedule_search(const struct schedule_ask *ask, struct schedule *schedule);

#endif
