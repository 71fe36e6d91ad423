/* test_allocator.c -- the caching allocator of the books: splitting, merging, reuse, out of
 * memory, real bytes */
#include "tests/unit/world_help.h"
#include <stdio.h>

enum { KIB = 1024 };

static enum status try_make(
        struct books *b, const char *text, int64_t bytes, int pool, bool clean, int *index)
{
	struct layout layout;
	int64_t elements = bytes / 4;

	assert_int_equal(layout_make(&layout, DT_F32, 1, &elements), ST_OK);
	return world_tensor_make(b->world, 0, name(b, text), &layout, SPACE_DEVICE, pool, clean, 0, index);
}

static int64_t address_of(struct books *b, int index)
{
	return b->world->tensors[index].address;
}

static void splits_and_merges(void **state)
{
	struct books b = books_open(1, 0);
	int x = make(&b, 0, "x", 100), y = make(&b, 0, "y", 100), z = make(&b, 0, "z", 100);
	const struct heap *heap = world_heap(b.world, 0, SPACE_DEVICE);

	(void)state;
	assert_int_equal(address_of(&b, y) - address_of(&b, x), 512);
	assert_int_equal(heap->count, 4);
	assert_true(heap->blocks[3].free && heap->blocks[3].bytes == 256 * KIB - 3 * 512);
	world_tensor_free(b.world, x, STREAM_HOST);
	world_tensor_free(b.world, z, STREAM_HOST);
	assert_int_equal(heap->count, 3);
	world_tensor_free(b.world, y, STREAM_HOST);
	assert_int_equal(heap->count, 1);
	assert_int_equal(heap->blocks[0].bytes, 256 * KIB);
	books_close(&b);
}

/* What the peak was made of stays when memory changes hands below it */
static void peak_by_kind(void **state)
{
	struct books b = books_open(1, 0);
	const struct heap *counts = world_heap(b.world, 0, SPACE_DEVICE);
	struct layout layout;
	int64_t elements = 100;
	int index[4];

	(void)state;
	assert_int_equal(layout_make(&layout, DT_F32, 1, &elements), ST_OK);
	for (int i = 0; i < 3; i++)
		assert_int_equal(world_tensor_make(b.world, 0, name(&b, (const char *[]){"x", "y", "z"}[i]),
		                         &layout, SPACE_DEVICE, 1, false, i == 1 ? 5 : 2, &index[i]),
		        ST_OK);
	assert_int_equal(world_memory_kind(b.world, index[1]), 5);
	world_tensor_free(b.world, index[0], STREAM_HOST);
	assert_int_equal(world_tensor_make(b.world, 0, name(&b, "again"), &layout, SPACE_DEVICE, 1, false, 7,
	                         &index[3]),
	        ST_OK);
	assert_true(counts->peak_allocated == 3 * 512 && counts->peak_kind[2] == 2 * 512 &&
	        counts->peak_kind[5] == 512 && counts->peak_kind[7] == 0);
	make(&b, 0, "more", 100);
	assert_true(counts->peak_allocated == 4 * 512 && counts->peak_kind[0] == 512 &&
	        counts->peak_kind[2] == 512 && counts->peak_kind[7] == 512);
	books_close(&b);
}

static void best_fit_in_its_pool(void **state)
{
	struct books b = books_open(1, 0);
	int keep, io = stream(&b, 0, "io"), big = make(&b, 0, "big", 1000), gap, small;

	(void)state;
	keep = make(&b, 0, "keep1", 100);
	small = make(&b, 0, "small", 300);
	gap = make(&b, 0, "keep2", 100);
	int64_t big_at = address_of(&b, big), small_at = address_of(&b, small);
	world_tensor_free(b.world, big, STREAM_HOST);
	world_tensor_free(b.world, small, STREAM_HOST);
	assert_int_equal(address_of(&b, make(&b, 0, "fits", 290)), small_at);
	int other = make_in(&b, 0, "other", 290, SPACE_DEVICE, io, false);
	assert_true(address_of(&b, other) > address_of(&b, gap) + 200 * KIB); /* a segment of its own pool */
	assert_int_equal(address_of(&b, make(&b, 0, "fits too", 290)), big_at);
	assert_true(keep != gap);
	books_close(&b);
}

