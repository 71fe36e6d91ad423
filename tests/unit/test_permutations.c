/* test_permutations.c -- random programs typed in many orders: the same script gives the same
 * timeline, byte for byte, in every run and for every order of different ranks' lines between
 * commits. Looking at random moments changes nothing. Without data; tests/mpi has it with data. */
#include "base/memory.h"
#include "random_program.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { PROGRAMS = 150, ORDERS = 4 };

static void say(const struct program *program, struct transport *transport, uint64_t order, bool looks_too,
        struct text *said)
{
	enum status status = program_run(program, transport, true, order, looks_too, said);
	if (status != ST_OK)
		fail_msg("%s: %s\n%s", status_name(status), fail_text(), text_string(said));
}

static void orders_mean_nothing(void **state)
{
	struct program program;
	struct transport *transport = NULL;
	long live = mem_live();
	(void)state;
	assert_int_equal(transport_start(&transport, false, NULL, NULL), ST_OK);
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		struct text first = {0}, other = {0};
		program_make(&program, seed, 2 + (int)seed % 3);
		say(&program, transport, 0, false, &first);
		for (uint64_t order = 0; order <= ORDERS; order++) {
			say(&program, transport, order ? seed * 100 + order : 0, order % 2, &other);
			if (strcmp(text_string(&first), text_string(&other)) != 0) {
				fprintf(stderr, "program %d, order %d: %s\n------ and not\n%s\n", (int)seed,
				        (int)order, text_string(&other), text_string(&first));
				assert_true(false);
			}
			text_release(&other);
		}
		text_release(&first);
	}
	transport_stop(transport);
	assert_int_equal(mem_live(), live);
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {cmocka_unit_test(orders_mean_nothing)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
