/* match.c -- rendezvous of operations of several ranks
 *
 * Collectives of a group instance match by issue order, transfers by order in their channel
 * (group, source, destination). As in NCCL, neither tags nor sizes count: a different call joins
 * the same match and makes it a mismatch.
 *
 *      chain of an instance     match 0 ---> match 1 ---> match 2       by match.next
 *      place 0 has joined          x            x            x      at[0] = 2: next makes match 3
 *      place 1                     x                                at[1] = 0: next joins match 1
 *
 * A channel is a chain of two places, sender and receiver. A mismatch never ends. */
#include "world/books.h"

/* ---- channels: a hash table */

static struct group_instance *channel_of(struct world *world, int group, int source, int destination)
{
	uint64_t key = (uint64_t)group << 40 ^ (uint64_t)(unsigned)source << 20 ^ (unsigned)destination;
	struct channel **first = &world->inner->bucket[(key * 0x9e3779b97f4a7c15u >> 32) % BUCKETS];

	for (struct channel *channel = *first; channel; channel = channel->next)
		if (channel->group == group && channel->ends.ranks[0] == source &&
		        channel->ends.ranks[1] == destination)
			return &channel->ends;
	struct channel *channel = world_take(world, 1, sizeof *channel);
	channel->ends = (struct group_instance){.n = 2,
	        .ranks = world_take(world, 2, sizeof *channel->ends.ranks),
	        .at = world_take(world, 2, sizeof *channel->ends.at)};
	channel->ends.ranks[0] = source;
	channel->ends.ranks[1] = destination;
	channel->group = group;
	channel->next = *first;
	*first = channel;
	return &channel->ends;
}

/* ---- what members bring */

int match_part(const struct world *world, op_id id, const struct match *match, enum p2p_direction direction)
{
	const struct record *record = op_record(world, id);
	int i = 0;

	while (i + 1 < record->parts &&
	        (record->part[i].direction != direction || part_match(world, id, i) != match))
		i++;
	return i;
}

static int64_t message_bytes(const struct record *record)
{
	return record->split.n   ? record->split.row_bytes
	        : record->window ? layout_bytes(&record->operand[0].layout)
	        : record->whole  ? record->whole
	                         : record->bytes;
}

struct share member_share(const struct world *world, const struct match *match, int place)
{
	op_id id = match->member[place];
	const struct record *record = op_record(world, id);

	if (!match->p2p)
		return (struct share){{record->title, record->window ? record->object : 0, record->dtype,
		        record->split.n > 0, message_bytes(record), record->root, record->reduction,
		        record->backup, record->algorithm}};
	int part = match_part(world, id, match, place == 0 ? P2P_SEND : P2P_RECV);
	const struct layout *layout = &part_operand(record, part)->layout;
	return (struct share){
	        .aspect[ASPECT_DTYPE] = layout->dtype, .aspect[ASPECT_BYTES] = layout_bytes(layout)};
}

enum aspect differing(const struct share *a, const struct share *b)
{
	int i = 0;

	while (i < ASPECTS && a->aspect[i] == b->aspect[i])
		i++;
	return i;
}

bool world_agree(const struct world *world, const struct match *match, int a, int b)
{
	struct share one = member_share(world, match, a), other = member_share(world, match, b);
	return differing(&one, &other) == ASPECTS;
}

static const struct split *split_of(const struct world *world, const struct match *match, int place)
{
	return &op_record(world, match->member[place])->split;
}

bool rows_differ(const struct world *world, const struct match *match, int a, int b, struct unmatched *rows)
{
	for (int side = 0; side < 2; side++) {
		int from = side ? b : a, to = side ? a : b;
		*rows = (struct unmatched){from, to, rows_to(split_of(world, match, from), to),
		        rows_from(split_of(world, match, to), from)};
		if (rows->sent != rows->expected)
			return true;
	}
	return false;
}

/* ---- joining */

/* Joins the operation to the next match of its place, making it if needed, and sets *joined. If
 * the operation differs from the member at match->first, the match becomes a mismatch. */