/* Of equal blocks the one with the lowest address; a small block gives off a rest of one unit too. */
static void lowest_and_smallest(void **state)
{
	struct books b = books_open(1, 0);
	int low = make(&b, 0, "low", 100), high;

	(void)state;
	make(&b, 0, "keep1", 100);
	high = make(&b, 0, "high", 100);
	make(&b, 0, "keep2", 100);
	int two = make(&b, 0, "two", 256);
	make(&b, 0, "keep3", 100);
	int64_t low_at = address_of(&b, low), high_at = address_of(&b, high), two_at = address_of(&b, two);
	world_tensor_free(b.world, low, STREAM_HOST);
	world_tensor_free(b.world, high, STREAM_HOST);
	assert_int_equal(address_of(&b, make(&b, 0, "first", 100)), low_at);
	assert_int_equal(address_of(&b, make(&b, 0, "second", 100)), high_at);
	world_tensor_free(b.world, two, STREAM_HOST);
	assert_int_equal(address_of(&b, make(&b, 0, "third", 100)), two_at);
	assert_int_equal(address_of(&b, make(&b, 0, "fourth", 100)), two_at + 512);
	books_close(&b);
}

/* x has been waited for, y has not: together they are not clean. */
static void merged_memory_is_as_clean_as_both(void **state)
{
	struct books b = books_open(1, 0);
	int io = stream(&b, 0, "io"), x = make(&b, 0, "x", 100), y = make(&b, 0, "y", 100);
	int64_t at = address_of(&b, x);

	(void)state;
	op_id op = touch(&b, 0, io, "relu", x, ACCESS_WRITE);
	world_tensor_free(b.world, x, STREAM_HOST);
	order(&b, 0, STREAM_HOST, OP_SYNC, op);
	touch(&b, 0, io, "relu", y, ACCESS_WRITE);
	world_tensor_free(b.world, y, STREAM_HOST);
	int z = make_in(&b, 0, "z", 100, SPACE_DEVICE, STREAM_DEFAULT, true);
	assert_int_not_equal(address_of(&b, z), at);
	books_close(&b);
}

/* `free x on io; free y on io`, and what is in the memory of both waits for the later work of io. */
static void one_wait_for_two_frees(void **state)
{
	struct books b = books_open(1, 0);
	int io = stream(&b, 0, "io"), x = make(&b, 0, "x", 128), y = make(&b, 0, "y", 128);
	int64_t at = address_of(&b, x);

	(void)state;
	touch(&b, 0, io, "relu", x, ACCESS_WRITE);
	world_tensor_free(b.world, x, io);
	op_id later = touch(&b, 0, io, "relu", y, ACCESS_WRITE);
	world_tensor_free(b.world, y, io);
	int z = make(&b, 0, "z", 256);
	assert_int_equal(address_of(&b, z), at);
	op_id id = touch(&b, 0, STREAM_DEFAULT, "relu", z, ACCESS_WRITE);
	assert_int_equal(op_record(b.world, id - 1)->kind, OP_WAIT);
	assert_int_equal(b.world->ops[id - 1].target, later);
	assert_int_equal(id - 1, later + 1);
	books_close(&b);
}

/* 256 MB: an eighth of PyTorch's sizes; 80 GB: PyTorch's */
static void segment_sizes(void **state)
{
	static const struct {
		double memory;
		int64_t request, segment;
	} rows[] = {
	        {256e6, 1, 256 * KIB},
	        {256e6, 128 * KIB, 256 * KIB},
	        {256e6, 128 * KIB + 4, 2560 * KIB},
	        {256e6, 1280 * KIB, 1280 * KIB},
	        {256e6, 1300 * KIB, 1536 * KIB},
	        {80e9, 1024 * KIB, 2048 * KIB},
	        {80e9, 1024 * KIB + 4, 20480 * KIB},
	        {80e9, 10240 * KIB, 10240 * KIB},
	        {80e9, 10241 * KIB, 12288 * KIB},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct books b = books_open(1, 0);
		int index;
		b.machine->memory = rows[i].memory;
		assert_int_equal(
		        try_make(&b, "x", rows[i].request < 4 ? 4 : rows[i].request, 1, false, &index),
		        ST_OK);
		const struct heap *heap = world_heap(b.world, 0, SPACE_DEVICE);
		assert_int_equal(heap->segment_count, 1);
		assert_int_equal(heap->segments[0].bytes, rows[i].segment);
		const struct record *record = op_record(b.world, b.world->first[0]);
		assert_int_equal(record->kind, OP_SEGMENT);
		assert_int_equal(record->duration_ns, 1000);
		books_close(&b);
	}
}

