/* spin.c -- a kernel that only takes time, and maybe passes a tensor on.
 *
 * It is for lessons about time: what overlaps with what, without a computation in the way. Its time is its
 * option, so it has no work, and no machine is quicker at it. y = spin TIME x makes an operation that others
 * wait for: y is x, TIME later. */
#include "kernels/common.h"

#include <math.h>

static enum status spin_shape(struct kernel_call *call)
{
	if (call->option[0] < 0)
		return fail(ST_RANGE, "spin: a time cannot be negative");
	if (call->outs && !call->ins)
		return fail(ST_ARGUMENT, "spin: there is nothing to pass on: y = spin TIME x");
	return call->outs ? kernel_out_like(call, 0) : ST_OK;
}

static void spin_cost(const struct kernel_call *call, double *flops, double *bytes)
{
	(void)call;
	*flops = *bytes = 0;
}

static void spin_run(const struct kernel_call *call)
{
	if (call->outs)
		kernel_elements(call, kernel_same);
}

const struct kernel kernel_spin = {
        .name = "spin",
        .usage = "spin TIME, or y = spin TIME x",
        .help = "keeps the GPU busy for a time; y = spin 2ms x passes x on",
        .torch = "torch.cuda._sleep(cycles)",
        .cuda = "spin<<<1, 1, 0, stream>>>",
        .example = "spin 2ms\ntensor x[4] = randn\ny = spin 1ms x",
        .ins_min = 0,
        .ins_max = 1,
        .outs = 1,
        .positional = 1,
        .bare = true,
        .option = {{"time", NAN, "how long", KO_TIME_NS}},
        .shape = spin_shape,
        .cost = spin_cost,
        .run = spin_run,
};
