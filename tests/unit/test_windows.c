/* test_windows.c -- one-sided operations in virtual time: their costs, which operations they
 * block, which times an answer fixes, and the books' state of them.
 * tests/mpi/test_permutations.c has their data. */
#include "sim_world.h"

enum { BYTES = 100 * US /* 100 us by a link of the node, on top of its latency of 50 */ };

struct sides {
	struct bench b;
	int group, n;
	int tensor[8];
	op_id window[8];
};

static struct record of_group(struct sides *s, enum op_kind kind, const char *title)
{
	struct record record = plain_record(&s->b, kind, title);
	record.group = s->group;
	record.object = name_of(&s->b, "y");
	return record;
}

static struct operand operand_of(const struct sides *s, int rank, int access)
{
	const struct tensor *tensor = &s->b.world->tensors[s->tensor[rank]];
	struct operand operand = bytes_operand(SPACE_DEVICE, tensor->address, BYTES, access);
	return operand;
}

/* The collective, and the host that waits for it */
static op_id step(struct sides *s, int rank, enum window_step step)
{
	struct record record = of_group(s, OP_COLLECTIVE, step == WINDOW_OPEN ? "window" : "close");
	struct operand operand = operand_of(s, rank, 0);
	record.collective = &collective_barrier;
	record.window = (uint8_t)step;
	record.operand = &operand;
	record.operands = 1;
	op_id id = queue(&s->b, rank, STREAM_DEFAULT, &record, 0, 0);
	sync_on(&s->b, rank, id);
	return id;
}

static op_id one_sided(struct sides *s, int rank, int stream, enum one_sided what, int peer)
{
	struct record record = of_group(s, OP_ONE_SIDED, "one-sided");
	struct operand operand = bytes_operand(SPACE_DEVICE, 1 << 24, BYTES, ACCESS_READ);
	struct part part = {.direction = (uint8_t)what, .peer = peer};
	record.operand = &operand;
	record.part = &part;
	record.operands = record.parts = 1;
	record.bytes = BYTES;
	return queue(&s->b, rank, stream, &record, s->window[rank], 0);
}

/* Ranks 0 .. members-1 of n have a window, and have got past it at the time that is returned. */
static int64_t open_windows(struct sides *s, int n, int members)
{
	struct layout layout;
	int ranks[8], starts[2] = {0, members};
	op_id last[8];
	bench_open(&s->b, n);
	s->n = n;
	assert_int_equal(layout_make(&layout, DT_F32, 1, (int64_t[]){BYTES / 4}), ST_OK);
	for (int r = 0; r < members; r++)
		ranks[r] = r;
	assert_int_equal(
	        world_group_make(s->b.world, name_of(&s->b, "ps"), false, 1, starts, ranks, &s->group),
	        ST_OK);
	for (int r = 0; r < n; r++)
		assert_int_equal(world_tensor_make(s->b.world, r, name_of(&s->b, "y"), &layout, SPACE_DEVICE,
		                         STREAM_DEFAULT, TENSOR_BARE, 0, &s->tensor[r]),
		        ST_OK);
	for (int r = 0; r < members; r++) {
		s->window[r] = step(s, r, WINDOW_OPEN);
		last[r] = s->b.world->last[r];
	}
	assert_int_equal(s->b.backend->reach(s->b.backend, last, members, NULL), ST_OK);
	int64_t clock = host_of(&s->b, 0).clock;
	for (int r = 1; r < members; r++)
		assert_int_equal(host_of(&s->b, r).clock, clock);
	return clock;
}

static bool final(struct sides *s, op_id id)
{
	return s->b.world->ops[id].flags & OPF_DONE;
}

static void test_what_they_take(void **state)
{
	struct sides s;
	(void)state;
	int64_t t = open_windows(&s, 2, 2) / US;
	op_id put = one_sided(&s, 0, STREAM_DEFAULT, ONE_SIDED_PUT, 1);
	op_id get = one_sided(&s, 0, STREAM_DEFAULT, ONE_SIDED_GET, 1);
	op_id own = one_sided(&s, 0, STREAM_DEFAULT, ONE_SIDED_ADD, 0);
	assert_span(&s.b, put, t + 10, t + 160);
	assert_span(&s.b, get, t + 160, t + 360); /* it asks first: the latency twice */
	assert_span(&s.b, own, t + 360, t + 460); /* read and written in its own memory, of 2 bytes a ns */
	bench_close(&s.b);
}