/* What has room by itself may have none for the segment that it is cut from. */
static void a_segment_is_larger(void **state)
{
	struct books b = books_open(1, 0);
	int index;

	(void)state;
	b.machine->memory = 2048 * KIB;
	assert_int_equal(try_make(&b, "x", 256 * KIB, 1, false, &index), ST_DEVICE_MEMORY);
	assert_string_equal(fail_text(),
	        "rank 0: no room for 256 kB on a GPU of 2 MB: the allocator needs a new segment of 2.5 MB, "
	        "which tensors below 1.25 MB share; reserved 0 B, allocated 0 B, largest free block 0 B");
	b.machine->memory = 128 * KIB;
	assert_int_equal(try_make(&b, "x", 64 * KIB, 1, false, &index), ST_DEVICE_MEMORY);
	assert_non_null(
	        strstr(fail_text(), "segment of 256 kB, which tensors of up to 128 kB share; reserved"));
	books_close(&b);
}

static void running_out(void **state)
{
	struct books b = books_open(1, 0);
	int w1, w2, index;

	(void)state;
	assert_int_equal(try_make(&b, "w1", 100000 * KIB, 1, false, &w1), ST_OK);
	assert_int_equal(try_make(&b, "w2", 80000 * KIB, 1, false, &w2), ST_OK);
	make(&b, 0, "b", 16);
	uint64_t digest = b.world->digest;
	size_t ops = b.world->op_count;
	assert_int_equal(try_make(&b, "m", 80000 * KIB, 1, false, &index), ST_DEVICE_MEMORY);
	assert_string_equal(fail_text(),
	        "rank 0: no room for 78.12 MB on a GPU of 244.1 MB: the allocator needs a new segment of "
	        "78.25 MB; reserved 176.2 MB, allocated 176 MB, "
	        "largest free block 255.5 kB; largest: w1 97.75 MB, w2 78.25 MB, b 512 B");
	assert_true(digest == b.world->digest);
	assert_int_equal(b.world->op_count, ops);
	assert_int_equal(world_find(b.world, 0, name(&b, "m")).kind, THING_NONE);

	/* a free segment of another pool goes back first, and costs a synchronization */
	world_tensor_free(b.world, w2, STREAM_HOST);
	int io = stream(&b, 0, "io");
	assert_int_equal(try_make(&b, "m", 90000 * KIB, io, false, &index), ST_OK);
	op_id get = b.world->last[0];
	assert_int_equal(b.world->op_count, ops + 2);
	assert_int_equal(b.world->ops[get].target, 0);
	assert_int_equal(b.world->ops[get - 1].target, OP_EVERYTHING);
	assert_int_equal(op_record(b.world, get - 1)->kind, OP_SEGMENT);
	const struct heap *heap = world_heap(b.world, 0, SPACE_DEVICE);
	assert_int_equal(
	        heap->allocated, (100096 + 90112) * KIB + 512); /* rests of up to 128 KiB are not split off */
	assert_int_equal(heap->peak_allocated, heap->allocated);
	books_close(&b);
}

