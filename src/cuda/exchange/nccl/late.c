/* late.c -- an allreduce that does not wait for its latest members (backup=)
 *
 * The members that count exchange pieces on the part's communicator. Each adds up one piece, in
 * the ring order of the members that count (collectives/data.c). With rank 2 of four late:
 *
 *      rank 0   a0 a1 a2         s0 = (a0 + b0) + d0           s0 s1 s2  --- kept ... -> rank 2
 *      rank 1   b0 b1 b2    ->   s1 = (b1 + d1) + a1     ->    s0 s1 s2
 *      rank 3   d0 d1 d2         s2 = (d2 + a2) + b2           s0 s1 s2
 *
 * The first member that counts sends a copy of the result to each late one, on a communicator and
 * a stream of their own, so that no other work waits for a late member. */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "collectives/collective.h"
#include "cuda/exchange/nccl/party.h"
#include "cuda/kernels/arguments.h"

enum { PART = 1 << 20, ALIGNED = 256 }; /* elements of a piece at a time */

/* Returns the first place from `place` on, around the ring, that counts. */
static int counting(const struct exchange_collective *call, int place)
{
	while (!call->counts[place % call->n])
		place++;
	return place % call->n;
}

static int counted(const struct exchange_collective *call, int place)
{
	int count = 0;
	for (int p = 0; p < place; p++)
		count += call->counts[p];
	return count;
}

/* ---- the sum */

/* the bytes of a place's piece that are moved at a time */
struct portion {
	CUdeviceptr from;
	int64_t bytes;
};

static struct portion portion_of(const struct nccl_work *work, int place, int64_t at)
{
	const struct exchange_collective *call = work->call;
	int all = counted(call, call->n), piece = counted(call, place);
	int64_t begin = piece_at(call->in_count, all, piece) + at,
	        end = piece_at(call->in_count, all, piece + 1);
	return (struct portion){
	        (CUdeviceptr)(begin * work->size), most_of(0, least_of(end - begin, PART)) * work->size};
}

static void work_add_bytes(const struct nccl_work *work, int kind, int place, CUdeviceptr at, int64_t bytes)
{
	nccl_add_bytes(work->nccl, work->party, work->stream, kind, place, at, bytes);
}

/* The others' blocks of this rank's piece are in `room`, consecutive, in ring order. */
struct brought {
	CUdeviceptr room;
	int64_t apart;
};

static void pieces_send(const struct nccl_work *work, const struct brought *brought, int64_t at)
{
	const struct exchange_collective *call = work->call;
	int64_t own = portion_of(work, call->place, at).bytes;
	CUdeviceptr block = brought->room;
	for (int p = counting(call, call->place + 1); p != call->place; p = counting(call, p + 1)) {
		struct portion piece = portion_of(work, p, at);
		work_add_bytes(work, STEP_SEND, p, work->in + piece.from, piece.bytes);
		work_add_bytes(work, STEP_RECV, p, block, own);
		block += (CUdeviceptr)brought->apart;
	}
}

static enum status piece_sum(const struct nccl_work *work, const struct brought *brought, int64_t at)
{
	enum { BLOCKS_MOST = 264 };
	const struct exchange_collective *call = work->call;
	struct cuda_library *cuda = work->nccl->cuda;
	struct portion own = portion_of(work, call->place, at);
	struct exchange_sum sum = {.first = (const void *)(uintptr_t)(work->in + own.from),
	        .block = (const void *)(uintptr_t)brought->room,
	        .to = (void *)(uintptr_t)(work->out + own.from),
	        .apart = brought->apart,
	        .count = own.bytes / work->size,
	        .blocks = counted(call, call->n) - 1,
	        .dtype = call->dtype,
	        .reduction = call->reduction};
	unsigned blocks = (unsigned)least_of(parts_of(sum.count, THREADS), BLOCKS_MOST);
	return sum.count ? cuda_launch(cuda, work->nccl->sum, blocks, THREADS, &sum, work->stream) : ST_OK;
}

static void sums_send(const struct nccl_work *work, int64_t at)
{
	const struct exchange_collective *call = work->call;
	struct portion own = portion_of(work, call->place, at);
	for (int p = counting(call, call->place + 1); p != call->place; p = counting(call, p + 1)) {
		struct portion piece = portion_of(work, p, at);
		work_add_bytes(work, STEP_SEND, p, work->out + own.from, own.bytes);
		work_add_bytes(work, STEP_RECV, p, work->out + piece.from, piece.bytes);
	}
}

/* Queues the batch, which leaves the communicator, and enters it again. */
static enum status work_run(struct nccl_work *work)
{
	enum status status = nccl_run(work->nccl);
	return status == ST_OK ? nccl_enter(work->nccl, work->call->part, NCCL_PART, -1, -1, &work->party)
	                       : status;
}

