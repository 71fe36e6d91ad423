/* test_sim_order.c -- properties of random programs: the order in which ranks' lines are typed,
 * advancing and looking have no effect; causes precede effects; after the n-th allocation
 * fails, the machine continues as if nothing had happened */
#include "check.h"
#include "sim_world.h"

enum { RANKS = 5, STREAMS = 3, STEPS = 60, LINES = STEPS * 2 };

enum step_kind {
	STEP_KERNEL,
	STEP_SPIN,
	STEP_HOST,
	STEP_SYNC,
	STEP_SYNC_ALL,
	STEP_RECORD,
	STEP_WAIT,
	STEP_UP,
	STEP_DOWN,
	STEP_WITHIN,
	STEP_ALL,
	STEP_PAIR,
	STEP_SENDRECV,
	STEP_SEND,
	STEP_RECEIVE,
	STEP_KINDS
};
struct line {
	enum step_kind kind;
	int stream, size, peer, target;
};
struct program {
	struct line line[RANKS][LINES];
	int count[RANKS];
	int pair;
	int64_t timeout; /* of both groups; 0: none */
	int backup;      /* of collectives of all */
};
struct result {
	int64_t issue, ready, start, end;
};
struct results {
	struct result of[RANKS][LINES];
	int64_t clock[RANKS];
};

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}
static int below(uint32_t *seed, int n)
{
	return (int)(next_random(seed) % (uint32_t)n);
}

static void add(struct program *p, int rank, struct line line)
{
	p->line[rank][p->count[rank]++] = line;
}

static int stream(uint32_t *seed)
{
	return STREAM_DEFAULT + below(seed, STREAMS);
}

static void add_step(struct program *p, uint32_t *seed)
{
	enum step_kind kind = (enum step_kind)below(seed, STEP_SEND);
	int rank = below(seed, RANKS), peer = (rank + 1 + below(seed, RANKS - 1)) % RANKS,
	    size = 1 + below(seed, 60);
	if (kind == STEP_ALL) {
		for (int r = 0; r < RANKS; r++)
			add(p, r, (struct line){kind, stream(seed), size, 0, 0});
	} else if (kind == STEP_PAIR && (rank < 2 || peer < 2)) {
		for (int r = 0; r < 2; r++)
			add(p, r, (struct line){kind, stream(seed), size, 0, 0});
	} else if (kind == STEP_PAIR) {
		add(p, rank, (struct line){STEP_SEND, stream(seed), size, peer, 0});
		add(p, peer, (struct line){STEP_RECEIVE, stream(seed), size, rank, 0});
	} else if (kind == STEP_SENDRECV) {
		add(p, rank, (struct line){kind, stream(seed), size, peer, 0});
		add(p, peer, (struct line){kind, stream(seed), size, rank, 0});
	} else {
		add(p, rank,
		        (struct line){kind, stream(seed), size, 0,
		                p->count[rank] ? below(seed, p->count[rank]) : -1});
	}
}

static void make_program(struct program *p, uint32_t seed)
{
	memset(p, 0, sizeof *p);
	for (int i = 0; i < STEPS; i++)
		add_step(p, &seed);
}

static op_id apply(struct bench *b, const struct program *p, int rank, int i, const op_id *ids)
{
	const struct line *line = &p->line[rank][i];
	op_id target = line->target >= 0 ? ids[line->target] : 0;
	switch (line->kind) {
	case STEP_KERNEL:
		return kernel(b, rank, line->stream, line->size);
	case STEP_SPIN:
		return spin(b, rank, line->stream, line->size);
	case STEP_HOST:
		return host_work(b, rank, line->size);
	case STEP_SYNC:
		return sync_on(b, rank, target);
	case STEP_SYNC_ALL:
		return sync_on(b, rank, OP_EVERYTHING);
	case STEP_RECORD:
		return record_on(b, rank, line->stream);
	case STEP_WAIT:
		return wait_on(b, rank, line->stream, target);
	case STEP_UP:
		return copy(b, rank, line->stream, SPACE_PINNED, SPACE_DEVICE, line->size);
	case STEP_DOWN:
		return copy(b, rank, line->stream, SPACE_DEVICE, SPACE_PINNED, line->size);
	case STEP_WITHIN:
		return copy(b, rank, line->stream, SPACE_DEVICE, SPACE_DEVICE, line->size);
	case STEP_ALL:
		return allreduce_backup(b, rank, line->stream, 0, line->size * US, p->backup);
	case STEP_PAIR:
		return allreduce_in(b, rank, line->stream, p->pair, line->size * US);
	case STEP_SENDRECV:
		return parts(b, rank, line->stream, 2,
		        (struct part_of[]){{P2P_SEND, line->peer}, {P2P_RECV, line->peer}}, line->size);
	case STEP_SEND:
		return transfer(b, rank, line->stream, P2P_SEND, line->peer, line->size);
	default:
		return transfer(b, rank, line->stream, P2P_RECV, line->peer, line->size);
	}
}

