/* parties.c -- requests NCCL communicators: for the members of a part of a group; the ends of a
 * channel; a late member and the rank that sends its results; an origin stream and its target
 *
 * The requests follow from the world, so all processes have the same list in the same order. */
#include "cuda/control.h"
#include "base/memory.h"

static bool by_nccl(const struct control *control)
{
	const struct cuda_placement *placement = control->setup.placement;
	return !placement->shared && placement->ranks > 1;
}

/* Members' hosts open it before later orders. */
static void party_want(struct control *control, struct party_wanted party)
{
	const struct world *world = control->world;
	*MEM_ADD(&control->parties.wanted, &control->parties.wanted_count) = party;
	const struct group *group = &world->groups[party.group];
	if (group->instance_of[world->me] == party.instance)
		order_part(control, party.group);
}

void parties_group(struct control *control, int group)
{
	for (int i = 0; i < control->world->groups[group].instances && by_nccl(control); i++)
		party_want(control, (struct party_wanted){.group = group, .instance = i});
}

static void party_want_pair(
        struct control *control, const struct match *match, enum nccl_kind kind, int from, int to)
{
	struct party_wanted party = {
	        .group = match->group, .instance = match->instance, .kind = kind, .ends = {from, to}};
	if (!by_nccl(control) || from == to)
		return;
	for (size_t i = 0; i < control->parties.wanted_count; i++) {
		const struct party_wanted *other = &control->parties.wanted[i];
		if (other->group == match->group && other->instance == match->instance &&
		        other->kind == kind && other->ends[0] == from && other->ends[1] == to)
			return;
	}
	party_want(control, party);
}

void parties_channel(struct control *control, const struct match *match)
{
	party_want_pair(control, match, NCCL_CHANNEL, match->ranks[0], match->ranks[1]);
}

void parties_late(struct control *control, const struct match *match)
{
	int first = spares_first(control, match);
	for (int p = 0; p < match->n; p++)
		if (!spares_counts(control->world, match->member[p]))
			party_want_pair(control, match, NCCL_LATE, match->ranks[first], match->ranks[p]);
}

void parties_reach(struct control *control, op_id id)
{
	const struct world *world = control->world;
	const struct op *op = &world->ops[id];
	party_want_pair(control, &world->matches[world->ops[op->target].match], nccl_reach(op->stream),
	        op->rank, op_record(world, id)->part[0].peer);
}

void parties_anew(struct control *control, int group, int instance)
{
	size_t kept = 0, met = 0;
	for (size_t i = 0; i < control->parties.wanted_count; i++) {
		const struct party_wanted *party = &control->parties.wanted[i];
		if (i < control->parties.met && party->group == group &&
		        (instance < 0 || party->instance == instance))
			continue;
		met += i < control->parties.met;
		control->parties.wanted[kept++] = *party;
	}
	bool some = kept < control->parties.wanted_count;
	control->parties.wanted_count = kept;
	control->parties.met = met;
	for (int i = 0; i < control->world->groups[group].instances && some; i++)
		if (instance < 0 || i == instance)
			party_want(control, (struct party_wanted){.group = group, .instance = i});
}

enum status parties_meet(struct control *control)
{
	const struct world *world = control->world;
	size_t count = control->parties.wanted_count - control->parties.met;
	if (count == 0)
		return ST_OK;
	struct nccl_party *parties = mem_alloc(count * sizeof *parties);
	for (size_t i = 0; i < count; i++) {
		const struct party_wanted *wanted = &control->parties.wanted[control->parties.met + i];
		const struct group *group = &world->groups[wanted->group];
		const struct group_instance *part = &group->instance[wanted->instance];
		parties[i] = (struct nccl_party){.part = group->first + wanted->instance,
		        .kind = wanted->kind,
		        .n = wanted->kind == NCCL_PART ? part->n : 2,
		        .ranks = wanted->kind == NCCL_PART ? part->ranks : wanted->ends};
	}
	enum status status = nccl_meet(control->exchange, control->transport, parties, (int)count);
	mem_free(parties);
	control->parties.met = control->parties.wanted_count;
	return status;
}
