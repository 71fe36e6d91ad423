/* fsdp.c -- fully sharded data parallel, with PyTorch's choices (arXiv:2304.11277) */
#include "strategies/sharded.h"

static struct sharding sharding_of(const struct strategy_call *call)
{
	return (struct sharding){
	        .wrap = option_is(call, "wrap", "layer")   ? WRAP_LAYER
	                : option_is(call, "wrap", "model") ? WRAP_MODEL
	                                                   : WRAP_BLOCK,
	        .gradients = true,
	        .parameters = true,
	        .reshard = option_is(call, "reshard", "on"),
	        .prefetch = (int)option_number(call, "prefetch"),
	        .offload = option_is(call, "offload", "host"),
	};
}

static enum status fsdp_generate(const struct strategy_call *call, struct text *out)
{
	struct sharding sharding = sharding_of(call);
	return sharded_generate(call, &sharding, out);
}

static enum status fsdp_parts(const struct strategy_call *call, struct parts *parts)
{
	struct sharding sharding = sharding_of(call);
	return sharded_parts(call, &sharding, parts);
}

const struct strategy strategy_fsdp = {
        .name = "fsdp",
        .usage = "strategy fsdp [wrap=block] [prefetch=1] [reshard=on] [accumulate=1] [offload=none]",
        .help = "every rank keeps 1/n of everything; a layer's parameters are gathered before it computes, "
                "and freed after it",
        .cost = "memory: 1/n of parameters, gradients and optimizer; whole for a while: the parameters of "
                "1+prefetch groups and the gradients of one\n"
                "  reshard=off   all parameters whole from forward to backward\n"
                "  wrap=model    everything whole at once: only the optimizer's state is small\n"
                "  accumulate    above 1: the gradients stay whole until the last micro-batch (PyTorch's "
                "no_sync)\n"
                "  offload=host  the optimizer's state in host memory; gradients go down and parameters come "
                "up, 1/n of each, every step\n"
                "bytes a rank sends: allgather in forward, allgather in backward (not with reshard=off, "
                "wrap=model, or of what is in no block),\n"
                "  for each micro-batch, and a reduce-scatter a step: (n-1)/n of the parameters each",
        .option =
                {
                        {"wrap", "block", "layer block model", UNIT_PLAIN, 0,
                                "parameters gathered together: layer (gpt: attention and MLP apart), block "
                                "(mlp: two layers), model (everything)"},
                        {"prefetch", "1", NULL, UNIT_PLAIN, 0,
                                "groups that are gathered ahead of the one that computes"},
                        {"reshard", "on", "on off", UNIT_PLAIN, 0,
                                "freed after forward and gathered again for backward (PyTorch's "
                                "reshard_after_forward)"},
                        OPTION_ACCUMULATE,
                        OPTION_OFFLOAD,
                },
        .generate = fsdp_generate,
        .parts = fsdp_parts,
};
