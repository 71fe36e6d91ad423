/* class_file.c -- reads and writes a session's file */
#include "shell/course/class/roll.h"
#include "base/arithmetic.h"
#include "shell/wire/io.h"
#include "shell/wire/members.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TWINS_MOST = 99 }; /* most files created in the same second */
const char class_suffix[] = ".jsonl";

static const struct member head_members[] = {
        MEMBER(class_head, class, INT, MEMBER_OF_ALL, 0),
        MEMBER(class_head, name, TEXT, MEMBER_OF_ALL, 0),
        MEMBER(class_head, id, TEXT, MEMBER_OF_ALL, 0),
        MEMBER(class_head, at, TEXT, MEMBER_OF_ALL, 0),
};
static const struct member event_members[] = {
        MEMBER(class_event, what, TEXT, MEMBER_OF_ALL, 0),
        MEMBER(class_event, task, TEXT, MEMBER_OF_ALL, 0),
        MEMBER(class_event, words, TEXT, MEMBER_OF_ALL, 0),
        MEMBER(class_event, lines, TEXT, MEMBER_OF_ALL, 0),
        MEMBER(class_event, typed, INT, MEMBER_OF_ALL, 0),
        MEMBER(class_event, at, TEXT, MEMBER_OF_ALL, 0),
        MEMBER(class_event, seconds, LONG, MEMBER_OF_ALL, 0),
};
#define ROWS(table) (sizeof(table) / sizeof *(table))

void class_head_release(struct class_head *head)
{
	text_release(&head->name);
	text_release(&head->id);
	text_release(&head->at);
	*head = (struct class_head){0};
}

void class_event_release(struct class_event *event)
{
	text_release(&event->what);
	text_release(&event->task);
	text_release(&event->words);
	text_release(&event->lines);
	text_release(&event->at);
	*event = (struct class_event){0};
}

bool class_head_read(struct class_head *head, const char *line, size_t count)
{
	cJSON *object = cJSON_ParseWithLength(line, count);
	members_get(head_members, ROWS(head_members), object, head);
	cJSON_Delete(object);
	return head->class == CLASS_VERSION && head->name.count;
}

bool class_event_read(struct class_event *event, const char *line, size_t count)
{
	cJSON *object = cJSON_ParseWithLength(line, count);
	members_get(event_members, ROWS(event_members), object, event);
	cJSON_Delete(object);
	event->seconds = least_of(most_of(event->seconds, 0), INT32_MAX);
	return event->what.count != 0;
}

/* Control characters, and zero-width ones */
static bool hides(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x200b && point <= 0x200f) ||
	        (point >= 0x2028 && point <= 0x202e) || (point >= 0x2060 && point <= 0x206f) ||
	        point == 0xfeff;
}

enum status class_file_name(const char *name)
{
	size_t length = strlen(name);
	if (!length)
		return fail(ST_ARGUMENT, "--as needs a name, as in --as ada");
	if (length > CLASS_NAME_MOST)
		return fail(ST_ARGUMENT, "--as: a name has %d bytes at most, this one %zu", CLASS_NAME_MOST,
		        length);
	if (*name == '.' || strchr(name, '/'))
		return fail(ST_ARGUMENT,
		        "--as %s: a name must not begin with a dot or contain a slash, because a file has "
		        "this name",
		        name);
	bool plain = text_valid(name, length) == length;
	for (uint32_t point; plain && (point = utf8_next(&name));)
		plain = !hides(point);
	return plain ? ST_OK : fail(ST_ARGUMENT, "--as: a name needs printable characters");
}

void class_now(struct text *at)
{
	time_t now = time(NULL);
	struct tm local;
	char words[40];
	localtime_r(&now, &local);
	strftime(words, sizeof words, "%Y-%m-%dT%H:%M:%S%z", &local);
	text_add(at, "%s", words);
}

/* Frees the object. Also fails if the open file was deleted, because its lines would be lost. */
static enum status write_line(struct class_file *file, cJSON *object)
{
	char *printed = cJSON_PrintUnformatted(object);
	struct text line = {0};
	struct stat at;
	text_add(&line, "%s\n", printed);
	cJSON_free(printed);
	cJSON_Delete(object);
	errno = 0;
	bool written = file->descriptor < 0 ||
	        (write_all(file->descriptor, line.bytes, line.count) == ST_OK &&
	                fstat(file->descriptor, &at) == 0 && at.st_nlink > 0);
	text_release(&line);
	if (written)
		return ST_OK;
	fail(ST_FILE,
	        "%s cannot be written any more: %s; the class does not see you, but the lesson "
	        "continues",
	        file->path, errno ? strerror(errno) : "it was taken away");
	class_file_close(file);
	return ST_FILE;
}

/* NAME.DATE.jsonl, numbered if that exists. Not every disk accepts blanks: they become `_`. */
static void make_path(
        struct class_file *file, const char *folder, const char *name, const char *date, int twin)
{
	char safe[CLASS_NAME_MOST + 1], number[12] = "";
	size_t i = 0;
	for (; name[i] && i < sizeof safe - 1; i++)
		safe[i] = (char)(isalnum((unsigned char)name[i]) || name[i] & 0x80 || name[i] == '-' ? name[i]
		                                                                                     : '_');
	safe[i] = '\0';
	if (twin > 1)
		snprintf(number, sizeof number, "_%d", twin);
	snprintf(
	        file->path, sizeof file->path, "%.1000s/%s.%s%s%s", folder, safe, date, number, class_suffix);
}

enum status class_file_open(struct class_file *file, const char *folder, const char *name, const char *id)
{
	time_t now = time(NULL);
	struct tm local;
	char date[32];
	localtime_r(&now, &local);
	strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
	*file = (struct class_file){.descriptor = -1, .began_ns = wall_ns()};
	for (int twin = 1; file->descriptor < 0 && twin <= TWINS_MOST; twin++) {
		make_path(file, folder, name, date, twin);
		file->descriptor = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
		if (file->descriptor < 0 && errno != EEXIST)
			break;
	}
	if (file->descriptor < 0)
		return fail(ST_FILE,
		        "the class's folder %s cannot be written: %s; the class does not see you, but the "
		        "lesson continues",
		        folder, strerror(errno));
	struct class_head head = {.class = CLASS_VERSION};
	text_add(&head.name, "%s", name);
	text_add(&head.id, "%s", id);
	class_now(&head.at);
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "ranksh", RANKSH_VERSION);
	members_put(head_members, ROWS(head_members), 0, &head, object);
	class_head_release(&head);
	return write_line(file, object);
}

enum status class_file_event(struct class_file *file, struct class_event *event)
{
	cJSON *object = cJSON_CreateObject();
	text_clear(&event->at);
	class_now(&event->at);
	event->seconds = (wall_ns() - file->began_ns) / 1000000000;
	members_put(event_members, ROWS(event_members), 0, event, object);
	return write_line(file, object);
}

void class_file_close(struct class_file *file)
{
	if (file->descriptor >= 0)
		close(file->descriptor);
	file->descriptor = -1;
}
