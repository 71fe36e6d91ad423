/* letters.c -- letters of 3 x 5 dots for a projector; a dot is a quarter of a character
 *
 *      dots    . # .      A is 25755: an octal digit for each row, from the top
 *              # # #
 *      on the screen 2 columns and 3 rows, with an empty column and row of dots after it */
#include "shell/terminal/letters.h"

static const unsigned short letters[128] = {['0'] = 075557,
        ['1'] = 026227,
        ['2'] = 071747,
        ['3'] = 071717,
        ['4'] = 055711,
        ['5'] = 074717,
        ['6'] = 074757,
        ['7'] = 071222,
        ['8'] = 075757,
        ['9'] = 075717,
        ['A'] = 025755,
        ['B'] = 065656,
        ['C'] = 034443,
        ['D'] = 065556,
        ['E'] = 074647,
        ['F'] = 074644,
        ['G'] = 034553,
        ['H'] = 055755,
        ['I'] = 072227,
        ['J'] = 011152,
        ['K'] = 055655,
        ['L'] = 044447,
        ['M'] = 057755,
        ['N'] = 065555,
        ['O'] = 025552,
        ['P'] = 065644,
        ['Q'] = 025573,
        ['R'] = 065655,
        ['S'] = 034216,
        ['T'] = 072222,
        ['U'] = 055557,
        ['V'] = 055552,
        ['W'] = 055775,
        ['X'] = 055255,
        ['Y'] = 055222,
        ['Z'] = 071247,
        ['.'] = 000002,
        [','] = 000024,
        ['-'] = 000700,
        ['_'] = 000007,
        ['/'] = 011244,
        ['['] = 064446,
        [']'] = 031113,
        ['('] = 024442,
        [')'] = 021112,
        ['+'] = 002720,
        [':'] = 002020,
        ['#'] = 057575,
        ['='] = 007070,
        ['|'] = 022222,
        ['*'] = 052525,
        ['`'] = 042000,
        ['%'] = 051245,
        ['<'] = 012421,
        ['>'] = 042124,
        ['@'] = 075743};

/* Indexed by the full quarters: 1 upper left, 2 upper right, 4 and 8 the lower ones */
static const uint32_t quarters[16] = {' ', 0x2598, 0x259d, 0x2580, 0x2596, 0x258c, 0x259e, 0x259b, 0x2597,
        0x259a, 0x2590, 0x259c, 0x2584, 0x2599, 0x259f, 0x2588};

static bool dot(unsigned letter, int x, int y)
{
	return x < 3 && y < 5 && letter >> (3 * (4 - y) + 2 - x) & 1;
}

static uint32_t piece(unsigned letter, int column, int row)
{
	int x = 2 * column, y = 2 * row;
	return quarters[dot(letter, x, y) | dot(letter, x + 1, y) << 1 | dot(letter, x, y + 1) << 2 |
	        dot(letter, x + 1, y + 1) << 3];
}

/* Other signs: blocks fill the place, half blocks their part, lines continue; others are
 * centred. */
static uint32_t sign(uint32_t glyph, int column, int row)
{
	bool block = glyph >= 0x2580 && glyph <= 0x2593 && glyph != 0x2590;
	bool middle = column == 0 && row == 1;
	if (glyph == 0x2590)
		return column == 0 ? glyph : 0x2588;
	if (glyph == 0x2502)
		return column == 0 ? glyph : ' ';
	return block || middle ? glyph : ' ';
}

void letters_put(struct picture *page, int row, int column, const struct cell *cell)
{
	uint32_t glyph = cell->glyph >= 'a' && cell->glyph <= 'z' ? cell->glyph - 'a' + 'A' : cell->glyph;
	unsigned letter = glyph < 128 ? letters[glyph] : 0;
	for (int y = 0; y < LETTER_ROWS; y++)
		for (int x = 0; x < LETTER_COLUMNS; x++) {
			struct cell *to = picture_cell(page, row + y, column + x);
			if (!to)
				continue;
			*to = *cell;
			to->glyph = letter ? piece(letter, x, y) : sign(glyph, x, y);
		}
}
