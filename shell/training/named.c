/* named.c -- models and strategies by name or file; their lists and help */
#include "shell/training/choose.h"
#include "base/embedded.h"
#include "base/memory.h"
#include "shell/language/run/player.h"
#include "shell/session/quote.h"
#include "shell/values/share.h"
#include "shell/session/shell.h"

#include <stdint.h>
#include <string.h>

static const char *folder_of(bool models)
{
	return models ? "strategies/models/" : "strategies/";
}

const char *choice_name(bool model, int i)
{
	return embedded_name(folder_of(model), i, ".rsh");
}

static enum status choice_unknown(bool model, const char *name)
{
	struct text names = {0};
	const char *what = model ? "model" : "strategy", *other;
	int count;
	for (int i = 0; (other = choice_name(model, i)); i++)
		text_add(&names, "%s%s", i ? " " : "", other);
	const char *near = text_nearest(text_string(&names), name, strlen(name), &count);
	enum status status = near
	        ? fail(ST_NAME, "no %s '%s'; did you mean '%.*s'? (there are: %s; or a file F.rsh)", what,
	                  name, count, near, text_string(&names))
	        : fail(ST_NAME, "no %s '%s' (there are: %s; or a file F.rsh)", what, name,
	                  text_string(&names));
	text_release(&names);
	return status;
}

bool choice_is_path(const char *name)
{
	return strchr(name, '/') || path_ends(name, ".rsh");
}

static enum status choice_embedded(bool model, struct choice *choice)
{
	const struct embedded *at = embedded_find(folder_of(model), choice->name, ".rsh");
	if (!at)
		return choice_unknown(model, choice->name);
	choice->file = (struct player_file){
	        .name = at->path, .text = mem_copy_text(at->bytes, at->count), .count = at->count};
	return ST_OK;
}

enum status choose_file(struct shell *shell, bool model, struct choice *choice)
{
	char *bytes;
	choice->file = (struct player_file){.name = choice->name};
	if (!choice_is_path(choice->name))
		return choice_embedded(model, choice);
	enum status status = shell_file(shell, choice->name, &bytes, &choice->file.count);
	choice->file.text = status == ST_OK ? bytes : NULL;
	return status;
}

enum status choose_head(struct shell *shell, bool model, struct choice *choice)
{
	enum status status = choose_file(shell, model, choice);
	return status == ST_OK ? head_read(&choice->head, &choice->file) : status;
}

void choice_release(struct choice *choice)
{
	mem_free((void *)(uintptr_t)choice->file.text);
	head_release(&choice->head);
	choice->file = (struct player_file){0};
}

static void choice_follows(bool model, const char *name, struct text *out)
{
	struct choice choice = {.name = name, .file.name = name};
	const char *other;
	char *bytes = NULL;
	for (int i = 0; !*name && (other = choice_name(model, i)); i++)
		text_add(out, "%s\n", other);
	if (!*name ||
	        (choice_is_path(name) ? read_file(name, &bytes, &choice.file.count)
	                              : choice_embedded(model, &choice)) != ST_OK)
		return;
	choice.file.text = bytes ? bytes : choice.file.text;
	text_add(out, "help\nsource\n");
	if (head_read(&choice.head, &choice.file) == ST_OK)
		head_keys(&choice.head, out);
	choice_release(&choice);
}

void strategy_follows(const char *name, struct text *out)
{
	choice_follows(false, name, out);
}

void model_follows(const char *name, struct text *out)
{
	choice_follows(true, name, out);
}

void choice_changes(struct text *out)
{
	struct names *seen = names_create();
	const char *name, *about;
	enum unit unit;
	for (int i = 0; i < MACHINE_KEY_COUNT; i++)
		text_add(out, "%s=\n", machine_key(i, &about, &unit));
	for (int model = 0; model < 2; model++)
		for (int i = 0; (name = choice_name(model, i)); i++) {
			struct text keys = {0};
			struct choice choice = {.name = name, .file.name = name};
			if (choice_embedded(model, &choice) == ST_OK &&
			        head_read(&choice.head, &choice.file) == ST_OK)
				head_keys(&choice.head, &keys);
			for (char *key = strtok(keys.bytes, "\n"); key; key = strtok(NULL, "\n"))
				if (!names_find(seen, key, strlen(key))) {
					names_make(seen, key, strlen(key));
					text_add(out, "%s\n", key);
				}
			text_release(&keys);
			choice_release(&choice);
		}
	names_free(seen);
}

