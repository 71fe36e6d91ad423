/* match.c -- rendezvous: where operations of several ranks meet
 *
 * Collectives of a group instance match by issue order: the k-th of each place. Transfers match by channel
 * (group, source, destination): the k-th send and the k-th receive. No tag and no size takes part, as in
 * NCCL: who calls something else is in the same rendezvous, and that is the mistake to be told.
 *
 *      chain of an instance     meet 0 ---> meet 1 ---> meet 2       meet.next leads on
 *      place 0 has joined          x           x           x         at[0] = 2: its next makes meet 3
 *      place 1                     x                                 at[1] = 0: its next joins meet 1
 *
 * Each place, or side, remembers the meet it joined last; the next one it joins is that meet's `next`, or a
 * new one. So a rendezvous is found without any search, whoever comes first. Members must agree with the
 * first that came; what differs is settled at once, and nobody will leave that meet. */
#include "world/books.h"

/* What a member brings to a meet: all of it must be equal. */
struct share {
	name_id title;
	uint8_t dtype, reduction;
	int root;
	int64_t bytes;
};

void matching_create(struct world *world)
{
	struct world_matching *matching = mem_alloc(sizeof *matching);

	world->matching = matching;
	matching->last_collective = mem_alloc((size_t)world->n * sizeof *matching->last_collective);
	world->segment_name = names_make(world->names, "memory", 6);
	world->wait_name = names_make(world->names, "wait", 4);
}

void matching_free(struct world *world)
{
	struct world_matching *matching = world->matching;

	mem_free(matching->channels);
	mem_free(matching->table);
	mem_free(matching->last_collective);
	mem_free(matching->crossings);
	mem_free(matching->warnings);
	mem_free(matching->overlap);
	mem_free(matching);
}

/* ---- channels: by an open-addressing table that is only ever looked up, never walked */

/* The channel's slot, or the empty one where it belongs; linear probing, and at least half of the slots are
 * empty, so the walk ends. */
static size_t channel_slot(const struct world_matching *matching, int group, int source, int destination)
{
	uint64_t hash = ((uint64_t)(unsigned)group << 40 ^ (uint64_t)(unsigned)source << 20 ^
	                        (uint64_t)(unsigned)destination) *
	        0x9e3779b97f4a7c15u;
	size_t slot = (size_t)(hash >> 20) & (matching->slots - 1);

	for (;; slot = (slot + 1) & (matching->slots - 1)) {
		uint32_t at = matching->table[slot];
		const struct channel *channel = &matching->channels[at - 1];
		if (at == 0 ||
		        (channel->group == group && channel->source == source &&
		                channel->destination == destination))
			return slot;
	}
}

/* Room for one more channel, at most half of the table used. */
static void channels_grow(struct world_matching *matching)
{
	MEM_GROW(&matching->channels, matching->channel_count, &matching->channel_room);
	if (matching->slots >= 2 * (matching->channel_count + 1))
		return;
	mem_free(matching->table);
	matching->slots = matching->slots ? 2 * matching->slots : 64;
	matching->table = mem_alloc(matching->slots * sizeof *matching->table);
	for (size_t i = 0; i < matching->channel_count; i++) {
		const struct channel *channel = &matching->channels[i];
		size_t slot = channel_slot(matching, channel->group, channel->source, channel->destination);
		matching->table[slot] = (uint32_t)i + 1;
	}
}

static struct channel *channel_of(struct world_matching *matching, int group, int source, int destination)
{
	channels_grow(matching);
	size_t slot = channel_slot(matching, group, source, destination);

	if (matching->table[slot] == 0) {
		matching->channels[matching->channel_count++] =
		        (struct channel){.group = group, .source = source, .destination = destination};
		matching->table[slot] = (uint32_t)matching->channel_count;
	}
	return &matching->channels[matching->table[slot] - 1];
}

/* ---- what members bring */

/* A collective's bytes are those of the root's larger tensor: equal on all ranks where the tensors fit.
 * place: of a transfer, 0 the sender, 1 the receiver (a rank may send to itself) */
static struct share member_share(const struct world *world, op_id id, uint32_t meet, int place)
{
	const struct record *record = op_record(world, id);
	const uint32_t *meets = &world->part_meets[world->ops[id].meet];
	int i = 0, direction = place == 0 ? P2P_SEND : P2P_RECV;

	if (record->kind == OP_COLLECTIVE)
		return (struct share){.title = record->title,
		        .dtype = record->dtype,
		        .reduction = record->reduction,
		        .root = record->root,
		        .bytes = record->bytes};
	while (i + 1 < record->parts && (meets[i] != meet || record->part[i].direction != direction))
		i++;
	const struct layout *layout = &record->operand[record->part[i].operand].layout;
	return (struct share){.dtype = layout->dtype, .bytes = layout_bytes(layout)};
}

