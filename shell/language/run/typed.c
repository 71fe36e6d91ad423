/* typed.c -- the learner's defs and variables as lines of the language, for programs that use
 * them */
#include "shell/language/run/run.h"
#include "base/memory.h"

#include <stdlib.h>

static int definitions_compare(const void *a, const void *b)
{
	const struct definition *const *one = a, *const *other = b;
	return (*one)->serial < (*other)->serial ? -1 : 1;
}

static void put_definitions(const struct namespace *space, unsigned after, struct text *out)
{
	const struct definition **found = NULL;
	size_t count = 0;
	for (size_t name = 0; name < space->room; name++)
		for (const struct definition *at = space->entry[name].definition; at; at = at->before)
			if (at->serial > after)
				*MEM_ADD(&found, &count) = at;
	if (count)
		qsort(found, count, sizeof *found, definitions_compare);
	for (size_t i = 0; i < count; i++)
		text_add(out, "def %.*s\n", WHOLE(found[i]->statement->why));
	mem_free(found);
}

static void put_variable(const struct shell *shell, const struct variable *variable, struct text *out)
{
	bool varies = false;
	for (int rank = 0; rank < (variable->uniform ? 1 : shell->world->n); rank++) {
		struct value value = variable_at(variable, rank, &varies);
		if (value.kind == VALUE_NONE)
			continue;
		if (varies)
			text_add(out, "@%d ", rank);
		text_add(out, "let %s = ", names_text(shell->world->names, variable->name));
		value_written(shell, value, out);
		text_add(out, "\n");
	}
}

unsigned interpreter_typed(const struct shell *shell, unsigned after, struct text *out)
{
	const struct namespace *space = &shell->interpreter->learner;
	if (!space->latest)
		return after;
	if (space->latest > after)
		put_definitions(space, after, out);
	interpreter_variables(shell, out);
	return space->latest;
}

void interpreter_variables(const struct shell *shell, struct text *out)
{
	const struct variables *variables = &shell->interpreter->learner.variables;
	for (size_t i = 0; i < variables->count; i++)
		put_variable(shell, &variables->item[i], out);
}
