/* explain.c -- explain on: the CUDA or NCCL call and the PyTorch line for each program line
 *
 * A command's row has these texts with the names of its usage ("y = matmul a b", "copy FROM ->
 * TO"). The line's words at the same places replace the names; a name without a clear place
 * stays. */
#include "shell/language/run/run.h"
#include "shell/language/parse/parse.h"
#include "shell/language/run/player.h"

#include <ctype.h>

enum { FILLS_MAX = 48 };
struct fills {
	struct {
		struct slice_of_text name, value;
	} fill[FILLS_MAX];
	int count;
};

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *s)
{
	int depth = 0;
	size_t i = 0;
	for (; s[i] && (depth > 0 || s[i] != ' '); i++)
		depth += (s[i] == '[' || s[i] == '{') - (s[i] == ']' || s[i] == '}');
	return i;
}

/* Each name of "EVENT|STREAM" or "[SECTION]" gets the value; "FILE.npy" is FILE. */
static void add_fills(struct fills *fills, const char *at, const char *end, struct slice_of_text value)
{
	for (; at < end; at++) {
		const char *from = at;
		while (at < end && is_word_char(*at))
			at++;
		if (at > from && isalpha((unsigned char)*from) && fills->count < FILLS_MAX) {
			fills->fill[fills->count].name = slice_between(from, at);
			fills->fill[fills->count++].value = value;
		}
		if (at < end && !strchr("|[]", *at))
			return;
	}
}

static struct slice_of_text option_written(const struct key_value *option)
{
	return slice_between(
	        option->key.at + option->key.length + 1, option->written.at + option->written.length);
}

/* Assigns the line's words to results, arguments and KEY=NAME of the usage, except optional words
 * at its end. Of "reduce X, or Y = reduce X" it uses the line's form. */
static void add_words(struct fills *fills, const struct statement *line)
{
	const char *usage = command_usage(line->row), *other = strstr(usage, ", or ");
	const char *end = other && !line->results ? other : usage + strlen(usage);
	const char *at = other && line->results ? other + strlen(", or ") : usage;
	int results = 0, arguments = -1; /* -1: the command's own name comes next */
	if (memmem(at, end - at, " = ", 3))
		for (; *at != '='; at += word_length(at) + 1)
			if (results < line->results)
				add_fills(fills, at, at + word_length(at), line->result[results++].written);
	for (size_t count; at < end; at += count + 1) {
		count = word_length(at);
		const char *equals = memchr(at, '=', count);
		if (*at == '{' || strncmp(at, "on ", 3) == 0 ||
		        (*at == '[' && (equals || memchr(at, ' ', count))))
			return;
		for (int i = 0; equals && i < line->options; i++) {
			if (slices_equal(slice_between(at, equals), line->option[i].key))
				add_fills(fills, equals + 1, at + count, option_written(&line->option[i]));
		}
		if (!equals && arguments >= 0 && arguments < line->arguments)
			add_fills(fills, at, at + count, line->argument[arguments].written);
		arguments += !equals;
	}
}

/* Finds the same name, or its capital: the usage's "X" is x in the texts. */
static const struct slice_of_text *find_fill(const struct fills *fills, const char *name, size_t count)
{
	for (int i = 0; i < fills->count; i++) {
		struct slice_of_text of = fills->fill[i].name;
		bool small = count == 1 && of.length == 1 && name[0] == tolower((unsigned char)of.at[0]);
		bool stream = count == 6 && memcmp(name, "stream", 6) == 0 && slice_is(of, "STREAM");
		if (small || stream || (of.length == count && memcmp(of.at, name, count) == 0))
			return &fills->fill[i].value;
	}
	return NULL;
}

/* Returns the words that replace SUM and ncclSum in the texts; NULL for op=sum. */
static const char *const *reduction_words(const struct statement *line)
{
	static const char *const words[][3] = {
	        {"avg", "AVG", "ncclAvg"}, {"max", "MAX", "ncclMax"}, {"min", "MIN", "ncclMin"}};
	const struct key_value *op = statement_option(line, "op");
	for (size_t k = 0; op && k < sizeof words / sizeof *words; k++)
		if (slice_is(option_written(op), words[k][0]))
			return words[k];
	return NULL;
}

void explain_fill(const struct statement *line, const char *stream, const char *text, struct text *out)
{
	static const char of_stream[] = "STREAM", of_root[] = "ROOT";
	struct slice_of_text root = slice_of_string("0"); /* the default */
	struct fills fills = {0};
	const char *const *op = reduction_words(line);
	bool adds = line->adds; /* += for the first = */
	add_words(&fills, line);
	if (statement_option(line, "root"))
		root = option_written(statement_option(line, "root"));
	add_fills(&fills, of_root, of_root + strlen(of_root), root);
	if (stream)
		add_fills(&fills, of_stream, of_stream + strlen(of_stream), slice_of_string(stream));
	for (const char *at = text; *at;) {
		size_t count = 0;
		while (is_word_char(at[count]))
			count++;
		bool member = at > text && at[-1] == '.';
		const struct slice_of_text *value = count && !member ? find_fill(&fills, at, count) : NULL;
		count = count ? count : 1;
		if (adds && *at == '=')
			text_add(out, "+");
		adds = adds && *at != '=';
		if (op && count == 3 && memcmp(at, "SUM", count) == 0)
			text_add(out, "%s", op[1]);
		else if (op && count == 7 && memcmp(at, "ncclSum", count) == 0)
			text_add(out, "%s", op[2]);
		else if (value)
			text_put(out, value->at, value->length);
		else
			text_put(out, at, count);
		at += count;
	}
}

void explain_line(struct call *call)
{
	struct shell *shell = call->shell;
	const struct command *command = call->statement->row;
	int rank = ranks_first(call->set), number;
	const struct stream *stream = NULL;
	if (!shell->lasting.explain || shell_quiet(shell) || command->class != COMMAND_PROGRAM)
		return;
	if (command->stream_ok && call_stream(call, rank, &number) == ST_OK)
		stream = world_stream(shell->world, rank, number);
	const char *name = stream ? names_text(shell->world->names, stream->name) : NULL;
	/* with its names on that rank: `y$m = relu x$(m-1)` in a loop is y2 = relu x1 */
	struct statement *line = call->statement;
	struct tree *tree = NULL;
	struct text filled = {0};
	bool varies = false;
	if (player_runs(shell) || memchr(line->source.at, '$', line->source.length))
		interpreter_render(shell, line, call->set, rank, &filled, &varies);
	if (filled.count && tree_parse(&tree, text_string(&filled), filled.count, NULL, 1) == ST_OK &&
	        tree->block.first->row == command)
		line = tree->block.first;
	const char *labels[] = {"PyTorch", "CUDA, NCCL"}, *texts[] = {command->torch, command->cuda};
	for (int i = 0; i < 2; i++) {
		text_clear(&filled);
		if (!texts[i])
			continue;
		explain_fill(line, name, texts[i], &filled);
		out_say(shell->out, "   %s%-10s%s %s\n", STYLED(shell->out, COLOUR_NOTE, labels[i]),
		        text_string(&filled));
	}
	tree_release(tree);
	text_release(&filled);
}
