/* parse_text.c -- whole texts: a file or a line of the prompt to a tree, and words that appear while
 * running.
 *
 * The text is copied into the tree, which ends it with a NUL; all slices of the tree point into that copy.
 * Before anything is read the text must be UTF-8 without NUL bytes, and without characters that only look
 * like those of the language (strange.c), because every later message would be a riddle. */
#include "shell/language/parse/parse.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* A tree with one user that holds nothing but its text yet */
static struct tree *tree_text(const char *text, size_t count, const char *file)
{
	struct tree *tree = mem_alloc(sizeof *tree);
	tree->users = 1;
	char *copy = tree_alloc(tree, count + 1), *name = file ? tree_alloc(tree, strlen(file) + 1) : NULL;
	memcpy(copy, text, count);
	if (file)
		memcpy(name, file, strlen(file));
	tree->text = copy;
	tree->count = count;
	tree->file = name;
	return tree;
}

static void parser_release(struct parser *parser)
{
	mem_free(parser->words);
	mem_free(parser->reads);
}

/* The end of a parser: its tree is the caller's when the text was read. */
static enum status keep_tree(struct parser *parser, enum status status, struct tree **made)
{
	parser_release(parser);
	if (status == ST_OK)
		*made = parser->tree;
	else
		tree_release(parser->tree);
	return status;
}

/* The mark that editors of Windows put before a text: 3 bytes, or 0 */
static size_t byte_order_mark(const char *text, size_t count)
{
	return count >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static enum status not_text(const char *text, size_t count)
{
	if (memchr(text, '\0', count))
		return fail(ST_SYNTAX, "a NUL byte stands in the text");
	return fail(ST_SYNTAX, "the text is not valid UTF-8");
}

static enum status text_is_fit(const char *text, size_t count, const char *file, int line)
{
	if (!text_is_utf8(text, count)) {
		enum status status = not_text(text, count);
		return file ? fail_in(status, "%s", file) : status;
	}
	enum status status = strange_character(text, count, &line);
	return status != ST_OK && file ? fail_in(status, "%s:%d", file, line) : status;
}

/* A parser lives as long as this call: nodes outlive it, its lists of words and reads do not. */
enum status tree_parse(struct tree **made, const char *text, size_t count, const char *file, int first_line)
{
	struct tree *tree = NULL;
	*made = NULL;
	size_t mark = byte_order_mark(text, count);
	text += mark;
	count -= mark;
	enum status status = text_is_fit(text, count, file, first_line);
	if (status != ST_OK)
		return status;
	tree = tree_text(text, count, file);
	struct parser parser = {.tree = tree,
	        .at = tree->text,
	        .end = tree->text + count,
	        .counted = tree->text,
	        .line = first_line};
	status = parse_statements(&parser, &tree->block, false);
	if (status != ST_OK && file)
		status = fail_in(status, "%s:%d", file, line_at(&parser, parser.at));
	return keep_tree(&parser, status, made);
}

/* The lines before the first that cannot be read at all */
static size_t fit_lines(const char *text, size_t count)
{
	size_t fit = 0;
	while (fit < count) {
		const char *newline = memchr(text + fit, '\n', count - fit);
		size_t length = newline ? (size_t)(newline - text) + 1 - fit : count - fit;
		if (!text_is_utf8(text + fit, length))
			break;
		fit += length;
	}
	return fit;
}

/* Reads like tree_parse, and stops behind the first line: a script under test is cut into lines by the
 * parser itself, so the cuts are where the language says they are. The tree is thrown away. */
enum status tree_first(const char *text, size_t count, const char *file, int first_line, size_t *taken)
{
	struct parser parser = {.one_line = true, .line = first_line};
	size_t mark = byte_order_mark(text, count);
	text += mark;
	count -= mark;
	size_t fit = fit_lines(text, count);
	parser.tree = tree_text(text, fit, file);
	parser.at = parser.counted = parser.tree->text;
	parser.end = parser.at + fit;
	enum status status = parse_statements(&parser, &parser.tree->block, false);
	if (status == ST_INCOMPLETE && fit < count)
		status = not_text(text, count);
	if (status != ST_OK && file)
		status = fail_in(status, "%s:%d", file, line_at(&parser, parser.at));
	*taken = mark + (size_t)(parser.at - parser.tree->text) + (parser.at < parser.end);
	parser_release(&parser);
	tree_release(parser.tree);
	return status;
}

enum status tree_tensor(struct tree **made, const char *text, struct tensor_ref **tensor)
{
	struct parser parser = {.tree = tree_text(text, strlen(text), NULL)};
	enum status status =
	        parse_tensor(&parser, parser.tree->text, parser.tree->text + parser.tree->count, tensor);
	return keep_tree(&parser, status, made);
}

enum status tree_quoted(struct tree **made, struct slice_of_text text, struct name **name)
{
	struct parser parser = {0};
	struct text quoted = {0};
	text_put(&quoted, "\"", 1);
	for (uint32_t i = 0; i < text.length; i++) {
		if (text.at[i] == '"' || text.at[i] == '\\')
			text_put(&quoted, "\\", 1);
		text_put(&quoted, &text.at[i], 1);
	}
	text_put(&quoted, "\"", 1);
	parser.tree = tree_text(quoted.bytes, quoted.count, NULL);
	text_release(&quoted);
	enum status status =
	        parse_name(&parser, parser.tree->text, parser.tree->text + parser.tree->count, name);
	return keep_tree(&parser, status, made);
}

enum status tree_ranks(struct tree **made, const char *text, struct ranks_ref **ranks)
{
	struct parser parser = {.tree = tree_text(text, strlen(text), NULL)};
	enum status status =
	        parse_ranks(&parser, parser.tree->text, parser.tree->text + parser.tree->count, ranks);
	return keep_tree(&parser, status, made);
}
