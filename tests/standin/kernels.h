/* kernels.h -- the kernels of src/cuda/kernels/ on the CPU, from the same sources, compiled by the C++ compiler.
 *
 * Blocks run one after the other, in the thread that calls. Threads of a block run one after the other too, or, where they meet (__syncthreads,
 * shuffles), as fibres with stacks of their own. Several threads may run kernels at the same time. */
#ifndef RANKSH_STANDIN_KERNELS_H
#define RANKSH_STANDIN_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the whole grid; arguments: as cuLaunchKernel's kernelParams. A block of more than 1024 threads, or threads that wait for ever, end
 * the process. */
typedef void standin_kernel_code(
        const unsigned grid[3], const unsigned block[3], unsigned shared_bytes, void **arguments);

/* The kernel of that name; NULL: there is none */
standin_kernel_code *standin_kernel(const char *name);
/* How many bytes its argument has, a struct by value; 0: there is no such kernel */
size_t standin_kernel_bytes(const char *name);
/* Its argument is a struct elements (cuda/kernels/arguments.h) */
bool standin_kernel_elements(const char *name);
/* So many threads a block of it may have (__launch_bounds__); 0: there is no such kernel */
int standin_kernel_threads(const char *name);
/* The i-th kernel's name, in no order; NULL behind the last */
const char *standin_kernel_name(int i);

#ifdef __cplusplus
}
#endif

#endif
