/* standin_ranks.h -- processes as ranks, each with a GPU of the stand-in and the table of
 * NVIDIA's libraries */
#ifndef RANKSH_TEST_STANDIN_RANKS_H
#define RANKSH_TEST_STANDIN_RANKS_H

#include "check.h"
#include "cuda/library/library.h"

#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

/* In a child a wrong answer ends it: cmocka would go on with the other tests there. */
#define RIGHT(condition)                                                                                   \
	do {                                                                                               \
		if (!(condition)) {                                                                        \
			fprintf(stderr, "rank %d, %s:%d: %s\n", me->rank, __FILE__, __LINE__, #condition); \
			_exit(1);                                                                          \
		}                                                                                          \
	} while (0)
#define CALL(call) RIGHT((int)(me->cuda.call) == 0)

enum { RANKS_MOST = 8, LIMIT_S = 300 };
struct rank {
	struct cuda_library cuda;
	int rank, ranks;
	int pipe[2]; /* rank 0 writes what all others read */
	CUcontext context;
	CUstream stream;
	ncclComm_t comm;
};

/* The stand-in, as `options` say, is what is opened from here on. */
static inline void use_standin(const char *options)
{
	char path[4096], directory[4200];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	path[length < 0 ? 0 : length] = '\0';
	snprintf(directory, sizeof directory, "%s/../standin", dirname(path));
	setenv("RANKSH_CUDA", directory, 1);
	setenv("RANKSH_STANDIN", options, 1);
}

static inline void open_part(struct rank *me, enum cuda_part part)
{
	if (cuda_library_open(&me->cuda, part) != ST_OK)
		fprintf(stderr, "%s\n", fail_text());
	RIGHT(me->cuda.handles[part]);
}

/* A context on GPU `gpu`, and a stream */
static inline void take_gpu(struct rank *me, int gpu)
{
	CUdevice device;
	open_part(me, CUDA_PART_DRIVER);
	CALL(cuInit(0));
	CALL(cuDeviceGet(&device, gpu));
	CALL(cuDevicePrimaryCtxRetain(&me->context, device));
	CALL(cuCtxSetCurrent(me->context));
	CALL(cuStreamCreateWithPriority(&me->stream, CU_STREAM_NON_BLOCKING, 0));
}

/* Rank 0's bytes on all ranks */
static inline void share(struct rank *me, void *bytes, size_t count)
{
	for (int other = 1; me->rank == 0 && other < me->ranks; other++)
		RIGHT(write(me->pipe[1], bytes, count) == (ssize_t)count);
	if (me->rank > 0)
		RIGHT(read(me->pipe[0], bytes, count) == (ssize_t)count);
}

static inline ncclResult_t state_of(struct rank *me, ncclComm_t comm)
{
	ncclResult_t state;
	CALL(ncclCommGetAsyncError(comm, &state));
	return state;
}

/* Until nothing is in progress: what that came to */
static inline ncclResult_t settle(struct rank *me, ncclComm_t comm)
{
	ncclResult_t state;
	while ((state = state_of(me, comm)) == ncclInProgress)
		sched_yield();
	return state;
}

/* What ncclCommInitRankConfig came to. All ranks call it. */
static inline ncclResult_t join(struct rank *me, bool blocking)
{
	ncclUniqueId id;
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	config.blocking = blocking;
	open_part(me, CUDA_PART_NCCL);
	if (me->rank == 0)
		CALL(ncclGetUniqueId(&id));
	share(me, &id, sizeof id);
	ncclResult_t result = me->cuda.ncclCommInitRankConfig(&me->comm, me->ranks, id, me->rank, &config);
	return result == ncclInProgress ? settle(me, me->comm) : result;
}

/* Device memory is written and read here by copies on the rank's stream. */
static inline CUdeviceptr on_device(struct rank *me, const void *from, size_t bytes)
{
	CUdeviceptr at;
	CALL(cuMemAlloc(&at, bytes ? bytes : 1));
	CALL(cuMemcpyHtoDAsync(at, from, bytes, me->stream));
	CALL(cuStreamSynchronize(me->stream));
	return at;
}

static inline void to_host(struct rank *me, void *to, CUdeviceptr from, size_t bytes)
{
	CALL(cuMemcpyDtoHAsync(to, from, bytes, me->stream));
	CALL(cuStreamSynchronize(me->stream));
}

/* run(me, self) on each of `ranks` processes, which end by themselves, by their alarm, or with this process */
static inline void spawn_ranks(
        int ranks, const char *options, void (*run)(struct rank *me, void *self), void *self, pid_t *child)
{
	struct rank me = {.ranks = ranks};
	use_standin(options);
	fflush(NULL);
	assert_int_equal(pipe(me.pipe), 0);
	for (me.rank = 0; me.rank < ranks; me.rank++) {
		child[me.rank] = fork();
		assert_true(child[me.rank] >= 0);
		if (child[me.rank] == 0) {
			close(me.pipe[me.rank == 0 ? 0 : 1]);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			alarm(LIMIT_S);
			run(&me, self);
			_exit(0);
		}
	}
	close(me.pipe[0]);
	close(me.pipe[1]);
}

/* The same, to their ends: their statuses of waitpid */
static inline void start_ranks(
        int ranks, const char *options, void (*run)(struct rank *me, void *self), void *self, int *status)
{
	pid_t child[RANKS_MOST];
	spawn_ranks(ranks, options, run, self, child);
	for (int rank = 0; rank < ranks; rank++)
		assert_int_equal(waitpid(child[rank], &status[rank], 0), child[rank]);
}

/* All end with everything right. */
static inline void run_ranks(
        int ranks, const char *options, void (*run)(struct rank *me, void *self), void *self)
{
	int status[RANKS_MOST];
	start_ranks(ranks, options, run, self, status);
	for (int rank = 0; rank < ranks; rank++)
		if (status[rank] != 0)
			fail_msg("rank %d of %d ended with %#x", rank, ranks, (unsigned)status[rank]);
}

#endif
