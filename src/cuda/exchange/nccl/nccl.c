/* nccl.c -- the exchange: memory, parts, unique ids, close */
#include "base/memory.h"
#include "cuda/exchange/nccl/party.h"
#include "mpi/transport.h"

#include <errno.h>
#include <string.h>
#include <time.h>

enum { ABORT_S = 10, CLOSE_S = 5 };

/* ---- memory: cuMemFree waits for all work queued on the GPU, which may wait for a peer. So
 * memory is freed only at close or if memory is short. A freed block serves requests of its exact
 * size. */

static void free_blocks(struct nccl_exchange *nccl, struct gpu_block *blocks, size_t *count)
{
	for (size_t i = 0; i < *count; i++)
		nccl->cuda->cuMemFree(blocks[i].at);
	*count = 0;
}

static enum status nccl_alloc(struct exchange *exchange, int64_t bytes, CUdeviceptr *at)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	for (size_t i = 0; i < nccl->freed_count; i++) {
		if (nccl->freed[i].bytes != bytes)
			continue;
		*at = nccl->freed[i].at;
		nccl->freed[i] = nccl->freed[--nccl->freed_count];
		return ST_OK;
	}
	enum status status = CUDA_CALL(nccl->cuda, cuMemAlloc, at, (size_t)bytes);
	if (status == ST_DEVICE_MEMORY)
		late_give_back(nccl);
	if (status != ST_DEVICE_MEMORY || nccl->freed_count == 0)
		return status;
	free_blocks(nccl, nccl->freed, &nccl->freed_count);
	return CUDA_CALL(nccl->cuda, cuMemAlloc, at, (size_t)bytes);
}

static void nccl_free(struct exchange *exchange, CUdeviceptr at, int64_t bytes)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	*MEM_ADD(&nccl->freed, &nccl->freed_count) = (struct gpu_block){at, bytes};
}

struct party *nccl_latest(const struct nccl_exchange *nccl, int part, enum nccl_kind kind, int from, int to)
{
	for (size_t i = nccl->count; i-- > 0;) {
		struct party *party = nccl->parties[i];
		if (party->part == part && party->kind == kind && party->from == from && party->to == to)
			return party;
	}
	return NULL;
}

/* Requires the lock. Waits for a change until cuda_real_now() is `ns`; returns false if that has
 * passed. */
static bool wait_until(struct nccl_exchange *nccl, int64_t ns)
{
	const struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	return pthread_cond_timedwait(&nccl->changed, &nccl->lock, &until) != ETIMEDOUT;
}

/* Requires the lock. Waits until the part's released communicators have gone; returns false on
 * timeout. */
static bool wait_gone(struct nccl_exchange *nccl, int part)
{
	for (size_t i = 0; i < nccl->count; i++) {
		struct party *party = nccl->parties[i];
		while (party->part == part && party->leaves && party->has_thread &&
		        party->state != PARTY_GONE)
			if (!wait_until(nccl, party->since + ABORT_S * (int64_t)1000000000))
				return false;
	}
	return true;
}

/* Requires the lock. Waits until the party is made or released. If the part's former communicators
 * have not gone, breaks the party at once and fails with ST_LIMIT. Fails with ST_GPU for a failed
 * party. */
static enum status open_party(struct party *party, bool gone)
{
	struct nccl_exchange *nccl = party->nccl;
	while (gone && party->state == PARTY_MAKING && !party->leaves)
		pthread_cond_wait(&nccl->changed, &nccl->lock);
	if (!gone)
		party_break(party,
		        "NCCL's communicator does not end (ncclCommAbort hangs); `restart` ends the "
		        "session's processes and begins anew");
	party->open = true;
	return party->words ? fail(gone ? ST_GPU : ST_LIMIT, "%s", party->words) : ST_OK;
}

/* Opens all communicators of the part, those of its channels too. */
static enum status nccl_open(struct exchange *exchange, int part, int n, int place, const int *ranks)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	enum status status = ST_OK;
	int64_t made = 0;
	(void)n, (void)place, (void)ranks;
	pthread_mutex_lock(&nccl->lock);
	bool gone = wait_gone(nccl, part);
	for (size_t i = 0; i < nccl->count; i++) {
		struct party *party = nccl->parties[i];
		if (party->part != part || party->leaves || party->open)
			continue;
		status = first_failure(status, open_party(party, gone));
		made = party->made > made ? party->made : made;
	}
	pthread_mutex_unlock(&nccl->lock);
	nccl->cuda->host_sleep_until(made);
	return status;
}

