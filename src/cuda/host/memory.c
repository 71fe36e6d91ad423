/* memory.c -- real memory of the world's segments; workspaces of lanes; writes on memory_aside */
#include "cuda/host/host_thread.h"
#include "base/memory.h"
#include "base/search.h"
#include "world/world.h"

#include <string.h>

struct real_segment {
	int64_t address, bytes;
	void *at;
};

/* workspace of a lane and slot; SCRATCH_PINNED: on the host */
struct lane_room {
	CUdeviceptr at;
	int64_t bytes;
	bool pinned;
};

struct memory {
	struct real_segment *segments[SPACE_COUNT];
	size_t count[SPACE_COUNT];
	struct host_lane aside;
	CUevent written; /* after the last write */
	unsigned writes;
	unsigned *joined; /* by lane: the number of writes that it waits for */
	struct lane_room (*room)[SCRATCH_SLOTS];
	struct lane_room *outgrown; /* work that is queued may still use them */
	size_t outgrown_count;
};

enum status memory_open(struct host_thread *host)
{
	const struct cuda_library *cuda = host->cuda;
	struct memory *memory = host->memory = mem_alloc(sizeof *memory);
	memory->joined = mem_alloc((STREAMS_MAX + 1) * sizeof *memory->joined);
	memory->room = mem_alloc((STREAMS_MAX + 1) * sizeof *memory->room);
	memory->aside.number = STREAM_HOST; /* it has no stream of its own */
	enum status status =
	        CUDA_CALL(cuda, cuStreamCreateWithPriority, &memory->aside.stream, CU_STREAM_NON_BLOCKING, 0);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuEventCreate, &memory->written, CU_EVENT_DISABLE_TIMING);
	if (status != ST_OK)
		memory_close(host);
	return status;
}

/* GPU memory reads as zeroes, as host memory does: a tensor never shows an earlier one's
 * values. */
static enum status device_get(struct host_thread *host, int64_t bytes, void **at)
{
	const struct cuda_library *cuda = host->cuda;
	CUdeviceptr device = 0;
	enum status status = host->exchange ? host->exchange->alloc(host->exchange, bytes, &device)
	                                    : CUDA_CALL(cuda, cuMemAlloc, &device, (size_t)bytes);
	if (status != ST_OK)
		return status;
	*at = (void *)(uintptr_t)device;
	status = CUDA_CALL(cuda, cuMemsetD8Async, device, 0, (size_t)bytes, host->memory->aside.stream);
	return status == ST_OK ? memory_written(host) : status;
}

static void space_give(struct host_thread *host, enum space space, void *at, int64_t bytes)
{
	CUdeviceptr device = (CUdeviceptr)(uintptr_t)at;
	if (!at)
		return;
	if (space == SPACE_DEVICE && host->exchange)
		host->exchange->free(host->exchange, device, bytes);
	else if (space == SPACE_DEVICE)
		host->cuda->cuMemFree(device);
	else if (space == SPACE_PINNED)
		host->cuda->cuMemFreeHost(at);
	else
		mem_unmap(at, (size_t)bytes);
}

static enum status space_get(struct host_thread *host, enum space space, int64_t bytes, void **at)
{
	enum status status = ST_OK;
	if (space == SPACE_DEVICE) {
		status = device_get(host, bytes, at);
	} else if (space == SPACE_PINNED) {
		status = CUDA_CALL(host->cuda, cuMemHostAlloc, at, (size_t)bytes, CU_MEMHOSTALLOC_PORTABLE);
		if (status == ST_OK)
			memset(*at, 0, (size_t)bytes);
	} else {
		*at = mem_map((size_t)bytes);
	}
	return status;
}

static size_t segment_after(const struct memory *memory, enum space space, int64_t address)
{
	const struct real_segment *segments = memory->segments[space];
	size_t i;
	SEARCH(i, memory->count[space], segments[i].address > address);
	return i;
}

enum status memory_get(struct host_thread *host, enum space space, int64_t address, int64_t bytes)
{
	struct memory *memory = host->memory;
	void *place = NULL;
	enum status status = space_get(host, space, bytes, &place);
	if (status != ST_OK) {
		space_give(host, space, place, bytes);
		return status;
	}
	size_t i = segment_after(memory, space, address);
	*MEM_INSERT(&memory->segments[space], &memory->count[space], i) =
	        (struct real_segment){address, bytes, place};
	return ST_OK;
}

static struct real_segment *segment_of(const struct memory *memory, enum space space, int64_t address)
{
	size_t i = segment_after(memory, space, address);
	struct real_segment *segment = i ? &memory->segments[space][i - 1] : NULL;
	return segment && address < segment->address + segment->bytes ? segment : NULL;
}

