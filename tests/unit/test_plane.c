/* test_plane.c -- the planes of one process that stands alone: the same calls, and no MPI */
#include "check.h"
#include "mpi/plane.h"
#include <string.h>

static int start(void **state)
{
	struct plane *plane = NULL;
	enum status status = plane_start(&plane, false, NULL, NULL);

	*state = plane;
	return (int)status;
}

static int stop(void **state)
{
	plane_stop(*state);
	return mem_live() == 0 ? 0 : -1;
}

static void control_of_one(void **state)
{
	struct plane *plane = *state;
	struct plane_bytes all[1];
	int32_t mine = 7, shared = 0;
	int64_t upto = 5;
	void *bytes = "x";
	size_t count = 1;

	assert_int_equal(plane_rank(plane), 0);
	assert_int_equal(plane_size(plane), 1);
	assert_int_equal(plane_send_all(plane, "line", 4), ST_OK);
	assert_int_equal(plane_gather(plane, "abc", 3, all, NULL, NULL), ST_OK);
	assert_int_equal(all[0].count, 3);
	assert_memory_equal(all[0].bytes, "abc", 3);
	mem_free(all[0].bytes);
	assert_int_equal(plane_share(plane, &mine, &shared, sizeof mine), ST_OK);
	assert_int_equal(shared, 7);
	assert_int_equal(plane_broadcast(plane, 0, &bytes, &count), ST_OK);
	assert_int_equal(plane_grant(plane, 9), ST_OK);
	assert_int_equal(plane_await_grant(plane, &upto), ST_OK);
}

static void forwarded_of_one(void **state)
{
	struct plane *plane = *state;
	int rank = -1;
	char *bytes = NULL;
	size_t count = 0;

	assert_false(plane_take_forwarded(plane, &rank, &bytes, &count));
	assert_int_equal(plane_forward(plane, "one", 3), ST_OK);
	assert_int_equal(plane_forward(plane, "two2", 4), ST_OK);
	assert_true(plane_take_forwarded(plane, &rank, &bytes, &count));
	assert_int_equal(rank, 0);
	assert_int_equal(count, 3);
	mem_free(bytes);
	assert_true(plane_take_forwarded(plane, &rank, &bytes, &count));
	assert_memory_equal(bytes, "two2", 4);
	mem_free(bytes);
	assert_int_equal(plane_forward(plane, "left behind", 11), ST_OK); /* plane_stop frees it */
}

static void data_of_one(void **state)
{
	struct plane *plane = *state;
	struct plane_group *group = NULL;
	int ranks[] = {0};
	float in[3] = {1, 2, 3}, out[3] = {0, 0, 0};
	struct plane_piece piece = {in, sizeof in, out, sizeof out};

	assert_int_equal(plane_group_make(plane, 1, ranks, &group), ST_OK);
	assert_int_equal(plane_group_size(group), 1);
	assert_int_equal(plane_exchange(group, &piece), ST_OK);
	assert_memory_equal(in, out, sizeof in);
	assert_int_equal(plane_bcast(group, 0, out, sizeof out), ST_OK);
	assert_memory_equal(in, out, sizeof in);
	plane_group_free(group);
}

static bool use_another(void *self)
{
	struct plane *plane = NULL;
	struct plane_bytes all[1];
	struct plane_group *group = NULL;
	int ranks[] = {0};
	bool good = plane_start(&plane, false, NULL, NULL) == ST_OK &&
	        plane_gather(plane, "abc", 3, all, NULL, NULL) == ST_OK &&
	        plane_group_make(plane, 1, ranks, &group) == ST_OK && plane_forward(plane, "abc", 3) == ST_OK;
	(void)self;
	mem_free(all[0].bytes);
	plane_group_free(group);
	plane_stop(plane);
	return good;
}

static void without_memory(void **state)
{
	(void)state;
	sweep_memory(use_another, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(control_of_one, start, stop),
	        cmocka_unit_test_setup_teardown(forwarded_of_one, start, stop),
	        cmocka_unit_test_setup_teardown(data_of_one, start, stop),
	        cmocka_unit_test_setup_teardown(without_memory, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
