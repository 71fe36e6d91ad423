/* unknown.c -- messages for an unknown name: the nearest known one, the ranks that lack it, the
 * ranks that have it, a line that makes one */
#include "shell/language/parse/glossary.h"
#include "shell/language/parse/parse.h"
#include "shell/language/run/run.h"

/* Appends to `lacking` the line's ranks without the thing, "ranks 0-1"; to `having` those that
 * have it, " (rank 3 has it: `@3 ...`)". */
static void put_ranks(const struct eval *eval, name_id name, enum thing_kind kind, enum thing_kind other,
        struct text *lacking, struct text *having)
{
	const struct world *world = eval->shell->world;
	struct ranks without = {0}, with = {0};
	struct text ranks = {0};
	for (int rank = 0; rank < world->n; rank++) {
		enum thing_kind is = world_find(world, rank, name).kind;
		if (is == kind || is == other)
			ranks_add(&with, rank);
		else if (eval->set && ranks_has(eval->set, rank))
			ranks_add(&without, rank);
	}
	ranks_add(&without, eval->rank);
	text_add(lacking, ranks_count(&without) == 1 ? "rank " : "ranks ");
	ranks_text(&without, lacking);
	ranks_text(&with, &ranks);
	bool one = ranks_count(&with) == 1;
	if (ranks.count)
		text_add(having, " (rank%s %s %s it: `@%s ...`)", one ? "" : "s", text_string(&ranks),
		        one ? "has" : "have", text_string(&ranks));
	text_release(&ranks);
}

enum status no_such(const struct eval *eval, name_id id, enum thing_kind kind, enum thing_kind other)
{
	struct world *world = eval->shell->world;
	struct text where = {0}, streams = {0}, elsewhere = {0};
	struct thing thing = world_find(world, eval->rank, id);
	const char *name = names_text(world->names, id);
	const char *near = world_nearest(world, eval->rank, name, kind), *too = "";
	size_t group = 0; /* the group of that name; the rank may be in none of its parts */
	while (group < world->group_count && world->groups[group].name != id)
		group++;
	if (!near && other != kind)
		near = world_nearest(world, eval->rank, name, other);
	if (other != kind)
		too = kind == THING_EVENT ? " or stream" : " or event";
	put_ranks(eval, id, kind, other, &where, &elsewhere);
	for (int number = STREAM_DEFAULT; kind == THING_STREAM && other == kind && number < STREAMS_MAX;
	        number++) {
		const struct stream *stream = world_stream(world, eval->rank, number);
		if (!stream)
			break;
		text_add(&streams, "%s%s", streams.count ? " " : "", names_text(world->names, stream->name));
	}
	enum status status;
	if (thing.kind != THING_NONE)
		status = fail(ST_NAME, "%s is a %s, and a %s%s was expected", name,
		        thing_kind_name(thing.kind), thing_kind_name(kind), too);
	else if (kind == THING_GROUP && group < world->group_count)
		status = fail(ST_NAME, "no part of the group '%s' has %s%s", name, text_string(&where),
		        elsewhere.count ? text_string(&elsewhere) : ": `groups` shows them");
	else if (elsewhere.count)
		status = fail(ST_NAME, "no %s%s '%s' on %s%s", thing_kind_name(kind), too, name,
		        text_string(&where), text_string(&elsewhere));
	else if (near)
		status = fail(
		        ST_NAME, "no %s%s '%s'; did you mean '%s'?", thing_kind_name(kind), too, name, near);
	else if (streams.count)
		status = fail(ST_NAME, "no stream '%s' on %s (streams: %s). `stream %s` makes it", name,
		        text_string(&where), text_string(&streams), name);
	else if (kind == THING_TENSOR)
		status = fail(ST_NAME, "no tensor '%s' on %s. `tensor %s[64,64]` makes one", name,
		        text_string(&where), name);
	else
		status = fail(ST_NAME, "no %s%s '%s' on %s. `%s %s%s` makes it", thing_kind_name(kind), too,
		        name, text_string(&where), thing_kind_name(kind), name,
		        kind == THING_GROUP ? " 0-1 2-3" : "");
	text_release(&where);
	text_release(&streams);
	text_release(&elsewhere);
	return status;
}

enum status unknown_variable(const struct eval *eval, const char *name)
{
	const char *near = NULL;
	int best = text_too_far(name);
	const struct variables *variables = &eval->shell->interpreter->now.frame->space->variables;
	for (size_t i = 0; i < variables->count; i++) {
		const char *other = names_text(eval->shell->world->names, variables->item[i].name);
		if (text_nearer(name, other, &best))
			near = other;
	}
	if (near)
		return fail(ST_NAME, "no variable '%s'; did you mean '%s'?", name, near);
	return fail(ST_NAME, "no variable '%s'. `let %s = ...` makes it", name, name);
}

static enum status thing_alone(const char *word, enum thing_kind kind)
{
	switch (kind) {
	case THING_TENSOR:
		return fail(ST_ARGUMENT,
		        "%s is a tensor: `print %s` (the program reads it: the host waits) or `peek %s` (you "
		        "look; nothing waits)",
		        word, word, word);
	case THING_VARIABLE:
		return fail(ST_ARGUMENT, "%s is a variable: `print %s`, or `let %s = ...`", word, word, word);
	case THING_STREAM:
		return fail(ST_ARGUMENT,
		        "%s is a stream: `sync %s` waits for it, `... on %s` queues work on it", word, word,
		        word);
	case THING_EVENT:
		return fail(ST_ARGUMENT, "%s is an event: `record %s on S`, `wait %s on S`, `query %s`", word,
		        word, word, word);
	case THING_GROUP:
		return fail(ST_ARGUMENT, "%s is a group: `allreduce g in %s`", word, word);
	default:
		return fail(ST_ARGUMENT, "%s is a %s, not a command", word, thing_kind_name(kind));
	}
}

enum status unknown_word(struct shell *shell, const struct statement *statement, const char *word)
{
	struct interpreter *in = shell->interpreter;
	const char *near = command_near(word);
	int best = near ? text_distance(word, near) : strlen(word) > 4 ? 3 : 2;
	name_id id = names_find(shell->world->names, word, strlen(word));
	struct thing thing = world_find(shell->world, ranks_first(scope_ranks(in->now.scope)), id);

	if (thing.kind != THING_NONE && !statement->arguments)
		return thing_alone(word, thing.kind);
	if (meant_line(statement->source.at, statement->source.at + statement->source.length) ||
	        hint_line(statement->source.at, statement->source.at + statement->source.length))
		return ST_SYNTAX;
	const char *hint = hint_word(word);
	if (hint)
		return fail(ST_NAME, "here: %s", hint);
	const struct namespace *spaces[] = {&in->learner, in->program};
	for (size_t i = 0; i < 2 && spaces[i]; i++)
		for (size_t k = 0; k < spaces[i]->room; k++) {
			const char *other = names_text(shell->world->names, (name_id)k);
			if (spaces[i]->entry[k].definition && text_nearer(word, other, &best))
				near = other;
		}
	if (glossary_has(word))
		return fail(ST_NAME, "no command '%s', but a word of the field: `help %s` explains it%s%s%s",
		        word, word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	if (near)
		return fail(ST_NAME, "no command '%s'; did you mean '%s'?", word, near);
	return fail(ST_NAME, "no command '%s' (`help` shows them; `def %s { }` makes one)", word, word);
}
