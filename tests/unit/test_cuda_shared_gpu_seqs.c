/* test_cuda_shared_gpu_seqs.c -- ranks that share a GPU, by sequence number: which stream waits
 * for which rank and until when, and the release of those that wait in vain */
#include "base/arithmetic.h"
#include "shared_gpu_players.h"

enum { STREAMS = 2, WIDTH = 33 };

static enum status sum(struct player *player, int part, uint32_t seq, CUdeviceptr at, CUstream stream,
        struct exchange_started started)
{
	struct rank *me = player->me;
	struct slot_ring *meeting = slot_ring_find(player->board, part);
	return player->exchange->collective(player->exchange,
	        &(struct exchange_collective){.collective = &collective_allreduce,
	                .part = part,
	                .seq = seq,
	                .n = meeting->n,
	                .place = part == 0 ? me->rank : me->rank / 2,
	                .ranks = meeting->ranks,
	                .dtype = DT_I32,
	                .in = at,
	                .out = at,
	                .in_count = WIDTH,
	                .out_count = WIDTH},
	        started, stream);
}

/* ---- a random program, the same on all: sums of all and of every second rank, messages round the ring; on two streams, with a tensor each. Every
 * process knows by hand what all have. ---- */

enum { STEPS = 700 };

struct party {
	struct player *player;
	CUstream stream[STREAMS];
	CUdeviceptr x[STREAMS], other;
	int32_t known[STREAMS][RANKS_MOST][WIDTH];
	uint32_t seq[3], sent; /* by part: all, the even, the odd */
	uint64_t seed;
};

static unsigned drawn(struct party *party, unsigned below)
{
	party->seed = party->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(party->seed >> 33) % below;
}

static void sums(struct party *party, int s, bool whole)
{
	struct rank *me = party->player->me;
	int ranks = me->ranks, part = whole ? 0 : 1 + me->rank % 2;
	GOOD(sum(party->player, part, ++party->seq[part], party->x[s], party->stream[s],
	        (struct exchange_started){0}));
	for (int i = 0; i < WIDTH; i++) {
		int64_t all[2] = {0};
		for (int r = 0; r < ranks; r++)
			all[whole ? 0 : r % 2] += party->known[s][r][i];
		for (int r = 0; r < ranks; r++)
			party->known[s][r][i] = wrapped(all[whole ? 0 : r % 2]);
	}
}

static void shifts(struct party *party, int s)
{
	struct rank *me = party->player->me;
	int ranks = me->ranks;
	struct exchange_transfer both[] = {{.seq = ++party->sent,
	                                           .peer = (me->rank + 1) % ranks,
	                                           .sends = true,
	                                           .at = party->x[s],
	                                           .bytes = WIDTH * 4},
	        {.seq = party->sent,
	                .peer = (me->rank + ranks - 1) % ranks,
	                .at = party->other + (CUdeviceptr)(4096 * s),
	                .bytes = WIDTH * 4}};
	GOOD(party->player->exchange->transfers(
	        party->player->exchange, both, 2, (struct exchange_started){0}, party->stream[s]));
	CALL(cuMemcpyDtoDAsync(party->x[s], both[1].at, WIDTH * 4, party->stream[s]));
	int32_t last[WIDTH];
	memcpy(last, party->known[s][ranks - 1], sizeof last);
	for (int r = ranks - 1; r > 0; r--)
		memcpy(party->known[s][r], party->known[s][r - 1], sizeof last);
	memcpy(party->known[s][0], last, sizeof last);
}

static void begin_party(struct party *party, struct player *player)
{
	struct rank *me = player->me;
	int members[2][RANKS_MOST], count[2] = {0};
	*party = (struct party){.player = player, .seed = 11};
	for (int r = 0; r < me->ranks; r++)
		members[r % 2][count[r % 2]++] = r;
	GOOD(player->exchange->open(player->exchange, 1 + me->rank % 2, count[me->rank % 2], me->rank / 2,
	        members[me->rank % 2]));
	GOOD(player->exchange->alloc(player->exchange, 8192, &party->other));
	for (int s = 0; s < STREAMS; s++) {
		for (int r = 0; r < me->ranks; r++)
			for (int i = 0; i < WIDTH; i++)
				party->known[s][r][i] = r * 1000 + s * 100 + i;
		GOOD(player->exchange->alloc(player->exchange, 8192, &party->x[s]));
		CALL(cuStreamCreateWithPriority(&party->stream[s], CU_STREAM_NON_BLOCKING, 0));
		CALL(cuMemcpyHtoDAsync(party->x[s], party->known[s][me->rank], WIDTH * 4, party->stream[s]));
		CALL(cuStreamSynchronize(party->stream[s]));
	}
}