void choice_those_with(const char *option, struct text *out)
{
	const char *name;
	for (int i = 0; (name = choice_name(false, i)); i++) {
		struct choice choice = {.name = name};
		if (choice_embedded(false, &choice) == ST_OK && file_has_option(&choice.file, option))
			text_add(out, "%s%s", out->count ? " " : "", name);
		choice_release(&choice);
	}
}

/* ---- help ---- */

enum { INDENT = 5, CONTINUED = 2 };

/* Prints lead and the wrapped words. hang: the column of further lines, at least lead's width */
static void tell_hanging(struct shell *shell, const char *lead, const char *words, int hang)
{
	struct text wrapped = {0};
	text_wrapped(&wrapped, words, hang, out_width(shell->out));
	const char *at = text_string(&wrapped) + hang, *end = text_string(&wrapped) + wrapped.count, *line;
	size_t length;
	for (; (line = text_line(&at, end, &length)); lead = "")
		out_say(shell->out, "%s%s%.*s%s\n", style(shell->out, COLOUR_NOTE), lead, (int)length, line,
		        style(shell->out, COLOUR_PLAIN));
	text_release(&wrapped);
}

/* A note in a head, with its continuation lines:
 *
 *     bytes: allgather in forward, allgather in backward,     a sentence continues, indented,
 *       for each micro-batch                                  unless it ends in . ; or :
 *       reshard=off   all parameters whole                    a row: a term, two blanks, words
 *                     from forward to backward                that continue at their column
 *        x ----(f)---> x w1      a     b                      two gaps, or --: a drawing */
struct note {
	enum { SENTENCE, ROW, DRAWING } kind;
	int blanks, column; /* columns before the note; before a row's words */
	struct text term, words;
};

static struct note note_read(const char *line, size_t length)
{
	const char *end = line + length, *from = line, *term_end = line, *words = line;
	int gaps = 0;
	while (from < end && *from == ' ')
		from++;
	for (const char *at = words = from; at < end; at++) {
		if (at + 1 < end && at[0] == '-' && at[1] == '-')
			gaps = 2;
		if (at + 1 == end || at[0] != ' ' || at[1] != ' ')
			continue;
		term_end = gaps ? term_end : at;
		while (*at == ' ')
			at++;
		words = gaps++ ? words : at;
	}
	struct note note = {.kind = gaps > 1 ? DRAWING : gaps ? ROW : SENTENCE, .blanks = (int)(from - line)};
	words = note.kind == ROW ? words : from;
	note.column = (int)(words - line);
	if (note.kind == ROW)
		text_put(&note.term, from, (size_t)(term_end - from));
	text_put(&note.words, words, (size_t)(end - words));
	return note;
}

static void note_release(struct note *note)
{
	text_release(&note->term);
	text_release(&note->words);
	*note = (struct note){0};
}

static bool note_continues(const struct note *note, const struct note *next)
{
	if (!note->words.count || note->kind == DRAWING || next->kind != SENTENCE)
		return false;
	if (note->kind == ROW)
		return next->blanks == note->column;
	bool ends = strchr(".;:", note->words.bytes[note->words.count - 1]);
	return !ends && next->blanks > 0 && (next->blanks == note->blanks || !note->blanks);
}

/* If a row's words do not fit at their column, they follow the term directly. */
static void note_tell(struct shell *shell, const struct note *note)
{
	struct text lead = {0}, words = {0};
	int width = out_width(shell->out), column = INDENT + note->column;
	bool row = note->kind == ROW &&
	        (column <= width / 2 || column + (int)text_columns(text_string(&note->words)) <= width);
	int hang = INDENT + (note->blanks > CONTINUED ? note->blanks : CONTINUED);
	text_add(&lead, "%*s", INDENT + note->blanks, "");
	if (row) {
		text_add(&lead, "%-*s", note->column - note->blanks, text_string(&note->term));
		hang = column;
	} else if (note->kind == ROW) {
		text_add(&words, "%s ", text_string(&note->term));
		hang += CONTINUED;
	}
	text_add(&words, "%s", text_string(&note->words));
	if (note->kind == DRAWING)
		out_say(shell->out, "%s%s%s%s\n", text_string(&lead),
		        STYLED(shell->out, COLOUR_NOTE, text_string(&words)));
	else if (words.count)
		tell_hanging(shell, text_string(&lead), text_string(&words), hang);
	text_release(&lead);
	text_release(&words);
}

/* Reads the next note with its continuation lines. Returns false at the end; otherwise the caller
 * releases *note. */
static bool note_take(const char **at, const char *end, struct note *note)
{
	size_t length;
	const char *line = text_line(at, end, &length);
	if (!line)
		return false;
	*note = note_read(line, length);
	bool continues = true;
	for (const char *after = *at; continues && (line = text_line(&after, end, &length));) {
		struct note next = note_read(line, length);
		continues = note_continues(note, &next);
		if (continues) {
			text_add(&note->words, " %s", text_string(&next.words));
			*at = after;
		}
		note_release(&next);
	}
	return true;
}

