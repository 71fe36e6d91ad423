/* host.c -- operations of the host's own lane, and answers at the prompt.
 *
 * The host waits by an OP_SYNC on STREAM_HOST: its clock stops until the target has completed. A
 * script does not block; the simulation processes the wait later. At the prompt the line's
 * OP_SYNCs complete before the next line is read. If groups have a timeout, that applies to
 * scripts too, for a line at which all hosts wait: a missing operation cannot arrive later. */
#include "shell/submit/host.h"
#include "base/memory.h"
#include "shell/session/expired.h"
#include "shell/session/note.h"
#include "shell/session/queue.h"
#include "shell/submit/plan.h"

#include <string.h>

/* An operation shares its predecessor's record if phase, object, duration and operands are equal;
 * other differences between ranks are not part of a record. */
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

/* Only records the wait; host_answer waits, after the hosts of all ranks have reached the line. */
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

/* Waits for one host after the other. *left: ranks that wait for another rank's missing lines
 * (ST_WAITS), or for ever (ST_STUCK). Other failures end it. */
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

/* All at once first. If some must wait, each is tried by itself to find which; if they are too
 * many, all are named. The wait remains in any case: a later line may complete it. */
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
	shell_expired(shell); /* also those without a waiting host */
	return ST_OK;
}

/* With the line's phase and section, so that the copy has its colour; read.c queues the same
 * without a line. */
enum status host_bring(
        struct call *call, int rank, int stream, const struct view *view, struct host_reads *reads, op_id *id)
{
	struct record record = call_record(call, rank, OP_COPY, "copy");
	*id = 0;
	return shell_bring(call->shell, rank, stream, view, &record, reads, id);
}

enum status plans_meet(struct call *call, plan_step *resolve, plan_step *complete)
{
	struct plans plans = {0};
	enum status status = plans_resolve(call, OP_COLLECTIVE, resolve, complete, &plans);
	if (status == ST_OK)
		status = plans_queue(call->shell, &plans);
	for (int k = 0; k < plans.ranks && status == ST_OK; k++)
		status = host_sync(call, plans.rank[k].rank, plans.rank[k].id, 0);
	plans_release(&plans);
	return host_answer(call, status);
}
