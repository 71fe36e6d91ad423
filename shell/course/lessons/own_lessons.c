/* own_lessons.c -- the user's own lessons: files in XDG_DATA_HOME/ranksh/lessons; a template */
#include "base/embedded.h"
#include "base/file.h"
#include "base/memory.h"
#include "shell/course/lessons/open_lesson.h"
#include "shell/session/quote.h"
#include "shell/values/share.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".rsh";

static void own_folder(char *path, size_t room)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	if (data && *data == '/')
		snprintf(path, room, "%s/ranksh/lessons", data);
	else
		snprintf(path, room, "%s/.local/share/ranksh/lessons", home ? home : "");
}

void own_lesson_path(const char *word, char *path, size_t room)
{
	char where[1024];
	own_folder(where, sizeof where);
	if (strpbrk(word, "./"))
		snprintf(path, room, "%s", word);
	else
		snprintf(path, room, "%s/%s%s", where, word, suffix);
}

static int is_lesson(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && path_ends(entry->d_name, suffix);
}

static void put_own(struct shell *shell, struct text *out)
{
	char path[1024];
	struct dirent **names = NULL;
	own_folder(path, sizeof path);
	int count = scandir(path, &names, is_lesson, alphasort);
	for (int i = 0; i < count; i++) {
		struct lesson_file file = {0};
		char place[2048], *bytes = NULL;
		size_t size = 0;
		int length = (int)(strlen(names[i]->d_name) - (sizeof suffix - 1));
		snprintf(place, sizeof place, "%s/%s", path, names[i]->d_name);
		enum status status = read_file(place, &bytes, &size);
		if (status == ST_OK)
			status = lesson_file_read(&file, bytes, size, names[i]->d_name, false);
		text_add(out, "   %slesson %.*s%s   %s\n",
		        STYLED(shell->out, COLOUR_HEAD, length, names[i]->d_name),
		        status == ST_OK ? text_string(&file.title) : fail_text());
		lesson_file_release(&file);
		mem_free(bytes);
		free(names[i]);
	}
	free(names);
}

enum status own_lessons_tell(struct shell *shell)
{
	struct text out = {0};
	if (transport_rank(shell->transport) == 0)
		put_own(shell, &out);
	enum status status = shell_say_found(shell, ST_OK, &out);
	text_release(&out);
	return status;
}

enum status lesson_new(struct shell *shell, const char *path)
{
	const struct embedded *file = embedded_find("lessons/", "template", suffix);
	bool there = !shell->replay.depth && transport_rank(shell->transport) == 0 &&
	        file_there(path) != FILE_NONE;
	struct output output = {.path = path, .force = true}; /* no file is there: checked below */
	struct text text = {0}, at_system = {0};
	enum status status = shell_agree(shell, 0,
	        there ? fail(ST_FILE, "%s exists already: a lesson needs a new file", path) : ST_OK);
	text_put(&text, file->bytes, file->count);
	status = status == ST_OK ? shell_write(shell, &output, &text) : shell_written(shell, path, status);
	quote_system(path, &at_system);
	if (status == ST_OK)
		out_say(shell->out,
		        "   %s: a template; `lesson %s` opens it, `ranksh --check-lessons %s` runs its "
		        "checks\n",
		        path, quoted_word("%s", path).text, text_string(&at_system));
	text_release(&text);
	text_release(&at_system);
	return status;
}
