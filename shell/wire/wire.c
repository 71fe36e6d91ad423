/* wire.c -- requests and replies as lines of JSON
 *
 * Tables say which messages have a JSON member and which struct member holds it. Code handles
 * status, log and picture. */
#include "shell/wire/wire.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "shell/wire/members.h"

#include <stdlib.h>
#include <string.h>

static const char *const requests[] = {[REQUEST_RUN] = "run",
        [REQUEST_HELLO] = "hello",
        [REQUEST_RESIZE] = "resize",
        [REQUEST_COMPLETE] = "complete",
        [REQUEST_VIEW] = "view",
        [REQUEST_INTERRUPT] = "interrupt",
        [REQUEST_END] = "end",
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
        MEMBER(request, numbers, FLAG, GREET, 0),
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
        MEMBER(reply, severity, TEXT, MEMBER_OF(REPLY_OUTPUT), 0),
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
        MEMBER(reply, numbers, TEXT, DONE, 0),
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

/* Tests can make cJSON's allocations fail; exhausted memory ends the process. */
void wire_start(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){mem_alloc, mem_free});
}

void request_release(struct request *request)
{
	members_release(request_members, ROWS(request_members), request);
	*request = (struct request){0};
}

void reply_release(struct reply *reply)
{
	members_release(reply_members, ROWS(reply_members), reply);
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

void log_copy(struct log_change *log, const struct logged_line *from)
{
	struct logged_line *line = log_add(log);
	*line = (struct logged_line){.stop = from->stop, .stamp = from->stamp, .refused = from->refused};
	text_put(&line->line, from->line.bytes, from->line.count);
	text_put(&line->outside, from->outside.bytes, from->outside.count);
	text_put(&line->values, from->values.bytes, from->values.count);
}

void log_shorten(struct log_change *log, size_t count)
{
	while (log->count > count)
		members_release(logged_members, ROWS(logged_members), &log->line[--log->count]);
}

/* Returns {"line": "spin 1us", "stop": 17, "outside": "a.npy\t01..ef\n"}, without defaults. */
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

/* ---- pictures ----
 *
 * Equal neighbours form a run, so a wide frame takes a few kB instead of 12 bytes a cell:
 *
 *     io      ████ copy        a row's glyphs
 *     8.0 9.5@17               8 plain cells; 9 cells in colour 5, over operation 17
 *
 * Another process wrote the text, so each count is checked against the rest of the row. */

enum { PICTURE_SIDE_MOST = 2000 };

static bool same_run(const struct picture *picture, size_t a, size_t b)
{
	const struct cell *x = &picture->cells[a], *y = &picture->cells[b];
	return x->colour == y->colour && x->dim == y->dim && x->reverse == y->reverse &&
	        picture->ops[a] == picture->ops[b];
}

static void write_row(const struct picture *picture, size_t row, struct text *out)
{
	size_t from = row * (size_t)picture->width, end = from + (size_t)picture->width;
	for (size_t i = from; i < end; i++)
		text_put_point(out, picture->cells[i].glyph < 0x20 ? ' ' : picture->cells[i].glyph);
	text_put(out, "\n", 1);
	for (size_t i = from, next; i < end; i = next) {
		const struct cell *cell = &picture->cells[i];
		for (next = i + 1; next < end && same_run(picture, i, next); next++)
			;
		text_add(out, "%zu.%d%s%s", next - i, cell->colour, cell->dim ? "d" : "",
		        cell->reverse ? "r" : "");
		if (picture->ops[i])
			text_add(out, "@%u", picture->ops[i]);
		text_put(out, " ", 1);
	}
	text_put(out, "\n", 1);
}

void wire_put_picture(const struct picture *picture, struct text *out)
{
	text_add(out, "%d %d\n", picture->width, picture->height);
	for (int row = 0; row < picture->height; row++)
		write_row(picture, (size_t)row, out);
}

/* Reads the runs of a row. They may cover less than the row; the cells after them stay plain. */
static bool read_runs(const char **at, struct picture *picture, size_t from)
{
	size_t filled = 0, width = (size_t)picture->width;
	while (**at && **at != '\n') {
		char *end;
		unsigned long count = strtoul(*at, &end, 10);
		struct cell style = {0};
		op_id op = 0;
		if (end == *at || *end != '.' || count == 0 || count > width - filled)
			return false;
		style.colour = (uint8_t)strtoul(end + 1, &end, 10);
		for (; *end && strchr("dr", *end); end++)
			*(*end == 'd' ? &style.dim : &style.reverse) = 1;
		if (*end == '@')
			op = (op_id)strtoul(end + 1, &end, 10);
		for (unsigned long i = 0; i < count; i++, filled++) {
			style.glyph = picture->cells[from + filled].glyph;
			picture->cells[from + filled] = style;
			picture->ops[from + filled] = op;
		}
		*at = end + (*end == ' ');
	}
	return **at == '\n';
}

static bool read_row(const char **at, struct picture *picture, size_t from)
{
	for (size_t i = from; i < from + (size_t)picture->width; i++)
		if (**at == '\n' || !(picture->cells[i].glyph = utf8_next(at)))
			return false;
	if (*(*at)++ != '\n' || !read_runs(at, picture, from))
		return false;
	++*at;
	return true;
}

enum status picture_read(const char *text, struct picture *picture)
{
	char *at;
	long width = strtol(text, &at, 10), height = strtol(at, &at, 10);
	*picture = (struct picture){0};
	if (width < 0 || height < 0 || width > PICTURE_SIDE_MOST || height > PICTURE_SIDE_MOST || *at != '\n')
		return fail(ST_SYNTAX, "a picture begins with its width and height");
	picture->width = (int)width;
	picture->height = (int)height;
	picture->cells = mem_alloc((size_t)(width * height) * sizeof *picture->cells);
	picture->ops = mem_alloc((size_t)(width * height) * sizeof *picture->ops);
	enum status status = ST_OK;
	const char *next = at + 1;
	for (long row = 0; row < height && status == ST_OK; row++)
		if (!read_row(&next, picture, (size_t)(row * width)))
			status = fail(ST_SYNTAX, "row %ld of a picture cannot be read", row);
	if (status != ST_OK)
		picture_release(picture);
	return status;
}

/* ---- writing ---- */

void request_write(const struct request *request, struct text *line)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "do", requests[request->kind]);
	members_put(request_members, ROWS(request_members), (int)request->kind, request, object);
	text_add(line, "%c", WIRE_MARK);
	put_json_line(line, object, "");
}

