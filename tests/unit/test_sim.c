/* test_sim.c -- each ordering rule, sharing, pending answers, in exact virtual nanoseconds
 * (figures below in us) */
#include "sim_world.h"
#include "backend/traffic.h"
#include "sim/lookahead.h"
#include <stdio.h>

static void test_one_stream_in_order(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 1);
	op_id first = kernel(&b, 0, STREAM_DEFAULT, 100), second = kernel(&b, 0, STREAM_DEFAULT, 50);
	op_id sync = sync_on(&b, 0, OP_EVERYTHING);
	advance(&b);
	assert_span(&b, first, 10, 110);
	assert_span(&b, second, 110, 160);
	assert_int_equal(times_of(&b, second).issue, 20 * US);
	assert_span(&b, sync, 20, 160);
	assert_int_equal(host_of(&b, 0).clock, 160 * US);
	assert_int_equal(host_of(&b, 0).state, HOST_IDLE);
	assert_int_equal(b.done, 1);
	bench_close(&b);
}

/* What a wrong simulator would do: here the test changes its state between two passes. */
static void assert_broken(struct bench *b, int rule, const char *file)
{
	char words[40];
	snprintf(words, sizeof words, ": rule %d ", rule);
	assert_int_equal(b->backend->advance(b->backend, NULL), ST_BUG);
	assert_non_null(strstr(fail_text(), file));
	assert_non_null(strstr(fail_text(), words));
	assert_int_equal(b->backend->advance(b->backend, NULL), ST_BUG);
	bench_close(b);
}

static void test_a_broken_rule_is_reported(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 1); /* an operation without a cost */
	op_id id = kernel(&b, 0, STREAM_DEFAULT, 100);
	b.world->records[b.world->ops[id].record].launch_ns = -1;
	assert_broken(&b, 2, "src/sim/host.c:");

	bench_open(&b, 1); /* the stream begins with the second of two operations */
	kernel(&b, 0, STREAM_DEFAULT, 100);
	id = kernel(&b, 0, STREAM_DEFAULT, 100);
	advance(&b);
	struct engine *e = engine_of(b.backend);
	e->lanes[e->ranks[0].lanes + STREAM_DEFAULT].head = id;
	sync_on(&b, 0, id);
	assert_broken(&b, 1, "src/sim/lane.c:");

	bench_open(&b, 1); /* two copies on one engine */
	copy(&b, 0, STREAM_DEFAULT, SPACE_PINNED, SPACE_DEVICE, 1000);
	host_work(&b, 0, 50);
	advance(&b);
	e = engine_of(b.backend);
	sync_on(&b, 0, OP_EVERYTHING);
	e->ranks[0].engine[COPY_TO_DEVICE].running++;
	assert_broken(&b, 6, "src/sim/device.c:");
}

static void test_kernels_share_the_device(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 1);
	int other = stream_of(&b, 0, "other", false);
	op_id long_one = kernel(&b, 0, STREAM_DEFAULT, 100), short_one = kernel(&b, 0, other, 20);
	sync_on(&b, 0, OP_EVERYTHING);
	advance(&b);
	/* alone from 10 to 20; both at half speed until the short one is done; alone again */
	assert_span(&b, long_one, 10, 130);
	assert_span(&b, short_one, 20, 60);
	bench_close(&b);
}

static void test_spin_takes_its_time(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 1);
	int other = stream_of(&b, 0, "other", false);
	op_id a = spin(&b, 0, STREAM_DEFAULT, 100), k = kernel(&b, 0, other, 50);
	world_slow(b.world, 0, 2);
	op_id slow = spin(&b, 0, other, 10);
	sync_on(&b, 0, OP_EVERYTHING);
	advance(&b);
	assert_span(&b, a, 10, 110);
	assert_span(&b, k, 20, 70);
	assert_span(&b, slow, 70, 90);
	assert_int_equal(times_of(&b, slow).alone, 20 * US);
	assert_int_equal(backend_cost(b.backend, k).alone, 50 * US);
	bench_close(&b);
}

