/* host.c -- operations of the host's own lane, and answers at the prompt.
 *
 * A host waits by an OP_SYNC on STREAM_HOST, which holds its later operations until the target has
 * completed. A script does not block: the wait is simulated later. At the prompt a line's OP_SYNCs
 * complete before the next line is read; in a script, too, if a group has a timeout and all hosts
 * wait, because then a missing operation cannot come in time. */
#include "base/memory.h"
#include "shell/session/expired.h"
#include "shell/session/note.h"
#include "shell/session/queue.h"
#include "shell/submit/plan.h"
#include "shell/language/run/command.h"

#include <string.h>

enum status queue_alike(
        struct call *call, int rank, int stream, const struct record *record, op_id target, op_id *id)
{
	const struct record *before = &call->shell->world->records[call->last.record];
	bool same = call->last.record && call->last.phase == record->phase &&
	        call->last.object == record->object && call->last.duration_ns == record->duration_ns &&
	        before->operands == record->operands;
	for (int i = 0; i < record->operands && same; i++)
		same = operand_equal(&before->operand[i], &record->operand[i]);
	enum status status =
	        shell_queue(call->shell, rank, stream, record, same ? call->last.record : 0, target, 0, id);
	if (status != ST_OK)
		return status;
	call->last.record = queued_record(call->shell, *id);
	call->last.phase = record->phase;
	call->last.object = record->object;
	call->last.duration_ns = record->duration_ns;
	return ST_OK;
}

enum status host_target(struct call *call, int i, int rank, op_id *target, name_id *object)
{
	struct thing thing;
	enum status status = call_thing(call, 0, i, rank, &thing);
	if (status != ST_OK)
		return status;
	const struct world *world = call->shell->world;
	if (thing.kind == THING_EVENT) {
		*target = world->events[thing.index].record;
		*object = world->events[thing.index].name;
	} else {
		*target = world_tail(world, rank, world->streams[thing.index].number);
		*object = world->streams[thing.index].name;
	}
	return ST_OK;
}

enum status host_sync_reading(
        struct call *call, int rank, op_id target, name_id object, const struct host_reads *reads)
{
	const char *reason = call->statement->row->name;
	int named = reads ? call_read_stream(call, rank) : STREAM_HOST;
	if (!target && named != STREAM_HOST)
		target = world_tail(call->shell->world, rank, named);
	struct record record = call_record(call, rank, OP_SYNC, "sync");
	record.reason = names_make(call->shell->world->names, reason, strlen(reason));
	record.object = object;
	record.operand = reads ? (struct operand *)reads->operand : NULL;
	record.operands = reads ? (uint8_t)reads->count : 0;
	record.noted = reads && reads->count && reads->noted;
	return queue_alike(call, rank, STREAM_HOST, &record, target, MEM_ADD(&call->wait, &call->waits));
}

enum status host_sync(struct call *call, int rank, op_id target, name_id object)
{
	return host_sync_reading(call, rank, target, object, NULL);
}

/* Runs until each wait has ended. Adds to *left the ranks whose wait needs another rank's lines,
 * or never ends. Returns at another failure. */
static enum status host_reach_each(struct call *call, struct ranks *left)
{
	struct shell *shell = call->shell;
	enum status last = ST_OK;
	for (size_t i = 0; i < call->waits; i++) {
		enum status status = shell_reach(shell, &call->wait[i], 1);
		if (status != ST_OK && status != ST_WAITS && status != ST_STUCK)
			return status;
		if (status != ST_OK) {
			ranks_add(left, shell->world->ops[call->wait[i]].rank);
			last = status;
		}
	}
	return last;
}

/* Tries all waits at once. If some cannot end, it tries each, to name those ranks; if there are
 * too many, it names all. */
enum status host_answer(struct call *call, enum status status)
{
	enum { ONE_BY_ONE_MOST = 64 };
	struct shell *shell = call->shell;
	struct ranks left = {0};
	if (status != ST_OK || !call->waits)
		return status;
	bool prompt = call_at_prompt(call);
	if (!prompt && (ranks_count(call->set) < shell->world->n || !shell_times_out(shell->world)))
		return ST_OK;
	status = shell_reach(shell, call->wait, (int)call->waits);
	if (status != ST_WAITS && status != ST_STUCK)
		return status;
	for (size_t i = 0; call->waits > ONE_BY_ONE_MOST && i < call->waits; i++)
		ranks_add(&left, shell->world->ops[call->wait[i]].rank);
	if (call->waits <= ONE_BY_ONE_MOST)
		status = host_reach_each(call, &left);
	if (status != ST_WAITS && status != ST_STUCK)
		return status;
	if (prompt)
		shell_note(shell, &left, "%s: %s%s", call->statement->row->name, fail_text(),
		        status == ST_STUCK ? ". `stuck` shows which rank waits for which" : "");
	shell_expired(shell); /* reports also timeouts for which no host waits */
	return ST_OK;
}

enum status host_bring(
        struct call *call, int rank, int stream, const struct view *view, struct host_reads *reads, op_id *id)
{
	*id = 0;
	return shell_bring(
	        call->shell, rank, stream, view, call_record(call, rank, OP_COPY, "copy"), reads, id);
}

/* Appends "y [256,256] queued on default: 2.00 ms of work, not begun". If a launch takes host
 * time, its work begins later than the host's clock; only otherwise are times needed, which take a
 * forecast of all queued work. */
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

/* Ranks with equal notes share one. Work captured in a graph gets none. */
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
