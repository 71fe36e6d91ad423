/* serve.c -- put, get and add, which NCCL lacks, served by the target rank
 *
 *             origin, its stream                  target, the communicator's stream
 *      put    send x  and receive a byte          receive into the window; send a byte
 *      add    as a put, a piece at a time         receive it, add it to the window; send a byte
 *      get    send a byte  and receive x          receive the byte; send from the window
 *
 * So an operation has taken effect when it completes on the origin. NCCL starts the k-th send and
 * receive with a peer after the previous ones, so each send, also that of an add's piece, has an
 * answer.
 *
 * The communicator's thread serves in the order of the origin's stream, once the window is open.
 *
 * A release ends NCCL calls without data. An add that follows reads the `released` word, so that
 * it does nothing. */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "cuda/exchange/nccl/party.h"
#include "cuda/kernels/arguments.h"
#include "world/op.h"

enum { PIECE = 16 << 20 }; /* bytes of an add at a time */

struct service {
	struct exchange_one_sided call;
	int64_t told; /* control's clock when it was queued */
};

/* ---- windows */

enum status serve_window(struct exchange *exchange, int part, uint32_t seq, CUdeviceptr at)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	pthread_mutex_lock(&nccl->lock);
	*MEM_ADD(&nccl->windows, &nccl->window_count) = (struct nccl_window){part, seq, at};
	pthread_cond_broadcast(&nccl->changed);
	pthread_mutex_unlock(&nccl->lock);
	return ST_OK;
}

/* Requires the lock. Returns the target's address in this rank's memory; 0: not open yet. */
static CUdeviceptr window_at(const struct nccl_exchange *nccl, const struct exchange_one_sided *call)
{
	for (size_t i = nccl->window_count; i-- > 0;)
		if (nccl->windows[i].part == call->part && nccl->windows[i].seq == call->window)
			return nccl->windows[i].at + (CUdeviceptr)call->offset;
	return 0;
}

/* window += factor * from, of `bytes`. released: as in struct addend, or NULL */
static enum status window_add(struct nccl_exchange *nccl, const struct exchange_one_sided *call,
        CUdeviceptr from, CUdeviceptr window, int64_t bytes, const int *released, CUstream stream)
{
	enum { BLOCKS_MOST = 264 };
	int dtype = call->layout.dtype;
	long long count = bytes / dtype_bytes((enum dtype)dtype);
	struct exchange_reach reach = {.count = count,
	        .window = {.data = (void *)(uintptr_t)window, .dtype = dtype, .dims = 1},
	        .at = {.data = (void *)(uintptr_t)from, .dtype = dtype, .dims = 1},
	        .what = EXCHANGE_ADD,
	        .factor = call->factor,
	        .released = released};
	reach.window.dim[0] = reach.at.dim[0] = count;
	reach.window.stride[0] = reach.at.stride[0] = 1;
	unsigned blocks = (unsigned)least_of(parts_of(count, THREADS), BLOCKS_MOST);
	return cuda_launch(nccl->cuda, nccl->reach, blocks, THREADS, &reach, stream);
}

static enum status reach_peer(
        struct nccl_exchange *nccl, const struct exchange_one_sided *call, int64_t bytes, CUstream stream)
{
	struct party *party;
	enum status status =
	        nccl_enter(nccl, call->part, nccl_reach(call->stream), nccl->rank, call->peer, &party);
	if (status != ST_OK || !party || bytes == 0)
		return status;
	if (call->what == ONE_SIDED_GET) {
		nccl_add_bytes(nccl, party, stream, STEP_SEND, 1, nccl->zeroes, 1);
		nccl_add_bytes(nccl, party, stream, STEP_RECV, 1, call->at, bytes);
		return ST_OK;
	}
	int64_t most = call->what == ONE_SIDED_ADD ? PIECE : bytes;
	for (int64_t done = 0; done < bytes; done += most) {
		nccl_add_bytes(nccl, party, stream, STEP_SEND, 1, call->at + (CUdeviceptr)done,
		        least_of(most, bytes - done));
		nccl_add_bytes(nccl, party, stream, STEP_RECV, 1, nccl->zeroes + SCRATCH_IN, 1);
	}
	return ST_OK;
}

static enum status reach_own(
        struct nccl_exchange *nccl, const struct exchange_one_sided *call, int64_t bytes, CUstream stream)
{
	pthread_mutex_lock(&nccl->lock);
	CUdeviceptr window = window_at(nccl, call);
	pthread_mutex_unlock(&nccl->lock);
	bool gets = call->what == ONE_SIDED_GET;
	if (!window)
		return fail(ST_BUG, "rank %d reaches a window of its own that it has not opened", nccl->rank);
	if (bytes == 0)
		return ST_OK;
	if (call->what == ONE_SIDED_ADD)
		return window_add(nccl, call, call->at, window, bytes, NULL, stream);
	return CUDA_CALL(nccl->cuda, cuMemcpyDtoDAsync, gets ? call->at : window, gets ? window : call->at,
	        (size_t)bytes, stream);
}

enum status serve_reach(struct exchange *exchange, const struct exchange_one_sided *call,
        struct exchange_started started, CUstream stream)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	int64_t bytes = layout_bytes(&call->layout);
	enum status status = call->peer == nccl->rank ? reach_own(nccl, call, bytes, stream)
	                                              : reach_peer(nccl, call, bytes, stream);
	if (status == ST_OK)
		nccl_add_start(nccl, started, stream);
	return first_failure(status, nccl_run(nccl));
}