static void test_wait_holds_the_stream_back(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 1);
	int io = stream_of(&b, 0, "io", false);
	op_id work = kernel(&b, 0, io, 100), event = record_on(&b, 0, io);
	kernel(&b, 0, io, 100); /* later work of io is not waited for */
	op_id wait = wait_on(&b, 0, STREAM_DEFAULT, event), nothing = wait_on(&b, 0, STREAM_DEFAULT, 0);
	op_id held = spin(&b, 0, STREAM_DEFAULT, 5);
	sync_on(&b, 0, held);
	advance(&b);
	assert_span(&b, work, 10, 110);
	assert_span(&b, wait, 40, 110);
	assert_span(&b, nothing, 110, 110);
	assert_span(&b, held, 110, 115);
	assert_int_equal(times_of(&b, wait).blame, event);
	bench_close(&b);
}

static void test_copies_take_turns_by_direction(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 1);
	int one = stream_of(&b, 0, "one", false), two = stream_of(&b, 0, "two", false),
	    three = stream_of(&b, 0, "three", false);
	op_id up = copy(&b, 0, one, SPACE_PINNED, SPACE_DEVICE, 200),
	      behind = copy(&b, 0, two, SPACE_PINNED, SPACE_DEVICE, 100);
	op_id down = copy(&b, 0, three, SPACE_DEVICE, SPACE_PINNED, 50),
	      paged = copy(&b, 0, three, SPACE_HOST, SPACE_DEVICE, 50);
	sync_on(&b, 0, OP_EVERYTHING);
	advance(&b);
	assert_span(&b, up, 10, 310);
	assert_span(&b, behind, 310, 510);
	assert_int_equal(times_of(&b, behind).ready, 20 * US);
	assert_int_equal(times_of(&b, behind).blame, up);
	assert_span(&b, down, 30, 180);
	assert_span(&b, paged, 510, 710); /* half the rate */
	bench_close(&b);
}

static void test_default_stream_and_blocking_streams(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 1);
	int blocking = stream_of(&b, 0, "blocking", true), free_one = stream_of(&b, 0, "free", false);
	op_id a = spin(&b, 0, blocking, 100), d = spin(&b, 0, STREAM_DEFAULT, 50),
	      c = spin(&b, 0, blocking, 20), f = spin(&b, 0, free_one, 20);
	sync_on(&b, 0, OP_EVERYTHING);
	advance(&b);
	assert_span(&b, a, 10, 110);
	assert_span(&b, d, 110, 160);
	assert_int_equal(times_of(&b, d).blame, a);
	assert_span(&b, c, 160, 180);
	assert_span(&b, f, 40, 60);
	bench_close(&b);
}

/* On a machine without NCCL's model an allreduce of n ranks takes 2(n-1) steps of link_latency and 2(n-1)/n
 * of its bytes. */
static void test_collective_starts_with_the_last(void **state)
{
	struct bench b;
	op_id reduce[2], spins;
	(void)state;
	bench_open(&b, 2);
	spins = spin(&b, 1, STREAM_DEFAULT, 500);
	for (int r = 0; r < 2; r++) {
		reduce[r] = allreduce(&b, r, STREAM_DEFAULT, 100 * US);
		sync_on(&b, r, OP_EVERYTHING);
	}
	advance(&b);
	assert_span(&b, spins, 10, 510);
	assert_span(&b, reduce[0], 510, 710);
	assert_span(&b, reduce[1], 510, 710);
	assert_int_equal(times_of(&b, reduce[0]).ready, 10 * US);
	assert_int_equal(times_of(&b, reduce[0]).blame, reduce[1]);
	assert_int_equal(times_of(&b, reduce[1]).blame, 0);
	bench_close(&b);
}

static void test_collective_holds_multiprocessors_from_its_arrival(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 2);
	int comm = stream_of(&b, 0, "comm", false);
	op_id reduce = allreduce(&b, 0, comm, 100 * US), k = kernel(&b, 0, STREAM_DEFAULT, 300);
	spin(&b, 1, STREAM_DEFAULT, 200);
	allreduce(&b, 1, STREAM_DEFAULT, 100 * US);
	for (int r = 0; r < 2; r++)
		sync_on(&b, r, OP_EVERYTHING);
	advance(&b);
	assert_span(&b, reduce, 210, 410);
	/* half speed from 20 to 410, then alone: 195 + 105 */
	assert_span(&b, k, 20, 515);
	bench_close(&b);
}