static void tell_notes(struct shell *shell, const struct text *notes)
{
	const char *at = text_string(notes), *end = at + notes->count;
	for (struct note note = {0}; note_take(&at, end, &note); note_release(&note))
		note_tell(shell, &note);
}

/* Appends the first note that begins with "sends:". */
static void notes_put_sends(const struct text *notes, struct text *out)
{
	const char *at = text_string(notes), *end = at + notes->count, *line = at;
	for (struct note note = {0}; !out->count && note_take(&at, end, &note);
	        note_release(&note), line = at)
		if (strncmp(line, "sends:", 6) == 0 && line[6] && line[6] != '\n')
			text_add(out, "%-*s%s", note.column, text_string(&note.term),
			        text_string(&note.words));
}

static void tell_title(struct shell *shell, const char *name, const struct head *head)
{
	enum { COLUMN = 17 };
	struct text help = {0};
	text_wrapped(&help, text_string(&head->text[HEAD_HELP]), COLUMN, out_width(shell->out));
	out_say(shell->out, "   %s%-13s%s %s", STYLED(shell->out, COLOUR_HEAD, name),
	        text_string(&help) + COLUMN);
	text_release(&help);
}

/* Shows each help up to the first semicolon. */
void choice_list(struct shell *shell, bool models)
{
	const char *name;
	for (int i = 0; (name = choice_name(models, i)); i++) {
		struct choice choice = {.name = name};
		if (choose_head(shell, models, &choice) == ST_OK) {
			const char *help = text_string(&choice.head.text[HEAD_HELP]);
			out_say(shell->out, "   %s%-13s%s %.*s\n", STYLED(shell->out, COLOUR_HEAD, name),
			        (int)strcspn(help, ";"), help);
		}
		choice_release(&choice);
	}
	const char *what = models ? "model" : "strategy";
	out_say(shell->out, "   `%s NAME help`: details and options; `%s NAME` %s\n", what, what,
	        models ? "chooses it" : "writes its program");
}

static void tell_several(struct shell *shell, const struct choice *choice, int count)
{
	const char *indent = "     ";
	out_say(shell->out, "   axes of the mesh, from the outermost:\n");
	for (int i = 1; i < count; i++) {
		const struct head *head = &choice[i].head;
		struct text axis = {0}, sends = {0}, options = {0};
		tell_title(shell, choice[i].name, head);
		if (head->text[HEAD_AXIS].count)
			text_add(&axis, "axis %s: %s", text_string(&head->text[HEAD_AXIS]),
			        text_string(&head->text[HEAD_CUTS]));
		head_defaults(head, &options);
		notes_put_sends(&head->text[HEAD_NOTES], &sends);
		const struct text *const lines[] = {&axis, &sends, &options};
		for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
			if (lines[k]->count)
				tell_hanging(shell, indent, text_string(lines[k]), INDENT + CONTINUED);
		text_release(&axis);
		text_release(&sends);
		text_release(&options);
	}
	struct text more = {0};
	text_add(&more,
	        "an option follows its strategy; `strategy %s help` lists its options, and the cost of the "
	        "strategy alone",
	        quoted_word("%s", choice[1].name).text);
	tell_hanging(shell, "   ", text_string(&more), 3);
	text_release(&more);
}

enum status choice_tell(struct shell *shell, bool model, const char *name, bool source)
{
	struct choice choice = {.name = name};
	enum status status = (source ? choose_file : choose_head)(shell, model, &choice);
	if (status == ST_OK && source)
		out_put(shell->out, choice.file.text, choice.file.count);
	if (status == ST_OK && !source) {
		struct text options = {0};
		head_options(&choice.head, out_width(shell->out), &options);
		tell_title(shell, choice.name, &choice.head);
		tell_notes(shell, &choice.head.text[HEAD_NOTES]);
		out_put(shell->out, text_string(&options), options.count);
		text_release(&options);
	}
	choice_release(&choice);
	return status;
}

enum status choice_tell_several(struct shell *shell, struct choice *choice, int count)
{
	int order[FILES_MAX];
	enum status status = ST_OK;
	for (int i = 1; i < count && status == ST_OK; i++)
		status = choose_head(shell, false, &choice[i]);
	if (status == ST_OK)
		status = stack_order(choice, count, order);
	if (status == ST_OK)
		tell_several(shell, choice, count);
	for (int i = 1; i < count; i++)
		choice_release(&choice[i]);
	return status;
}
