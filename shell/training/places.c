/* places.c -- checks that the files of a program fit: defs against the override points of earlier
 * files, options against the model's; reports options and defs without effect
 *
 *     option k=1% with="hook=topk" "..."         ddp k=5%: hook= has another word, or is missing
 *     option top=2 with="experts" "..."          gpt top=1: experts= is 0, off or none
 *     option bucket=256k unless="dp_shard" "..." zero=2 + ddp=2 bucket=1k: zero has that axis
 *     option often=1 ...                         of a user's strategy: given, but never read
 *     def reduce_gradients g { ... }             an override point that no file calls
 *
 * The last two are found after the walk, when all parts are sourced. The walk may miss a call (`if
 * clip > 0`), so a def also counts as called if the text of a callable def contains its name. */
#include "base/embedded.h"
#include "shell/language/parse/lex.h"
#include "shell/language/parse/tree.h"
#include "shell/language/run/command.h"
#include "shell/language/run/player.h"
#include "shell/language/run/state.h"
#include "shell/training/choose.h"
#include "shell/training/training.h"

#include <stdio.h>
#include <string.h>

/* Returns the def of the same name, else of a name within one letter; NULL if none. */
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

/* A strategy's def must override one with as many words, or have a name unlike any other. */
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
		        "%s:%d: def %s has %d parameter%s, but the override point has %d: %.*s", file,
		        def->line, name, def->parameters, def->parameters == 1 ? "" : "s", place->parameters,
		        WHOLE(place->source));
	if (place && !same)
		return fail(ST_NAME, "%s:%d: no override point '%s' in the model; did you mean '%.*s'?", file,
		        def->line, name, WHOLE(place->word->written));
	return ST_OK;
}

/* Refuses options of the model, because all files share a scope. */
static enum status options_check(const struct choice *choice, int i)
{
	for (const struct statement *at = choice[i].head.tree[0]->block.first; at; at = at->next) {
		char name[WORD_SHOWN] = "";
		if (at->kind == STATEMENT_OPTION)
			word_text(at->given->name, name);
		if (*name && head_option(&choice[0].head, name))
			return fail(ST_NAME,
			        "%s:%d: option %s: the model has an option with that name: choose another",
			        choice[i].file.name, at->line, name);
	}
	return ST_OK;
}

/* Returns the last def of that name at the file's top level, before `line` (0: anywhere); NULL if
 * none. */
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

/* Appends a note if the def hides an earlier one of a strategy. */
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

/* ---- options without effect ---- */

/* Evaluates with="NAME=WORD WORD" (NAME is one of these words) or with="NAME" (it is not 0, off or
 * none). */
static bool option_holds(const struct choice *choice, const char *with)
{
	const char *words = strchr(with, '=');
	struct text name = {0}, value = {0};
	text_add(&name, "%.*s", (int)(words ? words - with : (ptrdiff_t)strlen(with)), with);
	const struct given *given = choice_given(choice, text_string(&name));
	const struct option_line *line = head_option(&choice->head, text_string(&name));
	if (given)
		given_text(given, &value);
	else if (line)
		text_put(&value, line->value.at, line->value.length);
	struct slice_of_text is = slice_of_string(text_string(&value));
	struct number number;
	int used = 0;
	bool holds = words ? option_is_of(words + 1, is) : !is_listed("none off", is);
	if (!words && number_read(is.at, &number, &used) == ST_OK && !is.at[used])
		holds = number.value != 0;
	text_release(&name);
	text_release(&value);
	return holds;
}

/* Reports an option of several files once. */
static void idle_put_option(
        const struct choice *choice, int count, int i, const struct given *given, struct text *out)
{
	const struct option_line *line = head_option(&choice[i].head, given->name);
	const char *with = line && line->with && !option_holds(&choice[i], line->with) ? line->with : NULL;
	const char *beside = NULL; /* the strategy on the axis `unless` */
	for (int k = 1; k < i; k++)
		if (choice_given(&choice[k], given->name))
			return;
	for (int k = 1; line && line->unless && k < count && !beside; k++)
		if (strcmp(text_string(&choice[k].head.text[HEAD_AXIS]), line->unless) == 0)
			beside = choice[k].name;
	if (!beside && !with)
		return;
	text_add(out, "%s=", given->name);
	if (given->digits)
		text_add(out, "%s", given->digits);
	else
		given_text(given, out);
	text_add(out, " has no effect %s ", beside ? "beside" : "without");
	for (const char *at = beside ? beside : with; *at; at++)
		text_add(out, *at == ' ' ? " or " : "%c", *at);
	text_add(out, "%s\n", beside || strchr(with, '=') ? "" : "=");
}

void program_say_idle(struct shell *shell, const struct program *program)
{
	FOR_LINES (line, text_string(&program->idle), program->idle.count)
		out_say(shell->out, "   %s%.*s%s\n",
		        STYLED(shell->out, COLOUR_NOTE, (int)line.length, line.at));
}

void stack_idle(const struct choice *choice, int count, int from, struct text *out)
{
	for (int i = 0; i < count; i++)
		for (int k = i ? 0 : from; k < choice[i].givens; k++)
			idle_put_option(choice, count, i, &choice[i].given[k], out);
}

/* ---- defs that nothing calls, options that nothing reads ---- */

/* Returns true if the text contains the name. Ignores comments, sentences of `option` lines, the
 * text's first word, and words after `before` ("def", "option"). An option with `for="x"` is also
 * read as NAME_x. */
