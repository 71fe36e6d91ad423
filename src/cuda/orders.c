/* orders.c -- makes orders for the host thread from this rank's operations; copies all data
 *
 * The world numbers a part's collectives from 0, and again from 0 after each abort, but words that
 * streams wait for must only grow. So the sequence number is base + the world's number + 1, and an
 * abort raises the base to the largest number in use. Every process counts the operations of all
 * ranks. */
#include "cuda/control.h"
#include "backend/cost.h"
#include "base/memory.h"

#include <string.h>

static struct host_order *order_add(struct control *control, enum host_order_kind kind)
{
	MEM_ROOM(&control->orders.held, control->orders.held_count + 1, &control->orders.held_room);
	struct host_order *order = &control->orders.held[control->orders.held_count++];
	memset(order, 0, sizeof *order);
	order->kind = kind;
	return order;
}

/* more: it belongs to the previous order, an OP_SEGMENT or one of its segments */
static void add_segment(struct control *control, enum host_order_kind kind, enum space space, int64_t address,
        int64_t bytes, bool more)
{
	if (more)
		control->orders.held[control->orders.held_count - 1].more = true;
	struct host_order *order = order_add(control, kind);
	order->space = space;
	order->address = address;
	order->bytes = bytes;
}

/* Both lists are by address. Freed segments go first, to make room. */
static void compare_segments(struct control *control, enum space space, bool *more)
{
	const struct heap *heap = world_heap(control->world, control->world->me, space);
	size_t kept = 0, at = 0;
	for (size_t i = 0; i < control->known.segment_count[space]; i++) {
		int64_t address = control->known.segments[space][i];
		while (at < heap->segment_count && heap->segments[at].address < address)
			at++;
		if (at < heap->segment_count && heap->segments[at].address == address) {
			control->known.segments[space][kept++] = address;
			continue;
		}
		add_segment(control, ORDER_SEGMENT_GONE, space, address, 0, *more);
		*more = true;
	}
	control->known.segment_count[space] = kept;
	at = 0;
	for (size_t i = 0; i < heap->segment_count; i++) {
		const struct segment *segment = &heap->segments[i];
		while (at < kept && control->known.segments[space][at] < segment->address)
			at++;
		if (at < kept && control->known.segments[space][at] == segment->address)
			continue;
		*MEM_ADD(&control->known.segments[space], &control->known.segment_count[space]) =
		        segment->address;
		add_segment(control, ORDER_SEGMENT, space, segment->address, segment->bytes, *more);
		*more = true;
	}
	control->known.stretches[space] = heap->stretch_count;
}

static void order_segments(struct control *control, bool op)
{
	bool more = op;
	for (enum space space = 0; space < SPACE_COUNT; space++) {
		const struct heap *heap = world_heap(control->world, control->world->me, space);
		if (op || heap->stretch_count != control->known.stretches[space])
			compare_segments(control, space, &more);
		more &= op;
	}
}

int order_part_of(const struct world *world, int group, int rank)
{
	const struct group *of = &world->groups[group];
	return of->first + of->instance_of[rank];
}

static struct part_seqs *part_seqs_of(struct control *control, int part)
{
	while (control->known.part_count <= (size_t)part)
		*MEM_ADD(&control->known.parts, &control->known.part_count) = (struct part_seqs){0};
	return &control->known.parts[part];
}

/* own: receives the sequence numbers; or NULL */
static void count_seqs(struct control *control, op_id id, struct host_match *own)
{
	const struct world *world = control->world;
	const struct op *op = &world->ops[id];
	const struct record *record = op_record(world, id);
	struct part_seqs *seqs = part_seqs_of(control, order_part_of(world, record->group, op->rank));
	FOR_MATCHES (of, world, id) {
		uint32_t seq = seqs->base + of.match->sequence + 1;
		if (seq > seqs->most)
			seqs->most = seq;
		if (own && record->kind == OP_P2P)
			own->transfer_seq[of.part] = seq;
		else if (own)
			own->seq = seq;
	}
}