static void open_world(struct bench *b, struct program *p)
{
	bench_open(b, RANKS);
	b->machine.gpus = 3; /* two nodes */
	for (int r = 0; r < RANKS; r++)
		for (int s = 2; s < STREAM_DEFAULT + STREAMS; s++)
			stream_of(b, r, s == 2 ? "two" : "three", s == 2 && r % 2);
	assert_int_equal(world_group_make(b->world, name_of(b, "pair"), false, 1, (int[]){0, 2},
	                         (int[]){0, 1}, &p->pair),
	        ST_OK);
	for (int group = 0; p->timeout && group < 2; group++)
		world_group_timeout(b->world, group, p->timeout);
}

/* As the shell does when an answer has come; how many there were. */
static int hear(struct bench *b)
{
	struct expiry expiry;
	int heard = 0;
	for (; b->backend->expired(b->backend, &expiry); heard++)
		world_expire(b->world, expiry.match);
	return heard;
}

static void disturb(struct bench *b, uint32_t *seed)
{
	op_id on;
	switch (below(seed, 8)) {
	case 0:
		advance(b);
		break;
	case 1:
		if (b->world->op_count)
			times_of(b, 1 + (op_id)below(seed, (int)b->world->op_count));
		break;
	case 2:
		b->backend->waiting(b->backend, below(seed, RANKS), &on);
		break;
	default:
		break;
	}
}

static void collect(
        struct bench *b, const struct program *p, op_id ids[RANKS][LINES], struct results *results)
{
	memset(results, 0, sizeof *results);
	for (int r = 0; r < RANKS; r++) {
		for (int i = 0; i < p->count[r]; i++) {
			struct times t = times_of(b, ids[r][i]);
			results->of[r][i] = (struct result){t.issue, t.ready, t.start, t.end};
		}
		results->clock[r] = host_of(b, r).clock;
		assert_true(p->count[r] > 0 && results->clock[r] > 0); /* there is something to compare */
	}
}

/* Lines of each rank in order, between ranks as `seed` likes; up to `upto` of each rank's. */
static void type(struct bench *b, const struct program *p, uint32_t *seed, bool looks, int done[RANKS],
        const int upto[RANKS], op_id ids[RANKS][LINES])
{
	for (;;) {
		int left = 0;
		for (int r = 0; r < RANKS; r++)
			left += upto[r] - done[r];
		if (!left)
			return;
		int rank = below(seed, RANKS);
		int run = 1 + below(seed, 6);
		for (; run > 0 && done[rank] < upto[rank]; run--, done[rank]++) {
			ids[rank][done[rank]] = apply(b, p, rank, done[rank], ids[rank]);
			if (looks)
				disturb(b, seed);
		}
	}
}

static void play(struct program *p, uint32_t seed, bool looks, struct results *results,
        void check(struct bench *, op_id ids[RANKS][LINES]))
{
	struct bench b;
	op_id ids[RANKS][LINES], last[RANKS];
	int done[RANKS] = {0};
	open_world(&b, p);
	type(&b, p, &seed, looks, done, p->count, ids);
	for (int r = 0; r < RANKS; r++)
		last[r] = sync_on(&b, r, OP_EVERYTHING);
	assert_int_equal(b.backend->reach(b.backend, last, RANKS, NULL), ST_OK);
	collect(&b, p, ids, results);
	if (check)
		check(&b, ids);
	bench_close(&b);
}

static void check_causes(struct bench *b, op_id ids[RANKS][LINES])
{
	const struct world *world = b->world;
	(void)ids;
	for (op_id id = 1; id <= world->op_count; id++) {
		const struct op *op = &world->ops[id];
		const struct record *record = op_record(world, id);
		assert_true(op->flags & OPF_DONE);
		assert_true(op->issue <= op->ready && op->ready <= op->start && op->start <= op->end);
		if (op->flags & (OPF_ABORTED | OPF_LATE))
			continue;
		if (!op_kind_is_host((enum op_kind)record->kind) && op->next_stream)
			assert_true(world->ops[op->next_stream].start >= op->end);
		if (op->target && op->target != OP_EVERYTHING)
			assert_true(op->end >= world->ops[op->target].end);
		if (record->kind == OP_KERNEL || record->kind == OP_COPY || record->kind == OP_COLLECTIVE ||
		        record->kind == OP_P2P)
			assert_true(op->end - op->start >= record->alone_ns - (record->kind == OP_P2P));
	}
	for (size_t i = 1; i <= world->match_count; i++) {
		const struct match *match = &world->matches[i];
		for (int k = 1; k < match->n && !match->p2p; k++) {
			const struct op *a = &world->ops[match->member[0]],
			                *c = &world->ops[match->member[k]];
			assert_true(match->aborted || !match_complete(match) ||
			        (a->flags | c->flags) & (OPF_LATE | OPF_ABORTED) ||
			        (a->start == c->start && a->end == c->end));
		}
	}
}

