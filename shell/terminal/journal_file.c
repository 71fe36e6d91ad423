/* journal_file.c -- the session's log in a file
 *
 * One write(2) appends each line, so a crash can cut only the last one. A resumed session
 * continues its file. The newest 30 files are kept. */
#include "shell/terminal/journal_file.h"
#include "base/file.h"
#include "base/memory.h"
#include "shell/wire/io.h"
#include "shell/session/options.h"
#include "shell/session/quote.h"
#include "shell/wire/members.h"

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

/* Makes parents, too. The folder is private, because journals hold typed text. */
static enum status make_folders(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		struct stat there;
		int problem = mkdir(path, 0777) == 0 ? 0 : errno;
		if (problem && stat(path, &there) == 0)
			problem = 0;
		if (problem)
			fail(ST_FILE, "cannot make %s: %s", path, strerror(problem));
		*slash = '/';
		if (problem) {
			errno = problem;
			return ST_FILE;
		}
	}
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return fail(ST_FILE, "cannot make %s: %s", path, strerror(errno));
	return ST_OK;
}

enum status journal_file_folder(struct journal_file *journal)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	journal->file = -1;
	if (state && *state == '/')
		snprintf(journal->folder, sizeof journal->folder, "%s/ranksh", state);
	else
		snprintf(journal->folder, sizeof journal->folder, "%s/.local/state/ranksh", home ? home : "");
	return make_folders(journal->folder);
}

static int is_journal(const struct dirent *entry)
{
	return strncmp(entry->d_name, prefix, sizeof prefix - 1) == 0;
}

/* Lists the files, newest last. */
static int list_files(const struct journal_file *journal, struct dirent ***names)
{
	return scandir(journal->folder, names, is_journal, alphasort);
}

static void free_names(struct dirent **names, int count)
{
	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

static void drop_old(const struct journal_file *journal)
{
	struct dirent **names = NULL;
	char path[2048];
	int count = list_files(journal, &names);
	for (int i = 0; i < count - FILES_KEPT; i++) {
		snprintf(path, sizeof path, "%s/%s", journal->folder, names[i]->d_name);
		unlink(path);
	}
	free_names(names, count);
}

/* Writes and empties `lines`. An error closes the file. */
static enum status write_lines(struct journal_file *journal, struct text *lines)
{
	enum status status = ST_OK;
	if (journal->file >= 0)
		status = write_all(journal->file, text_string(lines), lines->count);
	text_release(lines);
	if (status == ST_OK)
		return ST_OK;
	fail(ST_FILE, "the journal %s cannot be written: %s; --resume will lack the lines from here on",
	        journal->path, strerror(errno));
	close(journal->file);
	journal->file = -1;
	return status;
}

static enum status open_new(struct journal_file *journal, const char *path)
{
	time_t now = time(NULL);
	struct tm local;
	char date[32];
	localtime_r(&now, &local);
	strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
	if (path)
		snprintf(journal->path, sizeof journal->path, "%s", path);
	else
		snprintf(journal->path, sizeof journal->path, "%s/%s%s-%ld", journal->folder, prefix, date,
		        (long)getpid());
	journal->file = open(journal->path,
	        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (path ? O_EXCL : O_TRUNC), path ? 0666 : 0600);
	if (journal->file < 0 && path && errno == EEXIST) {
		struct text word = {0};
		quote_system(path, &word);
		fail(ST_FILE,
		        "--journal %s: the file exists; `ranksh --resume --journal %s` opens its session "
		        "again",
		        path, text_string(&word));
		text_release(&word);
		return ST_FILE;
	}
	if (journal->file < 0)
		return fail(ST_FILE, "the journal %s cannot be written: %s", journal->path, strerror(errno));
	if (!path)
		drop_old(journal);
	return ST_OK;
}

enum status journal_file_begin(struct journal_file *journal, const char *path, int n, bool dry,
        const char *machine, const char *device)
{
	struct text lines = {0};
	journal->n = n;
	journal->dry = dry;
	snprintf(journal->machine, sizeof journal->machine, "%s", machine);
	snprintf(journal->device, sizeof journal->device, "%s", device);
	if (open_new(journal, path) != ST_OK)
		return ST_FILE;
	cJSON *head = cJSON_CreateObject();
	cJSON_AddStringToObject(head, "ranksh", RANKSH_VERSION);
	cJSON_AddNumberToObject(head, "n", n);
	cJSON_AddStringToObject(head, "machine", machine);
	cJSON_AddBoolToObject(head, "dry", dry);
	if (*device)
		cJSON_AddStringToObject(head, "device", device);
	put_json_line(&lines, head, "");
	return write_lines(journal, &lines);
}

/* `restart` needs the log in memory even if the write fails. */
enum status journal_file_change(
        struct journal_file *journal, const struct log_change *change, const char *typed)
{
	struct log_change *log = &journal->log;
	struct text lines = {0};
	if ((size_t)change->kept < log->count) {
		cJSON *object = cJSON_CreateObject();
		cJSON_AddNumberToObject(object, "keep", change->kept);
		cJSON_AddStringToObject(object, "typed", typed);
		put_json_line(&lines, object, "");
		log_shorten(log, change->kept);
	}
	for (size_t i = 0; i < change->count; i++) {
		cJSON *object = logged_line_object(&change->line[i]);
		logged_line_read(object, log_add(log));
		put_json_line(&lines, object, "");
	}
	return write_lines(journal, &lines);
}

enum status journal_file_look(
        struct journal_file *journal, const char *typed, int64_t stamp, const char *refused)
{
	struct text lines = {0};
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "look", typed);
	if (stamp >= 0)
		cJSON_AddNumberToObject(object, "stamp", (double)stamp);
	if (*refused)
		cJSON_AddStringToObject(object, "refused", refused);
	put_json_line(&lines, object, "");
	return write_lines(journal, &lines);
}

