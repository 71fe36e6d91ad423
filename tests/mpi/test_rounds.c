/* test_rounds.c -- rounds of measured times: mpirun -n {1,2,3,4,5,8} test_rounds
 *
 * Each process tells times of its own operations, none or many; behind a round all have the same. */
#include "cuda/rounds.h"
#include "tests/mpi/check.h"

enum { ROUNDS = 40, MOST = 300 };

struct test {
	struct transport *transport;
	struct checks checks;
	struct rounds rounds;
	struct measurements all;
	int me, n;
};

/* What any process can reckon of any other: how many times rank tells in the round, and what they are */
static unsigned number(unsigned rank, unsigned round, unsigned i, unsigned below)
{
	unsigned x = rank * 2654435761u ^ round * 40503u ^ i * 2246822519u;
	x ^= x >> 15;
	x *= 2246822519u;
	x ^= x >> 13;
	return x % below;
}

static unsigned told(unsigned rank, unsigned round)
{
	return number(rank, round, 0, 3) ? number(rank, round, 1, MOST) : 0;
}

/* The i-th operation of the round, of that rank: ranks' operations lie between each other, as in the books. */
static struct measured time_of(const struct test *t, unsigned rank, unsigned round, unsigned i)
{
	int64_t issue = number(rank, round, i + 2, 1000000);
	return (struct measured){.id = 1 + (round * MOST + i) * t->n + rank,
	        .blame = i,
	        .launch = 3,
	        .issue = issue,
	        .ready = issue + 1,
	        .start = issue + 1 + i,
	        .end = issue + 5 + i};
}

static bool is(const struct measured *a, const struct measured *b)
{
	return a && a->id == b->id && a->blame == b->blame && a->issue == b->issue && a->ready == b->ready &&
	        a->start == b->start && a->end == b->end && a->launch == b->launch && a->undone == b->undone;
}

static void times_are_everybodys(struct test *t)
{
	size_t known = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < told(t->me, round); i++) {
			struct measured one = time_of(t, t->me, round, i);
			rounds_tell(&t->rounds, &one);
		}
		struct vote vote = {.over = true};
		CHECK(&t->checks, rounds_hold(&t->rounds, &t->all, &vote) == ST_OK);
		CHECK(&t->checks, vote.over && vote.lost == 0);
		bool same = true;
		for (int rank = 0; rank < t->n; rank++)
			for (unsigned i = 0; i < told(rank, round); i++) {
				struct measured want = time_of(t, rank, round, i);
				same &= is(measurements_find(&t->all, want.id), &want);
				known++;
			}
		CHECK(&t->checks, same && t->all.known == known);
	}
	CHECK(&t->checks, known > 0);
	CHECK(&t->checks, !measurements_find(&t->all, 0) && !measurements_find(&t->all, UINT32_MAX));
}

/* Over is what all have over, full what one has full; the lowest rank's loss is everyone's. */
static void votes_add_up(struct test *t)
{
	for (int late = 0; late < t->n; late++) {
		struct vote vote = {.over = t->me != late};
		CHECK(&t->checks, rounds_hold(&t->rounds, &t->all, &vote) == ST_OK);
		CHECK(&t->checks, !vote.over && !vote.full);
		vote = (struct vote){.full = t->me == late};
		CHECK(&t->checks, rounds_hold(&t->rounds, &t->all, &vote) == ST_OK);
		CHECK(&t->checks, vote.full);
		vote = (struct vote){.over = true, .lost = t->me >= late ? t->me + 1 : 0};
		CHECK(&t->checks, rounds_hold(&t->rounds, &t->all, &vote) == ST_OK);
		CHECK(&t->checks, vote.over && vote.lost == late + 1);
	}
}

/* What is told twice is a mistake of ours, everywhere, and nobody hangs. */
static void unlike_times_are_a_bug(struct test *t)
{
	struct measured one = {.id = 1, .issue = 7, .ready = 7, .start = 7, .end = 8};
	struct measurements all = {0};
	for (int turn = 0; turn < 2; turn++) {
		struct vote vote = {.over = true};
		one.end += turn;
		if (t->me == t->n - 1)
			rounds_tell(&t->rounds, &one);
		CHECK(&t->checks, (rounds_hold(&t->rounds, &all, &vote) == ST_OK) == (turn == 0));
	}
	measurements_release(&all);
	one.ready = 6;
	CHECK(&t->checks, measurements_add(&all, &one) == ST_BUG && all.known == 0);
	measurements_release(&all);
}

int main(int argc, char **argv)
{
	struct test t = {0};
	if (transport_start(&t.transport, true, &argc, &argv) != ST_OK)
		return 1;
	t.me = t.checks.rank = transport_rank(t.transport);
	t.n = transport_size(t.transport);
	t.rounds.transport = t.transport;
	times_are_everybodys(&t);
	votes_add_up(&t);
	unlike_times_are_a_bug(&t);
	rounds_release(&t.rounds);
	measurements_release(&t.all);
	return checks_end(&t.checks, t.transport, "test_rounds");
}
