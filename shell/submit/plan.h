/* plan.h -- a line that queues work, resolved on each rank before anything changes.
 *
 * A line runs in three steps: resolve every rank (any mistake refuses the line, and nothing has changed);
 * make the results' memory (undone in reverse when a device is full); queue. Ranks whose line resolves alike
 * (addresses, layouts, options) share a plan, and their operations one record of the books: that is what
 * makes a line on a thousand ranks cheap. */
#ifndef RANKSH_PLAN_H
#define RANKSH_PLAN_H

#include "shell/language/run/command.h"
#include "kernels/kernel.h"

/* What becomes of a result's name. Decided by plan_result_settle; until then a result is KEEP or DROP:
 *
 *     KEEP      y is there and fits          y = relu x   a second time: overwritten in place
 *     MAKE      y is not there               made, in the pool of the line's stream
 *     REMAKE    y is there and does not fit  made anew; the old memory is freed behind the line's operation, which
 *                                            may read it (y = matmul y w)
 *     DROP      `_`                          made, and freed behind the line's operation */
enum result_action {
	RESULT_KEEP /* overwritten in place */,
	RESULT_MAKE,
	RESULT_REMAKE,
	RESULT_DROP /* `_` */
};
struct plan_result {
	struct view view; /* as it is before the line; tensor -1: not there */
	enum result_action action;
	int operand; /* which of the plan's operands it becomes */
};

/* Of a rank's place, what matters to the record: ranks that are alike otherwise share a plan only if these are equal */
struct plan_place {
	int group; /* collectives: the size of the rank's part of the group, and its nodes (world_group_like) */
	int root; /* collectives: whether the rank is the root */
	int rows; /* collectives: how many of the rows are the rank's own (kind_of_part); with counts its place */
	int links; /* transfers: over which links the parts go */
};

/* What a line comes to on a rank, and on all that resolve alike. It has no rank in it, no tensor's index, and no
 * address of a result that is yet to be made: these differ by rank, and are put in while it is queued. */
enum { PLAN_RESULTS = 4, PLAN_OPERANDS = KERNEL_ARGS_MAX + PLAN_RESULTS, PLAN_PARTS = 2 };
struct submit_plan {
	struct record record; /* operand and part are set when it is queued */
	struct operand operand[PLAN_OPERANDS];
	struct part part[PLAN_PARTS];
	int operands, results, parts; /* operands: the arguments; results add theirs behind them */
	struct plan_result result[PLAN_RESULTS];
	int stream;
	struct plan_place place;
	int64_t window; /* ONE_SIDED: where the rank's own tensor of the window begins; else -1 */
	struct layout
	        shape;   /* asked for by the line: a source's, or an allgather's with rows=; dims 0: none */
	uint32_t queued; /* the record in the books that the last rank got; 0: none yet */
};

/* A line on all of its ranks: the plans that differ, and for each rank which of them it has and what was made for
 * it. On four ranks of which rank 2 has its x at another address:
 *
 *     plan   A            B       A again (a rank is compared with the last plan only)
 *     rank   0 1          2       3 */
struct plans {
	struct submit_plan *plan;
	size_t count;
	struct plan_rank {
		int rank;
		uint32_t plan;
		int made[PLAN_RESULTS],
		        old[PLAN_RESULTS]; /* tensors: the new one; the one that it replaces; -1 none */
		op_id id;
	} * rank;
	int ranks;
};

/* What a line says on one rank: `resolve` fills operands, results (views only) and options, of a plan that has
 * its stream and a record of the line's kind. `complete` is called for a plan unlike the one before: checks,
 * decides results (layout of their operands), fills the record; NULL: there is nothing to add. */
typedef enum status plan_step(struct call *call, int rank, struct submit_plan *plan);

/* All three steps for the ranks of the line, and the notice. */
enum status plans_run(struct call *call, enum op_kind kind, plan_step *resolve, plan_step *complete);
/* host.c: the same for a collective that the hosts wait for, as for a barrier. All ranks' are queued before the
 * first host waits: one that waited at once would stand before the others had joined. */
enum status plans_meet(struct call *call, plan_step *resolve, plan_step *complete);
/* The first step; the second (the results' memory); the second and the third. *plans begins as {0} and is
 * released by plans_release in any case. */
enum status plans_resolve(
        struct call *call, enum op_kind kind, plan_step *resolve, plan_step *complete, struct plans *plans);
enum status plans_make(struct shell *shell, struct plans *plans);
enum status plans_queue(struct shell *shell, struct plans *plans);
/* Puts the addresses of this rank's new results into the plan; true: the record of the rank before says the
 * same, so that this rank's operation can share it. */
bool plan_use_results(struct shell *shell, struct submit_plan *plan, const struct plan_rank *one);
/* Frees the tensors that the results replace, and those dropped, behind the work queued on the stream so
 * far. */
enum status plan_free_old(struct shell *shell, const struct submit_plan *plan, const struct plan_rank *one);
void plans_release(struct plans *plans);

/* Helpers for resolve and complete. */
void plan_operand(struct submit_plan *plan, const struct view *view, int access); /* one more argument */
/* one more result: the line's next */
enum status plan_result_view(struct call *call, int rank, struct submit_plan *plan);
/* How result i takes a `wanted` layout: in place, made, remade, or why not. */
enum status plan_result_settle(
        struct shell *shell, struct submit_plan *plan, int i, const struct layout *wanted, int access);
/* The rank's part of the group that the record names */
const struct group_instance *plan_part(const struct shell *shell, const struct submit_plan *plan, int rank);
/* ---- placement.c: ST_ARGUMENT, worded, where it may not run ---- */
/* A thread of the host copies between disk and host memory, and runs kernels on host memory. A result that is yet to be
 * made would be the device's. */
enum status plan_fits_stream(const struct shell *shell, int rank, const struct submit_plan *plan);
/* A kernel of the GPU: all operands are in device memory */
enum status plan_on_device(const struct shell *shell, const struct submit_plan *plan);
/* ... and without gaps: NCCL moves whole blocks */
enum status plan_for_nccl(const struct shell *shell, const struct submit_plan *plan);
/* ---- plan_notice.c ---- */
/* At the prompt: "y [256,256] queued on default: 2.00 ms of work, not begun   [0-3]" */
void plans_notice(const struct call *call, const struct plans *plans);

#endif
