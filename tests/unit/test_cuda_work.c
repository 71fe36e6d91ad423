/* test_cuda_work.c -- the work that the host thread queues for kernels, copies and initial
 * data: afterwards the stand-in's GPU memory and host memory equal a mirror, on which the
 * simulator's code ran */
#include "cuda_host_scene.h"
#include "backend/call.h"
#include "kernels/blas.h"

#include <cmocka.h>

static struct host_order operation(enum op_kind kind, op_id id, struct operand *operands, int count)
{
	struct host_order order = {.kind = ORDER_OPERATION, .id = id, .stream = STREAM_DEFAULT};
	order.record = (struct record){
	        .kind = (uint8_t)kind, .group = -1, .operand = operands, .operands = (uint8_t)count};
	return order;
}

/* ---- kernels */

static struct host_order kernel_order(const char *name, struct operand *operands, int count)
{
	struct host_order order = operation(OP_KERNEL, 1, operands, count);
	order.record.kernel = kernel_find(name);
	for (int i = 0; i < PARAMETERS_MAX; i++)
		order.record.parameter[i] = order.record.kernel->option[i].value;
	return order;
}

static void compute_mirror(const struct record *record)
{
	struct kernel_call call;
	call_of_record(NULL, record, &call);
	for (int i = 0; i < record->operands; i++)
		call_tensor(&call, i)->data = mirrored(&record->operand[i]);
	kernel_compute(&call);
}

/* On a lane of the GPU's, or of the host's. A product's sums are the BLAS's, whose order hangs on the processor and on how the
 * operands lie: that of 24 numbers is off by a few bits. */
static void run_kernel(const struct host_order *order)
{
	is(ST_OK, memory_join(&host, &lanes[0]));
	is(ST_OK, compute_kernel(&host, order, &lanes[0]));
	compute_mirror(&order->record);
	const char *name = order->record.kernel->name;
	scene_near_memory(
	        name, (enum space)order->record.operand[0].space, strcmp(name, "matmul") == 0 ? 1e-6 : 0);
}

static void matrix_kernels(enum space space)
{
	enum { N = 24 };
	const int64_t square[] = {N, N}, row[] = {N, 1};
	for (enum lies lies = IN_LINE; lies < LIES; lies++) {
		struct operand x = operand_at(space, ACCESS_READ, 0, DT_F32, lies, 2, square),
		               y = operand_at(space, ACCESS_READ, 4000, DT_F32, TURNED, 2, square),
		               r = operand_at(
		                       space, ACCESS_WRITE, 8000, DT_F32, (LIES - 1) - lies, 2, square),
		               add = r, v = operand_at(space, ACCESS_WRITE, 12000, DT_F32, IN_LINE, 2, row);
		add.access = ACCESS_WRITE | ACCESS_ADD;
		struct host_order order = kernel_order("matmul", (struct operand[]){x, y, r}, 3);
		run_kernel(&order);
		order = kernel_order("matmul", (struct operand[]){x, y, add}, 3);
		run_kernel(&order);
		order = kernel_order("maximum", (struct operand[]){x, y, add}, 3);
		run_kernel(&order);
		order = kernel_order("transpose", (struct operand[]){x, r}, 2);
		run_kernel(&order);
		order = kernel_order("rowmax", (struct operand[]){x, v}, 2);
		run_kernel(&order);
	}
}

/* In place; into another type; two results; a result that lies over an argument; one on bytes of another type */
static void other_kernels(enum space space)
{
	const int64_t line[] = {1000}, one[] = {1};
	struct operand w = operand_at(space, ACCESS_READ | ACCESS_WRITE, 0, DT_F32, IN_LINE, 1, line),
	               g = operand_at(space, ACCESS_READ, 2000, DT_F32, SLICED, 1, line),
	               half = operand_at(space, ACCESS_WRITE, 12000, DT_BF16, IN_LINE, 1, line),
	               q = operand_at(space, ACCESS_WRITE, 8000, DT_I32, IN_LINE, 1, line),
	               scale = operand_at(space, ACCESS_WRITE, 9500, DT_F32, IN_LINE, 1, one),
	               over = operand_at(space, ACCESS_WRITE, 2001, DT_F32, SLICED, 1, line);
	struct host_order order = kernel_order("sgd", (struct operand[]){w, g}, 2);
	order.record.parameter[0] = 0.25;
	run_kernel(&order);
	order = kernel_order("cast", (struct operand[]){g, half}, 2);
	order.record.parameter[0] = DT_BF16;
	run_kernel(&order);
	order = kernel_order("quantize", (struct operand[]){g, q, scale}, 3);
	run_kernel(&order);
	order = kernel_order("relu", (struct operand[]){g, over}, 2);
	run_kernel(&order);
	order = kernel_order("spin", (struct operand[]){g, over}, 2);
	run_kernel(&order);
	order = kernel_order("spin", NULL, 0);
	is(ST_OK, compute_kernel(&host, &order, &lanes[0]));
}