/* The two that write share the link into rank 0: each goes half as fast. */
static void test_they_share_the_link_of_a_rank_that_does_nothing(void **state)
{
	struct sides s;
	(void)state;
	int64_t t = open_windows(&s, 3, 3) / US;
	op_id a = one_sided(&s, 1, STREAM_DEFAULT, ONE_SIDED_ADD, 0);
	op_id b = one_sided(&s, 2, STREAM_DEFAULT, ONE_SIDED_PUT, 0);
	op_id c = one_sided(&s, 2, stream_of(&s.b, 2, "other", false), ONE_SIDED_GET, 1);
	assert_span(&s.b, a, t + 10, t + 260);
	assert_span(&s.b, b, t + 10, t + 260);
	assert_span(&s.b, c, t + 20, t + 290); /* on rank 1's link out, beside a until that is over */
	bench_close(&s.b);
}

static void test_final_once_every_rank_has_got_past(void **state)
{
	struct sides s;
	(void)state;
	open_windows(&s, 4, 3);
	op_id put = one_sided(&s, 0, STREAM_DEFAULT, ONE_SIDED_PUT, 1);
	op_id work = kernel(&s.b, 2, STREAM_DEFAULT, 100);
	host_work(&s.b, 0, 1000);
	host_work(&s.b, 2, 1000);
	advance(&s.b);
	assert_false(final(&s, put));  /* rank 1 may read its window before */
	assert_false(final(&s, work)); /* rank 1 may put before */
	host_work(&s.b, 1, 1000);
	advance(&s.b);
	assert_true(final(&s, put) && final(&s, work)); /* rank 3 is in no window */
	for (int r = 0; r < 3; r++)
		step(&s, r, WINDOW_CLOSE);
	advance(&s.b);
	op_id later = kernel(&s.b, 2, STREAM_DEFAULT, 100);
	host_work(&s.b, 2, 1000);
	advance(&s.b);
	assert_true(final(&s, later)); /* nobody reaches it any more */
	bench_close(&s.b);
}

/* A host that is blocked issues nothing before it goes on. */
static void test_a_blocked_rank_is_past(void **state)
{
	struct sides s;
	(void)state;
	open_windows(&s, 2, 2);
	op_id put = one_sided(&s, 0, STREAM_DEFAULT, ONE_SIDED_PUT, 1);
	host_work(&s.b, 0, 1000);
	sync_on(&s.b, 1, spin(&s.b, 1, STREAM_DEFAULT, 500));
	advance(&s.b);
	assert_true(final(&s, put));
	bench_close(&s.b);
}

/* Rank 0 is asked; rank 1's put is queued, so it counts, though rank 1's host stands before it. */
static void test_an_answer_has_what_is_queued(void **state)
{
	struct sides s;
	(void)state;
	int64_t t = open_windows(&s, 4, 4);
	op_id put = one_sided(&s, 1, STREAM_DEFAULT, ONE_SIDED_PUT, 0);
	op_id work = kernel(&s.b, 3, STREAM_DEFAULT, 100);
	host_work(&s.b, 0, 1000);
	op_id asked = kernel(&s.b, 0, STREAM_DEFAULT, 10);
	assert_int_equal(reach(&s.b, asked), ST_OK);
	assert_true(final(&s, put));
	assert_false(final(&s, work)); /* nothing of rank 3 leads to the answer */
	/* the put and the target stand at the answer's time; a later put of rank 2 does not come before it */
	int64_t answer = times_of(&s.b, asked).end;
	assert_true(answer > t);
	assert_true(times_of(&s.b, kernel(&s.b, 1, STREAM_DEFAULT, 1)).start >= answer);
	assert_true(times_of(&s.b, one_sided(&s, 2, STREAM_DEFAULT, ONE_SIDED_PUT, 0)).start >= answer);
	bench_close(&s.b);
}

/* Rank 0 has its put answered: rank 1, where it arrives, does nothing that would have come before. */
static void test_an_answer_fixes_the_target(void **state)
{
	struct sides s;
	(void)state;
	open_windows(&s, 3, 3);
	op_id put = one_sided(&s, 0, STREAM_DEFAULT, ONE_SIDED_PUT, 1);
	assert_int_equal(reach(&s.b, sync_on(&s.b, 0, put)), ST_OK);
	assert_true(times_of(&s.b, kernel(&s.b, 1, STREAM_DEFAULT, 1)).start >= times_of(&s.b, put).end);
	assert_true(times_of(&s.b, kernel(&s.b, 2, STREAM_DEFAULT, 1)).start < times_of(&s.b, put).end);
	bench_close(&s.b);
}

/* Rank 2, in no window, is answered at 2 ms: that is no reason to believe that rank 1, which has nothing to do, does not
 * read its window before rank 0's put. */
