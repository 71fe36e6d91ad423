/* launch.h -- a kernel's call as launches on a GPU: names, grids and arguments, found on the host from shapes and addresses alone. Nothing of
 * CUDA is called here. An umbrella header: it brings along what it includes.
 *
 * To add a kernel: a function in its family's FAMILY.cu, a row in launch.c, and a planner where it is not one launch element by element. */
#ifndef RANKSH_CUDA_LAUNCH_H
#define RANKSH_CUDA_LAUNCH_H

#include "cuda/kernels/arguments.h"
#include "kernels/kernel.h"

#include <stddef.h>

enum { LAUNCH_ARGUMENT_MAX = 1024, PLAN_LAUNCHES_MAX = 24 };

struct kernel_launch {
	const char *function;
	unsigned grid[3], block[3];
	unsigned shared_bytes;
	_Alignas(16) char argument[LAUNCH_ARGUMENT_MAX]; /* one struct, by value */
};

/* In order, on one stream. `workspace`: memory of the GPU that the launches need while they run. */
struct launch_plan {
	struct kernel_launch launch[PLAN_LAUNCHES_MAX];
	int launches;
	char *workspace;
	int64_t workspace_bytes;
};

/* The launches of a call whose tensors' `data` are addresses of the GPU. workspace: of workspace_bytes, beginning at a multiple of 256; with NULL the
 * plan is the same but for addresses, and tells these bytes:
 *
 *      launch_plan_make(&plan, call, NULL);
 *      if (plan.workspace_bytes)
 *              launch_plan_make(&plan, call, memory of so many bytes);
 *
 * No launches: nothing is to be done, as in a tensor without elements, or in `spin` without a tensor. */
void launch_plan_make(struct launch_plan *plan, const struct kernel_call *call, void *workspace);

/* The launch that checks the numbers that the call looks things up by, or none. What is out of range goes to `fault`, a
 * struct index_fault by its address on the GPU, with `op`. */
void launch_index_check(struct launch_plan *plan, const struct kernel_call *call, unsigned op, void *fault);

bool launch_knows(const struct kernel *kernel); /* every one: the tests hold the two lists together */

/* ---- for planners */

typedef void launch_planner(const struct kernel_call *call, const char *function, struct launch_plan *plan);

/* Adds a launch of `blocks` blocks of x * y threads; none if there are no blocks, which CUDA refuses. */
void launch_add(struct launch_plan *plan, const char *function, int64_t blocks, int x, int y,
        const void *argument, size_t bytes);
/* So many bytes of workspace memory, from a multiple of 256 on */
void *launch_workspace(struct launch_plan *plan, int64_t bytes);
/* A dimension of 0 becomes 1, because kernels divide by dimensions. */
struct strided strided_of(const struct kernel_tensor *tensor);
/* Blocks for so many threads that each take an element, or several in turn */
int64_t launch_blocks(int64_t threads);

/* One launch, element by element: all operands have the shape of the result (in place: of the first), or are broadcast to it */
launch_planner plan_elements;
/* The same with options of the planner's own, ELEMENTS_OPTIONS of them */
void plan_elements_with(
        const struct kernel_call *call, const char *function, const double *option, struct launch_plan *plan);
/* A copy, or +=, in one launch: by tiles where lines of one lie across lines of the other */
launch_planner plan_tiles;
/* to := from, or +=, of one shape */
void plan_elements_copy(
        const struct kernel_tensor *from, const struct kernel_tensor *to, bool add, struct launch_plan *plan);

#endif
