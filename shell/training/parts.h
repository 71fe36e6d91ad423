/* parts.h -- the parts of parameters in each rank's tensors, from `part` lines
 *
 *     part w1 of w1                       the whole parameter
 *     part w1 of w1 row=64*tp             a shard: rows from there on
 *     part flat[0:4096] of w1 at=8192     a run in the flattened parameter
 *     part flat[0:64] of w1 row=8 col=16 rows=8 cols=16 at=64
 *                                         a run in a flattened block: ZeRO and tensor parallel
 *     part w1_m of w1 as=m                its optimizer state
 *
 * Tensors are resolved by name when needed: one may have been freed and made again. */
#ifndef RANKSH_PARTS_H
#define RANKSH_PARTS_H

#include "base/names.h"

#include <stdbool.h>
#include <stdint.h>

struct part_line {
	int rank;
	const char *tensor;     /* as written: "flat[0:4096]" */
	const char *of, *state; /* the parameter; "": its values, else "m", "v" */
	/* at=, rows= or cols= given: the block is flattened, and the tensor begins at `at` */
	bool flat;
	int64_t row, col, at;
	int64_t rows, cols; /* of a flat block; 0: to the parameter's end */
};
struct part_lines {
	struct part_line *line; /* in order of declaration */
	size_t count;
	struct names *places; /* "RANK TENSOR": its number is that of its line, from 1 */
};

/* Replaces this rank's declaration of the tensor, or adds one. Copies the texts into `names`, the
 * world's. */
void parts_declare(struct part_lines *parts, struct names *names, const struct part_line *line);
void parts_forget(struct part_lines *parts);

#endif
