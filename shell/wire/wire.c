/* wire.c -- requests and replies as lines of JSON
 *
 * Two tables give a member's place and its kinds of message; code handles status, log and
 * picture. */
#include "shell/wire/wire.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "shell/wire/members.h"
#include "shell/wire/wire_picture.h"

#include <string.h>

static const char *const requests[] = {[REQUEST_RUN] = "run",
        [REQUEST_HELLO] = "hello",
        [REQUEST_RESIZE] = "resize",
        [REQUEST_COMPLETE] = "complete",
        [REQUEST_VIEW] = "view",
        [REQUEST_INTERRUPT] = "interrupt",
        [REQUEST_LEAVE] = "leave"};
static const char *const replies[] = {[REPLY_HELLO] = "hello",
        [REPLY_OUTPUT] = "output",
        [REPLY_FOREIGN] = "foreign",
        [REPLY_DONE] = "done",
        [REPLY_COMPLETE] = "complete",
        [REPLY_VIEW] = "view"};

#define ROWS(table) (sizeof(table) / sizeof *(table))
enum {
	RUN = MEMBER_OF(REQUEST_RUN),
	COMPLETE = MEMBER_OF(REQUEST_COMPLETE),
	LOOK = MEMBER_OF(REQUEST_VIEW),
	GREET = MEMBER_OF(REQUEST_HELLO),
	SCREEN = LOOK | GREET | MEMBER_OF(REQUEST_RESIZE)
};
enum { SIDE_MOST = 1000 };
static const struct member request_members[] = {
        MEMBER(request, text, TEXT, RUN | COMPLETE, 0),
        MEMBER(request, silent, FLAG, RUN, 0),
        MEMBER(request, shown, FLAG, RUN, 0),
        MEMBER(request, look, FLAG, RUN, 0),
        MEMBER(request, stop, OPTION, RUN, 0),
        MEMBER(request, stamp, OPTION, RUN, -1),
        MEMBER(request, values, TEXT, RUN, 0),
        MEMBER(request, cursor, INT, COMPLETE, 0),
        MEMBER(request, from, LONG, LOOK, 1),
        MEMBER(request, to, LONG, LOOK, 0),
        MEMBER(request, first_row, INT, LOOK, 0),
        MEMBER(request, path, FLAG, LOOK, 0),
        MEMBER(request, now, OPTION, LOOK, -1),
        MEMBER(request, selected, INT, LOOK, 0),
        MEMBER(request, rank, INT, LOOK, 0),
        MEMBER(request, stream, INT, LOOK, 0),
        MEMBER(request, time, LONG, LOOK, 0),
        MEMBER(request, seek, TEXT, LOOK, 0),
        MEMBER(request, find, TEXT, LOOK, 0),
        MEMBER(request, width, INT, SCREEN, 1),
        MEMBER(request, height, INT, LOOK, 1),
        MEMBER(request, colour, FLAG, GREET, 0),
        MEMBER(request, solved, TEXT, GREET, 0),
        MEMBER(request, lanes, INT, MEMBER_OF(REQUEST_RESIZE), 0),
};
enum {
	HELLO = MEMBER_OF(REPLY_HELLO),
	FOREIGN = MEMBER_OF(REPLY_FOREIGN),
	DONE = MEMBER_OF(REPLY_DONE),
	VIEW = MEMBER_OF(REPLY_VIEW)
};
static const struct member reply_members[] = {
        MEMBER(reply, text, TEXT, MEMBER_OF_ALL, 0),
        MEMBER(reply, version, INT, HELLO, 0),
        MEMBER(reply, n, INT, HELLO, 0),
        MEMBER(reply, dry, FLAG, HELLO, 0),
        MEMBER(reply, device, TEXT, HELLO, 0),
        MEMBER(reply, missing, TEXT, HELLO, 0),
        MEMBER(reply, rank, INT, FOREIGN | VIEW, -1),
        MEMBER(reply, prompt, TEXT, HELLO | DONE, 0),
        MEMBER(reply, enter, TEXT, HELLO | DONE, 0),
        MEMBER(reply, task, TEXT, HELLO | DONE, 0),
        MEMBER(reply, waits, INT, HELLO | DONE, 0),
        MEMBER(reply, clock, LONG, HELLO | DONE, 0),
        MEMBER(reply, stamp, OPTION, DONE, -1),
        MEMBER(reply, again, TEXT, DONE, 0),
        MEMBER(reply, learned, TEXT, DONE, 0),
        MEMBER(reply, wish, TEXT, DONE, 0),
        MEMBER(reply, from, LONG, VIEW, 0),
        MEMBER(reply, to, LONG, VIEW, 1),
        MEMBER(reply, whole_from, LONG, VIEW, 0),
        MEMBER(reply, whole_to, LONG, VIEW, 1),
        MEMBER(reply, rows, INT, VIEW, 0),
        MEMBER(reply, first_row, INT, VIEW, 0),
        MEMBER(reply, first_column, INT, VIEW, 0),
        MEMBER(reply, cells, INT, VIEW, 0),
        MEMBER(reply, lanes, TEXT, VIEW, 0),
        MEMBER(reply, density, TEXT, VIEW, 0),
        MEMBER(reply, part, TEXT, VIEW, 0),
        MEMBER(reply, selected, INT, VIEW, 0),
        MEMBER(reply, stream, INT, VIEW, 0),
        MEMBER(reply, row, INT, VIEW, -1),
        MEMBER(reply, time, LONG, VIEW, 0),
        MEMBER(reply, until, LONG, VIEW, 0),
        MEMBER(reply, told, TEXT, VIEW, 0),
        MEMBER(reply, links, TEXT, VIEW, 0),
        MEMBER(reply, unasked, FLAG, VIEW, 0),
};
static const struct member logged_members[] = {
        MEMBER(logged_line, line, TEXT, MEMBER_OF_ALL, 0),
        MEMBER(logged_line, stop, OPTION, MEMBER_OF_ALL, 0),
        MEMBER(logged_line, stamp, OPTION, MEMBER_OF_ALL, -1),
        MEMBER(logged_line, outside, TEXT, MEMBER_OF_ALL, 0),
        MEMBER(logged_line, values, TEXT, MEMBER_OF_ALL, 0),
        MEMBER(logged_line, refused, FLAG, MEMBER_OF_ALL, 0),
};

