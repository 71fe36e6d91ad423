/* bench_engine.c -- operations a second with --dry: 1,024 ranks in groups of 8, each a kernel, a wait and an
 * allreduce over and over */
#include "base/memory.h"
#include "collectives/collective.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { RANKS = 1024, GROUP = 8, ROUNDS = 300, LOOK_EVERY = 10 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct lines {
	struct record kernel, wait, reduce, sync;
	struct operand operand;
};

static void make_lines(struct world *world, int group, struct lines *l)
{
	struct record plain = {.group = -1, .root = -1, .duration_ns = -1, .microbatch = -1};
	l->kernel = l->wait = l->reduce = l->sync = plain;
	l->kernel.kind = OP_KERNEL;
	l->kernel.title = names_make(world->names, "matmul", 6);
	l->kernel.flops = 1e6;
	l->wait.kind = OP_WAIT;
	l->wait.title = names_make(world->names, "wait", 4);
	l->operand =
	        (struct operand){.space = SPACE_DEVICE, .access = ACCESS_READ | ACCESS_WRITE, .tensor = -1};
	layout_make(&l->operand.layout, DT_F32, 1, (int64_t[]){65536});
	l->reduce.kind = OP_COLLECTIVE;
	l->reduce.title = names_make(world->names, "allreduce", 9);
	l->reduce.collective = &collective_allreduce;
	l->reduce.group = group;
	l->reduce.bytes = 262144;
	l->reduce.operand = &l->operand;
	l->reduce.operands = 1;
	l->sync.kind = OP_SYNC;
	l->sync.title = names_make(world->names, "sync", 4);
	l->sync.reason = names_make(world->names, "sync", 4);
}

static enum status add(struct world *world, struct backend *backend, int rank, int stream,
        const struct record *record, uint32_t *like, op_id target, op_id *id)
{
	enum status status = world_queue(world, rank, stream, record, *like, target, 0, id);
	if (status == ST_OK && !*like)
		*like = world->ops[*id].record;
	return status == ST_OK ? backend->queued(backend, *id) : status;
}

static enum status one_round(
        struct world *world, struct backend *backend, const struct lines *l, const int *comm)
{
	uint32_t kernel = 0, wait = 0, reduce = 0;
	enum status status = ST_OK;
	op_id id;
	for (int r = 0; r < RANKS && status == ST_OK; r++)
		status = add(world, backend, r, STREAM_DEFAULT, &l->kernel, &kernel, 0, &id);
	for (int r = 0; r < RANKS && status == ST_OK; r++)
		status = add(world, backend, r, comm[r], &l->wait, &wait,
		        world_stream(world, r, STREAM_DEFAULT)->tail, &id);
	for (int r = 0; r < RANKS && status == ST_OK; r++)
		status = add(world, backend, r, comm[r], &l->reduce, &reduce, 0, &id);
	return status;
}

static enum status make_groups(struct world *world, int *group, int *comm)
{
	int starts[RANKS / GROUP + 1], ranks[RANKS];
	enum status status = ST_OK;
	for (int i = 0; i <= RANKS / GROUP; i++)
		starts[i] = i * GROUP;
	for (int r = 0; r < RANKS && status == ST_OK; r++) {
		int index = 0;
		ranks[r] = r;
		status = world_stream_make(world, r, names_make(world->names, "comm", 4), 0, false, &index);
		comm[r] = world->streams[index].number;
	}
	return status == ST_OK ? world_group_make(world, names_make(world->names, "tp", 2), false,
	                                 RANKS / GROUP, starts, ranks, group)
	                       : status;
}

static enum status finish(struct world *world, struct backend *backend, const struct lines *l, op_id *ids)
{
	enum status status = ST_OK;
	uint32_t like = 0;
	for (int r = 0; r < RANKS && status == ST_OK; r++)
		status = add(world, backend, r, STREAM_HOST, &l->sync, &like, OP_EVERYTHING, &ids[r]);
	return status == ST_OK ? backend->reach(backend, ids, RANKS, NULL) : status;
}

static enum status play(struct world *world, struct backend *backend)
{
	static int comm[RANKS];
	static op_id ids[RANKS];
	struct lines lines;
	int group = 0;
	double queueing = 0, simulating = 0, from;
	enum status status = make_groups(world, &group, comm);
	make_lines(world, group, &lines);
	for (int i = 0; i < ROUNDS && status == ST_OK; i++) {
		from = now();
		status = one_round(world, backend, &lines, comm);
		queueing += now() - from;
		from = now();
		if (status == ST_OK && i % LOOK_EVERY == 0)
			status = backend->advance(backend, NULL);
		simulating += now() - from;
	}
	from = now();
	if (status == ST_OK)
		status = finish(world, backend, &lines, ids);
	simulating += now() - from;
	double ops = (double)world->op_count;
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("engine: %.0f operations, %d ranks in groups of %d: %.2f us an operation to queue, %.2f to "
	       "simulate: %.2f million/s (at least 1); "
	       "%.0f bytes an operation (at most 128)\n",
	        ops, RANKS, GROUP, queueing / ops * 1e6, simulating / ops * 1e6,
	        ops / (queueing + simulating) / 1e6, (double)usage.ru_maxrss * 1024 / ops);
	return status;
}

int main(void)
{
	struct machine machine;
	struct backend *backend = NULL;
	enum status status = machine_load(&machine, "dgx-h100-128");
	struct world *world = status == ST_OK ? world_create(RANKS, -1, &machine) : NULL;
	if (world)
		backend = sim_start(world, NULL, (struct backend_hooks){NULL, NULL});
	if (backend)
		status = play(world, backend);
	if (status != ST_OK)
		printf("failed: %s\n", fail_text());
	if (backend)
		backend->stop(backend);
	if (world)
		world_free(world);
	return status != ST_OK;
}
