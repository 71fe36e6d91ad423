/* pieces.c -- splits a line into its statements */
#include "shell/course/hunt/changes.h"

#include <ctype.h>
#include <string.h>

const char *piece_trimmed(const char *at, const char *end)
{
	while (end > at && isspace((unsigned char)end[-1]))
		end--;
	return end;
}

static void add_piece(struct split_line *line, const char *at, const char *end, char before, bool opens)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	end = piece_trimmed(at, end);
	if (at < end && line->pieces < PIECES_MAX)
		line->piece[line->pieces++] = (struct line_piece){at, end, opens, before};
}

static void read_pieces(struct split_line *line, const char *end)
{
	const char *from = line->at, *at = line->at;
	char before = '\0';
	bool quoted = false;
	for (; at < end; at++) {
		bool starts = at == line->at || isspace((unsigned char)at[-1]) || strchr(";{}", at[-1]);
		if (*at == '"')
			quoted = !quoted;
		if (!quoted && *at == '#' && starts)
			break;
		if (quoted || !strchr(";{}", *at))
			continue;
		add_piece(line, from, at, before, *at == '{');
		line->braces |= *at != ';';
		before = *at;
		from = at + 1;
	}
	add_piece(line, from, at, before, false);
	line->stop = piece_trimmed(line->at, at);
}

bool word_is_one_of(const char *words, const char *word)
{
	return text_place(words, word, strlen(word)) >= 0;
}

bool word_is_left(const char *word)
{
	return word_is_one_of("option refuse source def phase mark expect print say diff mem timeline stalls "
	                      "stats part use "
	                      "group stream event mesh set tensor window schedule figures races why trace",
	        word);
}

void piece_word(const struct line_piece *piece, char *word)
{
	const char *at = piece->at, *sign = memmem(at, (size_t)(piece->end - at), " = ", 3);
	for (bool first = true;; first = false) {
		size_t length = 0;
		while (at + length < piece->end && !isspace((unsigned char)at[length]) &&
		        length < WORD_MAX - 1)
			length++;
		memcpy(word, at, length);
		word[length] = '\0';
		if (!first || word_is_left(word) || strcmp(word, "let") == 0)
			return;
		at = *at == '@' ? at + strcspn(at, " ") + 1 : sign ? sign + 3 : at;
	}
}

bool line_split(struct split_line *line, const char *at, int number)
{
	line->at = line->stop = line->next = at;
	line->number = number;
	line->pieces = 0;
	line->braces = false;
	if (at >= line->end)
		return false;
	const char *newline = memchr(at, '\n', (size_t)(line->end - at));
	line->next = newline ? newline + 1 : line->end;
	read_pieces(line, newline ? newline : line->end);
	return true;
}
