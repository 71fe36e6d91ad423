/* source.c -- zeros ones full iota uniform randn: data from nothing, on a stream (x = randn [64,64]) or as
 * initial data (tensor x[64,64] = randn).
 *
 * Element i depends on the options and i alone (i counts in C order, whatever the strides): see
 * base/philox.h. */
#include "kernels/common.h"
#include "base/philox.h"

#include <math.h>

typedef void source_loop(
        int64_t from, int64_t count, double *out, const double *option); /* from: a multiple of 4 */

static enum status source_shape(struct kernel_call *call)
{
	(void)call;
	return ST_OK;
}

static enum status random_shape(struct kernel_call *call)
{
	return kernel_wants_whole(call, 0, -0x1p53);
}

/* The loop makes the elements from .. from+count of the tensor in C order; kernel_put() strides and
 * rounds. */
static void generate(const struct kernel_call *call, source_loop *loop)
{
	double chunk[LANE_CHUNK];
	struct lane out = lane_of(&call->out[0]);
	int64_t count = layout_count(&call->out[0].layout);

	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = least_of(count - from, LANE_CHUNK);
		loop(from, n, chunk, call->option);
		kernel_put(call, &out, from, n, chunk);
	}
}

static void constant(int64_t count, double *out, double value)
{
	for (int64_t i = 0; i < count; i++)
		out[i] = value;
}

static void zeros_loop(int64_t from, int64_t count, double *out, const double *option)
{
	(void)from, (void)option;
	constant(count, out, 0);
}

static void ones_loop(int64_t from, int64_t count, double *out, const double *option)
{
	(void)from, (void)option;
	constant(count, out, 1);
}

static void full_loop(int64_t from, int64_t count, double *out, const double *option)
{
	(void)from;
	constant(count, out, option[0]);
}

static void iota_loop(int64_t from, int64_t count, double *out, const double *option)
{
	for (int64_t i = 0; i < count; i++)
		out[i] = option[0] * (double)(from + i);
}

/* option: seed, scale. One philox block of four words serves four elements in a row. */
static void random_loop(
        int64_t from, int64_t count, double *out, const double *option, float (*number)(uint32_t word))
{
	uint32_t block[4];
	for (int64_t i = 0; i < count; i++) {
		if (i % 4 == 0)
			philox((uint64_t)(int64_t)option[0], (uint64_t)(from + i) / 4, block);
		out[i] = option[1] * number(block[i % 4]);
	}
}

static void uniform_loop(int64_t from, int64_t count, double *out, const double *option)
{
	random_loop(from, count, out, option, philox_uniform_of);
}

static void randn_loop(int64_t from, int64_t count, double *out, const double *option)
{
	random_loop(from, count, out, option, philox_normal_of);
}

#define SOURCE(name)                                           \
	static void name##_run(const struct kernel_call *call) \
	{                                                      \
		generate(call, name##_loop);                   \
	}
SOURCE(zeros)
SOURCE(ones)
SOURCE(full)
SOURCE(iota)
SOURCE(uniform)
SOURCE(randn)

#define SEED                                                           \
	{                                                              \
		"seed", 0, "other seeds give other numbers", KO_NUMBER \
	}
#define SCALE(about)                         \
	{                                    \
		"scale", 1, about, KO_NUMBER \
	}

const struct kernel kernel_zeros = {
        .name = "zeros",
        .usage = "x = zeros [SHAPE]",
        .help = "a tensor of zeros",
        .torch = "x = torch.zeros(4, 8, device='cuda')",
        .cuda = "cudaMemsetAsync",
        .example = "x = zeros [4,8]",
        .outs = 1,
        .source = true,
        .shape = source_shape,
        .cost = kernel_cost_move,
        .run = zeros_run,
};
const struct kernel kernel_ones = {
        .name = "ones",
        .usage = "x = ones [SHAPE]",
        .help = "a tensor of ones",
        .torch = "x = torch.ones(4, 8, device='cuda')",
        .cuda = "fill<<<blocks, threads, 0, stream>>>",
        .example = "x = ones [4,8]",
        .outs = 1,
        .source = true,
        .shape = source_shape,
        .cost = kernel_cost_move,
        .run = ones_run,
};
const struct kernel kernel_full = {
        .name = "full",
        .usage = "x = full [SHAPE] NUMBER",
        .help = "a tensor of one number",
        .torch = "x = torch.full((4, 8), 3.0, device='cuda')",
        .cuda = "fill<<<blocks, threads, 0, stream>>>",
        .example = "x = full [4,8] 3",
        .outs = 1,
        .source = true,
        .positional = 1,
        .option = {{"value", NAN, "the number", KO_NUMBER}},
        .shape = source_shape,
        .cost = kernel_cost_move,
        .run = full_run,
};
const struct kernel kernel_iota = {
        .name = "iota",
        .usage = "x = iota [SHAPE] [scale=1]",
        .help = "0, 1, 2 ... in the order of memory",
        .torch = "x = torch.arange(32, device='cuda').view(4, 8)",
        .cuda = "iota<<<blocks, threads, 0, stream>>>",
        .example = "x = iota [4,8]",
        .outs = 1,
        .source = true,
        .option = {SCALE("the step")},
        .shape = source_shape,
        .cost = kernel_cost_one,
        .run = iota_run,
};
const struct kernel kernel_uniform = {
        .name = "uniform",
        .usage = "x = uniform [SHAPE] [seed=0] [scale=1]",
        .help = "random numbers, equally likely from 0 up to scale",
        .torch = "x = torch.rand(4, 8, device='cuda')",
        .cuda = "curandGenerateUniform",
        .example = "x = uniform [4,8] seed=1",
        .outs = 1,
        .source = true,
        .option = {SEED, SCALE("they lie below this")},
        .shape = random_shape,
        .cost = kernel_cost_few,
        .run = uniform_run,
};
const struct kernel kernel_randn = {
        .name = "randn",
        .usage = "x = randn [SHAPE] [seed=0] [scale=1]",
        .help = "random numbers, normal, mean 0, deviation scale",
        .torch = "x = torch.randn(4, 8, device='cuda')",
        .cuda = "curandGenerateNormal",
        .example = "x = randn [4,8] seed=1",
        .outs = 1,
        .source = true,
        .option = {SEED, SCALE("their deviation")},
        .shape = random_shape,
        .cost = kernel_cost_few,
        .run = randn_run,
};
