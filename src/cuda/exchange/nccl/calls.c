/* calls.c -- collectives and transfers as NCCL calls
 *
 * Gather, scatter and alltoall are sends and receives in one group; a barrier is a sum of one
 * number. NCCL accepts an input that does not overlap the result, or that is at its place in it;
 * other inputs are copied first. Unequal parts of a reducescatter or allgather are padded
 * (pad_parts). */
#include "base/memory.h"
#include "collectives/collective.h"
#include "cuda/exchange/nccl/party.h"
#include "world/op.h"

static const ncclDataType_t types[DT_COUNT] = {
        [DT_F32] = ncclFloat32, [DT_F16] = ncclFloat16, [DT_BF16] = ncclBfloat16, [DT_I32] = ncclInt32};
static const ncclRedOp_t reductions[] = {
        [REDUCE_SUM] = ncclSum, [REDUCE_AVG] = ncclAvg, [REDUCE_MAX] = ncclMax, [REDUCE_MIN] = ncclMin};

static void work_add(const struct nccl_work *work, int kind, int64_t count)
{
	const struct exchange_collective *call = work->call;
	if (count > 0)
		*MEM_ADD(&work->nccl->batch.steps, &work->nccl->batch.count) = (struct step){.kind = kind,
		        .party = work->party,
		        .stream = work->stream,
		        .from = work->in,
		        .to = work->out,
		        .count = count,
		        .type = types[call->dtype],
		        .by = reductions[call->reduction],
		        .other = call->root};
}

static enum status work_copy(const struct nccl_work *work, CUdeviceptr from, CUdeviceptr to, int64_t bytes)
{
	struct cuda_library *cuda = work->nccl->cuda;
	if (bytes == 0 || from == to)
		return ST_OK;
	return CUDA_CALL(cuda, cuMemcpyDtoDAsync, to, from, (size_t)bytes, work->stream);
}

/* Adds a send to a place and a receive from it; for the rank itself, copies. */
static enum status work_add_pair(
        const struct nccl_work *work, int place, CUdeviceptr from, int64_t sent, CUdeviceptr to, int64_t got)
{
	if (place == work->call->place)
		return work_copy(work, from, to, sent);
	nccl_add_bytes(work->nccl, work->party, work->stream, STEP_SEND, place, from, sent);
	nccl_add_bytes(work->nccl, work->party, work->stream, STEP_RECV, place, to, got);
	return ST_OK;
}

static enum status add_rows(const struct nccl_work *work)
{
	const struct split *split = work->call->split;
	CUdeviceptr in = work->in, out = work->out;
	enum status status = ST_OK;
	for (int p = 0; p < work->call->n && status == ST_OK; p++) {
		int64_t to = rows_to(split, p) * split->row_bytes,
		        from = rows_from(split, p) * split->row_bytes;
		status = work_add_pair(work, p, in, to, out, from);
		in += (CUdeviceptr)to;
		out += (CUdeviceptr)from;
	}
	return status;
}

/* Sends and receives are those of data_move (collectives/data.c). */
static enum status add_pieces(const struct nccl_work *work)
{
	enum { ALL = -1 };
	const struct exchange_collective *call = work->call;
	const struct collective *collective = call->collective;
	bool parts = collective->result != RESULT_GROWN;
	int to = collective->root_gets ? call->root : ALL,
	    from = collective->has_root && !collective->root_gets ? call->root : ALL;
	int64_t bytes = call->chunk * work->size;
	enum status status = ST_OK;
	for (int p = 0; p < call->n && status == ST_OK; p++) {
		bool sends = (from == ALL || from == call->place) && (to == ALL || to == p);
		bool gets = (from == ALL || from == p) && (to == ALL || to == call->place);
		status = work_add_pair(work, p, work->in + (CUdeviceptr)(parts ? p * bytes : 0),
		        sends ? bytes : 0, work->out + (CUdeviceptr)(from == ALL ? p * bytes : 0),
		        gets ? bytes : 0);
	}
	return status;
}

static enum status add_calls(struct nccl_work *work)
{
	const struct exchange_collective *call = work->call;
	const struct collective *collective = call->collective;
	if (collective->bare) {
		work->in = work->out = work->nccl->zeroes + SCRATCH_IN;
		work_add(work, STEP_ALLREDUCE, 1);
	} else if (collective == &collective_allreduce) {
		work_add(work, STEP_ALLREDUCE, call->in_count);
	} else if (collective == &collective_reduce) {
		work_add(work, STEP_REDUCE, call->in_count);
	} else if (collective == &collective_reducescatter) {
		work_add(work, STEP_REDUCESCATTER, call->chunk);
	} else if (collective == &collective_allgather) {
		work_add(work, STEP_ALLGATHER, call->chunk);
	} else if (collective == &collective_broadcast) {
		if (call->place != call->root)
			work->in = work->out;
		work_add(work, STEP_BROADCAST, call->out_count);
	} else {
		return call->split ? add_rows(work) : add_pieces(work);
	}
	return ST_OK;
}

static CUdeviceptr in_place_address(const struct nccl_work *work)
{
	const struct exchange_collective *call = work->call;
	const struct collective *collective = call->collective;
	if (collective->in_place)
		return call->out;
	if (collective == &collective_allgather)
		return call->out + (CUdeviceptr)(call->place * call->in_count * work->size);
	if (collective == &collective_reducescatter)
		return call->out - (CUdeviceptr)(call->place * call->out_count * work->size);
	return 0;
}

