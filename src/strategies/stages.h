/* stages.h -- a model cut into the stages of a pipeline, and what a stage does with one micro-batch, as lines
 *
 *      part 0        part 1        part 2                a part is a run of layers; part c * stages + s is
 *                                                        chunk c of stage s, on rank s
 *      emb 1 2  -->  3 4 5    -->  6 7 head              activations go forward, gradients back
 *
 * The same lines serve all the stages that do the same work, so a stage counts its layers from 1: w1 is its
 * first. What differs is in variables: m the micro-batch, s its place among the activations that the stage
 * holds, k that of its inputs. There is one more place for inputs than are in use at once, so that the next
 * one can arrive meanwhile; with rows that do not come out even also `rows`, and `first` of them.
 *
 * Recomputing, a stage keeps the inputs, and the activations of a micro-batch only while it works on it: in
 * F, and from B, which computes them again, to W. F takes a place that no W waits for.
 *
 * Who may not overtake whom (five streams: compute, act_in, act_out, grad_in, grad_out):
 *   used_k   the stage is done with the inputs at place k: the next may arrive there
 *   out_s dout_s   what was computed at place s has been sent: it may be overwritten
 * Sends and receives of a pair of ranks are in the order of the schedule on both sides, and each kind has its
 * streams and its group: a receive waits only for work of its stage that comes before the one it is for. So
 * nothing can wait in a circle. */
#ifndef RANKSH_STAGES_H
#define RANKSH_STAGES_H

#include "strategies/layers.h"
#include "strategies/schedule.h"

struct chunk {
	int first_layer, layers; /* of the model, from 1 */
	/* the stage's number of its input: it reads x<base>, its layers are base+1 .. base+layers */
	int base;
	bool first, last; /* has the embedding, the head */
	int inputs;       /* micro-batches that are under way at once: from F to the end of backward */
	int slots;        /* ... whose activations it holds; m's are at place m % slots */
	int turn;         /* recomputing: those of F at (m + turn) % slots */
};
struct pipe {
	const struct strategy_call *call;
	struct text *out;
	struct schedule_ask ask;
	struct schedule schedule;
	struct chunk *chunk; /* [stage * ask.chunks + chunk] */
	bool timed, recompute;
	int rounds,
	        /* the schedule runs `rounds` times before the optimizer; micro-batches of all rounds
	         * together */
	        micros;
	int64_t rows; /* of a micro-batch; where the batch does not come out even: of the largest */
	bool even;
	double spin_ns[4]; /* by enum work, of a chunk; timed only */
};

/* Cuts the model; the schedule is made. ST_RANGE when there are more parts than layers. */
enum status stages_cut(struct pipe *pipe);
/* What the task asks of a stage, apart from m: two stages with the same role run the same lines. */
struct role {
	int work, chunk, base, layers, inputs, slots, turn;
	bool first, last, add, from_end, to_begin;
};
void stage_role(const struct pipe *pipe, int stage, const struct task *task, struct role *role);
/* The lines of one task; `m` is set. */
void stage_lines(const struct pipe *pipe, const struct role *role);
/* Whether the stage's chunk computes with the parameter, and its name there. */
bool stage_has(
        const struct pipe *pipe, const struct chunk *chunk, const struct parameter *parameter, char name[24]);

/* pipeline_setup.c: streams, groups, data, parameters, places; or, with times given, what is sent instead of
 * activations */
void pipeline_setup(struct pipe *pipe, const struct parameter *list, int count);
void pipeline_timed_setup(struct pipe *pipe);
bool pipeline_tied(const struct pipe *pipe); /* the first and the last stage have the same table */
/* pipeline_iteration.c */
enum status pipeline_iteration(struct pipe *pipe, const struct parameter *list, int count);

#endif
