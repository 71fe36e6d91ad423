/* test_sim_data.c -- data of one rank: inputs are read at an operation's start, outputs appear at its end */
#include "check.h"
#include "sim_world.h"
#include "kernels/kernel.h"
#include "mpi/transport.h"

enum { N = 256 };
struct scene {
	struct bench b;
	struct transport *transport;
};

static void open_scene(struct scene *s)
{
	*s = (struct scene){.b = {.machine = test_machine()}};
	assert_int_equal(transport_start(&s->transport, false, NULL, NULL), ST_OK);
	s->b.world = world_create(1, 0, &s->b.machine);
	assert_non_null(s->b.world);
	s->b.backend = sim_start(s->b.world, s->transport, (struct backend_hooks){&s->b, hook_done});
}

static void close_scene(struct scene *s)
{
	s->b.backend->stop(s->b.backend);
	world_free(s->b.world);
	transport_stop(s->transport);
}

/* A tensor of N elements; index into world.tensors */
static int tensor(struct scene *s, const char *name, enum space space)
{
	struct layout layout;
	int index;
	size_t before = s->b.world->op_count;
	assert_int_equal(layout_make(&layout, DT_F32, 1, (int64_t[]){N}), ST_OK);
	assert_int_equal(world_tensor_make(s->b.world, 0, name_of(&s->b, name), &layout, space,
	                         STREAM_DEFAULT, true, 0, &index),
	        ST_OK);
	for (size_t i = before + 1; i <= s->b.world->op_count; i++)
		assert_int_equal(s->b.backend->queued(s->b.backend, (op_id)i), ST_OK);
	return index;
}

static struct operand whole(struct scene *s, int index, int access)
{
	const struct tensor *t = &s->b.world->tensors[index];
	return (struct operand){.address = t->address,
	        .space = t->space,
	        .access = (uint8_t)access,
	        .tensor = index,
	        .name = t->name,
	        .layout = t->layout};
}

static struct operand part(struct scene *s, int index, int access, int64_t from, int64_t count)
{
	struct operand operand = whole(s, index, access);
	operand.address += from * 4;
	operand.layout.dim[0] = count;
	return operand;
}

static op_id run_kernel(struct scene *s, int stream, const char *name, int operands, struct operand *operand,
        int64_t us, double option)
{
	struct record record = plain_record(&s->b, OP_KERNEL, name);
	record.kernel = kernel_find(name);
	assert_non_null(record.kernel);
	record.operand = operand;
	record.operands = (uint8_t)operands;
	record.flops = (double)us * US;
	record.parameter[0] = option;
	return queue(&s->b, 0, stream, &record, 0, 0);
}

static op_id fill(struct scene *s, int index, double value)
{
	struct record record = plain_record(&s->b, OP_FILL, "fill");
	struct operand operand = whole(s, index, ACCESS_WRITE);
	record.kernel = kernel_find("fill");
	record.operand = &operand;
	record.operands = 1;
	record.parameter[0] = value;
	return queue(&s->b, 0, STREAM_HOST, &record, 0, 0);
}

static op_id add(struct scene *s, int stream, int a, int b, int out, int64_t us)
{
	struct operand operand[] = {
	        whole(s, a, ACCESS_READ), whole(s, b, ACCESS_READ), whole(s, out, ACCESS_WRITE)};
	return run_kernel(s, stream, "add", 3, operand, us, 0);
}

static op_id move(struct scene *s, int stream, struct operand from, struct operand to)
{
	struct record record = plain_record(&s->b, OP_COPY, "copy");
	struct operand operand[] = {from, to};
	record.operand = operand;
	record.operands = 2;
	record.bytes = layout_bytes(&from.layout);
	return queue(&s->b, 0, stream, &record, 0, 0);
}

static float value(struct scene *s, int index, int64_t i)
{
	const struct tensor *t = &s->b.world->tensors[index];
	float values[N];
	assert_int_equal(
	        s->b.backend->read(s->b.backend, 0, (enum space)t->space, t->address, &t->layout, values),
	        ST_OK);
	return values[i];
}