static int expired_seen, in_time_seen;

static void check_expired(struct bench *b, op_id ids[RANKS][LINES])
{
	int heard = hear(b);
	check_causes(b, ids);
	expired_seen += heard > 0;
	in_time_seen += heard == 0;
}

static void test_typing_order_and_looking_mean_nothing(void **state)
{
	static struct program p;
	static struct results plain, other;
	(void)state;
	for (uint32_t seed = 1; seed <= 150; seed++) {
		make_program(&p, seed);
		play(&p, seed, false, &plain, check_causes);
		for (uint32_t k = 1; k <= 4; k++) {
			play(&p, seed * 977 + k, true, &other, NULL);
			assert_memory_equal(&plain, &other, sizeof plain);
		}
	}
}

/* Answers are owed on the way, at the same places of each rank's program: all between two of them
 * commutes. */
static void play_with_answers(
        struct program *p, uint32_t shape, uint32_t seed, bool looks, struct results *results)
{
	struct bench b;
	op_id ids[RANKS][LINES], last[RANKS];
	int done[RANKS] = {0}, upto[RANKS];
	open_world(&b, p);
	for (int round = 1; round <= 4; round++) {
		for (int r = 0; r < RANKS; r++)
			upto[r] = round == 4 ? p->count[r] : p->count[r] * round / 4;
		type(&b, p, &seed, looks, done, upto, ids);
		int rank = below(&shape, RANKS);
		op_id sync = sync_on(&b, rank, OP_EVERYTHING);
		int64_t clock = host_of(&b, (rank + 1) % RANKS).clock;
		enum status status = reach(&b, sync);
		assert_true(status == ST_OK || status == ST_WAITS || (p->timeout && status == ST_STUCK));
		if (status != ST_OK)
			continue;
		assert_true(host_of(&b, (rank + 1) % RANKS).clock >= clock);
		hear(&b);
	}
	for (int r = 0; r < RANKS; r++)
		last[r] = sync_on(&b, r, OP_EVERYTHING);
	/* a message whose other end went with a timeout is waited for in vain */
	enum status status = b.backend->reach(b.backend, last, RANKS, NULL);
	assert_true(status == ST_OK || (p->timeout && (status == ST_STUCK || status == ST_WAITS)));
	collect(&b, p, ids, results);
	hear(&b);
	if (status == ST_OK)
		check_causes(&b, ids);
	bench_close(&b);
}

static void test_order_between_answers_means_nothing(void **state)
{
	static struct program p;
	static struct results plain, other;
	(void)state;
	for (uint32_t seed = 1; seed <= 150; seed++) {
		make_program(&p, seed);
		play_with_answers(&p, seed, seed, false, &plain);
		for (uint32_t k = 1; k <= 3; k++) {
			play_with_answers(&p, seed, seed * 977 + k, true, &other);
			assert_memory_equal(&plain, &other, sizeof plain);
		}
	}
}

/* The same where collectives wait for so long and no longer: who stands in a group at the time of its timeout ends
 * then, whoever was typed first. */
static void test_order_means_nothing_with_timeouts(void **state)
{
	static struct program p;
	static struct results plain, other;
	(void)state;
	for (uint32_t seed = 1; seed <= 150; seed++) {
		make_program(&p, seed);
		p.timeout = (1 + seed % 10) * (seed % 2 ? 20 : 300) * US;
		play_with_answers(&p, seed, seed, false, &plain);
		for (uint32_t k = 1; k <= 3; k++) {
			play_with_answers(&p, seed, seed * 977 + k, true, &other);
			assert_memory_equal(&plain, &other, sizeof plain);
		}
		play(&p, seed, false, &plain, check_expired);
		play(&p, seed * 977, true, &other, NULL);
		assert_memory_equal(&plain, &other, sizeof plain);
	}
	assert_true(expired_seen > 20 && in_time_seen > 20);
}

static int left_out_seen;

/* As many as it waits for count, and none of them was ready behind one that does not, unless that one still had the
 * result of the collective before to fetch. */
static void check_left_out(struct bench *b, op_id ids[RANKS][LINES])
{
	const struct world *world = b->world;
	check_causes(b, ids);
	for (size_t i = 1; i <= world->match_count; i++) {
		const struct match *match = &world->matches[i];
		int backup = match->p2p ? 0 : op_record(world, match->member[0])->backup, late = 0;
		int64_t last = 0, first_late = INT64_MAX;
		for (int k = 0; k < match->n && backup; k++) {
			const struct op *op = &world->ops[match->member[k]];
			bool left_out = op->flags & OPF_LATE;
			late += left_out;
			last = left_out || op->ready < last ? last : op->ready;
			op_id before = match->before ? world->matches[match->before].member[k] : 0;
			if (left_out && !(world->ops[before].flags & OPF_LATE) && op->ready < first_late)
				first_late = op->ready;
		}
		assert_int_equal(late, backup);
		assert_true(last <= first_late);
		left_out_seen += late;
	}
}

