/* learning.c -- reads progress and the class's folder at the start, then only appends */
#include "shell/course/class/learning.h"
#include "base/file.h"
#include "base/memory.h"
#include "shell/course/class/roll.h"
#include "shell/course/class/rules.h"
#include "shell/wire/io.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 1200, ID_ROOM = 40 };

struct learning {
	const char *folder; /* NULL: no class */
	struct text name;
	struct text solved; /* "1.1 4.2 " */
	int progress;       /* file descriptor; -1: not kept */
	struct class_file file;
	struct text typed; /* lines since the last check or the task's opening */
	int lines;
};

static const char *own_name(const struct options *options)
{
	const struct passwd *user = getpwuid(geteuid());
	const char *name = options->as ? options->as : user ? user->pw_name : "";
	return options->as || class_file_name(name) == ST_OK ? name : "learner";
}

enum status learning_check(const struct options *options)
{
	struct stat at;
	const char *folder = options->class_folder;
	if (!folder)
		return ST_OK;
	if (stat(folder, &at) != 0)
		return fail(ST_FILE,
		        "--class %s: %s; the instructor makes the folder, and all learners write there",
		        folder, strerror(errno));
	if (!S_ISDIR(at.st_mode))
		return fail(ST_FILE, "--class %s: this is a file, not a folder", folder);
	return class_file_name(own_name(options));
}

/* Reads or makes the random number that distinguishes learners of one name. */
static void read_id(const char *state, char id[ID_ROOM])
{
	char path[PATH_ROOM], *bytes = NULL;
	size_t count = 0;
	uint64_t dice[2] = {0};
	snprintf(path, sizeof path, "%.1100s/learner", state);
	if (file_read(path, ID_ROOM, &bytes, &count) == ST_OK && count >= 32) {
		snprintf(id, ID_ROOM, "%.32s", bytes);
		mem_free(bytes);
		return;
	}
	mem_free(bytes);
	if (getrandom(dice, sizeof dice, 0) != (ssize_t)sizeof dice)
		dice[0] = (uint64_t)wall_ns() ^ (uint64_t)getpid() << 40;
	snprintf(id, ID_ROOM, "%016llx%016llx", (unsigned long long)dice[0], (unsigned long long)dice[1]);
	file_write(path, id, strlen(id));
}

static void add_solved(struct learning *learning, const char *task, size_t length)
{
	if (length && text_place(text_string(&learning->solved), task, length) < 0)
		text_add(&learning->solved, "%.*s ", (int)length, task);
}

static bool is_task(const char *task, size_t length)
{
	size_t digits = strspn(task, "0123456789");
	return digits && digits < length && task[digits] == '.' &&
	        strspn(task + digits + 1, "0123456789") == length - digits - 1 && length > digits + 1;
}

static bool is_solution(const struct class_event *event)
{
	return strcmp(text_string(&event->what), "check") == 0 &&
	        strcmp(text_string(&event->words), "right") == 0 &&
	        is_task(text_string(&event->task), event->task.count);
}

/* An incomplete last line does not count; a newline then separates it from the next one. */
static void open_progress(struct learning *learning, const char *state)
{
	char path[PATH_ROOM], *bytes = NULL;
	size_t count = 0;
	snprintf(path, sizeof path, "%.1100s/progress", state);
	file_read(path, SIZE_MAX, &bytes, &count);
	for (const char *at = bytes, *newline; at && (newline = memchr(at, '\n', bytes + count - at));
	        at = newline + 1) {
		const char *task = at + 7;
		size_t length = strncmp(at, "solved ", 7) == 0 ? strcspn(task, " \n") : 0;
		if (is_task(task, length) && !learning->folder)
			add_solved(learning, task, length);
	}
	learning->progress = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (count && bytes[count - 1] != '\n' && learning->progress >= 0)
		write_all(learning->progress, "\n", 1);
	mem_free(bytes);
}

static enum status keep_progress(struct learning *learning, const char *task)
{
	struct text line = {0};
	if (learning->progress < 0)
		return ST_OK;
	text_add(&line, "solved %s ", task);
	class_now(&line);
	text_add(&line, "\n");
	enum status status = write_all(learning->progress, line.bytes, line.count);
	text_release(&line);
	if (status == ST_OK)
		return ST_OK;
	close(learning->progress);
	learning->progress = -1;
	return fail(
	        ST_FILE, "progress cannot be saved: %s; the next session will not have it", strerror(errno));
}