void memory_drop(struct host_thread *host, enum space space, int64_t address)
{
	struct memory *memory = host->memory;
	struct real_segment *segment = segment_of(memory, space, address);
	if (!segment)
		return;
	space_give(host, space, segment->at, segment->bytes);
	MEM_REMOVE(memory->segments[space], &memory->count[space], segment - memory->segments[space]);
}

void *memory_at(const struct host_thread *host, enum space space, int64_t address)
{
	const struct real_segment *segment = segment_of(host->memory, space, address);
	return segment ? (char *)segment->at + (address - segment->address) : NULL;
}

enum status memory_of(const struct host_thread *host, const struct operand *operand, void **at)
{
	*at = memory_at(host, (enum space)operand->space, operand->address);
	if (*at || layout_bytes(&operand->layout) == 0)
		return ST_OK;
	return fail(ST_BUG, "rank %d: %s memory at %lld is not there", host->rank,
	        space_name((enum space)operand->space), (long long)operand->address);
}

struct host_lane *memory_aside(const struct host_thread *host)
{
	return &host->memory->aside;
}

enum status memory_written(struct host_thread *host)
{
	struct memory *memory = host->memory;
	enum status status = CUDA_CALL(host->cuda, cuEventRecord, memory->written, memory->aside.stream);
	memory->writes += status == ST_OK;
	return status;
}

enum status memory_join(struct host_thread *host, const struct host_lane *lane)
{
	struct memory *memory = host->memory;
	if (lane == &memory->aside || memory->joined[lane->number] == memory->writes)
		return ST_OK;
	memory->joined[lane->number] = memory->writes;
	return CUDA_CALL(host->cuda, cuStreamWaitEvent, lane->stream, memory->written, CU_EVENT_WAIT_DEFAULT);
}

static void room_give(const struct host_thread *host, const struct lane_room *room)
{
	if (room->pinned && room->at)
		host->cuda->cuMemFreeHost((void *)(uintptr_t)room->at);
	else if (room->at)
		host->cuda->cuMemFree(room->at);
}

static enum status room_get(const struct host_thread *host, struct lane_room *room)
{
	const struct cuda_library *cuda = host->cuda;
	void *at = NULL;
	if (!room->pinned)
		return CUDA_CALL(cuda, cuMemAlloc, &room->at, (size_t)room->bytes);
	enum status status =
	        CUDA_CALL(cuda, cuMemHostAlloc, &at, (size_t)room->bytes, CU_MEMHOSTALLOC_PORTABLE);
	room->at = (CUdeviceptr)(uintptr_t)at;
	return status;
}

/* Does not free an outgrown workspace, because that would wait for the whole GPU, on which a
 * stream may wait for work that this thread has not issued yet. */
enum status memory_scratch(struct host_thread *host, const struct host_lane *lane, enum scratch slot,
        int64_t bytes, CUdeviceptr *at)
{
	enum { LEAST = 1 << 16 };
	struct memory *memory = host->memory;
	struct lane_room *room = &memory->room[lane->number][slot];
	if (room->bytes < bytes) {
		struct lane_room grown = {
		        .bytes = room->bytes ? 2 * room->bytes : LEAST, .pinned = slot == SCRATCH_PINNED};
		if (grown.bytes < bytes)
			grown.bytes = bytes;
		enum status status = room_get(host, &grown);
		if (status != ST_OK)
			return fail_in(status, "room for what a kernel or a copy needs beside its tensors");
		if (room->at)
			*MEM_ADD(&memory->outgrown, &memory->outgrown_count) = *room;
		*room = grown;
	}
	*at = room->at;
	return ST_OK;
}

void memory_close(struct host_thread *host)
{
	struct memory *memory = host->memory;
	if (!memory)
		return;
	for (int space = 0; space < SPACE_COUNT; space++) {
		for (size_t i = 0; i < memory->count[space]; i++)
			space_give(host, (enum space)space, memory->segments[space][i].at,
			        memory->segments[space][i].bytes);
		mem_free(memory->segments[space]);
	}
	for (int lane = 0; lane <= STREAMS_MAX; lane++)
		for (int slot = 0; slot < SCRATCH_SLOTS; slot++)
			room_give(host, &memory->room[lane][slot]);
	for (size_t i = 0; i < memory->outgrown_count; i++)
		room_give(host, &memory->outgrown[i]);
	if (memory->written)
		host->cuda->cuEventDestroy(memory->written);
	if (memory->aside.stream)
		host->cuda->cuStreamDestroy(memory->aside.stream);
	mem_free(memory->outgrown);
	mem_free(memory->room);
	mem_free(memory->joined);
	mem_free(memory);
	host->memory = NULL;
}
