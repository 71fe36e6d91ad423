/* message.c -- communication of the world as calls of exchange/: addresses of operands, and the
 * least duration */
#include "cuda/host/host_thread.h"
#include "base/memory.h"
#include "collectives/collective.h"
#include "cuda/exchange/exchange.h"
#include "world/world.h"

/* The timer of one operation, which the exchange begins (begin_played). */
struct played {
	struct host_thread *host;
	CUstream stream;
	int64_t least_ns;
	struct timer_slot *slot;
	bool begun;
};

struct message_batch {
	struct played **played;
	size_t count;
};

static enum status begin_played(void *self, CUstream stream)
{
	struct played *played = self;
	enum status status = timer_begin(played->host, stream, &played->slot);
	played->stream = stream;
	played->begun = status == ST_OK;
	return status;
}

static enum status end_played(void *self, CUstream stream)
{
	struct played *played = self;
	bool begun = played->begun;
	played->begun = false;
	return begun ? timer_end(played->host, stream, played->slot, played->least_ns) : ST_OK;
}

static enum status release_played(struct played *played)
{
	enum status status = end_played(played, played->stream);
	mem_free(played);
	return status;
}

static enum status device_address(
        const struct host_thread *host, const struct operand *operand, CUdeviceptr *address)
{
	void *at = NULL;
	enum status status = operand ? memory_of(host, operand, &at) : ST_OK;
	*address = (CUdeviceptr)(uintptr_t)at;
	return status;
}

static enum status queue_collective(struct host_thread *host, const struct host_order *order,
        struct exchange_started started, CUstream stream)
{
	const struct record *record = &order->record;
	const struct host_match *match = order->match;
	const struct operand *in = record_source(record), *out = collective_result(record);
	struct exchange_collective call = {.collective = record->collective,
	        .part = match->part,
	        .seq = match->seq,
	        .n = match->n,
	        .place = match->place,
	        .ranks = match->ranks,
	        .dtype = (enum dtype)record->dtype,
	        .reduction = (enum reduction)record->reduction,
	        .root = record->root,
	        .in_count = in ? layout_count(&in->layout) : 0,
	        .out_count = out ? layout_count(&out->layout) : 0,
	        .chunk = collective_chunk(record, match->n),
	        .split = record->split.n ? &record->split : NULL,
	        .counts = record->backup ? match->counts : NULL};
	CUdeviceptr window = 0;
	enum status status = device_address(host, in, &call.in);
	if (status == ST_OK)
		status = device_address(host, out, &call.out);
	if (status == ST_OK && record->window == WINDOW_OPEN) {
		status = device_address(host, &record->operand[0], &window);
		if (status == ST_OK)
			status = host->exchange->window(host->exchange, call.part, call.seq, window);
	}
	return status == ST_OK ? host->exchange->collective(host->exchange, &call, started, stream) : status;
}

static enum status queue_transfers(struct host_thread *host, const struct host_order *order,
        struct exchange_started started, CUstream stream)
{
	const struct record *record = &order->record;
	struct exchange_transfer *transfers = mem_alloc(record->parts * sizeof *transfers);
	enum status status = ST_OK;
	for (int i = 0; i < record->parts && status == ST_OK; i++) {
		const struct operand *operand = part_operand(record, i);
		transfers[i] = (struct exchange_transfer){.part = order->match->part,
		        .seq = order->match->transfer_seq[i],
		        .peer = record->part[i].peer,
		        .sends = record->part[i].direction == P2P_SEND,
		        .bytes = layout_bytes(&operand->layout)};
		status = device_address(host, operand, &transfers[i].at);
	}
	if (status == ST_OK)
		status = host->exchange->transfers(host->exchange, transfers, record->parts, started, stream);
	mem_free(transfers);
	return status;
}

static enum status queue_one_sided(struct host_thread *host, const struct host_order *order,
        struct exchange_started started, CUstream stream)
{
	const struct record *record = &order->record;
	const struct operand *own = &record->operand[0];
	struct exchange_one_sided call = {.part = order->match->part,
	        .peer = record->part[0].peer,
	        .what = (enum one_sided)record->part[0].direction,
	        .window = order->window,
	        .offset = record->part[0].offset,
	        .layout = order->remote.layout,
	        .dtype = (enum dtype)own->layout.dtype,
	        .factor = (float)record->parameter[0],
	        .stream = order->stream};
	enum status status = device_address(host, own, &call.at);
	return status == ST_OK ? host->exchange->one_sided(host->exchange, &call, started, stream) : status;
}

static enum status queue_one(
        struct host_thread *host, const struct host_order *order, struct played *played, CUstream stream)
{
	struct exchange_started started = {0};
	if (order->least_ns > 0)
		started = (struct exchange_started){begin_played, end_played, played};
	switch (order->record.kind) {
	case OP_COLLECTIVE:
		return queue_collective(host, order, started, stream);
	case OP_P2P:
		return queue_transfers(host, order, started, stream);
	default:
		return queue_one_sided(host, order, started, stream);
	}
}

enum status message_end(struct host_thread *host)
{
	struct message_batch *batch = host->batch;
	if (!batch)
		return ST_OK;
	enum status status = host->exchange->end(host->exchange);
	for (size_t i = 0; i < batch->count; i++)
		status = first_failure(status, release_played(batch->played[i]));
	mem_free(batch->played);
	mem_free(batch);
	host->batch = NULL;
	return status;
}

enum status message_queue(struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{
	enum status status = ST_OK;
	if (host->batch && !(order->flags & OPF_TOGETHER))
		status = message_end(host);
	if (status == ST_OK && order->more && !host->batch) {
		status = host->exchange->begin(host->exchange);
		host->batch = status == ST_OK ? mem_alloc(sizeof *host->batch) : NULL;
	}
	if (status != ST_OK)
		return status;
	struct played *played = mem_alloc(sizeof *played);
	*played = (struct played){.host = host, .least_ns = order->least_ns};
	status = queue_one(host, order, played, lane->stream);
	if (!host->batch)
		return first_failure(status, release_played(played));
	*MEM_ADD(&host->batch->played, &host->batch->count) = played;
	return order->more ? status : first_failure(status, message_end(host));
}
