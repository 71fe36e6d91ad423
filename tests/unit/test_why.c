/* test_why.c -- why and critical: from a wait to its root, and the chain that determines the
 * end */
#include "lines.h"

#include "trace/why.h"

#include <string.h>

/* A record knows its line, and its file where that is not the text at hand; the books know by which line a rank is slow. */
static void records_know_their_lines(void **state)
{
	(void)state;
	HOLDS("spin 1ms\n@2 slow 2x\nspin 1ms\n@2 slow 1x\nspin 1ms");
	const struct world *world = shell.world;
	op_id first = world->first[2], second = world->ops[first].next_program,
	      third = world->ops[second].next_program;
	assert_int_equal(op_record(world, second)->line, 3);
	assert_int_equal(op_record(world, second)->file, 0);
	assert_null(world_slow_at(world, first));
	assert_int_equal(world_slow_at(world, second)->line, 2);
	assert_true(world_slow_at(world, second)->factor == 2);
	assert_null(world_slow_at(world, third));
	assert_null(world_slow_at(world, world->ops[world->first[1]].next_program));
	HOLDS("model mlp layers=1 hidden=64 batch=8\nstrategy ddp\nstep 5");
	world = shell.world;
	bool of_a_file = false;
	for (op_id id = 1; id <= world->op_count; id++)
		of_a_file |= strstr(names_text(world->names, op_record(world, id)->file), "mlp.rsh") != NULL;
	assert_true(of_a_file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        IN_A_SHELL(records_know_their_lines),
	};
	return cmocka_run_group_tests(tests, open_transport, close_transport);
}