static uint32_t window_seq(struct control *control, op_id target)
{
	const struct world *world = control->world;
	const struct op *op = &world->ops[target];
	const struct match *match = &world->matches[op->match];
	return part_seqs_of(control, order_part_of(world, match->group, op->rank))->base + match->sequence +
	        1;
}

static struct host_match *host_match_new(const struct world *world, int group, int seqs)
{
	const struct group_instance *own = group_part(&world->groups[group], world->me);
	size_t head = sizeof(struct host_match) + (size_t)seqs * sizeof(uint32_t),
	       ranks_bytes = (size_t)own->n * sizeof *own->ranks;
	struct host_match *match = mem_alloc(head + ranks_bytes + (size_t)own->n * sizeof(bool));
	int *ranks = (int *)(void *)((char *)match + head);
	memcpy(ranks, own->ranks, (size_t)own->n * sizeof *ranks);
	*match = (struct host_match){.part = order_part_of(world, group, world->me),
	        .n = own->n,
	        .place = world->groups[group].place_of[world->me],
	        .ranks = ranks,
	        .counts = (bool *)(void *)((char *)match + head + ranks_bytes)};
	return match;
}

/* Marks the previous communication of the same `together` as followed by this one. */
static void join_together(struct control *control)
{
	for (size_t i = control->orders.held_count - 1; i-- > 0;) {
		struct host_order *order = &control->orders.held[i];
		if (order->kind != ORDER_OPERATION || !order->match)
			continue;
		order->more = true;
		return;
	}
}

/* Times are played for any machine but the real one, and under `slow`. */
static void set_times(
        struct control *control, struct host_order *order, op_id id, const struct record *record)
{
	const struct world *world = control->world;
	struct op_cost cost = backend_cost(control->shadow, id);
	bool played = !world->machine->here;
	bool slow = world_slow_at(world, id) && record->kind == OP_KERNEL;
	bool said = record_is_spin(record) || record->kind == OP_HOST ||
	        (record->kind == OP_COPY && record->parameter[COPY_RATE] > 0);
	if (played && !(order->flags & OPF_FREE_LAUNCH))
		order->launch_ns = cost.launch;
	if (played || slow || said)
		order->least_ns = cost.alone > 0 ? cost.alone : 0;
	order->foreseen_ns = cost.alone;
}

static void *put_array(char **to, const void *from, size_t bytes)
{
	void *at = *to;
	if (bytes)
		memcpy(at, from, bytes);
	*to += bytes;
	return at;
}

static void copy_record(struct host_order *order, const struct record *record)
{
	struct record *copy = &order->record;
	size_t rows = 2 * (size_t)record->split.n * sizeof *record->split.rows,
	       operands = record->operands * sizeof *record->operand,
	       parts = record->parts * sizeof *record->part;
	*copy = *record;
	char *at = order->arrays = mem_alloc(rows + operands + parts + 1);
	copy->split.rows = put_array(&at, record->split.rows, rows);
	copy->operand = put_array(&at, record->operand, operands);
	copy->part = put_array(&at, record->part, parts);
}

static void order_own(struct control *control, op_id id)
{
	const struct world *world = control->world;
	const struct op *op = &world->ops[id];
	const struct record *record = op_record(world, id);
	const struct stream *stream = world_stream(world, op->rank, op->stream);
	if (record->kind != OP_SEGMENT)
		order_segments(control, false);
	struct host_order *order = order_add(control, ORDER_OPERATION);
	order->id = id;
	order->target = op->target;
	order->flags = op->flags & (OPF_FREE_LAUNCH | OPF_TOGETHER);
	copy_record(order, record);
	order->stream = op->stream;
	order->blocking = stream->blocking;
	order->priority = stream->priority;
	set_times(control, order, id, record);
	if (record->group >= 0)
		order->match = host_match_new(world, record->group, record->parts);
	if (record->group >= 0 && record->kind != OP_ONE_SIDED)
		count_seqs(control, id, order->match);
	if (record->kind == OP_ONE_SIDED) {
		order->remote = record->operand[0];
		order->window = window_seq(control, op->target);
	}
	if (op->flags & OPF_TOGETHER)
		join_together(control);
	if (record->kind == OP_SEGMENT)
		order_segments(control, true);
}