/* The hooks let a test fail each allocation; without memory the process ends as elsewhere. */
void wire_start(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){mem_alloc, mem_free});
}

void request_release(struct request *request)
{
	text_release(&request->text);
	text_release(&request->values);
	text_release(&request->seek);
	text_release(&request->find);
	text_release(&request->solved);
	*request = (struct request){0};
}

void reply_release(struct reply *reply)
{
	text_release(&reply->text);
	text_release(&reply->device);
	text_release(&reply->missing);
	text_release(&reply->prompt);
	text_release(&reply->enter);
	text_release(&reply->task);
	text_release(&reply->again);
	text_release(&reply->learned);
	text_release(&reply->wish);
	text_release(&reply->lanes);
	text_release(&reply->density);
	text_release(&reply->part);
	text_release(&reply->told);
	text_release(&reply->links);
	log_shorten(&reply->log, 0);
	mem_free(reply->log.line);
	picture_release(&reply->picture);
	*reply = (struct reply){0};
}

/* ---- the log's lines ---- */

struct logged_line *log_add(struct log_change *change)
{
	struct logged_line *line = MEM_ADD(&change->line, &change->count);
	*line = (struct logged_line){.stamp = -1};
	return line;
}

void log_shorten(struct log_change *log, size_t count)
{
	for (; log->count > count; log->count--) {
		text_release(&log->line[log->count - 1].line);
		text_release(&log->line[log->count - 1].outside);
		text_release(&log->line[log->count - 1].values);
	}
}

/* {"line": "spin 1us", "stop": 17, "outside": "a.npy\t01..ef\n"}; defaults are absent. */
cJSON *logged_line_object(const struct logged_line *line)
{
	cJSON *object = cJSON_CreateObject();
	members_put(logged_members, ROWS(logged_members), 0, line, object);
	return object;
}

void logged_line_read(const cJSON *object, struct logged_line *line)
{
	members_get(logged_members, ROWS(logged_members), object, line);
}

/* ---- writing ---- */

/* Takes the object. */
static void put_line(cJSON *object, struct text *line)
{
	char *printed = cJSON_PrintUnformatted(object);
	text_add(line, "%c%s\n", WIRE_MARK, printed);
	cJSON_free(printed);
	cJSON_Delete(object);
}

void request_write(const struct request *request, struct text *line)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "do", requests[request->kind]);
	members_put(request_members, ROWS(request_members), (int)request->kind, request, object);
	put_line(object, line);
}

