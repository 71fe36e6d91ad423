/* plan.c -- resolve every rank, make memory, queue: see plan.h.
 *
 *     @0-3 y = relu x            resolve 0: plan A   complete A
 *                                resolve 1: equal    (another address would make it plan B)
 *                                resolve 2, 3: equal
 *                                make y on 0, 1, 2, 3
 *                                queue 0: record 17;  queue 1, 2, 3: record 17 again
 *
 * The first step changes nothing. The second undoes its work in reverse if a device is full. The
 * third fails only for reasons that end the line on every process, such as Ctrl-C. */
#include "shell/submit/plan.h"
#include "base/memory.h"
#include "shell/values/prints.h"
#include "shell/session/queue.h"
#include "world/world.h"

#include <string.h>

void plan_operand(struct submit_plan *plan, const struct view *view, int access)
{
	plan->operand[plan->operands++] = view_operand(view, access);
}

enum status plan_result_view(struct call *call, int rank, struct submit_plan *plan)
{
	int i = plan->results++;
	struct plan_result *result = &plan->result[i];
	result->action = call->statement->result[i].dropped ? RESULT_DROP : RESULT_KEEP;
	if (result->action == RESULT_DROP) {
		result->view = (struct view){.tensor = -1};
		return ST_OK;
	}
	enum status status = call_result(call, i, rank, &result->view);
	for (int k = 0; k < i && status == ST_OK; k++)
		if (plan->result[k].view.name == result->view.name && plan->result[k].action != RESULT_DROP)
			status = fail(
			        ST_NAME, "%s: two results have the same name", call->statement->row->name);
	return status;
}

/* A tensor of the result's name is overwritten if shape and type fit, as with out=. Else it is
 * remade, as when Python rebinds a name; but not a view, a slice, or host memory. */
static enum status result_settle_old(const struct shell *shell, const char *title, struct plan_result *result,
        const struct layout *wanted, int access)
{
	const struct view *view = &result->view;
	const struct layout *is = &view->layout;
	const struct tensor *tensor = &shell->world->tensors[view->tensor];
	bool same_shape = layout_same_shape(is, wanted);
	if (same_shape && is->dtype == wanted->dtype)
		return ST_OK;
	result->action = RESULT_REMAKE;
	enum status status = world_window_closed(shell->world, title, view->tensor);
	if (status != ST_OK)
		return status;
	const char *why = view->sliced        ? "a slice takes what fits it"
	        : tensor->view                ? "a view is never remade: take another name"
	        : tensor->views               ? "it has views, so it is not remade: take another name"
	        : view->space != SPACE_DEVICE ? "only device memory is remade"
	        : access & ACCESS_ADD         ? "+= needs equal shapes and types"
	                                      : NULL;
	if (!why)
		return ST_OK;
	return fail(same_shape ? ST_DTYPE : ST_SHAPE, "%s: %s is %s, the result is %s; %s", title,
	        names_text(shell->world->names, view->name),
	        same_shape ? dtype_name(is->dtype) : shape_text(is).text,
	        same_shape ? dtype_name(wanted->dtype) : shape_text(wanted).text, why);
}

enum status plan_result_settle(
        struct shell *shell, struct submit_plan *plan, int i, const struct layout *wanted, int access)
{
	struct plan_result *result = &plan->result[i];
	const char *title = names_text(shell->world->names, plan->record.title);
	enum status status = ST_OK;
	if (result->view.tensor >= 0)
		status = result_settle_old(shell, title, result, wanted, access);
	else if (access & ACCESS_ADD)
		status = fail(ST_NAME, "%s: += adds into an existing tensor; no tensor '%s'", title,
		        names_text(shell->world->names, result->view.name));
	else if (result->action != RESULT_DROP)
		result->action = RESULT_MAKE;
	result->operand = plan->operands;
	plan_operand(plan, &result->view, access);
	if (result->action != RESULT_KEEP) {
		plan->operand[result->operand].space = SPACE_DEVICE;
		plan->operand[result->operand].layout = *wanted;
	}
	return status;
}

const struct group_instance *plan_part(const struct shell *shell, const struct submit_plan *plan, int rank)
{
	return group_part(&shell->world->groups[plan->record.group], rank);
}

/* Returns true if the results have the same name and, before the line, the same memory, or
 * none. */
