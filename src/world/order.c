/* order.c -- vector clocks of each rank's lanes: how they are kept, and an operation's passage through
 * them */
#include "world/order.h"

struct world_order *order_new(int n)
{
	struct world_order *order = mem_alloc(sizeof *order);

	if (!order)
		return NULL;
	order->n = n;
	order->rank = mem_alloc((size_t)n * sizeof *order->rank);
	if (!order->rank) {
		order_free(order);
		return NULL;
	}
	return order;
}

enum status order_create(struct world *world)
{
	world->order = order_new(world->n);
	if (!world->order)
		return ST_MEMORY;
	world->order->sink = world;
	return ST_OK;
}

static void free_rank(struct rank_order *rank)
{
	for (size_t i = 0; i < rank->lanes; i++) {
		mem_free(rank->lane[i].versions);
		mem_free(rank->lane[i].meets);
	}
	mem_free(rank->lane);
	for (int space = 0; space < SPACE_COUNT; space++)
		mem_free(rank->history[space].stretch);
}

void order_free(struct world_order *order)
{
	if (!order)
		return;
	for (int r = 0; order->rank && r < order->n; r++)
		free_rank(&order->rank[r]);
	mem_free(order->rank);
	mem_free(order->clocks);
	mem_free(order->marks);
	mem_free(order->undecided);
	mem_free(order->notes);
	mem_free(order->draft_clock);
	mem_free(order->candidates);
	mem_free(order->frontier);
	mem_free(order->high);
	mem_free(order->stack);
	mem_free(order->stacked);
	mem_free(order->visits);
	mem_free(order);
}

enum status lanes_reserve(struct world_order *order, int rank, size_t lanes)
{
	struct rank_order *own = &order->rank[rank];

	if (lanes <= own->lanes)
		return ST_OK;
	if (RESERVE(&own->lane, own->lanes, lanes - own->lanes, &own->room) ||
	        RESERVE(&order->draft_clock, 0, lanes, &order->draft_room))
		return ST_MEMORY;
	memset(&own->lane[own->lanes], 0, (lanes - own->lanes) * sizeof *own->lane);
	own->lanes = lanes;
	return ST_OK;
}

enum status order_stream_reserve(struct world *world, int rank, int lanes)
{
	return world->order ? lanes_reserve(world->order, rank, (size_t)lanes) : ST_OK;
}

/* ---- reading clocks */