static void nccl_release(struct exchange *exchange, int part, uint32_t seq)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	(void)seq;
	pthread_mutex_lock(&nccl->lock);
	for (size_t i = 0; i < nccl->count; i++)
		if (nccl->parties[i]->part == part)
			party_release(nccl->parties[i]);
	pthread_mutex_unlock(&nccl->lock);
}

/* ---- unique ids: rank 0 makes all of them, because it sends to every process anyway */

enum status meet_ids(
        struct cuda_library *cuda, const struct nccl_party *parties, int count, ncclUniqueId *ids)
{
	enum status status = ST_OK;
	for (int i = 0; i < count && status == ST_OK; i++)
		if (parties[i].n > 1)
			status = NCCL_CALL(cuda, ncclGetUniqueId, &ids[i]);
	return status;
}

void meet_told(
        struct nccl_exchange *nccl, const struct nccl_party *parties, int count, const ncclUniqueId *ids)
{
	for (int i = 0; i < count; i++)
		for (int place = 0; place < parties[i].n; place++)
			if (parties[i].ranks[place] == nccl->rank) {
				party_start(nccl, &parties[i], place, ids ? &ids[i] : NULL);
				break;
			}
}

/* Rank 0's message: a status, then the ids or the words of the failure */
static void *write_message(
        struct cuda_library *cuda, const struct nccl_party *parties, int count, size_t *size)
{
	size_t bytes = (size_t)count * sizeof(ncclUniqueId);
	char *message = mem_alloc(sizeof(enum status) + bytes);
	ncclUniqueId *ids = mem_alloc(bytes);
	enum status status = meet_ids(cuda, parties, count, ids);
	if (status != ST_OK)
		bytes = strlen(fail_text()) + 1;
	if (status != ST_OK)
		message = mem_resize(message, sizeof status + bytes);
	memcpy(message, &status, sizeof status);
	memcpy(message + sizeof status, status == ST_OK ? (const char *)ids : fail_text(), bytes);
	mem_free(ids);
	*size = sizeof status + bytes;
	return message;
}

enum status nccl_meet(
        struct exchange *exchange, struct transport *transport, const struct nccl_party *parties, int count)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	void *message = NULL;
	size_t size = 0;
	if (count == 0)
		return ST_OK;
	if (transport_rank(transport) == 0)
		message = write_message(nccl->cuda, parties, count, &size);
	enum status told, status = transport_broadcast(transport, 0, &message, &size);
	if (status == ST_OK) {
		const char *behind = (const char *)message + sizeof told;
		memcpy(&told, message, sizeof told);
		if (told == ST_OK) {
			ncclUniqueId *ids = mem_alloc(size - sizeof told);
			memcpy(ids, behind, size - sizeof told);
			meet_told(nccl, parties, count, ids);
			mem_free(ids);
		} else {
			fail(told, "%s", behind);
			meet_told(nccl, parties, count, NULL);
		}
	}
	mem_free(message);
	return status;
}

/* ---- asynchronous errors */

/* Requires the lock. */
static enum status party_failure(struct party *party)
{
	struct nccl_exchange *nccl = party->nccl;
	ncclResult_t result = ncclSuccess;
	if (party->untold) {
		party->untold = false;
		return fail(ST_GPU, "%s", party->words);
	}
	if (!party->comm || party->state != PARTY_READY || party->leaves)
		return ST_OK;
	enum status status = NCCL_CALL(nccl->cuda, ncclCommGetAsyncError, party->comm, &result);
	status = first_failure(status, nccl_call(nccl->cuda, "NCCL", result));
	if (status != ST_OK) {
		party_break(party, fail_text());
		party_release(party);
	}
	return status;
}

static enum status nccl_failure(struct exchange *exchange, int *part)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	enum status status = ST_OK;
	pthread_mutex_lock(&nccl->lock);
	for (size_t i = 0; i < nccl->count && status == ST_OK; i++) {
		*part = nccl->parties[i]->part;
		status = party_failure(nccl->parties[i]);
	}
	pthread_mutex_unlock(&nccl->lock);
	return status;
}

