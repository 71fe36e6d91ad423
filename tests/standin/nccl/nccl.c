/* nccl.c -- the functions of NCCL: what they check, and which part of the stand-in does it */
#include "cuda/library/library.h"
#include "standin/nccl/group.h"
#include "standin/standin.h"

#include <string.h>

#define X(name, symbol, needed, result, parameters) result symbol parameters;
NCCL_FUNCTIONS(X)
#undef X

/* A call that the user of the stand-in wants to fail */
#define FAILS() (standin_fails(__func__) ? group_refuse(ncclSystemError) : ncclSuccess)
#define CHECK(good)                                               \
	do {                                                      \
		if (!(good))                                      \
			return group_refuse(ncclInvalidArgument); \
	} while (0)
#define TRY(call)                            \
	do {                                 \
		ncclResult_t tried = (call); \
		if (tried != ncclSuccess)    \
			return tried;        \
	} while (0)

ncclResult_t ncclGetVersion(int *version)
{
	TRY(FAILS());
	*version = standin_options() ? standin_options()->nccl : 0;
	return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result)
{
	static const char *const text[] = {"no error", "unhandled cuda error", "unhandled system error",
	        "internal error", "invalid argument", "invalid usage",
	        "remote process exited or there was a network error", "NCCL operation in progress"};
	return (unsigned)result < sizeof text / sizeof *text ? text[result] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm)
{
	(void)comm;
	return comm_last_words();
}

/* ---- communicators ---- */

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
	struct place place;
	TRY(FAILS());
	if (!meeting_make(&place))
		return ncclSystemError;
	memset(id, 0, sizeof *id);
	memcpy(id->internal, &place, sizeof place);
	return ncclSuccess;
}

/* As where the user does not say */
static bool blocks(const ncclConfig_t *config)
{
	return !config || config->blocking != 0;
}

static bool is_config(const ncclConfig_t *config)
{
	return !config || (config->magic == NCCL_CONFIG_MAGIC && config->size >= sizeof *config);
}

ncclResult_t ncclCommInitRankConfig(
        ncclComm_t *comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config)
{
	struct place place;
	memcpy(&place, id.internal, sizeof place);
	if (FAILS() != ncclSuccess) {
		meeting_forget(&place); /* who made it does not come */
		return ncclSystemError;
	}
	CHECK(comm && ranks > 0 && ranks <= RANKS_MOST && rank >= 0 && rank < ranks && is_config(config));
	struct job *job = job_init(&place, ranks, rank, blocks(config), comm);
	return job ? group_add_job(job) : group_refuse(ncclSystemError);
}

/* A communicator may be used once it has been made and its last call is over. */
static ncclResult_t check_ready(struct ncclComm *comm)
{
	CHECK(comm);
	ncclResult_t state = comm_state(comm);
	return state == ncclSuccess ? state
	                            : group_refuse(state == ncclInProgress ? ncclInvalidArgument : state);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
	TRY(FAILS());
	CHECK(comm && error);
	*error = comm_state(comm);
	return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
	TRY(FAILS());
	CHECK(comm);
	comm_abort(comm);
	comm_release(comm);
	return ncclSuccess;
}

/* ---- operations ---- */

static ncclResult_t add(struct ncclComm *comm, struct operation operation, ncclDataType_t type, size_t count)
{
	TRY(check_ready(comm));
	operation.bytes = type_bytes(type);
	operation.count = (int64_t)count;
	CHECK(operation.bytes > 0 && operation.other >= 0 && operation.other < comm->ranks);
	return group_add(comm, &operation);
}

static ncclResult_t add_reduction(struct ncclComm *comm, struct operation operation, ncclDataType_t type,
        ncclRedOp_t reduction, size_t count)
{
	CHECK(comm && type_bytes(type) && (unsigned)reduction < ncclNumOps);
	operation.by = reducer_of(type, reduction, comm->ranks);
	return add(comm, operation, type, count);
}

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type,
        ncclRedOp_t reduction, ncclComm_t comm, CUstream stream)
{
	TRY(FAILS());
	return add_reduction(comm,
	        (struct operation){.kind = ALLREDUCE, .from = from, .to = to, .stream = stream}, type,
	        reduction, count);
}

ncclResult_t ncclReduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t reduction,
        int root, ncclComm_t comm, CUstream stream)
{
	TRY(FAILS());
	return add_reduction(comm,
	        (struct operation){.kind = REDUCE, .from = from, .to = to, .other = root, .stream = stream},
	        type, reduction, count);
}

ncclResult_t ncclReduceScatter(const void *from, void *to, size_t count, ncclDataType_t type,
        ncclRedOp_t reduction, ncclComm_t comm, CUstream stream)
{
	TRY(FAILS());
	return add_reduction(comm,
	        (struct operation){.kind = REDUCESCATTER, .from = from, .to = to, .stream = stream}, type,
	        reduction, count);
}

ncclResult_t ncclBroadcast(const void *from, void *to, size_t count, ncclDataType_t type, int root,
        ncclComm_t comm, CUstream stream)
{
	TRY(FAILS());
	return add(comm,
	        (struct operation){
	                .kind = BROADCAST, .from = from, .to = to, .other = root, .stream = stream},
	        type, count);
}

ncclResult_t ncclAllGather(
        const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t comm, CUstream stream)
{
	TRY(FAILS());
	return add(comm, (struct operation){.kind = ALLGATHER, .from = from, .to = to, .stream = stream},
	        type, count);
}

ncclResult_t ncclSend(
        const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, CUstream stream)
{
	TRY(FAILS());
	return add(comm, (struct operation){.kind = SEND, .from = from, .other = peer, .stream = stream},
	        type, count);
}

ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, CUstream stream)
{
	TRY(FAILS());
	return add(comm, (struct operation){.kind = RECV, .to = to, .other = peer, .stream = stream}, type,
	        count);
}

/* ---- groups ---- */

ncclResult_t ncclGroupStart(void)
{
	TRY(FAILS());
	group_start();
	return ncclSuccess;
}

/* One that fails drops its group. */
ncclResult_t ncclGroupEnd(void)
{
	FAILS();
	return group_end();
}
