/* planners.h -- the planners of launch.c's rows. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_CUDA_PLANNERS_H
#define RANKSH_CUDA_PLANNERS_H

#include "cuda/kernels/launch.h"

/* plan_options.c */
launch_planner plan_scale, plan_dropout, plan_adam, plan_zeros, plan_ones;
#endif
