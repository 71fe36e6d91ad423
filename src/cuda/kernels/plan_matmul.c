/* plan_matmul.c -- matmul: a cuBLAS call (gemm.h), or matmul_any (matmul.cu) for other operands */
#include "base/arithmetic.h"
#include "cuda/kernels/gemm.h"
#include "cuda/kernels/planners.h"

struct device_matrix device_matrix_of(const struct kernel_tensor *tensor)
{
	const struct layout *layout = &tensor->layout;
	return (struct device_matrix){tensor->data, layout->stride[0], layout->stride[1], layout->dtype};
}

void plan_matmul(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	struct gemm gemm;
	if (gemm_of(call, &gemm)) {
		launch_add(plan, launch_gemm, 1, 1, 1, &gemm, sizeof gemm);
		return;
	}
	struct product product = {.a = device_matrix_of(&call->in[0]),
	        .b = device_matrix_of(&call->in[1]),
	        .y = device_matrix_of(&call->out[0]),
	        .m = call->out[0].layout.dim[0],
	        .n = call->out[0].layout.dim[1],
	        .k = (int)call->in[0].layout.dim[1],
	        .add = call->add,
	        .scale = (float)call->option[0]};
	launch_add(plan, function, parts_of(product.m, TILE) * parts_of(product.n, TILE), TILE_THREADS, 1,
	        &product, sizeof product);
}
