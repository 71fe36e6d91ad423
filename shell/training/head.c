/* head.c -- the comment lines at the top of a file, and its `option` lines */
#include "shell/training/choose.h"
#include "base/embedded.h"
#include "shell/language/parse/lex.h"
#include "shell/language/parse/tree.h"

#include <string.h>

static bool line_begins(const char *line, size_t count, const char *with)
{
	return count >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* Lines that begin with these words have texts of their own; the others are notes. */
static const struct {
	const char *word;
	enum head_text text;
	bool colon; /* only with a colon */
	const char *end;
} kinds[] = {{"after ", HEAD_AFTER, false, ""}, {"alone:", HEAD_ALONE, false, ""},
        {"loses ", HEAD_LOSES, true, "\n"}, {"parts ", HEAD_PARTS, true, ""},
        {"own pace ", HEAD_OWN_PACE, true, "\n"}};

static void head_read_line(struct head *head, const char *line, size_t count, bool first)
{
	const char *end = line + count, *colon = memchr(line, ':', count), *name = colon ? colon : end;
	if (first && colon) {
		const char *from = colon + 1 + (colon + 1 < end && colon[1] == ' ');
		text_put(&head->text[HEAD_HELP], from, (size_t)(end - from));
		return;
	}
	if (line_begins(line, count, "axis ") && !memchr(line + 5, ' ', (size_t)(name - line) - 5)) {
		text_put(&head->text[HEAD_AXIS], line + 5, (size_t)(name - line) - 5);
		while (name < end && (*name == ':' || *name == ' '))
			name++;
		text_put(&head->text[HEAD_CUTS], name, (size_t)(end - name));
		return;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (line_begins(line, count, kinds[i].word) && (colon || !kinds[i].colon)) {
			size_t word = strlen(kinds[i].word);
			text_add(&head->text[kinds[i].text], "%.*s%s", (int)(count - word), line + word,
			        kinds[i].end);
			return;
		}
	if (count)
		text_add(&head->text[HEAD_NOTES], "%.*s\n", (int)count, line);
}

static void head_read_comments(struct head *head, const char *at, const char *end)
{
	for (bool first = true; at < end && *at == '#'; first = false) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *after = newline ? newline : end;
		const char *line = at + 1 + (at + 1 < after && at[1] == ' ');
		head_read_line(head, line, (size_t)(after - line), first);
		at = after + (newline != NULL);
	}
}

const struct embedded *built_in_part(const char *name)
{
	return embedded_find("strategies/parts/", name, ".rsh");
}

/* Reads the built-in parts that top-level `source` lines name, and their parts. */
static enum status head_read_parts(struct head *head)
{
	enum status status = ST_OK;
	int trees = 1;
	for (int i = 0; i < trees && status == ST_OK; i++)
		for (const struct statement *line = head->tree[i]->block.first; line; line = line->next) {
			char name[WORD_SHOWN];
			if (status != ST_OK || trees == HEAD_TREES || line->kind != STATEMENT_COMMAND ||
			        strcmp(line->row->name, "source") != 0 || !line->arguments)
				continue;
			word_text(line->argument[0].written, name);
			const struct embedded *part = built_in_part(name);
			if (part)
				status = tree_parse(
				        &head->tree[trees++], part->bytes, part->count, part->path, 1);
		}
	return status;
}

enum status head_read(struct head *head, const struct player_file *file)
{
	*head = (struct head){0};
	enum status status = tree_parse(&head->tree[0], file->text, file->count, file->name, 1);
	if (status == ST_INCOMPLETE)
		status = fail(ST_SYNTAX, "%s", fail_text());
	if (status == ST_OK)
		status = head_read_parts(head);
	if (status == ST_OK)
		head_read_comments(head, file->text, file->text + file->count);
	return status;
}

void head_release(struct head *head)
{
	for (int i = 0; head->tree[i]; i++)
		tree_release(head->tree[i]);
	for (int i = 0; i < HEAD_TEXTS; i++)
		text_release(&head->text[i]);
	*head = (struct head){0};
}

void head_options(const struct head *head, int width, struct text *out)
{
	for (const struct statement *at = head->tree[0]->block.first; at; at = at->next) {
		if (at->kind != STATEMENT_OPTION)
			continue;
		const struct option_line *line = at->given;
		text_add(out, "     %.*s=%.*s%s%s%s%s\n", WHOLE(line->name), WHOLE(line->value),
		        line->words ? "   one of: " : "", line->words ? line->words : "",
		        line->with ? "   only with: " : "", line->with ? line->with : "");
		struct text about = {0};
		text_put(&about, line->about.at, line->about.length);
		if (about.count)
			text_wrapped(out, text_string(&about), 9, width);
		text_release(&about);
	}
}

void head_defaults(const struct head *head, struct text *out)
{
	for (const struct statement *at = head->tree[0]->block.first; at; at = at->next)
		if (at->kind == STATEMENT_OPTION)
			text_add(out, "%s %.*s=%.*s", out->count ? "" : "options:", WHOLE(at->given->name),
			        WHOLE(at->given->value));
}

/* `of="*.csv"` accepts any file with that ending. Appends the built-in ones. */
static void head_put_files(struct slice_of_text key, const char *ending, int length, struct text *out)
{
	struct text ends = {0};
	const char *name;
	text_add(&ends, "%.*s", length, ending);
	for (int i = 0; (name = embedded_name("strategies/schedules/", i, text_string(&ends))); i++)
		text_add(out, "%.*s=%s%s\n", WHOLE(key), name, text_string(&ends));
	text_release(&ends);
}

void head_keys(const struct head *head, struct text *out)
{
	for (const struct statement *at = head->tree[0]->block.first; at; at = at->next) {
		if (at->kind != STATEMENT_OPTION)
			continue;
		text_add(out, "%.*s=\n", WHOLE(at->given->name));
		if (!at->given->words) /* a number: its default */
			text_add(out, "%.*s=%.*s\n", WHOLE(at->given->name), WHOLE(at->given->value));
		for (const char *word = at->given->words; word && *word; word += strspn(word, " ")) {
			size_t length = strcspn(word, " ");
			if (*word == '*')
				head_put_files(at->given->name, word + 1, (int)length - 1, out);
			else
				text_add(out, "%.*s=%.*s\n", WHOLE(at->given->name), (int)length, word);
			word += length;
		}
	}
}

bool file_has_option(const struct player_file *file, const char *name)
{
	struct head head;
	bool has = head_read(&head, file) == ST_OK && head_option(&head, name);
	head_release(&head);
	return has;
}

const struct option_line *head_option(const struct head *head, const char *name)
{
	for (const struct statement *at = head->tree[0]->block.first; at; at = at->next)
		if (at->kind == STATEMENT_OPTION && slice_is(at->given->name, name))
			return at->given;
	return NULL;
}