static void program(struct player *player)
{
	struct rank *me = player->me;
	struct party party;
	int32_t found[WIDTH];
	begin_party(&party, player);
	for (int i = 0; i < STEPS; i++) {
		int s = (int)drawn(&party, STREAMS), what = (int)drawn(&party, 4);
		unsigned late = drawn(&party, 3 + (unsigned)me->ranks); /* a rank that is late, or none */
		if (late == (unsigned)me->rank)
			CALL(cuMemsetD8Async(party.x[s] + 4096, 0, 4096, party.stream[s]));
		if (late == (unsigned)me->rank && i % 5 == 0)
			for (int k = 0; k < 50; k++)
				sched_yield();
		if (what < 3)
			sums(&party, s, what != 1);
		else
			shifts(&party, s);
	}
	for (int s = 0; s < STREAMS; s++) {
		CALL(cuStreamSynchronize(party.stream[s]));
		to_host(me, found, party.x[s], sizeof found);
		RIGHT(memcmp(found, party.known[s][me->rank], sizeof found) == 0);
	}
}

static void hundreds_of_seqs(void **state)
{
	static const int ranks[] = {1, 2, 3, 4, 7};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(ranks); i++)
		play(ranks[i], "", program);
}

/* ---- a meeting begins with the last who comes: by the stream's clock, to the nanosecond ---- */

struct moment {
	struct cuda_library *cuda;
	int64_t ns;
};

static void note(void *argument)
{
	struct moment *moment = argument;
	moment->ns = moment->cuda->host_now();
}

static enum status queue_note(void *self, CUstream stream)
{
	struct moment *moment = self;
	return cuda_call(
	        moment->cuda, "cuLaunchHostFunc", moment->cuda->cuLaunchHostFunc(stream, note, moment));
}

static int64_t (*clocks)[2]; /* of each rank: arrived, started; shared by all */

static void late(struct player *player)
{
	struct rank *me = player->me;
	struct moment came = {.cuda = &me->cuda}, started = came;
	CUdeviceptr at, large;
	GOOD(player->exchange->alloc(player->exchange, 4096, &at));
	GOOD(player->exchange->alloc(player->exchange, 2 << 20, &large));
	for (int i = 0; i < 20 * (me->ranks - me->rank); i++)
		CALL(cuMemsetD8Async(large, 0, 2 << 20, me->stream));
	GOOD(queue_note(&came, me->stream));
	GOOD(sum(player, 0, 1, at, me->stream,
	        (struct exchange_started){.queue = queue_note, .self = &started}));
	CALL(cuStreamSynchronize(me->stream));
	clocks[me->rank][0] = came.ns;
	clocks[me->rank][1] = started.ns;
}

