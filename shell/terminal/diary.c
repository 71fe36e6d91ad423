/* diary.c -- the front end's journal */
#include "shell/terminal/diary.h"
#include "base/memory.h"
#include "shell/io.h"
#include "shell/options.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILES_KEPT = 30 };
static const char prefix[] = "journal-";

static enum status make_folders(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		int made = mkdir(path, 0777);
		*slash = '/';
		if (made != 0 && errno != EEXIST)
			break;
	}
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return fail(ST_FILE, "cannot make %s: %s", path, strerror(errno));
	return ST_OK;
}

enum status diary_folder(struct diary *diary)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	diary->file = -1;
	if (state && *state == '/')
		snprintf(diary->folder, sizeof diary->folder, "%s/ranksh", state);
	else
		snprintf(diary->folder, sizeof diary->folder, "%s/.local/state/ranksh", home ? home : "");
	return make_folders(diary->folder);
}

/* Names of journals, newest last: they begin with their date. */
static int list_files(const struct diary *diary, struct dirent ***names)
{
	int count = scandir(diary->folder, names, NULL, alphasort), kept = 0;
	for (int i = 0; i < count; i++) {
		if (strncmp((*names)[i]->d_name, prefix, sizeof prefix - 1) == 0)
			(*names)[kept++] = (*names)[i];
		else
			free((*names)[i]);
	}
	return kept;
}

static void free_names(struct dirent **names, int count)
{
	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

static void drop_old(const struct diary *diary)
{
	struct dirent **names = NULL;
	char path[2048];
	int count = list_files(diary, &names);
	for (int i = 0; i < count - FILES_KEPT; i++) {
		snprintf(path, sizeof path, "%s/%s", diary->folder, names[i]->d_name);
		unlink(path);
	}
	free_names(names, count);
}

/* Takes the object. Said once when it does not go; the file is then left alone. */
static enum status write_object(struct diary *diary, cJSON *object)
{
	char *printed = object ? cJSON_PrintUnformatted(object) : NULL;
	enum status status = printed ? ST_OK : fail(ST_MEMORY, "this computer is out of memory");
	if (printed && diary->file >= 0) {
		status = write_all(diary->file, printed, strlen(printed));
		if (status == ST_OK)
			status = write_all(diary->file, "\n", 1);
	}
	cJSON_free(printed);
	cJSON_Delete(object);
	if (status == ST_OK || diary->warned)
		return ST_OK;
	diary->warned = true;
	return fail(ST_FILE, "the journal %s cannot be written: %s; --resume will not know the lines from here on", diary->path, strerror(errno));
}

enum status diary_begin(struct diary *diary, int n, bool dry, const char *machine)
{
	time_t now = time(NULL);
	struct tm local;
	char date[32];
	localtime_r(&now, &local);
	strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
	snprintf(diary->path, sizeof diary->path, "%s/%s%s-%ld", diary->folder, prefix, date, (long)getpid());
	diary->n = n;
	diary->dry = dry;
	snprintf(diary->machine, sizeof diary->machine, "%s", machine);
	diary->file = open(diary->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (diary->file < 0) {
		diary->warned = true;
		return fail(ST_FILE, "the journal %s cannot be written: %s", diary->path, strerror(errno));
	}
	drop_old(diary);
	cJSON *head = cJSON_CreateObject();
	cJSON_AddStringToObject(head, "ranksh", RANKSH_VERSION);
	cJSON_AddNumberToObject(head, "n", n);
	cJSON_AddStringToObject(head, "machine", machine);
	cJSON_AddBoolToObject(head, "dry", dry);
	return write_object(diary, head);
}

static enum status keep(struct diary *diary, const char *line, int64_t stop, int64_t stamp, const char *outside)
{
	enum status status = MEM_GROW(&diary->lines, diary->count, &diary->room);
	char *line_copy = status == ST_OK ? mem_copy_text(line, strlen(line)) : NULL;
	char *outside_copy = line_copy ? mem_copy_text(outside, strlen(outside)) : NULL;
	if (!outside_copy) {
		mem_free(line_copy);
		return ST_MEMORY;
	}
	diary->lines[diary->count++] = (struct recorded){line_copy, outside_copy, stop, stamp};
	return ST_OK;
}

enum status diary_add(struct diary *diary, const char *line, int64_t stop, int64_t stamp, const char *outside)
{
	enum status status = keep(diary, line, stop, stamp, outside);
	cJSON *object = status == ST_OK ? cJSON_CreateObject() : NULL;
	if (status != ST_OK)
		return status;
	cJSON_AddStringToObject(object, "line", line);
	if (stop)
		cJSON_AddNumberToObject(object, "stop", (double)stop);
	if (stamp >= 0)
		cJSON_AddNumberToObject(object, "stamp", (double)stamp);
	if (*outside)
		cJSON_AddStringToObject(object, "outside", outside);
	return write_object(diary, object);
}

static int64_t number_of(const cJSON *object, const char *key, int64_t otherwise)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : otherwise;
}

/* A line cut off by a crash is the last one, and is left out. */
static void read_line(struct diary *diary, const cJSON *object)
{
	const char *line = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "line"));
	const char *machine = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "machine"));
	const char *outside = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "outside"));
	if (line) {
		keep(diary, line, number_of(object, "stop", 0), number_of(object, "stamp", -1), outside ? outside : "");
	} else if (machine) {
		snprintf(diary->machine, sizeof diary->machine, "%s", machine);
		diary->n = (int)number_of(object, "n", 0);
		diary->dry = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "dry"));
	}
}

static enum status load(struct diary *diary)
{
	char *bytes = NULL;
	size_t count = 0;
	enum status status = read_whole(diary->path, &bytes, &count);
	for (const char *at = bytes, *end = bytes + count; status == ST_OK && at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		cJSON *object = newline ? cJSON_ParseWithLength(at, (size_t)(newline - at)) : NULL;
		if (object)
			read_line(diary, object);
		cJSON_Delete(object);
		at = newline ? newline + 1 : end;
	}
	mem_free(bytes);
	if (status == ST_OK && (diary->n < 1 || diary->n > RANKS_DRY_MOST))
		status = fail(ST_FILE, "%s is not a journal of ranksh", diary->path);
	return status;
}

enum status diary_resume(struct diary *diary)
{
	struct dirent **names = NULL;
	int count = list_files(diary, &names);
	if (count > 0)
		snprintf(diary->path, sizeof diary->path, "%.1000s/%.150s", diary->folder, names[count - 1]->d_name);
	free_names(names, count);
	if (count <= 0)
		return fail(ST_FILE, "no session to resume: there is no journal in %s", diary->folder);
	enum status status = load(diary);
	if (status == ST_OK)
		diary->file = open(diary->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	return status;
}

void diary_release(struct diary *diary)
{
	for (size_t i = 0; i < diary->count; i++) {
		mem_free(diary->lines[i].line);
		mem_free(diary->lines[i].outside);
	}
	mem_free(diary->lines);
	if (diary->file >= 0)
		close(diary->file);
	*diary = (struct diary){.file = -1};
}
