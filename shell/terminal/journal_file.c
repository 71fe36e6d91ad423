/* journal_file.c -- the session's log in a file
 *
 * Only ever appended to, one write(2) a line, so that a crash at any moment leaves all lines but the last one whole:
 *
 *     {"ranksh":"0.1","n":4,"machine":"classroom","dry":false}
 *     {"line":"tensor x[4] = ones"}
 *     {"line":"y = relu x"}
 *     {"keep":1}                          undo: of the lines so far the first stands
 *     {"line":"repeat 9 { relu x }","stop":120}
 *
 * A session that is resumed goes on in the same file. The newest 30 files are kept. */
#include "shell/terminal/journal_file.h"
#include "base/file.h"
#include "base/memory.h"
#include "shell/wire/io.h"
#include "shell/session/options.h"
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

/* As mkdir -p; the last folder is for the user alone, as journals hold what was typed. */
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

/* Names of journals, newest last: they begin with their date. */
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

/* Called when the new file is there, which counts among those kept. */
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

/* Takes the object. When it does not go that is said, and the file is left alone from then on. */
static enum status write_object(struct journal_file *journal, cJSON *object)
{
	char *printed = cJSON_PrintUnformatted(object);
	enum status status = ST_OK;
	if (journal->file >= 0) {
		status = write_all(journal->file, printed, strlen(printed));
		if (status == ST_OK)
			status = write_all(journal->file, "\n", 1);
	}
	cJSON_free(printed);
	cJSON_Delete(object);
	if (status == ST_OK)
		return ST_OK;
	fail(ST_FILE, "the journal %s cannot be written: %s; --resume will not know the lines from here on",
	        journal->path, strerror(errno));
	close(journal->file);
	journal->file = -1;
	return status;
}

enum status journal_file_begin(
        struct journal_file *journal, int n, bool dry, const char *machine, const char *device)
{
	time_t now = time(NULL);
	struct tm local;
	char date[32];
	localtime_r(&now, &local);
	strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
	snprintf(journal->path, sizeof journal->path, "%s/%s%s-%ld", journal->folder, prefix, date,
	        (long)getpid());
	journal->n = n;
	journal->dry = dry;
	snprintf(journal->machine, sizeof journal->machine, "%s", machine);
	snprintf(journal->device, sizeof journal->device, "%s", device);
	journal->file = open(journal->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (journal->file < 0)
		return fail(ST_FILE, "the journal %s cannot be written: %s", journal->path, strerror(errno));
	drop_old(journal);
	cJSON *head = cJSON_CreateObject();
	cJSON_AddStringToObject(head, "ranksh", RANKSH_VERSION);
	cJSON_AddNumberToObject(head, "n", n);
	cJSON_AddStringToObject(head, "machine", machine);
	cJSON_AddBoolToObject(head, "dry", dry);
	if (*device)
		cJSON_AddStringToObject(head, "device", device);
	return write_object(journal, head);
}

/* The log in memory and the file are changed alike, also when the disk takes nothing: `restart` needs the first. */
enum status journal_file_change(struct journal_file *journal, const struct log_change *change)
{
	struct log_change *log = &journal->log;
	enum status status = ST_OK;
	if ((size_t)change->kept < log->count) {
		cJSON *object = cJSON_CreateObject();
		cJSON_AddNumberToObject(object, "keep", change->kept);
		status = write_object(journal, object);
		log_shorten(log, change->kept);
	}
	for (size_t i = 0; i < change->count; i++) {
		cJSON *object = logged_line_object(&change->line[i]);
		logged_line_read(object, log_add(log));
		enum status written = write_object(journal, object);
		status = status != ST_OK ? status : written;
	}
	return status;
}

static int number_of(const cJSON *object, const char *key, int otherwise)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsNumber(item) ? item->valueint : otherwise;
}

/* A line cut off by a crash is the last one, and is left out. */
static void read_line(struct journal_file *journal, const cJSON *object)
{
	const char *machine = member_text(object, "machine");
	if (member_text(object, "line")) {
		logged_line_read(object, log_add(&journal->log));
	} else if (machine) {
		const char *device = member_text(object, "device");
		snprintf(journal->machine, sizeof journal->machine, "%s", machine);
		snprintf(journal->device, sizeof journal->device, "%s", device ? device : "");
		journal->n = number_of(object, "n", 0);
		journal->dry = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "dry"));
	} else {
		int kept = number_of(object, "keep", -1);
		log_shorten(&journal->log, kept < 0 ? journal->log.count : (size_t)kept);
	}
}

/* A line that is no JSON is passed over: the last one may have been cut off. */
static enum status load(struct journal_file *journal)
{
	char *bytes = NULL;
	size_t count = 0;
	enum status status = file_read_any(journal->path, &bytes, &count);
	for (const char *at = bytes, *end = bytes + count; status == ST_OK && at < end;) {
		const char *newline = memchr(at, '\n', end - at);
		cJSON *object = newline ? cJSON_ParseWithLength(at, newline - at) : NULL;
		if (object)
			read_line(journal, object);
		cJSON_Delete(object);
		at = newline ? newline + 1 : end;
	}
	mem_free(bytes);
	if (status == ST_OK && (journal->n < 1 || journal->n > RANKS_DRY_MOST))
		status = fail(ST_FILE, "%s is not a journal of ranksh", journal->path);
	return status;
}

enum status journal_file_resume(struct journal_file *journal)
{
	struct dirent **names = NULL;
	int count = list_files(journal, &names);
	if (count > 0)
		snprintf(journal->path, sizeof journal->path, "%.1000s/%.150s", journal->folder,
		        names[count - 1]->d_name);
	free_names(names, count);
	if (count <= 0)
		return fail(ST_FILE, "no session to resume: there is no journal in %s", journal->folder);
	enum status status = load(journal);
	if (status == ST_OK)
		journal->file = open(journal->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	return status;
}

void journal_file_release(struct journal_file *journal)
{
	log_shorten(&journal->log, 0);
	mem_free(journal->log.line);
	if (journal->file >= 0)
		close(journal->file);
	*journal = (struct journal_file){.file = -1};
}
