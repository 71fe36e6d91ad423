/* test_sim.c -- the same books on several processes, each with the data of its rank: mpirun -n {1,2,3,4,5,8}
 * test_sim
 *
 * Collectives, rings of sendrecv, views, a send whose buffer is overwritten while it travels, a failing
 * allocation on one rank. */
#include "base/memory.h"
#include "collectives/collective.h"
#include "kernels/kernel.h"
#include "sim/sim.h"
#include "tests/mpi/check.h"
#include <string.h>

/* NULL: none of that name */
static const struct collective *collective_called(const char *name)
{
	const struct collective *row = NULL;
	for (int i = 0; (row = collective_at(i)) && strcmp(row->name, name) != 0;)
		i++;
	return row;
}

enum { N = 1000, US = 1000 };
struct test {
	struct transport *transport;
	struct checks checks;
	struct machine machine;
	struct world *world;
	struct backend *backend;
	int n, me;
};

static name_id name(struct test *t, const char *text)
{
	return names_make(t->world->names, text, strlen(text));
}

static struct record record_of(
        struct test *t, enum op_kind kind, const char *title, struct operand *operand, int operands)
{
	return (struct record){.kind = (uint8_t)kind,
	        .title = name(t, title),
	        .microbatch = -1,
	        .group = -1,
	        .root = -1,
	        .duration_ns = -1,
	        .operand = operand,
	        .operands = (uint8_t)operands};
}

static op_id queue(struct test *t, int rank, int stream, const struct record *record, op_id target)
{
	size_t before = t->world->op_count;
	op_id id = 0;
	CHECK(&t->checks, world_queue(t->world, rank, stream, record, 0, target, 0, &id) == ST_OK);
	for (size_t i = before + 1; i <= t->world->op_count; i++)
		CHECK(&t->checks, t->backend->queued(t->backend, (op_id)i) == ST_OK);
	return id;
}

/* One tensor of N on every rank; its index on rank 0 (the others follow it). */
static int tensors(struct test *t, const char *text, int64_t count)
{
	struct layout layout;
	int first = 0, index;
	for (int r = 0; r < t->n; r++) {
		size_t before = t->world->op_count;
		layout_make(&layout, DT_F32, 1, &count);
		CHECK(&t->checks,
		        world_tensor_make(t->world, r, name(t, text), &layout, SPACE_DEVICE, STREAM_DEFAULT,
		                true, 0, &index) == ST_OK);
		for (size_t i = before + 1; i <= t->world->op_count; i++)
			t->backend->queued(t->backend, (op_id)i);
		if (r == 0)
			first = index;
	}
	return first;
}

static struct operand part(
        struct test *t, int rank, int tensor, int access, int64_t from, int64_t count, int64_t stride)
{
	const struct tensor *x = &t->world->tensors[tensor + rank];
	struct operand operand = {.address = x->address + from * 4,
	        .space = SPACE_DEVICE,
	        .access = (uint8_t)access,
	        .tensor = tensor + rank,
	        .name = x->name,
	        .layout = x->layout};
	operand.layout.dim[0] = count;
	operand.layout.stride[0] = stride;
	return operand;
}
static struct operand whole(struct test *t, int rank, int tensor, int access)
{
	return part(t, rank, tensor, access, 0, N, 1);
}

static void fill(struct test *t, int rank, int tensor, double value)
{
	struct operand operand = whole(t, rank, tensor, ACCESS_WRITE);
	struct record record = record_of(t, OP_FILL, "fill", &operand, 1);
	record.kernel = kernel_find("fill");
	record.parameter[0] = value;
	queue(t, rank, STREAM_HOST, &record, 0);
}

static void fill_on_device(struct test *t, int rank, int stream, int tensor, double value)
{
	struct operand operand = whole(t, rank, tensor, ACCESS_READ | ACCESS_WRITE);
	struct record record = record_of(t, OP_KERNEL, "fill", &operand, 1);
	record.kernel = kernel_find("fill");
	record.parameter[0] = value;
	record.flops = 1;
	queue(t, rank, stream, &record, 0);
}

static void collective(struct test *t, int rank, const char *title, enum reduction reduction, int root,
        struct operand in, struct operand *out)
{
	struct operand operand[2] = {in};
	struct record record = record_of(t, OP_COLLECTIVE, title, operand, out ? 2 : 1);
	if (out)
		operand[1] = *out;
	record.collective = collective_called(title);
	record.group = 0;
	record.root = root;
	record.reduction = (uint8_t)reduction;
	record.bytes = layout_bytes(&in.layout);
	if (out && layout_bytes(&out->layout) > record.bytes)
		record.bytes = layout_bytes(&out->layout);
	queue(t, rank, STREAM_DEFAULT, &record, 0);
}

static void exchange(struct test *t, int rank, struct operand from, int to, struct operand into, int source)
{
	struct operand operand[] = {from, into};
	struct part parts[] = {
	        {.direction = P2P_SEND, .peer = to}, {.direction = P2P_RECV, .peer = source, .operand = 1}};
	struct record record = record_of(t, OP_P2P, "sendrecv", operand, 2);
	record.group = 0;
	record.part = parts;
	record.parts = 2;
	record.bytes = layout_bytes(&from.layout);
	queue(t, rank, STREAM_DEFAULT, &record, 0);
}

static void one_way(struct test *t, int rank, enum p2p_direction direction, int peer, struct operand operand)
{
	struct part one = {.direction = (uint8_t)direction, .peer = peer};
	struct record record = record_of(t, OP_P2P, direction == P2P_SEND ? "send" : "recv", &operand, 1);
	record.group = 0;
	record.part = &one;
	record.parts = 1;
	record.bytes = layout_bytes(&operand.layout);
	queue(t, rank, STREAM_DEFAULT, &record, 0);
}

