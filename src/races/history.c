/* history.c -- the accesses to each interval of memory that a later one could conflict with
 *
 *     address   0        64       128      192
 *     x         |--------- x --------------|
 *     history   | A w             | A w    |      A wrote all of x, B read up to 128
 *               | B r             |        |
 *
 * An operation's operands first cut the intervals at their ends, so each interval lies wholly
 * inside or outside an operand. An access is dropped when later ones have all its conflicts: the
 * host knows that it is done, a later operation writes all of its bytes, or its stream uses the
 * same bytes again. So an interval holds about one access for each stream. */
#include "races/order.h"
#include "base/search.h"

/* ---- do two strided tensors share a byte? Columns of one matrix interleave without sharing
 * one. */

enum { RUNS_MAX = 1 << 16 }; /* with more runs, layouts overlap if their spans do */

/* A layout as runs of contiguous bytes, in order of address:
 *
 *      x [4,8] f32, columns 0-1     stride 8, 1: dim 4, step 32 bytes; run 8 bytes
 *      runs                         |##      |##      |##      |##      |
 *      columns 2-3                  |  ##    |  ##    |  ##    |  ##    |   no byte shared
 *
 * Two layouts are merged like sorted lists: the run that begins earlier advances. */
struct runs {
	int dims;
	int64_t dim[DIMS_MAX], step[DIMS_MAX];
	int64_t at[DIMS_MAX];
	int64_t address, run;
	bool end;
};

/* Sorts dimensions by falling step, and joins inner ones into the run. */
static void runs_begin(struct runs *runs, const struct operand *operand)
{
	const struct layout *layout = &operand->layout;
	int64_t element = dtype_bytes(layout->dtype);

	*runs = (struct runs){.address = operand->address, .run = element};
	for (int i = 0; i < layout->dims; i++) {
		int64_t step = layout->stride[i] * element;
		if (layout->dim[i] < 2 || step == 0)
			continue;
		int k = runs->dims++;
		for (; k > 0 && runs->step[k - 1] < step; k--) {
			runs->step[k] = runs->step[k - 1];
			runs->dim[k] = runs->dim[k - 1];
		}
		runs->step[k] = step;
		runs->dim[k] = layout->dim[i];
	}
	while (runs->dims > 0 && runs->step[runs->dims - 1] <= runs->run) {
		runs->dims--;
		runs->run += (runs->dim[runs->dims] - 1) * runs->step[runs->dims];
	}
}

static void runs_next(struct runs *runs)
{
	for (int k = runs->dims - 1; k >= 0; k--) {
		runs->address += runs->step[k];
		if (++runs->at[k] < runs->dim[k])
			return;
		runs->address -= runs->step[k] * runs->dim[k];
		runs->at[k] = 0;
	}
	runs->end = true;
}

/* Returns true if its bytes have no holes. */
static bool layout_dense(const struct layout *layout)
{
	struct operand operand = {.layout = *layout};
	struct runs runs;

	runs_begin(&runs, &operand);
	return runs.dims == 0;
}

static bool operands_overlap(const struct operand *a, const struct operand *b)
{
	struct runs x, y;

	if (!spans_overlap(a, b))
		return false;
	runs_begin(&x, a);
	runs_begin(&y, b);
	for (int i = 0; i < RUNS_MAX; i++) {
		if (x.end || y.end)
			return false;
		if (x.address < y.address + y.run && y.address < x.address + x.run)
			return true;
		if (x.address < y.address)
			runs_next(&x);
		else
			runs_next(&y);
	}
	return true;
}

static bool writes(const struct operand *operand)
{
	return operand->access & ACCESS_WRITE;
}

static struct history *history_of(struct happens_before *order, int rank, const struct operand *operand)
{
	return &order->rank[rank].history[operand->space];
}

static int64_t end_of(const struct operand *operand)
{
	return operand->address + layout_span(&operand->layout);
}

/* ---- intervals and their lists of accesses */

static size_t interval_at(const struct history *history, int64_t address)
{
	size_t i;
	SEARCH(i, history->count, history->interval[i].to > address);
	return i;
}

