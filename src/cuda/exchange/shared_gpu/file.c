/* file.c -- the shared-memory segment, which has no name (system.h) */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/state.h"
#include "mpi/transport.h"
#include "system/system.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int shared_gpu_map(int fd, int ranks, int rank, struct shared_gpu **gpu)
{
	void *at = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (at == MAP_FAILED) {
		int failed = errno;
		close(fd);
		return failed;
	}
	*gpu = mem_alloc(sizeof **gpu);
	**gpu = (struct shared_gpu){.ranks = ranks, .rank = rank, .fd = fd, .shared = at};
	pthread_mutex_init(&(*gpu)->lock, NULL);
	/* the kernel drops the lock when the process ends, for any reason */
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1};
	bool locked = fcntl(fd, F_SETLK, &lock) == 0;
	__atomic_store_n(&(*gpu)->shared->seat[rank].came, locked, __ATOMIC_SEQ_CST);
	return 0;
}

bool shared_gpu_gone(const struct shared_gpu *gpu, int rank)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1};
	return rank != gpu->rank && __atomic_load_n(&gpu->shared->seat[rank].came, __ATOMIC_SEQ_CST) &&
	        fcntl(gpu->fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

void shared_gpu_leave(struct shared_gpu *gpu)
{
	if (!gpu)
		return;
	munmap(gpu->shared, FILE_BYTES);
	close(gpu->fd);
	pthread_mutex_destroy(&gpu->lock);
	mem_free(gpu);
}

struct told {
	int32_t pid, fd; /* fd -1: none */
	int32_t failed;
};

/* The second round takes place even if the first failed; until then rank 0 keeps its descriptor
 * open. */
enum status shared_gpu_meet(struct transport *transport, bool ipc, struct shared_gpu **gpu)
{
	int ranks = transport_size(transport), rank = transport_rank(transport);
	struct told mine = {.pid = getpid(), .fd = -1}, *all = mem_alloc((size_t)ranks * sizeof *all);
	*gpu = NULL;
	if (rank == 0 && ranks <= EXCHANGE_RANKS && (mine.fd = system_shared_memory(FILE_BYTES)) < 0)
		mine.failed = errno;
	enum status first = transport_share(transport, &mine, all, sizeof mine);
	if (first != ST_OK)
		mine.failed = EIO;
	else if (rank > 0 && all[0].fd >= 0 && (mine.fd = system_shared_memory_of(all[0].pid, all[0].fd)) < 0)
		mine.failed = errno;
	int unmapped = mine.fd >= 0 ? shared_gpu_map(mine.fd, ranks, rank, gpu) : 0;
	if (unmapped)
		mine.failed = unmapped;
	if (*gpu)
		(*gpu)->staged = !ipc;
	enum status status = first_failure(first, transport_share(transport, &mine, all, sizeof mine));
	if (status == ST_OK && ranks > EXCHANGE_RANKS)
		status = fail(ST_GPU, "%d ranks share a GPU: %d is the most", ranks, EXCHANGE_RANKS);
	for (int r = 0; r < ranks && status == ST_OK; r++)
		if (all[r].failed)
			status = fail(ST_GPU,
			        "ranks that share a GPU need memory that all can write; rank %d: %s", r,
			        strerror(all[r].failed));
	mem_free(all);
	if (status != ST_OK) {
		shared_gpu_leave(*gpu);
		*gpu = NULL;
	}
	return status;
}

/* Allocates within one chunk; returns 0 if the segment is full. */
static uint64_t lay_out(struct shared_gpu_memory *shared, uint64_t bytes)
{
	uint64_t used = __atomic_load_n(&shared->used, __ATOMIC_SEQ_CST), at;
	do {
		at = used ? used : (sizeof *shared + 63) / 64 * 64;
		if (at / CHUNK != (at + bytes - 1) / CHUNK)
			at = (at / CHUNK + 1) * CHUNK;
		if (at + bytes > (uint64_t)CHUNK * CHUNKS)
			return 0;
	} while (!__atomic_compare_exchange_n(
	        &shared->used, &used, at + bytes, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return at;
}

/* Finds or makes the key's entry; NULL: the directory is full. */
static struct entry *entry_of(struct shared_gpu_memory *shared, uint64_t key)
{
	uint64_t first = key * UINT64_C(0x9e3779b97f4a7c15) >> 50; /* 14 bits: ENTRIES */
	for (uint64_t i = 0; i < ENTRIES; i++) {
		struct entry *entry = &shared->directory[(first + i) % ENTRIES];
		uint64_t found = 0;
		if (__atomic_compare_exchange_n(
		            &entry->key, &found, key, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
		        found == key)
			return entry;
	}
	return NULL;
}

enum status shared_gpu_area(
        struct shared_gpu *gpu, uint64_t key, size_t bytes, char **at, CUdeviceptr *device)
{
	struct entry *entry = entry_of(gpu->shared, key);
	uint64_t found = entry ? __atomic_load_n(&entry->at, __ATOMIC_SEQ_CST) : 0;
	if (entry && !found) {
		/* of concurrent callers one wins, and the others' memory stays unused */
		uint64_t own = lay_out(gpu->shared, (bytes + 63) / 64 * 64);
		if (own &&
		        __atomic_compare_exchange_n(
		                &entry->at, &found, own, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			found = own;
	}
	if (!found)
		return fail(
		        ST_GPU, "there are too many groups: the memory in which their ranks meet is full");
	enum status status = shared_gpu_chunk(gpu, found / CHUNK);
	*at = (char *)gpu->shared + found;
	*device = gpu->chunk[found / CHUNK] + found % CHUNK;
	return status;
}

static enum status register_at(struct shared_gpu *gpu, char *at, size_t bytes, CUdeviceptr *device)
{
	enum status status = CUDA_CALL(gpu->cuda, cuMemHostRegister, at, bytes,
	        CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
	if (status == ST_OK)
		status = CUDA_CALL(gpu->cuda, cuMemHostGetDevicePointer, device, at, 0);
	return status;
}

enum status shared_gpu_chunk(struct shared_gpu *gpu, size_t chunk)
{
	if (gpu->chunk[chunk])
		return ST_OK;
	return register_at(gpu, (char *)gpu->shared + chunk * CHUNK, CHUNK, &gpu->chunk[chunk]);
}

static char *stages_at(const struct shared_gpu *gpu)
{
	return (char *)gpu->shared + (size_t)CHUNK * CHUNKS;
}

enum status shared_gpu_stages(struct shared_gpu *gpu)
{
	int64_t each = STAGES_BYTES / gpu->ranks / GRAIN * GRAIN;
	CUdeviceptr device;
	enum status status = register_at(gpu, stages_at(gpu), STAGES_BYTES, &device);
	for (int rank = 0; rank < gpu->ranks && status == ST_OK; rank++)
		gpu->pool[rank] = device + (CUdeviceptr)(rank * each);
	if (status == ST_OK)
		gpu->stage = (struct pool){.at = gpu->pool[gpu->rank], .bytes = each};
	return status;
}

char *file_at(const struct shared_gpu *gpu, CUdeviceptr staged)
{
	return stages_at(gpu) + (staged - gpu->pool[0]);
}

void shared_gpu_unregister(struct shared_gpu *gpu)
{
	if (gpu->stage.at)
		gpu->cuda->cuMemHostUnregister(stages_at(gpu));
	gpu->stage.at = 0;
	for (size_t i = 0; i < CHUNKS; i++) {
		if (gpu->chunk[i])
			gpu->cuda->cuMemHostUnregister((char *)gpu->shared + i * CHUNK);
		gpu->chunk[i] = 0;
	}
}
