/* table.c -- aligned columns: cells are stored as one text, measured, and then laid out; and
 * blocks of equal ranks
 *
 *    cells    ranks \x1f lane \x1f \n 0-3 \x1f host \x1f \n
 *    printed  "   ranks  lane"          margin 3, gap 2; a cell never holds CELL_END or a newline
 *             "   0-3    host"
 *
 *    rank 0   host 1%  io 20%  |
 *    rank 1   host 1%  io 20%  |  one block, ranks 0-1: its rows once, the ranks before the first
 *    rank 2   host 9%  io 20%     a block of its own */
#include "trace/table.h"
#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 64, MARGIN = 3, GAP = 2, RANKS_WIDE = 24, FEW = 8 };

void table_cell(struct table *table, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	text_vadd(&table->cells, format, arguments);
	va_end(arguments);
	table_end(table);
}

void table_end(struct table *table)
{
	text_put(&table->cells, CELL_END, 1);
}

void table_words(struct table *table, const char *const words[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		table_cell(table, "%s", words[i]);
}

void table_time(struct table *table, int64_t ns)
{
	time_text(ns, &table->cells);
	table_end(table);
}

void table_bytes(struct table *table, int64_t bytes)
{
	bytes_text(bytes, &table->cells);
	table_end(table);
}

void table_ranks(struct table *table, const struct ranks *set)
{
	ranks_brief(set, RANKS_WIDE, &table->cells);
}

void table_row(struct table *table)
{
	text_put(&table->cells, "\n", 1);
}

void table_release(struct table *table)
{
	text_release(&table->cells);
}

/* Returns the code points of the first `length` bytes; cells have no escapes and no NUL. */
static size_t columns_of(const char *cell, size_t length)
{
	size_t columns = 0;
	for (size_t i = 0; i < length; i++)
		columns += ((unsigned char)cell[i] & 0xc0) != 0x80;
	return columns;
}

static int measure_columns(const struct table *table, size_t widths[COLUMNS_MAX])
{
	const char *p = text_string(&table->cells);
	int column = 0, most = 0;

	memset(widths, 0, COLUMNS_MAX * sizeof *widths);
	while (*p) {
		if (*p == '\n') {
			column = 0;
			p++;
			continue;
		}
		size_t length = strcspn(p, CELL_END), columns = columns_of(p, length);
		if (column < COLUMNS_MAX && columns > widths[column])
			widths[column] = columns;
		most = ++column > most ? column : most;
		p += length + 1;
	}
	return most < COLUMNS_MAX ? most : COLUMNS_MAX;
}

int table_width(const struct table *table)
{
	size_t widths[COLUMNS_MAX], total = MARGIN;
	int columns = measure_columns(table, widths);
	for (int i = 0; i < columns; i++)
		total += widths[i] + (i ? GAP : 0);
	return total;
}

static void put_line(const struct text *line, int width, struct text *out)
{
	const char *s = text_string(line);
	size_t length = line->count, keep = 0, columns = 0;

	while (length && s[length - 1] == ' ')
		length--;
	if (columns_of(s, length) <= (size_t)width) {
		text_put(out, s, length);
	} else {
		while (columns + 1 < (size_t)width || ((unsigned char)s[keep] & 0xc0) == 0x80)
			columns += ((unsigned char)s[keep++] & 0xc0) != 0x80;
		text_put(out, s, keep);
		text_put(out, "\xe2\x80\xa6", 3);
	}
	text_put(out, "\n", 1);
}

struct table_part {
	int labels, from, to;
};

static void put_folded(const struct text *line, const char *words, size_t length, int width, struct text *out)
{
	struct text cell = {0}, lines = {0}, one = {0};
	int start = columns_of(text_string(line), line->count);
	text_put(&cell, words, length);
	text_wrapped(&lines, text_string(&cell), start, width);
	text_put(&one, text_string(line), line->count);
	FOR_LINES (folded, text_string(&lines) + start, lines.count - start) {
		text_put(&one, folded.at, folded.length);
		put_line(&one, width, out);
		text_clear(&one);
	}
	text_release(&cell);
	text_release(&lines);
	text_release(&one);
}

/* Prints the row at p; returns the next one. A row without columns of a later part appears in the
 * first part only. */
static const char *put_row(const struct table *table, const char *p, const size_t widths[COLUMNS_MAX],
        const struct table_part *part, int width, struct text *out)
{
	enum { FOLDED_LEAST = 12 };
	const char *align = table->align ? table->align : "l";
	size_t last = strlen(align) - 1, length;
	struct text line = {0};
	bool put = false, any = part->from == part->labels;

	for (int column = 0; *p != '\n' && !put; column++, p += length + 1) {
		length = strcspn(p, CELL_END);
		if (column >= part->labels && (column < part->from || column >= part->to))
			continue;
		size_t columns = columns_of(p, length);
		long pad = column < COLUMNS_MAX ? widths[column] - columns : 0;
		bool right = align[(size_t)column < last ? (size_t)column : last] == 'r';
		any |= column >= part->labels;
		text_repeat(&line, " ", (column ? GAP : MARGIN) + (right ? pad : 0));
		size_t start = columns_of(text_string(&line), line.count);
		put = column && !right && p[length + 1] == '\n' && start + columns > (size_t)width &&
		        start + FOLDED_LEAST <= (size_t)width;
		if (put)
			put_folded(&line, p, length, width, out);
		text_put(&line, p, length);
		text_repeat(&line, " ", right ? 0 : pad);
	}
	if (any && !put)
		put_line(&line, width, out);
	text_release(&line);
	return p + 1;
}

/* Prints as many columns of figures at once as fit beside the labels:
 *
 *      ranks  lane     work  launch          and then      ranks  lane     sync  peer
 *      0-3    default  3.53    0.02                        0-3    default        2.00 */
void table_print(struct table *table, int width, struct text *out)
{
	size_t widths[COLUMNS_MAX], room = MARGIN;
	const char *align = table->align ? table->align : "l";
	int columns = measure_columns(table, widths);
	struct table_part part = {.labels = columns};

	if (align[strlen(align) - 1] == 'r')
		part.labels = strspn(align, "l");
	for (int i = 0; i < part.labels && i < columns; i++)
		room += widths[i] + GAP;
	part.from = part.labels;
	do {
		size_t used = room;
		for (part.to = part.from; part.to < columns; used += widths[part.to++] + GAP)
			if (part.to > part.from && used + widths[part.to] > (size_t)width)
				break;
		for (const char *p = text_string(&table->cells); *p;)
			p = put_row(table, p, widths, &part, width, out);
		part.from = part.to;
	} while (part.to < columns);
	table_release(table);
}

struct row_block *blocks_add(struct blocks *blocks, int rank, const struct text *rows)
{
	if (!blocks->rows)
		blocks->rows = names_create();
	size_t number = (size_t)names_make(blocks->rows, text_string(rows), rows->count);
	if (number <= blocks->count) {
		ranks_add(&blocks->block[number - 1].ranks, rank);
		return &blocks->block[number - 1];
	}
	struct row_block *block = MEM_ADD(&blocks->block, &blocks->count);
	block->came = blocks->count - 1;
	block->rows = mem_copy_text(text_string(rows), rows->count);
	ranks_one(&block->ranks, rank);
	return block;
}

bool ranks_odd(const struct ranks *set, int largest)
{
	return ranks_count(set) < largest / 4;
}

static int odd_first(const void *a, const void *b)
{
	const struct row_block *x = a, *y = b;
	if (x->odd != y->odd)
		return x->odd ? -1 : 1;
	if (x->off != y->off)
		return x->off > y->off ? -1 : 1;
	int more = x->odd ? ranks_count(&x->ranks) - ranks_count(&y->ranks) : 0;
	return more ? more : ranks_first(&x->ranks) - ranks_first(&y->ranks);
}

void blocks_sort(struct blocks *blocks)
{
	int ranks = 0, most = 0;
	double usual = 0;
	for (size_t i = 0; i < blocks->count; i++) {
		int count = ranks_count(&blocks->block[i].ranks);
		ranks += count;
		if (count > most)
			usual = blocks->block[i].weight;
		most = count > most ? count : most;
	}
	for (size_t i = 0; i < blocks->count; i++) {
		struct row_block *block = &blocks->block[i];
		block->odd = ranks_odd(&block->ranks, most);
		block->off = block->odd ? fabs(block->weight - usual) : 0;
	}
	if (ranks > FEW)
		qsort(blocks->block, blocks->count, sizeof *blocks->block, odd_first);
}

void blocks_title(const struct row_block *block, struct text *out)
{
	struct text brief = {0};
	ranks_brief(&block->ranks, RANKS_WIDE, &brief);
	if (!strchr(text_string(&brief), ' '))
		text_add(out, "rank%s ", ranks_count(&block->ranks) == 1 ? "" : "s");
	text_put(out, text_string(&brief), brief.count);
	text_release(&brief);
}

void table_blocks(struct table *table, struct blocks *blocks, size_t most)
{
	size_t shown = 0;
	blocks_sort(blocks);
	for (size_t rows = 0; shown < blocks->count; shown++) {
		for (const char *row = blocks->block[shown].rows; *row; row++)
			rows += *row == '\n';
		if (rows > most && shown > 0)
			break;
	}
	for (size_t i = 0; i < shown; i++) {
		table_ranks(table, &blocks->block[i].ranks);
		for (const char *rows = blocks->block[i].rows; *rows;) {
			size_t length = strcspn(rows, "\n") + 1;
			table_end(table);
			text_put(&table->cells, rows, length);
			rows += length;
		}
	}
	if (blocks->count > shown) {
		table_cell(table, "... and %zu more", blocks->count - shown);
		table_row(table);
	}
	blocks_release(blocks);
}

void blocks_print(struct blocks *blocks, size_t most, struct text *out)
{
	blocks_sort(blocks);
	for (size_t i = 0; i < blocks->count && i < most; i++) {
		blocks_title(&blocks->block[i], out);
		text_add(out, ": %s", blocks->block[i].rows);
	}
	if (blocks->count > most)
		text_add(out, "... and %zu more sets of ranks\n", blocks->count - most);
	blocks_release(blocks);
}

void blocks_release(struct blocks *blocks)
{
	for (size_t i = 0; i < blocks->count; i++)
		mem_free(blocks->block[i].rows);
	mem_free(blocks->block);
	names_free(blocks->rows);
	*blocks = (struct blocks){0};
}
