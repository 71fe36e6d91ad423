/* table.h -- rows and columns of text, and ranks whose rows are equal shown once */
#ifndef RANKSH_TRACE_TABLE_H
#define RANKSH_TRACE_TABLE_H

#include "base/names.h"
#include "base/ranks.h"

/* Cells are kept as text: each ends with CELL_END, each row with '\n'. A zeroed struct is an empty table. */
#define CELL_END "\x1f"
struct table {
	struct text cells; /* a cell may be written here, and ended by table_end */
	const char *align; /* one letter a column: 'l' or 'r'; the last one stands for all others */
};

void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Several cells of plain words: table_cells(&table, "ranks", "lane") */
#define table_cells(table, ...)                                  \
	table_words((table), (const char *const[]){__VA_ARGS__}, \
	        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
/* The same as a whole row */
#define table_line(table, ...) (table_cells(table, __VA_ARGS__), table_row(table))
void table_words(struct table *table, const char *const words[], size_t count);
void table_time(struct table *table, int64_t ns);
void table_bytes(struct table *table, int64_t bytes);
/* The cell goes on with the set. One of many parts ("7,15,23 ..." of 1,024) would leave the other columns no room: it is
 * counted, "128 ranks, e.g. 7". */
void table_ranks(struct table *table, const struct ranks *set);
void table_end(struct table *table);        /* ends the cell */
void table_row(struct table *table);        /* ends the row */
int table_width(const struct table *table); /* columns it takes, margin included */
/* Appends the table's lines: three columns of margin, two between columns. Where `width` is less than they take, words in the last
 * column go on below, and columns of figures stand one part below the other, each with the labels (the left ones at its front).
 * The table is empty then. */
void table_print(struct table *table, int width, struct text *out);
void table_release(struct table *table);

/* Rows of each rank, as table cells; ranks that bring the same share a block, in the order of their first
 * rank. */
struct row_block {
	struct ranks ranks;
	char *rows;
	double weight; /* what its rows are about, as a time: the caller's to set; 0 unless he does */
	bool odd;
	double off;  /* of an odd one: from the largest set's weight */
	size_t came; /* as the how-manyeth, before they were sorted */
};
struct blocks {
	struct row_block *block;
	size_t count;
	struct names *
	        rows; /* until the blocks are sorted: number i is that of block[i - 1].rows; NULL: no block */
};
struct row_block *blocks_add(struct blocks *blocks, int rank, const struct text *rows);
/* Is a set of ranks alike an odd one, beside the largest of them? Less than a quarter of it is. */
bool ranks_odd(const struct ranks *set, int largest);
/* Of more than 8 ranks: the odd sets first, those furthest off by weight, then the smallest of them before the others, so that the slow one of 1,024 is seen at once,
 * and is not among those that are left out. All others are in the order of their first ranks. */
void blocks_sort(struct blocks *blocks);
/* "rank 3", "ranks 0-3", "128 ranks, e.g. 7" */
void blocks_title(const struct row_block *block, struct text *out);
/* The blocks, sorted, that fit into `most` rows, and one at least, the ranks before each block's first row; how many more there are is
 * told in a row. Releases them. */
void table_blocks(struct table *table, struct blocks *blocks, size_t most);
/* "ranks 0-3: ROWS" of the first `most` blocks, sorted, whose rows are lines of text; how many more there are is told in a line.
 * Releases them. */
void blocks_print(struct blocks *blocks, size_t most, struct text *out);
void blocks_release(struct blocks *blocks);

#endif
