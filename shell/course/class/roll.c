/* roll.c -- reads additions to the class's folder
 *
 * The content is untrusted: only regular files are opened, at most FILE_MOST bytes are read,
 * unknown lines are skipped, and an incomplete line waits for its end. */
#include "shell/course/class/roll.h"
#include "base/file.h"
#include "base/memory.h"
#include "shell/session/quote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MOST = 4 << 20, PIECE = 1 << 16, RULES_MOST = 1 << 16 };

static void session_empty(struct class_session *session)
{
	for (size_t i = 0; i < session->events; i++)
		class_event_release(&session->event[i]);
	mem_free(session->event);
	class_head_release(&session->head);
	text_release(&session->half);
	*session = (struct class_session){.file = session->file, .seen = session->seen};
}

static void session_drop(struct roll *roll, size_t i)
{
	session_empty(&roll->session[i]);
	mem_free(roll->session[i].file);
	MEM_REMOVE(roll->session, &roll->sessions, i);
}

static void session_add_line(struct class_session *session, const char *line, size_t count)
{
	struct class_event event = {0};
	if (!session->head.class) {
		session->spoiled = !class_head_read(&session->head, line, count);
	} else if (class_event_read(&event, line, count)) {
		*MEM_ADD(&session->event, &session->events) = event;
	} else {
		class_event_release(&event);
	}
}

static void session_add(struct class_session *session, const char *bytes, size_t count)
{
	text_put(&session->half, bytes, count);
	const char *at = text_string(&session->half), *end = at + session->half.count, *newline;
	while (!session->spoiled && (newline = memchr(at, '\n', (size_t)(end - at)))) {
		session_add_line(session, at, (size_t)(newline - at));
		at = newline + 1;
	}
	struct text rest = {0};
	text_put(&rest, at, (size_t)(end - at));
	text_release(&session->half);
	session->half = rest;
}

/* Rereads a file that was replaced or truncated. */
static bool read_new(struct class_session *session, int file, const struct stat *now)
{
	char piece[PIECE];
	ssize_t got = 0;
	if (now->st_ino != session->inode || now->st_size < session->read)
		session_empty(session);
	session->inode = now->st_ino;
	session->grew = now->st_mtime;
	off_t from = session->read;
	while (!session->spoiled && session->read < FILE_MOST &&
	        (got = pread(file, piece, sizeof piece, session->read)) > 0) {
		session->read += got;
		session_add(session, piece, (size_t)got);
	}
	return session->read != from;
}

/* Returns the file's session, created if new; NULL if there are too many. */
static struct class_session *session_find(struct roll *roll, const char *name)
{
	size_t low = 0, high = roll->sessions;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(roll->session[middle].file, name);
		if (order == 0)
			return &roll->session[middle];
		*(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
	}
	if (roll->sessions == SESSIONS_MOST)
		return NULL;
	*MEM_INSERT(&roll->session, &roll->sessions, low) =
	        (struct class_session){.file = mem_copy_text(name, strlen(name))};
	return &roll->session[low];
}

static bool read_entry(struct roll *roll, int folder, const char *name)
{
	struct stat now;
	int file = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	bool regular = file >= 0 && fstat(file, &now) == 0 && S_ISREG(now.st_mode), changed = false;
	struct class_session *session = regular ? session_find(roll, name) : NULL;
	if (session) {
		session->seen = true;
		changed = read_new(session, file, &now);
	}
	if (file >= 0)
		close(file);
	return changed;
}

enum status roll_rules(const char *folder, struct class_rules *rules)
{
	char path[1200], *bytes = NULL;
	size_t count = 0;
	snprintf(path, sizeof path, "%.1100s/class", folder);
	enum status status = file_read(path, RULES_MOST, &bytes, &count);
	if (status == ST_OK)
		status = rules_read(rules, bytes, count, path);
	mem_free(bytes);
	return status;
}

static bool read_rules(struct roll *roll)
{
	struct class_rules rules = roll->rules;
	struct text mistake = {0};
	enum status status = roll_rules(roll->folder, &rules);
	if (status == ST_SYNTAX)
		text_add(&mistake, "%s", fail_text());
	bool changed = memcmp(&rules, &roll->rules, sizeof rules) != 0 ||
	        strcmp(text_string(&mistake), text_string(&roll->mistake)) != 0;
	text_release(&roll->mistake);
	roll->mistake = mistake;
	roll->rules = rules;
	return changed;
}

enum status roll_read(struct roll *roll, bool *changed)
{
	DIR *folder = opendir(roll->folder);
	struct dirent *entry;
	*changed = false;
	if (!folder)
		return fail(ST_FILE, "%s cannot be read: %s", roll->folder, strerror(errno));
	for (size_t i = 0; i < roll->sessions; i++)
		roll->session[i].seen = false;
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.' && path_ends(entry->d_name, class_suffix))
			*changed |= read_entry(roll, dirfd(folder), entry->d_name);
	closedir(folder);
	for (size_t i = roll->sessions; i-- > 0;)
		if (!roll->session[i].seen) {
			session_drop(roll, i);
			*changed = true;
		}
	*changed |= read_rules(roll);
	return ST_OK;
}

void roll_release(struct roll *roll)
{
	while (roll->sessions)
		session_drop(roll, roll->sessions - 1);
	mem_free(roll->session);
	text_release(&roll->mistake);
	*roll = (struct roll){0};
}
