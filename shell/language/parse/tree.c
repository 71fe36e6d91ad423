/* tree.c -- a parsed text's memory, and the parsing of whole texts */
#include "shell/language/parse/tree.h"
#include "base/memory.h"
#include "shell/language/parse/parse.h"

struct tree_page {
	struct tree_page *next;
	size_t used, room;
};

void *tree_alloc(struct tree *tree, size_t bytes)
{
	bytes = (bytes + 7) / 8 * 8; /* nodes hold pointers and doubles, nothing wider */
	struct tree_page *page = tree->pages;
	if (!page || page->room - page->used < bytes) {
		enum { FIRST_BYTES = 8000, LARGE_BYTES = 1 << 16 };
		size_t room = !page                    ? FIRST_BYTES
		        : page->room < LARGE_BYTES / 2 ? 2 * page->room
		                                       : LARGE_BYTES;
		room = room > bytes ? room : bytes;
		page = mem_alloc(sizeof *page + room);
		*page = (struct tree_page){.next = tree->pages, .room = room};
		tree->pages = page;
	}
	void *node = (char *)(page + 1) + page->used;
	page->used += bytes;
	return node;
}

char *tree_copy(struct tree *tree, const char *text, size_t length)
{
	char *copy = tree_alloc(tree, length + 1);
	memcpy(copy, text, length);
	return copy;
}

void tree_use(struct tree *tree)
{
	tree->users++;
}

void tree_release(struct tree *tree)
{
	if (!tree || --tree->users > 0)
		return;
	for (struct variant *variant = tree->variants, *next; variant; variant = next) {
		next = variant->of_tree; /* the variant is in the memory of its own tree */
		tree_release(variant->tree);
	}
	for (struct tree_page *page = tree->pages, *next; page; page = next) {
		next = page->next;
		mem_free(page);
	}
	mem_free(tree);
}

/* Texts must be UTF-8 without NUL bytes, because messages show parts of them. */

static struct parser parser_make(const char *text, size_t count, const char *file, int first_line)
{
	struct tree *tree = mem_alloc(sizeof *tree);
	tree->users = 1;
	tree->text = tree_copy(tree, text, count);
	tree->count = count;
	tree->file = file ? tree_copy(tree, file, strlen(file)) : NULL;
	return (struct parser){.tree = tree,
	        .at = tree->text,
	        .end = tree->text + count,
	        .counted = tree->text,
	        .line = first_line};
}

static enum status parser_end(struct parser *parser, enum status status, struct tree **made)
{
	mem_free(parser->words);
	mem_free(parser->reads);
	*made = status == ST_OK ? parser->tree : NULL;
	if (status != ST_OK)
		tree_release(parser->tree);
	return status;
}

static enum status parse_whole(struct parser *parser)
{
	enum status status = parse_statements(parser, &parser->tree->block, false);
	return status != ST_OK && parser->tree->file
	        ? fail_in(status, "%s:%d", parser->tree->file, parser_line(parser, parser->at))
	        : status;
}

/* Skips a byte-order mark, and returns its length: 3, or 0 if there is none. */
static size_t byte_order_mark(const char **text, size_t *count)
{
	size_t mark = *count >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	*text += mark;
	*count -= mark;
	return mark;
}

static bool text_fits(const char *text, size_t count)
{
	return text_valid(text, count) == count && !text_lines_saved_as(text, count);
}

static enum status text_refused(const char *text, size_t count)
{
	const char *saved = text_lines_saved_as(text, count);
	return fail(ST_SYNTAX, "%s",
	        saved                               ? saved
	                : memchr(text, '\0', count) ? "a NUL byte is in the text"
	                                            : "the text is not valid UTF-8: save it as UTF-8");
}

enum status tree_parse(struct tree **made, const char *text, size_t count, const char *file, int first_line)
{
	byte_order_mark(&text, &count);
	*made = NULL;
	if (!text_fits(text, count)) {
		enum status status = text_refused(text, count);
		return file ? fail_in(status, "%s", file) : status;
	}
	struct parser parser = parser_make(text, count, file, first_line);
	return parser_end(&parser, parse_whole(&parser), made);
}

static size_t text_lines_fit(const char *text, size_t count)
{
	size_t fit = 0;
	while (fit < count) {
		const char *newline = memchr(text + fit, '\n', count - fit);
		size_t length = newline ? newline + 1 - text - fit : count - fit;
		if (!text_fits(text + fit, length))
			break;
		fit += length;
	}
	return fit;
}

enum status tree_first(const char *text, size_t count, const char *file, int first_line, size_t *taken)
{
	size_t mark = byte_order_mark(&text, &count);
	size_t fit = text_lines_fit(text, count);
	struct parser parser = parser_make(text, fit, file, first_line);
	struct tree *tree;
	parser.one_line = true;
	enum status status = parse_whole(&parser);
	if (status == ST_INCOMPLETE && fit < count) {
		status = text_refused(text, count);
		if (file)
			status = fail_in(status, "%s:%d", file, parser_line(&parser, parser.at));
	}
	*taken = mark + (parser.at - parser.tree->text) + (parser.at < parser.end);
	if (parser_end(&parser, status, &tree) == ST_OK)
		tree_release(tree);
	return status;
}

enum status tree_tensor(struct tree **made, const char *text, struct tensor_ref **tensor)
{
	struct parser parser = parser_make(text, strlen(text), NULL, 0);
	return parser_end(&parser, parse_tensor(&parser, parser.at, parser.end, tensor), made);
}

enum status tree_quoted(struct tree **made, struct slice_of_text text, struct name **name)
{
	struct text quoted = {0};
	text_put(&quoted, "\"", 1);
	for (uint32_t i = 0; i < text.length; i++) {
		if (text.at[i] == '"' || text.at[i] == '\\')
			text_put(&quoted, "\\", 1);
		text_put(&quoted, &text.at[i], 1);
	}
	text_put(&quoted, "\"", 1);
	struct parser parser = parser_make(quoted.bytes, quoted.count, NULL, 0);
	text_release(&quoted);
	return parser_end(&parser, parse_name(&parser, parser.at, parser.end, name), made);
}

enum status tree_formula(struct tree **made, const char *text, const char *file)
{
	struct text line = {0};
	text_add(&line, "let x = %s", text);
	enum status status = tree_parse(made, text_string(&line), line.count, file, 1);
	text_release(&line);
	return status;
}

enum status tree_ranks(struct tree **made, const char *text, struct ranks_ref **ranks)
{
	struct parser parser = parser_make(text, strlen(text), NULL, 0);
	return parser_end(&parser, parse_ranks(&parser, parser.at, parser.end, ranks), made);
}
