/* check.h -- checks of a test program that runs as several MPI processes: each rank counts, rank 0 prints the
 * sum.
 *     mpirun -n 4 test_transport      ->  "test_transport: 512 passed, 0 failed" and exit status 0 */
#ifndef RANKSH_TESTS_MPI_CHECK_H
#define RANKSH_TESTS_MPI_CHECK_H

#include "mpi/transport.h"
#include <stdio.h>

struct checks {
	int passed, failed, rank;
};

#define CHECK(checks, truth) check((checks), (truth), #truth, __FILE__, __LINE__)

static inline void check(struct checks *checks, bool truth, const char *text, const char *file, int line)
{
	if (truth)
		checks->passed++;
	else if (++checks->failed <= 10)
		fprintf(stderr, "%s:%d: rank %d: not true: %s (last failure: %s)\n", file, line, checks->rank,
		        text, fail_text());
}

/* The exit status, the same on every rank; ends the transport. */
static inline int checks_end(struct checks *checks, struct transport *transport, const char *name)
{
	struct checks all[64], sum = {0, 0, 0};

	transport_share(transport, checks, all, sizeof *checks);
	for (int rank = 0; rank < transport_size(transport); rank++) {
		sum.passed += all[rank].passed;
		sum.failed += all[rank].failed;
	}
	if (transport_rank(transport) == 0)
		printf("%s: %d passed, %d failed\n", name, sum.passed, sum.failed);
	fflush(stdout);
	transport_stop(transport);
	return sum.failed > 0 || sum.passed == 0;
}

#endif
