/* plan_attention.c -- launches of attention, its gradient and attention_merge (attention.cu,
 * attention_grad.cu)
 *
 * Tensor cores need f16 or bf16, the same for all operands, d a multiple of 8 up to 128, and rows
 * in which every eight elements are aligned to 16 bytes. */
#include "base/arithmetic.h"
#include "cuda/kernels/launch.h"
#include "kernels/attention_head.h"

#include <math.h>
#include <stdint.h>

enum attention_variant { ANY, F16_64, F16_128, BF16_64, BF16_128, VARIANTS };

/* the functions by variant, which replace that of the kernel's row in launch.c */
#define NAMES(kernel)                                                                                     \
	{                                                                                                 \
		kernel "_any", kernel "_f16_64", kernel "_f16_128", kernel "_bf16_64", kernel "_bf16_128" \
	}
static const char *const forward[VARIANTS] = NAMES("attention"),
                         *const stats[VARIANTS] = NAMES("attention_stats"),
                         *const gradient[VARIANTS] = NAMES("attention_grad");

/* q k v; in the gradient do, and o if given */
static bool on_tensor_cores(const struct kernel_call *call, int64_t d)
{
	enum dtype dtype = (enum dtype)call->in[0].layout.dtype;
	bool cores = (dtype == DT_F16 || dtype == DT_BF16) && d % 8 == 0 && d <= 128;
	for (int i = 0; i < call->ins && i < 5; i++) {
		const struct layout *layout = &call->in[i].layout;
		cores = cores && layout->dtype == dtype && layout->stride[1] == 1 &&
		        layout->stride[0] % 8 == 0 && (uintptr_t)call->in[i].data % 16 == 0;
	}
	return cores;
}

static enum attention_variant variant_of(const struct kernel_call *call, int64_t d)
{
	if (!on_tensor_cores(call, d))
		return ANY;
	if (call->in[0].layout.dtype == DT_F16)
		return d <= 64 ? F16_64 : F16_128;
	return d <= 64 ? BF16_64 : BF16_128;
}

static int64_t block_rows(bool cores, int64_t d)
{
	return !cores ? TILE : d <= 64 ? ATTENTION_ROWS_64 : ATTENTION_ROWS_128;
}

static struct attention attention_of(const struct kernel_call *call, const struct attention_sizes *sizes)
{
	return (struct attention){.queries = sizes->queries,
	        .keys = sizes->keys,
	        .sequences = sizes->sequences,
	        .shift = sizes->shift,
	        .heads = (int)sizes->heads,
	        .d = (int)sizes->d,
	        .causal = sizes->causal,
	        .add = call->add,
	        .scale = (float)(1 / sqrt((double)sizes->d))};
}

/* Without tensor cores a block computes TILE columns of the result. */
void plan_attention(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	(void)function;
	struct attention_sizes sizes = attention_sizes(call);
	struct attention a = attention_of(call, &sizes);
	bool cores = on_tensor_cores(call, sizes.d);
	int64_t heads = sizes.sequences * sizes.heads, rows = block_rows(cores, sizes.d);

	a.q = device_matrix_of(&call->in[0]);
	a.k = device_matrix_of(&call->in[1]);
	a.v = device_matrix_of(&call->in[2]);
	a.o = device_matrix_of(&call->out[0]);
	if (call->outs > 1)
		a.lse = device_matrix_of(&call->out[1]);
	launch_add(plan, forward[variant_of(call, sizes.d)],
	        heads * parts_of(sizes.queries, rows) * (cores ? 1 : parts_of(sizes.d, TILE)),
	        cores ? 32 * ATTENTION_WARPS : TILE_THREADS, 1, &a, sizeof a);
}

/* Two launches; the first leaves the statistics of each query in workspace. */
void plan_attention_grad(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	(void)function;
	struct attention_sizes sizes = attention_sizes(call);
	struct attention a = attention_of(call, &sizes);
	bool cores = on_tensor_cores(call, sizes.d);
	enum attention_variant variant = variant_of(call, sizes.d);
	int64_t heads = sizes.sequences * sizes.heads, rows = block_rows(cores, sizes.d),
	        of_queries = parts_of(sizes.queries, rows), of_keys = parts_of(sizes.keys, rows);
	int threads = cores ? 32 * ATTENTION_WARPS : TILE_THREADS;
	struct device_matrix *operand[] = {&a.d_o, &a.q, &a.k, &a.v, &a.o, &a.lse};

	for (int i = 0; i < call->ins; i++)
		*operand[i] = device_matrix_of(&call->in[i]);
	a.dq = device_matrix_of(&call->out[0]);
	a.dk = device_matrix_of(&call->out[1]);
	a.dv = device_matrix_of(&call->out[2]);
	a.stats = launch_workspace(plan, 2 * heads * sizes.queries * (int64_t)sizeof(float));
	launch_add(plan, stats[variant], heads * of_queries, threads, 1, &a, sizeof a);
	launch_add(plan, gradient[variant],
	        heads * (of_keys + of_queries) * (cores ? 1 : parts_of(sizes.d, TILE)), threads, 1, &a,
	        sizeof a);
}

void plan_attention_merge(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	enum { WARPS = 8 };
	const struct layout *lse = &call->in[1].layout;
	struct attention_blocks of = {device_matrix_of(&call->in[0]), device_matrix_of(&call->in[1]),
	        device_matrix_of(&call->in[2]), device_matrix_of(&call->in[3]), .tokens = lse->dim[0],
	        .heads = (int)lse->dim[1], .d = (int)(call->in[0].layout.dim[1] / lse->dim[1])};
	launch_add(plan, function, parts_of(of.tokens * of.heads, WARPS), 32, WARPS, &of, sizeof of);
}
