/* p2p.c -- send, recv, sendrecv: ncclSend and ncclRecv between two ranks of a group
 *
 * Transfers rendezvous: a send without a receive blocks its stream for ever. The sends of a pair
 * (source, destination) match its receives in the order queued. An OP_P2P has one part for each
 * direction, and both start together: a ring of sendrecv cannot deadlock. to= and from= are group
 * ranks. */
#include "shell/language/run/command.h"
#include "shell/submit/plan.h"
#include "base/arithmetic.h"

#include <string.h>

/* Resolves to= or from= into a rank of the world. Fails with ST_RANK outside the group. */
static enum status p2p_peer(
        struct call *call, int rank, const char *option, const struct group_instance *part, int *world_rank)
{
	struct number number = {0};
	const char *title = call->statement->row->name;
	if (!call_has(call, option))
		return fail(ST_ARGUMENT, "%s needs %s=RANK: %s", title, option,
		        command_usage(call->statement->row));
	enum status status = call_option(call, option, rank, &number);
	if (status == ST_OK && !number_is_whole(number.value, 0, part->n - 1))
		status = fail(ST_RANK, "%s: %s=%g on rank %d: in the group, %s", title, option, number.value,
		        rank, ranks_of_text(part->n).text);
	if (status == ST_OK)
		*world_rank = part->ranks[(int)number.value];
	return status;
}

static enum status p2p_add_part(struct call *call, int rank, int row, enum p2p_direction direction,
        const struct group_instance *part, struct submit_plan *plan)
{
	struct view view;
	int other = -1;
	enum status status = call_tensor(call, row, 0, rank, &view);
	if (status == ST_OK)
		status = p2p_peer(call, rank, direction == P2P_SEND ? "to" : "from", part, &other);
	if (status != ST_OK)
		return status;
	plan->part[plan->parts++] =
	        (struct part){.direction = direction, .peer = other, .operand = plan->operands};
	plan_operand(plan, &view, direction == P2P_SEND ? ACCESS_READ : ACCESS_WRITE);
	return ST_OK;
}

static enum status p2p_resolve(struct call *call, int rank, struct submit_plan *plan)
{
	const char *title = call->statement->row->name;
	bool sends = strcmp(title, "recv") != 0, receives = strcmp(title, "send") != 0;
	enum status status = call_group(call, rank, &plan->record.group);
	if (status != ST_OK)
		return status;
	const struct group_instance *part = plan_part(call->shell, plan, rank);
	if (sends)
		status = p2p_add_part(call, rank, 0, P2P_SEND, part, plan);
	if (status == ST_OK && receives)
		status = p2p_add_part(call, rank, sends ? 2 : 0, P2P_RECV, part, plan);
	return status;
}

static enum status p2p_refuse_self(
        const struct call *call, int rank, const struct submit_plan *plan, bool sends)
{
	const struct group *group = &call->shell->world->groups[plan->record.group];
	const char *title = call->statement->row->name, *does = sends ? "send to" : "receive from";
	if (plan_part(call->shell, plan, rank)->n == 1)
		return fail(ST_RANK, "%s: rank %d cannot %s itself, and %s has no other rank for it", title,
		        rank, does, names_text(call->shell->world->names, group->name));
	return fail(ST_RANK, "%s: rank %d cannot %s itself: `%s=%d` names another rank", title, rank, does,
	        sends ? "to" : "from", group->place_of[rank] == 0);
}

/* A rank that names itself both ways copies. A send to oneself alone is refused: its receive would
 * be later on the same stream. */
static enum status p2p_to_self(const struct call *call, int rank, struct submit_plan *plan)
{
	const char *title = call->statement->row->name;
	const struct part *own = NULL;
	bool all = true;
	for (int i = 0; i < plan->parts; i++) {
		own = plan->part[i].peer == rank ? &plan->part[i] : own;
		all = all && plan->part[i].peer == rank;
	}
	if (!own)
		return ST_OK;
	if (!all || plan->parts < 2)
		return p2p_refuse_self(call, rank, plan, own->direction == P2P_SEND);
	int64_t from = layout_bytes(&plan->operand[0].layout), to = layout_bytes(&plan->operand[1].layout);
	if (from != to)
		return fail(ST_SHAPE, "%s: rank %d sends itself %lld bytes, and receives %lld", title, rank,
		        (long long)from, (long long)to);
	if (call->shell->together)
		return fail(ST_RANK, "a rank cannot send to itself in `together`: use `copy`");
	plan->record.kind = OP_COPY;
	plan->record.group = -1;
	plan->parts = 0;
	return ST_OK;
}