static void sync_all(struct scene *s)
{
	assert_int_equal(reach(&s->b, sync_on(&s->b, 0, OP_EVERYTHING)), ST_OK);
}

#define assert_value(s, index, i, want) assert_true(value(s, index, i) == (float)(want))

static void test_output_appears_at_the_end(void **state)
{
	struct scene s;
	(void)state;
	open_scene(&s);
	int x = tensor(&s, "x", SPACE_DEVICE), y = tensor(&s, "y", SPACE_DEVICE);
	fill(&s, x, 3);
	advance(&s.b);
	assert_value(&s, x, 7, 3);
	op_id k = add(&s, STREAM_DEFAULT, x, x, y, 100);
	struct record host = plain_record(&s.b, OP_HOST, "host");
	host.duration_ns = 50 * US;
	queue(&s.b, 0, STREAM_HOST, &host, 0, 0);
	advance(&s.b);
	assert_value(&s, y, 7, 0);
	assert_span(&s.b, k, 10, 110);
	assert_value(&s, y, 7, 0); /* looking ahead moved nothing */
	sync_all(&s);
	assert_value(&s, y, 7, 6);
	close_scene(&s);
}

/* `copy` on io overwrites x while `add` reads it, and ends first: the sum is of the old x */
static void test_stale_and_fresh_reads(void **state)
{
	struct scene s;
	(void)state;
	open_scene(&s);
	int x = tensor(&s, "x", SPACE_DEVICE), y = tensor(&s, "y", SPACE_DEVICE),
	    z = tensor(&s, "z", SPACE_DEVICE), h = tensor(&s, "h", SPACE_PINNED);
	int io = stream_of(&s.b, 0, "io", false);
	fill(&s, x, 1);
	fill(&s, h, 10);
	add(&s, STREAM_DEFAULT, x, x, y, 1000);
	op_id loaded = move(&s, io, whole(&s, h, ACCESS_READ), whole(&s, x, ACCESS_WRITE));
	wait_on(&s.b, 0, STREAM_DEFAULT, loaded);
	add(&s, STREAM_DEFAULT, x, x, z, 10);
	sync_all(&s);
	assert_value(&s, x, 0, 10);
	assert_value(&s, y, 0, 2);
	assert_value(&s, z, 0, 20);
	close_scene(&s);
}

static void test_copy_keeps_what_it_began_with(void **state)
{
	struct scene s;
	(void)state;
	open_scene(&s);
	int x = tensor(&s, "x", SPACE_DEVICE), one = tensor(&s, "one", SPACE_DEVICE),
	    h = tensor(&s, "h", SPACE_PINNED);
	int io = stream_of(&s.b, 0, "io", false);
	fill(&s, x, 1);
	fill(&s, one, 1);
	move(&s, io, whole(&s, x, ACCESS_READ), whole(&s, h, ACCESS_WRITE)); /* 10 to 111 */
	struct operand bump[] = {
	        whole(&s, x, ACCESS_READ), whole(&s, one, ACCESS_READ), whole(&s, x, ACCESS_WRITE)};
	run_kernel(&s, STREAM_DEFAULT, "add", 3, bump, 20, 0); /* ends at 40 */
	sync_all(&s);
	assert_value(&s, h, N - 1, 1);
	assert_value(&s, x, N - 1, 2);
	close_scene(&s);
}

static void test_adding_in_place_and_sgd_disturbed(void **state)
{
	struct scene s;
	(void)state;
	open_scene(&s);
	int w = tensor(&s, "w", SPACE_DEVICE), dw = tensor(&s, "dw", SPACE_DEVICE),
	    y = tensor(&s, "y", SPACE_DEVICE);
	int other = stream_of(&s.b, 0, "other", false);
	fill(&s, w, 8);
	fill(&s, dw, 1);
	fill(&s, y, 100);
	struct operand sgd[] = {whole(&s, w, ACCESS_READ | ACCESS_WRITE), whole(&s, dw, ACCESS_READ)};
	run_kernel(&s, STREAM_DEFAULT, "sgd", 2, sgd, 500, 0.5); /* w -= dw/2, with dw as it was */
	struct operand zero[] = {whole(&s, dw, ACCESS_READ | ACCESS_WRITE)};
	run_kernel(&s, other, "fill", 1, zero, 5, 64);
	struct operand more[] = {whole(&s, w, ACCESS_READ), whole(&s, dw, ACCESS_READ),
	        whole(&s, y, ACCESS_ADD | ACCESS_WRITE)};
	run_kernel(&s, STREAM_DEFAULT, "add", 3, more, 5, 0); /* y += w + dw */
	sync_all(&s);
	assert_value(&s, w, 3, 7.5);
	assert_value(&s, dw, 3, 64);
	assert_value(&s, y, 3, 171.5);
	close_scene(&s);
}

