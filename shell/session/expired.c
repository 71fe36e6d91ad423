/* expired.c -- records timeouts in the world
 *
 * The backend aborts a late collective at its virtual time. The world has no clock. It records a
 * timeout after an awaited answer, or at a synchronization of all hosts, which are the same lines
 * on every process and in every replay. Then the group has no pending operations, and its sequence
 * numbers restart:
 *
 *     rank 0     allreduce x in g .......| 2 ms                          | allreduce x in g
 *     rank 1                              spin 3ms, allreduce x in g |   | allreduce x in g
 *                                                                    sync: recorded here */
#include "shell/session/expired.h"
#include "base/memory.h"
#include "collectives/algorithm.h"
#include "shell/session/note.h"

static void say(struct shell *shell, const struct expiry *expiry)
{
	const struct world *world = shell->world;
	const struct match *match = &world->matches[expiry->match];
	const struct group *group = &world->groups[match->group];
	const char *name = names_text(world->names, group->name);
	op_id first = match->member[match->first];
	struct ranks came = {0}, late = {0};
	struct text words = {0};
	for (int place = 0; place < match->n; place++) {
		const struct op *op = &world->ops[match->member[place]];
		bool there = match->member[place] && op->flags & OPF_DONE && !(op->flags & OPF_LATE) &&
		        op->ready <= expiry->time;
		ranks_add(there ? &came : &late, match->ranks[place]);
	}
	text_add(&words, "timeout: ");
	op_text(world, first, &words);
	text_add(&words, " in %s (line %d) has waited ", name, op_record(world, first)->line);
	time_text(group->timeout, &words);
	if (ranks_empty(&late)) {
		text_add(&words, " and does not match: ");
		world_mismatch(world, first, algorithm_name, &words);
	} else {
		text_add(&words, ranks_count(&late) == 1 ? " for rank " : " for ranks ");
		ranks_text(&late, &words);
	}
	text_add(&words, ". What is queued in %s%s is aborted.", name,
	        group->instances > 1 ? " on these ranks" : "");
	ranks_or(&came, &late);
	enum severity before = out_severity(shell->out, SEVERITY_ERROR);
	shell_note(shell, &came, "%s", text_string(&words));
	out_severity(shell->out, before);
	if (shell->expect.heard) {
		text_add(&shell->expect.heard->text, "%s%s", shell->expect.heard->timeouts++ ? "\n" : "",
		        text_string(&words));
	} else {
		shell->expect.failed++;
	}
	text_release(&words);
}

void shell_expired(struct shell *shell)
{
	struct expiry expiry;
	while (shell->backend->expired(shell->backend, &expiry)) {
		say(shell, &expiry);
		world_expire(shell->world, expiry.match);
	}
}

bool shell_times_out(const struct world *world)
{
	for (size_t i = 0; i < world->group_count; i++)
		if (world->groups[i].timeout)
			return true;
	return false;
}

enum status shell_play_until(struct shell *shell, int64_t time)
{
	const struct world *world = shell->world;
	op_id *ids = NULL;
	size_t count = 0;
	enum status status = shell_foresee(shell);
	if (status != ST_OK)
		return status;
	for (op_id id = 1; id <= world->op_count; id++) {
		/* a GPU's measured time may not be final yet */
		bool final = world->ops[id].flags & OPF_DONE;
		if (!final && backend_times(shell->backend, id).end <= time)
			*MEM_ADD(&ids, &count) = id;
	}
	status = shell_reach(shell, ids, (int)count);
	mem_free(ids);
	return status;
}

enum status shell_finish(struct shell *shell)
{
	if (!shell_times_out(shell->world) && !shell->values.print_count)
		return ST_OK;
	return shell_play_until(shell, TIME_UNKNOWN - 1);
}