static void put_done(cJSON *object, const struct reply *reply)
{
	const struct log_change *log = &reply->log;
	cJSON *change = cJSON_AddObjectToObject(object, "log"),
	      *lines = cJSON_AddArrayToObject(change, "add");
	cJSON_AddStringToObject(object, "status", status_name(reply->status));
	cJSON_AddNumberToObject(change, "keep", log->kept);
	for (size_t i = 0; i < log->count; i++)
		cJSON_AddItemToArray(lines, logged_line_object(&log->line[i]));
}

/* Each DONE carries the log change: a front end that missed one would never be right again. */
void reply_write(const struct reply *reply, struct text *line)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "is", replies[reply->kind]);
	if (reply->kind == REPLY_DONE)
		put_done(object, reply);
	members_put(reply_members, ROWS(reply_members), (int)reply->kind, reply, object);
	if (reply->kind == REPLY_VIEW) {
		struct text cells = {0};
		wire_put_picture(&reply->picture, &cells);
		cJSON_AddStringToObject(object, "picture", text_string(&cells));
		text_release(&cells);
	}
	put_line(object, line);
}

/* ---- reading ---- */

/* Returns the index of a kind's name; -1 if it is unknown or NULL. */
static int find(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; name && i < count; i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}

/* A line without WIRE_MARK is a command, even if it looks like JSON. */
enum status request_read(const char *line, size_t count, struct request *request)
{
	request->stamp = -1;
	if (count == 0 || line[0] != WIRE_MARK) {
		request->kind = REQUEST_RUN;
		text_put(&request->text, line, count);
		return ST_OK;
	}
	cJSON *object = cJSON_ParseWithLength(line + 1, count - 1);
	int kind = find(requests, ROWS(requests), member_text(object, "do"));
	enum status status = ST_OK;
	if (!object) {
		status = fail(ST_SYNTAX, "this request is not JSON");
	} else if (kind < 0) {
		status = fail(ST_SYNTAX,
		        "a request needs \"do\": one of run hello resize complete view interrupt leave");
	} else {
		request->kind = (enum request_kind)kind;
		members_get(request_members, ROWS(request_members), object, request);
		request->cursor = (int)least_of(request->cursor, (int64_t)request->text.count);
		request->width = (int)least_of(request->width, SIDE_MOST);
		request->height = (int)least_of(request->height, SIDE_MOST);
	}
	cJSON_Delete(object);
	return status;
}

/* For text that readline shows, such as the prompt. Other output passes plain_put. */
static void make_safe(struct text *words)
{
	text_make_safe(words->bytes);
	words->count = strlen(text_string(words));
}

/* An unreadable reply is shown like other foreign output. */
enum status reply_read(const char *line, size_t count, struct reply *reply)
{
	cJSON *object = count && line[0] == WIRE_MARK ? cJSON_ParseWithLength(line + 1, count - 1) : NULL;
	int kind = find(replies, ROWS(replies), member_text(object, "is"));
	enum status status = ST_OK;
	if (kind < 0) {
		reply->kind = REPLY_FOREIGN;
		reply->rank = -1;
		text_put(&reply->text, line, count);
		text_put(&reply->text, "\n", 1);
	} else {
		reply->kind = (enum reply_kind)kind;
		reply->status = ST_OK;
		const char *name = member_text(object, "status");
		for (int i = 0; name && i < ST_COUNT; i++)
			if (strcmp(status_name((enum status)i), name) == 0)
				reply->status = (enum status)i;
		members_get(reply_members, ROWS(reply_members), object, reply);
		make_safe(&reply->prompt);
		make_safe(&reply->task);
		make_safe(&reply->device);
		make_safe(&reply->missing);
		static const struct member keep = {"keep", MEMBER_INT, MEMBER_OF_ALL, 0, 0};
		const cJSON *change = cJSON_GetObjectItemCaseSensitive(object, "log"), *added;
		members_get(&keep, 1, change, &reply->log.kept);
		cJSON_ArrayForEach(added, cJSON_GetObjectItemCaseSensitive(change, "add"))
		        logged_line_read(added, log_add(&reply->log));
		const char *cells = member_text(object, "picture");
		if (reply->kind == REPLY_VIEW)
			status = picture_read(cells ? cells : "", &reply->picture);
	}
	cJSON_Delete(object);
	return status;
}
