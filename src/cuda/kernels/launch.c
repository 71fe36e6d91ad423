/* launch.c -- the list of kernels: the GPU function and planner for each kernel of kernels.c;
 * results that overlap arguments */
#include "cuda/kernels/launch.h"
#include "base/arithmetic.h"

#include <assert.h>
#include <string.h>

/* whole: the function for i32 arguments, if different */
static const struct row {
	const char *kernel, *function;
	launch_planner *plan;
	const char *whole;
} rows[] = {
        {"matmul", "matmul_any", plan_matmul, NULL},
        {"rowmax", "rows_rowmax", plan_rows, NULL},
        {"rowsum", "rows_rowsum", plan_rows, NULL},
        {"softmax", "rows_softmax", plan_rows, NULL},
        {"softmax_grad", "rows_softmax_grad", plan_rows, NULL},
        {"layernorm", "rows_layernorm", plan_rows, NULL},
        {"layernorm_grad", "rows_layernorm_grad", plan_rows, NULL},
        {"attention", "attention_any", plan_attention, NULL},
        {"attention_grad", "attention_grad_any", plan_attention_grad, NULL},
        {"attention_merge", "attention_merge", plan_attention_merge, NULL},
        {"embed", "embed_rows", plan_embed, NULL},
        {"embed_grad", "embed_grad", plan_embed_grad, NULL},
        {"colsum", "embed_colsum", plan_colsum, NULL},
        {"mse", "loss_mse", plan_total, NULL},
        {"sumsq", "loss_sumsq", plan_total, NULL},
        {"mse_grad", "loss_mse_grad", plan_mse_grad, NULL},
        {"crossentropy", "loss_crossentropy", plan_crossentropy, NULL},
        {"crossentropy_grad", "loss_crossentropy_grad", plan_crossentropy_grad, NULL},
        {"scale", "unary_scale", plan_elements, NULL},
        {"exp", "unary_exp", plan_elements, NULL},
        {"sqrt", "unary_sqrt", plan_elements, NULL},
        {"relu", "unary_relu", plan_elements, NULL},
        {"relu_grad", "unary_relu_grad", plan_elements, NULL},
        {"gelu", "unary_gelu", plan_elements, NULL},
        {"gelu_grad", "unary_gelu_grad", plan_elements, NULL},
        {"add", "binary_add", plan_elements, "binary_add_whole"},
        {"sub", "binary_sub", plan_elements, "binary_sub_whole"},
        {"mul", "binary_mul", plan_elements, "binary_mul_whole"},
        {"div", "binary_div", plan_elements, NULL},
        {"maximum", "binary_maximum", plan_elements, NULL},
        {"fmax", "binary_fmax", plan_elements, NULL},
        {"fmin", "binary_fmin", plan_elements, NULL},
        {"dropout", "dropout", plan_dropout, NULL},
        {"dropout_grad", "dropout", plan_dropout, NULL},
        {"cast", "convert_copy", plan_tiles, NULL},
        {"quantize", "convert_quantize", plan_quantize, NULL},
        {"nonfinite", "loss_nonfinite", plan_total, NULL},
        {"topk", "convert_topk", plan_topk, NULL},
        {"topk_grad", "convert_topk_grad", plan_topk_grad, NULL},
        {"transpose", "convert_copy", plan_transpose, NULL},
        {"binsort", "permute_binsort", plan_binsort, NULL},
        {"permute", "permute_rows", plan_permute, NULL},
        {"unpermute", "permute_back", plan_unpermute, NULL},
        {"sort_chunks", "permute_chunks", plan_sort_chunks, NULL},
        {"fill", "source_full", plan_elements, NULL},
        {"sgd", "inplace_sgd", plan_elements, NULL},
        {"adam", "inplace_adam", plan_adam, NULL},
        {"zeros", "source_full", plan_elements, NULL},
        {"ones", "source_full", plan_ones, NULL},
        {"full", "source_full", plan_elements, NULL},
        {"iota", "source_iota", plan_elements, NULL},
        {"uniform", "source_uniform", plan_elements, NULL},
        {"randn", "source_randn", plan_elements, NULL},
        {"spin", "convert_copy", plan_tiles, NULL},
};