static void test_overlapping_copy_within_a_tensor(void **state)
{
	struct scene s;
	(void)state;
	open_scene(&s);
	int x = tensor(&s, "x", SPACE_DEVICE);
	struct record record = plain_record(&s.b, OP_FILL, "iota");
	struct operand operand = whole(&s, x, ACCESS_WRITE);
	record.kernel = kernel_find("iota");
	record.operand = &operand;
	record.operands = 1;
	for (int i = 0; i < KERNEL_OPTIONS_MAX && record.kernel->option[i].name; i++)
		record.parameter[i] = record.kernel->option[i].value;
	queue(&s.b, 0, STREAM_HOST, &record, 0, 0);
	move(&s, STREAM_DEFAULT, part(&s, x, ACCESS_READ, 0, N - 1), part(&s, x, ACCESS_WRITE, 1, N - 1));
	sync_all(&s);
	assert_value(&s, x, 0, 0);
	assert_value(&s, x, 1, 0);
	assert_value(&s, x, N - 1, N - 2);
	close_scene(&s);
}

/* The host writes x at 20 while a kernel that it queued before reads it from 10 on; advancing in between
 * changes nothing. */
static void test_fill_in_its_place(void **state)
{
	(void)state;
	for (int looks = 0; looks < 2; looks++) {
		struct scene s;
		open_scene(&s);
		int x = tensor(&s, "x", SPACE_DEVICE), y = tensor(&s, "y", SPACE_DEVICE),
		    z = tensor(&s, "z", SPACE_DEVICE);
		fill(&s, x, 1);
		add(&s, STREAM_DEFAULT, x, x, y, 100);
		if (looks)
			advance(&s.b);
		struct record host = plain_record(&s.b, OP_HOST, "host");
		host.duration_ns = 10 * US;
		queue(&s.b, 0, STREAM_HOST, &host, 0, 0);
		if (looks)
			advance(&s.b);
		fill(&s, x, 50);
		if (looks)
			advance(&s.b);
		add(&s, STREAM_DEFAULT, x, x, z, 100);
		sync_all(&s);
		assert_value(&s, y, 0, 2);
		assert_value(&s, z, 0, 100);
		assert_value(&s, x, 0, 50);
		close_scene(&s);
	}
}

/* The first half of x is sent to its second. */
static void send_to_itself(struct scene *s, int x)
{
	struct operand halves[] = {part(s, x, ACCESS_READ, 0, N / 2), part(s, x, ACCESS_WRITE, N / 2, N / 2)};
	struct part both[] = {{.direction = P2P_SEND}, {.direction = P2P_RECV, .operand = 1}};
	struct record record = plain_record(&s->b, OP_P2P, "sendrecv");
	record.group = 0;
	record.operand = halves;
	record.part = both;
	record.operands = record.parts = 2;
	record.bytes = N / 2 * 4;
	queue(&s->b, 0, STREAM_DEFAULT, &record, 0, 0);
}

static void reduce_alone(struct scene *s, struct operand in, struct operand out)
{
	struct operand operand[] = {in, out};
	struct record record = plain_record(&s->b, OP_COLLECTIVE, "allreduce");
	record.collective = &collective_allreduce;
	record.group = 0;
	record.bytes = layout_bytes(&in.layout);
	record.operand = operand;
	record.operands = 2;
	queue(&s->b, 0, STREAM_DEFAULT, &record, 0, 0);
}

