/* cuda_host_scene.h -- a host thread's memory, kernels and lanes without its thread, on the
 * stand-in, and a mirror of its memory: the simulator's code runs the same operations on the
 * mirror, and both must be equal */
#ifndef RANKSH_TEST_CUDA_HOST_SCENE_H
#define RANKSH_TEST_CUDA_HOST_SCENE_H

#include "standin_open.h"
#include "base/memory.h"
#include "cuda/host/host_thread.h"
#include "philox_at.h"

#include <math.h>

/* Of each space one segment, at an address of the books that is nobody's own */
enum { SEGMENT = 1 << 18, WORDS = SEGMENT / 4, ADDRESS = 1 << 22 };
enum { SCENE_LANES = 3 };

static struct host_thread host;
static struct host_lane lanes[SCENE_LANES];
static char *mirror[SPACE_COUNT];

/* Opens the stand-in's libraries and what host.c has before its first order; no folder of the
 * user's is touched */
static inline void scene_libraries(const char *options)
{
	point_to_standin(options);
	is(ST_OK, cuda_library_open(&cuda, CUDA_PART_DRIVER));
	is(ST_OK, cuda_library_open(&cuda, CUDA_PART_CUBLAS));
	host.cuda = &cuda;
	ok(cuda.cuInit(0));
	ok(cuda.cuDeviceGet(&host.device, 0));
	ok(cuda.cuDevicePrimaryCtxRetain(&host.context, 0));
	ok(cuda.cuCtxSetCurrent(host.context));
}

static inline void scene_begin(const char *options)
{
	scene_libraries(options);
	is(ST_OK, memory_open(&host));
	is(ST_OK, compute_open(&host));
	for (int i = 0; i < SCENE_LANES; i++)
		lanes[i] = (struct host_lane){
		        .stream = stream_new(CU_STREAM_NON_BLOCKING), .number = STREAM_DEFAULT + i};
}

static inline void scene_end(void)
{
	ok(cuda.cuCtxSynchronize());
	values_close(&host);
	compute_close(&host);
	memory_close(&host);
	for (int i = 0; i < SCENE_LANES; i++)
		ok(cuda.cuStreamDestroy(lanes[i].stream));
	for (int space = 0; space < SPACE_COUNT; space++)
		free(mirror[space]);
	ok(cuda.cuDevicePrimaryCtxRelease(0));
}

static inline struct layout line_of(enum dtype dtype, int64_t count)
{
	struct layout layout;
	is(ST_OK, layout_make(&layout, dtype, 1, &count));
	return layout;
}

static inline void whole(enum space space, bool writes, void *packed)
{
	struct host_order order = {.space = (uint8_t)space, .address = ADDRESS, .packed = packed};
	order.layout = line_of(DT_F32, WORDS);
	is(ST_OK, writes ? write_now(&host, &order) : read_now(&host, &order));
}

static inline float rounded(float value)
{
	dtype_set(DT_BF16, &value, 0, value);
	return dtype_get(DT_BF16, &value, 0);
}

/* A segment with normal numbers, which are some in every type, and the same in its mirror */
static inline void scene_segment(enum space space)
{
	float *values = malloc(SEGMENT);
	mirror[space] = (char *)values;
	is(ST_OK, memory_get(&host, space, ADDRESS, SEGMENT));
	for (int i = 0; i < WORDS; i++)
		values[i] = rounded(philox_normal((uint64_t)space, (uint64_t)i));
	whole(space, true, values);
}

/* All that is queued is over; the segment is as its mirror, but for floats that are `off` of their
 * size apart: the mirror takes those over. */
static inline void scene_near_memory(const char *what, enum space space, double off)
{
	float *found = malloc(SEGMENT), *wanted = (float *)(void *)mirror[space];
	ok(cuda.cuCtxSynchronize());
	whole(space, false, found);
	for (int i = 0; i < WORDS; i++) {
		double apart = fabs((double)found[i] - (double)wanted[i]);
		if (off > 0 && apart <= off * (1 + fabs((double)wanted[i])))
			wanted[i] = found[i];
		if (memcmp(&found[i], &wanted[i], 4) != 0) {
			fprintf(stderr, "%s: word %d of %s is %.9g, not %.9g\n", what, i, space_name(space),
			        (double)found[i], (double)wanted[i]);
			_exit(1);
		}
	}
	free(found);
}

/* ... to the bit */
static inline void scene_same_memory(const char *what, enum space space)
{
	scene_near_memory(what, space, 0);
}

/* An operand that begins so many elements behind the segment's beginning. forms: in one line;
 * every second element of padded rows; dimensions in turned order */
enum lies { IN_LINE, SLICED, TURNED, LIES };
static inline struct operand operand_at(enum space space, enum access access, int64_t at, enum dtype dtype,
        enum lies lies, int dims, const int64_t *dim)
{
	struct operand operand = {.address = ADDRESS + at * dtype_bytes(dtype),
	        .space = (uint8_t)space,
	        .access = (uint8_t)access,
	        .tensor = -1};
	int64_t stride = lies == SLICED ? 2 : 1;
	is(ST_OK, layout_make(&operand.layout, dtype, dims, dim));
	for (int i = 0; i < dims; i++) {
		int d = lies == TURNED ? i : dims - 1 - i;
		operand.layout.stride[d] = stride;
		stride *= dim[d] + (lies == SLICED ? 1 : 0);
	}
	return operand;
}

static inline void *mirrored(const struct operand *operand)
{
	return mirror[operand->space] + (operand->address - ADDRESS);
}

#endif