static void kernels_give_the_same_numbers(void)
{
	static const enum space spaces[] = {SPACE_DEVICE, SPACE_PINNED, SPACE_HOST};
	scene_begin("");
	assert_null(blas_open()); /* for the mirror, whose calls are not checked by kernel_shape */
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
		scene_segment(spaces[i]);
		matrix_kernels(spaces[i]);
		other_kernels(spaces[i]);
	}
	scene_end();
}

/* What is on the host's own thread may lie in both kinds of its memory. */
static void a_kernel_of_pinned_and_pageable_memory(void)
{
	const int64_t line[] = {500};
	scene_begin("");
	scene_segment(SPACE_PINNED);
	scene_segment(SPACE_HOST);
	struct operand x = operand_at(SPACE_PINNED, ACCESS_READ, 3, DT_F32, IN_LINE, 1, line),
	               y = operand_at(SPACE_HOST, ACCESS_WRITE, 10, DT_F32, SLICED, 1, line);
	struct host_order order = kernel_order("exp", (struct operand[]){x, y}, 2);
	run_kernel(&order);
	scene_same_memory("exp", SPACE_HOST);
	scene_end();
}

/* ---- copies */

static void copy_mirror(const struct operand *from, const struct operand *to)
{
	void *packed = malloc((size_t)layout_bytes(&from->layout));
	layout_pack(&from->layout, mirrored(from), packed);
	layout_unpack(&to->layout, packed, mirrored(to));
	free(packed);
}

static void run_copy(struct operand from, struct operand to)
{
	struct operand operands[] = {from, to};
	struct host_order order = operation(OP_COPY, 1, operands, 2);
	is(ST_OK, copy_queue(&host, &order, &lanes[0]));
	copy_mirror(&from, &to);
	scene_same_memory("a copy", (enum space)to.space);
}

static void copies_between_all_kinds_of_memory(void)
{
	const int64_t shape[] = {7, 33, 5};
	scene_begin("");
	for (int space = 0; space < SPACE_COUNT; space++)
		scene_segment((enum space)space);
	for (int n = 0; n < SPACE_COUNT * SPACE_COUNT * LIES * LIES * DT_COUNT; n++) {
		enum space to = (enum space)(n % SPACE_COUNT),
		           from = (enum space)(n / SPACE_COUNT % SPACE_COUNT);
		int k = n / SPACE_COUNT / SPACE_COUNT;
		enum lies one = (enum lies)(k % LIES), other = (enum lies)(k / LIES % LIES);
		enum dtype dtype = (enum dtype)(k / LIES / LIES);
		if ((from == SPACE_DISK || to == SPACE_DISK) && !space_is_host(from) && !space_is_host(to))
			continue;
		/* the memory of a type is all numbers of that type; within one space the two lie over each other */
		run_copy(operand_at(from, ACCESS_READ, 100 + n, dtype, one, 3, shape),
		        operand_at(to, ACCESS_WRITE, 150 + 3 * (n % 50), dtype, other, 3, shape));
	}
	const int64_t empty[] = {0};
	run_copy(operand_at(SPACE_DEVICE, ACCESS_READ, 0, DT_F32, IN_LINE, 1, empty),
	        operand_at(SPACE_PINNED, ACCESS_WRITE, 0, DT_F32, IN_LINE, 1, empty));
	scene_end();
}

/* ---- what the host is brought */

static enum status read_back(op_id by, const struct operand *operand, void *packed)
{
	struct host_order order = {.by = by,
	        .space = operand->space,
	        .address = operand->address,
	        .layout = operand->layout,
	        .packed = packed};
	return read_now(&host, &order);
}

static void is_brought(op_id by, const struct operand *operand)
{
	size_t bytes = (size_t)layout_bytes(&operand->layout);
	void *found = malloc(bytes), *wanted = malloc(bytes);
	is(ST_OK, read_back(by, operand, found));
	layout_pack(&operand->layout, mirrored(operand), wanted);
	is(0, memcmp(found, wanted, bytes));
	free(found);
	free(wanted);
}

