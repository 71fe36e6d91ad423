/* cuda_launch.h -- a kernel's call by its launches, with the GPU's kernels as the C++ compiler made them for the CPU */
#ifndef RANKSH_TEST_CUDA_LAUNCH_H
#define RANKSH_TEST_CUDA_LAUNCH_H

#include "check.h"
#include "cuda/kernels/launch.h"
#include "tests/standin/kernels.h"

#include <stdlib.h>
#include <string.h>

/* Scratch memory holds numbers that nobody expects. */
static inline void scene_run(const struct kernel_call *call)
{
	struct launch_plan *plan = malloc(sizeof *plan);
	void *scratch = NULL;
	assert_non_null(plan);
	launch_plan_make(plan, call, NULL);
	if (plan->scratch_bytes) {
		scratch = aligned_alloc(256, (size_t)plan->scratch_bytes);
		assert_non_null(scratch);
		memset(scratch, 0xa5, (size_t)plan->scratch_bytes);
		launch_plan_make(plan, call, scratch);
	}
	for (int i = 0; i < plan->launches; i++) {
		struct kernel_launch *launch = &plan->launch[i];
		standin_kernel_code *code = standin_kernel(launch->function);
		if (!code)
			fail_msg("no kernel %s", launch->function);
		code(launch->grid, launch->block, launch->shared_bytes, (void *[]){launch->argument});
	}
	free(scratch);
	free(plan);
}

#endif
