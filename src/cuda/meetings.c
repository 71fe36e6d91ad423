/* meetings.c -- which ranks meet for the first time */
#include "cuda/meetings.h"
#include "base/memory.h"
#include "cuda/exchange/nccl/nccl.h"
#include "world/op.h"

static struct met *met_at(struct meetings *meetings, int part)
{
	while (meetings->part_count <= (size_t)part)
		*MEM_ADD(&meetings->parts, &meetings->part_count) = (struct met){0};
	return &meetings->parts[part];
}

static void look_at_group(
        struct meetings *meetings, const struct group *group, struct nccl_party **parties, size_t *count)
{
	for (int i = 0; i < group->instances; i++) {
		const struct group_instance *instance = &group->instance[i];
		struct met *met = met_at(meetings, group->first + i);
		if (!met->all)
			*MEM_ADD(parties, count) = (struct nccl_party){
			        .part = group->first + i, .n = instance->n, .ranks = instance->ranks};
		met->all = true;
	}
}

static void look_at_transfers(struct meetings *meetings, const struct world *world, op_id id,
        struct nccl_party **parties, size_t *count)
{
	const struct record *record = op_record(world, id);
	const struct group *group = &world->groups[record->group];
	int rank = world->ops[id].rank, part = group->first + group->instance_of[rank],
	    n = group_part(group, rank)->n;
	struct met *met = met_at(meetings, part);
	if (!met->channels)
		met->channels = mem_alloc((size_t)n * (size_t)n * sizeof *met->channels);
	for (int i = 0; i < record->parts; i++) {
		int peer = record->part[i].peer;
		bool sends = record->part[i].direction == P2P_SEND;
		int from = sends ? rank : peer, to = sends ? peer : rank;
		bool *channel = &met->channels[group->place_of[from] * n + group->place_of[to]];
		if (!*channel && from != to)
			*MEM_ADD(parties, count) =
			        (struct nccl_party){.part = part, .n = 2, .from = from, .to = to};
		*channel = true;
	}
}

void meetings_look(
        struct meetings *meetings, const struct world *world, struct nccl_party **parties, size_t *count)
{
	for (size_t i = 0; i < world->group_count; i++)
		look_at_group(meetings, &world->groups[i], parties, count);
	for (op_id id = meetings->seen + 1; id <= world->op_count; id++)
		if (op_record(world, id)->kind == OP_P2P)
			look_at_transfers(meetings, world, id, parties, count);
	meetings->seen = (op_id)world->op_count;
}

void meetings_again(struct meetings *meetings, int part)
{
	struct met *met = met_at(meetings, part);
	mem_free(met->channels);
	*met = (struct met){0};
}

void meetings_release(struct meetings *meetings)
{
	for (size_t i = 0; i < meetings->part_count; i++)
		mem_free(meetings->parts[i].channels);
	mem_free(meetings->parts);
	*meetings = (struct meetings){0};
}
