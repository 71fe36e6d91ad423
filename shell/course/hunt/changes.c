/* changes.c -- finds the changes that a text's lines allow */
#include "shell/course/hunt/changes.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_name_character(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool is_collective(const char *word)
{
	return word_is_one_of(
	               "allreduce allgather reducescatter broadcast alltoall reduce gather scatter", word) ||
	        strncmp(word, "reduce_", 7) == 0;
}

/* mend[0] is the original line, unless the caller replaces it. */
static struct text_change *change_add(
        struct split_line *line, const char *what, const char *from, const char *to, const char *with)
{
	struct text_change *change = MEM_ADD(&line->changes->change, &line->changes->count);
	const char *end = piece_trimmed(line->at, line->next);
	*change = (struct text_change){.line = line->number,
	        .what = what,
	        .from = (size_t)(from - line->text),
	        .to = (size_t)(to - line->text),
	        .with = mem_copy_text(with, strlen(with))};
	change->mend[0] = mem_copy_text(line->at, (size_t)(end - line->at));
	return change;
}

static void change_add_format(struct split_line *line, const char *what, const char *from, const char *to,
        const char *format, ...) __attribute__((format(printf, 5, 6)));
static void change_add_format(
        struct split_line *line, const char *what, const char *from, const char *to, const char *format, ...)
{
	struct text with = {0};
	va_list arguments;
	va_start(arguments, format);
	text_vadd(&with, format, arguments);
	va_end(arguments);
	change_add(line, what, from, to, text_string(&with));
	text_release(&with);
}

static const struct {
	const char *find, *with, *what;
} exchanges[] = {
        {"op=avg", "op=sum", "an average became a sum"},
        {"op=sum", "op=avg", "a sum became an average"},
        {"+=", "=", "what was there is no longer added to"},
        {" == ", " != ", "a condition turned round"},
        {" != ", " == ", "a condition turned round"},
        {" < ", " <= ", "off by one"},
        {" <= ", " < ", "off by one"},
        {" > ", " >= ", "off by one"},
        {" >= ", " > ", "off by one"},
        {" and ", " or ", "and became or"},
        {" or ", " and ", "or became and"},
        {"not ", "", "a condition turned round"},
        {".T", "", "a transpose left out"},
        {"+1", "", "off by one"},
        {"-1", "", "off by one"},
        {"1/", "", "a scale turned round"},
        {"min(", "max(", "min became max"},
        {"max(", "min(", "max became min"},
        {"lr=", "lr=2*", "a step twice as large"},
        {"scale=", "scale=2*", "a scale twice as large"},
        {"each_unit_back", "each_unit", "another order"},
        {"each_unit", "each_unit_back", "another order"},
        {"each_parameter_back", "each_parameter", "another order"},
        {"each_parameter", "each_parameter_back", "another order"},
};

static bool stands_alone(const struct line_piece *piece, const char *at, const char *find)
{
	const char *end = at + strlen(find);
	bool begins = !is_name_character(*find) || at == piece->at || !is_name_character(at[-1]);
	bool ends = !is_name_character(end[-1]) || end == piece->end || !is_name_character(*end);
	return begins && ends;
}

static void exchange_words(struct split_line *line, const struct line_piece *piece)
{
	for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++) {
		const char *find = exchanges[i].find, *at = piece->at;
		size_t length = strlen(find);
		while ((at = memmem(at, (size_t)(piece->end - at), find, length))) {
			if (stands_alone(piece, at, find))
				change_add(line, exchanges[i].what, at, at + length, exchanges[i].with);
			at += length;
		}
	}
}

static void bump_numbers(struct split_line *line, const struct line_piece *piece)
{
	for (const char *at = piece->at; at < piece->end; at++) {
		char *end;
		bool begins = isdigit((unsigned char)*at) &&
		        (at == piece->at || !(is_name_character(at[-1]) || at[-1] == '.'));
		if (*at == '"') /* skip strings */
			at = memchr(at + 1, '"', (size_t)(piece->end - at - 1));
		if (!at)
			return;
		if (!begins)
			continue;
		long number = strtol(at, &end, 10);
		if (!is_name_character(*end) && *end != '.' && number < 1000) {
			change_add_format(line, "off by one", at, end, "%ld", number + 1);
			if (number > 0)
				change_add_format(line, "off by one", at, end, "%ld", number - 1);
		}
		at = end - 1;
	}
}

