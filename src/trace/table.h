/* table.h -- rows and columns of text; ranks with equal rows are shown once */
#ifndef RANKSH_TRACE_TABLE_H
#define RANKSH_TRACE_TABLE_H

#include "base/names.h"
#include "base/ranks.h"

/* Each cell ends with CELL_END, each row with '\n'. A zeroed struct is empty. */
#define CELL_END "\x1f"
struct table {
	struct text cells; /* a cell may be written here, and ended by table_end */
	const char *align; /* 'l' or 'r' for each column; the last one is for all others */
};

void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Several cells of plain words: table_cells(&table, "ranks", "lane") */
#define table_cells(table, ...)                                  \
	table_words((table), (const char *const[]){__VA_ARGS__}, \
	        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define table_line(table, ...) (table_cells(table, __VA_ARGS__), table_row(table))
void table_words(struct table *table, const char *const words[], size_t count);
void table_time(struct table *table, int64_t ns);
void table_bytes(struct table *table, int64_t bytes);
/* Adds the set to the cell; a set of many parts is counted: "128 ranks, e.g. 7". */
void table_ranks(struct table *table, const struct ranks *set);
void table_end(struct table *table);        /* ends the cell */
void table_row(struct table *table);        /* ends the row */
int table_width(const struct table *table); /* columns that it takes with its margin */
/* Appends the table's lines: three columns of margin, two between columns. If `width` is too
 * small, the words of the last column wrap, or columns of figures are printed in parts, one below
 * the other, each with the label columns. Empties the table. */
void table_print(struct table *table, int width, struct text *out);
void table_release(struct table *table);

/* Rows of each rank, as table cells; ranks with equal rows share a block */
struct row_block {
	struct ranks ranks;
	char *rows;
	double weight; /* a time that stands for the rows, set by the caller; 0 by default */
	bool odd;      /* ranks_odd */
	double off;    /* if odd: distance from the largest set's weight */
	size_t came;   /* index before sorting */
};
struct blocks {
	struct row_block *block;
	size_t count;
	struct names *rows; /* until sorted: number i is block[i - 1].rows; NULL: no block */
};
/* Adds a rank with its rows. Returns its block, which other ranks with equal rows share. */
struct row_block *blocks_add(struct blocks *blocks, int rank, const struct text *rows);
/* True if the set has less than a quarter as many ranks as the largest one. */
bool ranks_odd(const struct ranks *set, int largest);
/* With more than 8 ranks, puts odd sets first, by distance from the largest set's weight, then by
 * size; sorts others by first rank. */
void blocks_sort(struct blocks *blocks);
/* Appends "rank 3", "ranks 0-3" or "128 ranks, e.g. 7". */
void blocks_title(const struct row_block *block, struct text *out);
/* Appends the sorted blocks that fit into `most` rows (at least one), the ranks before each
 * block's first row, and a row that counts the rest. Releases the blocks. */
void table_blocks(struct table *table, struct blocks *blocks, size_t most);
/* Appends "ranks 0-3: ROWS", lines of text, for the first `most` blocks, sorted, and a line that
 * counts the rest. Releases the blocks. */
void blocks_print(struct blocks *blocks, size_t most, struct text *out);
void blocks_release(struct blocks *blocks);

#endif
