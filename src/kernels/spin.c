/* spin.c -- a kernel that only takes time and may pass a tensor on: for lessons on overlap.
 *
 * Its duration is an option, so it has no work and the same time on every machine. y = spin TIME x
 * creates a dependency: y is x, TIME later. */
#include "kernels/kernel.h"

#include <math.h>

const struct kernel kernels_spin[] = {
        {
                .name = "spin",
                .usage = "spin TIME, or y = spin TIME x",
                .help = "keeps the GPU busy for a time; y = spin 2ms x passes x on",
                .torch = "torch.cuda._sleep(cycles)",
                .cuda = "spin<<<1, 1, 0, stream>>>",
                .example = "spin 2ms\ntensor x[4] = randn\ny = spin 1ms x",
                KERNEL_TAKES(1, 1),
                .positional = 1,
                .bare = true,
                .option = {{"time", NAN, "how long", KO_TIME_NS, 0}},
        },
        {0},
};