static const char *word_end(const struct line_piece *piece, const char *at)
{
	while (at < piece->end && !isspace((unsigned char)*at))
		at++;
	return at;
}

static void drop_clauses(struct split_line *line, const struct line_piece *piece)
{
	static const struct {
		const char *find, *what;
	} clauses[] = {{" on ", "a stream left out"}, {" in ", "a group left out"}};
	for (int i = 0; i < 2; i++) {
		const char *at = memmem(piece->at, (size_t)(piece->end - piece->at), clauses[i].find, 4);
		if (at)
			change_add(line, clauses[i].what, at, word_end(piece, at + 4), "");
	}
}

static void exchange_two(struct split_line *line, const char *what, const char *a, const char *a_end,
        const char *b, const char *b_end)
{
	bool same = a_end - a == b_end - b && memcmp(a, b, (size_t)(a_end - a)) == 0;
	if (b < a)
		exchange_two(line, what, b, b_end, a, a_end);
	else if (!same)
		change_add_format(line, what, a, b_end, "%.*s%.*s%.*s", (int)(b_end - b), b, (int)(b - a_end),
		        a_end, (int)(a_end - a), a);
}

static void exchange_ends(struct split_line *line, const struct line_piece *piece, const char *word)
{
	size_t length = (size_t)(piece->end - piece->at);
	const char *on = memmem(piece->at, length, " on ", 4), *to = memmem(piece->at, length, "to=", 3),
	           *from = memmem(piece->at, length, "from=", 5);
	if (strcmp(word, "wait") == 0 && *piece->at == 'w' && on) {
		const char *first = piece->at + strlen("wait ");
		exchange_two(line, "it waits the other way round", first, word_end(piece, first), on + 4,
		        word_end(piece, on + 4));
	}
	if (to && from)
		exchange_two(line, "it sends to the wrong side", to + 3, word_end(piece, to + 3), from + 5,
		        word_end(piece, from + 5));
}

static void add_sync_or_repeat(struct split_line *line, const struct line_piece *piece, const char *word)
{
	size_t first = line->changes->count;
	int length = (int)(piece->end - piece->at);
	bool moves = is_collective(word) || word_is_one_of("copy send recv sendrecv get put add", word);
	if (moves || word_is_one_of("matmul cast sgd adam", word)) {
		change_add_format(
		        line, "the host waits where it need not", piece->end, piece->end, ";  sync");
		change_add_format(line, "done twice", piece->end, piece->end, ";  %.*s", length, piece->at);
	}
	for (; first < line->changes->count; first++)
		line->changes->change[first].slows = true;
	if (is_collective(word) || strcmp(word, "sendrecv") == 0)
		change_add_format(line, "rank 0 does not take part", piece->at, piece->end,
		        "if rank > 0 { %.*s }", length, piece->at);
}

/* Removes statement i and the `;` after it, or else before it. */
static void drop_piece(struct split_line *line, int i, const char *word)
{
	const struct line_piece *piece = &line->piece[i];
	const char *from = piece->at, *to = piece->end;
	const char *what = strcmp(word, "wait") == 0 ? "a wait left out"
	        : strcmp(word, "free") == 0          ? "memory is not given back"
	                                             : "a line left out";
	while (to < line->stop && isspace((unsigned char)*to))
		to++;
	if (to < line->stop && *to == ';') {
		to++;
		while (to < line->stop && isspace((unsigned char)*to))
			to++;
	} else if (piece->before == ';') {
		to = piece->end;
		from = line->piece[i - 1].end;
	}
	change_add(line, what, from, to, "")->slows = strcmp(word, "free") == 0;
}

static void change_statement(struct split_line *line, int i)
{
	const struct line_piece *piece = &line->piece[i], *next = i + 1 < line->pieces ? piece + 1 : NULL;
	char word[WORD_MAX], other[WORD_MAX] = "let";
	piece_word(piece, word);
	if (word_is_left(word))
		return;
	size_t first = line->changes->count;
	bool let = strcmp(word, "let") == 0 || piece->opens;
	exchange_words(line, piece);
	bump_numbers(line, piece);
	for (size_t k = first; k < line->changes->count; k++)
		line->changes->change[k].computes = let;
	if (let)
		return;
	drop_clauses(line, piece);
	exchange_ends(line, piece, word);
	add_sync_or_repeat(line, piece, word);
	if (line->pieces > 1 || line->braces)
		drop_piece(line, i, word);
	if (next && next->before == ';' && !next->opens)
		piece_word(next, other);
	if (strcmp(other, "let") != 0 && !word_is_left(other))
		exchange_two(line, "two lines changed places", piece->at, piece->end, next->at, next->end);
}

