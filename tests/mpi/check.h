/* check.h -- checks of a test program that runs as several MPI processes: each rank counts, rank 0 prints the
 * sum.
 *     mpirun -n 4 test_plane      ->  "test_plane: 512 passed, 0 failed" and exit status 0 */
#ifndef RANKSH_TESTS_MPI_CHECK_H
#define RANKSH_TESTS_MPI_CHECK_H

#include "mpi/plane.h"
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

/* The exit status, the same on every rank; ends the plane. */
static inline int checks_end(struct checks *checks, struct plane *plane, const char *name)
{
	struct checks all[64], sum = {0, 0, 0};

	plane_share(plane, checks, all, sizeof *checks);
	for (int rank = 0; rank < plane_size(plane); rank++) {
		sum.passed += all[rank].passed;
		sum.failed += all[rank].failed;
	}
	if (plane_rank(plane) == 0)
		printf("%s: %d passed, %d failed\n", name, sum.passed, sum.failed);
	fflush(stdout);
	plane_stop(plane);
	return sum.failed > 0 || sum.passed == 0;
}

#endif
