/* history.c -- which accesses to each stretch of memory a later one could conflict with
 *
 * An operation's operands first cut the stretches at their ends, which changes no meaning, so that each
 * stretch lies wholly in or out of an operand. Marks of work that the host knows to be done are dropped when
 * they are met. */
#include "world/order.h"

static bool writes(const struct operand *operand)
{
	return operand->access & (ACCESS_WRITE | ACCESS_ADD);
}

static bool reads(const struct operand *operand)
{
	return operand->access & (ACCESS_READ | ACCESS_ADD);
}

/* ---- stretches */

/* The first stretch that ends behind the address. */
static size_t stretch_at(const struct history *history, int64_t address)
{
	size_t low = 0, high = history->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (history->stretch[middle].to <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct history *history, size_t at, struct stretch stretch)
{
	memmove(&history->stretch[at + 1], &history->stretch[at], (history->count - at) * sizeof stretch);
	history->stretch[at] = stretch;
	history->count++;
}

static size_t marks_of(const struct world_order *order, const struct stretch *stretch)
{
	size_t count = 0;

	for (uint32_t i = stretch->marks; i; i = order->marks[i].next)
		count++;
	return count;
}

static uint32_t mark_new(struct world_order *order, struct mark mark)
{
	uint32_t index = order->free_mark;

	if (index)
		order->free_mark = order->marks[index].next;
	else
		index = (uint32_t)++order->mark_count;
	order->marks[index] = mark;
	return index;
}

static enum status marks_reserve(struct world_order *order, size_t more)
{
	return RESERVE(&order->marks, order->mark_count + 1, more, &order->mark_room);
}

/* Cuts the stretch that holds the address so that one begins there. */
static enum status cut(struct world_order *order, struct history *history, int64_t address)
{
	size_t at = stretch_at(history, address);

	if (at == history->count || history->stretch[at].from >= address)
		return ST_OK;
	if (RESERVE(&history->stretch, history->count, 1, &history->room) ||
	        marks_reserve(order, marks_of(order, &history->stretch[at])))
		return ST_MEMORY;
	struct stretch behind = history->stretch[at];
	behind.from = address;
	behind.marks = 0;
	for (uint32_t i = history->stretch[at].marks; i; i = order->marks[i].next) {
		struct mark mark = order->marks[i];
		mark.next = behind.marks;
		behind.marks = mark_new(order, mark);
	}
	history->stretch[at].to = address;
	insert(history, at + 1, behind);
	return ST_OK;
}

static void drop_marks(struct world_order *order, struct stretch *stretch)
{
	while (stretch->marks) {
		uint32_t index = stretch->marks;
		stretch->marks = order->marks[index].next;
		order->marks[index].next = order->free_mark;
		order->free_mark = index;
	}
}

/* ---- before the operation is in the books: what does it conflict with? */

static enum status add_candidate(const struct world *world, struct world_order *order,
        const struct mark *mark, int operand, const struct record *record, const struct moment *moment)
{
	struct candidate candidate = {
	        .earlier = mark->op, .earlier_operand = mark->operand, .operand = (uint8_t)operand};

	for (size_t i = 0; i < order->candidate_count; i++) {
		if (order->candidates[i].earlier == mark->op)
			return ST_OK;
	}
	if (race_known(world, order, &candidate, moment->rank, moment->lane, record))
		return ST_OK;
	if (RESERVE(&order->candidates, order->candidate_count, 1, &order->candidate_room))
		return ST_MEMORY;
	order->candidates[order->candidate_count++] = candidate;
	return ST_OK;
}

static enum status check_stretch(const struct world *world, struct world_order *order,
        const struct stretch *stretch, int k, const struct record *record, const struct moment *moment)
{
	const struct operand *operand = &record->operand[k];

	if (!stretch->written && reads(operand))
		order->unread_operands |= 1u << k;
	for (uint32_t i = stretch->marks; i; i = order->marks[i].next) {
		const struct mark *mark = &order->marks[i];
		if ((!mark->write && !writes(operand)) || before_moment(&world->ops[mark->op], moment))
			continue;
		if (!operands_overlap(&op_record(world, mark->op)->operand[mark->operand], operand))
			continue;
		if (add_candidate(world, order, mark, k, record, moment))
			return ST_MEMORY;
	}
	return ST_OK;
}

static enum status prepare_operand(const struct world *world, struct world_order *order, int k,
        const struct record *record, const struct moment *moment)
{
	const struct operand *operand = &record->operand[k];
	struct history *history = &order->rank[moment->rank].history[operand->space];
	int64_t end = operand->address + layout_span(&operand->layout);
	enum status status = ST_OK;
	size_t at = stretch_at(history, operand->address), i = at;

	for (; i < history->count && history->stretch[i].from < end && !status; i++)
		status = check_stretch(world, order, &history->stretch[i], k, record, moment);
	return status;
}

/* Cuts for all operands first: a later cut must not find an earlier one's stretches counted. */
static enum status cut_operands(struct world_order *order, const struct record *record, int rank)
{
	enum status status = ST_OK;
	size_t marks = 0;

	for (int k = 0; k < record->operands && !status; k++) {
		const struct operand *operand = &record->operand[k];
		struct history *history = &order->rank[rank].history[operand->space];
		status = cut(order, history, operand->address);
		if (!status)
			status = cut(order, history, operand->address + layout_span(&operand->layout));
	}
	for (int k = 0; k < record->operands; k++) {
		const struct operand *operand = &record->operand[k];
		const struct history *history = &order->rank[rank].history[operand->space];
		int64_t end = operand->address + layout_span(&operand->layout);
		marks += stretch_at(history, end) - stretch_at(history, operand->address) + 1;
	}
	return status ? status : marks_reserve(order, marks);
}

enum status history_prepare(const struct world *world, struct world_order *order, const struct record *record,
        const struct moment *moment)
{
	order->candidate_count = 0;
	order->unread_operands = 0;
	if (record->operands == 0)
		return ST_OK;
	enum status status = cut_operands(order, record, moment->rank);
	for (int k = 0; k < record->operands && !status; k++)
		status = prepare_operand(world, order, k, record, moment);
	struct world *sink = order->sink;
	if (!status && sink && order->unread_operands)
		status = RESERVE(&sink->unread, sink->unread_count, record->operands, &sink->unread_room);
	return status;
}

/* ---- the operation is in the books: its own marks */

static bool same_place(const struct operand *a, const struct operand *b)
{
	if (a->address != b->address || a->layout.dtype != b->layout.dtype ||
	        a->layout.dims != b->layout.dims)
		return false;
	for (int i = 0; i < a->layout.dims; i++) {
		if (a->layout.dim[i] != b->layout.dim[i] || a->layout.stride[i] != b->layout.stride[i])
			return false;
	}
	return true;
}

/* Whatever conflicts with the mark later on conflicts with the new access too, or cannot come. */
static bool superseded(const struct world *world, const struct mark *mark, const struct moment *host,
        const struct op *op, const struct operand *operand, bool dense)
{
	const struct op *old = &world->ops[mark->op];

	if (before_moment(old, host) || (dense && writes(operand)))
		return true;
	if (old->stream != op->stream || (mark->write && !writes(operand)))
		return false;
	return dense || same_place(&op_record(world, mark->op)->operand[mark->operand], operand);
}

static void prune(const struct world *world, struct world_order *order, struct stretch *stretch,
        const struct moment *host, const struct op *op, const struct operand *operand, bool dense)
{
	uint32_t *link = &stretch->marks;

	while (*link) {
		uint32_t index = *link;
		if (!superseded(world, &order->marks[index], host, op, operand, dense)) {
			link = &order->marks[index].next;
			continue;
		}
		*link = order->marks[index].next;
		order->marks[index].next = order->free_mark;
		order->free_mark = index;
	}
}

/* One stretch is enough for what was written at once. */
static void join_stretches(struct world_order *order, struct history *history, size_t from, size_t to)
{
	if (to - from < 2)
		return;
	for (size_t i = from + 1; i < to; i++)
		drop_marks(order, &history->stretch[i]);
	history->stretch[from].to = history->stretch[to - 1].to;
	memmove(&history->stretch[from + 1], &history->stretch[to],
	        (history->count - to) * sizeof *history->stretch);
	history->count -= to - from - 1;
}

static void commit_operand(
        const struct world *world, struct world_order *order, const struct record *record, int k, op_id id)
{
	const struct operand *operand = &record->operand[k];
	const struct op *op = &world->ops[id];
	struct history *history = &order->rank[op->rank].history[operand->space];
	int64_t end = operand->address + layout_span(&operand->layout);
	bool dense = layout_dense(&operand->layout), host_lane = op->stream == STREAM_HOST;
	struct moment known = moment_at(order, op->rank, STREAM_HOST, op->number);
	size_t from = stretch_at(history, operand->address), to = from;

	for (; to < history->count && history->stretch[to].from < end; to++) {
		struct stretch *stretch = &history->stretch[to];
		prune(world, order, stretch, &known, op, operand, dense);
		stretch->written |= writes(operand) || (order->unread_operands >> k & 1); /* told once */
		if (!host_lane)
			stretch->marks = mark_new(order,
			        (struct mark){.op = id,
			                .next = stretch->marks,
			                .operand = (uint8_t)k,
			                .write = writes(operand)});
	}
	if (dense && writes(operand))
		join_stretches(order, history, from, to);
}

void history_commit(
        const struct world *world, struct world_order *order, const struct record *record, op_id id)
{
	struct world *sink = order->sink;

	for (int k = 0; k < record->operands; k++) {
		if (sink && order->unread_operands >> k & 1)
			sink->unread[sink->unread_count++] =
			        (struct unread){.op = id, .name = record->operand[k].name};
	}
	for (int pass = 0; pass < 2; pass++) { /* reads first: what is read and written counts as written */
		for (int k = 0; k < record->operands; k++) {
			if (writes(&record->operand[k]) == (pass == 1))
				commit_operand(world, order, record, k, id);
		}
	}
}

/* ---- a block is handed out */

enum status history_fresh_reserve(struct world_order *order, int rank, enum space space)
{
	struct history *history = &order->rank[rank].history[space];
	size_t most = 0;

	for (size_t i = 0; i < history->count; i++) {
		size_t marks = marks_of(order, &history->stretch[i]);
		most = marks > most ? marks : most;
	}
	if (marks_reserve(order, 2 * most))
		return ST_MEMORY;
	return RESERVE(&history->stretch, history->count, history->count + 3, &history->room);
}

/* Marks stay: what used the memory before may still run. */
void history_fresh(const struct world *world, struct world_order *order, const struct fresh *fresh)
{
	struct history *history = &order->rank[fresh->rank].history[fresh->space];
	int64_t at = fresh->address, end = at + fresh->bytes;

	(void)world;
	if (cut(order, history, at) || cut(order, history, end))
		return; /* cannot be: history_fresh_reserve */
	for (size_t i = stretch_at(history, at); at < end; i++) {
		if (i == history->count || history->stretch[i].from > at) {
			int64_t to = i < history->count && history->stretch[i].from < end
			        ? history->stretch[i].from
			        : end;
			insert(history, i, (struct stretch){.from = at, .to = to});
		}
		history->stretch[i].written = false;
		at = history->stretch[i].to;
	}
}
