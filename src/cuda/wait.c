/* wait.c -- waits for hosts in rounds. Every decision is the same on all processes, because it
 * follows from the world, from measurements, or from a round. */
#include "cuda/control.h"
#include "backend/call.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/search.h"

#include <stdio.h>
#include <string.h>

static int part_of(const struct world *world, op_id id)
{
	int group = op_record(world, id)->group;
	return group < 0 ? -1 : order_part_of(world, group, world->me);
}

/* Keeps the first failure, as "rank 1, matmul y (line 12): cuLaunchKernel: ..." */
static void failure_keep(struct control *control, const struct host_report *report)
{
	const struct world *world = control->world;
	op_id id = report->measured.id;
	int part = id ? part_of(world, id) : report->part;
	if (part >= 0)
		*MEM_ADD(&control->failure.lost, &control->failure.lost_count) = part;
	if (control->failure.status != ST_OK)
		return;
	for (size_t i = 0; i < control->open_count && !id; i++)
		if (part_of(world, control->open[i].id) == part)
			id = control->open[i].id;
	struct text words = {0};
	text_add(&words, "rank %d", world->me);
	if (id) {
		text_add(&words, ", ");
		op_label(world, id, &words);
		text_add(&words, " (line %d)", op_record(world, id)->line);
	}
	text_add(&words, ": %s", report->words ? report->words : "it failed");
	control->failure.status = report->status;
	snprintf(control->failure.words, sizeof control->failure.words, "%s", text_string(&words));
	text_release(&words);
}

/* Of several streams' failures the first in program order is kept. */
static void failure_keep_index(struct control *control, const struct host_report *report)
{
	const struct world *world = control->world;
	if (control->failure.status != ST_OK && control->failure.looked_up <= report->looks_up)
		return;
	control->failure.looked_up = report->looks_up;
	control->failure.status = call_index_failure(
	        world, op_record(world, report->looks_up), report->place, (double)report->value);
	snprintf(control->failure.words, sizeof control->failure.words, "%s", fail_text());
}

static bool is_awaited(struct control *control, enum control_wait what, op_id id)
{
	if (control->world->ops[id].flags & OPF_DONE)
		return true;
	return what == WAIT_PROJECTED && backend_times(control->shadow, id).end != TIME_UNKNOWN;
}

static void report_take(struct control *control, const struct measured *one, enum control_wait what)
{
	size_t i;
	SEARCH(i, control->open_count, control->open[i].id >= one->id);
	if (i < control->open_count && control->open[i].id == one->id)
		control->open[i].over = true;
	if (is_awaited(control, what, one->id))
		control->setup.library->host_sleep_until(one->end + control->clocks.shift);
	control->clocks.own_end = most_of(control->clocks.own_end, one->end);
	rounds_tell(&control->rounds, one);
}

static void reports_take(struct control *control, enum control_wait what)
{
	struct host_report reports[64];
	size_t count;
	while ((count = host_take(control->host, reports, sizeof reports / sizeof *reports)) > 0)
		for (size_t i = 0; i < count; i++) {
			struct host_report *report = &reports[i];
			if (report->looks_up)
				failure_keep_index(control, report);
			if (report->status != ST_OK)
				failure_keep(control, report);
			if (report->measured.id)
				report_take(control, &report->measured, what);
			mem_free(report->words);
		}
	size_t kept = 0;
	for (size_t i = 0; i < control->open_count; i++)
		if (!control->open[i].over)
			control->open[kept++] = control->open[i];
	control->open_count = kept;
}

static void operation_cancel(struct control *control, struct open_op *open)
{
	if (open->cancelled)
		return;
	open->cancelled = true;
	host_cancel(control->host, open->id);
}

/* Last to first: when a host continues, its next operation must be cancelled already. */
void control_cancel(struct control *control)
{
	for (size_t i = control->open_count; i-- > 0;)
		if (control->world->ops[control->open[i].id].flags & OPF_ABORTED)
			operation_cancel(control, &control->open[i]);
}

/* All processes first cancel the operations of a failed part and release it one round later, so
 * that no peer takes them for completed. */
static void part_lose(struct control *control, const struct vote *vote)
{
	if (control->failure.losing)
		orders_lose(control, control->failure.losing - 1);
	control->failure.losing = vote->lost;
	if (!vote->lost)
		return;
	for (size_t i = control->open_count; i-- > 0;)
		if (part_of(control->world, control->open[i].id) == vote->lost - 1)
			operation_cancel(control, &control->open[i]);
	size_t kept = 0;
	for (size_t i = 0; i < control->failure.lost_count; i++)
		if (control->failure.lost[i] != vote->lost - 1)
			control->failure.lost[kept++] = control->failure.lost[i];
	control->failure.lost_count = kept;
}

void control_done(void *self, op_id id)
{
	struct control *control = self;
	*MEM_ADD(&control->done, &control->done_count) = id;
	control->owed |= op_record(control->world, id)->kind == OP_SYNC;
}

/* Calls the hook in the shadow's order, up to the first OP_SYNC without measured times; other
 * operations without them stay for the next call. */
static void done_pass_on(struct control *control)
{
	size_t left = 0, next = 0;
	for (; next < control->done_count; next++) {
		op_id id = control->done[next];
		if (measurements_find(&control->measured, id))
			control->hooks.done(control->hooks.self, id);
		else if (op_record(control->world, id)->kind == OP_SYNC)
			break;
		else
			control->done[left++] = id;
	}
	control->done_count -= next - left;
	if (next > left)
		memmove(control->done + left, control->done + next,
		        (control->done_count - left) * sizeof *control->done);
	if (control->done_count == 0)
		control->owed = false;
}

/* If any process is full, all call the hooks of what has completed, which read the values. */
static enum status hold_round(struct control *control, enum control_wait what, bool *over)
{
	reports_take(control, what);
	struct vote vote = {.over = true,
	        .full = host_is_full(control->host),
	        .lost = control->failure.lost_count ? control->failure.lost[0] + 1 : 0};
	for (size_t i = 0; i < control->open_count; i++)
		vote.over &= !is_awaited(control, what, control->open[i].id);
	enum status status = rounds_hold(&control->rounds, &control->measured, &vote);
	control_note_news(control);
	*over = vote.over && !vote.lost;
	part_lose(control, &vote);
	if (vote.full && status == ST_OK)
		done_pass_on(control);
	return status;
}

enum status control_wait(struct control *control, enum control_wait what, struct budget *budget)
{
	enum status status = ST_OK;
	bool over = control->measured.known == control->published;
	while (!over && status == ST_OK) {
		host_await(control->host);
		status = hold_round(control, what, &over);
		if (status != ST_OK || over)
			break;
		if (budget && !budget->waits)
			status = fail(ST_WAITS, "a device is still at work");
		else if (budget && !budget->waits(budget))
			status = fail(ST_INTERRUPTED, "interrupted");
	}
	done_pass_on(control);
	if (status == ST_WAITS || status == ST_INTERRUPTED)
		control->owed = false; /* an answer still wanted is requested again (reach) */
	return status;
}
