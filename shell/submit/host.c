/* host.c -- operations of the host's own lane, and answers that are owed at the prompt.
 *
 * A wait of the host is an OP_SYNC queued on STREAM_HOST: the books have it as any operation, and the
 * host's clock stands until its target is over. In a script nothing waits for real; the simulation comes
 * to it later. At the prompt a person waits for an answer, so the line's OP_SYNCs are reached before the
 * next line is read. With groups that have a timeout that is so in a script, too, for a line at which all hosts
 * wait: who was not given the missing line until there does not come. */
#include "shell/submit/host.h"
#include "base/memory.h"
#include "shell/session/expired.h"
#include "shell/session/note.h"
#include "shell/session/queue.h"
#include "shell/submit/plan.h"

#include <string.h>

/* The ranks of a line come one after the other, and most say the same: an operation shares the record of
 * the one before it where phase, object, duration and what is read agree. What differs by rank otherwise is no
 * part of a record. */
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

/* The books record the wait at once; nobody stands still before host_answer, so that the hosts of all ranks have
 * come to the line before the first is asked for its answer. */
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

/* Reaches one host after the other, so that those that can be answered are. *left: the ranks that wait for
 * lines that another rank has not been given yet (ST_WAITS), or that nothing can help (ST_STUCK). Other
 * failures end it. */
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

/* All are reached together first. When some must wait, each is tried by itself, to tell which; among very many
 * that would take too long, and all are named. The line stands in any case: its waiting is what the program
 * does now, and a later line may end it. */
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
	shell_expired(shell); /* those, too, that no host has waited for */
	return ST_OK;
}

/* With the line's phase and section, so that the copy is coloured as the line is; read.c has the same
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
