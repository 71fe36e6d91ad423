/* out.c -- what a line says: pieces in order, each a common text or a place where ranks have texts of
 * their own.
 *
 *     pieces   common "step 3\n"    place 0             common "done\n"
 *                                   0: y = 1  1: y = 1
 *                                   2: y = 4  3: y = 1
 *     shown    step 3
 *              [0,1,3] y = 1
 *              [2] y = 4
 *              done
 *
 * All processes make the same pieces in the same order. Each fills the places with what it knows; those of
 * rank 0 are completed by the others' bytes (out_pack, out_unpack) when a line is agreed or output is
 * flushed, and rank 0 renders. */
#include "shell/session/out.h"
#include "base/memory.h"
#include "trace/trace.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct rank_words {
	int rank;
	char *text;
}; /* what one rank has at a place; text owned */

struct piece {
	int place; /* index into places; -1: `count` bytes of `common` */
	size_t count;
};

struct rank_texts {
	struct ranks set;
	struct rank_words *words; /* in order of filling */
	size_t count, room;
};

struct out {
	bool colour;
	int width, muted;   /* muted > 0: what is said is dropped */
	struct text common; /* all common pieces, one behind the other */
	struct piece *pieces;
	size_t piece_count, piece_room;
	struct rank_texts *places;
	size_t place_count, place_room;
	size_t first_place; /* number of places[0]: numbers go on when the output is emptied */
};

struct out *out_create(bool colour, int width)
{
	struct out *out = mem_alloc(sizeof *out);
	out_setup(out, colour, width);
	return out;
}

static void empty(struct out *out)
{
	for (size_t i = 0; i < out->place_count; i++) {
		for (size_t k = 0; k < out->places[i].count; k++)
			mem_free(out->places[i].words[k].text);
		mem_free(out->places[i].words);
	}
	out->first_place += out->place_count;
	out->place_count = out->piece_count = 0;
	text_clear(&out->common);
}

void out_free(struct out *out)
{
	if (!out)
		return;
	empty(out);
	text_release(&out->common);
	mem_free(out->pieces);
	mem_free(out->places);
	mem_free(out);
}

int out_width(const struct out *out)
{
	return out->width;
}

bool out_colour(const struct out *out)
{
	return out->colour;
}

void out_setup(struct out *out, bool colour, int width)
{
	out->colour = colour;
	out->width = width;
}

bool out_empty(const struct out *out)
{
	return out->piece_count == 0;
}

/* Counts `count` fresh bytes of `common` to the last piece, or to a new one behind a place. */
static void count_common(struct out *out, size_t count)
{
	if (count == 0)
		return;
	if (out->piece_count == 0 || out->pieces[out->piece_count - 1].place >= 0) {
		MEM_GROW(&out->pieces, out->piece_count, &out->piece_room);
		out->pieces[out->piece_count++] = (struct piece){.place = -1};
	}
	out->pieces[out->piece_count - 1].count += count;
}

void out_mute(struct out *out, int delta)
{
	out->muted += delta;
}

void out_put(struct out *out, const char *bytes, size_t count)
{
	if (out->muted > 0)
		return;
	size_t before = out->common.count;
	text_put(&out->common, bytes, count);
	count_common(out, out->common.count - before);
}

void out_say(struct out *out, const char *format, ...)
{
	size_t before = out->common.count;
	va_list arguments;
	if (out->muted > 0)
		return;
	va_start(arguments, format);
	text_vadd(&out->common, format, arguments);
	va_end(arguments);
	count_common(out, out->common.count - before);
}

const char *style(const struct out *out, int colour)
{
	static const char *const escapes[] = {
#define X(symbol, ansi) (ansi) < 0 ? "\033[0m" : "\033[38;5;" #ansi "m",
		COLOURS(X)
#undef X
	};
	return out->colour && colour >= 0 && colour < COLOUR_COUNT ? escapes[colour] : "";
}

int out_place(struct out *out, const struct ranks *set)
{
	if (out->muted > 0)
		return -1;
	MEM_GROW(&out->places, out->place_count, &out->place_room);
	MEM_GROW(&out->pieces, out->piece_count, &out->piece_room);
	int number = (int)(out->first_place + out->place_count);
	out->pieces[out->piece_count++] = (struct piece){.place = (int)out->place_count};
	out->places[out->place_count++] = (struct rank_texts){.set = *set};
	return number;
}

static struct rank_words *words_of(const struct rank_texts *place, int rank)
{
	for (size_t k = place->count; k > 0; k--)
		if (place->words[k - 1].rank == rank)
			return &place->words[k - 1];
	return NULL;
}

