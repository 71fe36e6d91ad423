/* test_world.c -- the books: names, tensors, streams, groups, program order, matching */
#include "collectives/algorithm.h"
#include "tests/unit/world_help.h"

static void names_are_one_thing(void **state)
{
	struct books b = books_open(2, 0);
	name_id x = name(&b, "x");

	(void)state;
	int tensor = make(&b, 0, "x", 256);
	assert_int_equal(world_find(b.world, 0, x).kind, THING_TENSOR);
	assert_int_equal(world_find(b.world, 0, x).index, tensor);
	assert_int_equal(world_find(b.world, 1, x).kind, THING_NONE);
	int index;
	uint64_t before = b.world->digest;
	assert_int_equal(world_stream_make(b.world, 0, x, 0, false, &index), ST_NAME);
	assert_int_equal(world_event_make(b.world, 0, x, &index), ST_NAME);
	assert_true(before == b.world->digest);
	assert_int_equal(world_stream_make(b.world, 1, x, 0, false, &index), ST_OK);
	world_tensor_free(b.world, tensor, STREAM_HOST);
	assert_int_equal(world_find(b.world, 0, x).kind, THING_NONE);
	assert_int_equal(world_event_make(b.world, 0, x, &index), ST_OK);
	int again;
	assert_int_equal(world_event_make(b.world, 0, x, &again), ST_OK);
	assert_int_equal(again, index);
	books_close(&b);
}

static void nearest_name(void **state)
{
	struct books b = books_open(2, 0);
	int index;

	(void)state;
	stream(&b, 0, "comm");
	assert_int_equal(world_event_make(b.world, 0, name(&b, "loaded"), &index), ST_OK);
	assert_string_equal(world_nearest(b.world, 0, "com", THING_STREAM), "comm");
	assert_string_equal(world_nearest(b.world, 0, "laoded", THING_NONE), "loaded");
	assert_null(world_nearest(b.world, 0, "com", THING_EVENT));
	assert_null(world_nearest(b.world, 1, "com", THING_STREAM));
	assert_null(world_nearest(b.world, 0, "velocity", THING_NONE));
	books_close(&b);
}

static void orders(void **state)
{
	struct books b = books_open(2, 0);
	int io = stream(&b, 0, "io");

	(void)state;
	op_id a = kernel(&b, 0, io, "spin"), c = kernel(&b, 0, STREAM_DEFAULT, "spin"),
	      d = kernel(&b, 0, io, "spin");
	assert_int_equal(b.world->first[0], a);
	assert_int_equal(b.world->ops[a].next_program, c);
	assert_int_equal(b.world->ops[a].next_stream, d);
	assert_int_equal(b.world->ops[d].next_stream, 0);
	assert_int_equal(b.world->ops[d].number, 3);
	assert_int_equal(world_stream(b.world, 0, io)->tail, d);
	assert_int_equal(world_stream(b.world, 0, io)->count, 2);
	assert_null(world_stream(b.world, 1, io));
	assert_int_equal(b.world->last[0], d);
	assert_int_equal(b.world->first[1], 0);
	books_close(&b);
}

static void records_are_shared(void **state)
{
	struct books b = books_open(2, 0);
	int x = make(&b, 0, "x", 64);
	struct operand operand = whole(&b, x, ACCESS_WRITE);
	struct record record = record_of(&b, OP_KERNEL, "relu");

	(void)state;
	record.operands = 1;
	record.operand = &operand;
	op_id first, second;
	assert_int_equal(world_queue(b.world, 0, 1, &record, 0, 0, 0, &first), ST_OK);
	assert_int_equal(
	        world_queue(b.world, 0, 1, &record, b.world->ops[first].record, 0, 0, &second), ST_OK);
	assert_int_equal(b.world->ops[first].record, b.world->ops[second].record);
	assert_ptr_not_equal(op_record(b.world, first)->operand, &operand);
	assert_int_equal(op_record(b.world, first)->operand[0].address, operand.address);
	assert_int_equal(b.world->tensors[x].last_writer, second);
	books_close(&b);
}