static bool is_uneven(const struct exchange_collective *call)
{
	int64_t whole = call->collective == &collective_reducescatter ? call->in_count
	        : call->collective == &collective_allgather           ? call->out_count
	                                                              : call->n * call->chunk;
	return whole != call->n * call->chunk;
}

/* Makes NCCL work in place in a workspace of n whole parts, with this member's part at its place.
 * Zeroes the padding of a reduction. */
static enum status pad_parts(struct nccl_work *work)
{
	const struct exchange_collective *call = work->call;
	struct cuda_library *cuda = work->nccl->cuda;
	bool reduces = call->collective->reduces;
	int64_t part = call->chunk * work->size, in = call->in_count * work->size,
	        out = call->out_count * work->size, all = call->n * part;
	CUdeviceptr room;
	enum status status = nccl_room(work->nccl, all, work->stream, &room);
	if (status != ST_OK)
		return status;
	CUdeviceptr own = room + (CUdeviceptr)(call->place * part);
	work->in = reduces ? room : own;
	work->out = reduces ? own : room;
	status = work_copy(work, call->in, work->in, in);
	if (status == ST_OK && reduces)
		status = CUDA_CALL(
		        cuda, cuMemsetD8Async, room + (CUdeviceptr)in, 0, (size_t)(all - in), work->stream);
	if (status == ST_OK && out > 0)
		*MEM_ADD(&work->nccl->batch.copies, &work->nccl->batch.copy_count) =
		        (struct batch_copy){work->out, call->out, out, work->stream};
	return status;
}

static enum status stage_input(struct nccl_work *work)
{
	const struct exchange_collective *call = work->call;
	int64_t in = call->in_count * work->size, out = call->out_count * work->size;
	bool overlap = call->in && call->out && call->in < call->out + (CUdeviceptr)out &&
	        call->out < call->in + (CUdeviceptr)in;
	if (!overlap || call->in == in_place_address(work))
		return ST_OK;
	enum status status = nccl_room(work->nccl, in, work->stream, &work->in);
	return status == ST_OK ? work_copy(work, call->in, work->in, in) : status;
}

enum status calls_collective(struct exchange *exchange, const struct exchange_collective *call,
        struct exchange_started started, CUstream stream)
{
	struct nccl_work work = {.nccl = NCCL_OF(exchange),
	        .call = call,
	        .stream = stream,
	        .in = call->in,
	        .out = call->out,
	        .size = dtype_bytes(call->dtype)};
	if (call->counts && (call->collective != &collective_allreduce || work.nccl->together))
		return fail(ST_BUG, "only an allreduce by itself goes on without its latest members");
	bool late = call->counts && !call->counts[call->place];
	enum status status = late ? late_receive(&work)
	                          : nccl_enter(work.nccl, call->part, NCCL_PART, -1, -1, &work.party);
	if (status != ST_OK || !work.party)
		return status;
	if (!late)
		status = is_uneven(call) ? pad_parts(&work) : stage_input(&work);
	if (status == ST_OK && !call->counts && call->n > 1)
		status = add_calls(&work);
	else if (status == ST_OK && !call->counts && work.in && work.out)
		status = work_copy(&work, work.in, work.out, call->in_count * work.size);
	if (status == ST_OK)
		nccl_add_start(work.nccl, started, stream);
	if (status == ST_OK && call->counts && !late)
		status = late_collective(&work);
	return first_failure(status, nccl_run(work.nccl));
}

/* ---- transfers */

/* A send to the rank itself is received by the same operation: the k-th send matches the k-th
 * receive. */
static enum status transfer_to_self(struct nccl_exchange *nccl, const struct exchange_transfer *transfers,
        int count, int sent, CUstream stream)
{
	int before = 0;
	for (int i = 0; i < sent; i++)
		before += transfers[i].sends && transfers[i].peer == nccl->rank;
	for (int i = 0; i < count; i++) {
		const struct exchange_transfer *to = &transfers[i];
		if (to->sends || to->peer != nccl->rank || before-- > 0)
			continue;
		return work_copy(&(struct nccl_work){.nccl = nccl, .stream = stream}, transfers[sent].at,
		        to->at, to->bytes);
	}
	return fail(ST_BUG, "rank %d sends itself what it does not receive", nccl->rank);
}

static enum status add_transfer(
        struct nccl_exchange *nccl, const struct exchange_transfer *transfer, CUstream stream)
{
	int from = transfer->sends ? nccl->rank : transfer->peer,
	    to = transfer->sends ? transfer->peer : nccl->rank;
	struct party *party;
	enum status status = nccl_enter(nccl, transfer->part, NCCL_CHANNEL, from, to, &party);
	if (status == ST_OK && party)
		nccl_add_bytes(nccl, party, stream, transfer->sends ? STEP_SEND : STEP_RECV, transfer->sends,
		        transfer->at, transfer->bytes);
	return status;
}

enum status calls_transfers(struct exchange *exchange, const struct exchange_transfer *transfers, int count,
        struct exchange_started started, CUstream stream)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	enum status status = ST_OK;
	for (int i = 0; i < count && status == ST_OK; i++) {
		if (transfers[i].peer != nccl->rank)
			status = add_transfer(nccl, &transfers[i], stream);
		else if (transfers[i].sends)
			status = transfer_to_self(nccl, transfers, count, i, stream);
	}
	if (status == ST_OK)
		nccl_add_start(nccl, started, stream);
	return first_failure(status, nccl_run(nccl));
}
