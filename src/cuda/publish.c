/* publish.c -- starts all hosts together, with all that is queued
 *
 *      session time     0 ......... 2.1 ms |                          | 2.1 ms ........
 *      hosts            run, are measured  |  idle: time is skipped   |  run
 *      control          publish     rounds |  the user thinks         |  publish */
#include "cuda/control.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/search.h"

#include <string.h>

static const int64_t NS_PER_S = 1000000000;

struct start {
	int64_t now;
	double uncertainty;
	bool idle;
};

/* If all hosts are idle, session time continues from the end of the last operation or the paced
 * time; all hosts start at the latest of their clocks. */
static enum status agree_start(struct control *control)
{
	const struct cuda_library *cuda = control->setup.library;
	int ranks = transport_size(control->transport);
	int64_t now = cuda->host_now();
	/* on the stand-in a completed operation may end in this thread's future */
	bool ended = control->published == 0 || control->clocks.own_end <= now - control->clocks.shift;
	struct start mine = {.now = now + control->clocks.offset.ns,
	        .uncertainty =
	                host_uncertainty(control->host) + (double)control->clocks.offset.uncertainty_ns,
	        .idle = control->open_count == 0 && ended};
	struct start *all = mem_alloc(ranks * sizeof *all);
	enum status status = transport_share(control->transport, &mine, all, sizeof mine);
	bool idle = true;
	for (int i = 0; i < ranks; i++) {
		idle &= all[i].idle;
		mine.now = most_of(mine.now, all[i].now);
		mine.uncertainty = most_number(mine.uncertainty, all[i].uncertainty);
	}
	mem_free(all);
	control->clocks.uncertainty = mine.uncertainty;
	/* clocks of hosts drift; all processes compare them again after a second */
	if (status == ST_OK && control->setup.placement->hosts > 1 &&
	        mine.now >= control->clocks.compared + NS_PER_S) {
		control->clocks.compared = mine.now;
		status = clocks_compare(control->transport, cuda, &control->clocks.offset);
	}
	int64_t at = most_of(control->times.latest, control->clocks.paced);
	if (status == ST_OK && idle)
		control->clocks.shift = mine.now - control->clocks.offset.ns - at;
	struct host_order clock = {
	        .kind = ORDER_CLOCK, .shift = control->clocks.shift, .at = idle ? at : control->clocks.paced};
	if (status == ST_OK)
		host_give(control->host, &clock, 1);
	return status;
}

/* A mismatched operation never starts; one that was aborted before it was given ends at once. */
static void order_update(struct control *control, struct host_order *order)
{
	const struct world *world = control->world;
	order->undone = (world->ops[order->id].flags & OPF_ABORTED) != 0 || order_is_lost(control, order->id);
	FOR_MATCHES (of, world, order->id)
		order->never |= of.match->mismatch;
	if (order->record.backup && !order->undone)
		spares_decide(control, order);
}

/* A graph launch with operations that may be withheld is given as single operations. */
static void join_graph(const struct control *control, struct host_order *order, struct host_order *before)
{
	const struct launch *launch = world_launch(control->world, order->id);
	order->graph = launch ? launch->first : 0;
	for (op_id id = order->graph; id && id <= launch->last; id++)
		if (op_record(control->world, id)->backup > 0)
			order->graph = 0;
	if (order->graph && before && before->kind == ORDER_OPERATION && before->graph == order->graph)
		before->graph_more = true;
}

static bool is_withheld(const struct control *control, const bool *withheld, op_id id)
{
	size_t i;
	SEARCH(i, control->orders.queued_count, control->orders.queued[i] >= id);
	return withheld && withheld[i];
}

/* Gives what is not withheld and keeps the rest; a segment follows its operation. */
static void orders_give(struct control *control, const bool *withheld)
{
	struct host_order *kept = NULL;
	size_t count = 0, kept_count = 0;
	bool keeps = false, goes_on = false;
	for (size_t i = 0; i < control->orders.held_count; i++) {
		struct host_order *order = &control->orders.held[count];
		*order = control->orders.held[i];
		bool operation = order->kind == ORDER_OPERATION;
		if (operation || !goes_on)
			keeps = operation && is_withheld(control, withheld, order->id);
		/* segments that follow belong to it */
		goes_on = order->more && (!operation || order->record.kind == OP_SEGMENT);
		if (keeps) {
			*MEM_ADD(&kept, &kept_count) = *order;
			continue;
		}
		if (operation) {
			order_update(control, order);
			join_graph(control, order, count ? order - 1 : NULL);
			/* sorted by id: a withheld operation comes late */
			size_t at = control->open_count;
			while (at > 0 && control->open[at - 1].id > order->id)
				at--;
			*MEM_INSERT(&control->open, &control->open_count, at) =
			        (struct open_op){.id = order->id};
		}
		count++;
	}
	host_give(control->host, control->orders.held, count);
	if (kept_count)
		memcpy(control->orders.held, kept, kept_count * sizeof *kept);
	control->orders.held_count = kept_count;
	mem_free(kept);
}

static void services_give(struct control *control, const bool *withheld)
{
	size_t kept = 0;
	for (size_t i = 0; i < control->orders.service_count; i++) {
		struct service_owed *service = &control->orders.services[i];
		if (is_withheld(control, withheld, service->id))
			control->orders.services[kept++] = *service;
		else if (!(control->world->ops[service->id].flags & OPF_ABORTED))
			control->exchange->serve(control->exchange, &service->call);
	}
	control->orders.service_count = kept;
}

/* the same on all processes */
static void queued_remove_given(struct control *control, const bool *withheld)
{
	size_t kept = 0;
	for (size_t i = 0; i < control->orders.queued_count; i++)
		if (withheld && withheld[i])
			control->orders.queued[kept++] = control->orders.queued[i];
	control->published += control->orders.queued_count - kept;
	control->orders.queued_count = kept;
}

/* Requests communicators for late members and one-sided operations; their orders go first. */
static void want_pairs(struct control *control, const bool *withheld)
{
	const struct world *world = control->world;
	size_t before = control->orders.held_count;
	for (size_t i = 0; i < control->orders.queued_count; i++) {
		op_id id = control->orders.queued[i];
		if ((withheld && withheld[i]) || (world->ops[id].flags & OPF_ABORTED))
			continue;
		if (op_record(world, id)->backup)
			parties_late(control, &world->matches[world->ops[id].match]);
		if (op_record(world, id)->kind == OP_ONE_SIDED)
			parties_reach(control, id);
	}
	size_t count = control->orders.held_count - before;
	struct host_order *last = mem_alloc((count + 1) * sizeof *last);
	if (count) {
		memcpy(last, control->orders.held + before, count * sizeof *last);
		memmove(control->orders.held + count, control->orders.held, before * sizeof *last);
		memcpy(control->orders.held, last, count * sizeof *last);
	}
	mem_free(last);
}

enum status control_publish(struct control *control)
{
	bool *withheld = spares_withheld(control);
	enum status status = ST_OK;
	size_t first = 0;
	while (first < control->orders.queued_count && withheld && withheld[first])
		first++;
	if (first < control->orders.queued_count) {
		want_pairs(control, withheld);
		status = parties_meet(control);
		if (status == ST_OK)
			status = agree_start(control);
		if (status == ST_OK) {
			services_give(control, withheld);
			orders_give(control, withheld);
			queued_remove_given(control, withheld);
		}
	}
	mem_free(withheld);
	return status;
}