static bool results_equal(const struct shell *shell, const struct plan_result *a, const struct plan_result *b)
{
	const struct view *v = &a->view, *w = &b->view;
	if ((a->action == RESULT_DROP) != (b->action == RESULT_DROP) || (v->tensor < 0) != (w->tensor < 0) ||
	        v->name != w->name)
		return false;
	if (v->tensor < 0)
		return true;
	const struct tensor *s = &shell->world->tensors[v->tensor], *t = &shell->world->tensors[w->tensor];
	return v->address == w->address && v->space == w->space && v->sliced == w->sliced &&
	        layout_equal(&v->layout, &w->layout) && s->view == t->view && !s->views == !t->views;
}

/* Compares the fields that `resolve` sets, because `b` has no others; `a` is complete and also has
 * operands for its results. */
static bool plans_equal(const struct shell *shell, const struct submit_plan *a, const struct submit_plan *b)
{
	const struct record *r = &a->record, *s = &b->record;
	int arguments = b->operands;
	if (a->stream != b->stream || memcmp(&a->place, &b->place, sizeof a->place) != 0 ||
	        a->window != b->window || a->waits != b->waits || a->results != b->results ||
	        a->operands - a->results != arguments || a->parts != b->parts ||
	        !layout_equal(&a->shape, &b->shape))
		return false;
	if (r->phase != s->phase || r->colour != s->colour || r->microbatch != s->microbatch ||
	        r->group != s->group || r->root != s->root || r->reduction != s->reduction ||
	        r->backup != s->backup || r->algorithm != s->algorithm || r->duration_ns != s->duration_ns ||
	        memcmp(r->parameter, s->parameter, sizeof r->parameter) != 0 ||
	        !splits_equal(&r->split, &s->split))
		return false;
	for (int i = 0; i < arguments; i++)
		if (!operand_equal(&a->operand[i], &b->operand[i]))
			return false;
	for (int i = 0; i < a->parts; i++)
		if (a->part[i].peer != b->part[i].peer || a->part[i].direction != b->part[i].direction ||
		        a->part[i].offset != b->part[i].offset)
			return false;
	for (int i = 0; i < a->results; i++)
		if (!results_equal(shell, &a->result[i], &b->result[i]))
			return false;
	return true;
}

/* Binds the name at once. The tensor that had it stays in old[i] until the operation is queued,
 * because it may be an argument (y = matmul y w). */
static enum status result_make(
        struct shell *shell, const struct submit_plan *plan, struct plan_rank *one, int i)
{
	const struct plan_result *result = &plan->result[i];
	name_id name = result->action == RESULT_DROP ? 0 : result->view.name;
	if (result->action == RESULT_KEEP)
		return ST_OK;
	if (result->action == RESULT_REMAKE)
		one->old[i] = world_find(shell->world, one->rank, name).index;
	return shell_tensor_make(shell, one->rank, name, &plan->operand[result->operand].layout, SPACE_DEVICE,
	        plan->stream, TENSOR_RESULT, interpreter_kind(shell, one->rank), &one->made[i]);
}

static void results_unmake(struct shell *shell, const struct submit_plan *plan, const struct plan_rank *one)
{
	for (int i = plan->results - 1; i >= 0; i--) {
		if (one->made[i] >= 0)
			shell_tensor_free(shell, one->made[i], 0);
		if (one->old[i] >= 0)
			world_bind(shell->world, one->rank, plan->result[i].view.name,
			        (struct thing){THING_TENSOR, one->old[i]});
	}
}

enum status plans_make(struct shell *shell, struct plans *plans)
{
	enum status status = ST_OK;
	for (int k = 0; k < plans->ranks && status == ST_OK; k++) {
		struct plan_rank *one = &plans->rank[k];
		for (int i = 0; i < plans->plan[one->plan].results && status == ST_OK; i++)
			status = result_make(shell, &plans->plan[one->plan], one, i);
	}
	for (int k = plans->ranks - 1; k >= 0 && status != ST_OK; k--)
		results_unmake(shell, &plans->plan[plans->rank[k].plan], &plans->rank[k]);
	return status;
}