static enum status nccl_begin(struct exchange *exchange)
{
	NCCL_OF(exchange)->together = true;
	return ST_OK;
}

static enum status nccl_end(struct exchange *exchange)
{
	NCCL_OF(exchange)->together = false;
	return nccl_run(NCCL_OF(exchange));
}

/* ---- start and close */

/* Returns false if an abort hangs; then nothing is freed. */
static bool leave_all(struct nccl_exchange *nccl)
{
	int64_t until = cuda_real_now() + CLOSE_S * (int64_t)1000000000;
	bool gone = true;
	pthread_mutex_lock(&nccl->lock);
	for (size_t i = 0; i < nccl->count; i++)
		party_release(nccl->parties[i]);
	for (size_t i = 0; i < nccl->count && gone; i++)
		while (nccl->parties[i]->has_thread && nccl->parties[i]->state != PARTY_GONE && gone)
			gone = wait_until(nccl, until);
	pthread_mutex_unlock(&nccl->lock);
	return gone;
}

static void nccl_close(struct exchange *exchange)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	if (!leave_all(nccl))
		return;
	for (size_t i = 0; i < nccl->count; i++) {
		if (nccl->parties[i]->has_thread)
			pthread_join(nccl->parties[i]->thread, NULL);
		mem_free(nccl->parties[i]->services);
		mem_free(nccl->parties[i]->words);
		mem_free(nccl->parties[i]);
	}
	image_unload(&nccl->image);
	late_close(nccl);
	serve_close(nccl);
	for (size_t i = 0; i < nccl->stage_count; i++)
		if (nccl->stages[i].at)
			nccl->cuda->cuMemFree(nccl->stages[i].at);
	free_blocks(nccl, nccl->outgrown, &nccl->outgrown_count);
	free_blocks(nccl, nccl->freed, &nccl->freed_count);
	if (nccl->zeroes)
		nccl->cuda->cuMemFree(nccl->zeroes);
	pthread_cond_destroy(&nccl->changed);
	pthread_mutex_destroy(&nccl->lock);
	mem_free(nccl->parties);
	mem_free(nccl->stages);
	mem_free(nccl->outgrown);
	mem_free(nccl->freed);
	mem_free(nccl->batch.steps);
	mem_free(nccl->batch.copies);
	mem_free(nccl->batch.starts);
	mem_free(nccl->batch.parties);
	mem_free(nccl);
}

static enum status exchange_prepare(struct nccl_exchange *nccl, int ordinal)
{
	struct cuda_library *cuda = nccl->cuda;
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&nccl->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&nccl->lock, NULL);
	enum status status = CUDA_CALL(cuda, cuCtxGetCurrent, &nccl->context);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuMemAlloc, &nccl->zeroes, SCRATCH_BYTES);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuMemsetD8Async, nccl->zeroes, 0, SCRATCH_BYTES, NULL);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuStreamSynchronize, NULL);
	const struct image_wanted kernels[] = {
	        {"exchange_sum_blocks", &nccl->sum}, {"exchange_reach_window", &nccl->reach}, {NULL, NULL}};
	return status == ST_OK ? image_load_family(&nccl->image, cuda, ordinal, "exchange", kernels) : status;
}

enum status nccl_make(struct cuda_library *cuda, int ordinal, int rank, struct exchange **exchange)
{
	struct nccl_exchange *nccl = mem_alloc(sizeof *nccl);
	*nccl = (struct nccl_exchange){.cuda = cuda,
	        .rank = rank,
	        .exchange = {.alloc = nccl_alloc,
	                .free = nccl_free,
	                .open = nccl_open,
	                .collective = calls_collective,
	                .transfers = calls_transfers,
	                .begin = nccl_begin,
	                .end = nccl_end,
	                .window = serve_window,
	                .one_sided = serve_reach,
	                .serve = serve_queue,
	                .failure = nccl_failure,
	                .release = nccl_release,
	                .close = nccl_close}};
	enum status status = exchange_prepare(nccl, ordinal);
	if (status == ST_OK)
		*exchange = &nccl->exchange;
	else
		nccl_close(&nccl->exchange);
	return status;
}
