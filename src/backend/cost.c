/* cost.c -- the cost of an operation on the machine as it is when the operation is queued: `set`
 * changes later lines only
 *
 * Alone, a kernel takes max(flops / peak, bytes / bandwidth), a copy latency + bytes / rate. A
 * copy within device memory reads and writes each byte, at half the memory's rate. One within host
 * memory takes bytes / host_rate and shares nothing. Disks have rates of their own. The cost of a
 * collective is its algorithm's (collectives/cost.c).
 *
 * A record is costed once, with its first operation, for all ranks that share it. */
#include "backend/cost.h"
#include "base/arithmetic.h"
#include "collectives/collective.h"

bool record_is_spin(const struct record *record)
{
	return record->kind == OP_KERNEL && record->duration_ns >= 0;
}

/* Requires a source or a target. */
enum copy_way copy_way(const struct record *record)
{
	const struct operand *from = record_source(record), *to = record_target(record);
	bool from_device = from && from->space == SPACE_DEVICE, to_device = to && to->space == SPACE_DEVICE;
	if (from && from->space == SPACE_DISK)
		return COPY_FROM_DISK;
	if (to && to->space == SPACE_DISK)
		return COPY_TO_DISK;
	if (from_device)
		return to_device ? COPY_ON_DEVICE : COPY_TO_HOST;
	return to_device ? COPY_TO_DEVICE : COPY_ON_HOST;
}

enum link_kind copy_link(enum copy_way way)
{
	static const enum link_kind links[] = {[COPY_ON_DEVICE] = LINK_KINDS,
	        [COPY_ON_HOST] = LINK_KINDS,
	        [COPY_TO_HOST] = LINK_UP,
	        [COPY_TO_DEVICE] = LINK_DOWN,
	        [COPY_FROM_DISK] = LINK_DISK_READ,
	        [COPY_TO_DISK] = LINK_DISK_WRITE};
	return links[way];
}

bool copy_is_pageable(const struct record *record)
{
	for (int i = 0; i < record->operands; i++)
		if (record->operand[i].space == SPACE_HOST)
			return true;
	return false;
}

static void cost_copy(const struct machine *machine, struct record *record)
{
	enum copy_way way = copy_way(record);
	record->flow_bytes = record->bytes;
	record->latency_ns = 0;
	if (way == COPY_ON_HOST)
		record->rate = machine->host_rate;
	else if (way == COPY_ON_DEVICE) { /* as a kernel */
		record->latency_ns = machine->kernel_latency;
		record->rate = machine->memory_rate / 2;
	} else if (way == COPY_FROM_DISK || way == COPY_TO_DISK) {
		record->latency_ns = machine->disk_latency;
		record->rate = way == COPY_FROM_DISK ? machine->disk_read : machine->disk_write;
	} else {
		record->latency_ns = machine->copy_latency;
		record->rate = copy_is_pageable(record) ? machine->pageable
		        : way == COPY_TO_DEVICE         ? machine->h2d
		                                        : machine->d2h;
	}
	if (record->parameter[COPY_RATE] > 0)
		record->rate = record->parameter[COPY_RATE];
	record->alone_ns = round_up(
	        record->latency_ns + (record->rate > 0 ? record->flow_bytes / record->rate * 1e9 : 0));
}

static enum status cost_collective(const struct world *world, const struct op *op, struct record *record)
{
	const struct match *match = &world->matches[op->match];
	struct cost cost = {0};
	record->alone_ns = 0;
	enum status status = ST_OK;
	if (record->split.n)
		cost = split_cost(world->machine, (struct cost_group){match->n, match->ranks},
		        world->groups[match->group].place_of[op->rank], &record->split);
	else
		status = collective_cost(record->collective, world->machine,
		        (struct cost_group){match->n, match->ranks}, record->bytes, record->algorithm, &cost);
	if (status != ST_OK)
		return status;
	record->latency_ns = cost.latency_ns;
	record->flow_bytes = cost.bytes;
	record->taken = cost.algorithm;
	record->rate = cost.rate;
	record->alone_ns = cost.alone_ns;
	return ST_OK;
}

uint8_t collective_links(const struct machine *machine, const struct match *match)
{
	bool within = false, across = false;
	unsigned kinds = 0;
	for (int i = 0; i + 1 < match->n && !(within && across); i++) {
		bool same =
		        machine_node(machine, match->ranks[i]) == machine_node(machine, match->ranks[i + 1]);
		if (same ? within : across)
			continue;
		struct path path;
		machine_path(machine, match->ranks[i], match->ranks[i + 1], &path);
		for (int k = 0; k < path.count; k++)
			kinds |= 1u << path.link[k] % LINK_KINDS;
		within |= same;
		across |= !same;
	}
	return kinds;
}

/* Takes the cost of the transfer that lasts longest. */
static void cost_p2p(const struct machine *machine, const struct op *op, struct record *record)
{
	record->alone_ns = 0;
	for (int i = 0; i < record->parts; i++) {
		const struct part *part = &record->part[i];
		struct path path = {0};
		if (part->peer == op->rank)
			continue;
		bool sends = part->direction == P2P_SEND;
		machine_path(machine, sends ? op->rank : part->peer, sends ? part->peer : op->rank, &path);
		double bytes = layout_bytes(&part_operand(record, i)->layout);
		int64_t ns = round_up(path.latency_ns + bytes / path.rate * 1e9);
		if (ns <= record->alone_ns)
			continue;
		record->alone_ns = ns;
		record->latency_ns = path.latency_ns;
		record->rate = path.rate;
		record->flow_bytes = bytes;
	}
}

struct path one_sided_path(const struct machine *machine, const struct world *world, op_id id)
{
	const struct part *part = &op_record(world, id)->part[0];
	int rank = world->ops[id].rank;
	bool gets = part->direction == ONE_SIDED_GET;
	struct path path = {.rate = machine->memory_rate / 2}; /* within the rank's memory */
	if (part->peer != rank)
		machine_path(machine, gets ? part->peer : rank, gets ? rank : part->peer, &path);
	if (gets)
		path.latency_ns *= 2; /* request and answer */
	return path;
}

enum status cost_record(struct world *world, op_id id)
{
	const struct op *op = &world->ops[id];
	struct record *record = &world->records[op->record];
	const struct machine *machine = world->machine;
	struct path path;
	if (record->alone_ns >= 0 && record->launch_ns >= 0)
		return ST_OK;
	record->launch_ns = op_kind_is_host(record->kind) ? 0 : round_up(machine->launch);
	record->alone_ns = most_of(record->duration_ns, 0);
	switch (record->kind) {
	case OP_KERNEL:
		if (!record_is_spin(record))
			record->alone_ns =
			        machine_kernel_ns(machine, record->dtype, record->flops, record->bytes);
		return ST_OK;
	case OP_COPY:
		cost_copy(machine, record);
		return ST_OK;
	case OP_COLLECTIVE:
		return cost_collective(world, op, record);
	case OP_P2P:
		cost_p2p(machine, op, record);
		return ST_OK;
	case OP_ONE_SIDED:
		path = one_sided_path(machine, world, id);
		record->flow_bytes = layout_bytes(&record->operand[0].layout);
		record->latency_ns = path.latency_ns;
		record->rate = path.rate;
		record->alone_ns = round_up(path.latency_ns + record->flow_bytes / path.rate * 1e9);
		return ST_OK;
	default:
		return ST_OK;
	}
}
