/* diary.c -- the front end's journal */
#include "shell/terminal/diary.h"
#include "base/memory.h"
#include "shell/wire/io.h"
#include "shell/session/options.h"

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
	return fail(ST_FILE,
	        "the journal %s cannot be written: %s; --resume will not know the lines from here on",
	        diary->path, strerror(errno));
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

static enum status keep(struct diary *diary, struct recorded entry)
{
	enum status status = MEM_GROW(&diary->lines, diary->count, &diary->room);
	entry.line = status == ST_OK ? mem_copy_text(entry.line, strlen(entry.line)) : NULL;
	entry.outside = entry.line ? mem_copy_text(entry.outside, strlen(entry.outside)) : NULL;
	if (!entry.outside) {
		mem_free(entry.line);
		return ST_MEMORY;
	}
	diary->lines[diary->count++] = entry;
	return ST_OK;
}

/* How many lines there were before entry i */
static int lines_before(const struct diary *diary, size_t i)
{
	return i ? diary->lines[i - 1].lines : 0;
}

/* The entry behind which all that count can go, so that `lines` are left; SIZE_MAX: one of them did more than
 * to join the others. */
static size_t first_undone(const struct diary *diary, int lines)
{
	size_t first = diary->count;
	for (; first > 0 && diary->lines[first - 1].lines > lines; first--)
		if (diary->lines[first - 1].undo ||
		        diary->lines[first - 1].lines !=
		                lines_before(diary, first - 1) + diary->lines[first - 1].adds)
			return SIZE_MAX;
	return (first ? diary->lines[first - 1].lines : 0) == lines ? first : SIZE_MAX;
}

/* `undo`, `undo 3`: nothing else on its line */
static bool only_undoes(const char *line)
{
	line += strspn(line, " \t");
	return strncmp(line, "undo", 4) == 0 && line[4 + strspn(line + 4, " \t0123456789")] == '\0';
}

static bool drop_undone(struct diary *diary, int lines)
{
	size_t kept = first_undone(diary, lines);
	if (kept == SIZE_MAX)
		return false;
	for (size_t i = kept; i < diary->count; i++) {
		struct recorded entry = diary->lines[i];
		if (entry.adds) {
			mem_free(entry.line);
			mem_free(entry.outside);
			continue;
		}
		entry.lines = lines;
		diary->lines[kept++] = entry;
	}
	diary->count = kept;
	return true;
}

static enum status take(struct diary *diary, struct recorded entry)
{
	return entry.undo && only_undoes(entry.line) && drop_undone(diary, entry.lines) ? ST_OK
	                                                                                : keep(diary, entry);
}

enum status diary_add(struct diary *diary, struct recorded entry)
{
	enum status status = take(diary, entry);
	if (status != ST_OK)
		return status;
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "line", entry.line);
	cJSON_AddNumberToObject(object, "lines", entry.lines);
	if (entry.adds)
		cJSON_AddTrueToObject(object, "adds");
	if (entry.undo)
		cJSON_AddTrueToObject(object, "undo");
	if (entry.stop)
		cJSON_AddNumberToObject(object, "stop", (double)entry.stop);
	if (entry.stamp >= 0)
		cJSON_AddNumberToObject(object, "stamp", (double)entry.stamp);
	if (*entry.outside)
		cJSON_AddStringToObject(object, "outside", entry.outside);
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
	char *line = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "line"));
	const char *machine = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "machine"));
	char *outside = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "outside")),
	     none[] = "";
	if (line) {
		struct recorded entry = {.line = line,
		        .outside = outside ? outside : none,
		        .stop = number_of(object, "stop", 0),
		        .stamp = number_of(object, "stamp", -1),
		        .lines = (int)number_of(object, "lines", 0),
		        .adds = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "adds")),
		        .undo = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "undo"))};
		take(diary, entry);
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
		snprintf(diary->path, sizeof diary->path, "%.1000s/%.150s", diary->folder,
		        names[count - 1]->d_name);
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