static bool text_mentions(struct slice_of_text text, const char *name, const char *before)
{
	bool is_option = strcmp(before, "option") == 0;
	const char *at = text.at, *end = text.at + text.length;
	struct slice_of_text last = slice_of_string(before);
	bool option = false;
	size_t length = strlen(name);
	while (at < end) {
		const char *from = at;
		if (*at == '#') {
			const char *newline = memchr(at, '\n', (size_t)(end - at));
			at = newline ? newline : end;
		} else if (option && *at == '"') {
			const char *behind = quote_end(at, end);
			at = behind ? behind : end;
		} else if (!is_name_start(*at))
			option = *at++ != '\n' && option;
		else {
			while (at < end && is_name_char(*at))
				at++;
			struct slice_of_text word = {from, (size_t)(at - from)};
			bool is = word.length >= length && memcmp(from, name, length) == 0 &&
			        (word.length == length || (is_option && from[length] == '_'));
			if (is && !slice_is(last, before))
				return true;
			last = word;
			option = option || slice_is(word, "option");
		}
	}
	return false;
}

struct asked_name {
	struct player *player;
	const struct program *program;
	const char *name;
	bool option;                     /* else a def */
	const struct definition *except; /* its own text is ignored */
	bool found;
	struct text *out;
};

static void asked_search(void *self, const struct definition *def)
{
	struct asked_name *asked = self;
	struct slice_of_text file = {def->tree->text, def->tree->count};
	asked->found = asked->found || (asked->option && text_mentions(file, asked->name, "option")) ||
	        (!asked->option && def != asked->except &&
	                text_mentions(def->statement->why, asked->name, "def"));
}

/* Appends "; parts that do: buckets flat (`source buckets`)". */
static void parts_put_with(const char *name, struct text *out)
{
	char first[WORD_SHOWN] = "";
	const char *part;
	for (int i = 0; (part = embedded_name("strategies/parts/", i, ".rsh")); i++) {
		const struct embedded *file = built_in_part(part);
		if (!text_mentions((struct slice_of_text){file->bytes, file->count}, name, "def"))
			continue;
		if (!*first)
			snprintf(first, sizeof first, "%s", part);
		text_add(out, "%s%s", strcmp(first, part) == 0 ? "; parts that do: " : " ", part);
	}
	if (*first)
		text_add(out, " (`source %s`)", first);
}

/* Also searches the parts that the file sources; they do not form a cycle. */
static bool embedded_calls(const struct embedded *file, const char *name)
{
	bool found = text_mentions((struct slice_of_text){file->bytes, file->count}, name, "def");
	const char *part;
	for (int i = 0; !found && (part = embedded_name("strategies/parts/", i, ".rsh")); i++) {
		const struct embedded *sourced = built_in_part(part);
		char line[WORD_SHOWN + 8];
		snprintf(line, sizeof line, "source %s", part);
		found = sourced != file && memmem(file->bytes, file->count, line, strlen(line)) &&
		        embedded_calls(sourced, name);
	}
	return found;
}

/* Returns true if a built-in strategy defines it without a call, so that a model or another
 * strategy calls it (`count_everywhere` for a gpt's targets, `each_unit_back` beside ddp). */
static bool def_called_elsewhere(const char *name)
{
	char def[WORD_SHOWN + 8];
	const char *strategy;
	snprintf(def, sizeof def, "\ndef %s ", name);
	for (int i = 0; (strategy = choice_name(false, i)); i++) {
		const struct embedded *file = embedded_find("strategies/", strategy, ".rsh");
		if (memmem(file->bytes, file->count, def, strlen(def)) && !embedded_calls(file, name))
			return true;
	}
	return false;
}

static bool is_own_strategy(const struct program *program, const char *file)
{
	for (size_t i = 2; i + 1 < program->files; i++)
		if (strcmp(program->file[i].name, file) == 0)
			return choice_is_path(file);
	return false;
}

/* Only a resume calls `refresh`. */
static void uncalled_note_def(void *self, const struct definition *def)
{
	struct asked_name *all = self;
	char name[WORD_SHOWN];
	word_text(def->statement->word->written, name);
	if (!def->overrides || def->called || strcmp(name, "refresh") == 0 || !def->tree->file ||
	        !is_own_strategy(all->program, def->tree->file))
		return;
	struct asked_name calls = {.name = name, .except = def};
	player_each_def(all->player, asked_search, &calls);
	if (calls.found || def_called_elsewhere(name))
		return;
	text_add(all->out, "%s:%d: nothing in this program calls def %s", def->tree->file,
	        def->statement->line, name);
	parts_put_with(name, all->out);
	text_add(all->out, "\n");
}

static void unread_note_options(struct player *player, const struct program *program,
        const struct player_file *file, struct text *out)
{
	for (int i = 0; i < file->givens; i++) {
		struct asked_name reads = {.name = file->given[i].name, .option = true};
		for (size_t k = 0; k < program->files; k++) {
			struct slice_of_text text = {program->file[k].text, program->file[k].count};
			reads.found = reads.found || text_mentions(text, reads.name, "option");
		}
		if (!reads.found)
			player_each_def(player, asked_search, &reads);
		if (reads.found)
			continue;
		text_add(out, "%s=", reads.name);
		given_text(&file->given[i], out);
		text_add(out, " has no effect: nothing in %s reads it\n", file->name);
	}
}

void program_uncalled(struct player *player, struct program *program)
{
	struct asked_name all = {.player = player, .program = program, .out = &program->idle};
	player_each_def(player, uncalled_note_def, &all);
	for (size_t i = 2; i + 1 < program->files; i++)
		if (choice_is_path(program->file[i].name))
			unread_note_options(player, program, &program->file[i], &program->idle);
}