/* Memory that the device may still use is not clean until the host has waited. */
static void clean_memory(void **state)
{
	(void)state;
	for (int how = 0; how < 4; how++) {
		struct books b = books_open(1, 0);
		int io = stream(&b, 0, "io"), x = make(&b, 0, "x", 100);
		op_id op = touch(&b, 0, io, "relu", x, ACCESS_WRITE);
		int64_t at = address_of(&b, x);
		world_tensor_free(b.world, x, STREAM_HOST);
		if (how == 1)
			order(&b, 0, STREAM_HOST, OP_SYNC, op);
		if (how == 2)
			order(&b, 0, STREAM_HOST, OP_SYNC, OP_EVERYTHING);
		if (how == 3) { /* a sync of another stream */
			op_id other = kernel(&b, 0, STREAM_DEFAULT, "spin");
			order(&b, 0, STREAM_HOST, OP_SYNC, other);
		}
		int y = make_in(&b, 0, "y", 100, SPACE_DEVICE, STREAM_DEFAULT, true);
		assert_int_equal(address_of(&b, y) == at, how == 1 || how == 2);
		touch(&b, 0, STREAM_HOST, "randn", y, ACCESS_WRITE);
		assert_int_equal(races_now(b.world)->count, 0);
		books_close(&b);
	}
}

struct bytes {
	int held;
	bool refuse;
};
static void *get(void *self, enum space space, int64_t bytes)
{
	struct bytes *own = self;

	(void)space;
	if (own->refuse)
		return NULL;
	own->held++;
	return mem_alloc((size_t)bytes);
}

static void give(void *self, enum space space, void *base, int64_t bytes)
{
	(void)space;
	(void)bytes;
	((struct bytes *)self)->held--;
	mem_free(base);
}

static void real_bytes(void **state)
{
	struct books b = books_open(2, 1);
	struct bytes own = {0};

	(void)state;
	world_segment_calls(b.world, (struct segment_calls){&own, get, give});
	make(&b, 0, "x", 100);
	assert_int_equal(own.held, 0); /* rank 0's are another process's */
	int x = make(&b, 1, "x", 100), y = make(&b, 1, "y", 100),
	    h = make_in(&b, 1, "h", 100, SPACE_HOST, 0, true);
	assert_int_equal(own.held, 2);
	char *at = world_data(b.world, SPACE_DEVICE, address_of(&b, x));
	assert_ptr_equal(world_data(b.world, SPACE_DEVICE, address_of(&b, y) + 8), at + 512 + 8);
	assert_non_null(world_data(b.world, SPACE_HOST, address_of(&b, h)));
	assert_null(world_data(b.world, SPACE_PINNED, address_of(&b, h)));
	world_tensor_free(b.world, x, STREAM_HOST);
	assert_int_equal(world_trim(b.world, 1), ST_OK);
	assert_int_equal(own.held, 2); /* y is in the segment */
	world_tensor_free(b.world, y, STREAM_HOST);
	assert_int_equal(world_trim(b.world, 1), ST_OK);
	assert_int_equal(b.world->ops[b.world->last[1]].target, OP_EVERYTHING);
	assert_int_equal(own.held, 2); /* what was queued before may still use them */
	assert_non_null(world_data(b.world, SPACE_DEVICE, address_of(&b, 0) + 0));
	world_segment_done(b.world, b.world->last[1]);
	assert_int_equal(own.held, 1);
	own.refuse = true;
	int z = make(&b, 1, "z", 100);
	assert_null(world_data(b.world, SPACE_DEVICE, address_of(&b, z)));
	books_close(&b);
	assert_int_equal(own.held, 0);
}

static uint32_t draw(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % n;
}

static void check_map(struct books *b, const int *live, int count)
{
	const struct heap *heap = world_heap(b->world, 0, SPACE_DEVICE);
	const struct memory_block *blocks = heap->blocks;
	const struct segment *segments = heap->segments;
	int n = (int)heap->count, m = (int)heap->segment_count, used = 0;
	int64_t total = 0, allocated = 0;

	for (int i = 0, k = 0; i < m; i++) { /* blocks cover each segment; free neighbours are merged */
		int64_t at = segments[i].address, end = at + segments[i].bytes;
		bool before_free = false;
		for (; k < n && blocks[k].address < end; k++) {
			assert_int_equal(blocks[k].address, at);
			assert_int_equal(blocks[k].pool, segments[i].pool);
			assert_false(before_free && blocks[k].free);
			before_free = blocks[k].free;
			at += blocks[k].bytes;
			used += !blocks[k].free;
			allocated += blocks[k].free ? 0 : blocks[k].bytes;
		}
		assert_int_equal(at, end);
		total += segments[i].bytes;
	}
	assert_int_equal(used, count);
	assert_int_equal(total, heap->reserved);
	assert_int_equal(allocated, heap->allocated);
	assert_true(heap->reserved <= (int64_t)b->machine->memory);
	for (int i = 0; i < count; i++)
		assert_int_equal(world_tensor_at(b->world, 0, SPACE_DEVICE, address_of(b, live[i])), live[i]);
}