/* As the copy left it, whatever happened to the memory since */
static void prints_are_kept(void)
{
	const int64_t shape[] = {40, 30}, small[] = {3};
	float packed[1200];
	scene_begin("");
	scene_segment(SPACE_DEVICE);
	scene_segment(SPACE_DISK);
	struct operand x = operand_at(SPACE_DEVICE, ACCESS_READ, 5, DT_F32, TURNED, 2, shape),
	               d = operand_at(SPACE_DISK, ACCESS_READ, 5, DT_F32, SLICED, 2, shape),
	               y = operand_at(SPACE_DEVICE, ACCESS_READ, 7, DT_F32, IN_LINE, 1, small);
	struct host_order order = operation(OP_COPY, 11, &x, 1);
	is(ST_OK, copy_queue(&host, &order, &lanes[0]));
	order = operation(OP_COPY, 12, &d, 1);
	is(ST_OK, copy_queue(&host, &order, &lanes[0]));
	for (op_id id = 100; id < 100 + 255; id++) {
		order = operation(OP_COPY, id, &y, 1);
		is(ST_OK, copy_queue(&host, &order, &lanes[id % SCENE_LANES]));
	}
	ok(cuda.cuCtxSynchronize());
	whole(SPACE_DEVICE, true, mirror[SPACE_DISK]);
	is_brought(11, &x);
	is_brought(11, &x);
	is_brought(12, &d);
	is_brought(100, &y);
	is_brought(354, &y);
	is(ST_ARGUMENT, read_back(99, &y, packed));
	is(ST_ARGUMENT, read_back(100, &x, packed));
	scene_end();
}

/* Of those that bring much, the oldest go: pinned memory is not without end. */
static void not_all_is_kept(void)
{
	enum { BYTES = 1 << 20 };
	const int64_t shape[] = {BYTES / 4};
	scene_begin("");
	is(ST_OK, memory_get(&host, SPACE_DEVICE, 0, BYTES));
	struct operand x = {.space = SPACE_DEVICE, .access = ACCESS_READ};
	void *packed = malloc(BYTES);
	is(ST_OK, layout_make(&x.layout, DT_F32, 1, shape));
	for (op_id id = 1; id <= 300; id++) {
		struct host_order order = operation(OP_COPY, id, &x, 1);
		is(ST_OK, copy_queue(&host, &order, &lanes[0]));
	}
	ok(cuda.cuCtxSynchronize());
	is(ST_ARGUMENT, read_back(1, &x, packed));
	is(ST_OK, read_back(300 - 255, &x, packed));
	free(packed);
	scene_end();
}

/* A loss is as its kernel left it, though the next one has written there since; it is read once. */
static void losses_are_noted(void)
{
	const int64_t line[] = {300}, one[] = {1};
	float loss[2], again;
	scene_begin("");
	for (int space = SPACE_PINNED; space <= SPACE_DEVICE; space++) {
		scene_segment((enum space)space);
		struct operand operands[] = {
		        operand_at((enum space)space, ACCESS_READ, 0, DT_F32, IN_LINE, 1, line),
		        operand_at((enum space)space, ACCESS_WRITE, 5000, DT_F32, IN_LINE, 1, one)};
		struct host_order order = kernel_order("sumsq", operands, 2);
		for (op_id id = 7; id < 9; id++) {
			order.id = id;
			is(ST_OK, compute_kernel(&host, &order, &lanes[0]));
			is(ST_OK, copy_note(&host, &order, &lanes[0]));
			operands[0].address += 4;
		}
		ok(cuda.cuCtxSynchronize());
		for (int i = 0; i < 2; i++) {
			is(ST_OK, read_back((op_id)(7 + i), &operands[1], &loss[i]));
			is(ST_ARGUMENT, read_back((op_id)(7 + i), &operands[1], &again));
		}
		is(ST_OK, read_back(0, &operands[1], &again));
		is(true, loss[0] != loss[1] && again == loss[1]);
	}
	scene_end();
}

/* ---- initial data, and memory that comes and goes */

