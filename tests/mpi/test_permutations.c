/* test_permutations.c -- random programs typed in several orders, with data: every process says the same
 * things, numbers too, whatever the order of the lines of different ranks and whoever looks in between:
 * mpirun -n {1,2,3,4,5,8} test_permutations */
#include "tests/mpi/check.h"
#include "tests/unit/random_program.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"

enum { PROGRAMS = 6, ORDERS = 2 };

int main(int argc, char **argv)
{
	commands_start(command_table);
	static struct program program;
	struct transport *transport;
	struct checks checks = {0};

	if (transport_start(&transport, true, &argc, &argv) != ST_OK ||
	        transport_size(transport) > PROGRAM_RANKS)
		return 1;
	checks.rank = transport_rank(transport);
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		struct text first = {0}, other = {0};
		program_make(&program, 1000 + seed, transport_size(transport));
		CHECK(&checks, program_run(&program, transport, false, 0, false, &first) == ST_OK);
		for (uint64_t order = 1; order <= ORDERS; order++) {
			CHECK(&checks,
			        program_run(&program, transport, false, seed * 100 + order, order % 2,
			                &other) == ST_OK);
			CHECK(&checks, strcmp(text_string(&first), text_string(&other)) == 0);
			text_release(&other);
		}
		text_release(&first);
	}
	return checks_end(&checks, transport, "test_permutations");
}
