/* order.c -- vector clocks of each rank's streams: storage, and the effect of an operation */
#include "races/order.h"
#include "base/search.h"

/* ---- reading clocks */

struct vector_clock clock_at(const struct happens_before *order, int rank, int lane, uint32_t number)
{
	const struct lane_order *own = &order->rank[rank].lane[lane];
	struct vector_clock clock = {.rank = rank, .lane = lane, .number = number};
	size_t i; /* one past the version at that number */

	SEARCH(i, own->version_count, own->versions[i].number > number);
	if (i) {
		clock.entry = &order->clocks[own->versions[i - 1].clock];
		clock.lanes = own->versions[i - 1].lanes;
	}
	return clock;
}

struct vector_clock clock_of(const struct happens_before *order, op_id id)
{
	const struct op *op = &order->world->ops[id];
	return clock_at(order, op->rank, order->op_lane[id], op->number);
}

/* ---- computing an operation's clock, in next_clock
 *
 * It starts as the clock of its stream's previous operation; each dependency raises entries. */

static void clock_learn(struct happens_before *order, int lane, uint32_t number)
{
	if (lane != STREAM_HOST && order->next_clock[lane] < number) {
		order->next_clock[lane] = number;
		order->next_changed = true;
	}
}

static void learn_past(struct happens_before *order, int rank, int lane, uint32_t number)
{
	struct vector_clock clock = clock_at(order, rank, lane, number);

	for (int k = 0; k < clock.lanes; k++)
		clock_learn(order, k, clock.entry[k]);
	clock_learn(order, lane, number);
}

/* Returns true if the operation waits for the target itself, even on a forked stream of a graph:
 * both are in one launch, or the operation waits for an event recorded there. Otherwise it waits
 * for the stream's own work up to the target. */
static bool waits_for_branch(const struct world *world, op_id id)
{
	const struct op *op = &world->ops[id], *target = &world->ops[op->target];
	const struct launch *launch = world_launch(world, id);
	return (launch && op->target >= launch->first && op->target <= launch->last) ||
	        (op_record(world, op->target)->kind == OP_RECORD &&
	                op_record(world, id)->object !=
	                        world_stream(world, target->rank, target->stream)->name);
}

/* When a stream or the host waits (OP_WAIT, OP_SYNC, OP_SEGMENT), it takes the maximum of both
 * clocks (Mattern, 1989). Stream 3 waits for stream 2's record #7:
 *
 *      stream 3 before     [ 3  9 ]        done: stream 2 up to #3, stream 3 up to #9
 *      record #7 knew      [ .  8 ]        and is itself #7
 *      stream 3 after      [ 7  9 ]        a new version */
static void learn_target(struct happens_before *order, op_id id)
{
	const struct op *op = &order->world->ops[id];

	if (op->target == OP_EVERYTHING) {
		for (int k = 0; k < order->next_lanes; k++)
			clock_learn(order, k, op->number);
	} else if (op->target) {
		const struct op *target = &order->world->ops[op->target];
		int lane = waits_for_branch(order->world, id)
		        ? order->op_lane[op->target]
		        : order->rank[op->rank].stream_lane[target->stream];
		learn_past(order, op->rank, lane, target->number);
	}
}

/* The legacy default stream waits for blocking streams, and they for it (rule 7). */
static void learn_default(struct happens_before *order, const struct op *op, int lane)
{
	const struct world *world = order->world;
	const struct rank_order *own = &order->rank[op->rank];

	if (lane == STREAM_HOST || lane != own->stream_lane[op->stream] ||
	        !world_stream(world, op->rank, op->stream)->blocking)
		return;
	for (int k = STREAM_DEFAULT; k < (int)own->streams; k++) {
		bool held = op->stream == STREAM_DEFAULT ? k != STREAM_DEFAULT : k == STREAM_DEFAULT;
		if (held && world_stream(world, op->rank, k)->blocking)
			learn_past(order, op->rank, own->stream_lane[k], op->number - 1);
	}
}

/* Learns the host's latest version when it queued the operation, each version once for each
 * stream. */
static void learn_host(struct happens_before *order, const struct op *op, struct lane_order *lane)
{
	const struct lane_order *host = &order->rank[op->rank].lane[STREAM_HOST];

	if (op->stream == STREAM_HOST || host->version_count == lane->host_versions)
		return;
	const struct clock_version *version = &host->versions[host->version_count - 1];
	for (int k = 0; k < version->lanes; k++)
		clock_learn(order, k, order->clocks[version->clock + k]);
	lane->host_versions = host->version_count;
}

