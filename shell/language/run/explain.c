/* explain.c -- explain on: each program line as the CUDA or NCCL call and the PyTorch line it stands for
 *
 * The texts are those of the command's row; the names of its usage ("y = matmul a b", "copy FROM -> TO")
 * stand in them and are replaced by what the line has in their places. Where that is not plain, the row's own
 * words stay. May call: language/ (call_*), out. */
#include "shell/language/run/explain.h"

#include <ctype.h>
#include <string.h>

enum { PLACES_MAX = 16 };
struct line_words {
	struct {
		const char *at;
		size_t count;
	} result[PLACES_MAX], argument[PLACES_MAX];
	int results, arguments;
};

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A word: up to a blank outside brackets and quotes. */
static size_t word_length(const char *s)
{
	int depth = 0;
	size_t i = 0;
	for (bool quoted = false;
	        s[i] && s[i] != '\n' && (depth > 0 || quoted || !isspace((unsigned char)s[i])); i++) {
		quoted = s[i] == '"' ? !quoted : quoted;
		depth += (s[i] == '[' || s[i] == '(' || s[i] == '{') -
		        (s[i] == ']' || s[i] == ')' || s[i] == '}');
	}
	return i;
}

static bool is(const char *word, size_t count, const char *text)
{
	return strlen(text) == count && memcmp(word, text, count) == 0;
}

/* Results and positional arguments of a line or a usage, in order: clauses, options and flags are left
 * out. */
static void split(const char *line, struct line_words *words)
{
	const char *assign = NULL;
	bool named = false;
	*words = (struct line_words){0};
	for (const char *at = line + strspn(line, " \t"); *at && *at != '\n' && !assign;
	        at += strspn(at, " \t")) {
		size_t count = word_length(at);
		if (is(at, count, "=") || is(at, count, "+="))
			assign = at;
		at += count;
	}
	for (const char *at = line + strspn(line, " \t"); *at && *at != '\n' && *at != '#';
	        at += strspn(at, " \t")) {
		size_t count = word_length(at);
		const char *word = at;
		at += count;
		if (is(word, count, "on") || is(word, count, "in"))
			at += strspn(at, " \t"), at += word_length(at);
		else if (*word == '@' || is(word, count, "=") || is(word, count, "+=") ||
		        is(word, count, "->") || is(word, count, "..."))
			continue;
		else if (assign && word < assign && words->results < PLACES_MAX)
			words->result[words->results].at = word,
			words->result[words->results++].count = count;
		else if (!named)
			named = true; /* the command's own name */
		else if (*word == '{' || (*word == '[' && memchr(word, '=', count)) ||
		        words->arguments == PLACES_MAX)
			break;
		else if (!memchr(word, '=', count))
			words->argument[words->arguments].at = word,
			words->argument[words->arguments++].count = count;
	}
}

struct fill {
	const char *name;
	size_t name_count;
	const char *value;
	size_t value_count;
};
struct fills {
	struct fill fill[3 * PLACES_MAX];
	int count;
};

/* "EVENT|STREAM" and "[SECTION]" give each name the same value; "FILE.npy" is FILE. */
static void add_fills(
        struct fills *fills, const char *name, size_t count, const char *value, size_t value_count)
{
	for (size_t i = 0; i < count;) {
		size_t from = i;
		while (i < count && in_name(name[i]))
			i++;
		if (i > from && isalpha((unsigned char)name[from]) && fills->count < 3 * PLACES_MAX)
			fills->fill[fills->count++] =
			        (struct fill){name + from, i - from, value, value_count};
		if (i < count && name[i] != '|' && name[i] != '[' && name[i] != ']')
			return;
		i += i < count;
	}
}

/* key=NAME of the usage and key=VALUE of the line. */
static void add_options(struct fills *fills, const char *usage, const char *line)
{
	for (const char *at = usage; *at; at += strspn(at, " \t")) {
		size_t count = word_length(at);
		const char *equals = memchr(at, '=', count), *found = NULL;
		size_t key = equals ? (size_t)(equals - at) : 0;
		for (const char *word = line; key && *at != '[' && *word && !found;
		        word += strspn(word, " \t\n")) {
			size_t length = word_length(word);
			if (length > key + 1 && memcmp(word, at, key + 1) == 0)
				found = word;
			word += length;
		}
		if (found)
			add_fills(fills, equals + 1, count - key - 1, found + key + 1,
			        word_length(found) - key - 1);
		at += count;
	}
}

/* The same name, or its small letter ("X" of the usage is x in the texts). */
static const struct fill *find_fill(const struct fills *fills, const char *name, size_t count)
{
	for (int i = 0; i < fills->count; i++) {
		const struct fill *fill = &fills->fill[i];
		bool small = count == 1 && fill->name_count == 1 &&
		        name[0] == tolower((unsigned char)fill->name[0]);
		bool stream = is(name, count, "stream") && is(fill->name, fill->name_count, "STREAM");
		if (small || stream || (fill->name_count == count && memcmp(fill->name, name, count) == 0))
			return fill;
	}
	return NULL;
}

void explain_fill(const char *usage, const char *line, const char *stream, const char *text, struct text *out)
{
	struct line_words names, values;
	struct fills fills = {0};
	split(usage, &names);
	split(line, &values);
	for (int i = 0; i < names.results && i < values.results; i++)
		add_fills(&fills, names.result[i].at, names.result[i].count, values.result[i].at,
		        values.result[i].count);
	for (int i = 0; i < names.arguments && i < values.arguments; i++)
		add_fills(&fills, names.argument[i].at, names.argument[i].count, values.argument[i].at,
		        values.argument[i].count);
	add_options(&fills, usage, line);
	if (stream)
		add_fills(&fills, "STREAM", 6, stream, strlen(stream));
	for (const char *at = text; *at;) {
		size_t count = 0;
		while (in_name(at[count]))
			count++;
		/* "x.view": x is a name, view belongs to it */
		bool member = at > text && at[-1] == '.';
		const struct fill *fill = count && !member ? find_fill(&fills, at, count) : NULL;
		count = count ? count : 1;
		if (fill)
			text_put(out, fill->value, fill->value_count);
		else
			text_put(out, at, count);
		at += count;
	}
}

static void put_line(
        struct shell *shell, struct call *call, const char *stream, const char *label, const char *text)
{
	struct text filled = {0}, source = {0};
	if (!text)
		return;
	text_put(&source, call->statement->source.at, call->statement->source.length);
	const char *line = text_string(&source);
	bool alone = call->statement->adds &&
	        !strstr(line, call->statement->row->name); /* g += x is PyTorch as it stands */
	if (alone && text == call->statement->row->torch)
		text_add(&filled, "%s", line);
	else
		explain_fill(call->statement->row->usage, line, stream, text, &filled);
	out_say(shell->out, "   %s%-10s%s %s\n", style(shell->out, COLOUR_NOTE), label,
	        style(shell->out, COLOUR_PLAIN), text_string(&filled));
	text_release(&filled);
	text_release(&source);
}

void explain_line(struct shell *shell, struct call *call)
{
	const struct command *command = call->statement->row;
	int rank = ranks_first(call->set), number;
	const struct stream *stream = NULL;
	if (!shell->explain || shell->replaying || command->class != COMMAND_PROGRAM)
		return;
	if (command->stream_ok && call_stream(call, rank, &number) == ST_OK)
		stream = world_stream(shell->world, rank, number);
	const char *name = stream ? names_text(shell->world->names, stream->name) : NULL;
	put_line(shell, call, name, "PyTorch", command->torch);
	put_line(shell, call, name, "CUDA, NCCL", command->cuda);
}
