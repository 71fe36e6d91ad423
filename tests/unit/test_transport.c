/* test_transport.c -- the transport of a single process: the same calls, without MPI */
#include "check.h"
#include "mpi/transport.h"
#include <string.h>

static int start(void **state)
{
	struct transport *transport = NULL;
	enum status status = transport_start(&transport, false, NULL, NULL);

	*state = transport;
	return (int)status;
}

static int stop(void **state)
{
	transport_stop(*state);
	return mem_live() == 0 ? 0 : -1;
}

static void control_of_one(void **state)
{
	struct transport *transport = *state;
	struct transport_bytes all[1];
	int32_t mine = 7, shared = 0;
	int64_t upto = 5;
	void *bytes = "x";
	size_t count = 1;

	assert_int_equal(transport_rank(transport), 0);
	assert_int_equal(transport_size(transport), 1);
	assert_int_equal(transport_send_all(transport, "line", 4), ST_OK);
	assert_int_equal(transport_gather(transport, "abc", 3, all, NULL, NULL), ST_OK);
	assert_int_equal(all[0].count, 3);
	assert_memory_equal(all[0].bytes, "abc", 3);
	mem_free(all[0].bytes);
	assert_int_equal(transport_share(transport, &mine, &shared, sizeof mine), ST_OK);
	assert_int_equal(shared, 7);
	assert_int_equal(transport_broadcast(transport, 0, &bytes, &count), ST_OK);
	assert_int_equal(transport_grant(transport, 9), ST_OK);
	assert_int_equal(transport_await_grant(transport, &upto), ST_OK);
}

static void forwarded_of_one(void **state)
{
	struct transport *transport = *state;
	int rank = -1;
	char *bytes = NULL;
	size_t count = 0;

	assert_false(transport_take_forwarded(transport, &rank, &bytes, &count));
	assert_int_equal(transport_forward(transport, "one", 3), ST_OK);
	assert_int_equal(transport_forward(transport, "two2", 4), ST_OK);
	assert_true(transport_take_forwarded(transport, &rank, &bytes, &count));
	assert_int_equal(rank, 0);
	assert_int_equal(count, 3);
	mem_free(bytes);
	assert_true(transport_take_forwarded(transport, &rank, &bytes, &count));
	assert_memory_equal(bytes, "two2", 4);
	mem_free(bytes);
	assert_int_equal(
	        transport_forward(transport, "left behind", 11), ST_OK); /* transport_stop frees it */
}

static void data_of_one(void **state)
{
	struct transport *transport = *state;
	int ranks[] = {0};
	struct transport_group *group = transport_group_make(transport, 1, ranks);
	float in[3] = {1, 2, 3}, out[3] = {0, 0, 0};
	struct transport_piece piece = {in, sizeof in, out, sizeof out};

	assert_int_equal(transport_group_size(group), 1);
	assert_int_equal(transport_exchange(group, &piece), ST_OK);
	assert_memory_equal(in, out, sizeof in);
	assert_int_equal(transport_bcast(group, 0, out, sizeof out), ST_OK);
	assert_memory_equal(in, out, sizeof in);
	transport_group_free(group);
}

static bool use_another(void *self)
{
	struct transport *transport = NULL;
	struct transport_bytes all[1];
	struct transport_group *group = NULL;
	int ranks[] = {0};
	bool good = transport_start(&transport, false, NULL, NULL) == ST_OK &&
	        transport_gather(transport, "abc", 3, all, NULL, NULL) == ST_OK &&
	        (group = transport_group_make(transport, 1, ranks)) != NULL &&
	        transport_forward(transport, "abc", 3) == ST_OK;
	(void)self;
	mem_free(all[0].bytes);
	transport_group_free(group);
	transport_stop(transport);
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