static void initial_data(void)
{
	const int64_t shape[] = {31, 47};
	scene_begin("");
	for (int space = 0; space < SPACE_COUNT; space++) {
		scene_segment((enum space)space);
		struct operand x = operand_at((enum space)space, ACCESS_WRITE, 77, DT_F32,
		        space == SPACE_DEVICE ? IN_LINE : SLICED, 2, shape);
		struct host_order order = kernel_order("randn", &x, 1);
		order.record.kind = OP_FILL;
		is(ST_OK, compute_fill(&host, &order));
		compute_mirror(&order.record);
		/* what a lane does then sees it */
		struct operand both[] = {x, x};
		both[0].access = ACCESS_READ | ACCESS_WRITE;
		both[1].access = ACCESS_READ;
		if (space == SPACE_DISK)
			continue;
		order = kernel_order("sgd", both, 2);
		order.record.parameter[0] = 0.5;
		run_kernel(&order);
	}
	scene_end();
}

/* New memory is zeroes, whoever had it before; each lane waits for them once. */
static void new_memory_is_zero(void)
{
	const int64_t shape[] = {WORDS};
	enum space spaces[] = {SPACE_HOST, SPACE_PINNED, SPACE_DEVICE, SPACE_DISK};
	scene_begin("");
	for (int i = 0; i < 4; i++) {
		scene_segment(spaces[i]);
		void *at = memory_at(&host, spaces[i], ADDRESS);
		is(true, memory_at(&host, spaces[i], ADDRESS + 10) == (char *)at + 10);
		is(true, !memory_at(&host, spaces[i], ADDRESS - 1));
		is(true, !memory_at(&host, spaces[i], ADDRESS + SEGMENT));
		memory_drop(&host, spaces[i], ADDRESS);
		is(true, !memory_at(&host, spaces[i], ADDRESS));
		/* three, of which the one in the middle goes and comes */
		for (int k = 2; k >= 0; k--)
			is(ST_OK, memory_get(&host, spaces[i], (int64_t)k * SEGMENT + ADDRESS, SEGMENT));
		memory_drop(&host, spaces[i], ADDRESS + SEGMENT);
		is(true, !memory_at(&host, spaces[i], ADDRESS + SEGMENT));
		is(ST_OK, memory_get(&host, spaces[i], ADDRESS + SEGMENT, SEGMENT));
		memset(mirror[spaces[i]], 0, SEGMENT);
		scene_same_memory("new memory", spaces[i]);
		struct operand x = operand_at(spaces[i], ACCESS_READ, 2 * WORDS, DT_F32, IN_LINE, 1, shape);
		float *found = malloc(SEGMENT);
		is(ST_OK, read_back(0, &x, found));
		is(0, memcmp(found, mirror[spaces[i]], SEGMENT));
		/* what the books have and the host has not come to yet */
		x.address = ADDRESS + 3 * SEGMENT;
		memset(found, 1, SEGMENT);
		is(ST_OK, read_back(0, &x, found));
		is(0, memcmp(found, mirror[spaces[i]], SEGMENT));
		free(found);
	}
	scene_end();
}