/* Reads this learner's solved tasks, and reports others with the same name. */
static void read_class(struct learning *learning, const char *id, struct text *told)
{
	struct roll roll = {.folder = learning->folder};
	struct text words = {0}, others = {0};
	bool changed;
	int twin = 1;
	if (roll_read(&roll, &changed) != ST_OK)
		text_add(told, "%s\n", fail_text());
	for (size_t i = 0; i < roll.sessions; i++) {
		const struct class_session *session = &roll.session[i];
		const char *other = text_string(&session->head.id);
		if (strcmp(text_string(&session->head.name), text_string(&learning->name)) != 0)
			continue;
		if (strcmp(other, id) != 0 && text_place(text_string(&others), other, strlen(other)) < 0) {
			text_add(&others, "%s ", other);
			twin++;
		}
		for (size_t k = 0; strcmp(other, id) == 0 && k < session->events; k++) {
			const struct class_event *event = &session->event[k];
			if (is_solution(event))
				add_solved(learning, text_string(&event->task), event->task.count);
		}
	}
	rules_words(&roll.rules, &words);
	text_add(told, "   class %s, you are %s%s%s\n", learning->folder, text_string(&learning->name),
	        words.count ? ": " : "", text_string(&words));
	if (roll.mistake.count)
		text_add(told, "   %s\n", text_string(&roll.mistake));
	if (twin > 1)
		text_add(told,
		        "   another learner has the name %s in this class; both are kept apart, and `--as "
		        "NAME` gives you your own name\n",
		        text_string(&learning->name));
	text_release(&words);
	text_release(&others);
	roll_release(&roll);
}

struct learning *learning_open(const struct options *options, const char *state, struct text *told)
{
	char id[ID_ROOM];
	struct learning *learning = mem_alloc(sizeof *learning);
	*learning = (struct learning){.progress = -1, .file = {.descriptor = -1}};
	if (!state)
		return learning;
	learning->folder = options->class_folder;
	open_progress(learning, state);
	if (!learning->folder)
		return learning;
	text_add(&learning->name, "%s", own_name(options));
	read_id(state, id);
	read_class(learning, id, told);
	if (class_file_open(&learning->file, learning->folder, text_string(&learning->name), id) != ST_OK)
		text_add(told, "   %s\n", fail_text());
	return learning;
}

const char *learning_solved(const struct learning *learning)
{
	return text_string(&learning->solved);
}

const char *learning_name(const struct learning *learning)
{
	return learning->folder ? text_string(&learning->name) : NULL;
}

/* Writes "WHAT<tab>TASK<tab>WORDS" to the class's folder, and a solved task to progress. */
static enum status write_event(struct learning *learning, const char *line, size_t length)
{
	struct class_event event = {0};
	struct text *const member[] = {&event.what, &event.task, &event.words};
	const char *end = line + length;
	for (int i = 0; i < 3 && line < end; i++) {
		size_t count = i < 2 ? strcspn(line, "\t\n") : (size_t)(end - line);
		text_put(member[i], line, count);
		line += count + 1;
	}
	const char *task = text_string(&event.task);
	bool check = strcmp(text_string(&event.what), "check") == 0;
	enum status status = ST_OK;
	if (check) {
		text_put(&event.lines, text_string(&learning->typed), learning->typed.count);
		event.typed = learning->lines;
	}
	if (is_solution(&event) && text_place(text_string(&learning->solved), task, event.task.count) < 0) {
		add_solved(learning, task, event.task.count);
		status = keep_progress(learning, task);
	}
	if (check || strcmp(text_string(&event.what), "open") == 0) {
		text_clear(&learning->typed);
		learning->lines = 0;
	}
	status = first_failure(status, class_file_event(&learning->file, &event));
	class_event_release(&event);
	return status;
}

/* Keeps the line for the next `check`, unless it only caused events. */
enum status learning_line(struct learning *learning, const char *line, const char *events)
{
	enum status status = ST_OK;
	size_t valid = text_valid(line, strlen(line));
	if (!*events || strchr(line, ';')) {
		size_t room = CLASS_LINES_MOST - learning->typed.count;
		text_put(&learning->typed, line, text_valid(line, valid < room ? valid : room));
		if (learning->typed.count < CLASS_LINES_MOST)
			text_put(&learning->typed, "\n", 1);
		learning->lines++;
	}
	FOR_LINES (one, events, strlen(events)) {
		enum status noted = write_event(learning, one.at, one.length);
		status = first_failure(status, noted);
	}
	return status;
}

void learning_close(struct learning *learning)
{
	struct class_event event = {0};
	if (!learning)
		return;
	if (learning->file.descriptor >= 0) {
		text_add(&event.what, "leave");
		class_file_event(&learning->file, &event);
	}
	class_event_release(&event);
	class_file_close(&learning->file);
	if (learning->progress >= 0)
		close(learning->progress);
	text_release(&learning->name);
	text_release(&learning->solved);
	text_release(&learning->typed);
	mem_free(learning);
}
