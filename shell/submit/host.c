/* host.c -- operations of the host's own lane, and answers that are owed at the prompt.
 *
 * A wait of the host is an OP_SYNC queued on STREAM_HOST: the books have it as any operation, and the
 * host's clock stands until its target is over. In a script nothing waits for real; the simulation comes
 * to it later. At the prompt a person waits for an answer, so the line's OP_SYNCs are reached before the
 * next line is read. */
#include "shell/submit/host.h"
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/session/note.h"
#include "shell/session/queue.h"
#include "shell/session/read.h"
#include "world/world.h"

#include <string.h>

/* The ranks of a line come one after the other, and most say the same: an operation shares the record of
 * the one before it where phase, object and duration agree. What differs by rank otherwise is no part of a
 * record. */
enum status queue_alike(struct shell *shell, int rank, int stream, const struct record *record, op_id target,
        struct shared_record *alike, op_id *id)
{
	bool same = alike->record && alike->phase == record->phase && alike->object == record->object &&
	        alike->duration_ns == record->duration_ns;
	enum status status =
	        shell_queue(shell, rank, stream, record, same ? alike->record : 0, target, 0, id);
	if (status == ST_OK && *id)
		*alike = (struct shared_record){
		        queued_record(shell, *id), record->phase, record->object, record->duration_ns};
	return status;
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

void host_syncs_begin(struct shell *shell, struct call *call, struct host_syncs *syncs)
{
	const char *reason = call->statement->row->name;
	*syncs = (struct host_syncs){.reason = names_make(shell->world->names, reason, strlen(reason)),
	        .id = mem_alloc((size_t)ranks_count(call->set) * sizeof *syncs->id)};
}

enum status host_sync(struct shell *shell, struct call *call, int rank, op_id target, name_id object,
        struct host_syncs *syncs)
{
	struct record record = call_record(call, rank, OP_SYNC, "sync");
	record.reason = syncs->reason;
	record.object = object;
	return queue_alike(
	        shell, rank, STREAM_HOST, &record, target, &syncs->alike, &syncs->id[syncs->count++]);
}

/* Reaches one host after the other, so that those that can be answered are. *left: the ranks that wait for
 * lines that another rank has not been given yet (ST_WAITS), or that nothing can help (ST_STUCK). Other
 * failures end it. */
static enum status reach_each(struct shell *shell, const op_id *id, int count, struct ranks *left)
{
	enum status first = ST_OK;
	for (int i = 0; i < count; i++) {
		enum status status = shell->backend->reach(shell->backend, &id[i], 1, &shell->budget);
		if (status != ST_OK && status != ST_WAITS && status != ST_STUCK)
			return status;
		if (status != ST_OK) {
			ranks_add(left, shell->world->ops[id[i]].rank);
			first = status;
		}
	}
	return first;
}

/* At the prompt: the answers owed. All are reached together first. When some must wait, each is tried by
 * itself, to tell which; among very many that would take too long, and all are named. The line stands in
 * any case: its waiting is what the program does now, and a later line may end it. */
static enum status host_reach(struct shell *shell, struct call *call, const op_id *id, int count)
{
	enum { ONE_BY_ONE_MOST = 64 };
	struct ranks left = {0};
	if (!call_at_prompt(call) || !count)
		return ST_OK;
	enum status status = shell->backend->reach(shell->backend, id, count, &shell->budget);
	if (status != ST_WAITS && status != ST_STUCK)
		return status;
	for (int i = 0; count > ONE_BY_ONE_MOST && i < count; i++)
		ranks_add(&left, shell->world->ops[id[i]].rank);
	if (count > 1 && count <= ONE_BY_ONE_MOST)
		status = reach_each(shell, id, count, &left);
	else if (count == 1)
		ranks_add(&left, shell->world->ops[id[0]].rank);
	if (status != ST_WAITS && status != ST_STUCK)
		return status;
	/* The line stands: waiting is what the program does now. */
	shell_note(shell, &left, "%s: %s%s", call->statement->row->name, fail_text(),
	        status == ST_STUCK ? ". `stuck` shows who waits for whom" : "");
	return ST_OK;
}

enum status host_syncs_end(
        struct shell *shell, struct call *call, struct host_syncs *syncs, enum status status)
{
	if (status == ST_OK)
		status = host_reach(shell, call, syncs->id, syncs->count);
	mem_free(syncs->id);
	*syncs = (struct host_syncs){0};
	return status;
}

/* With the line's phase and section, so that the copy is coloured as the line is; read.c has the same
 * without a line. */
enum status host_bring(
        struct shell *shell, struct call *call, int rank, int stream, const struct view *view, op_id *id)
{
	struct record record = call_record(call, rank, OP_COPY, "copy");
	*id = 0;
	return shell_bring(shell, rank, stream, view, &record, id);
}
