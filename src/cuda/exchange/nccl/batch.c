/* batch.c -- calls that start together: one NCCL group
 *
 * A call of a nonblocking communicator may return before its work is on the stream. So each
 * communicator is polled until it has accepted all calls.
 *
 * Kernels of several communicators on one stream would run one after the other, and a rank that
 * sends first would deadlock with one that receives first. So each runs on a stream of its own,
 * between events. */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "cuda/exchange/nccl/party.h"

enum { STAGE_LEAST = 1 << 20 };

enum status nccl_enter(
        struct nccl_exchange *nccl, int part, enum nccl_kind kind, int from, int to, struct party **found)
{
	struct batch *batch = &nccl->batch;
	enum status status = ST_OK;
	*found = NULL;
	pthread_mutex_lock(&nccl->lock);
	struct party *party = nccl_latest(nccl, part, kind, from, to);
	if (!party)
		status = fail(ST_BUG, "part %d: NCCL was not told who meets there", part);
	else if (party->words)
		status = fail(ST_GPU, "%s", party->words);
	else if (party->open && !party->leaves) {
		party->inside++;
		*MEM_ADD(&batch->parties, &batch->party_count) = *found = party;
	}
	pthread_mutex_unlock(&nccl->lock);
	return status;
}

void nccl_add_bytes(struct nccl_exchange *nccl, struct party *party, CUstream stream, int kind, int peer,
        CUdeviceptr at, int64_t bytes)
{
	if (bytes > 0)
		*MEM_ADD(&nccl->batch.steps, &nccl->batch.count) = (struct step){.kind = kind,
		        .party = party,
		        .stream = stream,
		        .from = at,
		        .to = at,
		        .count = bytes,
		        .type = ncclInt8,
		        .other = peer};
}

void nccl_add_start(struct nccl_exchange *nccl, struct exchange_started started, CUstream stream)
{
	if (started.queue)
		*MEM_ADD(&nccl->batch.starts, &nccl->batch.start_count) =
		        (struct batch_start){started, stream};
}

/* ---- workspace */

static struct staging *workspace_of(struct nccl_exchange *nccl, CUstream stream)
{
	for (size_t i = 0; i < nccl->stage_count; i++)
		if (nccl->stages[i].stream == stream)
			return &nccl->stages[i];
	struct staging *stage = MEM_ADD(&nccl->stages, &nccl->stage_count);
	*stage = (struct staging){.stream = stream};
	return stage;
}

/* Keeps the old memory, which is still in use. */
static enum status workspace_grow(struct nccl_exchange *nccl, struct staging *stage, int64_t bytes)
{
	struct staging larger = {.stream = stage->stream, .bytes = most_of(STAGE_LEAST, 2 * bytes)};
	enum status status = CUDA_CALL(nccl->cuda, cuMemAlloc, &larger.at, (size_t)larger.bytes);
	if (status != ST_OK)
		return status;
	if (stage->at)
		*MEM_ADD(&nccl->outgrown, &nccl->outgrown_count) =
		        (struct gpu_block){stage->at, stage->bytes};
	*stage = larger;
	return ST_OK;
}

enum status nccl_room(struct nccl_exchange *nccl, int64_t bytes, CUstream stream, CUdeviceptr *at)
{
	enum { ALIGNED = 256 };
	struct staging *stage = workspace_of(nccl, stream);
	enum status status = ST_OK;
	if (stage->bytes - stage->used < bytes)
		status = workspace_grow(nccl, stage, bytes);
	if (status != ST_OK)
		return status;
	*at = stage->at + (CUdeviceptr)stage->used;
	stage->used += parts_of(bytes, ALIGNED) * ALIGNED;
	return ST_OK;
}

static enum status step_call(struct cuda_library *cuda, const struct step *step, CUstream stream)
{
	const void *from = (const void *)(uintptr_t)step->from;
	void *to = (void *)(uintptr_t)step->to;
	size_t count = (size_t)step->count;
	ncclComm_t comm = step->party->comm;
	switch (step->kind) {
	case STEP_ALLREDUCE:
		return NCCL_CALL(cuda, ncclAllReduce, from, to, count, step->type, step->by, comm, stream);
	case STEP_BROADCAST:
		return NCCL_CALL(cuda, ncclBroadcast, from, to, count, step->type, step->other, comm, stream);
	case STEP_REDUCE:
		return NCCL_CALL(
		        cuda, ncclReduce, from, to, count, step->type, step->by, step->other, comm, stream);
	case STEP_ALLGATHER:
		return NCCL_CALL(cuda, ncclAllGather, from, to, count, step->type, comm, stream);
	case STEP_REDUCESCATTER:
		return NCCL_CALL(
		        cuda, ncclReduceScatter, from, to, count, step->type, step->by, comm, stream);
	case STEP_SEND:
		return NCCL_CALL(cuda, ncclSend, from, count, step->type, step->other, comm, stream);
	case STEP_RECV:
		return NCCL_CALL(cuda, ncclRecv, to, count, step->type, step->other, comm, stream);
	}
	return fail(ST_BUG, "NCCL has no step %d", (int)step->kind);
}

