/* plan.h -- a line that queues work, resolved on each rank before anything changes.
 *
 * A line runs in three steps: resolve every rank (a mistake refuses the line); make the results'
 * memory (undone in reverse if a device is full); queue. Ranks whose line resolves equally
 * (addresses, layouts, options) share a plan, and their operations a record. */
#ifndef RANKSH_PLAN_H
#define RANKSH_PLAN_H

#include "shell/language/run/command.h"
#include "kernels/kernel.h"

/* The action for a result's name, decided by plan_result_settle; before it is KEEP or DROP:
 *
 *     KEEP      y exists and fits          y = relu x   a second time: overwritten in place
 *     MAKE      y does not exist           made, in the pool of the line's stream
 *     REMAKE    y exists and does not fit  made anew; the old memory is freed after the line's
 *                                          operation, which may read it (y = matmul y w)
 *     DROP      `_`                        made, and freed after the line's operation */
enum result_action { RESULT_KEEP, RESULT_MAKE, RESULT_REMAKE, RESULT_DROP };
struct plan_result {
	struct view view; /* before the line; tensor -1: it does not exist */
	enum result_action action;
	int operand; /* index among the plan's operands */
};

/* A rank's place, as far as the record depends on it */
struct plan_place {
	int group; /* collectives: its part's size and nodes (world_group_like) */
	int root;  /* collectives: it is the root */
	int rows;  /* collectives: its part: 0 whole, 1 smaller, 2 none; with counts its place */
	int links; /* transfers: the parts' links */
};

/* A line on one rank, and on all that resolve equally; the queue fills in what differs by rank. */
enum { PLAN_RESULTS = 4, PLAN_OPERANDS = KERNEL_ARGS_MAX + PLAN_RESULTS, PLAN_PARTS = 2 };
struct submit_plan {
	struct record record; /* operand and part: set by the queue */
	struct operand operand[PLAN_OPERANDS];
	struct part part[PLAN_PARTS];
	int operands, results, parts; /* operands: the arguments, then the results */
	struct plan_result result[PLAN_RESULTS];
	int stream;
	struct plan_place place;
	int64_t window;      /* ONE_SIDED: the begin of the rank's tensor of the window; else -1 */
	struct layout shape; /* a source's, or an allgather's with rows=; dims 0: none */
	uint32_t queued;     /* the last rank's record; 0: none yet */
	bool waits;          /* the rank's host waits for the operation; set by resolve */
};

/* A line on all of its ranks */
struct plans {
	struct submit_plan *plan;
	size_t count;
	struct plan_rank {
		int rank;
		uint32_t plan;
		int made[PLAN_RESULTS],
		        old[PLAN_RESULTS]; /* tensors: the new one; the replaced one; -1 if none */
		op_id id;
	} * rank;
	int ranks;
};

/* A line on one rank. `resolve` fills operands, results (views only) and options. `complete` (may
 * be NULL) is called for a plan unlike the one before: checks, decides results (layouts of their
 * operands), fills the record. */
typedef enum status plan_step(struct call *call, int rank, struct submit_plan *plan);

/* All three steps, and the notice. Hosts wait after all ranks' operations are queued. */
enum status plans_run(struct call *call, enum op_kind kind, plan_step *resolve, plan_step *complete);
/* The first step; the second. *plans begins as {0} and is always released by plans_release. */
enum status plans_resolve(
        struct call *call, enum op_kind kind, plan_step *resolve, plan_step *complete, struct plans *plans);
enum status plans_make(struct shell *shell, struct plans *plans);
/* Puts this rank's new results into the plan. true: it can share the previous rank's record */
bool plan_use_results(struct shell *shell, struct submit_plan *plan, const struct plan_rank *one);
/* Frees the replaced and dropped tensors, after the work queued on the stream so far. */
enum status plan_free_old(struct shell *shell, const struct submit_plan *plan, const struct plan_rank *one);
void plans_release(struct plans *plans);

