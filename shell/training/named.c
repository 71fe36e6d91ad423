/* named.c -- models and strategies by name: those in the binary, or files of the user's */
#include "shell/training/choose.h"
#include "shell/training/head.h"
#include "base/embedded.h"
#include "base/memory.h"
#include "shell/language/run/player.h"
#include "shell/session/share.h"
#include "shell/session/shell.h"

#include <stdint.h>
#include <string.h>

static const char *folder_of(bool models)
{
	return models ? "strategies/models/" : "strategies/";
}

static enum status no_such(bool model, const char *name)
{
	struct text names = {0};
	const char *what = model ? "model" : "strategy", *other;
	int count;
	for (int i = 0; (other = embedded_name(folder_of(model), i, ".rsh")); i++)
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
	size_t length = strlen(name);
	return strchr(name, '/') || (length > 4 && strcmp(name + length - 4, ".rsh") == 0);
}

static enum status embedded_file(bool model, struct choice *choice)
{
	const struct embedded *at = embedded_find(folder_of(model), choice->name, ".rsh");
	if (!at)
		return no_such(model, choice->name);
	choice->file = (struct player_file){
	        .name = at->path, .text = mem_copy_text(at->bytes, at->count), .count = at->count};
	return ST_OK;
}

enum status choose_file(struct shell *shell, bool model, struct choice *choice)
{
	char *bytes;
	choice->file = (struct player_file){.name = choice->name};
	if (!choice_is_path(choice->name))
		return embedded_file(model, choice);
	enum status status = shell_file(shell, choice->name, &bytes, &choice->file.count);
	choice->file.text = status == ST_OK ? bytes : NULL;
	return status;
}

void choice_release(struct choice *choice)
{
	mem_free((void *)(uintptr_t)choice->file.text);
	head_release(&choice->head);
	choice->file = (struct player_file){0};
}

void choice_follows(bool model, const char *name, struct text *out)
{
	struct choice choice = {.name = name, .file.name = name};
	const char *other;
	char *bytes = NULL;
	for (int i = 0; !*name && (other = embedded_name(folder_of(model), i, ".rsh")); i++)
		text_add(out, "%s\n", other);
	if (!*name ||
	        (choice_is_path(name) ? read_file(name, &bytes, &choice.file.count)
	                              : embedded_file(model, &choice)) != ST_OK)
		return;
	choice.file.text = bytes ? bytes : choice.file.text;
	text_add(out, "help\nsource\n");
	if (head_read(&choice.head, &choice.file) == ST_OK)
		head_keys(&choice.head, out);
	choice_release(&choice);
}

void choice_those_with(const char *option, struct text *out)
{
	const char *name;
	for (int i = 0; (name = embedded_name(folder_of(false), i, ".rsh")); i++) {
		struct choice choice = {.name = name};
		if (embedded_file(false, &choice) == ST_OK && file_has_option(&choice.file, option))
			text_add(out, "%s%s", out->count ? " " : "", name);
		choice_release(&choice);
	}
}

static void say_help(struct shell *shell, const char *name, const struct head *head)
{
	enum { COLUMN = 17 };
	struct text help = {0};
	text_wrapped(&help, text_string(&head->help), COLUMN, out_width(shell->out));
	out_say(shell->out, "   %s%-13s%s %s", STYLED(shell->out, COLOUR_HEAD, name),
	        text_string(&help) + COLUMN);
	text_release(&help);
}

void choice_list(struct shell *shell, bool models)
{
	const char *name;
	for (int i = 0; (name = embedded_name(folder_of(models), i, ".rsh")); i++) {
		struct choice choice = {.name = name};
		if (embedded_file(models, &choice) == ST_OK && head_read(&choice.head, &choice.file) == ST_OK)
			say_help(shell, name, &choice.head);
		choice_release(&choice);
	}
}

/* A line of the notes, wrapped: what goes on stands under the lines that go on in the file. A drawing, which has two
 * blanks together, is left as it is. */
static void say_note(struct shell *shell, const char *line, size_t length)
{
	enum { INDENT = 5, CONTINUED = 2 };
	struct text words = {0}, wrapped = {0};
	size_t blanks = 0, more = 0, count;
	while (blanks < length && line[blanks] == ' ')
		blanks++;
	text_put(&words, line + blanks, length - blanks);
	if (strstr(text_string(&words), "  ")) {
		text_add(&wrapped, "%*s%s\n", INDENT + (int)blanks, "", text_string(&words));
	} else {
		more = blanks < CONTINUED ? CONTINUED - blanks : 0; /* less on the first line */
		text_wrapped(
		        &wrapped, text_string(&words), (int)(INDENT + blanks + more), out_width(shell->out));
	}
	const char *at = text_string(&wrapped) + more, *end = text_string(&wrapped) + wrapped.count;
	while ((line = text_line(&at, end, &count)))
		out_say(shell->out, "%s%.*s%s\n", STYLED(shell->out, COLOUR_NOTE, (int)count, line));
	text_release(&words);
	text_release(&wrapped);
}

enum status choice_tell(struct shell *shell, bool model, const char *name, bool source)
{
	struct choice choice = {.name = name};
	const struct head *head = &choice.head;
	enum status status = choose_file(shell, model, &choice);
	if (status == ST_OK && !source)
		status = head_read(&choice.head, &choice.file);
	if (status == ST_OK && source) {
		out_put(shell->out, choice.file.text, choice.file.count);
	} else if (status == ST_OK) {
		struct text options = {0};
		head_options(head, out_width(shell->out), &options);
		say_help(shell, name, head);
		const char *at = text_string(&head->notes), *end = at + head->notes.count, *line;
		size_t length;
		while ((line = text_line(&at, end, &length)))
			say_note(shell, line, length);
		out_put(shell->out, text_string(&options), options.count);
		text_release(&options);
	}
	choice_release(&choice);
	return status;
}
