/* strange.c -- characters that were pasted from a page or a word processor: they look like what was meant,
 * and are named with what to write */
#include "shell/language/parse/lex.h"

#include <string.h>

static const struct {
	uint32_t from, to;
	const char *name, *instead;
} strange[] = {
        {0xa0, 0xa0, "a no-break space", "write a blank"},
        {0xab, 0xab, "a quotation mark", "write \""},
        {0xad, 0xad, "a soft hyphen", "take it out"},
        {0xbb, 0xbb, "a quotation mark", "write \""},
        {0xd7, 0xd7, "a multiplication sign", "write *"},
        {0xf7, 0xf7, "a division sign", "write /"},
        {0x2000, 0x200a, "a typographic space", "write a blank"},
        {0x200b, 0x200f, "an invisible character", "take it out"},
        {0x2010, 0x2015, "a typographic dash", "write -"},
        {0x2018, 0x201b, "a curly quote", "write \""},
        {0x201c, 0x201f, "a curly quote", "write \""},
        {0x2026, 0x2026, "an ellipsis", "write ..."},
        {0x2028, 0x2029, "a line separator", "begin a new line"},
        {0x202f, 0x202f, "a narrow no-break space", "write a blank"},
        {0x205f, 0x205f, "a typographic space", "write a blank"},
        {0x2060, 0x2060, "an invisible character", "take it out"},
        {0x2192, 0x2192, "an arrow", "write ->"},
        {0x2212, 0x2212, "a minus sign", "write -"},
        {0x2260, 0x2260, "a sign for not equal", "write !="},
        {0x2264, 0x2264, "a sign for at most", "write <="},
        {0x2265, 0x2265, "a sign for at least", "write >="},
        {0x3000, 0x3000, "an ideographic space", "write a blank"},
        {0xfeff, 0xfeff, "an invisible character", "take it out"},
};

/* The character at `at` of valid UTF-8, and how many bytes it takes */
static uint32_t decode(const char *at, int *bytes)
{
	unsigned char lead = (unsigned char)*at;
	*bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	uint32_t code = *bytes == 1 ? lead : lead & (0x7fu >> *bytes);
	for (int i = 1; i < *bytes; i++)
		code = code << 6 | ((unsigned char)at[i] & 0x3fu);
	return code;
}

static enum status named(
        const char *at, const char *line, int bytes, uint32_t code, const char *name, const char *instead)
{
	const char *from = at;
	while (from > line && at - from < 20 && !is_blank(from[-1]))
		from--;
	while (((unsigned char)*from & 0xc0) == 0x80)
		from++;
	if (from == at)
		return fail(ST_SYNTAX, "'%.*s' is %s (U+%04X): %s", bytes, at, name, (unsigned)code, instead);
	return fail(ST_SYNTAX, "'%.*s' behind '%.*s' is %s (U+%04X): %s", bytes, at, (int)(at - from), from,
	        name, (unsigned)code, instead);
}

/* The table first; then the full-width forms of ASCII (U+FF01 to U+FF5E), which name their plain twin
 * themselves */
static enum status check(const char *at, const char *line, int *bytes)
{
	char instead[] = "write ?";
	uint32_t code = decode(at, bytes);
	for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
		if (code >= strange[i].from && code <= strange[i].to)
			return named(at, line, *bytes, code, strange[i].name, strange[i].instead);
	if (code < 0xff01 || code > 0xff5e)
		return ST_OK;
	instead[6] = (char)(code - 0xff01 + '!');
	return named(at, line, *bytes, code, "a full-width character", instead);
}

/* Eight bytes at a time: nearly every text is ASCII, and then nothing more is to be done */
static bool plain(const char *text, size_t count)
{
	uint64_t word, all = 0;
	for (; count >= sizeof word; text += sizeof word, count -= sizeof word) {
		memcpy(&word, text, sizeof word);
		all |= word;
	}
	for (; count; text++, count--)
		all |= (unsigned char)*text;
	return !(all & UINT64_C(0x8080808080808080));
}

/* Comments run to the end of their line, texts to their quote: what stands in them is free. */
enum status strange_character(const char *text, size_t count, int *line)
{
	const char *at = text, *end = text + count, *start = text;
	bool quoted = false, comment = false;
	enum status status = ST_OK;
	if (plain(text, count))
		return ST_OK;
	while (at < end && status == ST_OK) {
		int bytes = 1;
		if (*at == '\n') {
			++*line;
			start = at + 1;
			comment = false;
		} else if (comment) {
			;
		} else if (quoted && *at == '\\' && at + 1 < end && at[1] != '\n') {
			at++;
		} else if (*at == '"') {
			quoted = !quoted;
		} else if (!quoted && *at == '#' &&
		        (at == start || is_blank(at[-1]) || strchr(";{}", at[-1]))) {
			comment = true;
		} else if (!quoted && (unsigned char)*at >= 0x80) {
			status = check(at, start, &bytes);
		}
		at += bytes;
	}
	return status;
}
