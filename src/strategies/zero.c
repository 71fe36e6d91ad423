/* zero.c -- ZeRO: what data parallelism keeps n times is cut into n parts, stage by stage
 * (arXiv:1910.02054) */
#include "strategies/sharded.h"

static struct sharding sharding_of(const struct strategy_call *call)
{
	double stage = option_number(call, "stage");
	return (struct sharding){.wrap = WRAP_BLOCK,
	        .gradients = stage >= 2,
	        .parameters = stage >= 3,
	        .reshard = true,
	        .prefetch = 1,
	        .offload = option_is(call, "offload", "host")};
}

static enum status zero_generate(const struct strategy_call *call, struct text *out)
{
	double stage = option_number(call, "stage");
	struct sharding sharding = sharding_of(call);
	if (stage != 1 && stage != 2 && stage != 3)
		return fail(ST_RANGE,
		        "stage=%g: ZeRO has the stages 1 (optimizer), 2 (and gradients) and 3 (and "
		        "parameters)",
		        stage);
	return sharded_generate(call, &sharding, out);
}

static enum status zero_parts(const struct strategy_call *call, struct parts *parts)
{
	struct sharding sharding = sharding_of(call);
	return sharded_parts(call, &sharding, parts);
}

const struct strategy strategy_zero = {
        .name = "zero",
        .usage = "strategy zero [stage=1] [accumulate=1] [offload=none]",
        .help = "data parallel, but each rank keeps only its part of the optimizer's state (1), the "
                "gradients (2), the parameters (3)",
        .cost = "memory: P parameters of a half type with Adam on n ranks (arXiv:1910.02054, table 1)\n"
                "  stage 1   2P + 2P + 12P/n    parameters, gradients, and a part of master weights and "
                "Adam's means\n"
                "  stage 2   2P + (2+12)P/n     the gradients of a block are cut as soon as they are ready\n"
                "  stage 3   (2+2+12)P/n        and of one block, and the next, the parameters are whole for "
                "a while\n"
                "  f32       4P + 4P + 8P/n;  4P + (4+8)P/n;  (4+4+8)P/n\n"
                "  with accumulate above 1 the gradients stay whole until the last micro-batch, in all "
                "stages\n"
                "  offload=host: the last of these, 12P/n, is in host memory (f32: 8P/n and a copy of the "
                "part of the parameters);\n"
                "  every step the gradients' part goes down, and the parameters' part comes up\n"
                "bytes a rank sends in a step: a reduce-scatter and an allgather, (n-1)/n of the parameters "
                "each: as an allreduce\n"
                "  stage 3   two allgathers (forward, backward) for each micro-batch: 1.5 times the bytes of "
                "stages 1 and 2",
        .option =
                {
                        {"stage", "1", NULL, UNIT_PLAIN, 1,
                                "what is cut: 1 the optimizer's state, 2 also gradients, 3 also parameters"},
                        OPTION_ACCUMULATE,
                        OPTION_OFFLOAD,
                },
        .generate = zero_generate,
        .parts = zero_parts,
};