/* Notes a one-sided operation that this rank's exchange has to serve once it is published. */
static void order_service(struct control *control, op_id id)
{
	const struct world *world = control->world;
	const struct op *op = &world->ops[id];
	const struct record *record = op_record(world, id);
	if (!control->exchange->serve || record->part[0].peer != world->me)
		return;
	*MEM_ADD(&control->orders.services, &control->orders.service_count) = (struct service_owed){.id = id,
	        .call = {.part = order_part_of(world, record->group, op->rank),
	                .peer = op->rank,
	                .what = (enum one_sided)record->part[0].direction,
	                .window = window_seq(control, op->target),
	                .offset = record->part[0].offset,
	                .layout = record->operand[0].layout,
	                .dtype = (enum dtype)record->operand[0].layout.dtype,
	                .factor = (float)record->parameter[0],
	                .stream = op->stream}};
}

void order_part(struct control *control, int group)
{
	order_add(control, ORDER_PART)->match = host_match_new(control->world, group, 0);
}

void order_operation(struct control *control, op_id id)
{
	const struct world *world = control->world;
	const struct record *record = op_record(world, id);
	MEM_ROOM(&control->orders.queued, control->orders.queued_count + 1, &control->orders.queued_room);
	control->orders.queued[control->orders.queued_count++] = id;
	/* the host opens this rank's parts of new groups */
	for (; control->known.group_count < world->group_count; control->known.group_count++) {
		int group = (int)control->known.group_count;
		size_t before = control->orders.held_count;
		parties_group(control, group);
		if (world->groups[group].instance_of[world->me] >= 0 && control->orders.held_count == before)
			order_part(control, group);
	}
	FOR_MATCHES (of, world, id)
		if (of.match->p2p)
			parties_channel(control, of.match);
	if (world->ops[id].rank == world->me)
		order_own(control, id);
	else if (record->kind == OP_COLLECTIVE || record->kind == OP_P2P)
		count_seqs(control, id, NULL);
	else if (record->kind == OP_ONE_SIDED)
		order_service(control, id);
}

void orders_restart(struct control *control, int group, int instance)
{
	const struct group *of = &control->world->groups[group];
	for (int i = 0; i < of->instances; i++) {
		if (instance >= 0 && i != instance)
			continue;
		struct part_seqs *seqs = part_seqs_of(control, of->first + i);
		seqs->base = seqs->most;
		if (of->instance_of[control->world->me] == i)
			host_release(control->host, of->first + i, seqs->most);
	}
	parties_anew(control, group, instance);
}

void orders_lose(struct control *control, int part)
{
	const struct world *world = control->world;
	const struct group *of = world->groups;
	while (part < of->first || part >= of->first + of->instances)
		of++;
	struct part_seqs *seqs = part_seqs_of(control, part);
	seqs->lost = (uint32_t)world->match_count + 1;
	if (of->instance_of[world->me] == part - of->first) {
		host_release(control->host, part, seqs->most);
		order_part(control, (int)(of - world->groups));
	}
	parties_anew(control, (int)(of - world->groups), part - of->first);
}

bool order_is_lost(struct control *control, op_id id)
{
	const struct world *world = control->world;
	const struct record *record = op_record(world, id);
	if (record->group < 0)
		return false;
	int part = order_part_of(world, record->group, world->ops[id].rank);
	bool lost = false;
	FOR_MATCHES (of, world, id)
		lost |= of.index < part_seqs_of(control, part)->lost;
	return lost;
}

void orders_release(struct control *control)
{
	for (size_t i = 0; i < control->orders.held_count; i++)
		host_order_release(&control->orders.held[i]);
	mem_free(control->orders.held);
	mem_free(control->orders.queued);
	mem_free(control->orders.services);
	for (int space = 0; space < SPACE_COUNT; space++)
		mem_free(control->known.segments[space]);
	mem_free(control->known.parts);
	mem_free(control->parties.wanted);
}
