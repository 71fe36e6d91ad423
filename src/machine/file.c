/* file.c -- machine descriptions: embedded ones by name, the user's by path.
 *
 *      title = four GPUs on PCIe
 *      like = dgx-h100          defaults for everything not given below
 *      link_rate = 25 GB/s          # measured: p2pBandwidthLatencyTest
 *
 * (1) Every number needs a source after '#'; a description without one is refused.
 * (2) `like` precedes the first number, and each number appears once.
 * (3) The file and its `like` must give all numbers; there are no other defaults.
 * (4) An error names file and line; the session's machine is unchanged. */
#include "machine/machine.h"
#include "base/embedded.h"
#include "base/file.h"
#include "base/memory.h"
#include <stdio.h>
#include <string.h>

#define FOLDER "machines/"
#define ENDING ".machine"
enum { LINE_MOST = 512, FILE_MOST = 1 << 20, LIKE_MOST = 4 };

struct machine_reader {
	struct machine machine;
	bool given[MACHINE_KEY_COUNT];
	const char *file; /* for messages and sources */
	int line, depth;
};

static enum status read_named(const char *name, int depth, struct machine_reader *reader);

/* Returns the text's length without ENDING; the whole length if it ends otherwise. */
static size_t stem(const char *text)
{
	size_t length = strlen(text), ending = strlen(ENDING);
	bool ends = length > ending && strcmp(text + length - ending, ENDING) == 0;

	return ends ? length - ending : length;
}

/* Sets the name from the path: "dgx-h100" for machines/dgx-h100.machine. */
static void name_after(struct machine *machine, const char *path)
{
	const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;

	snprintf(machine->name, sizeof machine->name, "%.*s", (int)stem(start), start);
}

const char *machine_embedded(int i)
{
	return embedded_name(FOLDER, i, ENDING);
}

