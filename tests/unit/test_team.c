/* test_team.c -- ranks as threads: each receives what the others have sent, in their order; one
 * that leaves or is stopped leaves no other waiting */
#include "mpi/team.h"
#include "check.h"

#include <pthread.h>

enum { RANKS = 5, ROUNDS = 200 };

struct member {
	struct team *team;
	int rank;
	int wrong; /* answers that were not what they should be */
	enum status last;
	void (*run)(struct member *member, struct transport *t);
};

static void *run_member(void *self)
{
	struct member *member = self;
	member->run(member, team_transport(member->team, member->rank));
	team_leave(member->team, member->rank);
	return NULL;
}

/* All members run; stop: while they do, all are stopped. */
static void play(struct member member[RANKS], void (*run)(struct member *, struct transport *), bool stop)
{
	struct team *team = team_create(RANKS);
	pthread_t thread[RANKS];
	for (int rank = 0; rank < RANKS; rank++) {
		member[rank] = (struct member){.team = team, .rank = rank, .run = run};
		assert_int_equal(pthread_create(&thread[rank], NULL, run_member, &member[rank]), 0);
	}
	if (stop) {
		assert_false(team_await(team, 20));
		team_stop(team);
		assert_true(team_stopped(team));
	}
	for (int rank = 0; rank < RANKS; rank++)
		pthread_join(thread[rank], NULL);
	assert_true(team_await(team, 0));
	team_free(team);
}

/* ---- what is sent is what comes */

static void exchange_all(struct member *member, struct transport *t)
{
	int everybody[RANKS] = {0, 1, 2, 3, 4}, some[] = {3, 1, 4};
	struct transport_group *all = transport_group_make(t, RANKS, everybody),
	                       *part = transport_group_make(t, 3, some);
	member->wrong += (part != NULL) != (member->rank == 3 || member->rank == 1 || member->rank == 4);
	for (int round = 0; round < ROUNDS; round++) {
		int mine = member->rank * 1000 + round, got[RANKS], shared[RANKS];
		struct transport_piece piece[RANKS];
		for (int place = 0; place < RANKS; place++)
			piece[place] = (struct transport_piece){&mine, sizeof mine, &got[place], sizeof mine};
		member->wrong += transport_exchange(all, piece) != ST_OK;
		member->wrong += transport_share(t, &mine, shared, sizeof mine) != ST_OK;
		for (int rank = 0; rank < RANKS; rank++)
			member->wrong += got[rank] != rank * 1000 + round || shared[rank] != got[rank];
		if (part) {
			int told = member->rank == 4 ? round : -1; /* at place 2 */
			member->wrong +=
			        transport_bcast(part, 2, &told, sizeof told) != ST_OK || told != round;
		}
	}
	transport_group_free(part);
	transport_group_free(all);
}

static void in_a_circle(struct member *member, struct transport *t)
{
	int next = (member->rank + 1) % RANKS, before = (member->rank + RANKS - 1) % RANKS;
	for (int round = 0; round < ROUNDS; round++) {
		int mine = round * RANKS + member->rank, got = -1;
		member->wrong += transport_send(t, next, &mine, sizeof mine) != ST_OK;
		member->wrong += transport_recv(t, before, &got, sizeof got) != ST_OK;
		member->wrong += got != round * RANKS + before;
	}
}

static void owner_tells(struct member *member, struct transport *t)
{
	for (int owner = 0; owner < RANKS; owner++) {
		char words[] = "it is me", *told = words;
		size_t count = sizeof words;
		member->wrong += transport_broadcast(t, owner, (void **)&told, &count) != ST_OK;
		member->wrong += count != sizeof words || strcmp(told, words) != 0;
		if (told != words)
			mem_free(told);
	}
}

static void nobody_is_wrong(void (*run)(struct member *, struct transport *))
{
	struct member member[RANKS];
	play(member, run, false);
	for (int rank = 0; rank < RANKS; rank++)
		assert_int_equal(member[rank].wrong, 0);
}

static void messages_come_as_they_were_sent(void **state)
{
	(void)state;
	long before = mem_live();
	nobody_is_wrong(exchange_all);
	nobody_is_wrong(in_a_circle);
	nobody_is_wrong(owner_tells);
	assert_int_equal(mem_live(), before);
}

/* ---- nobody waits for ever */

static void wait_for_zero(struct member *member, struct transport *t)
{
	int got;
	if (member->rank)
		member->last = transport_recv(t, 0, &got, sizeof got);
}

static void who_left_is_not_waited_for(void **state)
{
	struct member member[RANKS];
	(void)state;
	play(member, wait_for_zero, false);
	for (int rank = 1; rank < RANKS; rank++)
		assert_int_equal(member[rank].last, ST_MPI);
}

static void wait_for_the_next(struct member *member, struct transport *t)
{
	int got;
	member->last = transport_recv(t, (member->rank + 1) % RANKS, &got, sizeof got);
}

static void a_stop_ends_all_waits(void **state)
{
	struct member member[RANKS];
	(void)state;
	play(member, wait_for_the_next, true);
	for (int rank = 0; rank < RANKS; rank++)
		assert_int_equal(member[rank].last, ST_INTERRUPTED);
}

static void another_length_is_told(struct member *member, struct transport *t)
{
	char bytes[8] = "";
	if (member->rank == 1)
		transport_send(t, 2, bytes, 4);
	if (member->rank == 2)
		member->last = transport_recv(t, 1, bytes, 8);
}

static void lengths_are_held_to_the_books(void **state)
{
	struct member member[RANKS];
	(void)state;
	play(member, another_length_is_told, false);
	assert_int_equal(member[2].last, ST_BUG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(messages_come_as_they_were_sent),
	        cmocka_unit_test(who_left_is_not_waited_for), cmocka_unit_test(a_stop_ends_all_waits),
	        cmocka_unit_test(lengths_are_held_to_the_books)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