/* Two that hold half of it each: a tenth is left for kernels. */
static void test_collectives_leave_a_tenth_of_the_device(void **state)
{
	struct bench b;
	int group;
	(void)state;
	bench_open(&b, 2);
	int one = stream_of(&b, 0, "one", false), two = stream_of(&b, 0, "two", false);
	assert_int_equal(
	        world_group_make(b.world, name_of(&b, "g"), false, 1, (int[]){0, 2}, (int[]){0, 1}, &group),
	        ST_OK);
	allreduce(&b, 0, one, 100 * US);
	allreduce_in(&b, 0, two, group, 100 * US);
	op_id k = kernel(&b, 0, STREAM_DEFAULT, 10);
	sync_on(&b, 0, k);
	spin(&b, 1, STREAM_DEFAULT, 500);
	sync_on(&b, 1, OP_EVERYTHING);
	advance(&b);
	assert_span(&b, k, 30, 130);
	bench_close(&b);
}

/* 100000.5 ns and 1000 bytes at 0.64 bytes a ns, 1562.5 ns: 101563 ns together */
static void test_a_flow_is_rounded_up_once(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 1);
	b.machine.copy_latency = 100 * US + 0.5;
	b.machine.h2d = 0.64e9;
	op_id id = copy(&b, 0, STREAM_DEFAULT, SPACE_PINNED, SPACE_DEVICE, 1);
	sync_on(&b, 0, id);
	advance(&b);
	assert_int_equal(times_of(&b, id).start, 10 * US);
	assert_int_equal(times_of(&b, id).end, 10 * US + 101563);
	bench_close(&b);
}

static void test_collectives_of_a_group_take_turns(void **state)
{
	struct bench b;
	op_id first[2], second[2];
	(void)state;
	bench_open(&b, 2);
	for (int r = 0; r < 2; r++) {
		int s = stream_of(&b, r, "s", false);
		spin(&b, r, STREAM_DEFAULT, 100);
		first[r] = allreduce(&b, r, STREAM_DEFAULT, 100 * US);
		second[r] = allreduce(&b, r, s, 100 * US);
		sync_on(&b, r, OP_EVERYTHING);
	}
	advance(&b);
	assert_span(&b, first[0], 110, 310);
	assert_span(&b, second[0], 310, 510);
	assert_int_equal(times_of(&b, second[0]).ready, 30 * US);
	assert_int_equal(times_of(&b, second[1]).blame, first[1]);
	bench_close(&b);
}

static void test_transfers_are_rendezvous_and_share_links(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 3);
	op_id r0 = transfer(&b, 0, STREAM_DEFAULT, P2P_RECV, 1, 100);
	int other = stream_of(&b, 0, "other", false);
	op_id r1 = transfer(&b, 0, other, P2P_RECV, 2, 100);
	op_id s1 = transfer(&b, 1, STREAM_DEFAULT, P2P_SEND, 0, 100),
	      s2 = transfer(&b, 2, STREAM_DEFAULT, P2P_SEND, 0, 100);
	for (int r = 0; r < 3; r++)
		sync_on(&b, r, OP_EVERYTHING);
	advance(&b);
	/* on the link from 60; from 70 to 250 shared (90 of the first), the second alone for its last 10 */
	assert_span(&b, r0, 10, 250);
	assert_span(&b, s1, 10, 250);
	assert_span(&b, r1, 20, 260);
	assert_span(&b, s2, 20, 260);
	assert_int_equal(times_of(&b, s2).blame, r1);
	double by_sender[LINK_KINDS], by_receiver[LINK_KINDS];
	traffic_sent(b.backend, b.world, 1, (struct counted){.section = -1}, by_sender);
	traffic_sent(b.backend, b.world, 0, (struct counted){.section = -1}, by_receiver);
	assert_true(by_sender[LINK_OUT] == 100 * US && by_receiver[LINK_OUT] == 0);
	bench_close(&b);
}