static uint32_t access_new(struct happens_before *order, struct past_access access, uint32_t next)
{
	uint32_t index = order->free_access;

	if (index) {
		order->free_access = order->accesses[index].next;
	} else {
		MEM_ROOM(&order->accesses, order->access_count + 2, &order->access_room);
		index = ++order->access_count;
	}
	access.next = next;
	order->accesses[index] = access;
	return index;
}

static void access_drop(struct happens_before *order, uint32_t *link)
{
	uint32_t index = *link;

	*link = order->accesses[index].next;
	order->accesses[index].next = order->free_access;
	order->free_access = index;
}

static void interval_cut(struct happens_before *order, struct history *history, int64_t address)
{
	size_t at = interval_at(history, address);

	if (at == history->count || history->interval[at].from >= address)
		return;
	struct memory_interval behind = history->interval[at];
	behind.from = address;
	behind.accesses = 0;
	for (uint32_t i = history->interval[at].accesses; i; i = order->accesses[i].next)
		behind.accesses = access_new(order, order->accesses[i], behind.accesses);
	history->interval[at].to = address;
	*MEM_INSERT(&history->interval, &history->count, at + 1) = behind;
}

/* ---- what does an operation conflict with? */

/* Ignores a conflict that another interval has too, and one that is reported already, unless this
 * one is sooner. */
static void add_conflict(struct happens_before *order, const struct race *found)
{
	for (size_t i = 0; i < order->conflict_count; i++) {
		const struct race *other = &order->conflicts[i];
		if (other->earlier == found->earlier && other->earlier_name == found->earlier_name &&
		        other->later_name == found->later_name)
			return;
	}
	const struct race *known = race_known(order, found);
	if (known && !race_sooner(found, known))
		return;
	*MEM_ADD(&order->conflicts, &order->conflict_count) = *found;
}

/* Returns true if the operation also writes all operand k's bytes by another operand: the read's
 * races are then the write's. */
static bool is_rewritten(const struct record *record, int k)
{
	const struct operand *read = &record->operand[k];

	for (int i = 0; i < record->operands && !writes(read); i++) {
		const struct operand *operand = &record->operand[i];
		if (writes(operand) && operand->space == read->space && layout_dense(&operand->layout) &&
		        operand->address <= read->address && end_of(operand) >= end_of(read))
			return true;
	}
	return false;
}

static void check_interval(struct happens_before *order, const struct memory_interval *interval, int k,
        op_id id, const struct vector_clock *clock)
{
	const struct world *world = order->world;
	const struct operand *operand = &op_record(world, id)->operand[k];

	if (!interval->written && operand->access & (ACCESS_READ | ACCESS_ADD))
		order->unread_operands |= 1u << k;
	if (is_rewritten(op_record(world, id), k))
		return;
	for (uint32_t i = interval->accesses; i; i = order->accesses[i].next) {
		const struct past_access *access = &order->accesses[i];
		const struct operand *first = &op_record(world, access->op)->operand[access->operand];
		if ((!access->write && !writes(operand)) || before_clock(order, access->op, clock) ||
		        !operands_overlap(first, operand))
			continue;
		add_conflict(order,
		        &(struct race){.earlier = access->op,
		                .later = id,
		                .space = operand->space,
		                .earlier_name = first->name,
		                .later_name = operand->name,
		                .address = first->address > operand->address ? first->address
		                                                             : operand->address});
	}
}

void history_conflicts(struct happens_before *order, op_id id)
{
	const struct op *op = &order->world->ops[id];
	const struct record *record = op_record(order->world, id);
	struct vector_clock clock = clock_of(order, id);

	order->conflict_count = 0;
	order->unread_operands = 0;
	for (int k = 0; k < record->operands; k++) {
		struct history *history = history_of(order, op->rank, &record->operand[k]);
		interval_cut(order, history, record->operand[k].address);
		interval_cut(order, history, end_of(&record->operand[k]));
	}
	for (int k = 0; k < record->operands; k++) {
		const struct operand *operand = &record->operand[k];
		const struct history *history = history_of(order, op->rank, operand);
		int64_t end = end_of(operand);
		size_t i = interval_at(history, operand->address);
		for (; i < history->count && history->interval[i].from < end; i++)
			check_interval(order, &history->interval[i], k, id, &clock);
	}
}