bool plan_use_results(struct shell *shell, struct submit_plan *plan, const struct plan_rank *one)
{
	bool same = plan->queued != 0;
	for (int i = 0; i < plan->results; i++) {
		if (one->made[i] < 0)
			continue;
		const struct tensor *tensor = &shell->world->tensors[one->made[i]];
		struct operand *operand = &plan->operand[plan->result[i].operand];
		same = same && operand->address == tensor->address;
		operand->address = tensor->address;
		operand->tensor = one->made[i];
		operand->name = tensor->name;
	}
	return same;
}

enum status plan_free_old(struct shell *shell, const struct submit_plan *plan, const struct plan_rank *one)
{
	enum status status = ST_OK;
	for (int i = 0; i < plan->results && status == ST_OK; i++) {
		if (one->old[i] >= 0)
			status = shell_tensor_free(shell, one->old[i], plan->stream);
		if (status == ST_OK && plan->result[i].action == RESULT_DROP)
			status = shell_tensor_free(shell, one->made[i], plan->stream);
	}
	return status;
}

/* Ranks of one plan share a record if their results have the same addresses, except in a captured
 * graph (queued_record returns 0). */
static enum status plan_queue_rank(struct shell *shell, struct submit_plan *plan, struct plan_rank *one)
{
	struct record *record = &plan->record;
	bool same = plan_use_results(shell, plan, one);
	record->operand = plan->operand;
	record->operands = (uint8_t)plan->operands;
	record->part = plan->part;
	record->parts = (uint8_t)plan->parts;
	record->noted = noted_loss(shell->world, plan->operand, plan->operands) != NULL;
	int flags = record->kind == OP_COLLECTIVE ? together_flags(shell, one->rank) : 0;
	op_id window = 0;
	if (plan->window >= 0)
		window = shell->world
		                 ->tensors[world_tensor_at(
		                         shell->world, one->rank, SPACE_DEVICE, plan->window)]
		                 .window;
	enum status status = shell_queue(
	        shell, one->rank, plan->stream, record, same ? plan->queued : 0, window, flags, &one->id);
	if (one->id)
		plan->queued = queued_record(shell, one->id);
	return status == ST_OK ? plan_free_old(shell, plan, one) : status;
}

/* Returns a number for the links of the parts: within the rank, in its node, to another node.
 * Ranks with the same peer may be in different nodes. */
static int plan_links(const struct machine *machine, int rank, const struct submit_plan *plan)
{
	int links = 0;
	for (int i = 0; i < plan->parts; i++) {
		int peer = plan->part[i].peer;
		bool far = machine_node(machine, peer) != machine_node(machine, rank);
		links = links * 3 + (peer == rank ? 0 : 1 + far);
	}
	return links;
}

/* Compares a rank only with the last plan, because equal ranks are nearly always adjacent. */
enum status plans_resolve(
        struct call *call, enum op_kind kind, plan_step *resolve, plan_step *complete, struct plans *plans)
{
	struct submit_plan fresh;
	plans->rank = mem_alloc((size_t)ranks_count(call->set) * sizeof *plans->rank);
	FOR_RANKS (rank, call->set) {
		/* clears only what resolve leaves: a plan has a kilobyte of operands */
		fresh.operands = fresh.results = fresh.parts = 0;
		fresh.shape.dims = fresh.shape.dtype = 0;
		fresh.place = (struct plan_place){0};
		fresh.window = -1;
		fresh.queued = 0;
		fresh.waits = false;
		fresh.record = call_record(call, rank, kind, call->statement->row->name);
		enum status status = call_stream(call, rank, &fresh.stream);
		if (status == ST_OK)
			status = resolve(call, rank, &fresh);
		if (status != ST_OK)
			return status;
		if (fresh.parts)
			fresh.place.links = plan_links(call->shell->world->machine, rank, &fresh);
		if (!plans->count || !plans_equal(call->shell, &plans->plan[plans->count - 1], &fresh)) {
			status = complete ? complete(call, rank, &fresh) : ST_OK;
			if (status != ST_OK)
				return status;
			*MEM_ADD(&plans->plan, &plans->count) = fresh;
		}
		status = plan_fits_stream(call->shell, rank, &plans->plan[plans->count - 1]);
		if (status != ST_OK)
			return status;
		struct plan_rank *one = &plans->rank[plans->ranks++];
		one->rank = rank;
		one->plan = (uint32_t)(plans->count - 1);
		for (int i = 0; i < PLAN_RESULTS; i++)
			one->made[i] = one->old[i] = -1;
	}
	return ST_OK;
}