static const struct version *version_at(const struct lane_order *lane, uint32_t number)
{
	size_t low = 0, high = lane->version_count;

	if (high && lane->versions[high - 1].number <= number)
		return &lane->versions[high - 1];
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (lane->versions[middle].number <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &lane->versions[low - 1] : NULL;
}

struct moment moment_at(const struct world_order *order, int rank, int lane, uint32_t number)
{
	const struct version *version = version_at(&order->rank[rank].lane[lane], number);
	return (struct moment){.rank = rank,
	        .lane = lane,
	        .number = number,
	        .clock = version ? &order->clocks[version->clock] : NULL,
	        .lanes = version ? version->lanes : 0};
}

struct moment moment_of(const struct world *world, const struct world_order *order, op_id id)
{
	const struct op *op = &world->ops[id];
	return moment_at(order, op->rank, op->stream, op->number);
}

/* ---- computing an operation's clock in draft_clock */

static void learn(struct world_order *order, int lane, uint32_t number)
{
	if (lane != STREAM_HOST && order->draft_clock[lane] < number) {
		order->draft_clock[lane] = number;
		order->draft_changed = true;
	}
}

/* All that is before the operation of that lane and number, and that operation too. */
static void learn_moment(struct world_order *order, int rank, int lane, uint32_t number)
{
	struct moment moment = moment_at(order, rank, lane, number);

	for (int k = 0; k < moment.lanes; k++)
		learn(order, k, moment.clock[k]);
	learn(order, lane, number);
}

static void learn_target(
        const struct world *world, struct world_order *order, int rank, op_id target, uint32_t number)
{
	if (target == OP_EVERYTHING) {
		for (int k = 0; k < order->draft_lanes; k++)
			learn(order, k, number);
	} else if (target) {
		learn_moment(order, rank, world->ops[target].stream, world->ops[target].number);
	}
}

/* The legacy default stream waits for the blocking streams, and they for it (rule 7). before: the operation's
 * number. */
static void learn_default(
        const struct world *world, struct world_order *order, int rank, int stream, uint32_t before)
{
	const struct rank_lanes *lanes = &world->lanes->rank[rank];

	if (stream == STREAM_HOST || !world->streams[lanes->lane[stream].stream].blocking)
		return;
	for (size_t k = STREAM_DEFAULT; k < lanes->count; k++) {
		bool held = stream == STREAM_DEFAULT ? k != STREAM_DEFAULT : k == STREAM_DEFAULT;
		if (held && world->streams[lanes->lane[k].stream].blocking)
			learn_moment(order, rank, (int)k, before - 1);
	}
}

static void learn_host(struct world_order *order, int rank, int stream)
{
	const struct lane_order *host = &order->rank[rank].lane[STREAM_HOST];

	if (stream == STREAM_HOST || host->version_count == order->rank[rank].lane[stream].host_versions)
		return;
	const struct version *version = &host->versions[host->version_count - 1];
	for (int k = 0; k < version->lanes; k++)
		learn(order, k, order->clocks[version->clock + (uint32_t)k]);
}

static enum status clock_reserve(struct world_order *order, int rank, int stream, size_t count)
{
	struct lane_order *lane = &order->rank[rank].lane[stream];

	if (RESERVE(&lane->versions, lane->version_count, count, &lane->version_room))
		return ST_MEMORY;
	return RESERVE(
	        &order->clocks, order->clock_count, count * order->rank[rank].lanes, &order->clock_room);
}

static void draft_begin(struct world_order *order, int rank, int stream)
{
	struct moment now = moment_at(order, rank, stream, UINT32_MAX);

	order->draft_lanes = (int)order->rank[rank].lanes;
	order->draft_changed = false;
	memset(order->draft_clock, 0, order->rank[rank].lanes * sizeof *order->draft_clock);
	for (int k = 0; k < now.lanes; k++)
		order->draft_clock[k] = now.clock[k];
}

static enum status meets_list_reserve(
        const struct world *world, struct world_order *order, const struct draft *draft)
{
	struct lane_order *lane = &order->rank[draft->rank].lane[draft->stream];
	size_t notes = order->note_room, more = draft->record->kind == OP_P2P ? draft->record->parts : 1;

	if (draft->record->kind != OP_COLLECTIVE && draft->record->kind != OP_P2P)
		return ST_OK;
	if (RESERVE(&lane->meets, lane->meet_count, 1, &lane->meet_room) ||
	        RESERVE(&order->notes, world->meet_count + 1, more, &order->note_room))
		return ST_MEMORY;
	if (order->note_room > notes)
		memset(&order->notes[notes], 0, (order->note_room - notes) * sizeof *order->notes);
	return RESERVE(&order->visits, 0, order->note_room, &order->visit_room);
}

enum status clock_prepare(const struct world *world, struct world_order *order, const struct draft *draft)
{
	uint8_t kind = draft->record->kind;
	uint32_t number = rank_number(world, draft->rank) + 1;

	if (clock_reserve(order, draft->rank, draft->stream, 1) || meets_list_reserve(world, order, draft))
		return ST_MEMORY;
	if (draft->number)
		number = draft->number;
	draft_begin(order, draft->rank, draft->stream);
	learn_host(order, draft->rank, draft->stream);
	learn_default(world, order, draft->rank, draft->stream, number);
	for (int i = 0; i < draft->waits; i++)
		learn_target(world, order, draft->rank, world->memory->waits[i], number);
	if (kind == OP_WAIT || kind == OP_SYNC || kind == OP_SEGMENT)
		learn_target(world, order, draft->rank, draft->target, number);
	return ST_OK;
}

void clock_commit(const struct world *world, struct world_order *order, op_id id, uint32_t first_number)
{
	const struct op *op = &world->ops[id];
	struct rank_order *rank = &order->rank[op->rank];
	struct lane_order *lane = &rank->lane[op->stream];

	lane->host_versions = (uint32_t)rank->lane[STREAM_HOST].version_count;
	if (order->draft_changed) {
		lane->versions[lane->version_count++] = (struct version){.number = first_number,
		        .clock = (uint32_t)order->clock_count,
		        .lanes = (uint16_t)order->draft_lanes};
		memcpy(&order->clocks[order->clock_count], order->draft_clock,
		        (size_t)order->draft_lanes * sizeof *order->clocks);
		order->clock_count += (size_t)order->draft_lanes;
	}
	if (op_record(world, id)->kind == OP_COLLECTIVE || op_record(world, id)->kind == OP_P2P)
		lane->meets[lane->meet_count++] = id;
}

/* ---- an operation's passage */

enum status order_plain_reserve(struct world *world, int rank, int count)
{
	return world->order ? clock_reserve(world->order, rank, STREAM_HOST, (size_t)count) : ST_OK;
}

void order_plain(struct world *world, op_id id)
{
	struct world_order *order = world->order;
	const struct op *op = &world->ops[id];

	if (!order)
		return;
	draft_begin(order, op->rank, STREAM_HOST);
	learn_target(world, order, op->rank, op->target, op->number);
	clock_commit(world, order, id, op->number);
}

enum status order_prepare(struct world *world, const struct draft *draft)
{
	struct world_order *order = world->order;
	enum status status = clock_prepare(world, order, draft);
	struct moment moment = {.rank = draft->rank,
	        .lane = draft->stream,
	        .number = rank_number(world, draft->rank) + 1,
	        .clock = order->draft_clock,
	        .lanes = order->draft_lanes};

	if (!status)
		status = order_scratch(world, order);
	if (!status)
		status = history_prepare(world, order, draft->record, &moment);
	return status ? status : races_reserve(order, order->candidate_count);
}

void order_commit(struct world *world, const struct draft *draft, op_id id)
{
	struct world_order *order = world->order;
	int meets;

	if (!order)
		return;
	clock_commit(world, order, id, world->ops[id].number - (uint32_t)draft->waits);
	const uint32_t *meet = meets_of(world, id, &meets);
	for (int i = 0; i < meets; i++) {
		if (meet_complete(&world->meets[meet[i]]))
			races_met(world, order, meet[i]);
	}
	for (size_t i = 0; i < order->candidate_count; i++)
		races_decide(world, order, &order->candidates[i], id);
	history_commit(world, order, draft->record, id);
}

enum status order_fresh_reserve(struct world *world, int rank, enum space space)
{
	struct world_memory *memory = world->memory;

	if (RESERVE(&memory->fresh, memory->fresh_count, 1, &memory->fresh_room))
		return ST_MEMORY;
	return world->order ? history_fresh_reserve(world->order, rank, space) : ST_OK;
}

void order_fresh(struct world *world, int rank, enum space space, int64_t address, int64_t bytes)
{
	struct world_memory *memory = world->memory;
	struct fresh fresh = {.address = address,
	        .bytes = bytes,
	        .after = (op_id)world->op_count,
	        .rank = (uint16_t)rank,
	        .space = (uint8_t)space};

	memory->fresh[memory->fresh_count++] = fresh;
	if (world->order)
		history_fresh(world, world->order, &fresh);
}