static enum status finish(struct test *t)
{
	op_id sync[64];
	struct record record = record_of(t, OP_SYNC, "sync", NULL, 0);
	for (int r = 0; r < t->n; r++)
		sync[r] = queue(t, r, STREAM_HOST, &record, OP_EVERYTHING);
	return t->backend->reach(t->backend, sync, t->n, NULL);
}

static float value(struct test *t, int tensor, int64_t i)
{
	const struct tensor *x = &t->world->tensors[tensor + t->me];
	float values[N] = {0};
	CHECK(&t->checks,
	        t->backend->read(t->backend, 0, SPACE_DEVICE, x->address, &x->layout, values) == ST_OK);
	return values[i];
}

static void collectives(struct test *t)
{
	int x = tensors(t, "x", N), y = tensors(t, "y", N), g = tensors(t, "g", N);
	for (int r = 0; r < t->n; r++) {
		fill(t, r, x, r + 1);
		fill(t, r, g, 10 * r + 3);
		struct operand out = whole(t, r, y, ACCESS_WRITE);
		collective(t, r, "allreduce", REDUCE_SUM, -1, whole(t, r, x, ACCESS_READ), &out);
		collective(
		        t, r, "allreduce", REDUCE_MAX, -1, whole(t, r, x, ACCESS_READ | ACCESS_WRITE), NULL);
		collective(t, r, "broadcast", REDUCE_SUM, t->n - 1,
		        whole(t, r, g, ACCESS_READ | ACCESS_WRITE), NULL);
	}
	CHECK(&t->checks, finish(t) == ST_OK);
	CHECK(&t->checks, value(t, y, 7) == (float)(t->n * (t->n + 1) / 2));
	CHECK(&t->checks, value(t, x, N - 1) == (float)t->n);
	CHECK(&t->checks, value(t, g, 0) == (float)(10 * (t->n - 1) + 3));
	int parts = tensors(t, "parts", N), all = tensors(t, "all", N);
	for (int r = 0; r < t->n; r++) {
		fill(t, r, parts, r + 1);
		struct operand out = part(t, r, all, ACCESS_WRITE, 0, 10 * t->n, 1);
		collective(t, r, "allgather", REDUCE_SUM, -1, part(t, r, parts, ACCESS_READ, 0, 10, 1), &out);
	}
	CHECK(&t->checks, finish(t) == ST_OK);
	for (int r = 0; r < t->n; r++)
		CHECK(&t->checks, value(t, all, r * 10 + 5) == (float)(r + 1));
}

/* Every other element goes round the ring, and comes home. */
static void ring(struct test *t)
{
	int x = tensors(t, "ring", N);
	for (int r = 0; r < t->n; r++)
		fill(t, r, x, r);
	for (int hop = 0; hop < t->n; hop++)
		for (int r = 0; r < t->n; r++)
			exchange(t, r, part(t, r, x, ACCESS_READ, 0, N / 2, 2), (r + 1) % t->n,
			        part(t, r, x, ACCESS_WRITE, 0, N / 2, 2), (r + t->n - 1) % t->n);
	CHECK(&t->checks, finish(t) == ST_OK);
	CHECK(&t->checks, value(t, x, 0) == (float)t->me);
	for (int r = 0; r < t->n; r++)
		exchange(t, r, part(t, r, x, ACCESS_READ, 0, N / 2, 2), (r + 1) % t->n,
		        part(t, r, x, ACCESS_WRITE, 0, N / 2, 2), (r + t->n - 1) % t->n);
	CHECK(&t->checks, finish(t) == ST_OK);
	CHECK(&t->checks, value(t, x, 2) == (float)((t->me + t->n - 1) % t->n));
	CHECK(&t->checks, value(t, x, 1) == (float)t->me);
}

/* Rank 0's other stream overwrites what is travelling: the message is what it was when the transfer began. */
static void overwritten(struct test *t)
{
	int x = tensors(t, "wet", N), stream;
	if (t->n < 2)
		return;
	CHECK(&t->checks, world_stream_make(t->world, 0, name(t, "other"), 0, false, &stream) == ST_OK);
	fill(t, 0, x, 5);
	fill(t, 1, x, 6);
	one_way(t, 1, P2P_RECV, 0, whole(t, 1, x, ACCESS_WRITE));
	one_way(t, 0, P2P_SEND, 1, whole(t, 0, x, ACCESS_READ));
	fill_on_device(t, 0, t->world->streams[stream].number, x, 7);
	CHECK(&t->checks, finish(t) == ST_OK);
	if (t->me == 0)
		CHECK(&t->checks, value(t, x, 0) == 7);
	if (t->me == 1)
		CHECK(&t->checks, value(t, x, 0) == 5);
}

static void open_world(struct test *t)
{
	t->world = world_create(t->n, t->me, &t->machine);
	t->backend = sim_start(t->world, t->transport, (struct backend_hooks){NULL, NULL});
}

static void close_world(struct test *t)
{
	t->backend->stop(t->backend);
	world_free(t->world);
}

int main(int argc, char **argv)
{
	struct test t = {0};
	if (transport_start(&t.transport, true, &argc, &argv)) {
		fprintf(stderr, "%s\n", fail_text());
		return 1;
	}
	t.n = transport_size(t.transport);
	t.me = t.checks.rank = transport_rank(t.transport);
	CHECK(&t.checks, machine_load(&t.machine, "classroom") == ST_OK);
	open_world(&t);
	collectives(&t);
	ring(&t);
	overwritten(&t);
	close_world(&t);
	return checks_end(&t.checks, t.transport, "test_sim");
}
