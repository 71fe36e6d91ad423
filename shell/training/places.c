/* places.c -- checks that the files of a program fit: defs against the override points of earlier
 * files, options against the model's */
#include "shell/language/parse/lex.h"
#include "shell/language/parse/tree.h"
#include "shell/training/choose.h"
#include "shell/training/head.h"

/* Returns the def with the nearest name, the same one if there is one; NULL if none within one
 * letter. */
static const struct statement *place_near(
        const struct choice *choice, const int *order, int i, const char *name)
{
	const struct statement *near = NULL;
	/* one letter: `enter_backward` beside `after_backward` is a name of its own */
	int best = 2;
	char other[WORD_SHOWN];
	for (int k = 0; k < i * HEAD_TREES; k++) {
		const struct tree *tree = choice[order[k / HEAD_TREES]].head.tree[k % HEAD_TREES];
		for (const struct statement *def = tree ? tree->defs : NULL; def; def = def->next_call) {
			word_text(def->word->written, other);
			if (text_nearer(name, other, &best))
				near = def;
		}
	}
	return near;
}

/* A strategy's def either overrides one with as many words, or has a name unlike any other. */
static enum status place_check(
        const struct choice *choice, const int *order, int i, const struct statement *def)
{
	const char *file = choice[order[i]].file.name;
	char name[WORD_SHOWN];
	word_text(def->word->written, name);
	const struct statement *place = place_near(choice, order, i, name);
	bool same = place && slices_equal(place->word->written, def->word->written);
	if (same && place->parameters != def->parameters)
		return fail(ST_ARGUMENT,
		        "%s:%d: def %s takes %d word%s, and the place that it replaces %d: %.*s", file,
		        def->line, name, def->parameters, def->parameters == 1 ? "" : "s", place->parameters,
		        WHOLE(place->source));
	if (place && !same)
		return fail(ST_NAME, "%s:%d: no place '%s' in the model; did you mean '%.*s'?", file,
		        def->line, name, WHOLE(place->word->written));
	return ST_OK;
}

/* Options of the model and of the strategies share a scope. */
static enum status options_check(const struct choice *choice, int i)
{
	for (const struct statement *at = choice[i].head.tree[0]->block.first; at; at = at->next) {
		char name[WORD_SHOWN] = "";
		if (at->kind == STATEMENT_OPTION)
			word_text(at->given->name, name);
		if (*name && head_option(&choice[0].head, name))
			return fail(ST_NAME,
			        "%s:%d: option %s: the model has an option of that name: take another",
			        choice[i].file.name, at->line, name);
	}
	return ST_OK;
}

/* Returns the last such def at the file's top level, before `line` (0: anywhere); NULL if none. */
static const struct statement *choice_top_def(
        const struct choice *choice, struct slice_of_text name, int line)
{
	const struct statement *found = NULL;
	for (const struct statement *at = choice->head.tree[0]->block.first; at; at = at->next)
		if (at->kind == STATEMENT_DEF && slices_equal(at->word->written, name) &&
		        (!line || at->line < line))
			found = at;
	return found;
}

/* Appends a note if the def keeps an earlier one of this file or of another strategy from being
 * called. It may be intended. */
static void place_note_lost(
        const struct choice *choice, const int *order, int i, const struct statement *def, struct text *out)
{
	const struct choice *own = &choice[order[i]];
	const struct statement *lost = choice_top_def(own, def->word->written, def->line);
	const struct choice *of = own;
	for (int k = i - 1; k > 0 && !lost; k--)
		lost = choice_top_def(of = &choice[order[k]], def->word->written, 0);
	if (!lost)
		return;
	text_add(out, "%s:%d: def %.*s replaces that of ", own->file.name, def->line,
	        WHOLE(def->word->written));
	text_add(out, of == own ? "line " : "%s:", of->file.name);
	text_add(out, "%d without a call of it (`replaced`)\n", lost->line);
}

void choices_lost(const struct choice *choice, const int *order, int count, struct text *out)
{
	for (int i = 1; i < count; i++)
		for (const struct statement *at = choice[order[i]].head.tree[0]->block.first; at;
		        at = at->next)
			if (at->kind == STATEMENT_DEF && !at->replaces &&
			        choice_is_path(choice[order[i]].name))
				place_note_lost(choice, order, i, at, out);
}

enum status choices_fit(const struct choice *choice, const int *order, int count)
{
	enum status status = ST_OK;
	for (int i = 1; i < count && status == ST_OK; i++)
		status = options_check(choice, i);
	for (int i = 1; i < count; i++)
		for (const struct statement *def = choice[order[i]].head.tree[0]->defs;
		        def && status == ST_OK; def = def->next_call)
			status = place_check(choice, order, i, def);
	return status;
}