/* Each REPLY_DONE has the log's change, because a front end that missed one would stay wrong. */
void reply_write(const struct reply *reply, struct text *line)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "is", replies[reply->kind]);
	if (reply->kind == REPLY_DONE) {
		cJSON *change = cJSON_AddObjectToObject(object, "log"),
		      *lines = cJSON_AddArrayToObject(change, "add");
		cJSON_AddStringToObject(object, "status", status_name(reply->status));
		cJSON_AddNumberToObject(change, "keep", reply->log.kept);
		for (size_t i = 0; i < reply->log.count; i++)
			cJSON_AddItemToArray(lines, logged_line_object(&reply->log.line[i]));
	}
	members_put(reply_members, ROWS(reply_members), (int)reply->kind, reply, object);
	if (reply->kind == REPLY_VIEW) {
		struct text cells = {0};
		wire_put_picture(&reply->picture, &cells);
		cJSON_AddStringToObject(object, "picture", text_string(&cells));
		text_release(&cells);
	}
	text_add(line, "%c", WIRE_MARK);
	put_json_line(line, object, "");
}

/* ---- reading ---- */

/* Returns -1 if `name` is NULL or unknown. */
static int find(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; name && i < count; i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
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

/* Makes text safe that readline shows. Other output goes through plain_put. */
static void make_safe(struct text *words)
{
	text_make_safe(words->bytes);
	words->count = strlen(text_string(words));
}

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
