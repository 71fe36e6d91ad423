/* call_place.c -- the place of a line's work: streams, groups and phases.
 *
 *     the line's own clause  >  `on S` of a block  >  `use S`  >  default stream; world's group
 *
 * The scope, a copy of the outer block's, has the last three. */
#include "shell/language/run/call.h"
#include "shell/language/run/run.h"

#include "shell/session/queue.h"

/* *index: into the world's streams or groups; -1: no name was given */
static enum status place_named(struct call *call, enum setting_of which, int rank, int *index)
{
	const struct clauses *clauses = &call->statement->clauses;
	struct name *clause = which == SETTING_STREAM ? clauses->stream : clauses->group;
	enum thing_kind kind = which == SETTING_STREAM ? THING_STREAM : THING_GROUP;
	name_id name = setting_now(call->shell, which, rank);
	*index = -1;
	if (clause) {
		enum status status = name_word(call, clause, &call->slot[which], rank, &name);
		if (status != ST_OK)
			return status;
	}
	if (!name)
		return ST_OK;
	struct thing thing = world_find(call->shell->world, rank, name);
	if (thing.kind == kind) {
		*index = thing.index;
		return ST_OK;
	}
	struct eval eval = eval_on(call, rank);
	return on_rank(&eval, no_such(&eval, name, kind, kind));
}

enum status call_stream(struct call *call, int rank, int *number)
{
	int index;
	enum status status = place_named(call, SETTING_STREAM, rank, &index);
	if (status == ST_OK)
		*number = index < 0 ? STREAM_DEFAULT : call->shell->world->streams[index].number;
	return status;
}

int call_read_stream(struct call *call, int rank)
{
	int index;
	enum status status = place_named(call, SETTING_STREAM, rank, &index);
	return status == ST_OK && index >= 0 ? call->shell->world->streams[index].number : STREAM_HOST;
}

enum status call_device_stream(struct call *call, int rank, int *number)
{
	const struct world *world = call->shell->world;
	enum status status = call_stream(call, rank, number);
	if (status != ST_OK || !world_stream(world, rank, *number)->host)
		return status;
	return fail(ST_ARGUMENT,
	        "%s: %s is a thread of the host (kind=host), and this is the GPU's work: `on default`, or "
	        "another stream",
	        call->statement->row->name,
	        names_text(world->names, world_stream(world, rank, *number)->name));
}

enum status call_group(struct call *call, int rank, int *group)
{
	enum status status = place_named(call, SETTING_GROUP, rank, group);
	if (status == ST_OK && *group < 0)
		*group = 0;
	return status;
}

enum status call_block(struct call *call)
{
	struct statement *statement = call->statement;
	return statement->block ? run_block(call->shell, statement->block, &statement->clauses, call->set)
	                        : ST_OK;
}

struct record call_record(const struct call *call, int rank, enum op_kind kind, const char *title)
{
	struct phase phase = interpreter_phase_at(call->shell, rank);
	struct record record = queue_record(call->shell, kind, title);
	record.section = call->shell->interpreter->section;
	record.line = call->statement->line;
	record.phase = phase.name;
	record.colour = phase.colour;
	record.microbatch = phase.microbatch;
	return record;
}

/* Two passes, so that a line takes effect on all of its ranks or on none */
enum status call_each_rank(struct call *call, one_rank *one)
{
	for (int pass = 0; pass < 2; pass++)
		FOR_RANKS (rank, call->set) {
			enum status status = one(call, rank, pass == 1);
			if (status != ST_OK)
				return status;
		}
	return ST_OK;
}
