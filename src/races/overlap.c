/* overlap.c -- do two strided tensors share a byte? Columns of one matrix interleave without
 * sharing any */
#include "races/order.h"

enum { RUNS_MAX = 1 << 16 }; /* with more pieces, overlapping spans count as overlapping */

/* A layout as runs of contiguous bytes, in order of address:
 *
 *      x [4,8] f32, columns 0-1     stride 8, 1: dim 4, step 32 bytes; run 8 bytes
 *      runs                         |##      |##      |##      |##      |
 *      columns 2-3                  |  ##    |  ##    |  ##    |  ##    |   no byte shared
 *
 * Two layouts are merged like sorted lists: the run that begins earlier advances. */
struct runs {
	int dims;
	int64_t dim[DIMS_MAX], step[DIMS_MAX];
	int64_t at[DIMS_MAX];
	int64_t address, run;
	bool end;
};

/* Sorts dimensions by falling step, without those of one element or step 0, and joins inner ones
 * into the run. */
static void runs_begin(struct runs *runs, const struct operand *operand)
{
	const struct layout *layout = &operand->layout;
	int64_t element = dtype_bytes(layout->dtype);

	*runs = (struct runs){.address = operand->address, .run = element};
	for (int i = 0; i < layout->dims; i++) {
		int64_t step = layout->stride[i] * element;
		if (layout->dim[i] < 2 || step == 0)
			continue;
		int k = runs->dims++;
		for (; k > 0 && runs->step[k - 1] < step; k--) {
			runs->step[k] = runs->step[k - 1];
			runs->dim[k] = runs->dim[k - 1];
		}
		runs->step[k] = step;
		runs->dim[k] = layout->dim[i];
	}
	while (runs->dims > 0 && runs->step[runs->dims - 1] <= runs->run) {
		runs->dims--;
		runs->run += (runs->dim[runs->dims] - 1) * runs->step[runs->dims];
	}
}

static void runs_next(struct runs *runs)
{
	for (int k = runs->dims - 1; k >= 0; k--) {
		runs->address += runs->step[k];
		if (++runs->at[k] < runs->dim[k])
			return;
		runs->address -= runs->step[k] * runs->dim[k];
		runs->at[k] = 0;
	}
	runs->end = true;
}

bool layout_dense(const struct layout *layout)
{
	struct operand operand = {.layout = *layout};
	struct runs runs;

	runs_begin(&runs, &operand);
	return runs.dims == 0;
}

bool operands_overlap(const struct operand *a, const struct operand *b)
{
	struct runs x, y;

	if (!spans_overlap(a, b))
		return false;
	runs_begin(&x, a);
	runs_begin(&y, b);
	for (int i = 0; i < RUNS_MAX; i++) {
		if (x.end || y.end)
			return false;
		if (x.address < y.address + y.run && y.address < x.address + x.run)
			return true;
		if (x.address < y.address)
			runs_next(&x);
		else
			runs_next(&y);
	}
	return true;
}