static void test_sendrecv_is_one_operation(void **state)
{
	struct bench b;
	op_id id[4];
	(void)state;
	bench_open(&b, 4);
	for (int r = 0; r < 4; r++) {
		id[r] = parts(&b, r, STREAM_DEFAULT, 2,
		        (struct part_of[]){{P2P_SEND, (r + 1) % 4}, {P2P_RECV, (r + 3) % 4}}, 100);
		sync_on(&b, r, OP_EVERYTHING);
	}
	advance(&b);
	for (int r = 0; r < 4; r++)
		assert_span(&b, id[r], 10, 160);
	double sent[LINK_KINDS];
	traffic_sent(b.backend, b.world, 2, (struct counted){.section = -1}, sent);
	assert_true(sent[LINK_OUT] == 100 * US && sent[LINK_IN] == 0 && sent[LINK_UP] == 0);
	bench_close(&b);
}

static void test_an_idle_host_keeps_the_future_open(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 1);
	op_id k = kernel(&b, 0, STREAM_DEFAULT, 100);
	advance(&b);
	assert_int_equal(b.world->ops[k].end, TIME_UNKNOWN);
	assert_true(times_of(&b, k).projected);
	assert_span(&b, k, 10, 110);
	assert_int_equal(b.world->ops[k].end, TIME_UNKNOWN);
	/* a line that comes later changes what was drawn */
	int other = stream_of(&b, 0, "other", false);
	kernel(&b, 0, other, 100);
	assert_span(&b, k, 10, 200);
	op_id sync = sync_on(&b, 0, k);
	assert_int_equal(reach(&b, sync), ST_OK);
	assert_false(times_of(&b, k).projected);
	assert_int_equal(b.world->ops[k].end, 200 * US);
	assert_int_equal(host_of(&b, 0).clock, 200 * US);
	bench_close(&b);
}

static void test_an_answer_names_who_is_missing(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 2);
	allreduce(&b, 0, STREAM_DEFAULT, 100 * US);
	op_id sync = sync_on(&b, 0, OP_EVERYTHING), on = 0;
	assert_int_equal(reach(&b, sync), ST_WAITS);
	assert_non_null(strstr(fail_text(), "rank 1"));
	assert_true(b.backend->waiting(b.backend, 0, &on));
	assert_false(b.backend->waiting(b.backend, 1, &on));
	assert_int_equal(host_of(&b, 0).state, HOST_BLOCKED);
	assert_int_equal(host_of(&b, 0).on, sync);
	allreduce(&b, 1, STREAM_DEFAULT, 100 * US);
	assert_int_equal(reach(&b, sync), ST_OK);
	assert_int_equal(host_of(&b, 0).clock, 210 * US);
	assert_int_equal(host_of(&b, 1).clock, 10 * US);
	bench_close(&b);
}

static void test_an_answer_fixes_the_past(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 3);
	kernel(&b, 1, STREAM_DEFAULT, 300);
	op_id send = transfer(&b, 1, STREAM_DEFAULT, P2P_SEND, 0, 100);
	transfer(&b, 0, STREAM_DEFAULT, P2P_RECV, 1, 100);
	op_id sync = sync_on(&b, 0, OP_EVERYTHING);
	assert_int_equal(reach(&b, sync), ST_OK);
	assert_span(&b, send, 310, 460);
	assert_false(times_of(&b, send).projected);
	/* rank 1's clock stands; its device does nothing before 460 any more */
	assert_int_equal(host_of(&b, 1).clock, 20 * US);
	op_id later_kernel = kernel(&b, 1, STREAM_DEFAULT, 10);
	assert_int_equal(times_of(&b, later_kernel).issue, 30 * US);
	assert_span(&b, later_kernel, 460, 470);
	/* rank 2 had no part in it: its kernels are free, its links are not */
	op_id k = kernel(&b, 2, STREAM_DEFAULT, 10),
	      c = copy(&b, 2, STREAM_DEFAULT, SPACE_PINNED, SPACE_DEVICE, 10);
	assert_span(&b, k, 10, 20);
	assert_span(&b, c, 460, 570);
	bench_close(&b);
}

