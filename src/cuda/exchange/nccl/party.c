/* party.c -- a communicator's thread: makes it, warms it up, and aborts it after a release
 *
 * Making and aborting may wait for a peer, or forever. Communicators are made one after the other,
 * because two ranks could otherwise begin with different ones and deadlock. */
#include "base/memory.h"
#include "cuda/exchange/nccl/party.h"

#include <sched.h>
#include <string.h>
#include <time.h>

void party_nap(int looks)
{
	enum { LOOKS_QUICK = 1000, NAP_NS = 50000 };
	if (looks < LOOKS_QUICK)
		sched_yield();
	else
		nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

static bool party_leaves(struct party *party)
{
	pthread_mutex_lock(&party->nccl->lock);
	bool left = party->leaves;
	pthread_mutex_unlock(&party->nccl->lock);
	return left;
}

enum status party_settle(struct party *party)
{
	struct cuda_library *cuda = party->nccl->cuda;
	ncclResult_t result = ncclInProgress;
	for (int looks = 0; result == ncclInProgress && !party_leaves(party); looks++) {
		enum status asked = NCCL_CALL(cuda, ncclCommGetAsyncError, party->comm, &result);
		if (asked != ST_OK)
			return asked;
		if (result == ncclInProgress)
			party_nap(looks);
	}
	return nccl_call(cuda, "NCCL", result);
}

/* Returns true if no earlier party is still being made: each is ready, failed or released. */
static bool party_is_next(const struct party *party)
{
	const struct nccl_exchange *nccl = party->nccl;
	for (size_t i = 0; nccl->parties[i] != party; i++)
		if (nccl->parties[i]->state == PARTY_MAKING && !nccl->parties[i]->leaves)
			return false;
	return true;
}

static enum status party_init(struct party *party)
{
	struct cuda_library *cuda = party->nccl->cuda;
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	config.blocking = 0;
	config.splitShare = 0;
	enum status status = NCCL_CALL(
	        cuda, ncclCommInitRankConfig, &party->comm, party->n, party->id, party->place, &config);
	return status == ST_OK ? party_settle(party) : status;
}

/* Queues an allreduce of one number and transfers between all ranks, because NCCL connects on
 * first use. */
static enum status first_calls(struct party *party)
{
	struct cuda_library *cuda = party->nccl->cuda;
	void *from = (void *)(uintptr_t)party->nccl->zeroes, *to = (char *)from + SCRATCH_IN;
	ncclComm_t comm = party->comm;
	CUstream stream = party->stream;
	ncclResult_t result = cuda->ncclGroupStart();
	if (result != ncclSuccess)
		return nccl_call(cuda, "ncclGroupStart", result);
	result = cuda->ncclAllReduce(from, to, 1, ncclInt32, ncclSum, comm, stream);
	for (int p = 0; p < party->n; p++) {
		if (p == party->place)
			continue;
		if (result == ncclSuccess || result == ncclInProgress)
			result = cuda->ncclSend(from, 1, ncclInt8, p, comm, stream);
		if (result == ncclSuccess || result == ncclInProgress)
			result = cuda->ncclRecv(to, 1, ncclInt8, p, comm, stream);
	}
	enum status status = nccl_call(cuda, "ncclSend and ncclRecv", result);
	result = cuda->ncclGroupEnd();
	return first_failure(status, nccl_call(cuda, "ncclGroupEnd", result));
}

static enum status party_warm_up(struct party *party)
{
	struct cuda_library *cuda = party->nccl->cuda;
	enum status status = first_calls(party);
	if (status == ST_OK)
		status = party_settle(party);
	CUresult found = CUDA_ERROR_NOT_READY;
	for (int looks = 0; status == ST_OK && found == CUDA_ERROR_NOT_READY && !party_leaves(party);
	        looks++) {
		found = cuda->cuStreamQuery(party->stream);
		party_nap(looks);
		if (looks % 1000 == 999) /* an asynchronous error */
			status = party_settle(party);
	}
	if (status != ST_OK || party_leaves(party))
		return status;
	if (found != CUDA_SUCCESS)
		return cuda_call(cuda, "cuStreamQuery", found);
	return CUDA_CALL(cuda, cuStreamSynchronize, party->stream);
}

void party_break(struct party *party, const char *words)
{
	if (party->state == PARTY_GONE)
		return;
	party->state = PARTY_FAILED;
	if (!party->words)
		party->words = mem_copy_text(words, strlen(words));
}

/* Publishes the outcome, then serves until the release. */
static void party_publish(struct party *party, enum status status)
{
	struct nccl_exchange *nccl = party->nccl;
	party->made = nccl->cuda->host_now();
	pthread_mutex_lock(&nccl->lock);
	if (status == ST_OK)
		party->state = PARTY_READY;
	else
		party_break(party, fail_text());
	pthread_cond_broadcast(&nccl->changed);
	while (!party->leaves || party->inside > 0)
		if (!serve_next(party))
			pthread_cond_wait(&nccl->changed, &nccl->lock);
	pthread_mutex_unlock(&nccl->lock);
}

static enum status party_open_stream(struct party *party)
{
	struct cuda_library *cuda = party->nccl->cuda;
	enum status status = CUDA_CALL(cuda, cuCtxSetCurrent, party->nccl->context);
	if (status == ST_OK)
		status = CUDA_CALL(
		        cuda, cuStreamCreateWithPriority, &party->stream, CU_STREAM_NON_BLOCKING, 0);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuEventCreate, &party->ahead, CU_EVENT_DISABLE_TIMING);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuEventCreate, &party->behind, CU_EVENT_DISABLE_TIMING);
	return status;
}