static void test_message_to_itself(void **state)
{
	struct scene s;
	(void)state;
	open_scene(&s);
	int x = tensor(&s, "x", SPACE_DEVICE);
	fill(&s, x, 1);
	struct operand first[] = {part(&s, x, ACCESS_READ | ACCESS_WRITE, 0, N / 2)};
	run_kernel(&s, STREAM_DEFAULT, "fill", 1, first, 5, 9);
	send_to_itself(&s, x);
	sync_all(&s);
	assert_value(&s, x, N - 1, 9);
	close_scene(&s);
}

static void test_collective_of_one(void **state)
{
	struct scene s;
	(void)state;
	open_scene(&s);
	int x = tensor(&s, "x", SPACE_DEVICE), y = tensor(&s, "y", SPACE_DEVICE);
	fill(&s, x, 4);
	reduce_alone(&s, whole(&s, x, ACCESS_READ), whole(&s, y, ACCESS_WRITE));
	sync_all(&s);
	assert_value(&s, y, 0, 4);
	close_scene(&s);
}

/* The result lies over a part of the input: what is read is what was there before. */
static void test_collective_over_its_input(void **state)
{
	struct scene s;
	(void)state;
	open_scene(&s);
	int x = tensor(&s, "x", SPACE_DEVICE);
	fill(&s, x, 4);
	struct operand first[] = {part(&s, x, ACCESS_READ | ACCESS_WRITE, 0, 1)};
	run_kernel(&s, STREAM_DEFAULT, "fill", 1, first, 5, 9);
	reduce_alone(&s, part(&s, x, ACCESS_READ, 0, N - 1), part(&s, x, ACCESS_WRITE, 1, N - 1));
	sync_all(&s);
	assert_value(&s, x, 1, 9);
	assert_value(&s, x, 2, 4);
	assert_value(&s, x, N - 1, 4);
	close_scene(&s);
}

/* Every second element, so that a message needs a buffer */
static struct operand every_second(struct scene *s, int index, int access)
{
	struct operand operand = part(s, index, access, 0, N / 2);
	operand.layout.stride[0] = 2;
	return operand;
}

/* All that src/data does on one rank: kernels and copies staged and not, a fill that waits, a message, a
 * collective of strided tensors */
static bool evaluate(void *self)
{
	struct scene s;
	(void)self;
	open_scene(&s);
	int x = tensor(&s, "x", SPACE_DEVICE), y = tensor(&s, "y", SPACE_DEVICE),
	    h = tensor(&s, "h", SPACE_PINNED);
	int io = stream_of(&s.b, 0, "io", false);
	fill(&s, x, 1);
	fill(&s, h, 10);
	add(&s, STREAM_DEFAULT, x, x, y, 1000);
	move(&s, io, whole(&s, h, ACCESS_READ), whole(&s, x, ACCESS_WRITE));
	fill(&s, h, 20);
	send_to_itself(&s, x);
	reduce_alone(&s, every_second(&s, x, ACCESS_READ), every_second(&s, y, ACCESS_WRITE));
	op_id sync = sync_on(&s.b, 0, OP_EVERYTHING);
	bool good = s.b.backend->reach(s.b.backend, &sync, 1, NULL) == ST_OK &&
	        s.b.backend->failure(s.b.backend) == ST_OK;
	close_scene(&s);
	return good;
}

static void test_every_allocation_may_fail(void **state)
{
	(void)state;
	sweep_memory(evaluate, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_output_appears_at_the_end),
	        cmocka_unit_test(test_stale_and_fresh_reads),
	        cmocka_unit_test(test_copy_keeps_what_it_began_with),
	        cmocka_unit_test(test_adding_in_place_and_sgd_disturbed),
	        cmocka_unit_test(test_overlapping_copy_within_a_tensor),
	        cmocka_unit_test(test_fill_in_its_place),
	        cmocka_unit_test(test_message_to_itself),
	        cmocka_unit_test(test_collective_of_one),
	        cmocka_unit_test(test_collective_over_its_input),
	        cmocka_unit_test(test_every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
