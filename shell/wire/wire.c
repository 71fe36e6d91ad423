/* wire.c -- requests and replies as lines of JSON */
#include "shell/wire/wire.h"
#include "base/memory.h"
#include "shell/wire/wire_picture.h"
#include "world/world.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum request_kind kind;
} requests[] = {
        {"run", REQUEST_RUN},
        {"hello", REQUEST_HELLO},
        {"resize", REQUEST_RESIZE},
        {"complete", REQUEST_COMPLETE},
        {"view", REQUEST_VIEW},
        {"interrupt", REQUEST_INTERRUPT},
        {"leave", REQUEST_LEAVE},
};
static const struct {
	const char *name;
	enum reply_kind kind;
} replies[] = {
        {"hello", REPLY_HELLO},
        {"output", REPLY_OUTPUT},
        {"foreign", REPLY_FOREIGN},
        {"done", REPLY_DONE},
        {"complete", REPLY_COMPLETE},
        {"view", REPLY_VIEW},
};

void wire_start(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){mem_alloc, mem_free});
}

void request_release(struct request *request)
{
	text_release(&request->text);
	*request = (struct request){0};
}

void reply_release(struct reply *reply)
{
	struct text *texts[] = {&reply->text, &reply->prompt, &reply->enter, &reply->wish};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		text_release(texts[i]);
	for (size_t i = 0; i < reply->log.count; i++) {
		mem_free(reply->log.line[i].line);
		mem_free(reply->log.line[i].outside);
	}
	mem_free(reply->log.line);
	picture_release(&reply->picture);
	*reply = (struct reply){0};
}

void log_change_add(
        struct log_change *change, const char *line, const char *outside, int64_t stop, int64_t stamp)
{
	MEM_GROW(&change->line, change->count, &change->room);
	change->line[change->count++] = (struct logged_line){.line = mem_copy_text(line, strlen(line)),
	        .outside = mem_copy_text(outside, strlen(outside)),
	        .stop = stop,
	        .stamp = stamp};
}

/* ---- writing ---- */

/* Numbers up to 2^53 travel as JSON numbers; virtual times beyond are 104 days away. */
static void put_number(cJSON *object, const char *key, int64_t value)
{
	cJSON_AddNumberToObject(object, key, (double)value);
}

static void put_text(cJSON *object, const char *key, const struct text *text)
{
	if (text->count)
		cJSON_AddStringToObject(object, key, text_string(text));
}

static void put_flag(cJSON *object, const char *key, bool value)
{
	if (value)
		cJSON_AddTrueToObject(object, key);
}

/* Takes the object. */
static void put_line(cJSON *object, struct text *line)
{
	char *printed = cJSON_PrintUnformatted(object);
	text_add(line, "%c%s\n", WIRE_MARK, printed);
	cJSON_free(printed);
	cJSON_Delete(object);
}

static const char *request_name(enum request_kind kind)
{
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		if (requests[i].kind == kind)
			return requests[i].name;
	return "leave";
}

void request_write(const struct request *request, struct text *line)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "do", request_name(request->kind));
	put_text(object, "text", &request->text);
	switch (request->kind) {
	case REQUEST_RUN:
		put_flag(object, "silent", request->silent);
		if (request->stop)
			put_number(object, "stop", request->stop);
		if (request->stamp >= 0)
			put_number(object, "stamp", request->stamp);
		break;
	case REQUEST_COMPLETE:
		put_number(object, "cursor", request->cursor);
		break;
	case REQUEST_VIEW:
		put_number(object, "from", request->from);
		put_number(object, "to", request->to);
		put_number(object, "first_row", request->first_row);
		put_number(object, "selected", request->selected);
		/* fall through */
	case REQUEST_HELLO:
	case REQUEST_RESIZE:
		put_number(object, "width", request->width);
		put_number(object, "height", request->height);
		put_flag(object, "colour", request->colour);
		break;
	case REQUEST_INTERRUPT:
	case REQUEST_LEAVE:
		break;
	}
	put_line(object, line);
}

