/* plan.h -- runs a line that queues work, in three steps: resolve it on every rank (a mistake
 * refuses the line); make the results' memory (undone in reverse if a device is full); queue.
 * Ranks on which it resolves to the same addresses, layouts and options share a plan, and their
 * operations a record. */
#ifndef RANKSH_PLAN_H
#define RANKSH_PLAN_H

#include "shell/language/run/command.h"
#include "kernels/kernel.h"

/* The action for a result's name, set by plan_result_settle; until then KEEP or DROP
 *
 *     KEEP      y exists and fits          y = relu x   a second time: overwritten in place
 *     MAKE      y does not exist           made, in the pool of the line's stream
 *     REMAKE    y exists and does not fit  made anew; the old memory is freed after the line's
 *                                          operation, which may read it (y = matmul y w)
 *     DROP      `_`                        made, and freed after the line's operation */
enum result_action { RESULT_KEEP, RESULT_MAKE, RESULT_REMAKE, RESULT_DROP };
struct plan_result {
	struct view view; /* the tensor before the line; view.tensor -1: none */
	enum result_action action;
	int operand; /* index among the plan's operands */
};

/* Ranks that differ here do not share a record. */
struct plan_place {
	int group; /* collectives: its part's size and nodes (world_group_like) */
	int root;  /* collectives: the rank is the root */
	int rows;  /* collectives: rows: 0 a full chunk, 1 fewer, 2 none; or place in a split */
	int links; /* transfers: the links of the parts */
};

/* A line on one rank, and on all ranks that resolve equally. The queue sets addresses that
 * differ. */
enum { PLAN_RESULTS = 4, PLAN_OPERANDS = KERNEL_ARGS_MAX + PLAN_RESULTS, PLAN_PARTS = 2 };
struct submit_plan {
	struct record record; /* the queue sets its operand and part */
	struct operand operand[PLAN_OPERANDS];
	struct part part[PLAN_PARTS];
	int operands, results, parts; /* operands: the arguments, then the results */
	struct plan_result result[PLAN_RESULTS];
	int stream;
	struct plan_place place;
	int64_t window;      /* ONE_SIDED: address of the rank's tensor of the window; else -1 */
	struct layout shape; /* given for a source, or by rows= of an allgather; dims 0: none */
	uint32_t queued;     /* the last rank's record; 0: none yet */
	bool waits;          /* set by resolve: the rank's host waits for the operation */
};

/* A line on all of its ranks */
struct plans {
	struct submit_plan *plan;
	size_t count;
	struct plan_rank {
		int rank;
		uint32_t plan;
		int made[PLAN_RESULTS], old[PLAN_RESULTS]; /* tensors, new and old; -1: none */
		op_id id;
	} * rank;
	int ranks;
};

/* A step on one rank. `resolve` is called for every rank: it sets operands, the results' views,
 * and options. `complete` (may be NULL) is called once a plan, if it differs from the previous
 * rank's: it checks the line, settles the results, and fills in the record. */
typedef enum status plan_step(struct call *call, int rank, struct submit_plan *plan);

/* Does all three steps, then queues host waits and shows the notice. */
enum status plans_run(struct call *call, enum op_kind kind, plan_step *resolve, plan_step *complete);
/* Does the first step. *plans begins as {0}; always call plans_release. */
enum status plans_resolve(
        struct call *call, enum op_kind kind, plan_step *resolve, plan_step *complete, struct plans *plans);
/* Does the second step. */
enum status plans_make(struct shell *shell, struct plans *plans);
/* Sets the rank's new results in the plan. Returns true if the rank can share the previous rank's
 * record. */
bool plan_use_results(struct shell *shell, struct submit_plan *plan, const struct plan_rank *one);
/* Frees the replaced and dropped tensors, after the work queued on the stream so far. */
enum status plan_free_old(struct shell *shell, const struct submit_plan *plan, const struct plan_rank *one);
void plans_release(struct plans *plans);

void plan_operand(struct submit_plan *plan, const struct view *view, int access);
/* Adds the next name left of `=` as a result. Requires fewer than PLAN_RESULTS so far. Fails with
 * ST_NAME if a name is there twice. */