static void collectives_meet(void **state)
{
	struct books b = books_open(4, 0);
	op_id ids[4];

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (int r = 3; r >= 0; r--)
			ids[r] = collective(&b, r, 1, "allreduce", 0, 1024);
		const struct match *match = &b.world->matches[b.world->ops[ids[0]].match];
		assert_int_equal(match->sequence, round);
		assert_int_equal(match->n, 4);
		assert_int_equal(match->count, 4);
		assert_false(match->mismatch);
		for (int r = 0; r < 4; r++)
			assert_int_equal(match->member[r], ids[r]);
	}
	books_close(&b);
}

static void collectives_match_by_issue_order(void **state)
{
	struct books b = books_open(2, 0);

	(void)state;
	op_id a = collective(&b, 0, 1, "allreduce", 0, 64), c = collective(&b, 0, 1, "broadcast", 0, 64);
	op_id d = collective(&b, 1, 1, "allreduce", 0, 64), e = collective(&b, 1, 1, "broadcast", 0, 64);
	assert_int_equal(b.world->ops[a].match, b.world->ops[d].match);
	assert_int_equal(b.world->ops[c].match, b.world->ops[e].match);
	assert_int_not_equal(b.world->ops[a].match, b.world->ops[c].match);
	books_close(&b);
}

static void expect_mismatch(struct books *b, op_id id, const char *words)
{
	struct text why = {0};
	const struct match *match = &b->world->matches[b->world->ops[id].match];

	assert_true(match->mismatch);
	world_mismatch(b->world, id, algorithm_name, &why);
	assert_string_equal(text_string(&why), words);
	text_release(&why);
}

static void mismatch_is_worded(void **state)
{
	struct books b = books_open(4, 0);
	op_id id = 0;

	(void)state;
	for (int r = 0; r < 4; r++)
		id = collective(&b, r, 1, "allreduce", 0, r == 3 ? 2048 : 4096);
	expect_mismatch(&b, id, "rank 3 brings 2 kB, ranks 0-2 bring 4 kB");
	for (int r = 0; r < 4; r++)
		id = collective(&b, r, 1, r == 1 ? "broadcast" : "allreduce", 0, r == 3 ? 2048 : 4096);
	expect_mismatch(&b, id, "rank 1 calls broadcast, ranks 0,2,3 call allreduce");
	world_abort(b.world, 0);
	assert_true(b.world->matches[b.world->ops[id].match].aborted);
	books_close(&b);
}

static void transfers_meet_by_channel(void **state)
{
	struct books b = books_open(3, 0);

	(void)state;
	op_id s1 = transfer(&b, 0, 1, P2P_SEND, 1, 64), s2 = transfer(&b, 0, 1, P2P_SEND, 2, 64),
	      s3 = transfer(&b, 0, 1, P2P_SEND, 1, 128);
	op_id r2 = transfer(&b, 2, 1, P2P_RECV, 0, 64), r1 = transfer(&b, 1, 1, P2P_RECV, 0, 64),
	      r3 = transfer(&b, 1, 1, P2P_RECV, 0, 64);
	assert_int_equal(match_of(&b, s1), match_of(&b, r1));
	assert_int_equal(match_of(&b, s2), match_of(&b, r2));
	assert_int_equal(match_of(&b, s3), match_of(&b, r3));
	const struct match *match = &b.world->matches[match_of(&b, s3)];
	assert_true(match->p2p && match->mismatch && match->sequence == 1);
	struct text why = {0};
	world_mismatch(b.world, s3, algorithm_name, &why);
	assert_string_equal(text_string(&why), "rank 0 sends 512 B, rank 1 receives 256 B");
	text_release(&why);
	books_close(&b);
}