static char *trimmed(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length > 0 && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* Copies another machine's numbers and sources; title, name and `here` stay. */
static enum status read_like(struct machine_reader *reader, const char *name)
{
	struct machine_reader *other;
	enum status status;

	for (int i = 0; i < MACHINE_KEY_COUNT; i++) {
		if (reader->given[i])
			return fail(ST_SYNTAX, "`like` must come before the numbers");
	}
	if (reader->depth >= LIKE_MOST)
		return fail(ST_SYNTAX, "`like` leads through %d machines: do they form a circle?", LIKE_MOST);
	other = mem_alloc(sizeof *other);
	status = read_named(name, reader->depth + 1, other);
	if (status == ST_OK) {
		memcpy(other->machine.title, reader->machine.title, sizeof other->machine.title);
		memcpy(other->machine.name, reader->machine.name, sizeof other->machine.name);
		other->machine.here = reader->machine.here;
		reader->machine = other->machine;
	}
	mem_free(other);
	return status;
}

static enum status read_value(const char *text, struct number *value)
{
	char joined[64];
	size_t length = 0;
	int used = 0;
	enum status status;

	for (; *text && length + 1 < sizeof joined; text++) {
		if (*text != ' ' && *text != '\t')
			joined[length++] = *text;
	}
	joined[length] = '\0';
	if (*text)
		return fail(ST_SYNTAX, "'%.30s...' is too long for a number", joined);
	status = number_read(joined, value, &used);
	if (status == ST_OK && joined[used])
		return fail(ST_SYNTAX, "'%s': a number and its unit were expected", joined);
	return status;
}

/* machine_set() checks name, unit and range, and writes a source; the file's source replaces
 * it. */
static enum status read_key(
        struct machine_reader *reader, const char *name, const char *text, const char *source)
{
	struct number value;
	int i = machine_key_find(name);
	enum status status = read_value(text, &value);

	if (status == ST_OK)
		status = machine_set(&reader->machine, name, value);
	if (status != ST_OK)
		return status;
	if (reader->given[i])
		return fail(ST_SYNTAX, "%s is given twice", name);
	if (!*source)
		return fail(ST_SYNTAX, "%s has no source: %s = %s   # where the number comes from", name,
		        name, text);
	reader->given[i] = true;
	snprintf(reader->machine.source[i], sizeof reader->machine.source[i], "%s:%d %s", reader->file,
	        reader->line, source);
	return ST_OK;
}

/* KEY = VALUE # source. Modifies the line. */
static enum status read_line(struct machine_reader *reader, char *line)
{
	char *comment = strchr(line, '#'), *equals, *name, *value, *source = line + strlen(line);

	if (comment) {
		*comment = '\0';
		source = trimmed(comment + 1);
	}
	name = trimmed(line);
	if (!*name)
		return ST_OK;
	equals = strchr(name, '=');
	if (!equals)
		return fail(ST_SYNTAX, "'%.40s': a line is KEY = NUMBER UNIT   # source", name);
	*equals = '\0';
	value = trimmed(equals + 1);
	name = trimmed(name);
	if (strcmp(name, "title") == 0) {
		snprintf(reader->machine.title, sizeof reader->machine.title, "%s", value);
		return ST_OK;
	}
	if (strcmp(name, "here") == 0) {
		reader->machine.here = strcmp(value, "yes") == 0;
		if (!reader->machine.here && strcmp(value, "no") != 0)
			return fail(ST_SYNTAX, "`here` is yes or no, not '%.40s'", value);
		return ST_OK;
	}
	return strcmp(name, "like") == 0 ? read_like(reader, value) : read_key(reader, name, value, source);
}

static void cut_to_characters(char *text)
{
	text[text_valid(text, strlen(text))] = '\0';
}

/* A title may not contain '#'; a line has less than LINE_MOST characters. */
static enum status read_machine(struct machine_reader *reader, const char *bytes, size_t count)
{
	char line[LINE_MOST];
	const char *saved = text_lines_saved_as(bytes, count);

	if (saved)
		return fail(ST_SYNTAX, "%s: %s", reader->file, saved);
	FOR_LINES (row, bytes, count) {
		enum status status;
		reader->line++;
		if (row.length >= sizeof line) {
			status = fail(ST_SYNTAX, "a line of %zu characters is too long", row.length);
		} else if (text_valid(row.at, row.length) < row.length) {
			status = fail(ST_SYNTAX, "this is not text");
		} else {
			memcpy(line, row.at, row.length);
			line[row.length] = '\0';
			status = read_line(reader, line);
		}
		if (status != ST_OK)
			return fail_in(status, "%s:%d", reader->file, reader->line);
	}
	cut_to_characters(reader->machine.name);
	cut_to_characters(reader->machine.title);
	for (int i = 0; i < MACHINE_KEY_COUNT; i++) {
		if (!reader->machine.source[i][0])
			return fail(ST_SYNTAX, "%s: %s is missing", reader->file, machine_key(i, NULL, NULL));
		cut_to_characters(reader->machine.source[i]);
	}
	return ST_OK;
}

static enum status unknown_machine(const char *name)
{
	struct text names = {0};
	const char *other;
	int count;

	for (int i = 0; (other = machine_embedded(i)); i++)
		text_add(&names, "%s%s", i ? " " : "", other);
	const char *near = text_nearest(text_string(&names), name, strlen(name), &count);
	if (near)
		fail(ST_NAME, "no machine '%s'; did you mean '%.*s'? (there are: %s)", name, count, near,
		        text_string(&names));
	else
		fail(ST_NAME, "no machine '%s' (there are: %s; or the path of a file: ./%s%s)", name,
		        text_string(&names), name, ENDING);
	text_release(&names);
	return ST_NAME;
}

static enum status read_named(const char *name, int depth, struct machine_reader *reader)
{
	const struct embedded *file = embedded_find(FOLDER, name, ENDING);
	if (!file)
		return unknown_machine(name);
	*reader = (struct machine_reader){.depth = depth};
	name_after(&reader->machine, file->path);
	reader->file = reader->machine.name;
	return read_machine(reader, file->bytes, file->count);
}

static enum status read_path(const char *path, struct machine_reader *reader)
{
	char *bytes;
	size_t count;
	enum status status = file_read(path, FILE_MOST, &bytes, &count);

	if (status == ST_OK && count == FILE_MOST)
		status = fail(ST_FILE, "%s is too long for a machine", path);
	*reader = (struct machine_reader){.file = path};
	name_after(&reader->machine, path);
	if (status == ST_OK)
		status = read_machine(reader, bytes, count);
	mem_free(bytes);
	return status;
}

bool machine_is_file(const char *name_or_path)
{
	return strchr(name_or_path, '/') || stem(name_or_path) < strlen(name_or_path);
}

enum status machine_load(struct machine *machine, const char *name_or_path)
{
	struct machine_reader *reader = mem_alloc(sizeof *reader);
	enum status status = machine_is_file(name_or_path) ? read_path(name_or_path, reader)
	                                                   : read_named(name_or_path, 0, reader);
	reader->machine.changes = machine->changes + 1;
	if (status == ST_OK)
		*machine = reader->machine;
	mem_free(reader);
	return status;
}
