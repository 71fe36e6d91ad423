/* plan_notice.c -- the prompt's note for a line that queued work.
 *
 * "y [256,256] queued on default: 2.00 ms of work, not begun": it shows that launches return at
 * once in CUDA. The time is that of the work alone. Consecutive ranks with equal notes share one.
 * Scripts, replays and captured graphs have no notes. */
#include "shell/language/run/command.h"
#include "shell/session/note.h"
#include "shell/submit/plan.h"

#include <string.h>

/* If a launch takes host time, its work begins after the host's clock. Only otherwise is the
 * backend asked for times, which are a forecast of all queued work. */
static void notice_text(struct shell *shell, const struct submit_plan *plan, op_id id, struct text *text)
{
	const struct record *record = op_record(shell->world, id);
	struct op_cost cost = backend_cost(shell->backend, id);
	const struct stream *stream = world_stream(shell->world, shell->world->ops[id].rank, plan->stream);
	struct times times = {.start = TIME_UNKNOWN};
	struct shape_text shape = {""};

	if (cost.launch == 0)
		times = backend_times(shell->backend, id);
	struct host_now now = backend_host(shell->backend, shell->world->ops[id].rank);
	if (plan->results)
		shape = shape_text(&plan->operand[plan->result[0].operand].layout);
	const char *object = names_text(shell->world->names, record->object);
	text_add(text, "%s%s%s queued on %s",
	        *object ? object : names_text(shell->world->names, record->title), plan->results ? " " : "",
	        shape.text, stream ? names_text(shell->world->names, stream->name) : "default");
	if (cost.alone > 0) {
		text_add(text, ": ");
		time_text(cost.alone, text);
		text_add(text, " of work");
	}
	text_add(text,
	        times.start <= now.clock ? times.end <= now.clock ? ", done" : ", begun" : ", not begun");
}

/* At the prompt only, and not for work captured in a graph (its ids are not the world's). */
void plans_notice(const struct call *call, const struct plans *plans)
{
	struct shell *shell = call->shell;
	if (!shell->interactive || shell_quiet(shell) || !call_at_prompt(call) ||
	        plans->rank[0].id > shell->world->op_count)
		return;
	struct text text = {0}, before = {0};
	struct ranks set = {0};
	for (int k = 0; k < plans->ranks; k++) {
		text_clear(&text);
		notice_text(shell, &plans->plan[plans->rank[k].plan], plans->rank[k].id, &text);
		if (k && strcmp(text_string(&text), text_string(&before)) != 0) {
			shell_note(shell, &set, "%s", text_string(&before));
			set = (struct ranks){0};
		}
		text_clear(&before);
		text_put(&before, text_string(&text), text.count);
		ranks_add(&set, plans->rank[k].rank);
	}
	shell_note(shell, &set, "%s", text_string(&before));
	text_release(&text);
	text_release(&before);
}