enum aspect { ASPECT_NONE, ASPECT_TITLE, ASPECT_DTYPE, ASPECT_BYTES, ASPECT_ROOT, ASPECT_REDUCTION };
/* The first aspect in which they differ, the most telling first: another collective explains another size. */
static enum aspect differing(const struct share *a, const struct share *b)
{
	return a->title != b->title            ? ASPECT_TITLE
	        : a->dtype != b->dtype         ? ASPECT_DTYPE
	        : a->bytes != b->bytes         ? ASPECT_BYTES
	        : a->root != b->root           ? ASPECT_ROOT
	        : a->reduction != b->reduction ? ASPECT_REDUCTION
	                                       : ASPECT_NONE;
}

/* ---- joining */

/* A rendezvous with n empty places. Returns its index. */
static uint32_t meet_new(struct world *world, int group, int instance, uint32_t sequence, int n, bool p2p)
{
	MEM_ROOM(&world->meets, world->meet_count + 2, &world->meet_room);
	MEM_ROOM(&world->meet_ops, world->meet_op_count + (size_t)n, &world->meet_op_room);
	world->meets[++world->meet_count] = (struct meet){.group = group,
	        .instance = instance,
	        .sequence = sequence,
	        .n = n,
	        .p2p = p2p,
	        .first_op = (uint32_t)world->meet_op_count};
	memset(&world->meet_ops[world->meet_op_count], 0, (size_t)n * sizeof *world->meet_ops);
	world->meet_op_count += (size_t)n;
	return (uint32_t)world->meet_count;
}

/* The one behind the meet `at` (0: the first) of a chain, made when it is not there. */
static uint32_t meet_behind(
        struct world *world, uint32_t at, uint32_t *first, uint32_t *last, struct meet made)
{
	uint32_t meet = at ? world->meets[at].next : *first;

	if (meet)
		return meet;
	meet = meet_new(world, made.group, made.instance, made.sequence, made.n, made.p2p);
	if (*last)
		world->meets[*last].next = meet;
	else
		*first = meet;
	*last = meet;
	return meet;
}

/* A member takes its place. It is compared with the first that came; who differs makes a mismatch for good.
 * */
static void meet_enter(struct world *world, uint32_t index, int place, op_id id)
{
	struct meet *meet = &world->meets[index];

	world->meet_ops[meet->first_op + (uint32_t)place] = id;
	meet->count++;
	if (!meet->opener) {
		meet->opener = id;
	} else {
		struct share first = member_share(world, meet->opener, index, 1 - place),
		             own = member_share(world, id, index, place);
		if (!meet->mismatch && differing(&first, &own)) {
			meet->mismatch = true;
			world->mismatch_count++;
		}
	}
}

static void join_collective(struct world *world, op_id id, const struct record *record, int rank)
{
	const struct group *group = &world->groups[record->group];
	int place = group->place_of[rank];
	struct group_instance *instance = group_part(group, rank);
	struct meet made = {.group = record->group,
	        .instance = group->instance_of[rank],
	        .sequence = instance->issued[place],
	        .n = instance->n};
	uint32_t meet =
	        meet_behind(world, instance->at[place], &instance->first_meet, &instance->last_meet, made);

	instance->at[place] = meet;
	instance->issued[place]++;
	world->ops[id].meet = meet;
	meet_enter(world, meet, place, id);
	crossing_join(world, id, meet);
}

/* A channel is two queues, sends and receives, that meet one by one. */
static void join_part(struct world *world, op_id id, const struct record *record, int rank, int i)
{
	bool send = record->part[i].direction == P2P_SEND;
	int peer = record->part[i].peer;
	struct channel *channel =
	        channel_of(world->matching, record->group, send ? rank : peer, send ? peer : rank);
	uint32_t *at = send ? &channel->sent_at : &channel->received_at;
	struct meet made = {.group = record->group,
	        .instance = world->groups[record->group].instance_of[rank],
	        .sequence = channel->sequence,
	        .n = 2,
	        .p2p = true};
	size_t before = world->meet_count;

	*at = meet_behind(world, *at, &channel->first_meet, &channel->last_meet, made);
	if (world->meet_count > before)
		channel->sequence++;
	world->part_meets[world->ops[id].meet + (uint32_t)i] = *at;
	meet_enter(world, *at, send ? 0 : 1, id);
}

void meets_join(struct world *world, op_id id)
{
	const struct record *record = op_record(world, id);
	int rank = world->ops[id].rank;

	if (record->kind == OP_COLLECTIVE) {
		join_collective(world, id, record, rank);
		return;
	}
	if (record->parts == 0)
		return;
	world->ops[id].meet = (uint32_t)world->part_meet_count + 1;
	MEM_ROOM(&world->part_meets, world->part_meet_count + 1 + record->parts, &world->part_meet_room);
	memset(&world->part_meets[world->part_meet_count + 1], 0, record->parts * sizeof *world->part_meets);
	world->part_meet_count += record->parts;
	for (int i = 0; i < record->parts; i++)
		join_part(world, id, record, rank, i);
}

const uint32_t *op_meets(const struct world *world, op_id id, int *count)
{
	const struct op *op = &world->ops[id];
	const struct record *record = op_record(world, id);

	*count = op->meet == 0 ? 0 : record->kind == OP_P2P ? record->parts : 1;
	return record->kind == OP_P2P ? &world->part_meets[op->meet] : &op->meet;
}

/* ---- abort */