static void test_an_answer_elsewhere_leaves_the_target_open(void **state)
{
	struct sides s;
	(void)state;
	open_windows(&s, 3, 2);
	op_id put = one_sided(&s, 0, STREAM_DEFAULT, ONE_SIDED_PUT, 1);
	host_work(&s.b, 0, 1000);
	assert_int_equal(reach(&s.b, spin(&s.b, 2, STREAM_DEFAULT, 2000)), ST_OK);
	advance(&s.b);
	assert_false(final(&s, put));
	assert_true(times_of(&s.b, kernel(&s.b, 1, STREAM_DEFAULT, 1)).start < times_of(&s.b, put).end);
	bench_close(&s.b);
}

/* ... but it waits for its own operations, on any stream. */
static void test_close_waits_for_all_streams_of_its_rank(void **state)
{
	struct sides s;
	(void)state;
	open_windows(&s, 2, 2);
	int other = stream_of(&s.b, 0, "other", false);
	spin(&s.b, 0, other, 3000);
	op_id put = one_sided(&s, 0, other, ONE_SIDED_PUT, 1);
	op_id close[] = {step(&s, 0, WINDOW_CLOSE), step(&s, 1, WINDOW_CLOSE)};
	assert_int_equal(reach(&s.b, close[1]), ST_OK);
	for (int i = 0; i < 2; i++)
		assert_int_equal(times_of(&s.b, close[i]).start, times_of(&s.b, put).end);
	bench_close(&s.b);
}

static void test_the_books(void **state)
{
	struct sides s;
	(void)state;
	open_windows(&s, 2, 2);
	struct world *world = s.b.world;
	struct operand remote;
	op_id put = one_sided(&s, 0, STREAM_DEFAULT, ONE_SIDED_PUT, 1);
	assert_true(world_remote(world, put, &remote));
	assert_int_equal(remote.address, world->tensors[s.tensor[1]].address);
	assert_int_equal(remote.access, ACCESS_WRITE);
	assert_true(world_window_open(world, 0, s.window[0]));
	assert_int_equal(world_window_closed(world, "free", s.tensor[0]), ST_NAME);
	assert_string_equal(fail_text(),
	        "free: y is in a window of group ps, and other ranks may access it: close y first");
	step(&s, 0, WINDOW_CLOSE);
	assert_false(world_window_open(world, 0, s.window[0]));
	assert_true(world_window_open(world, 1, s.window[1])); /* rank 1 has not come to its line */
	assert_int_equal(world_window_closed(world, "free", s.tensor[0]), ST_OK);
	bench_close(&s.b);
}

/* One runs, one is queued behind it, and rank 2 has not closed. */
static void test_abort_ends_them_and_closes(void **state)
{
	struct sides s;
	(void)state;
	open_windows(&s, 3, 3);
	op_id runs = one_sided(&s, 0, STREAM_DEFAULT, ONE_SIDED_PUT, 1);
	spin(&s.b, 0, STREAM_DEFAULT, 2000);
	op_id queued = one_sided(&s, 0, STREAM_DEFAULT, ONE_SIDED_GET, 1);
	op_id close = step(&s, 1, WINDOW_CLOSE);
	advance(&s.b);
	assert_int_equal(s.b.backend->abort(s.b.backend, s.group), ST_OK);
	world_abort(s.b.world, s.group);
	assert_true(times_of(&s.b, runs).end < times_of(&s.b, queued).end);
	assert_false(s.b.world->ops[close].flags & OPF_DONE && !(s.b.world->ops[close].flags & OPF_ABORTED));
	for (int r = 0; r < 3; r++)
		assert_int_equal(s.b.world->tensors[s.tensor[r]].window, 0);
	/* and the ranks go on, each by itself */
	op_id work = kernel(&s.b, 2, STREAM_DEFAULT, 10);
	host_work(&s.b, 2, 1000);
	advance(&s.b);
	assert_true(final(&s, work));
	/* a window anew */
	for (int r = 0; r < 3; r++)
		s.window[r] = step(&s, r, WINDOW_OPEN);
	assert_int_equal(reach(&s.b, s.window[0]), ST_OK);
	bench_close(&s.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_what_they_take),
	        cmocka_unit_test(test_they_share_the_link_of_a_rank_that_does_nothing),
	        cmocka_unit_test(test_final_once_every_rank_has_got_past),
	        cmocka_unit_test(test_a_blocked_rank_is_past),
	        cmocka_unit_test(test_an_answer_has_what_is_queued),
	        cmocka_unit_test(test_an_answer_fixes_the_target),
	        cmocka_unit_test(test_an_answer_elsewhere_leaves_the_target_open),
	        cmocka_unit_test(test_close_waits_for_all_streams_of_its_rank),
	        cmocka_unit_test(test_the_books),
	        cmocka_unit_test(test_abort_ends_them_and_closes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
