/* shared_gpu_players.h -- processes as ranks that share GPU 0 of the stand-in, and communicate */
#ifndef RANKSH_TEST_SHARED_GPU_PLAYERS_H
#define RANKSH_TEST_SHARED_GPU_PLAYERS_H

#include "cuda/exchange/shared_gpu/state.h"
#include "system/system.h"
#include "standin_ranks.h"

enum { POOL = 32 << 20 };

/* A rank on the board */
struct player {
	struct rank *me;
	struct shared_gpu *board;
	struct exchange *exchange;
	uint32_t seq; /* of part 0 */
	int everybody[RANKS_MOST];
};

#define GOOD(call)                                            \
	do {                                                  \
		enum status status_ = (call);                 \
		if (status_ != ST_OK)                         \
			fprintf(stderr, "%s\n", fail_text()); \
		RIGHT(status_ == ST_OK);                      \
	} while (0)

static inline void come(struct player *player, struct rank *me, int fd)
{
	*player = (struct player){.me = me};
	take_gpu(me, 0);
	RIGHT(shared_gpu_map(fd, me->ranks, me->rank, &player->board) == 0);
	GOOD(shared_gpu_open(player->board, &me->cuda, 0, POOL, &player->exchange));
	for (int r = 0; r < me->ranks; r++)
		player->everybody[r] = r;
	GOOD(player->exchange->open(player->exchange, 0, me->ranks, me->rank, player->everybody));
}

static inline void leave(struct player *player)
{
	player->exchange->close(player->exchange);
	shared_gpu_leave(player->board);
}

/* run(player) on each of `ranks` processes */
struct scene {
	int fd;
	void (*run)(struct player *player);
};

static inline void play_one(struct rank *me, void *self)
{
	const struct scene *scene = self;
	struct player player;
	come(&player, me, scene->fd);
	scene->run(&player);
	leave(&player);
	RIGHT(mem_live() == 0);
}

static inline void play(int ranks, const char *options, void (*run)(struct player *player))
{
	struct scene scene = {system_shared_memory(FILE_BYTES), run};
	assert_true(scene.fd >= 0);
	run_ranks(ranks, options, play_one, &scene);
	close(scene.fd);
}

#endif