static enum status sum_up(struct nccl_work *work)
{
	const struct exchange_collective *call = work->call;
	int all = counted(call, call->n);
	const int64_t longest = parts_of(call->in_count, all);
	struct brought brought = {.apart = parts_of(least_of(longest, PART) * work->size, ALIGNED) * ALIGNED};
	enum status status = nccl_room(work->nccl, (all - 1) * brought.apart, work->stream, &brought.room);
	for (int64_t at = 0; at < longest && status == ST_OK && work->party; at += PART) {
		pieces_send(work, &brought, at);
		status = work_run(work);
		if (status == ST_OK)
			status = piece_sum(work, &brought, at);
		if (status != ST_OK || !work->party)
			break;
		sums_send(work, at);
		status = work_run(work);
	}
	return first_failure(status, nccl_run(work->nccl));
}

/* ---- for late members */

struct late_result {
	struct nccl_exchange *nccl;
	CUdeviceptr at;
	int64_t bytes;
	CUevent sent; /* NULL: unknown */
};

void late_give_back(struct nccl_exchange *nccl)
{
	size_t left = 0;
	for (size_t i = 0; i < nccl->kept_count; i++) {
		struct late_result *kept = nccl->kept[i];
		if (!kept->sent || nccl->cuda->cuEventQuery(kept->sent) == CUDA_ERROR_NOT_READY) {
			nccl->kept[left++] = kept;
			continue;
		}
		nccl->cuda->cuEventDestroy(kept->sent);
		nccl->exchange.free(&nccl->exchange, kept->at, kept->bytes);
		mem_free(kept);
	}
	nccl->kept_count = left;
}

void late_close(struct nccl_exchange *nccl)
{
	for (size_t i = 0; i < nccl->kept_count; i++) {
		if (nccl->kept[i]->sent)
			nccl->cuda->cuEventDestroy(nccl->kept[i]->sent);
		nccl->cuda->cuMemFree(nccl->kept[i]->at);
		mem_free(nccl->kept[i]);
	}
	mem_free(nccl->kept);
}

/* after the send, on the communicator's stream */
static enum status note_sent(void *self, CUstream stream)
{
	struct late_result *kept = self;
	struct cuda_library *cuda = kept->nccl->cuda;
	CUevent sent;
	enum status status = CUDA_CALL(cuda, cuEventCreate, &sent, CU_EVENT_DISABLE_TIMING);
	if (status != ST_OK)
		return status;
	status = CUDA_CALL(cuda, cuEventRecord, sent, stream);
	if (status == ST_OK)
		kept->sent = sent;
	else
		cuda->cuEventDestroy(sent);
	return status;
}

static enum status result_keep(const struct nccl_work *work, struct late_result **made)
{
	struct nccl_exchange *nccl = work->nccl;
	struct late_result kept = {.nccl = nccl, .bytes = work->call->out_count * work->size};
	enum status status = nccl->exchange.alloc(&nccl->exchange, kept.bytes, &kept.at);
	if (status != ST_OK)
		return status;
	*made = mem_alloc(sizeof kept);
	**made = kept;
	*MEM_ADD(&nccl->kept, &nccl->kept_count) = *made;
	return CUDA_CALL(nccl->cuda, cuMemcpyDtoDAsync, kept.at, work->out, (size_t)kept.bytes, work->stream);
}

static enum status add_send(const struct nccl_work *work, int place)
{
	const struct exchange_collective *call = work->call;
	struct nccl_work late = *work;
	struct late_result *kept = NULL;
	enum status status = nccl_enter(
	        work->nccl, call->part, NCCL_LATE, call->ranks[call->place], call->ranks[place], &late.party);
	if (status == ST_OK && late.party)
		status = result_keep(work, &kept);
	if (status != ST_OK || !late.party)
		return status;
	late.stream = late.party->stream;
	work_add_bytes(&late, STEP_SEND, 1, kept->at, kept->bytes);
	nccl_add_start(work->nccl, (struct exchange_started){.queue = note_sent, .self = kept}, late.stream);
	return nccl_wait_behind(work->nccl->cuda, late.party->ahead, work->stream, late.stream);
}

static enum status send_late(const struct nccl_work *work)
{
	const struct exchange_collective *call = work->call;
	enum status status = ST_OK;
	late_give_back(work->nccl);
	for (int p = 0; p < call->n && status == ST_OK && call->out_count > 0; p++)
		if (!call->counts[p])
			status = add_send(work, p);
	return first_failure(status, nccl_run(work->nccl));
}

/* ---- both sides */

enum status late_collective(struct nccl_work *work)
{
	enum status status = sum_up(work);
	if (status == ST_OK && work->party && counting(work->call, 0) == work->call->place)
		status = send_late(work);
	return status;
}

enum status late_receive(struct nccl_work *work)
{
	const struct exchange_collective *call = work->call;
	int from = counting(call, 0);
	enum status status = nccl_enter(
	        work->nccl, call->part, NCCL_LATE, call->ranks[from], call->ranks[call->place], &work->party);
	if (status == ST_OK && work->party)
		work_add_bytes(work, STEP_RECV, 0, work->out, call->out_count * work->size);
	return status;
}