static void abort_restarts(void **state)
{
	struct books b = books_open(2, 0);

	(void)state;
	op_id lost = collective(&b, 0, 1, "allreduce", 0, 64), sent = transfer(&b, 0, 1, P2P_SEND, 1, 64);
	world_abort(b.world, 0);
	assert_true(b.world->matches[b.world->ops[lost].match].aborted);
	assert_true(b.world->matches[match_of(&b, sent)].aborted);
	op_id a = collective(&b, 1, 1, "allreduce", 0, 64), c = collective(&b, 0, 1, "allreduce", 0, 64);
	assert_int_equal(b.world->ops[a].match, b.world->ops[c].match);
	assert_int_equal(b.world->matches[b.world->ops[a].match].sequence, 0);
	assert_int_not_equal(match_of(&b, transfer(&b, 1, 1, P2P_RECV, 0, 64)), match_of(&b, sent));
	books_close(&b);
}

static int pairs(struct books *b, const char *text, int a, int c, int d, int e)
{
	int starts[] = {0, 2, 4}, ranks[] = {a, c, d, e}, index;

	assert_int_equal(world_group_make(b->world, name(b, text), true, 2, starts, ranks, &index), ST_OK);
	return index;
}

static void groups_have_instances(void **state)
{
	struct books b = books_open(4, 0);
	int tp = pairs(&b, "tp", 0, 1, 2, 3);
	const struct group *group = &b.world->groups[tp];

	(void)state;
	assert_int_equal(group->instance_of[3], 1);
	assert_int_equal(group->place_of[3], 1);
	assert_int_equal(group->instance[1].ranks[0], 2);
	op_id a = collective(&b, 0, 1, "allreduce", tp, 64), c = collective(&b, 2, 1, "allreduce", tp, 64);
	assert_int_not_equal(b.world->ops[a].match, b.world->ops[c].match);
	books_close(&b);
}

/* The opposite orders of two ranks in two groups are found whoever is typed first; a mesh never crosses. */
static void crossing_groups(void **state)
{
	(void)state;
	for (int typed = 0; typed < 6; typed++) {
		struct books b = books_open(4, 0);
		int tp = pairs(&b, "tp", 0, 1, 2, 3), dp = pairs(&b, "dp", 0, 2, 1, 3),
		    same = pairs(&b, "same", 1, 0, 2, 3);
		static const int order[6][4] = {
		        {0, 0, 1, 1}, {1, 1, 0, 0}, {0, 1, 0, 1}, {1, 0, 1, 0}, {0, 1, 1, 0}, {1, 0, 0, 1}};
		int at[2] = {0, 0}, program[2][2] = {{tp, same}, {same, tp}};
		for (int r = 0; r < 4; r++) {
			collective(&b, r, 1, "allreduce", r == 1 ? dp : tp, 64);
			collective(&b, r, 1, "allreduce", r == 1 ? tp : dp, 64);
		}
		assert_null(world_order_warning(b.world, 0));
		for (int i = 0; i < 4; i++) {
			int rank = order[typed][i];
			collective(&b, rank, 1, "allreduce", program[rank][at[rank]++], 64);
			if (i == 2) /* the fourth has not been typed yet */
				assert_non_null(world_order_warning(b.world, 0));
		}
		assert_string_equal(world_order_warning(b.world, 0),
		        "ranks 0 and 1 queue collectives of tp and same in opposite orders: NCCL can hang");
		assert_null(world_order_warning(b.world, 1));
		books_close(&b);
	}
}