static void begins_with_the_last(void **state)
{
	(void)state;
	clocks = mmap(
	        NULL, RANKS_MOST * sizeof *clocks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(clocks != MAP_FAILED);
	play(4, "", late);
	for (int r = 0; r < 4; r++) {
		assert_true(clocks[r][0] <= clocks[0][0]);
		assert_int_equal(clocks[r][1], clocks[0][0]);
	}
	munmap(clocks, RANKS_MOST * sizeof *clocks);
}

/* ---- together: each of two ranks receives first and then sends, on one stream; and sums, in another order ---- */

static void crosswise(struct player *player)
{
	struct rank *me = player->me;
	struct exchange *exchange = player->exchange;
	int32_t mine[WIDTH], found[WIDTH];
	CUdeviceptr at[3];
	CUstream second;
	CALL(cuStreamCreateWithPriority(&second, CU_STREAM_NON_BLOCKING, 0));
	for (int i = 0; i < WIDTH; i++)
		mine[i] = (me->rank + 1) * 1000 + i;
	for (int i = 0; i < 3; i++) {
		GOOD(exchange->alloc(exchange, sizeof mine, &at[i]));
		CALL(cuMemcpyHtoDAsync(at[i], mine, sizeof mine, me->stream));
	}
	CALL(cuStreamSynchronize(me->stream));
	struct exchange_transfer get = {.seq = 1, .peer = !me->rank, .at = at[0], .bytes = sizeof mine},
	                         give = {.seq = 1,
	                                 .peer = !me->rank,
	                                 .sends = true,
	                                 .at = at[1],
	                                 .bytes = sizeof mine};
	struct exchange_started none = {0};
	for (uint32_t round = 1; round <= 3; round++) {
		get.seq = give.seq = round;
		GOOD(exchange->begin(exchange));
		if (me->rank == 0)
			GOOD(sum(player, 0, round, at[2], round == 2 ? second : me->stream, none));
		GOOD(exchange->transfers(exchange, &get, 1, none, me->stream));
		GOOD(exchange->transfers(exchange, &give, 1, none, me->stream));
		if (me->rank == 1)
			GOOD(sum(player, 0, round, at[2], me->stream, none));
		GOOD(exchange->end(exchange));
	}
	CALL(cuStreamSynchronize(second));
	to_host(me, found, at[0], sizeof found);
	for (int i = 0; i < WIDTH; i++)
		RIGHT(found[i] == (!me->rank + 1) * 1000 + i);
	to_host(me, found, at[2], sizeof found);
	for (int i = 0; i < WIDTH; i++)
		RIGHT(found[i] == 4 * (3000 + 2 * i));
}

static void together(void **state)
{
	(void)state;
	play(2, "", crosswise);
}

/* ---- release: rank 0 does not come to turns 2 to 300, nor does it send; all go on with the turn behind ---- */

struct releaser {
	struct exchange *exchange;
	int stop;
};

static void *release(void *argument)
{
	struct releaser *releaser = argument;
	do {
		releaser->exchange->release(releaser->exchange, 0, 300);
		sched_yield();
	} while (!__atomic_load_n(&releaser->stop, __ATOMIC_SEQ_CST));
	return NULL;
}

static void in_vain(struct player *player)
{
	struct rank *me = player->me;
	struct releaser releaser = {.exchange = player->exchange};
	int32_t x[WIDTH];
	CUdeviceptr at, other;
	pthread_t thread;
	for (int i = 0; i < WIDTH; i++)
		x[i] = 1 + i;
	GOOD(player->exchange->alloc(player->exchange, sizeof x, &at));
	GOOD(player->exchange->alloc(player->exchange, sizeof x, &other));
	CALL(cuMemcpyHtoDAsync(at, x, sizeof x, me->stream));
	GOOD(sum(player, 0, 1, at, me->stream, (struct exchange_started){0}));
	CALL(cuStreamSynchronize(me->stream));
	struct exchange_transfer get = {.seq = 1, .peer = 0, .at = other, .bytes = sizeof x};
	if (me->rank > 0) { /* more than there are slots: this thread waits too */
		GOOD(player->exchange->transfers(
		        player->exchange, &get, 1, (struct exchange_started){0}, me->stream));
		RIGHT(pthread_create(&thread, NULL, release, &releaser) == 0);
		for (uint32_t seq = 2; seq <= 300; seq++)
			GOOD(sum(player, 0, seq, at, me->stream, (struct exchange_started){0}));
		CALL(cuStreamSynchronize(me->stream));
		__atomic_store_n(&releaser.stop, 1, __ATOMIC_SEQ_CST);
		RIGHT(pthread_join(thread, NULL) == 0);
	} else {
		player->exchange->release(player->exchange, 0, 300);
	}
	to_host(me, x, at, sizeof x);
	for (int i = 0; i < WIDTH; i++)
		RIGHT(x[i] == me->ranks * (1 + i));
	GOOD(sum(player, 0, 301, at, me->stream, (struct exchange_started){0}));
	to_host(me, x, at, sizeof x);
	for (int i = 0; i < WIDTH; i++)
		RIGHT(x[i] == me->ranks * me->ranks * (1 + i));
}

static void released(void **state)
{
	(void)state;
	play(2, "", in_vain);
	play(4, "", in_vain);
}

/* ---- ranks that call for unlike things: nothing is written, and all go on ---- */

static void unlike(struct player *player)
{
	struct rank *me = player->me;
	int32_t x[WIDTH];
	CUdeviceptr at;
	for (int i = 0; i < WIDTH; i++)
		x[i] = 1 + i;
	GOOD(player->exchange->alloc(player->exchange, sizeof x, &at));
	CALL(cuMemcpyHtoDAsync(at, x, sizeof x, me->stream));
	for (uint32_t seq = 1; seq <= 4; seq++) {
		bool other = me->rank == 1;
		int64_t count = seq == 1 && other ? WIDTH * 1000 : WIDTH;
		GOOD(player->exchange->collective(player->exchange,
		        &(struct exchange_collective){.collective = seq == 3 && other ? &collective_broadcast
		                                                                      : &collective_allreduce,
		                .seq = seq,
		                .n = me->ranks,
		                .place = me->rank,
		                .ranks = player->everybody,
		                .dtype = seq == 2 && other ? DT_F16 : DT_I32,
		                .in = at,
		                .out = at,
		                .in_count = count,
		                .out_count = count},
		        (struct exchange_started){0}, me->stream));
	}
	struct exchange_transfer transfer = {.seq = 1,
	        .sends = me->rank == 0,
	        .peer = !me->rank,
	        .at = at + (me->rank == 0 ? 4 : 0),
	        .bytes = me->rank == 0 ? 8 : 4};
	if (me->rank < 2)
		GOOD(player->exchange->transfers(
		        player->exchange, &transfer, 1, (struct exchange_started){0}, me->stream));
	to_host(me, x, at, sizeof x);
	for (int i = 0; i < WIDTH; i++)
		RIGHT(x[i] == me->ranks * (1 + i)); /* turn 4's */
}

static void unlike_calls(void **state)
{
	(void)state;
	play(3, "", unlike);
}

/* ---- a rank is killed: the others wait for it until they are released, and leave ---- */

static void is_killed(struct player *player)
{
	struct rank *me = player->me;
	CUdeviceptr at;
	GOOD(player->exchange->alloc(player->exchange, 4096, &at));
	if (me->rank == 1)
		raise(SIGKILL);
	GOOD(sum(player, 0, 1, at, me->stream, (struct exchange_started){0}));
	player->exchange->release(player->exchange, 0, 1);
	CALL(cuStreamSynchronize(me->stream));
}

static void killed(void **state)
{
	int status[RANKS_MOST];
	struct scene scene = {system_shared_memory(FILE_BYTES), is_killed};
	(void)state;
	start_ranks(3, "", play_one, &scene, status);
	close(scene.fd);
	assert_int_equal(status[0], 0);
	assert_true(WIFSIGNALED(status[1]));
	assert_int_equal(status[2], 0);
}

/* ---- one rank finds no memory: no rank has an exchange, and all say why ---- */

static void find_no_memory(struct rank *me, void *self)
{
	const struct scene *scene = self;
	struct shared_gpu *board;
	struct exchange *exchange;
	take_gpu(me, 0);
	RIGHT(shared_gpu_map(scene->fd, me->ranks, me->rank, &board) == 0);
	int64_t bytes = me->rank == 1 ? INT64_C(64) << 30 : POOL;
	RIGHT(shared_gpu_open(board, &me->cuda, 0, bytes, &exchange) == ST_DEVICE_MEMORY);
	RIGHT(!exchange && strstr(fail_text(), "rank 1: cuMemAlloc"));
	shared_gpu_leave(board);
	RIGHT(mem_live() == 0);
}

/* Rank 1 does not even come to open the board: nobody waits for it. */
static void stay_away(struct rank *me, void *self)
{
	const struct scene *scene = self;
	struct shared_gpu *board;
	struct exchange *exchange;
	take_gpu(me, 0);
	RIGHT(shared_gpu_map(scene->fd, me->ranks, me->rank, &board) == 0);
	if (me->rank == 1)
		RIGHT(shared_gpu_give_up(board, (fail)(ST_GPU, "no cuBLAS")) == ST_GPU);
	else
		RIGHT(shared_gpu_open(board, &me->cuda, 0, POOL, &exchange) == ST_GPU && !exchange);
	RIGHT(strcmp(fail_text(), "rank 1: no cuBLAS") == 0);
	shared_gpu_leave(board);
	RIGHT(mem_live() == 0);
}

static void no_memory(void **state)
{
	struct scene scene = {.fd = system_shared_memory(FILE_BYTES)};
	(void)state;
	run_ranks(3, "memory=1GB", find_no_memory, &scene);
	close(scene.fd);
	scene.fd = system_shared_memory(FILE_BYTES);
	run_ranks(3, "", stay_away, &scene);
	close(scene.fd);
}

/* ---- a call of CUDA fails on rank 1: at the start no rank has an exchange; later that rank says so, and the others go on when it lets go ---- */

struct blow {
	int fd;
	const char *call;
	int number;
};

/* The result lies over the input, so that this rank's is copied first. */
static enum status sum_beside(struct player *player, uint32_t seq, CUdeviceptr at)
{
	struct rank *me = player->me;
	return player->exchange->collective(player->exchange,
	        &(struct exchange_collective){.collective = &collective_allreduce,
	                .seq = seq,
	                .n = me->ranks,
	                .place = me->rank,
	                .ranks = player->everybody,
	                .dtype = DT_I32,
	                .in = at,
	                .out = at + 4,
	                .in_count = WIDTH,
	                .out_count = WIDTH},
	        (struct exchange_started){0}, me->stream);
}

static void strike(struct rank *me, void *self)
{
	const struct blow *blow = self;
	struct player player = {.me = me, .everybody = {0, 1, 2}};
	char options[100];
	int32_t x[WIDTH + 1];
	CUdeviceptr let_go, at; /* what was let go may be written to by the others a moment longer */
	int failed = 0;
	snprintf(options, sizeof options, "fail=%s:%d", blow->call, blow->number);
	setenv("RANKSH_STANDIN", me->rank == 1 ? options : "", 1);
	take_gpu(me, 0);
	RIGHT(shared_gpu_map(blow->fd, me->ranks, me->rank, &player.board) == 0);
	enum status status = shared_gpu_open(player.board, &me->cuda, 0, POOL, &player.exchange);
	RIGHT((status == ST_OK) == !!player.exchange);
	if (status != ST_OK)
		RIGHT(strstr(fail_text(), "rank 1: ") && strstr(fail_text(), blow->call));
	if (status == ST_OK) {
		GOOD(player.exchange->alloc(player.exchange, sizeof x, &let_go));
		GOOD(player.exchange->alloc(player.exchange, sizeof x, &at));
		for (uint32_t seq = 1; seq <= 4 && !failed; seq++)
			failed += sum_beside(&player, seq, let_go) != ST_OK;
		if (failed)
			player.exchange->release(player.exchange, 0, 4);
		RIGHT(failed == (me->rank == 1));
		for (int i = 0; i < WIDTH; i++)
			x[i] = me->rank + i;
		CALL(cuMemcpyHtoDAsync(at, x, WIDTH * 4, me->stream));
		GOOD(sum_beside(&player, 5, at));
		to_host(me, x, at + 4, WIDTH * 4);
		for (int i = 0; i < WIDTH; i++)
			RIGHT(x[i] == 3 * (1 + i));
		leave(&player);
	} else {
		shared_gpu_leave(player.board);
	}
	RIGHT(mem_live() == 0);
}

static void each_call_fails(void **state)
{
	static const char *const calls[] = {"cuDeviceGetAttribute", "cuModuleGetFunction",
	        "cuMemHostRegister", "cuMemHostGetDevicePointer", "cuMemAlloc", "cuIpcGetMemHandle",
	        "cuIpcOpenMemHandle", "cuMemcpyDtoDAsync", "cuStreamBatchMemOp", "cuLaunchKernel",
	        "cuEventCreate", "cuEventRecord"};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(calls); i++)
		for (int number = 1; number <= (i < 7 ? 1 : 3); number++) {
			struct blow blow = {system_shared_memory(FILE_BYTES), calls[i], number};
			run_ranks(3, "", strike, &blow);
			close(blow.fd);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(hundreds_of_seqs),
	        cmocka_unit_test(begins_with_the_last), cmocka_unit_test(together),
	        cmocka_unit_test(released), cmocka_unit_test(unlike_calls), cmocka_unit_test(killed),
	        cmocka_unit_test(no_memory), cmocka_unit_test(each_call_fails)};
	setenv("XDG_CACHE_HOME", "/dev/null/none", 1); /* no kernels are kept */
	setenv("TMPDIR", "/proc", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
