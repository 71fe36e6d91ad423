/* source.c -- zeros ones full iota uniform randn: generated data, on a stream (x = randn [64,64])
 * or as initial data (tensor x[64,64] = randn); spin.
 *
 * Element i depends only on the options and i (C order, whatever the strides). */
#include "kernels/common.h"
#include "base/philox.h"

#include <math.h>

LOOP_EACH(zeros, 0)
LOOP_EACH(ones, 1)
LOOP_EACH(full, option[0])
LOOP_EACH(iota, option[0] * (double)(from + i))

/* Four elements share a philox block; a chunk starts with a new block. */
INLINE void random_words(int64_t from, int64_t count, double seed, uint32_t word[LANE_CHUNK])
{
	for (int64_t block = 0; block < (count + 3) / 4; block++)
		philox((uint64_t)(int64_t)seed, (uint64_t)(from / 4 + block), &word[4 * block]);
}

/* option: seed, scale */
LOOP(uniform)
{
	uint32_t word[LANE_CHUNK];
	random_words(from, count, option[0], word);
	for (int64_t i = 0; i < count; i++)
		out[i] = option[1] * philox_uniform_of(word[i]);
}

/* The tail's formula takes most of the time, so it is computed only for the words that need it. */
LOOP(randn)
{
	uint32_t word[LANE_CHUNK], tail[LANE_CHUNK], at[LANE_CHUNK];
	double number[LANE_CHUNK];
	int64_t tails = 0;
	random_words(from, count, option[0], word);
	for (int64_t i = 0; i < count; i++)
		out[i] = option[1] * philox_middle(word[i]);
	for (int64_t i = 0; i < count; i++) {
		at[tails] = (uint32_t)i;
		tail[tails] = word[i];
		tails += philox_in_tail(word[i]);
	}
	for (int64_t i = 0; i < tails; i++)
		number[i] = option[1] * philox_tail(tail[i]);
	for (int64_t i = 0; i < tails; i++)
		out[at[i]] = number[i];
}

#define SEED "seed", 0, "another seed gives other numbers", KO_WHOLE, -0x1p53

const struct kernel kernels_source[] = {
        {
                KERNEL_ROW("zeros", "cudaMemsetAsync", 0, 1),
                .usage = "x = zeros [SHAPE]",
                .help = "a tensor of zeros",
                .torch = "x = torch.zeros(4, 8, device='cuda')",
                .example = "x = zeros [4,8]",
                .elements = zeros,
        },
        {
                KERNEL_ROW("ones", "fill<<<blocks, threads, 0, stream>>>", 0, 1),
                .usage = "x = ones [SHAPE]",
                .help = "a tensor of ones",
                .torch = "x = torch.ones(4, 8, device='cuda')",
                .example = "x = ones [4,8]",
                .elements = ones,
        },
        {
                KERNEL_ROW("full", "fill<<<blocks, threads, 0, stream>>>", 0, 1),
                .usage = "x = full [SHAPE] NUMBER",
                .help = "a tensor of one number",
                .torch = "x = torch.full((4, 8), 3.0, device='cuda')",
                .example = "x = full [4,8] 3",
                .positional = 1,
                .option = {{"value", NAN, "the number", KO_NUMBER, 0}},
                .elements = full,
        },
        {
                KERNEL_LAUNCHED("iota", "blocks", 0, 1),
                .usage = "x = iota [SHAPE] [scale=1]",
                .help = "0, 1, 2 ... in memory order",
                .torch = "x = torch.arange(32, dtype=torch.float, device='cuda').view(4, 8)",
                .example = "x = iota [4,8]",
                .option = {{"scale", 1, "the step", KO_NUMBER, 0}},
                .operations = 1,
                .elements = iota,
        },
        {
                KERNEL_ROW("uniform", "curandGenerateUniform", 0, 1),
                .usage = "x = uniform [SHAPE] [seed=0] [scale=1]",
                .help = "random numbers, uniform from 0 up to scale",
                .torch = "x = torch.rand(4, 8, device='cuda')",
                .example = "x = uniform [4,8] seed=1",
                .option = {{SEED}, {"scale", 1, "the upper limit of the numbers", KO_NUMBER, 0}},
                .operations = 8,
                .elements = uniform,
        },
        {
                KERNEL_ROW("randn", "curandGenerateNormal", 0, 1),
                .usage = "x = randn [SHAPE] [seed=0] [scale=1]",
                .help = "random numbers, normal, mean 0, standard deviation scale",
                .torch = "x = torch.randn(4, 8, device='cuda')",
                .example = "x = randn [4,8] seed=1",
                .option = {{SEED}, {"scale", 1, "their standard deviation", KO_NUMBER, 0}},
                .operations = 8,
                .elements = randn,
        },
        /* Its duration is an option, so it has no work and the same time on every machine. */
        {
                KERNEL_ROW("spin", "spin<<<1, 1, 0, stream>>>", 1, 1),
                .usage = "spin TIME, or y = spin TIME x",
                .help = "keeps the GPU busy for a time; y = spin 2ms x copies x to y",
                .torch = "torch.cuda._sleep(cycles)",
                .example = "spin 2ms\ntensor x[4] = randn\ny = spin 1ms x",
                .positional = 1,
                .bare = true,
                .option = {{"time", NAN, "the duration", KO_TIME_NS, 0}},
        },
        {0},
};