static bool in_graph(struct books *b, int tensor)
{
	const struct heap *heap = world_heap(b->world, 0, SPACE_DEVICE);
	size_t i = heap->segment_count;

	while (heap->segments[--i].address > address_of(b, tensor))
		;
	return pool_graph(heap->segments[i].pool) > 0;
}

/* Captures begin, end, are refused and launched between all else; graphs are captured on stream 1. */
static void capture_or_launch(struct books *b, uint32_t *seed)
{
	name_id graph = name(b, draw(seed, 2) ? "g" : "h");

	if (world_capturing(b->world, 0))
		assert_int_equal(world_capture_end(b->world, 0, draw(seed, 4) > 0), ST_OK);
	else if (draw(seed, 2))
		assert_int_equal(world_capture_begin(b->world, 0, graph, 1), ST_OK);
	else if (world_find(b->world, 0, graph).kind == THING_GRAPH)
		(void)world_graph_launch(b->world, 0, graph, 1 + (int)draw(seed, 2), 0);
}

static void random_use(void **state)
{
	uint32_t seed = 3;
	int refused = 0;

	(void)state;
	for (int round = 0; round < 5; round++) {
		struct books b = books_open(1, round % 2 ? 0 : -1);
		int live[200], count = 0;
		stream(&b, 0, "io");
		for (int step = 0; step < 1500; step++) {
			if (count < 200 && draw(&seed, 100) < 55) {
				char text[24];
				snprintf(text, sizeof text, "t%d", step);
				int64_t bytes = 4 * (1 + (int64_t)draw(&seed, 1u << (4 + draw(&seed, 20))));
				int pool = 1 + (int)draw(&seed, 2);
				enum status status =
				        try_make(&b, text, bytes, pool, draw(&seed, 2), &live[count]);
				assert_true(status == ST_OK || status == ST_DEVICE_MEMORY);
				if (status == ST_OK)
					assert_int_equal(in_graph(&b, live[count]),
					        pool == 1 && world_capturing(b.world, 0));
				count += status == ST_OK;
				refused += status != ST_OK;
			} else if (count > 0) {
				int i = (int)draw(&seed, (uint32_t)count);
				world_tensor_free(b.world, live[i], (int)draw(&seed, 3));
				live[i] = live[--count];
			}
			if (draw(&seed, 10) == 0 && count > 0)
				touch(&b, 0, 1 + (int)draw(&seed, 2), "relu",
				        live[draw(&seed, (uint32_t)count)], ACCESS_WRITE | ACCESS_ADD);
			if (draw(&seed, 100) == 0)
				assert_int_equal(world_trim(b.world, 0), ST_OK);
			if (draw(&seed, 25) == 0)
				capture_or_launch(&b, &seed);
			if (step % 10 == 0)
				check_map(&b, live, count);
		}
		books_close(&b);
	}
	assert_true(refused > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(splits_and_merges),
	        cmocka_unit_test(peak_by_kind),
	        cmocka_unit_test(best_fit_in_its_pool),
	        cmocka_unit_test(lowest_and_smallest),
	        cmocka_unit_test(merged_memory_is_as_clean_as_both),
	        cmocka_unit_test(one_wait_for_two_frees),
	        cmocka_unit_test(segment_sizes),
	        cmocka_unit_test(a_segment_is_larger),
	        cmocka_unit_test(running_out),
	        cmocka_unit_test(clean_memory),
	        cmocka_unit_test(real_bytes),
	        cmocka_unit_test(random_use),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