/* ---- the operation's own accesses */

/* Returns true if the new access replaces the old one: it has the same later conflicts. On the
 * same bytes:
 *
 *      old                   new                 replaced?
 *      write on io           sync io             yes: the host knows its end
 *      read on io            write on compute    yes: a write conflicts with more
 *      read on io            read on io          yes: the stream's later one
 *      write on io           read on io          no: a later read conflicts with the write only
 *
 * host: the host's clock when it queues the new one. */
static bool access_superseded(const struct happens_before *order, const struct past_access *old,
        const struct vector_clock *host, op_id id, const struct operand *operand, bool dense)
{
	if (before_clock(order, old->op, host) || (dense && writes(operand)))
		return true;
	if (order->op_lane[old->op] != order->op_lane[id] || (old->write && !writes(operand)))
		return false;
	const struct operand *before = &op_record(order->world, old->op)->operand[old->operand];
	return dense ||
	        (before->address == operand->address && layout_equal(&before->layout, &operand->layout));
}

static void join_intervals(struct happens_before *order, struct history *history, size_t from, size_t to)
{
	if (to - from < 2)
		return;
	for (size_t i = from + 1; i < to; i++)
		while (history->interval[i].accesses)
			access_drop(order, &history->interval[i].accesses);
	history->interval[from].to = history->interval[to - 1].to;
	memmove(&history->interval[from + 1], &history->interval[to],
	        (history->count - to) * sizeof *history->interval);
	history->count -= to - from - 1;
}

static void add_operand(struct happens_before *order, const struct record *record, int k, op_id id)
{
	const struct world *world = order->world;
	const struct operand *operand = &record->operand[k];
	const struct op *op = &world->ops[id];
	struct history *history = history_of(order, op->rank, operand);
	int64_t end = end_of(operand);
	bool dense = layout_dense(&operand->layout);
	struct vector_clock host = clock_at(order, op->rank, STREAM_HOST, op->number);
	struct past_access access = {.op = id, .operand = k, .write = writes(operand)};
	size_t from = interval_at(history, operand->address), to = from;

	for (; to < history->count && history->interval[to].from < end; to++) {
		struct memory_interval *interval = &history->interval[to];
		for (uint32_t *link = &interval->accesses; *link;) {
			if (access_superseded(order, &order->accesses[*link], &host, id, operand, dense))
				access_drop(order, link);
			else
				link = &order->accesses[*link].next;
		}
		/* other ranks may write a window's memory; unread memory is reported once */
		interval->written |= access.write || record->window || (order->unread_operands >> k & 1);
		if (op->stream != STREAM_HOST)
			interval->accesses = access_new(order, access, interval->accesses);
	}
	if (dense && access.write)
		join_intervals(order, history, from, to);
}

void history_add(struct happens_before *order, op_id id)
{
	const struct record *record = op_record(order->world, id);
	struct races *races = order->races;

	for (int k = 0; k < record->operands; k++) {
		if (!(order->unread_operands >> k & 1))
			continue;
		*MEM_ADD(&races->unread, &races->unread_count) =
		        (struct unread){.op = id, .name = record->operand[k].name};
	}
	/* reads first: memory that is read and written counts as written */
	for (int write = 0; write < 2; write++)
		for (int k = 0; k < record->operands; k++)
			if (writes(&record->operand[k]) == write)
				add_operand(order, record, k, id);
}

/* ---- a block is handed out */

/* A new block's bytes are unwritten. Accesses stay, because earlier users may still run. */
void history_handout(struct happens_before *order, const struct handout *handout)
{
	struct history *history = &order->rank[handout->rank].history[handout->space];
	int64_t at = handout->address, end = at + handout->bytes;

	interval_cut(order, history, at);
	interval_cut(order, history, end);
	for (size_t i = interval_at(history, at); at < end; i++) {
		if (i == history->count || history->interval[i].from > at) {
			int64_t to = i < history->count && history->interval[i].from < end
			        ? history->interval[i].from
			        : end;
			*MEM_INSERT(&history->interval, &history->count, i) =
			        (struct memory_interval){.from = at, .to = to};
		}
		history->interval[i].written = false;
		at = history->interval[i].to;
	}
}
