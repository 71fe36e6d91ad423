/* test_waits.c -- waits for devices that are over at times of their own: mpirun -n {1,2,3,4,5,8} test_waits
 *
 * The simulator with another `reach`: each process's device is over after rounds of its own. What must hold: all
 * processes are in the same rounds, and go on when the last device is over; Ctrl-C on rank 0 ends a wait of all in the
 * same round, with equal books and steps (the conductor compares them), and the next line works. */
#include "shell/rank/conductor.h"
#include "shell/commands/table.h"
#include "shell/course/course.h"
#include "shell/submit/rows.h"
#include "tests/mpi/check.h"

#include <string.h>

static struct {
	struct checks checks;
	struct transport *transport;
	enum status (*reach)(struct backend *, const op_id *, int, struct budget *);
	int least;   /* rounds of rank 0's device; each rank's is over one later than the one before it */
	int rounds;  /* of the last wait */
	int stop_at; /* rank 0: Ctrl-C in this round; 0: none */
} test;

/* Each round shares what is over, as a device's would */
static enum status reach(struct backend *backend, const op_id *ids, int count, struct budget *budget)
{
	enum status status = test.reach(backend, ids, count, budget);
	int size = transport_size(test.transport);
	bool left = status == ST_OK, busy[64];
	for (test.rounds = 0; left;) {
		bool mine = test.rounds < test.least + transport_rank(test.transport);
		CHECK(&test.checks, transport_share(test.transport, &mine, busy, sizeof mine) == ST_OK);
		left = false;
		for (int rank = 0; rank < size; rank++)
			left |= busy[rank];
		test.rounds += left;
		if (left && !budget->waits(budget))
			return fail(ST_INTERRUPTED, "interrupted");
	}
	return status;
}

static bool interrupted(void *self, bool again, bool waits)
{
	(void)self, (void)again, (void)waits;
	return test.stop_at && test.rounds == test.stop_at;
}

static void say(void *self, enum severity severity, const char *bytes, size_t count)
{
	(void)self, (void)severity, (void)bytes, (void)count;
}

static void foreign(void *self, int rank, const char *bytes, size_t count)
{
	(void)self, (void)rank, (void)bytes, (void)count;
}

static enum status type(struct conductor *conductor, const char *line)
{
	struct order order = {.kind = ORDER_TEXT, .text = line, .count = strlen(line), .first_line = 1};
	test.rounds = 0;
	return conductor_order(conductor, &order);
}

static void lead(struct conductor *conductor)
{
	int size = transport_size(test.transport);
	conductor->to = (struct listener){.say = say, .foreign = foreign, .interrupted = interrupted};
	CHECK(&test.checks, type(conductor, "tensor x[4] = rank; allreduce x; let a = x[1]") == ST_OK);
	CHECK(&test.checks, test.rounds == test.least + size - 1);
	test.stop_at = 2;
	CHECK(&test.checks, type(conductor, "x = scale x 2; let b = x[1]") == ST_INTERRUPTED);
	CHECK(&test.checks, test.rounds == 2);
	test.stop_at = 0;
	CHECK(&test.checks, type(conductor, "expect x[1] == world * (world - 1)") == ST_OK);
	CHECK(&test.checks, conductor->shell.expect.failed == 0);
	CHECK(&test.checks, conductor_order(conductor, &(struct order){.kind = ORDER_LEAVE}) == ST_OK);
}

int main(int argc, char **argv)
{
	commands_start(command_table);
	if (transport_start(&test.transport, true, &argc, &argv) != ST_OK)
		return 1;
	test.checks.rank = transport_rank(test.transport);
	struct options options = {.n = transport_size(test.transport)};
	struct conductor conductor = {.shell.course.functions = &course_functions};
	CHECK(&test.checks, conductor_open(&conductor, test.transport, NULL, &options) == ST_OK);
	test.least = 3;
	test.reach = conductor.shell.backend->reach;
	conductor.shell.backend->reach = reach;
	if (test.checks.rank == 0)
		lead(&conductor);
	else
		conductor_follow(&conductor);
	conductor_close(&conductor);
	return checks_end(&test.checks, test.transport, "test_waits");
}