static void put_state(cJSON *object, const struct reply *reply)
{
	put_text(object, "prompt", &reply->prompt);
	put_text(object, "enter", &reply->enter);
	put_number(object, "waits", reply->waits);
	put_number(object, "clock", reply->clock);
}

static void put_log(cJSON *object, const struct log_change *log)
{
	cJSON *change = cJSON_AddObjectToObject(object, "log"),
	      *lines = cJSON_AddArrayToObject(change, "add");
	put_number(change, "keep", log->kept);
	for (size_t i = 0; i < log->count; i++) {
		const struct logged_line *line = &log->line[i];
		cJSON *added = cJSON_CreateObject();
		cJSON_AddStringToObject(added, "line", line->line);
		if (line->stop)
			put_number(added, "stop", line->stop);
		if (line->stamp >= 0)
			put_number(added, "stamp", line->stamp);
		if (*line->outside)
			cJSON_AddStringToObject(added, "outside", line->outside);
		cJSON_AddItemToArray(lines, added);
	}
}

static void put_done(cJSON *object, const struct reply *reply)
{
	cJSON_AddStringToObject(object, "status", status_name(reply->status));
	put_state(object, reply);
	if (reply->log.any)
		put_log(object, &reply->log);
	put_text(object, "wish", &reply->wish);
}

static void put_view(cJSON *object, const struct reply *reply)
{
	put_number(object, "from", reply->from);
	put_number(object, "to", reply->to);
	put_number(object, "whole_from", reply->whole_from);
	put_number(object, "whole_to", reply->whole_to);
	put_number(object, "rows", reply->rows);
	put_number(object, "first_row", reply->first_row);
	put_number(object, "clock", reply->clock);
	struct text cells = {0};
	wire_put_picture(&reply->picture, &cells);
	put_text(object, "picture", &cells);
	text_release(&cells);
}

void reply_write(const struct reply *reply, struct text *line)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "is", replies[reply->kind].name);
	put_text(object, "text", &reply->text);
	switch (reply->kind) {
	case REPLY_HELLO:
		put_number(object, "version", reply->version);
		put_number(object, "n", reply->n);
		put_flag(object, "dry", reply->dry);
		put_state(object, reply);
		break;
	case REPLY_FOREIGN:
		put_number(object, "rank", reply->rank);
		break;
	case REPLY_DONE:
		put_done(object, reply);
		break;
	case REPLY_VIEW:
		put_view(object, reply);
		break;
	case REPLY_OUTPUT:
	case REPLY_COMPLETE:
		break;
	}
	put_line(object, line);
}

/* ---- reading ---- */

static int64_t get_number(const cJSON *object, const char *key, int64_t otherwise)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	if (!cJSON_IsNumber(item) || !(item->valuedouble > -9e15 && item->valuedouble < 9e15))
		return otherwise;
	return (int64_t)item->valuedouble;
}

static int get_int(const cJSON *object, const char *key, int least, int most)
{
	int64_t value = get_number(object, key, least);
	return value < least ? least : value > most ? most : (int)value;
}

static void get_text(const cJSON *object, const char *key, struct text *text)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
	if (value)
		text_put(text, value, strlen(value));
}

static bool get_flag(const cJSON *object, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static enum status find_request(const cJSON *object, enum request_kind *kind)
{
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "do"));
	for (size_t i = 0; name && i < sizeof requests / sizeof *requests; i++)
		if (strcmp(requests[i].name, name) == 0) {
			*kind = requests[i].kind;
			return ST_OK;
		}
	return fail(
	        ST_SYNTAX, "a request needs \"do\": one of run hello resize complete view interrupt leave");
}

