/* plan_options.c -- options as kernels need them: what is the same for all elements is computed
 * once on the host, by the simulator's libm */
#include "cuda/kernels/planners.h"

#include <math.h>

/* as PyTorch, which rounds the factor to f32 */
void plan_scale(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	plan_elements_with(call, function, (double[ELEMENTS_OPTIONS]){(float)call->option[0]}, plan);
}

/* p, seed, at, width as in src/kernels/dropout.c; then the length of a row, and 1 / (1 - p) */
void plan_dropout(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	const struct layout *x = &call->in[0].layout;
	double p = call->option[0], width = call->option[3], length = (double)x->dim[x->dims - 1];
	plan_elements_with(call, function,
	        (double[ELEMENTS_OPTIONS]){
	                p, call->option[1], call->option[2], width > 0 ? width : length, length, 1 / (1 - p)},
	        plan);
}

/* beta1, beta2, eps; the step of src/kernels/inplace.c, and 1 / its root */
void plan_adam(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	const double *option = call->option;
	double lr = option[0], beta1 = option[1], beta2 = option[2], eps = option[3], t = option[4];
	plan_elements_with(call, function,
	        (double[ELEMENTS_OPTIONS]){
	                beta1, beta2, eps, lr / (1 - pow(beta1, t)), 1 / sqrt(1 - pow(beta2, t))},
	        plan);
}

void plan_zeros(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	plan_elements_with(call, function, (double[ELEMENTS_OPTIONS]){0}, plan);
}

void plan_ones(const struct kernel_call *call, const char *function, struct launch_plan *plan)
{
	plan_elements_with(call, function, (double[ELEMENTS_OPTIONS]){1}, plan);
}
