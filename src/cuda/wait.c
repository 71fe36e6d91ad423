/* wait.c -- waits for hosts in rounds
 *
 * Every decision here (whether to wait, whether it is over, whether Ctrl-C was pressed) is the
 * same on all processes: it follows from the world, from measurements, or from a round. */
#include "cuda/control.h"
#include "backend/call.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/search.h"

#include <stdio.h>
#include <string.h>

static struct open_op *open_find(struct control *control, op_id id)
{
	size_t i;
	SEARCH(i, control->open_count, control->open[i].id >= id);
	return i < control->open_count && control->open[i].id == id ? &control->open[i] : NULL;
}

static int part_of(const struct world *world, op_id id)
{
	int group = op_record(world, id)->group;
	return group < 0 ? -1 : order_part_of(world, group, world->me);
}

static op_id first_open(const struct control *control, int part)
{
	for (size_t i = 0; i < control->open_count; i++)
		if (part_of(control->world, control->open[i].id) == part)
			return control->open[i].id;
	return 0;
}

/* "rank 1, matmul y (line 12): cuLaunchKernel: ..." */
static void failure_keep_words(struct control *control, const struct host_report *report, op_id id)
{
	const struct world *world = control->world;
	const char *words = report->words ? report->words : "it failed";
	if (control->failure.status != ST_OK)
		return;
	control->failure.status = report->status;
	if (!id) {
		snprintf(control->failure.words, sizeof control->failure.words, "rank %d: %s", world->me,
		        words);
		return;
	}
	struct text label = {0};
	op_label(world, id, &label);
	snprintf(control->failure.words, sizeof control->failure.words, "rank %d, %s (line %d): %s",
	        world->me, text_string(&label), op_record(world, id)->line, words);
	text_release(&label);
}

/* Its peers wait for it, so all ranks have to know. */
static void failure_keep(struct control *control, const struct host_report *report)
{
	op_id id = report->measured.id;
	int part = id ? part_of(control->world, id) : report->part;
	if (part >= 0)
		*MEM_ADD(&control->failure.lost, &control->failure.lost_count) = part;
	failure_keep_words(control, report, id ? id : first_open(control, part));
}

/* An index out of range: the kernel ran anyway and computed a NaN or nothing. Of several streams'
 * failures the first in program order is kept. */
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
	struct open_op *open = open_find(control, one->id);
	if (open)
		open->over = true;
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

static bool own_over(struct control *control, enum control_wait what)
{
	for (size_t i = 0; i < control->open_count; i++)
		if (is_awaited(control, what, control->open[i].id))
			return false;
	return true;
}

static void cancel_part(struct control *control, int part)
{
	for (size_t i = control->open_count; i-- > 0;)
		if (part_of(control->world, control->open[i].id) == part)
			operation_cancel(control, &control->open[i]);
}

/* An operation failed in a part, as all know: no rank waits there any longer. All cancel theirs
 * first and release the part one round later, so that no peer takes it for done. */
static void part_lose(struct control *control, const struct vote *vote)
{
	if (control->failure.losing)
		orders_lose(control, control->failure.losing - 1);
	control->failure.losing = vote->lost;
	if (!vote->lost)
		return;
	cancel_part(control, vote->lost - 1);
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

/* Passes on the completed operations in the shadow's order, up to the first OP_SYNC that has not
 * completed: all processes stop at the same one. Others that have not completed stay for the next
 * call. */
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

/* One round: shares measurements and asks whether the wait is over. If any process is full, all
 * read what has completed. */
static enum status hold_round(struct control *control, enum control_wait what, bool *over)
{
	reports_take(control, what);
	struct vote vote = {.over = own_over(control, what),
	        .full = host_is_full(control->host),
	        .lost = control->failure.lost_count ? control->failure.lost[0] + 1 : 0};
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
