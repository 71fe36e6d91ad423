/* planners.h -- the planners of launch.c's rows. An umbrella header. */
#ifndef RANKSH_CUDA_PLANNERS_H
#define RANKSH_CUDA_PLANNERS_H

#include "cuda/kernels/launch.h"

/* plan_options.c */
launch_planner plan_scale, plan_dropout, plan_adam, plan_zeros, plan_ones;
/* plan_moving.c */
launch_planner plan_quantize, plan_topk, plan_topk_grad, plan_transpose, plan_binsort,
        plan_permute, plan_unpermute, plan_sort_chunks;
/* plan_rows.c */
launch_planner plan_rows, plan_total, plan_mse_grad, plan_crossentropy, plan_crossentropy_grad, plan_embed,
        plan_embed_grad, plan_colsum;
/* plan_attention.c */
launch_planner plan_attention, plan_attention_grad, plan_attention_merge;

/* plan_matmul.c */
launch_planner plan_matmul;
struct device_matrix device_matrix_of(const struct kernel_tensor *tensor); /* of two dimensions */

#endif