enum status request_read(const char *line, size_t count, struct request *request)
{
	request->stamp = -1;
	if (count == 0 || line[0] != WIRE_MARK) {
		request->kind = REQUEST_RUN;
		text_put(&request->text, line, count);
		return ST_OK;
	}
	cJSON *object = cJSON_ParseWithLength(line + 1, count - 1);
	enum status status =
	        object ? find_request(object, &request->kind) : fail(ST_SYNTAX, "this request is not JSON");
	if (status == ST_OK) {
		get_text(object, "text", &request->text);
		request->cursor = get_int(object, "cursor", 0, (int)request->text.count);
		request->silent = get_flag(object, "silent");
		request->stop = get_number(object, "stop", 0);
		request->stamp = get_number(object, "stamp", -1);
		request->width = get_int(object, "width", 1, 1000);
		request->height = get_int(object, "height", 1, 1000);
		request->colour = get_flag(object, "colour");
		request->from = get_number(object, "from", 1);
		request->to = get_number(object, "to", 0);
		request->first_row = get_int(object, "first_row", 0, INT32_MAX);
		request->selected = (op_id)get_number(object, "selected", 0);
	}
	cJSON_Delete(object);
	return status;
}

static enum status find_reply(const cJSON *object, enum reply_kind *kind)
{
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "is"));
	for (size_t i = 0; name && i < sizeof replies / sizeof *replies; i++)
		if (strcmp(replies[i].name, name) == 0) {
			*kind = replies[i].kind;
			return ST_OK;
		}
	return ST_SYNTAX;
}

static void get_log(const cJSON *change, struct log_change *log)
{
	const cJSON *line;
	log->any = change != NULL;
	log->kept = get_int(change, "keep", 0, INT32_MAX);
	cJSON_ArrayForEach(line, cJSON_GetObjectItemCaseSensitive(change, "add"))
	{
		const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, "line"));
		const char *outside = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, "outside"));
		log_change_add(log, text ? text : "", outside ? outside : "", get_number(line, "stop", 0),
		        get_number(line, "stamp", -1));
	}
}

static void get_state(const cJSON *object, struct reply *reply)
{
	const char *status = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "status"));
	for (int i = 0; status && i < ST_COUNT; i++)
		if (strcmp(status_name((enum status)i), status) == 0)
			reply->status = (enum status)i;
	get_text(object, "prompt", &reply->prompt);
	get_text(object, "enter", &reply->enter);
	get_text(object, "wish", &reply->wish);
	reply->waits = get_int(object, "waits", 0, INT32_MAX);
	reply->clock = get_number(object, "clock", 0);
	get_log(cJSON_GetObjectItemCaseSensitive(object, "log"), &reply->log);
	reply->version = get_int(object, "version", 0, INT32_MAX);
	reply->n = get_int(object, "n", 0, INT32_MAX);
	reply->dry = get_flag(object, "dry");
	reply->rank = get_int(object, "rank", -1, INT32_MAX);
}

static enum status get_view(const cJSON *object, struct reply *reply)
{
	const char *cells = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "picture"));
	reply->from = get_number(object, "from", 0);
	reply->to = get_number(object, "to", 1);
	reply->whole_from = get_number(object, "whole_from", 0);
	reply->whole_to = get_number(object, "whole_to", 1);
	reply->rows = get_int(object, "rows", 0, INT32_MAX);
	reply->first_row = get_int(object, "first_row", 0, INT32_MAX);
	return picture_read(cells ? cells : "", &reply->picture);
}

enum status reply_read(const char *line, size_t count, struct reply *reply)
{
	cJSON *object = count && line[0] == WIRE_MARK ? cJSON_ParseWithLength(line + 1, count - 1) : NULL;
	enum status status = ST_OK;
	if (!object || find_reply(object, &reply->kind) != ST_OK) {
		reply->kind = REPLY_FOREIGN;
		reply->rank = -1;
		text_put(&reply->text, line, count);
		text_put(&reply->text, "\n", 1);
	} else {
		get_text(object, "text", &reply->text);
		get_state(object, reply);
		if (reply->kind == REPLY_VIEW)
			status = get_view(object, reply);
	}
	cJSON_Delete(object);
	return status;
}