/* Rank 2 has typed nothing, and can begin nothing before rank 0's answer: what waits for rank 2 is no reason for
 * rank 1 to stop earlier. */
static void test_an_idle_rank_begins_nothing_before_an_answer(void **state)
{
	struct bench b;
	int group;
	(void)state;
	bench_open(&b, 3);
	int comm = stream_of(&b, 1, "comm", false);
	assert_int_equal(
	        world_group_make(b.world, name_of(&b, "g"), false, 1, (int[]){0, 2}, (int[]){1, 2}, &group),
	        ST_OK);
	op_id asked = kernel(&b, 0, STREAM_DEFAULT, 300);
	allreduce_in(&b, 1, comm, group, 100 * US);
	op_id k = kernel(&b, 1, STREAM_DEFAULT, 100);
	host_work(&b, 1, 1000);
	assert_int_equal(reach(&b, asked), ST_OK);
	assert_int_equal(b.world->ops[k].end, 220 * US); /* at half speed from 20 */
	bench_close(&b);
}

static void test_an_answer_on_device_work(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 2);
	op_id k = kernel(&b, 0, STREAM_DEFAULT, 100), next = kernel(&b, 0, STREAM_DEFAULT, 100),
	      both[] = {k, k};
	assert_int_equal(b.backend->reach(b.backend, both, 2, NULL), ST_OK);
	assert_int_equal(b.world->ops[k].end, 110 * US);
	assert_int_equal(b.world->ops[k].flags, OPF_ISSUED | OPF_STARTED | OPF_DONE);
	assert_int_equal(b.world->ops[next].end, TIME_UNKNOWN);
	assert_int_equal(host_of(&b, 0).clock, 20 * US);
	bench_close(&b);
}

/* The default stream's kernel waits for a blocking stream's collective (rule 7), and that for rank 1. */
static void test_missing_behind_a_blocking_stream(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 2);
	int s = stream_of(&b, 0, "s", true);
	allreduce(&b, 0, s, 100 * US);
	op_id k = kernel(&b, 0, STREAM_DEFAULT, 100);
	assert_int_equal(reach(&b, sync_on(&b, 0, k)), ST_WAITS);
	assert_string_equal(fail_text(), "allreduce waits for a line on rank 1");
	bench_close(&b);
}

/* A projection is kept until the next operation; groups made meanwhile move what it reads of the machine. */
static void test_projection_outlives_new_groups(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 2);
	int s = stream_of(&b, 0, "s", false), index;
	allreduce(&b, 0, s, 100 * US);
	allreduce(&b, 0, STREAM_DEFAULT, 100 * US); /* waits for its turn behind the one on s */
	op_id sync = sync_on(&b, 0, OP_EVERYTHING);
	assert_int_equal(reach(&b, sync), ST_WAITS);
	char before[200];
	snprintf(before, sizeof before, "%s", fail_text());
	for (int i = 0; i < 40; i++) {
		char name[16];
		snprintf(name, sizeof name, "g%d", i);
		assert_int_equal(world_group_make(b.world, name_of(&b, name), false, 1, (int[]){0, 1},
		                         (int[]){i % 2}, &index),
		        ST_OK);
	}
	assert_int_equal(reach(&b, sync), ST_WAITS);
	assert_string_equal(fail_text(), before);
	bench_close(&b);
}

static void test_stuck_is_told_from_waiting(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 2);
	/* both receive before they send */
	for (int r = 0; r < 2; r++) {
		transfer(&b, r, STREAM_DEFAULT, P2P_RECV, 1 - r, 100);
		transfer(&b, r, STREAM_DEFAULT, P2P_SEND, 1 - r, 100);
	}
	op_id sync = sync_on(&b, 0, OP_EVERYTHING);
	assert_int_equal(reach(&b, sync), ST_STUCK);
	assert_non_null(strstr(fail_text(), "circle"));
	bench_close(&b);

	bench_open(&b, 2);
	allreduce(&b, 0, STREAM_DEFAULT, 100 * US);
	allreduce(&b, 1, STREAM_DEFAULT, 50 * US);
	assert_int_equal(reach(&b, sync_on(&b, 0, OP_EVERYTHING)), ST_STUCK);
	bench_close(&b);

	bench_open(&b, 2);
	crash(&b, 1);
	allreduce(&b, 0, STREAM_DEFAULT, 100 * US);
	assert_int_equal(reach(&b, sync_on(&b, 0, OP_EVERYTHING)), ST_STUCK);
	assert_non_null(strstr(fail_text(), "crashed"));
	assert_int_equal(host_of(&b, 1).state, HOST_CRASHED);
	bench_close(&b);
}

