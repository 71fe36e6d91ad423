/* bench_transport.c -- the transport's speed, each beside its baseline of the same run: mpirun -n 8 bench_transport
 *   command in a row, after an idle second: a line to all ranks and a status back from each
 *   idle: part of one core that all ranks together use while they wait for a line
 *   allreduce: 4 MB of f32 through the transport, and plain MPI_Allreduce */
#include "base/memory.h"
#include "collectives/collective.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ROW = 1000, IDLE_TRIES = 15, IDLE_SECONDS = 5, REDUCTIONS = 60, COUNT = 1 << 20 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double used(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	        (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof *values, ascending);
	return values[count / 2];
}

static double command(struct transport *transport)
{
	static struct transport_bytes all[1024];
	double began = now();

	transport_send_all(transport, "y = matmul x w on compute", 25);
	transport_gather(transport, "ok", 2, all, NULL, NULL);
	for (int rank = 0; rank < transport_size(transport); rank++)
		mem_free(all[rank].bytes);
	return now() - began;
}

static void answer(struct transport *transport, int commands)
{
	for (int i = 0; i < commands; i++) {
		void *line = NULL;
		size_t count;

		transport_receive(transport, &line, &count, NULL, NULL);
		mem_free(line);
		transport_gather(transport, "ok", 2, NULL, NULL, NULL);
	}
}

static void commands(struct transport *transport)
{
	static double times[ROW];
	struct timespec second = {1, 0}, idle_time = {IDLE_SECONDS, 0};
	double *each = mem_alloc((size_t)transport_size(transport) * sizeof *each), began, idle, sum = 0;

	if (transport_rank(transport) == 0) {
		for (int i = 0; i < ROW; i++)
			times[i] = command(transport);
		printf("command in a row, %d ranks: median %.3f ms (at most 1)\n", transport_size(transport),
		        1e3 * median(times, ROW));
	} else {
		answer(transport, ROW);
	}
	for (int i = 0; transport_rank(transport) == 0 && i < IDLE_TRIES; i++) {
		nanosleep(&second, NULL);
		times[i] = command(transport);
	}
	if (transport_rank(transport) == 0)
		printf("command after an idle second: median %.3f ms (at most 5)\n",
		        1e3 * median(times, IDLE_TRIES));
	else
		answer(transport, IDLE_TRIES);
	began = used();
	if (transport_rank(transport) == 0) {
		nanosleep(&idle_time, NULL);
		command(transport);
	} else {
		answer(transport, 1);
	}
	idle = used() - began;
	transport_share(transport, &idle, each, sizeof idle);
	for (int rank = 0; rank < transport_size(transport); rank++)
		sum += each[rank];
	if (transport_rank(transport) == 0)
		printf("idle: %.1f%% of a core for %d ranks (at most 5%%)\n", 100 * sum / IDLE_SECONDS,
		        transport_size(transport));
	mem_free(each);
}

static void reductions(struct transport *transport)
{
	int n = transport_size(transport);
	int *ranks = mem_alloc((size_t)n * sizeof *ranks);
	float *in = mem_alloc(COUNT * sizeof *in), *out = mem_alloc(COUNT * sizeof *out);
	static double ours[REDUCTIONS], plain[REDUCTIONS];

	for (int i = 0; i < n; i++)
		ranks[i] = i;
	struct transport_group *group = transport_group_make(transport, n, ranks);
	for (int i = -5; i < REDUCTIONS; i++) { /* in turns, so that both see the same machine */
		double t0, t1;

		MPI_Barrier(MPI_COMM_WORLD);
		t0 = now();
		collective_data((struct collective_job){.collective = &collective_allreduce,
		        .comm = group,
		        .in = (char *)in,
		        .out = (char *)out,
		        .in_count = COUNT,
		        .out_count = COUNT});
		t1 = now();
		MPI_Barrier(MPI_COMM_WORLD);
		if (i >= 0)
			ours[i] = t1 - t0;
		t0 = now();
		MPI_Allreduce(in, out, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		if (i >= 0)
			plain[i] = now() - t0;
	}
	if (transport_rank(transport) == 0) {
		double a = median(ours, REDUCTIONS), b = median(plain, REDUCTIONS);
		printf("allreduce 4 MB, %d ranks: %.2f ms, plain MPI_Allreduce %.2f ms: %.2f (at most 1.1)\n",
		        n, 1e3 * a, 1e3 * b, a / b);
	}
	transport_group_free(group);
	mem_free(out);
	mem_free(in);
	mem_free(ranks);
}

int main(int argc, char **argv)
{
	struct transport *transport;

	if (transport_start(&transport, true, &argc, &argv)) {
		fprintf(stderr, "%s\n", fail_text());
		return 1;
	}
	commands(transport);
	reductions(transport);
	transport_stop(transport);
	return 0;
}