static enum status p2p_complete(struct call *call, int rank, struct submit_plan *plan)
{
	struct record *record = &plan->record;
	record->object = plan->operand[0].name;
	record->dtype = plan->operand[0].layout.dtype;
	for (int i = 0; i < plan->operands; i++)
		record->bytes = most_of(record->bytes, layout_bytes(&plan->operand[i].layout));
	enum status status = plan_for_nccl(call->shell, plan);
	return status == ST_OK ? p2p_to_self(call, rank, plan) : status;
}

static enum status p2p_run(struct call *call)
{
	struct plans plans = {0};
	if (!call->shell->together)
		return plans_run(call, OP_P2P, p2p_resolve, p2p_complete);
	enum status status = plans_resolve(call, OP_P2P, p2p_resolve, p2p_complete, &plans);
	for (int k = 0; k < plans.ranks && status == ST_OK; k++)
		together_add(call->shell, plans.rank[k].rank, &plans.plan[plans.rank[k].plan]);
	plans_release(&plans);
	return status;
}

const struct command command_send = {
        .name = "send",
        .topic = "move",
        .usage = "send TENSOR to=RANK [on STREAM] [in GROUP]",
        .help = "sends a tensor to another rank in the group; completes when the other rank has received it",
        .example = "tensor x[4] = rank\n@0 send x to=1\n@1 recv x from=0\nsync",
        .torch = "dist.send(TENSOR, dst=RANK)   # in a group: group_dst=RANK",
        .cuda = "ncclSend(TENSOR, count, ncclFloat, RANK, comm, STREAM)",
        .stream_ok = true,
        .group_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "TENSOR"}},
        .option = {{"to", ARG_EXPRESSION, UNIT_PLAIN, NULL, "the receiver's rank in the group"}},
        .run = p2p_run,
};

const struct command command_recv = {
        .name = "recv",
        .topic = "move",
        .usage = "recv TENSOR from=RANK [on STREAM] [in GROUP]",
        .help = "receives a tensor that another rank in the group sends; the receiving tensor must exist",
        .example = "tensor x[4] = rank\n@0 send x to=1\n@1 recv x from=0\nsync",
        .torch = "dist.recv(TENSOR, src=RANK)   # in a group: group_src=RANK",
        .cuda = "ncclRecv(TENSOR, count, ncclFloat, RANK, comm, STREAM)",
        .stream_ok = true,
        .group_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "TENSOR"}},
        .option = {{"from", ARG_EXPRESSION, UNIT_PLAIN, NULL, "the sender's rank in the group"}},
        .run = p2p_run,
};

const struct command command_sendrecv = {
        .name = "sendrecv",
        .topic = "move",
        .usage = "sendrecv FROM -> TO to=NEXT from=PREVIOUS [on STREAM] [in GROUP]",
        .help = "sends one tensor and receives another at the same time, so that a ring cannot deadlock",
        .example = "tensor x[4] y[4] = rank\nsendrecv x -> y to=(rank+1)%world from=(rank-1)%world\nsync",
        .torch = "dist.batch_isend_irecv([P2POp(dist.isend, FROM, NEXT), P2POp(dist.irecv, TO, PREVIOUS)])   "
                 "# in a group: group_peer=",
        .cuda = "ncclGroupStart(); ncclSend(FROM, ...); ncclRecv(TO, ...); ncclGroupEnd()",
        .stream_ok = true,
        .group_ok = true,
        .argument = {{ARG_TENSOR, 0, NULL, "FROM"}, {ARG_ARROW, 0, NULL, "->"}, {ARG_TENSOR, 0, NULL, "TO"}},
        .option = {{"to", ARG_EXPRESSION, UNIT_PLAIN, NULL, "the receiver's rank in the group"},
                {"from", ARG_EXPRESSION, UNIT_PLAIN, NULL, "the sender's rank in the group"}},
        .run = p2p_run,
};