/* Room grows while the lane waits for something that comes later, and what is queued there keeps its own. */
static void room_never_waits(void)
{
	const int64_t line[] = {50}, longer[] = {60000};
	scene_begin("");
	scene_segment(SPACE_DEVICE);
	uint32_t *word = pinned_new(sizeof *word);
	CUdeviceptr at;
	ok(cuda.cuMemHostGetDevicePointer(&at, word, 0));
	*word = 0;
	ok(cuda.cuStreamWaitValue32(lanes[0].stream, at, 1, CU_STREAM_WAIT_VALUE_GEQ));
	struct operand x = operand_at(SPACE_DEVICE, ACCESS_READ, 0, DT_F32, IN_LINE, 1, line),
	               y = operand_at(SPACE_DEVICE, ACCESS_WRITE, 1, DT_F32, IN_LINE, 1, line),
	               u = operand_at(SPACE_DEVICE, ACCESS_READ, 1, DT_F32, IN_LINE, 1, longer),
	               v = operand_at(SPACE_DEVICE, ACCESS_WRITE, 2, DT_F32, IN_LINE, 1, longer);
	for (int i = 0; i < 2; i++) {
		struct operand operands[] = {i ? u : x, i ? v : y};
		struct host_order order = operation(OP_COPY, 1, operands, 2);
		is(ST_OK, copy_queue(&host, &order, &lanes[0]));
		copy_mirror(&operands[0], &operands[1]);
	}
	ok(cuda.cuStreamWriteValue32(lanes[1].stream, at, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
	scene_same_memory("copies over themselves", SPACE_DEVICE);
	ok(cuda.cuMemFreeHost(word));
	scene_end();
}

/* ---- failures */

/* Everything once, however it fares; the first failure */
static enum status all_ways(void)
{
	const int64_t square[] = {16, 16};
	enum status status = memory_get(&host, SPACE_DEVICE, ADDRESS, SEGMENT);
	status = first_failure(status, memory_get(&host, SPACE_PINNED, ADDRESS, SEGMENT));
	struct operand x = operand_at(SPACE_DEVICE, ACCESS_READ, 0, DT_F32, SLICED, 2, square),
	               y = operand_at(SPACE_DEVICE, ACCESS_WRITE, 4000, DT_F32, IN_LINE, 2, square),
	               h = operand_at(SPACE_PINNED, ACCESS_WRITE, 0, DT_F32, SLICED, 2, square), k = h,
	               w = operand_at(SPACE_DEVICE, ACCESS_READ, 0, DT_F32, TURNED, 2, square);
	k.access = ACCESS_READ;
	struct host_order orders[] = {kernel_order("matmul", (struct operand[]){w, w, y}, 3),
	        kernel_order("relu", (struct operand[]){k, h}, 2),
	        operation(OP_COPY, 3, (struct operand[]){x, h}, 2),
	        operation(OP_COPY, 4, (struct operand[]){k, y}, 2), operation(OP_COPY, 5, &x, 1)};
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		status = first_failure(status,
		        orders[i].record.kind == OP_KERNEL ? compute_kernel(&host, &orders[i], &lanes[0])
		                                           : copy_queue(&host, &orders[i], &lanes[0]));
	struct host_order fill = kernel_order("ones", &y, 1);
	status = first_failure(status, compute_fill(&host, &fill));
	status = first_failure(status, memory_join(&host, &lanes[0]));
	float packed[256];
	return first_failure(status, read_back(0, &x, packed));
}

/* The n-th call of that name fails: a status with words, and nothing is left. False: there is no n-th. */
static bool fails_at(const char *call, int n)
{
	char options[80];
	int status;
	snprintf(options, sizeof options, "fail=%s:%d", call, n);
	pid_t child = fork();
	if (!child) {
		long live = mem_live();
		enum status found;
		scene_libraries(options);
		for (int i = 0; i < SCENE_LANES; i++)
			lanes[i] = (struct host_lane){.number = STREAM_DEFAULT + i};
		found = memory_open(&host);
		if (found == ST_OK)
			found = compute_open(&host);
		if (found == ST_OK)
			found = cuda_call(&cuda, "a lane",
			        cuda.cuStreamCreateWithPriority(&lanes[0].stream, CU_STREAM_NON_BLOCKING, 0));
		if (found == ST_OK)
			found = all_ways();
		cuda.cuCtxSynchronize();
		values_close(&host);
		compute_close(&host);
		memory_close(&host);
		is(live, mem_live());
		if (found != ST_OK)
			is(true,
			        strlen(fail_text()) > 10 &&
			                (found == ST_GPU || found == ST_DEVICE_MEMORY || found == ST_BUG));
		exit(found == ST_OK ? 2 : 0);
	}
	is(child, waitpid(child, &status, 0));
	is(true, WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2));
	return WEXITSTATUS(status) == 0;
}

static void calls_that_fail(void)
{
	static const struct {
		const char *call;
		int times; /* at least */
	} calls[] = {{"cuMemAlloc", 4}, {"cuMemHostAlloc", 3}, {"cuMemsetD8Async", 1}, {"cuEventRecord", 2},
	        {"cuEventCreate", 1}, {"cuStreamCreateWithPriority", 2}, {"cuStreamWaitEvent", 1},
	        {"cuLaunchKernel", 4}, {"cuLaunchHostFunc", 3}, {"cuMemcpyHtoDAsync", 1},
	        {"cuMemcpyDtoHAsync", 3}, {"cuDeviceGetAttribute", 2}, {"cublasCreate", 1},
	        {"cublasSetStream", 2}, {"cublasSetWorkspace", 2}, {"cublasGemmEx", 2}};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		int n = 1;
		while (n < 40 && fails_at(calls[i].call, n))
			n++;
		if (n <= calls[i].times)
			is_at(__FILE__, __LINE__, calls[i].call, calls[i].times, n - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        apart(kernels_give_the_same_numbers),
	        apart(a_kernel_of_pinned_and_pageable_memory),
	        apart(copies_between_all_kinds_of_memory),
	        apart(prints_are_kept),
	        apart(not_all_is_kept),
	        apart(losses_are_noted),
	        apart(initial_data),
	        apart(new_memory_is_zero),
	        apart(room_never_waits),
	        apart(calls_that_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
