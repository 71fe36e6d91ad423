/* dropout.c -- dropout and its gradient: elements become 0 with probability p, the others are divided by 1-p.
 *
 * Which ones depends on (seed, element) alone, by base/philox.h: nothing is kept for the gradient, which is the same kernel on dy with the
 * same seed. A rank that holds a part of x gives another seed. */
#include "kernels/common.h"
#include "base/philox.h"

#include <math.h>

enum { P, SEED };

static enum status dropout_shape(struct kernel_call *call)
{
	if (!(call->option[P] >= 0 && call->option[P] < 1))
		return fail(ST_RANGE, "%s: p=%g: 0 or more and below 1 is wanted", call->kernel->name, call->option[P]);
	enum status status = kernel_wants_whole(call, SEED, -0x1p53);
	return status ? status : kernel_shape_float(call);
}

static void drop(int64_t from, int64_t count, double *x, const double *option)
{
	double keep = 1 / (1 - option[P]);
	for (int64_t i = 0; i < count; i += 4) {
		uint32_t word[4];
		philox((uint64_t)(int64_t)option[SEED], (uint64_t)(from + i) / 4, word);
		for (int64_t j = 0; j < 4 && i + j < count; j++)
			x[i + j] = philox_uniform_of(word[j]) < option[P] ? 0 : x[i + j] * keep;
	}
}

static enum status dropout_compute(const struct kernel_call *call)
{
	double chunk[LANE_CHUNK];
	struct lane in = lane_of(&call->in[0]), out = lane_of(&call->out[0]);
	int64_t count = layout_count(&call->in[0].layout);

	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = count - from < LANE_CHUNK ? count - from : LANE_CHUNK;
		lane_read(&in, from, n, chunk);
		drop(from, n, chunk, call->option);
		kernel_put(call, &out, from, n, chunk);
	}
	return ST_OK;
}

static enum status dropout_run(const struct kernel_call *call)
{
	return kernel_staged(call, dropout_compute);
}

#define OPTIONS { [P] = { "p", 0.5, "the part that becomes 0", KO_NUMBER }, [SEED] = { "seed", 0, "which ones", KO_NUMBER } }

const struct kernel kernel_dropout = {
	.name = "dropout", .usage = "y = dropout x [p=0.5] [seed=0]", .help = "0 with probability p, else x / (1-p); the seed says which",
	.torch = "y = F.dropout(x, p=0.5)", .cuda = "dropout<<<blocks, threads, 0, stream>>>",
	.example = "tensor x[4,8] = randn\ny = dropout x p=0.1 seed=7",
	.ins_min = 1, .ins_max = 1, .outs = 1, .option = OPTIONS,
	.shape = dropout_shape, .cost = kernel_cost_one, .run = dropout_run,
};
const struct kernel kernel_dropout_grad = {
	.name = "dropout_grad", .usage = "dx = dropout_grad dy [p=0.5] [seed=0]", .help = "the gradient of dropout: p and seed as there",
	.torch = "dx = dy * mask / (1 - p)", .cuda = "dropout<<<blocks, threads, 0, stream>>>",
	.example = "tensor dy[4,8] = randn\ndx = dropout_grad dy p=0.1 seed=7",
	.ins_min = 1, .ins_max = 1, .outs = 1, .option = OPTIONS,
	.shape = dropout_shape, .cost = kernel_cost_one, .run = dropout_run,
};