void plan_operand(struct submit_plan *plan, const struct view *view, int access);
/* Adds the next name left of `=`. Requires less than PLAN_RESULTS results so far. */
enum status plan_result_view(struct call *call, int rank, struct submit_plan *plan);
/* Decides how result i takes a `wanted` layout: in place, made, remade, or refused. */
enum status plan_result_settle(
        struct shell *shell, struct submit_plan *plan, int i, const struct layout *wanted, int access);
const struct group_instance *plan_part(const struct shell *shell, const struct submit_plan *plan, int rank);
/* ST_ARGUMENT, worded, where it may not run: */
/* A host thread runs copies between disk and host memory, and kernels on host memory. */
enum status plan_fits_stream(const struct shell *shell, int rank, const struct submit_plan *plan);
/* A kernel of the GPU: all operands are in device memory. */
enum status plan_on_device(const struct shell *shell, const struct submit_plan *plan);
/* ... and without gaps: NCCL moves whole blocks. */
enum status plan_for_nccl(const struct shell *shell, const struct submit_plan *plan);
/* At the prompt: "y [256,256] queued on default: 2.00 ms of work, not begun   [0-3]" */
void plans_notice(const struct call *call, const struct plans *plans);

/* A time needs its unit, except 0. The bound keeps sums of times within 63 bits of nanoseconds.
 * ST_UNIT, ST_RANGE */
enum status duration_check(const char *title, struct number number);
enum status kernel_run(struct call *call);

plan_step collective_resolve, collective_complete;
enum status collective_run(struct call *call);
/* Queues the collective's steps as operations of their own; the same result. */
enum status unroll_run(struct call *call);

/* together.c: sends and receives of several lines that start as one (ncclGroupStart/End) */
/* Returns OPF_FREE_LAUNCH and OPF_TOGETHER if an earlier operation of this rank was launched in
 * the block; 0 outside a block. */
int together_flags(struct shell *shell, int rank);
/* Keeps the plan's parts until the block ends. */
void together_add(struct shell *shell, int rank, const struct submit_plan *plan);

/* shell->together until its end. Queues the pending parts for the ranks of `set`; NULL: none,
 * because the block was refused. */
void together_begin(struct shell *shell);
enum status together_end(struct shell *shell, const struct ranks *set);

/* ---- host.c: operations of the host's own lane, and answers at the prompt */
/* Queues an operation without operands, except for a SYNC's reads; shares the record of the line's
 * previous operation if they are equal. *id: its number, never NULL */
enum status queue_alike(
        struct call *call, int rank, int stream, const struct record *record, op_id target, op_id *id);

/* The target of waiting for argument i: an event's last record, or a stream's last operation; 0 if
 * there is none (as in CUDA, the wait returns at once). *object: its name */
enum status host_target(struct call *call, int i, int rank, op_id *target, name_id *object);

/* Queues an OP_SYNC for `target`, with the command's name as its reason, and adds it to
 * call->wait. object: for the timeline; 0: all */
enum status host_sync(struct call *call, int rank, op_id target, name_id object);
/* The same for a line that reads tensors, after host_bring of each. target 0: nothing was copied,
 * and the host waits for the stream that the line names (call_read_stream). */
enum status host_sync_reading(
        struct call *call, int rank, op_id target, name_id object, const struct host_reads *reads);
/* After the last host_sync: waits for the answers at the prompt, and in a script if a group has a
 * timeout and the line is for all ranks. Hosts that must still wait get a note at the prompt; a
 * later line may release them.
 * Returns `status` if it is a failure. */
enum status host_answer(struct call *call, enum status status);
/* Queues the copy of a device tensor to the host, as print does. *id: 0 if it is on the host, and
 * joins `reads` */
enum status host_bring(struct call *call, int rank, int stream, const struct view *view,
        struct host_reads *reads, op_id *id);

#endif
