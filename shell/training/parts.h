/* parts.h -- which part of which parameter each rank's tensors hold, as the program's `part` lines declare it
 *
 *     part w1 of w1                       the whole parameter
 *     part w1 of w1 row=64*tp             a shard: rows from there on, as many as the tensor has
 *     part flat[0:4096] of w1 at=8192     a piece of it taken as one line
 *     part flat[0:64] of w1 row=8 col=16 rows=8 cols=16 at=64     a piece of a block of it, taken as one line: what
 *                                         ZeRO keeps of a matrix that tensor parallelism has cut
 *     part w1_m of w1 as=m                optimizer state that belongs to it
 *
 * A tensor is looked up by its name when it is asked for: it may have been freed and made again since. */
#ifndef RANKSH_PARTS_H
#define RANKSH_PARTS_H

#include "base/names.h"

#include <stdbool.h>
#include <stdint.h>

struct part_line {
	int rank;
	const char *tensor;     /* as written: "flat[0:4096]" */
	const char *of, *state; /* the parameter; "": its values, else "m", "v" */
	bool flat; /* it gives at=, rows= or cols=: the block is taken as one line, and the tensor begins at `at` */
	int64_t row, col, at;
	int64_t rows, cols; /* of the block of a flat one; 0: to the parameter's end */
};
struct part_lines {
	struct part_line *line; /* in the order in which they were declared */
	size_t count;
	struct names *places; /* "RANK TENSOR": its number is that of its line, from 1 */
};

/* In the place of what this rank has declared of this tensor before, or behind all others. The texts are kept
 * in `names`, the world's: a line's words go with the line. */
void parts_declare(struct part_lines *parts, struct names *names, const struct part_line *line);
void parts_forget(struct part_lines *parts);

#endif