/* A later text of the same rank replaces its earlier one. Ranks come in rising order nearly always: then
 * there is nothing to search, and thousands of ranks fill a place in a time that grows as their number
 * does. */
static void fill(struct rank_texts *place, int rank, const char *text, size_t count)
{
	bool fresh = place->count == 0 || place->words[place->count - 1].rank < rank;
	struct rank_words *words = fresh ? NULL : words_of(place, rank);
	if (words) {
		mem_free(words->text);
	} else {
		MEM_GROW(&place->words, place->count, &place->room);
		words = &place->words[place->count++];
	}
	*words = (struct rank_words){rank, mem_copy_text(text, count)};
}

/* A number of before the last flush, or of a muted place (-1), is nobody's any more. */
void out_fill(struct out *out, int number, int rank, const char *text)
{
	if (number < 0 || (size_t)number < out->first_place ||
	        (size_t)number - out->first_place >= out->place_count)
		return;
	fill(&out->places[(size_t)number - out->first_place], rank, text, strlen(text));
}

/* The bytes: number of places, then for each the length of this rank's text + 1 (0: none) and the text. */
void out_pack(const struct out *out, int me, struct text *bytes)
{
	uint32_t count = (uint32_t)out->place_count;
	text_put(bytes, (const char *)&count, sizeof count);
	for (size_t i = 0; i < out->place_count; i++) {
		const struct rank_words *words = words_of(&out->places[i], me);
		uint32_t length = words ? (uint32_t)strlen(words->text) + 1 : 0;
		text_put(bytes, (const char *)&length, sizeof length);
		if (words)
			text_put(bytes, words->text, length - 1);
	}
}

/* Bytes from another process: every length is looked at before it is used. False: not as many places as
 * here, or cut short; then the processes have not said the same, which is a bug. */
bool out_unpack(struct out *out, int rank, const void *bytes, size_t count)
{
	const char *at = bytes, *end = at + count;
	uint32_t places, length;
	if (count < sizeof places)
		return false;
	memcpy(&places, at, sizeof places);
	at += sizeof places;
	if (places != out->place_count)
		return false;
	for (uint32_t i = 0; i < places; i++) {
		if ((size_t)(end - at) < sizeof length)
			return false;
		memcpy(&length, at, sizeof length);
		at += sizeof length;
		if (length == 0)
			continue;
		if ((size_t)(end - at) < length - 1)
			return false;
		fill(&out->places[i], rank, at, length - 1);
		at += length - 1;
	}
	return at == end;
}

/* "[0-3] first line", further lines below it; a text that ends in a newline brings no empty line. */
static void say_for(const struct out *out, const struct ranks *set, const char *text, struct text *rendered)
{
	size_t start = rendered->count;
	text_add(rendered, "%s[", style(out, COLOUR_NOTE));
	ranks_text(set, rendered);
	text_add(rendered, "]%s ", style(out, COLOUR_PLAIN));
	int indent = (int)text_columns(text_string(rendered) + start);
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		text_add(rendered, "%*s", line == text ? 0 : indent, "");
		text_put(rendered, line, length);
		text_put(rendered, "\n", 1);
		line += length + (line[length] == '\n');
	}
}

/* Each different text once, for all the ranks that have it, by their first rank. Thousands of ranks with
 * equal texts compare once each. */
static void render_place(struct out *out, const struct rank_texts *place, struct text *rendered)
{
	struct ranks said = {0};
	for (size_t i = 0; i < place->count; i++) {
		const struct rank_words *words = &place->words[i];
		struct ranks equal = {0};
		if (ranks_has(&said, words->rank))
			continue;
		for (size_t k = i; k < place->count; k++)
			if (!ranks_has(&said, place->words[k].rank) &&
			        strcmp(words->text, place->words[k].text) == 0)
				ranks_add(&equal, place->words[k].rank);
		ranks_or(&said, &equal);
		if (*words->text)
			say_for(out, &equal, words->text, rendered);
	}
}

/* rendered NULL: only empties (the processes that show nothing). */
void out_render(struct out *out, struct text *rendered)
{
	size_t at = 0;
	for (size_t i = 0; rendered && i < out->piece_count; i++) {
		const struct piece *piece = &out->pieces[i];
		if (piece->place >= 0) {
			render_place(out, &out->places[piece->place], rendered);
		} else {
			text_put(rendered, out->common.bytes + at, piece->count);
			at += piece->count;
		}
	}
	empty(out);
}