void serve_queue(struct exchange *exchange, const struct exchange_one_sided *call)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	pthread_mutex_lock(&nccl->lock);
	struct party *party = nccl_latest(nccl, call->part, nccl_reach(call->stream), call->peer, nccl->rank);
	if (party && !party->leaves)
		*MEM_ADD(&party->services, &party->service_count) =
		        (struct service){*call, nccl->cuda->host_now()};
	pthread_cond_broadcast(&nccl->changed);
	pthread_mutex_unlock(&nccl->lock);
}

static enum status service_move(struct party *party, int kind, CUdeviceptr at, int64_t bytes)
{
	struct cuda_library *cuda = party->nccl->cuda;
	void *memory = (void *)(uintptr_t)at;
	size_t count = (size_t)bytes;
	enum status status = kind == STEP_SEND
	        ? NCCL_CALL(cuda, ncclSend, memory, count, ncclInt8, 0, party->comm, party->stream)
	        : NCCL_CALL(cuda, ncclRecv, memory, count, ncclInt8, 0, party->comm, party->stream);
	return status == ST_OK ? party_settle(party) : status;
}

static enum status piece_make(struct nccl_exchange *nccl, struct addend *piece)
{
	struct cuda_library *cuda = nccl->cuda;
	CUdeviceptr at;
	void *word;
	enum status status = CUDA_CALL(cuda, cuMemAlloc, &piece->at, PIECE);
	if (status != ST_OK)
		return status;
	status = cuda_mapped_alloc(cuda, sizeof(int), &word, &at);
	if (status == ST_OK)
		piece->released = word;
	else
		cuda->cuMemFree(piece->at);
	return status;
}

/* Pieces are reused, because cuMemFree would wait for all queued work. */
static enum status piece_take(struct party *party)
{
	struct nccl_exchange *nccl = party->nccl;
	struct addend piece = {0};
	enum status status = ST_OK;
	if (party->piece.at)
		return ST_OK;
	pthread_mutex_lock(&nccl->lock);
	if (nccl->piece_count)
		piece = nccl->pieces[--nccl->piece_count];
	pthread_mutex_unlock(&nccl->lock);
	if (!piece.at)
		status = piece_make(nccl, &piece);
	if (status != ST_OK)
		return status;
	pthread_mutex_lock(&nccl->lock);
	party->piece = piece;
	__atomic_store_n(piece.released, party->leaves, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&nccl->lock);
	return ST_OK;
}

static enum status serve_add(
        struct party *party, const struct exchange_one_sided *call, CUdeviceptr window, int64_t bytes)
{
	enum status status = piece_take(party);
	for (int64_t done = 0; done < bytes && status == ST_OK; done += PIECE) {
		int64_t some = least_of(PIECE, bytes - done);
		status = service_move(party, STEP_RECV, party->piece.at, some);
		if (status == ST_OK)
			status = window_add(party->nccl, call, party->piece.at, window + (CUdeviceptr)done,
			        some, party->piece.released, party->stream);
		if (status == ST_OK)
			status = service_move(party, STEP_SEND, party->nccl->zeroes, 1);
	}
	return status;
}

static enum status service_run(struct party *party, const struct exchange_one_sided *call, CUdeviceptr window)
{
	int64_t bytes = layout_bytes(&call->layout);
	bool gets = call->what == ONE_SIDED_GET;
	CUdeviceptr zeroes = party->nccl->zeroes;
	if (bytes == 0)
		return ST_OK;
	if (call->what == ONE_SIDED_ADD)
		return serve_add(party, call, window, bytes);
	enum status status = gets ? service_move(party, STEP_RECV, zeroes + SCRATCH_IN, 1)
	                          : service_move(party, STEP_RECV, window, bytes);
	if (status == ST_OK)
		status = gets ? service_move(party, STEP_SEND, window, bytes)
		              : service_move(party, STEP_SEND, zeroes, 1);
	return status;
}

bool serve_next(struct party *party)
{
	static const char *const names[] = {
	        [ONE_SIDED_PUT] = "put", [ONE_SIDED_GET] = "get", [ONE_SIDED_ADD] = "add"};
	struct nccl_exchange *nccl = party->nccl;
	if (party->leaves || party->state != PARTY_READY || party->served == party->service_count)
		return false;
	struct service service = party->services[party->served];
	CUdeviceptr window = window_at(nccl, &service.call);
	if (!window)
		return false;
	party->served++;
	pthread_mutex_unlock(&nccl->lock);
	nccl->cuda->host_sleep_until(service.told);
	enum status status = service_run(party, &service.call, window);
	if (status != ST_OK)
		fail_in(status, "rank %d's %s in rank %d's window", party->from, names[service.call.what],
		        party->to);
	pthread_mutex_lock(&nccl->lock);
	if (status != ST_OK && !party->leaves) {
		party_break(party, fail_text());
		party_release(party);
		party->untold = true;
	}
	return true;
}

void serve_leave(struct party *party)
{
	struct nccl_exchange *nccl = party->nccl;
	if (!party->piece.at)
		return;
	nccl->cuda->cuStreamSynchronize(party->stream);
	pthread_mutex_lock(&nccl->lock);
	*MEM_ADD(&nccl->pieces, &nccl->piece_count) = party->piece;
	pthread_mutex_unlock(&nccl->lock);
}

void serve_close(struct nccl_exchange *nccl)
{
	for (size_t i = 0; i < nccl->piece_count; i++) {
		nccl->cuda->cuMemFree(nccl->pieces[i].at);
		nccl->cuda->cuMemFreeHost(nccl->pieces[i].released);
	}
	mem_free(nccl->pieces);
	mem_free(nccl->windows);
}
