/* launch.h -- a kernel call as launches on a GPU: names, grids and arguments, computed on the
 * host from shapes and addresses, without CUDA calls. An umbrella header. */
#ifndef RANKSH_CUDA_LAUNCH_H
#define RANKSH_CUDA_LAUNCH_H

#include "cuda/kernels/arguments.h"
#include "kernels/kernel.h"

#include <stddef.h>

enum { LAUNCH_ARGUMENT_MAX = 1024, PLAN_LAUNCHES_MAX = 24 };

struct kernel_launch {
	const char *function;
	unsigned grid[3], block[3];
	_Alignas(16) char argument[LAUNCH_ARGUMENT_MAX]; /* one struct, by value */
};

/* in order, on one stream. workspace: GPU memory that the launches use */
struct launch_plan {
	struct kernel_launch launch[PLAN_LAUNCHES_MAX];
	int launches;
	char *workspace;
	int64_t workspace_bytes;
};

/* Plans the launches of a call. The tensors' `data` are GPU addresses. workspace: workspace_bytes,
 * aligned to 256. With NULL the plan differs only in addresses and has the workspace_bytes to
 * pass. There may be no launches. */
void launch_plan_make(struct launch_plan *plan, const struct kernel_call *call, void *workspace);

/* Plans the launch that checks the call's indices, if it has any. An index out of range goes to
 * `fault`, a GPU address of struct index_fault, with `op`. */
void launch_index_check(struct launch_plan *plan, const struct kernel_call *call, unsigned op, void *fault);

bool launch_knows(const struct kernel *kernel); /* true for all: a test compares the two lists */

/* ---- for planners */

typedef void launch_planner(const struct kernel_call *call, const char *function, struct launch_plan *plan);

/* Adds a launch of `blocks` blocks of x * y threads; none if blocks is 0, which CUDA refuses. */
void launch_add(struct launch_plan *plan, const char *function, int64_t blocks, int x, int y,
        const void *argument, size_t bytes);
/* Returns `bytes` of workspace, aligned to 256. */
void *launch_workspace(struct launch_plan *plan, int64_t bytes);
/* A dimension of 0 becomes 1, because kernels divide by dimensions. */
struct strided strided_of(const struct kernel_tensor *tensor);
/* Returns the number of blocks for `threads` elements; a thread may take several. */
int64_t launch_blocks(int64_t threads);

/* One elementwise launch: all operands have the result's shape (in place: the first one's) or are
 * broadcast to it. */
launch_planner plan_elements;
/* The same with ELEMENTS_OPTIONS options of the planner's own. */
void plan_elements_with(
        const struct kernel_call *call, const char *function, const double *option, struct launch_plan *plan);
/* A copy or += in one launch, by tiles if it transposes. */
launch_planner plan_tiles;
/* to := from, or +=, of one shape */
void plan_elements_copy(
        const struct kernel_tensor *from, const struct kernel_tensor *to, bool add, struct launch_plan *plan);

/* ---- the planners of launch.c's rows */

/* plan_elements.c */
launch_planner plan_dropout, plan_adam, plan_ones;
/* plan_moving.c */
launch_planner plan_quantize, plan_topk, plan_topk_grad, plan_transpose, plan_binsort, plan_permute,
        plan_unpermute, plan_sort_chunks;
/* plan_rows.c */
launch_planner plan_rows, plan_total, plan_mse_grad, plan_crossentropy, plan_crossentropy_grad, plan_embed,
        plan_embed_grad, plan_colsum;
/* plan_attention.c */
launch_planner plan_attention, plan_attention_grad, plan_attention_merge;
/* gemm.c */
launch_planner plan_matmul;
struct device_matrix device_matrix_of(const struct kernel_tensor *tensor); /* of two dimensions */

#endif