void launch_add(struct launch_plan *plan, const char *function, int64_t blocks, int x, int y,
        const void *argument, size_t bytes)
{
	if (blocks == 0)
		return;
	assert(plan->launches < PLAN_LAUNCHES_MAX && bytes <= LAUNCH_ARGUMENT_MAX);
	struct kernel_launch *launch = &plan->launch[plan->launches++];
	*launch = (struct kernel_launch){.function = function,
	        .grid = {(unsigned)blocks, 1, 1},
	        .block = {(unsigned)x, (unsigned)y, 1}};
	memcpy(launch->argument, argument, bytes);
}

void *launch_workspace(struct launch_plan *plan, int64_t bytes)
{
	char *memory = plan->workspace ? plan->workspace + plan->workspace_bytes : NULL;
	plan->workspace_bytes += parts_of(bytes, 256) * 256;
	return memory;
}

struct strided strided_of(const struct kernel_tensor *tensor)
{
	struct strided strided = {
	        .data = tensor->data, .dtype = tensor->layout.dtype, .dims = tensor->layout.dims};
	for (int i = 0; i < strided.dims; i++) {
		strided.dim[i] = most_of(tensor->layout.dim[i], 1);
		strided.stride[i] = tensor->layout.stride[i];
	}
	return strided;
}

int64_t launch_blocks(int64_t threads)
{
	return most_of(least_of(parts_of(threads, THREADS), INT64_C(1) << 16), 1);
}

/* A result that overlaps an argument is computed in contiguous workspace and then copied; for +=
 * the workspace begins as a copy of the result. */
static void plan_staged(const struct row *row, const struct kernel_call *call, struct launch_plan *plan)
{
	struct kernel_call staged = *call;
	bool whole = row->whole;
	for (int i = 0; i < call->ins; i++)
		whole = whole && call->in[i].layout.dtype == DT_I32;
	for (int i = 0; i < call->outs; i++) {
		const struct layout *layout = &call->out[i].layout;
		if (!kernel_must_stage(call, &call->out[i]))
			continue;
		layout_make(&staged.out[i].layout, (enum dtype)layout->dtype, layout->dims, layout->dim);
		staged.out[i].data = launch_workspace(plan, layout_bytes(layout));
		if (call->add)
			plan_elements_copy(&call->out[i], &staged.out[i], false, plan);
	}
	row->plan(&staged, whole ? row->whole : row->function, plan);
	for (int i = 0; i < call->outs; i++)
		if (kernel_must_stage(call, &call->out[i]))
			plan_elements_copy(&staged.out[i], &call->out[i], false, plan);
}

static const struct row *row_of(const struct kernel *kernel)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].kernel, kernel->name) == 0)
			return &rows[i];
	return NULL;
}

bool launch_knows(const struct kernel *kernel)
{
	return row_of(kernel);
}

void launch_index_check(struct launch_plan *plan, const struct kernel_call *call, unsigned op, void *fault)
{
	struct kernel_indices indices =
	        call->kernel->indices ? call->kernel->indices(call) : (struct kernel_indices){.argument = -1};
	plan->launches = 0;
	if (indices.argument < 0)
		return;
	const struct kernel_tensor *tensor = &call->in[indices.argument];
	struct index_check check = {.in = strided_of(tensor),
	        .count = layout_count(&tensor->layout),
	        .end = indices.end,
	        .unused = indices.unused,
	        .op = op,
	        .fault = fault};
	launch_add(plan, "indices_check", launch_blocks(check.count), THREADS, 1, &check, sizeof check);
}

void launch_plan_make(struct launch_plan *plan, const struct kernel_call *call, void *workspace)
{
	plan->launches = 0;
	plan->workspace = workspace;
	plan->workspace_bytes = 0;
	if (kernel_writes_nothing(call))
		return;
	const struct row *row = row_of(call->kernel);
	assert(row);
	plan_staged(row, call, plan);
}