enum status plan_result_view(struct call *call, int rank, struct submit_plan *plan);
/* Sets result i's action for a `wanted` layout, and adds its operand. Fails with ST_SHAPE or
 * ST_DTYPE if the tensor can be neither overwritten nor remade. */
enum status plan_result_settle(
        struct shell *shell, struct submit_plan *plan, int i, const struct layout *wanted, int access);
const struct group_instance *plan_part(const struct shell *shell, const struct submit_plan *plan, int rank);
/* The next three fail with ST_ARGUMENT if the plan cannot run there.
 *
 * A host thread runs only copies between disk and host memory, and kernels on host memory. */
enum status plan_fits_stream(const struct shell *shell, int rank, const struct submit_plan *plan);
/* A GPU's kernel needs all operands in device memory. */
enum status plan_on_device(const struct shell *shell, const struct submit_plan *plan);
/* NCCL needs operands in device memory and without gaps, because it moves whole blocks. */
enum status plan_for_nccl(const struct shell *shell, const struct submit_plan *plan);
/* Shows at the prompt: "y [256,256] queued on default: 2.00 ms of work, not begun   [0-3]" */
void plans_notice(const struct call *call, const struct plans *plans);

/* Checks a time. Fails with ST_UNIT if it has no unit and is not 0, and with ST_RANGE if it is
 * below 0, or so large that a sum could exceed 63 bits of ns. */
enum status duration_check(const char *title, struct number number);
enum status kernel_run(struct call *call);

plan_step collective_resolve, collective_complete;
enum status collective_run(struct call *call);
/* Queues the steps of a collective as separate operations, with the same result. */
enum status unroll_run(struct call *call);

/* ---- together.c: sends and receives of several lines that start as one (ncclGroupStart/End) */
/* Returns OPF_FREE_LAUNCH and OPF_TOGETHER if the block has already launched an operation of this
 * rank; else 0. */
int together_flags(struct shell *shell, int rank);
/* Keeps the plan's parts until the block ends. */
void together_add(struct shell *shell, int rank, const struct submit_plan *plan);

/* Begins a block (shell->together). Its end queues the pending parts of the ranks in `set`; NULL:
 * none, because the block was refused. */
void together_begin(struct shell *shell);
enum status together_end(struct shell *shell, const struct ranks *set);

/* ---- host.c: operations of the host's own lane, and answers at the prompt */
/* Queues an operation without operands (a SYNC may have reads). It shares the record of the line's
 * previous operation if that is equal. Sets *id; id must not be NULL. */
enum status queue_alike(
        struct call *call, int rank, int stream, const struct record *record, op_id target, op_id *id);

/* Sets *target to the operation that a wait for argument i waits for: an event's last record, or a
 * stream's last operation; 0 if there is none (as in CUDA, the wait returns at once). *object: the
 * argument's name */
enum status host_target(struct call *call, int i, int rank, op_id *target, name_id *object);

/* Queues an OP_SYNC for `target`, with the command's name as its reason, and adds it to
 * call->wait. object: a name for the timeline; 0: all work */
enum status host_sync(struct call *call, int rank, op_id target, name_id object);
/* The same for a line that reads tensors, after host_bring of each. target 0: nothing was copied;
 * the host waits for the stream that the line names (call_read_stream). */
enum status host_sync_reading(
        struct call *call, int rank, op_id target, name_id object, const struct host_reads *reads);
/* Call it after the last host_sync. Runs until the waits end: at the prompt, and in a script if
 * a group has a timeout and the line is for all ranks. A note at the prompt reports hosts that
 * still wait, because a later line may release them; that is ST_OK. Returns `status` if it is a
 * failure. */
enum status host_answer(struct call *call, enum status status);
/* Queues the copy of a device tensor to the host, as `print` does. A host tensor is added to
 * `reads`, and *id is 0. */
enum status host_bring(struct call *call, int rank, int stream, const struct view *view,
        struct host_reads *reads, op_id *id);

#endif