static void test_abort_frees_the_ranks(void **state)
{
	struct bench b;
	op_id sync[2], next[2], reduce[2];
	(void)state;
	bench_open(&b, 2);
	for (int r = 0; r < 2; r++) {
		reduce[r] = allreduce(&b, r, STREAM_DEFAULT, (100 - 50 * r) * US);
		kernel(&b, r, STREAM_DEFAULT, 10);
		sync[r] = sync_on(&b, r, OP_EVERYTHING);
	}
	host_work(&b, 0, 5);
	advance(&b);
	assert_int_equal(host_of(&b, 0).state, HOST_BLOCKED);
	assert_int_equal(b.backend->abort(b.backend, 0), ST_OK);
	world_abort(b.world, 0);
	advance(&b);
	assert_true(b.world->ops[reduce[0]].flags & OPF_ABORTED);
	assert_int_equal(b.world->ops[reduce[0]].end, 20 * US);
	assert_span(&b, sync[1], 20, 30);
	assert_int_equal(host_of(&b, 1).state, HOST_IDLE);
	for (int r = 0; r < 2; r++)
		next[r] = allreduce(&b, r, STREAM_DEFAULT, 100 * US);
	for (int r = 0; r < 2; r++)
		assert_int_equal(reach(&b, sync_on(&b, r, OP_EVERYTHING)), ST_OK);
	assert_span(&b, next[0], 45, 245);
	bench_close(&b);
}

static void test_pace_moves_idle_clocks(void **state)
{
	struct bench b;
	(void)state;
	bench_open(&b, 2);
	kernel(&b, 0, STREAM_DEFAULT, 100);
	advance(&b);
	b.backend->clock_at_least(b.backend, 50 * US);
	advance(&b);
	assert_int_equal(host_of(&b, 0).clock, 50 * US);
	assert_int_equal(b.world->ops[1].start, 10 * US);
	assert_int_equal(b.world->ops[1].end, TIME_UNKNOWN);
	b.backend->clock_at_least(b.backend, 500 * US);
	advance(&b);
	assert_int_equal(b.world->ops[1].end, 110 * US);
	bench_close(&b);
}

/* ---- data parallel training on four ranks, drawn by hand: launch 20 us, a layer 2 ms,
 * an allreduce 1.5 ms that holds a tenth of the multiprocessors: the gradient of layer 2 travels while layer
 * 1 computes */

enum { F, B2, REDUCE2, B1, REDUCE1, STEP, SYNC, OPS };
enum { REDUCE_BYTES = 960 * US }; /* 6 steps of 10 us, and 2*3/4 of the bytes at 1 a ns */

static void ddp_rank(struct bench *b, int rank, op_id *id)
{
	int compute = stream_of(b, rank, "compute", false), comm = stream_of(b, rank, "comm", false);
	id[F] = kernel(b, rank, compute, 2000);
	id[B2] = kernel(b, rank, compute, 2000);
	wait_on(b, rank, comm, record_on(b, rank, compute));
	id[REDUCE2] = allreduce(b, rank, comm, REDUCE_BYTES);
	id[B1] = kernel(b, rank, compute, 2000);
	wait_on(b, rank, comm, record_on(b, rank, compute));
	id[REDUCE1] = allreduce(b, rank, comm, REDUCE_BYTES);
	wait_on(b, rank, compute, record_on(b, rank, comm));
	id[STEP] = kernel(b, rank, compute, 100);
	id[SYNC] = sync_on(b, rank, OP_EVERYTHING);
}

