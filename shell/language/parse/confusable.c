/* confusable.c -- characters that look like ASCII ones, as pasted from a page or a word
 * processor */
#include "shell/language/parse/lex.h"

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

/* "'-' after 'x' is a typographic dash (U+2013): write -": shows up to 20 bytes of the word,
 * because the character may be invisible. They begin at a whole character. */
static enum status confusable_refused(
        const char *word, const char *at, int bytes, uint32_t code, const char *name, const char *instead)
{
	const char *from = at - word < 20 ? word : at - 20;
	while (((unsigned char)*from & 0xc0) == 0x80)
		from++;
	if (from == at)
		return fail(ST_SYNTAX, "'%.*s' is %s (U+%04X): %s", bytes, at, name, (unsigned)code, instead);
	return fail(ST_SYNTAX, "'%.*s' after '%.*s' is %s (U+%04X): %s", bytes, at, (int)(at - from), from,
	        name, (unsigned)code, instead);
}

/* The table first, then the full-width forms of ASCII (U+FF01 to U+FF5E), which have a plain twin.
 * All other characters are letters. */
enum status confusable_character(const char *word, const char **at)
{
	char instead[] = "write ?";
	const char *from = *at;
	uint32_t code = utf8_next(at);
	int bytes = (int)(*at - from);
	for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
		if (code >= strange[i].from && code <= strange[i].to)
			return confusable_refused(
			        word, from, bytes, code, strange[i].name, strange[i].instead);
	if (code < 0xff01 || code > 0xff5e)
		return ST_OK;
	instead[6] = (char)(code - 0xff01 + '!');
	return confusable_refused(word, from, bytes, code, "a full-width character", instead);
}
