/* out.c -- a line's output: a list of pieces, each a common text or a place for texts by rank
 *
 *     pieces   common "step 3\n"    place 0             common "done\n"
 *                                   0: y = 1  1: y = 1
 *                                   2: y = 4  3: y = 1
 *     shown    step 3
 *              [0,1,3] y = 1
 *              [2] y = 4
 *              done */
#include "shell/session/out.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "shell/wire/block.h"
#include "trace/trace.h"

#include <string.h>

struct rank_words {
	int rank;
	char *text;
}; /* a rank's text at a place; owned */

struct piece {
	bool place; /* texts by rank; else a part of `common` */
	enum severity severity;
	size_t count; /* number of `words`, in filling order; or bytes of `common` */
	struct rank_words *words;
};

struct out {
	bool colour;
	int width, muted;   /* muted above 0: output is dropped */
	struct text common; /* the texts of all common pieces */
	struct piece *pieces;
	size_t piece_count;
	size_t first;           /* number of pieces[0]: numbers continue after a flush */
	enum severity severity; /* of the next piece */
};

struct out *out_create(bool colour, int width)
{
	struct out *out = mem_alloc(sizeof *out);
	out_setup(out, colour, width);
	return out;
}

/* Numbers of places continue, so that a fill for a flushed place is recognized. bytes: the common
 * text of these pieces */
static void drop_pieces(struct out *out, size_t count, size_t bytes)
{
	for (struct piece *piece = out->pieces; piece < out->pieces + count; piece++) {
		for (size_t k = 0; piece->place && k < piece->count; k++)
			mem_free(piece->words[k].text);
		mem_free(piece->words);
	}
	out->first += count;
	out->piece_count -= count;
	if (out->piece_count)
		memmove(out->pieces, out->pieces + count, out->piece_count * sizeof *out->pieces);
	out->common.count -= bytes;
	if (out->common.count)
		memmove(out->common.bytes, out->common.bytes + bytes, out->common.count);
}

void out_free(struct out *out)
{
	out_render(out, NULL);
	text_release(&out->common);
	mem_free(out->pieces);
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

static struct piece *add_piece(struct out *out, bool place)
{
	struct piece *piece = MEM_ADD(&out->pieces, &out->piece_count);
	*piece = (struct piece){.place = place, .severity = out->severity};
	return piece;
}

static void count_common(struct out *out, size_t count)
{
	struct piece *last = out->piece_count ? &out->pieces[out->piece_count - 1] : NULL;
	if (count && (!last || last->place || last->severity != out->severity))
		last = add_piece(out, false);
	if (count)
		last->count += count;
}

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {"ok", "note", "warning", "error"};
	return names[severity];
}

enum severity out_severity(struct out *out, enum severity severity)
{
	enum severity before = out->severity;
	out->severity = severity;
	return before;
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
#define X(symbol, ansi) \
	COLOUR_##symbol == COLOUR_HEAD ? "\033[1m" : (ansi) < 0 ? "\033[0m" : "\033[38;5;" #ansi "m",
		COLOURS(X)
#undef X
	};
	return out->colour && colour >= 0 && colour < COLOUR_COUNT ? escapes[colour] : "";
}

int out_place(struct out *out)
{
	if (out->muted > 0)
		return -1;
	add_piece(out, true);
	return (int)(out->first + out->piece_count - 1);
}

static struct rank_words *words_of(const struct piece *place, int rank)
{
	for (size_t k = place->count; k > 0; k--)
		if (place->words[k - 1].rank == rank)
			return &place->words[k - 1];
	return NULL;
}

/* Replaces the rank's text. Ranks in ascending order need no search, so thousands take linear
 * time. */
static void fill(struct piece *place, int rank, const char *text, size_t count)
{
	bool fresh = place->count == 0 || place->words[place->count - 1].rank < rank;
	struct rank_words *words = fresh ? NULL : words_of(place, rank);
	if (words) {
		mem_free(words->text);
	} else {
		words = MEM_ADD(&place->words, &place->count);
	}
	*words = (struct rank_words){rank, mem_copy_text(text, count)};
}

/* Ignores a place that was flushed or muted (-1). */
void out_fill(struct out *out, int number, int rank, const char *text)
{
	size_t i = (size_t)number - out->first;
	if (i < out->piece_count)
		fill(&out->pieces[i], rank, text, strlen(text));
}

/* Appends a block for each place, empty without a text of this rank. */
void out_pack(const struct out *out, int me, struct text *bytes)
{
	for (const struct piece *piece = out->pieces; piece < out->pieces + out->piece_count; piece++) {
		const struct rank_words *words = piece->place ? words_of(piece, me) : NULL;
		const char *text = words ? words->text : "";
		if (piece->place)
			block_put(bytes, text, strlen(text));
	}
}

bool out_unpack(struct out *out, int rank, const void *bytes, size_t count)
{
	const char *at = bytes, *end = at + count, *text;
	size_t length;
	for (struct piece *piece = out->pieces; piece < out->pieces + out->piece_count; piece++) {
		if (!piece->place)
			continue;
		if (!block_take(&at, end, &text, &length))
			return false;
		if (length)
			fill(piece, rank, text, length);
	}
	return at == end;
}

/* "[0-3] first line", further lines aligned below; a final newline adds no empty line. */
static void say_for(const struct out *out, const struct ranks *set, const char *text, struct text *rendered)
{
	size_t start = rendered->count;
	text_add(rendered, "%s[", style(out, COLOUR_NOTE));
	ranks_text(set, rendered);
	text_add(rendered, "]%s ", style(out, COLOUR_PLAIN));
	int indent = (int)text_columns(text_string(rendered) + start);
	FOR_LINES (line, text, strlen(text)) {
		text_add(rendered, "%*s", line.at == text ? 0 : indent, "");
		text_put(rendered, line.at, line.length);
		text_put(rendered, "\n", 1);
	}
}

/* Shows each distinct text once, for all its ranks, by first rank. */
static void render_place(struct out *out, const struct piece *place, struct text *rendered)
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

/* rendered: NULL: drops the pieces */
static void render_pieces(struct out *out, size_t count, struct text *rendered)
{
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		const struct piece *piece = &out->pieces[i];
		size_t bytes = piece->place ? 0 : piece->count;
		if (rendered && piece->place)
			render_place(out, piece, rendered);
		else if (rendered)
			text_put(rendered, out->common.bytes + at, bytes);
		at += bytes;
	}
	drop_pieces(out, count, at);
}

void out_render(struct out *out, struct text *rendered)
{
	render_pieces(out, out->piece_count, rendered);
}

enum severity out_render_some(struct out *out, struct text *rendered)
{
	size_t count = 0;
	while (count < out->piece_count && out->pieces[count].severity == out->pieces[0].severity)
		count++;
	enum severity severity = count ? out->pieces[0].severity : SEVERITY_OK;
	render_pieces(out, count, rendered);
	return severity;
}
