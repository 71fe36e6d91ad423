/* nccl_players.h -- processes as ranks with one GPU each, which use NCCL; part 0 is all ranks */
#ifndef RANKSH_TEST_NCCL_PLAYERS_H
#define RANKSH_TEST_NCCL_PLAYERS_H

#include "cuda/exchange/nccl/party.h"
#include "standin_ranks.h"

struct player {
	struct rank *me;
	struct exchange *exchange;
	uint32_t seq;
	int everybody[RANKS_MOST];
};

#define GOOD(call)                                            \
	do {                                                  \
		enum status status_ = (call);                 \
		if (status_ != ST_OK)                         \
			fprintf(stderr, "%s\n", fail_text()); \
		RIGHT(status_ == ST_OK);                      \
	} while (0)

/* What control would tell: a part of all, and the channels round their ring, both ways */
static inline void tell(struct player *player)
{
	struct rank *me = player->me;
	ncclUniqueId ids[1 + 2 * RANKS_MOST] = {0};
	struct nccl_party parties[1 + 2 * RANKS_MOST] = {{.n = me->ranks, .ranks = player->everybody}};
	int ends[2 * RANKS_MOST][2], count = 1;
	for (int r = 0; r < me->ranks && me->ranks > 1; r++)
		for (int way = 0; way < (me->ranks > 2 ? 2 : 1); way++) {
			int *end = ends[count - 1], next = (r + 1) % me->ranks;
			end[0] = way ? next : r;
			end[1] = way ? r : next;
			parties[count++] = (struct nccl_party){.kind = NCCL_CHANNEL, .n = 2, .ranks = end};
		}
	if (me->rank == 0)
		GOOD(meet_ids(&me->cuda, parties, count, ids));
	share(me, ids, sizeof ids);
	meet_told(NCCL_OF(player->exchange), parties, count, ids);
}

static inline void come(struct player *player, struct rank *me)
{
	*player = (struct player){.me = me};
	take_gpu(me, me->rank);
	open_part(me, CUDA_PART_NCCL);
	GOOD(nccl_make(&me->cuda, me->rank, me->rank, &player->exchange));
	for (int r = 0; r < me->ranks; r++)
		player->everybody[r] = r;
	tell(player);
}

static inline void leave(struct player *player)
{
	player->exchange->close(player->exchange);
}

static inline void play_one(struct rank *me, void *self)
{
	void (*const *run)(struct player * player) = self;
	struct player player;
	come(&player, me);
	GOOD(player.exchange->open(player.exchange, 0, me->ranks, me->rank, player.everybody));
	(*run)(&player);
	leave(&player);
	RIGHT(mem_live() == 0);
}

/* run(player) on each of `ranks` processes */
static inline void play(int ranks, const char *options, void (*run)(struct player *player))
{
	run_ranks(ranks, options, play_one, &run);
}

#endif
