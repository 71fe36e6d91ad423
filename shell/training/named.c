/* named.c -- models and strategies by name: those in the binary, or files of the user's */
#include "shell/training/choose.h"
#include "shell/training/head.h"
#include "base/embedded.h"
#include "base/memory.h"
#include "shell/session/out.h"
#include "shell/session/share.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char strategies_at[] = "strategies/", models_at[] = "strategies/models/";

/* "ddp" of "strategies/ddp.rsh"; false: another folder's */
static bool name_in(const char *path, const char *folder, char *name, size_t room)
{
	size_t length = strlen(folder), count = strlen(path);
	if (strncmp(path, folder, length) != 0 || strchr(path + length, '/') || count < length + 5 ||
	        count - length - 4 >= room)
		return false;
	snprintf(name, room, "%.*s", (int)(count - length - 4), path + length);
	return true;
}

/* "serial", "ddp" ...: the i-th embedded one; NULL behind the last. models: of the models. Valid until the
 * next call. */
static const char *chosen_name(bool models, int i)
{
	static char name[64];
	for (const struct embedded *file = embedded_files; file->path; file++)
		if (name_in(file->path, models ? models_at : strategies_at, name, sizeof name) && i-- == 0)
			return name;
	return NULL;
}

static enum status no_such(bool model, const char *name)
{
	struct text names = {0};
	const char *what = model ? "model" : "strategy", *other;
	int count;
	for (int i = 0; (other = chosen_name(model, i)); i++)
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

/* false: no such one in the binary */
static bool embedded_file(bool model, const char *name, struct player_file *file)
{
	char known[64];
	for (const struct embedded *at = embedded_files; at->path; at++)
		if (name_in(at->path, model ? models_at : strategies_at, known, sizeof known) &&
		        strcmp(known, name) == 0) {
			*file = (struct player_file){.name = at->path,
			        .text = mem_copy_text(at->bytes, at->count),
			        .count = at->count};
			return true;
		}
	return false;
}

enum status choose_file(struct shell *shell, bool model, const char *name, struct player_file *file)
{
	char *bytes;
	*file = (struct player_file){.name = name};
	if (!choice_is_path(name))
		return embedded_file(model, name, file) ? ST_OK : no_such(model, name);
	enum status status = shell_file(shell, name, &bytes, &file->count);
	file->text = status == ST_OK ? bytes : NULL;
	return status;
}

void choice_follows(bool model, const char *name, struct text *out)
{
	struct player_file file;
	struct head head;
	const char *other;
	for (int i = 0; !*name && (other = chosen_name(model, i)); i++)
		text_add(out, "%s\n", other);
	if (!*name || !embedded_file(model, name, &file))
		return;
	text_add(out, "help\nsource\n");
	if (head_read(&head, &file) == ST_OK)
		head_keys(&head, out);
	head_release(&head);
	mem_free((void *)(uintptr_t)file.text);
}

static void say_help(struct shell *shell, const char *name, const struct head *head)
{
	out_say(shell->out, "   %s%-13s%s %s\n", style(shell->out, COLOUR_HEAD), name,
	        style(shell->out, COLOUR_PLAIN), text_string(&head->help));
}

void choice_list(struct shell *shell, bool models)
{
	const char *name;
	for (int i = 0; (name = chosen_name(models, i)); i++) {
		struct player_file file;
		struct head head;
		embedded_file(models, name, &file);
		if (head_read(&head, &file) == ST_OK)
			say_help(shell, name, &head);
		head_release(&head);
		mem_free((void *)(uintptr_t)file.text);
	}
}

enum status choice_tell(struct shell *shell, bool model, const char *name, bool source)
{
	struct player_file file;
	struct head head;
	enum status status = choose_file(shell, model, name, &file);
	if (status != ST_OK)
		return status;
	status = source ? ST_OK : head_read(&head, &file);
	if (status == ST_OK && source)
		out_put(shell->out, file.text, file.count);
	else if (status == ST_OK) {
		struct text options = {0};
		const char *note = style(shell->out, COLOUR_NOTE), *plain = style(shell->out, COLOUR_PLAIN);
		head_options(&head, &options);
		say_help(shell, name, &head);
		for (const char *line = text_string(&head.notes), *end; *line; line = end + 1) {
			end = line + strcspn(line, "\n");
			out_say(shell->out, "     %s%.*s%s\n", note, (int)(end - line), line, plain);
		}
		out_put(shell->out, text_string(&options), options.count);
		text_release(&options);
		head_release(&head);
	}
	mem_free((void *)(uintptr_t)file.text);
	return status;
}
