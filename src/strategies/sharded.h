/* sharded.h -- parameters in flat groups, each cut into equal parts, one per rank: what zero and fsdp have in
 * common
 *
 *     group      the parameters of a layer, one behind the other, padded with zeros to a multiple of the
 *                ranks (as PyTorch's flat parameter)
 *     flat2      [P] the whole group, of the model's type; w2 and the others are views into it
 *     shard2     [P/n] this rank's part; with a half type also shard2_f32, the master; Adam's shard2_m and
 *                shard2_v
 *     dflat2     [P] gradients;  dshard2 [P/n] this rank's part of their mean
 *     ready2     flat2 is whole again;  summed2: dshard2 is
 *
 *     host2      with offload, in pinned host memory [P/n]: what the optimizer steps (host2_f32 with a half
 *                type, host2_m, host2_v) and dhost2, the gradients that came down
 *
 * Gathers and reduce-scatters run on the stream comm, everything else on compute; with offload, copies on
 * down and up, the optimizer on cpu. */
#ifndef RANKSH_SHARDED_H
#define RANKSH_SHARDED_H

#include "strategies/shared.h"

#define OPTION_OFFLOAD                                                                          \
	{                                                                                       \
		"offload", "none", "none host", UNIT_PLAIN, 0,                                  \
		        "host: master weights, the optimizer's state and its steps on the host" \
	}

enum wrap {
	WRAP_LAYER, /* mlp: every layer; gpt: attention and MLP of a block apart */
	WRAP_BLOCK, /* mlp: two layers; gpt: every block */
	WRAP_MODEL, /* one group */
};
struct sharding {
	enum wrap wrap;
	bool gradients;  /* a rank keeps its part of the gradients only (stages 2 and 3) */
	bool parameters; /* and of the parameters: gathered before use, freed after it (stage 3) */
	bool reshard;    /* freed also between forward and backward */
	bool offload; /* master weights and the optimizer's state in host memory, and its steps on the host */
	int prefetch; /* groups gathered ahead of the one in use */
};
enum status sharded_generate(
        const struct strategy_call *call, const struct sharding *sharding, struct text *out);
enum status sharded_parts(
        const struct strategy_call *call, const struct sharding *sharding, struct parts *parts);

#endif
