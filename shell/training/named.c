/* named.c -- models and strategies by name: built-in ones, and files */
#include "shell/training/choose.h"
#include "shell/training/head.h"
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