/* The same where collectives begin without the last to come. */
static void test_order_means_nothing_with_backup(void **state)
{
	static struct program p;
	static struct results plain, other;
	(void)state;
	/* 1943: a quiet rank meets one that the answer does not need */
	for (uint32_t seed = 1; seed <= 1943; seed += seed == 150 ? 1793 : 1) {
		make_program(&p, seed);
		p.backup = 1 + (int)seed % 3;
		p.timeout = seed % 5 ? 0 : 200 * US;
		play_with_answers(&p, seed, seed, false, &plain);
		for (uint32_t k = 1; k <= 3; k++) {
			play_with_answers(&p, seed, seed * 977 + k, true, &other);
			assert_memory_equal(&plain, &other, sizeof plain);
		}
		play(&p, seed, false, &plain, p.timeout ? check_expired : check_left_out);
		play(&p, seed * 977, true, &other, NULL);
		assert_memory_equal(&plain, &other, sizeof plain);
	}
	assert_true(left_out_seen > 1000);
}

/* What is drawn is what comes, when nothing more is typed. */
static void test_projection_is_what_comes(void **state)
{
	static struct program p;
	static struct results drawn, came;
	(void)state;
	for (uint32_t seed = 1; seed <= 60; seed++) {
		struct bench b;
		op_id ids[RANKS][LINES], last[RANKS];
		int done[RANKS] = {0};
		uint32_t order = seed;
		make_program(&p, seed);
		open_world(&b, &p);
		type(&b, &p, &order, true, done, p.count, ids);
		for (int r = 0; r < RANKS; r++)
			last[r] = sync_on(&b, r, OP_EVERYTHING);
		collect(&b, &p, ids, &drawn);
		assert_int_equal(b.backend->reach(b.backend, last, RANKS, NULL), ST_OK);
		collect(&b, &p, ids, &came);
		assert_memory_equal(drawn.of, came.of, sizeof came.of);
		bench_close(&b);
	}
}

static bool stop_now(struct budget *budget)
{
	++*(int *)budget->self;
	return false;
}

static void test_interrupted_work_goes_on(void **state)
{
	static struct program p;
	static struct results plain, other;
	(void)state;
	make_program(&p, 7);
	play(&p, 7, false, &plain, NULL);
	struct bench b;
	op_id ids[RANKS][LINES], last[RANKS];
	int done[RANKS] = {0}, stops = 0;
	uint32_t order = 3;
	open_world(&b, &p);
	type(&b, &p, &order, false, done, p.count, ids);
	for (int r = 0; r < RANKS; r++)
		last[r] = sync_on(&b, r, OP_EVERYTHING);
	enum status status;
	do {
		struct budget budget = {.steps = 1, .more = stop_now, .self = &stops};
		status = b.backend->advance(b.backend, &budget);
	} while (status == ST_INTERRUPTED);
	assert_int_equal(status, ST_OK);
	assert_true(stops > 1);
	assert_int_equal(b.backend->reach(b.backend, last, RANKS, NULL), ST_OK);
	collect(&b, &p, ids, &other);
	assert_memory_equal(&plain, &other, sizeof plain);
	bench_close(&b);
}

static bool run_program(void *self)
{
	struct program *p = self;
	struct bench b;
	op_id ids[RANKS][LINES], last[RANKS];
	int done[RANKS] = {0};
	uint32_t order = 5;
	open_world(&b, p);
	type(&b, p, &order, false, done, p->count, ids);
	for (int r = 0; r < RANKS; r++)
		last[r] = sync_on(&b, r, OP_EVERYTHING);
	bool good = b.backend->advance(b.backend, NULL) == ST_OK &&
	        b.backend->reach(b.backend, last, RANKS, NULL) == ST_OK;
	bench_close(&b);
	return good && mem_live() == 0;
}

static void test_every_allocation_may_fail(void **state)
{
	static struct program p;
	(void)state;
	make_program(&p, 11);
	sweep_memory(run_program, &p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_typing_order_and_looking_mean_nothing),
	        cmocka_unit_test(test_order_between_answers_means_nothing),
	        cmocka_unit_test(test_order_means_nothing_with_timeouts),
	        cmocka_unit_test(test_order_means_nothing_with_backup),
	        cmocka_unit_test(test_projection_is_what_comes),
	        cmocka_unit_test(test_every_allocation_may_fail),
	        cmocka_unit_test(test_interrupted_work_goes_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