static void op_pass(struct happens_before *order, op_id id)
{
	const struct op *op = &order->world->ops[id];
	uint8_t kind = op_record(order->world, id)->kind;
	int number = order->op_lane[id];
	struct lane_order *lane = &order->rank[op->rank].lane[number];

	struct vector_clock now = clock_at(order, op->rank, number, UINT32_MAX);
	order->next_lanes = order->rank[op->rank].lanes;
	order->next_changed = false;
	memset(order->next_clock, 0, order->next_lanes * sizeof *order->next_clock);
	if (now.lanes)
		memcpy(order->next_clock, now.entry, now.lanes * sizeof *now.entry);
	learn_host(order, op, lane);
	learn_default(order, op, number);
	if (kind == OP_WAIT || kind == OP_SYNC || kind == OP_SEGMENT)
		learn_target(order, id);
	if (order->next_changed) {
		size_t lanes = order->next_lanes;
		MEM_ROOM(&order->clocks, order->clock_count + lanes, &order->clock_room);
		*MEM_ADD(&lane->versions, &lane->version_count) = (struct clock_version){
		        .number = op->number, .clock = order->clock_count, .lanes = lanes};
		memcpy(&order->clocks[order->clock_count], order->next_clock, lanes * sizeof *order->clocks);
		order->clock_count += lanes;
	}
	if (kind == OP_COLLECTIVE || kind == OP_P2P)
		*MEM_ADD(&lane->matches, &lane->match_count) = id;
}

/* ---- room */

static int lane_new(struct happens_before *order, struct rank_order *own)
{
	*MEM_ADD(&own->lane, &own->lanes) = (struct lane_order){0};
	MEM_ROOM(&order->next_clock, own->lanes, &order->next_room);
	order->stride = own->lanes > order->stride ? own->lanes : order->stride;
	return (int)own->lanes - 1;
}

/* Returns the lane of a graph's work on a forked stream; makes it if needed. A shared lane may
 * hide races. From AGAIN_MOST lanes on, captures of one name share a lane; after BRANCHES_MOST all
 * others share one. */
static int branch_lane(struct happens_before *order, int rank, const struct launch *launch, int stream)
{
	enum { BRANCHES_MOST = STREAMS_MAX, AGAIN_MOST = 32 };
	struct rank_order *own = &order->rank[rank];
	const struct branch *same = NULL;

	for (size_t i = 0; i < own->branches; i++) {
		const struct branch *branch = &own->branch[i];
		if (branch->stream != stream || branch->name != launch->name)
			continue;
		if (branch->graph == launch->graph)
			return branch->lane;
		same = branch;
	}
	if (same && own->branches >= AGAIN_MOST)
		return same->lane;
	if (own->branches == BRANCHES_MOST)
		return own->branch[BRANCHES_MOST - 1].lane;
	int lane = lane_new(order, own);
	*MEM_ADD(&own->branch, &own->branches) = (struct branch){launch->graph, launch->name, stream, lane};
	return lane;
}

void clocks_update(struct happens_before *order)
{
	const struct world *world = order->world;

	for (int r = 0; r < world->n; r++) {
		struct rank_order *own = &order->rank[r];
		while (world_stream(world, r, own->streams)) {
			int lane = lane_new(order, own);
			*MEM_ADD(&own->stream_lane, &own->streams) = (uint16_t)lane;
		}
	}
	for (size_t i = 0; i < world->group_count && !order->expires; i++)
		order->expires = world->groups[i].timeout > 0;
	MEM_ROOM(&order->op_lane, world->op_count + 1, &order->op_room);
	for (op_id id = order->done + 1; id <= world->op_count; id++) {
		const struct op *op = &world->ops[id];
		const struct launch *launch = world_launch(world, id);
		order->op_lane[id] = launch && launch->stream != op->stream
		        ? (uint16_t)branch_lane(order, op->rank, launch, op->stream)
		        : order->rank[op->rank].stream_lane[op->stream];
	}
	size_t cells = world->n * order->stride, notes = world->match_count + 1;
	MEM_ROOM(&order->cells, cells, &order->cell_room);
	MEM_ROOM(&order->notes, notes, &order->note_room);
	MEM_ROOM(&order->runnable.colour, notes, &order->colour_room);
	for (; order->note_count < notes; order->note_count++) {
		order->notes[order->note_count] = (struct match_note){0};
		order->runnable.colour[order->note_count] = WAIT_UNSEEN;
	}
	for (op_id id = order->done + 1; id <= world->op_count; id++)
		op_pass(order, id);
}