/* ---- several communicators */

enum status nccl_wait_behind(struct cuda_library *cuda, CUevent event, CUstream first, CUstream then)
{
	enum status status = CUDA_CALL(cuda, cuEventRecord, event, first);
	return status == ST_OK ? CUDA_CALL(cuda, cuStreamWaitEvent, then, event, 0) : status;
}

/* out: the communicators' streams wait for the callers'; else the reverse */
static enum status streams_order(struct nccl_exchange *nccl, bool out)
{
	const struct batch *batch = &nccl->batch;
	enum status status = ST_OK;
	for (size_t i = 0; i < batch->count && status == ST_OK; i++) {
		const struct step *step = &batch->steps[i];
		const struct party *party = step->party;
		status = out ? nccl_wait_behind(nccl->cuda, party->ahead, step->stream, party->stream)
		             : nccl_wait_behind(nccl->cuda, party->behind, party->stream, step->stream);
	}
	return status;
}

/* ncclGroupEnd follows even if a call failed. */
static enum status group_call(struct nccl_exchange *nccl, bool own)
{
	const struct batch *batch = &nccl->batch;
	enum status status = nccl_call(nccl->cuda, "ncclGroupStart", nccl->cuda->ncclGroupStart());
	if (status != ST_OK)
		return status;
	for (size_t i = 0; i < batch->count && status == ST_OK; i++)
		status = step_call(nccl->cuda, &batch->steps[i],
		        own ? batch->steps[i].party->stream : batch->steps[i].stream);
	ncclResult_t ended = nccl->cuda->ncclGroupEnd();
	return status == ST_OK ? nccl_call(nccl->cuda, "ncclGroupEnd", ended) : status;
}

static void batch_leave(struct nccl_exchange *nccl)
{
	struct batch *batch = &nccl->batch;
	pthread_mutex_lock(&nccl->lock);
	for (size_t i = 0; i < batch->party_count; i++)
		batch->parties[i]->inside--;
	pthread_cond_broadcast(&nccl->changed);
	pthread_mutex_unlock(&nccl->lock);
	for (size_t i = 0; i < nccl->stage_count; i++)
		nccl->stages[i].used = 0;
	batch->count = batch->copy_count = batch->start_count = batch->party_count = 0;
}

/* An error may belong to an earlier call; the communicator is unusable either way. */
static enum status party_settle_or_break(struct party *party)
{
	enum status status = party_settle(party);
	if (status == ST_OK)
		return ST_OK;
	pthread_mutex_lock(&party->nccl->lock);
	party_break(party, fail_text());
	party_release(party);
	pthread_mutex_unlock(&party->nccl->lock);
	return status;
}

enum status nccl_run(struct nccl_exchange *nccl)
{
	const struct batch *batch = &nccl->batch;
	enum status status = ST_OK;
	if (nccl->together)
		return ST_OK;
	bool own = false;
	for (size_t i = 1; i < batch->count; i++)
		own |= batch->steps[i].party != batch->steps[0].party;
	if (own)
		status = streams_order(nccl, true);
	if (status == ST_OK && batch->count > 0)
		status = group_call(nccl, own);
	for (size_t i = 0; i < batch->party_count && status == ST_OK; i++)
		if (batch->parties[i]->comm)
			status = party_settle_or_break(batch->parties[i]);
	if (status == ST_OK && own)
		status = streams_order(nccl, false);
	for (size_t i = 0; i < batch->copy_count && status == ST_OK; i++)
		status = CUDA_CALL(nccl->cuda, cuMemcpyDtoDAsync, batch->copies[i].to, batch->copies[i].from,
		        (size_t)batch->copies[i].bytes, batch->copies[i].stream);
	for (size_t i = 0; i < batch->start_count && status == ST_OK; i++)
		status = batch->starts[i].started.queue(
		        batch->starts[i].started.self, batch->starts[i].stream);
	batch_leave(nccl);
	return status;
}