static void match_join(struct world *world, op_id id, uint32_t *joined, struct group_instance *instance,
        int place, struct match made)
{
	uint32_t at = instance->at[place], index = at ? world->matches[at].next : instance->first_match;
	struct unmatched rows;

	if (!index) {
		index = ++world->match_count;
		MEM_ROOM(&world->matches, world->match_count + 1, &world->match_room);
		made.n = instance->n;
		made.ranks = instance->ranks;
		made.member = world_take(world, made.n, sizeof *made.member);
		made.first = place;
		if (instance->last_match) {
			struct match *last = &world->matches[instance->last_match];
			made.sequence = last->sequence + 1;
			made.before = instance->last_match;
			last->next = index;
		} else {
			instance->first_match = index;
		}
		instance->last_match = index;
		world->matches[index] = made;
	}
	struct match *match = &world->matches[index];
	instance->at[place] = *joined = index;
	match->member[place] = id;
	if (match->count++ > 0 && !match->mismatch) {
		struct share first = member_share(world, match, match->first),
		             own = member_share(world, match, place);
		match->mismatch = differing(&first, &own) != ASPECTS;
	}
	match->first = place < match->first ? place : match->first;
	if (match->p2p || !op_record(world, id)->split.n || world->me < 0)
		return; /* without data (--dry) there are no counts to compare */
	for (int other = 0; other < match->n && !match->mismatch; other++)
		match->mismatch = match->member[other] && rows_differ(world, match, place, other, &rows);
}

void matches_join(struct world *world, op_id id)
{
	const struct record *record = op_record(world, id);
	struct op *op = &world->ops[id];
	const struct group *group = &world->groups[record->group];
	struct match made = {.group = record->group, .instance = group->instance_of[op->rank]};

	if (record->kind == OP_COLLECTIVE) {
		match_join(
		        world, id, &op->match, group_part(group, op->rank), group->place_of[op->rank], made);
		crossing_join(world, id, op->match);
		swapped_join(world, op->match);
		return;
	}
	size_t first = world->part_match_count + 1;
	made.p2p = true;
	op->match = record->parts ? first : 0;
	MEM_ROOM(&world->part_matches, first + record->parts, &world->part_match_room);
	memset(&world->part_matches[first], 0, record->parts * sizeof *world->part_matches);
	world->part_match_count += record->parts;
	for (int i = 0; i < record->parts; i++) {
		bool send = record->part[i].direction == P2P_SEND;
		int peer = record->part[i].peer;
		struct group_instance *ends =
		        channel_of(world, record->group, send ? op->rank : peer, send ? peer : op->rank);
		match_join(world, id, &world->part_matches[first + i], ends, send ? 0 : 1, made);
	}
}

bool op_match_next(const struct world *world, op_id id, struct op_match *of)
{
	const struct op *op = &world->ops[id];
	const struct record *record = op_record(world, id);

	if (!op->match || ++of->part >= (record->kind == OP_P2P ? record->parts : 1))
		return false;
	of->index = record->kind == OP_P2P ? world->part_matches[op->match + of->part] : op->match;
	of->match = &world->matches[of->index];
	return true;
}

/* ---- abort */

static void instance_restart(struct group_instance *instance, size_t *from)
{
	if (instance->first_match && instance->first_match < *from)
		*from = instance->first_match;
	memset(instance->at, 0, instance->n * sizeof *instance->at);
	instance->first_match = instance->last_match = 0;
}

/* Ends the incomplete and mismatched matches of instance `part` of the group (-1: all), and its
 * collectives from match `from` on. */
static void part_end(struct world *world, int group, int part, size_t from)
{
	struct world_inner *inner = world->inner;
	struct group *ended = &world->groups[group];
	size_t from_any = from; /* older ones are complete or aborted */

	for (int k = 0; k < ended->instances; k++)
		if (part < 0 || k == part)
			instance_restart(&ended->instance[k], &from_any);
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct channel *channel = inner->bucket[i]; channel; channel = channel->next)
			if (channel->group == group &&
			        (part < 0 || ended->instance_of[channel->ends.ranks[0]] == part))
				instance_restart(&channel->ends, &from_any);
	for (size_t i = from_any; i <= world->match_count; i++) {
		struct match *match = &world->matches[i];
		bool later = !match->p2p && i >= from;
		if (match->aborted || match->group != group || (part >= 0 && match->instance != part) ||
		        (match_complete(match) && !match->mismatch && !later))
			continue;
		match->aborted = true;
		*MEM_ADD(&world->aborted, &world->aborted_count) = (uint32_t)i;
	}
	memset(inner->last_collective, 0, world->n * sizeof *inner->last_collective);
	windows_abort(world, group, part);
	digest_change(world, CHANGE_ABORT, group, part + 1);
}

void world_abort(struct world *world, int group)
{
	part_end(world, group, -1, SIZE_MAX);
}

void world_expire(struct world *world, uint32_t match)
{
	const struct match *expired = &world->matches[match];
	part_end(world, expired->group, expired->instance, match);
}