static void open_four(struct bench *b)
{
	bench_open(b, 4);
	b->machine.launch = 20 * US;
	b->machine.link_latency = 10 * US;
	b->machine.collective_sms = 0.1;
}

static void test_ddp_by_hand(void **state)
{
	struct bench b;
	op_id id[4][OPS];
	(void)state;
	open_four(&b);
	for (int r = 0; r < 4; r++)
		ddp_rank(&b, r, id[r]);
	advance(&b);
	for (int r = 0; r < 4; r++) {
		assert_span(&b, id[r][F], 20, 2020);
		assert_span(&b, id[r][B2], 2020, 4020);
		assert_span(&b, id[r][REDUCE2], 4020, 5520);
		/* nine tenths of the speed for 1.5 ms, then all of it for the 0.65 ms left */
		assert_span(&b, id[r][B1], 4020, 6170);
		assert_span(&b, id[r][REDUCE1], 6170, 7670);
		assert_span(&b, id[r][STEP], 7670, 7770);
		assert_span(&b, id[r][SYNC], 240, 7770);
	}
	bench_close(&b);
}

static void test_ddp_with_a_straggler(void **state)
{
	struct bench b;
	op_id id[4][OPS];
	(void)state;
	open_four(&b);
	world_slow(b.world, 2, 2);
	for (int r = 0; r < 4; r++)
		ddp_rank(&b, r, id[r]);
	advance(&b);
	assert_span(&b, id[2][B2], 4020, 8020);
	assert_span(&b, id[0][B2], 2020, 4020);
	/* rank 0 waits in the collective from 4.02 on and holds a tenth: 2 ms at nine tenths, rounded up */
	assert_int_equal(times_of(&b, id[0][REDUCE2]).ready, 4020 * US);
	assert_int_equal(times_of(&b, id[0][REDUCE2]).blame, id[2][REDUCE2]);
	assert_span(&b, id[0][REDUCE2], 8020, 9520);
	assert_int_equal(times_of(&b, id[0][B1]).end, 6242223);
	assert_span(&b, id[2][B1], 8020, 12170);
	assert_span(&b, id[0][REDUCE1], 12170, 13670);
	assert_span(&b, id[0][SYNC], 240, 13770);
	assert_span(&b, id[2][SYNC], 240, 13870);
	bench_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_one_stream_in_order),
	        cmocka_unit_test(test_a_broken_rule_is_reported),
	        cmocka_unit_test(test_kernels_share_the_device),
	        cmocka_unit_test(test_spin_takes_its_time),
	        cmocka_unit_test(test_wait_holds_the_stream_back),
	        cmocka_unit_test(test_copies_take_turns_by_direction),
	        cmocka_unit_test(test_default_stream_and_blocking_streams),
	        cmocka_unit_test(test_collective_starts_with_the_last),
	        cmocka_unit_test(test_collective_holds_multiprocessors_from_its_arrival),
	        cmocka_unit_test(test_collectives_leave_a_tenth_of_the_device),
	        cmocka_unit_test(test_a_flow_is_rounded_up_once),
	        cmocka_unit_test(test_an_idle_rank_begins_nothing_before_an_answer),
	        cmocka_unit_test(test_collectives_of_a_group_take_turns),
	        cmocka_unit_test(test_transfers_are_rendezvous_and_share_links),
	        cmocka_unit_test(test_sendrecv_is_one_operation),
	        cmocka_unit_test(test_an_idle_host_keeps_the_future_open),
	        cmocka_unit_test(test_an_answer_names_who_is_missing),
	        cmocka_unit_test(test_an_answer_fixes_the_past),
	        cmocka_unit_test(test_an_answer_on_device_work),
	        cmocka_unit_test(test_missing_behind_a_blocking_stream),
	        cmocka_unit_test(test_projection_outlives_new_groups),
	        cmocka_unit_test(test_stuck_is_told_from_waiting),
	        cmocka_unit_test(test_abort_frees_the_ranks),
	        cmocka_unit_test(test_pace_moves_idle_clocks),
	        cmocka_unit_test(test_ddp_by_hand),
	        cmocka_unit_test(test_ddp_with_a_straggler),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