enum status plans_run(struct call *call, enum op_kind kind, plan_step *resolve, plan_step *complete)
{
	struct plans plans = {0};
	enum status status = plans_resolve(call, kind, resolve, complete, &plans);
	if (status == ST_OK)
		status = plans_make(call->shell, &plans);
	for (int k = 0; k < plans.ranks && status == ST_OK; k++)
		status = plan_queue_rank(call->shell, &plans.plan[plans.rank[k].plan], &plans.rank[k]);
	for (int k = 0; k < plans.ranks && status == ST_OK; k++) {
		const struct submit_plan *plan = &plans.plan[plans.rank[k].plan];
		if (plan->waits)
			status = host_sync(call, plans.rank[k].rank, plans.rank[k].id,
			        kind == OP_COPY ? plan->record.object : 0);
	}
	status = host_answer(call, status);
	if (status == ST_OK && !call->waits)
		plans_notice(call, &plans);
	plans_release(&plans);
	return status;
}

void plans_release(struct plans *plans)
{
	mem_free(plans->plan);
	mem_free(plans->rank);
	*plans = (struct plans){0};
}

/* then: the end of the message: where the data go from pinned memory */
static enum status operand_off_disk(const struct shell *shell, const struct submit_plan *plan,
        const struct operand *operand, const char *then)
{
	const char *name = names_text(shell->world->names, operand->name);
	if (operand->space != SPACE_DISK)
		return ST_OK;
	return fail(ST_ARGUMENT, "%s: %s is on the disk: copy %s -> a pinned tensor first%s",
	        names_text(shell->world->names, plan->record.title), name, name, then);
}

enum status plan_on_device(const struct shell *shell, const struct submit_plan *plan)
{
	for (int i = 0; i < plan->operands; i++) {
		const struct operand *operand = &plan->operand[i];
		const char *name = names_text(shell->world->names, operand->name);
		enum status status = operand_off_disk(shell, plan, operand, ", and that to the device");
		if (status != ST_OK)
			return status;
		if (operand->space != SPACE_DEVICE)
			return fail(ST_ARGUMENT,
			        "%s: %s is in %s memory, and a GPU works on device memory: copy %s -> a "
			        "tensor on the device first",
			        names_text(shell->world->names, plan->record.title), name,
			        operand->space == SPACE_PINNED ? "pinned host" : "host", name);
	}
	return ST_OK;
}

enum status plan_fits_stream(const struct shell *shell, int rank, const struct submit_plan *plan)
{
	const struct world *world = shell->world;
	const struct stream *stream = world_stream(world, rank, plan->stream);
	const char *title = names_text(world->names, plan->record.title),
	           *thread = names_text(world->names, stream->name);
	if (!stream->host)
		return ST_OK;
	if (plan->record.kind != OP_KERNEL && plan->record.kind != OP_COPY)
		return fail(ST_ARGUMENT,
		        "%s: %s is a thread of the host (kind=host), which cannot exchange data between "
		        "GPUs: use a stream of the GPU",
		        title, thread);
	for (int i = 0; i < plan->operands; i++) {
		enum status status = plan->record.kind == OP_KERNEL
		        ? operand_off_disk(shell, plan, &plan->operand[i], "")
		        : ST_OK;
		if (status != ST_OK)
			return status;
		if (plan->operand[i].space == SPACE_DEVICE)
			return fail(ST_ARGUMENT,
			        "%s: %s is a thread of the host (kind=host), and %s %s on the device: such a "
			        "thread runs copies between disk, pinned and host memory, kernels of host "
			        "tensors, and spin",
			        title, thread, names_text(world->names, plan->operand[i].name),
			        plan->operand[i].tensor < 0 ? "would be made" : "is");
	}
	return ST_OK;
}

enum status plan_for_nccl(const struct shell *shell, const struct submit_plan *plan)
{
	enum status status = plan_on_device(shell, plan);
	for (int i = 0; i < plan->operands && status == ST_OK; i++)
		if (!layout_contiguous(&plan->operand[i].layout))
			status = fail(ST_SHAPE,
			        "%s: the elements of %s are not contiguous, and NCCL moves whole blocks: "
			        "copy it into a new tensor",
			        names_text(shell->world->names, plan->record.title),
			        names_text(shell->world->names, plan->operand[i].name));
	return status;
}
