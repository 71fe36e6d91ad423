/* plan_moving.c -- launches of the families convert and permute (convert.cu, permute.cu) */
#include "base/arithmetic.h"
#include "cuda/kernels/launch.h"
#include "kernels/common.h"

enum { PARTS = 512 };

static struct moving moving_of(const struct kernel_call *call)
{
	struct moving moving = {.add = call->add, .count = layout_count(&call->in[0].layout)};
	for (int i = 0; i < 2; i++) {
		moving.in[i] = i < call->ins ? strided_of(&call->in[i]) : (struct strided){0};
		moving.out[i] = i < call->outs ? strided_of(&call->out[i]) : (struct strided){0};
	}
	return moving;
}

static void add_threads(
        struct launch_plan *plan, const char *function, int64_t threads, const struct moving *moving)
{
	launch_add(plan, function, launch_blocks(threads), THREADS, 1, moving, sizeof *moving);
}

/* The largest size of each block, then of all, then the division */
void plan_quantize(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct moving moving = moving_of(call);
	int64_t parts = most_of(least_of(parts_of(moving.count, 4 * THREADS), PARTS), 1);
	moving.rows = moving.count;
	moving.parts = launch_workspace(plan, (parts + 1) * (int64_t)sizeof(double));
	launch_add(plan, "convert_largest", parts, THREADS, 1, &moving, sizeof moving);
	moving.count = parts;
	launch_add(plan, "convert_scale", 1, THREADS, 1, &moving, sizeof moving);
	add_threads(plan, function, moving.rows, &moving);
}

void plan_topk(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct moving moving = moving_of(call);
	moving.columns = kernel_row_length(&call->in[0]);
	moving.rows = layout_rows(&call->in[0].layout);
	moving.count = (int64_t)call->option[0];
	launch_add(plan, function, least_of(moving.rows, 1 << 16), THREADS, 1, &moving, sizeof moving);
}

/* zeros first, or adds to the old values */
void plan_topk_grad(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct kernel_call zeros = {.outs = 1, .out = {call->out[0]}, .add = call->add};
	struct moving moving = moving_of(call);
	plan_elements(&zeros, "source_full", plan);
	moving.columns = kernel_row_length(&call->out[0]);
	moving.count = kernel_row_length(&call->in[0]);
	moving.rows = layout_rows(&call->in[0].layout);
	add_threads(plan, function, moving.rows * moving.count, &moving);
}

void plan_transpose(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct kernel_call turned = *call;
	turned.in[0].layout = kernel_turned(call->in[0].layout);
	plan_tiles(&turned, function, plan);
}

/* Chunks of 256 indices, longer for many bins: at most 2^22 counters */
void plan_binsort(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct moving moving = moving_of(call);
	moving.bins = (int64_t)call->option[0];
	moving.capacity = (int64_t)call->option[1];
	int64_t most = most_of((INT64_C(1) << 22) / moving.bins, 1);
	moving.chunk = most_of(256, parts_of(moving.count, most));
	moving.rows = parts_of(moving.count, moving.chunk);
	moving.parts = launch_workspace(plan, (moving.rows + 1) * moving.bins * (int64_t)sizeof(long long));
	add_threads(plan, "permute_binsort_count", moving.rows * moving.bins, &moving);
	add_threads(plan, "permute_binsort_sum", moving.bins, &moving);
	launch_add(plan, "permute_binsort_begin", 1, 1, 1, &moving, sizeof moving);
	add_threads(plan, function, moving.rows * (moving.bins + 1), &moving);
}

static int64_t choices(const struct layout *to)
{
	return to->dim[0] ? layout_count(to) / to->dim[0] : 0;
}

void plan_permute(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct moving moving = moving_of(call);
	moving.rows = call->out[0].layout.dim[0];
	moving.columns = call->out[0].layout.dim[1];
	moving.count = layout_count(&call->in[1].layout);
	moving.chunk = choices(&call->in[1].layout);
	int64_t blocks = moving.rows * parts_of(moving.columns, THREADS);
	launch_add(plan, function, least_of(blocks, 1 << 16), THREADS, 1, &moving, sizeof moving);
}

void plan_unpermute(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct moving moving = moving_of(call);
	moving.rows = call->out[0].layout.dim[0];
	moving.columns = call->out[0].layout.dim[1];
	moving.bins = call->in[0].layout.dim[0];
	moving.chunk = choices(&call->in[1].layout);
	add_threads(plan, function, moving.rows * moving.columns, &moving);
}

void plan_sort_chunks(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct moving moving = moving_of(call);
	const struct layout *n = &call->in[1].layout;
	moving.rows = call->in[0].layout.dim[0];
	moving.columns = moving.count / moving.rows;
	moving.bins = layout_count(n);
	moving.chunk = n->dim[0];
	moving.capacity = n->dim[1];
	moving.parts = launch_workspace(plan, (3 * moving.bins + 2) * (int64_t)sizeof(long long));
	launch_add(plan, "permute_chunks_begin", 1, 1, 1, &moving, sizeof moving);
	add_threads(plan, function, moving.rows * moving.columns, &moving);
}