static void restart_channels(struct world_matching *matching, int group)
{
	for (size_t i = 0; i < matching->channel_count; i++) {
		struct channel *channel = &matching->channels[i];
		if (channel->group == group)
			*channel = (struct channel){.group = group,
			        .source = channel->source,
			        .destination = channel->destination};
	}
}

/* Complete meetings took place or will; all others of the group are over, and numbering starts again. */
void world_abort(struct world *world, int group)
{
	for (size_t i = 1; i <= world->meet_count; i++) {
		struct meet *meet = &world->meets[i];
		if (meet->group != group || meet->aborted || (meet_complete(meet) && !meet->mismatch))
			continue;
		meet->aborted = true;
		world->mismatch_count -= meet->mismatch;
	}
	for (int k = 0; k < world->groups[group].instances; k++) {
		struct group_instance *instance = &world->groups[group].instance[k];
		memset(instance->issued, 0, (size_t)instance->n * sizeof *instance->issued);
		memset(instance->at, 0, (size_t)instance->n * sizeof *instance->at);
		instance->first_meet = instance->last_meet = 0;
		instance->epoch++;
	}
	restart_channels(world->matching, group);
	for (int r = 0; r < world->n; r++)
		world->matching->last_collective[r] = 0;
	world->aborts++;
	digest_change(world, CHANGE_ABORT, group, 0);
}

/* ---- wording a mismatch */

enum { VALUES_MAX = 6 };
struct camp {
	struct share share;
	struct ranks ranks;
	op_id member;
};

/* Members by what they bring; the first aspect in which any two differ is the one that is told. camps: room
 * for VALUES_MAX, of which the number returned is filled; members with further values are left out. Two
 * passes: what is told must be known before members can be sorted by it. */
static int find_camps(
        const struct world *world, const struct meet *meet, enum aspect *aspect, struct camp *camps)
{
	uint32_t index = (uint32_t)(meet - world->meets);
	struct share first =
	        member_share(world, meet->opener, index, world->meet_ops[meet->first_op] != meet->opener);
	int count = 0;

	*aspect = ASPECT_NONE;
	for (int place = 0; place < meet->n; place++) {
		op_id id = world->meet_ops[meet->first_op + (uint32_t)place];
		struct share share = id ? member_share(world, id, index, place) : first;
		enum aspect differs = differing(&first, &share);
		if (differs && (*aspect == ASPECT_NONE || differs < *aspect))
			*aspect = differs;
	}
	for (int place = 0; place < meet->n; place++) {
		op_id id = world->meet_ops[meet->first_op + (uint32_t)place];
		struct share share = id ? member_share(world, id, index, place) : first;
		int k = 0;
		while (id && k < count && differing(&camps[k].share, &share) == *aspect && *aspect)
			k++;
		if (!id || k == VALUES_MAX)
			continue;
		if (k == count)
			camps[count++] = (struct camp){.share = share, .member = id};
		ranks_add(&camps[k].ranks, world->ops[id].rank);
	}
	return count;
}

static void add_camp(const struct world *world, const struct camp *camp, enum aspect aspect,
        const struct meet *meet, struct text *why)
{
	static const char *const reductions[] = {"sum", "avg", "max", "min"};
	bool one = ranks_count(&camp->ranks) == 1;
	const char *brings = !meet->p2p                           ? one ? "brings" : "bring"
	        : world->meet_ops[meet->first_op] == camp->member ? "sends"
	                                                          : "receives";

	text_add(why, one ? "rank " : "ranks ");
	ranks_text(&camp->ranks, why);
	if (aspect == ASPECT_TITLE)
		text_add(why, one ? " calls %s" : " call %s", names_text(world->names, camp->share.title));
	if (aspect == ASPECT_DTYPE)
		text_add(why, " %s %s", brings, dtype_name((enum dtype)camp->share.dtype));
	if (aspect == ASPECT_BYTES) {
		text_add(why, " %s ", brings);
		bytes_text(camp->share.bytes, why);
	}
	if (aspect == ASPECT_ROOT)
		text_add(why, one ? " names root %d" : " name root %d", camp->share.root);
	if (aspect == ASPECT_REDUCTION)
		text_add(why, one ? " takes op=%s" : " take op=%s", reductions[camp->share.reduction]);
}

const struct record *world_mismatch(const struct world *world, const struct meet *meet, struct text *why)
{
	struct camp camps[VALUES_MAX];
	bool told[VALUES_MAX] = {false};
	enum aspect aspect;
	const struct record *odd = NULL;
	int count = find_camps(world, meet, &aspect, camps);

	for (int n = 0; n < count && aspect; n++) { /* the smallest camp first: most likely the mistake */
		int least = -1;
		for (int k = 0; k < count; k++) {
			if (!told[k] &&
			        (least < 0 ||
			                ranks_count(&camps[k].ranks) < ranks_count(&camps[least].ranks)))
				least = k;
		}
		told[least] = true;
		odd = odd ? odd : op_record(world, camps[least].member);
		text_add(why, "%s", n ? ", " : "");
		add_camp(world, &camps[least], aspect, meet, why);
	}
	return odd;
}