static int number_of(const cJSON *object, const char *key, int otherwise)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsNumber(item) ? item->valueint : otherwise;
}

static void put_member(struct text *text, const cJSON *object, const char *key)
{
	const char *member = member_text(object, key);
	text_clear(text);
	text_add(text, "%s", member ? member : "");
}

enum journal_says journal_file_line(
        struct journal_file *journal, const char *line, size_t count, struct journal_look *look)
{
	cJSON *object = cJSON_ParseWithLength(line, count);
	const cJSON *stamp = cJSON_GetObjectItemCaseSensitive(object, "stamp");
	int kept = number_of(object, "keep", -1);
	enum journal_says says = JOURNAL_OTHER;
	if (!cJSON_IsObject(object)) {
		says = JOURNAL_BAD;
	} else if (member_text(object, "line")) {
		logged_line_read(object, log_add(&journal->log));
		says = JOURNAL_LINE;
	} else if (member_text(object, "machine")) {
		const char *device = member_text(object, "device"), *version = member_text(object, "ranksh");
		snprintf(journal->machine, sizeof journal->machine, "%s", member_text(object, "machine"));
		snprintf(journal->device, sizeof journal->device, "%s", device ? device : "");
		snprintf(journal->version, sizeof journal->version, "%s", version ? version : "");
		journal->n = number_of(object, "n", 0);
		journal->dry = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "dry"));
		says = JOURNAL_HEAD;
	} else if (kept >= 0) {
		log_shorten(&journal->log, (size_t)kept);
		put_member(&look->typed, object, "typed");
		says = JOURNAL_KEEP;
	} else if (member_text(object, "look")) {
		put_member(&look->typed, object, "look");
		put_member(&look->refused, object, "refused");
		look->stamp = cJSON_IsNumber(stamp) ? (int64_t)stamp->valuedouble : -1;
		says = JOURNAL_LOOK;
	}
	cJSON_Delete(object);
	return says;
}

void journal_look_release(struct journal_look *look)
{
	text_release(&look->typed);
	text_release(&look->refused);
}

/* *whole: the file's size without an incomplete last line */
static enum status load(struct journal_file *journal, off_t *whole)
{
	char *bytes = NULL;
	size_t count = 0;
	struct journal_look look = {0};
	enum status status = file_read(journal->path, SIZE_MAX, &bytes, &count);
	FOR_LINES (line, bytes, count) {
		if (line.at + line.length < line.end) {
			journal_file_line(journal, line.at, line.length, &look);
			*whole = line.next - bytes;
		}
	}
	mem_free(bytes);
	journal_look_release(&look);
	if (status == ST_OK && (journal->n < 1 || journal->n > RANKS_DRY_MOST))
		status = fail(ST_FILE, "%s is not a journal of ranksh", journal->path);
	return status;
}

static enum status find_newest(struct journal_file *journal)
{
	struct dirent **names = NULL;
	int count = list_files(journal, &names);
	if (count > 0)
		snprintf(journal->path, sizeof journal->path, "%.1000s/%.150s", journal->folder,
		        names[count - 1]->d_name);
	free_names(names, count);
	return count > 0 ? ST_OK
	                 : fail(ST_FILE, "no session to resume: there is no journal in %s", journal->folder);
}

enum status journal_file_resume(struct journal_file *journal, const char *path)
{
	enum status status = ST_OK;
	off_t whole = 0;
	if (path)
		snprintf(journal->path, sizeof journal->path, "%s", path);
	else
		status = find_newest(journal);
	if (status == ST_OK)
		status = load(journal, &whole);
	if (status == ST_OK)
		journal->file = open(journal->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (journal->file >= 0 && ftruncate(journal->file, whole) != 0) {
		/* else the next line would continue half a line, and both would be lost */
		close(journal->file);
		journal->file = -1;
	}
	return status;
}

void journal_file_options(const struct journal_file *journal, struct options *options)
{
	options->n = options->n ? options->n : journal->n;
	options->dry = options->dry || journal->dry;
	if (!options->machine && *journal->machine)
		options->machine_then = journal->machine;
	if (options->device_by == DEVICE_AUTO && !*journal->device)
		options->device = "sim";
}

void journal_file_release(struct journal_file *journal)
{
	log_shorten(&journal->log, 0);
	mem_free(journal->log.line);
	if (journal->file >= 0)
		close(journal->file);
	*journal = (struct journal_file){.file = -1};
}
