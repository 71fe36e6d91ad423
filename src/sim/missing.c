/* missing.c -- whom an answer waits for: a line that a rank has not been given, or something that no line can
 * mend
 *
 * From the host's SYNC to the operation it waits for, to the head of its stream, to the members that have not
 * arrived, and so on. An end of the chain is a line not given (mended by it), or a mismatch, a rank that
 * crashed, or a circle (never mended). */
#include "sim/inside.h"
#include "base/memory.h"

enum { UNSEEN, OPEN, CLOSED };
struct search {
	const struct engine *e;
	uint8_t *seen;
	struct text who;
	int lacking;
	bool stuck;
	struct text why;
};

static void look_at_op(struct search *search, op_id id);

static uint8_t *mark_of(struct search *search, op_id id)
{
	return &search->seen[id - search->e->base];
}

static void stuck(struct search *search, const char *format, const char *what, int rank)
{
	if (!search->stuck)
		text_add(&search->why, format, what, rank);
	search->stuck = true;
}

/* The rank's next line is missing, or its host hangs somewhere before it. */
static void look_at_host(struct search *search, int rank, op_id by)
{
	const struct rank *r = &search->e->ranks[rank];
	struct text label = {0};
	op_label(search->e->world, by, &label);
	if (r->state == RANK_BLOCKED)
		look_at_op(search, r->on);
	else if (r->state == RANK_CRASHED)
		stuck(search, "%s waits for rank %d, which has crashed", text_string(&label), rank);
	else if (search->lacking++ < 4)
		text_add(&search->who, "%s%s waits for a line on rank %d", search->lacking > 1 ? "; " : "",
		        text_string(&label), rank);
	text_release(&label);
}

static void look_at_meet(struct search *search, op_id id, const struct meet *meet, const int *rank)
{
	struct text text = {0};
	if (meet->mismatch) {
		world_mismatch(search->e->world, meet, &text);
		stuck(search, "%s (rank %d)", text_string(&text), search->e->world->ops[id].rank);
		text_release(&text);
		return;
	}
	for (int i = 0; i < meet->n && !search->stuck; i++) {
		op_id other = search->e->world->meet_ops[meet->first_op + (uint32_t)i];
		if (!other)
			look_at_host(search, rank[i], id);
		else if (other != id && !op_arrived(search->e, other))
			look_at_op(search, other);
	}
}

static void look_at_meets(struct search *search, op_id id, const struct record *record)
{
	const struct world *world = search->e->world;
	const struct op *op = op_at(search->e, id);
	if (record->kind == OP_COLLECTIVE) {
		const struct meet *meet = &world->meets[op->meet];
		look_at_meet(search, id, meet, world->groups[meet->group].instance[meet->instance].ranks);
		return;
	}
	for (int i = 0; i < record->parts && !search->stuck; i++) {
		int peer = record->part[i].peer, both[] = {op->rank, op->rank};
		both[record->part[i].direction == P2P_SEND] = peer;
		look_at_meet(search, id, &world->meets[part_meet(search->e, op, i)], both);
	}
}

/* A collective that waits for its turn: the group's earlier one on its rank. */
static void look_at_turn(struct search *search, const struct op *op)
{
	const struct engine *e = search->e;
	const struct instance *instance = instance_at(e, &e->world->meets[op->meet]);
	const struct rank *r = &e->ranks[op->rank];
	for (uint32_t k = STREAM_DEFAULT; k < r->lane_count; k++) {
		op_id id = e->lanes[r->lanes + k].head;
		while (id && !search->stuck) {
			const struct op *other = op_at(e, id);
			bool earlier =
			        other->number < op->number && record_at(e, other)->kind == OP_COLLECTIVE;
			if (earlier && instance_at(e, &e->world->meets[other->meet]) == instance)
				look_at_op(search, id);
			id = other->number < op->number ? other->next_stream : 0;
		}
	}
}

static void look_at_everything(struct search *search, const struct rank *r)
{
	for (uint32_t k = STREAM_DEFAULT; k < r->lane_count && !search->stuck; k++) {
		op_id head = search->e->lanes[r->lanes + k].head;
		if (head && op_at(search->e, head)->flags & OPF_ISSUED)
			look_at_op(search, head);
	}
}

static void look_from_head(struct search *search, op_id id, const struct lane *lane)
{
	const struct op *op = op_at(search->e, id);
	switch ((enum lane_state)lane->state) {
	case LANE_MEET:
	case LANE_RUN:
		look_at_meets(search, id, record_at(search->e, op));
		break;
	case LANE_EVENT:
		look_at_op(search, op->target);
		break;
	case LANE_TURN:
		look_at_turn(search, op);
		break;
	case LANE_DEFAULT:
		look_at_op(search, op->blame);
		break;
	default:
		break;
	}
}

static void look_at_op(struct search *search, op_id id)
{
	const struct engine *e = search->e;
	if (op_done(e, id) || search->stuck || *mark_of(search, id) == CLOSED)
		return;
	const struct op *op = op_at(e, id);
	const struct record *record = record_at(e, op);
	if (*mark_of(search, id) == OPEN) {
		struct text label = {0};
		op_label(e->world, id, &label);
		stuck(search, "waits in a circle that begins and ends at %s on rank %d", text_string(&label),
		        op->rank);
		text_release(&label);
		return;
	}
	*mark_of(search, id) = OPEN;
	const struct lane *lane = &e->lanes[lane_of(e, op)];
	if (!(op->flags & OPF_ISSUED) && e->ranks[op->rank].on != id)
		look_at_host(search, op->rank, id);
	else if (op_kind_is_host((enum op_kind)record->kind) && op->target == OP_EVERYTHING)
		look_at_everything(search, &e->ranks[op->rank]);
	else if (op_kind_is_host((enum op_kind)record->kind))
		look_at_op(search, op->target);
	else if (lane->head != id)
		look_at_op(search, lane->head);
	else
		look_from_head(search, id, lane);
	*mark_of(search, id) = CLOSED;
}

enum status missing(const struct engine *e, op_id id)
{
	struct search search = {.e = e, .seen = mem_alloc(e->overlay_count + 1)};
	enum status status;
	look_at_op(&search, id);
	if (search.stuck || !search.lacking)
		status = fail(
		        ST_STUCK, "stuck: %s", search.stuck ? text_string(&search.why) : "nobody can move");
	else if (search.lacking > 4)
		status = fail(ST_WAITS, "%s; and %d more", text_string(&search.who), search.lacking - 4);
	else
		status = fail(ST_WAITS, "%s", text_string(&search.who));
	text_release(&search.who);
	text_release(&search.why);
	mem_free(search.seen);
	return status;
}