static void labels(void **state)
{
	struct books b = books_open(2, 0);
	int y = make(&b, 0, "y", 64);
	op_id id, ops[3];
	struct text out = {0};

	(void)state;
	assert_int_equal(op_find(b.world, 0, "y", &id), ST_NAME);
	for (int i = 0; i < 3; i++)
		ops[i] = touch(&b, 0, 1, "matmul", y, ACCESS_WRITE);
	assert_int_equal(op_find(b.world, 0, "y", &id), ST_OK);
	assert_int_equal(id, ops[2]);
	assert_int_equal(op_find(b.world, 0, "matmul#2", &id), ST_OK);
	assert_int_equal(id, ops[1]);
	assert_int_equal(op_find(b.world, 0, "matmul#4", &id), ST_NAME);
	assert_int_equal(op_find(b.world, 1, "matmul#1", &id), ST_NAME);
	op_text(b.world, ops[1], &out);
	assert_string_equal(text_string(&out), "matmul#2");
	text_clear(&out);
	op_label(b.world, ops[1], &out);
	assert_string_equal(text_string(&out), "matmul y");
	text_release(&out);
	struct record record = record_of(&b, OP_KERNEL, "relu");
	record.phase = name(&b, "F3");
	assert_int_equal(world_queue(b.world, 0, 1, &record, 0, 0, 0, &ops[0]), ST_OK);
	assert_int_equal(world_queue(b.world, 0, 1, &record, 0, 0, 0, &ops[1]), ST_OK);
	assert_int_equal(op_find(b.world, 0, "F3", &id), ST_OK);
	assert_int_equal(id, ops[1]);
	books_close(&b);
}

static void views_go_with_their_owner(void **state)
{
	struct books b = books_open(1, 0);
	int x = make(&b, 0, "x", 64), v, w;
	struct layout half;
	int64_t dim = 32;

	(void)state;
	assert_int_equal(layout_make(&half, DT_F32, 1, &dim), ST_OK);
	assert_int_equal(
	        world_view_make(b.world, 0, name(&b, "v"), x, b.world->tensors[x].address + 128, &half, &v),
	        ST_OK);
	assert_int_equal(
	        world_view_make(b.world, 0, name(&b, "w"), v, b.world->tensors[x].address, &half, &w), ST_OK);
	assert_int_equal(b.world->tensors[x].views, 2);
	assert_int_equal(b.world->tensors[w].base, x);
	world_tensor_free(b.world, v, STREAM_HOST);
	assert_int_equal(b.world->tensors[x].views, 1);
	world_tensor_free(b.world, x, STREAM_HOST);
	assert_int_equal(world_find(b.world, 0, name(&b, "w")).kind, THING_NONE);
	assert_int_equal(world_find(b.world, 0, name(&b, "x")).kind, THING_NONE);
	books_close(&b);
}

/* An operation that writes `count` elements of the tensor, from element `first` on */
static op_id write_part(struct books *b, int tensor, int first, int64_t count)
{
	struct operand operand = whole(b, tensor, ACCESS_WRITE);
	struct record record = record_of(b, OP_KERNEL, "relu");

	operand.address += 4 * first;
	assert_int_equal(layout_make(&operand.layout, DT_F32, 1, &count), ST_OK);
	record.operands = 1;
	record.operand = &operand;
	return queue(b, 0, STREAM_DEFAULT, &record, 0);
}

static void poison_goes_when_written_whole(void **state)
{
	struct books b = books_open(1, 0);
	int x = make(&b, 0, "x", 64);
	const struct tensor *tensor = &b.world->tensors[x];

	(void)state;
	op_id two = write_part(&b, x, 1, 2), half = write_part(&b, x, 0, 32), all = write_part(&b, x, 0, 64);
	world_mark_outputs(b.world, two, 7);
	assert_int_equal(tensor->invalid, 7);
	world_mark_outputs(b.world, half, 0);
	assert_int_equal(tensor->invalid, 7);
	world_mark_outputs(b.world, all, 0);
	assert_int_equal(tensor->invalid, 0);
	books_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(names_are_one_thing),
	        cmocka_unit_test(nearest_name),
	        cmocka_unit_test(orders),
	        cmocka_unit_test(records_are_shared),
	        cmocka_unit_test(collectives_meet),
	        cmocka_unit_test(collectives_match_by_issue_order),
	        cmocka_unit_test(mismatch_is_worded),
	        cmocka_unit_test(transfers_meet_by_channel),
	        cmocka_unit_test(abort_restarts),
	        cmocka_unit_test(groups_have_instances),
	        cmocka_unit_test(crossing_groups),
	        cmocka_unit_test(labels),
	        cmocka_unit_test(views_go_with_their_owner),
	        cmocka_unit_test(poison_goes_when_written_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