/* Returns the line's piece if it is the only one, and may change; else NULL. */
static const struct line_piece *sole_statement(const struct split_line *line)
{
	char word[WORD_MAX];
	if (line->pieces != 1 || line->braces)
		return NULL;
	piece_word(&line->piece[0], word);
	return word_is_left(word) || strcmp(word, "let") == 0 ? NULL : &line->piece[0];
}

/* Removes the line. The mend puts its statement into the next line, or else the previous one. */
static void drop_line(
        struct split_line *line, const struct split_line *before, const struct split_line *behind)
{
	const struct line_piece *piece = sole_statement(line);
	struct text mend = {0};
	bool after = behind->pieces > 0 && behind->at[strspn(behind->at, " \t")] != '}';
	if (!piece || (!after && !before->pieces))
		return;
	const struct split_line *beside = after ? behind : before;
	int indent = (int)strspn(beside->at, " \t"), length = (int)(piece->end - piece->at);
	int shown = (int)(beside->stop - beside->at);
	if (after)
		text_add(&mend, "%.*s%.*s;  %.*s", indent, beside->at, length, piece->at, shown - indent,
		        beside->at + indent);
	else
		text_add(&mend, "%.*s%s  %.*s", shown, beside->at, beside->stop[-1] == '{' ? "" : ";", length,
		        piece->at);
	struct text_change *change =
	        change_add(line, strncmp(piece->at, "wait ", 5) == 0 ? "a wait left out" : "a line left out",
	                line->at, line->next, "");
	change->line = after ? line->number : line->number - 1;
	mem_free(change->mend[0]);
	change->mend[0] = mem_copy_text(text_string(&mend), mend.count);
	text_release(&mend);
}

static void swap_lines(struct split_line *line, const struct split_line *behind)
{
	const struct line_piece *one = sole_statement(line), *other = sole_statement(behind);
	struct text with = {0};
	if (!one || !other)
		return;
	text_add(&with, "%.*s\n%.*s", (int)(behind->stop - behind->at), behind->at,
	        (int)(line->stop - line->at), line->at);
	struct text_change *change =
	        change_add(line, "two lines changed places", line->at, behind->stop, text_string(&with));
	change->mend[1] = mem_copy_text(behind->at, (size_t)(behind->stop - behind->at));
	text_release(&with);
}

void changes_find(struct changed_lines *changes, const char *text, size_t count)
{
	struct split_line before = {0}, line = {.text = text, .end = text + count, .changes = changes};
	struct split_line behind = line;
	for (bool more = line_split(&line, text, 1); more; line = behind) {
		more = line_split(&behind, line.next, line.number + 1);
		for (int i = 0; i < line.pieces; i++)
			change_statement(&line, i);
		drop_line(&line, &before, &behind);
		swap_lines(&line, &behind);
		before = line;
	}
}

void changes_release(struct changed_lines *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		mem_free(changes->change[i].with);
		for (int k = 0; k < CHANGE_MENDS; k++)
			mem_free(changes->change[i].mend[k]);
	}
	mem_free(changes->change);
	*changes = (struct changed_lines){0};
}

void change_apply(const struct text_change *change, const char *text, size_t count, struct text *out)
{
	text_put(out, text, change->from);
	text_add(out, "%s", change->with);
	text_put(out, text + change->to, count - change->to);
}

const char *line_of_text(const char *text, size_t count, int number, size_t *length)
{
	const char *at = text, *end = text + count, *line = NULL;
	for (int i = 0; i < number && (line = text_line(&at, end, length)); i++)
		;
	return line;
}

bool line_replace(const char *text, size_t count, int number, const char *line, struct text *out)
{
	size_t length;
	const char *at = line_of_text(text, count, number, &length);
	if (!at)
		return false;
	text_put(out, text, (size_t)(at - text));
	text_add(out, "%s", line);
	text_put(out, at + length, (size_t)(text + count - at) - length);
	return true;
}