static enum status party_make(struct party *party)
{
	enum status status = party_open_stream(party);
	if (status == ST_OK)
		status = party_init(party);
	if (status == ST_OK && !party_leaves(party))
		status = party_warm_up(party);
	return status == ST_OK ? ST_OK : fail_in(status, "NCCL's communicator of %d ranks", party->n);
}

static void *party_main(void *self)
{
	struct party *party = self;
	struct nccl_exchange *nccl = party->nccl;
	struct cuda_library *cuda = nccl->cuda;
	enum status status = ST_OK;
	cuda->host_sleep_until(party->told);
	pthread_mutex_lock(&nccl->lock);
	while (!party->leaves && !party_is_next(party))
		pthread_cond_wait(&nccl->changed, &nccl->lock);
	bool begins = !party->leaves;
	pthread_mutex_unlock(&nccl->lock);
	if (begins)
		status = party_make(party);
	party_publish(party, status);
	if (party->comm)
		cuda->ncclCommAbort(party->comm);
	serve_leave(party);
	pthread_mutex_lock(&nccl->lock);
	party->state = PARTY_GONE;
	pthread_cond_broadcast(&nccl->changed);
	pthread_mutex_unlock(&nccl->lock);
	if (party->ahead)
		cuda->cuEventDestroy(party->ahead);
	if (party->behind)
		cuda->cuEventDestroy(party->behind);
	if (party->stream)
		cuda->cuStreamDestroy(party->stream);
	return NULL;
}

void party_release(struct party *party)
{
	if (party->leaves)
		return;
	party->leaves = true;
	party->since = cuda_real_now();
	if (party->piece.at)
		__atomic_store_n(party->piece.released, 1, __ATOMIC_SEQ_CST);
	pthread_cond_broadcast(&party->nccl->changed);
}

void party_start(struct nccl_exchange *nccl, const struct nccl_party *of, int place, const ncclUniqueId *id)
{
	struct party *party = mem_alloc(sizeof *party);
	*party = (struct party){.nccl = nccl,
	        .part = of->part,
	        .kind = of->kind,
	        .n = of->n,
	        .place = place,
	        .from = -1,
	        .to = -1};
	if (id)
		party->id = *id;
	if (of->kind != NCCL_PART) {
		party->from = of->ranks[0];
		party->to = of->ranks[1];
	}
	party->told = nccl->cuda->host_now();
	pthread_mutex_lock(&nccl->lock);
	*MEM_ADD(&nccl->parties, &nccl->count) = party;
	if (party->n < 2)
		party->state = PARTY_READY;
	else if (!id)
		party_break(party, fail_text());
	else if (pthread_create(&party->thread, NULL, party_main, party) == 0)
		party->has_thread = true;
	else
		party_break(party, "no thread to be had for NCCL's communicator");
	pthread_cond_broadcast(&nccl->changed);
	pthread_mutex_unlock(&nccl->lock);
}
