/* objects.c -- words and ends of lines as JSON, an object a line
 *
 *     {"ranksh":1,"line":3,"kind":"output","severity":"ok","text":"[0-3] y = 1"}
 *     {"ranksh":1,"line":3,"kind":"done","severity":"ok","status":"ok","ranks":4,"now":20000} */
#include "shell/terminal/objects.h"
#include "shell/terminal/inside.h"
#include "shell/terminal/script.h"
#include "shell/wire/members.h"
#include "shell/wire/plain.h"

#include <stdio.h>
#include <string.h>

static cJSON *object_make(const struct objects *objects, const char *kind, const char *severity)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddNumberToObject(object, "ranksh", OBJECTS_VERSION);
	cJSON_AddNumberToObject(object, "line", objects->line);
	cJSON_AddStringToObject(object, "kind", kind);
	cJSON_AddStringToObject(object, "severity", severity);
	return object;
}

static void object_put(cJSON *object)
{
	struct text line = {0};
	put_json_line(&line, object, "");
	fwrite(text_string(&line), 1, line.count, stdout);
	if (fflush(stdout) != 0)
		signal_end();
	text_release(&line);
}

/* Removes colours. */
static void put_bare(const struct text *words, struct text *bare)
{
	const char *at = text_string(words), *end = at + words->count;
	while (at < end) {
		int columns;
		size_t count = text_step(at, end, &columns);
		if (*at != '\033')
			text_put(bare, at, count);
		at += count;
	}
}

/* Adds "text", and with colours also "ansi", without a newline at the end. */
static void add_words(cJSON *object, const char *bytes, size_t count)
{
	struct text words = {0}, bare = {0};
	plain_put(bytes, count, true, &words);
	if (words.count && words.bytes[words.count - 1] == '\n')
		words.bytes[--words.count] = '\0';
	put_bare(&words, &bare);
	cJSON_AddStringToObject(object, "text", text_string(&bare));
	if (words.count != bare.count)
		cJSON_AddStringToObject(object, "ansi", text_string(&words));
	text_release(&words);
	text_release(&bare);
}

static void add_ranks(cJSON *object, const struct session *session)
{
	cJSON_AddNumberToObject(object, "ranks", session->talk.alive ? session->n : 0);
	cJSON_AddNumberToObject(object, "now", (double)session->clock);
}

void objects_start(const struct objects *objects, const struct session *session)
{
	cJSON *object = object_make(objects, "start", "ok");
	struct text words = {0};
	welcome_ranks(&words, session);
	add_words(object, text_string(&words), words.count);
	add_ranks(object, session);
	cJSON_AddStringToObject(object, "version", RANKSH_VERSION);
	cJSON_AddStringToObject(object, "machine", session->machine);
	cJSON_AddStringToObject(object, "device", text_string(&session->device));
	cJSON_AddBoolToObject(object, "dry", session->options.dry);
	object_put(object);
	text_release(&words);
}

void objects_say(const struct objects *objects, const struct saying *saying)
{
	static const struct {
		const char *kind, *severity;
	} rows[] = {[SAID_OUTPUT] = {"output", "ok"},
	        [SAID_RANK] = {"rank", "note"},
	        [SAID_JOB] = {"job", "note"},
	        [SAID_NOTE] = {"note", "note"},
	        [SAID_ERROR] = {"error", "error"},
	        [SAID_PROGRESS] = {"progress", "note"}};
	bool rated = saying->severity && *saying->severity;
	if (saying->count == 0 || (saying->by == SAID_NOTE && strcmp(saying->bytes, "\n") == 0))
		return;
	cJSON *object = object_make(
	        objects, rows[saying->by].kind, rated ? saying->severity : rows[saying->by].severity);
	add_words(object, saying->bytes, saying->count);
	if (saying->by == SAID_RANK)
		cJSON_AddNumberToObject(object, "rank", saying->rank);
	if (saying->by == SAID_PROGRESS)
		cJSON_AddNumberToObject(object, "seconds", saying->seconds);
	object_put(object);
}

/* "check<tab>1.1<tab>right" as an object */
static void put_event(const struct objects *objects, const char *line, size_t length)
{
	static const char *const names[] = {"event", "task", "words"};
	const char *end = line + length;
	struct text part[3] = {0};
	for (int i = 0; i < 3 && line <= end; i++) {
		size_t count = i < 2 ? strcspn(line, "\t\n") : (size_t)(end - line);
		text_put(&part[i], line, count);
		line += count + 1;
	}
	bool check = strcmp(text_string(&part[0]), "check") == 0;
	bool right = strcmp(text_string(&part[2]), "right") == 0;
	cJSON *object = object_make(objects, "lesson", check && !right ? "error" : "ok");
	for (int i = 0; i < 3; i++) {
		cJSON_AddStringToObject(object, names[i], text_string(&part[i]));
		text_release(&part[i]);
	}
	object_put(object);
}

void objects_done(const struct objects *objects, const struct session *session, enum status status)
{
	const struct reply *last = &session->last;
	FOR_LINES (line, text_string(&last->learned), last->learned.count)
		put_event(objects, line.at, line.length);
	bool fine = status == ST_OK || status == ST_QUIT || status == ST_INCOMPLETE;
	cJSON *object = object_make(objects, "done", fine ? "ok" : "error");
	cJSON_AddStringToObject(object, "status", status_name(status));
	add_ranks(object, session);
	cJSON_AddNumberToObject(object, "waits", session->waits);
	if (session->task.count)
		cJSON_AddStringToObject(object, "task", text_string(&session->task));
	cJSON *numbers = fine || status == ST_EXPECT ? cJSON_Parse(text_string(&last->numbers)) : NULL;
	if (numbers)
		cJSON_AddItemToObject(object, "numbers", numbers);
	object_put(object);
}

void objects_end(const struct objects *objects, int code)
{
	cJSON *object = object_make(objects, "end", code ? "error" : "ok");
	cJSON_AddNumberToObject(object, "exit", code);
	object_put(object);
}

void script_refused(int code)
{
	struct objects objects = {0};
	const char *words = fail_text();
	objects_say(&objects, &(struct saying){.by = SAID_ERROR, .bytes = words, .count = strlen(words)});
	objects_end(&objects, code);
}
