/* dropout.c -- dropout and its gradient: elements become 0 with probability p, the others are divided by 1-p.
 *
 * Which ones depends on (seed, element of the whole) alone, by base/philox.h: nothing is kept for the
 * gradient, which is the same kernel on dy with the same seed. A rank that has a part of the whole says where
 * it lies, so that all parts together lose what the whole would:
 *
 *      whole, width=12    . . . . . . . . . . . .
 *                         . . . . x x x . . . . .         x begins at=16 and has 3 columns
 *                         . . . . x x x . . . . . */
#include "kernels/common.h"
#include "base/philox.h"

#include <math.h>

enum { P, SEED, AT, WIDTH };

static enum status width_fits(const struct kernel_call *call)
{
	int64_t columns = kernel_row_length(&call->in[0]);
	if (call->option[WIDTH] == 0 || call->option[WIDTH] >= (double)columns)
		return ST_OK;
	return fail(ST_RANGE,
	        "%s: width=%g: a row of %s has %lld elements, and the whole's has as many or more",
	        call->kernel->name, call->option[WIDTH], call->in[0].name, (long long)columns);
}

static enum status dropout_shape(struct kernel_call *call)
{
	if (!(call->option[P] >= 0 && call->option[P] < 1))
		return fail(ST_RANGE, "%s: p=%g: 0 or more and below 1 is wanted", call->kernel->name,
		        call->option[P]);
	enum status status = kernel_wants_whole(call, SEED, -0x1p53);
	if (status == ST_OK)
		status = kernel_wants_whole(call, AT, 0);
	if (status == ST_OK)
		status = kernel_wants_whole(call, WIDTH, 0);
	if (status == ST_OK)
		status = kernel_shape_float(call);
	return status != ST_OK ? status : width_fits(call);
}

/* x: elements at .. at+count of the whole */
static void drop(uint64_t at, int64_t count, double *x, const double *option)
{
	double keep = 1 / (1 - option[P]);
	for (int64_t i = 0; i < count;) {
		uint32_t word[4];
		philox((uint64_t)(int64_t)option[SEED], (at + (uint64_t)i) / 4, word);
		do {
			x[i] = philox_uniform_of(word[(at + (uint64_t)i) % 4]) < option[P] ? 0 : x[i] * keep;
			i++;
		} while (i < count && (at + (uint64_t)i) % 4);
	}
}

/* x: elements from .. from+count of the part, row by row */
static void drop_rows(const struct kernel_call *call, int64_t from, int64_t count, double *x)
{
	int64_t columns = kernel_row_length(&call->in[0]);
	uint64_t width = call->option[WIDTH] > 0 ? (uint64_t)call->option[WIDTH] : (uint64_t)columns;

	for (int64_t i = 0, piece; i < count; i += piece) {
		int64_t column = (from + i) % columns;
		piece = columns - column < count - i ? columns - column : count - i;
		drop((uint64_t)call->option[AT] + (uint64_t)((from + i) / columns) * width + (uint64_t)column,
		        piece, x + i, call->option);
	}
}

static void dropout(const struct kernel_call *call)
{
	double chunk[LANE_CHUNK];
	struct lane in = lane_of(&call->in[0]), out = lane_of(&call->out[0]);
	int64_t count = layout_count(&call->in[0].layout);

	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = least_of(count - from, LANE_CHUNK);
		lane_read(&in, from, n, chunk);
		drop_rows(call, from, n, chunk);
		kernel_put(call, &out, from, n, chunk);
	}
}

#define OPTIONS                                                                                         \
	{                                                                                               \
		[P] = {"p", 0.5, "the part that becomes 0", KO_NUMBER},                                 \
		[SEED] = {"seed", 0, "which ones", KO_NUMBER},                                          \
		[AT] = {"at", 0, "of a part: the element of the whole that it begins with", KO_NUMBER}, \
		[WIDTH] = {                                                                             \
			"width",                                                                        \
			0,                                                                              \
			"of a part with fewer columns: those of the whole (0: as many)",                \
			KO_NUMBER                                                                       \
		}                                                                                       \
	}

const struct kernel kernel_dropout = {
        .name = "dropout",
        .usage = "y = dropout x [p=0.5] [seed=0] [at=0] [width=COLUMNS]",
        .help = "0 with probability p, else x / (1-p); the seed says which",
        .torch = "y = F.dropout(x, p=0.5)",
        .cuda = "dropout<<<blocks, threads, 0, stream>>>",
        .example = "tensor x[4,8] = randn\ny = dropout x p=0.1 seed=7\nsecond = dropout x[2:4] p=0.1 seed=7 "
                   "at=16",
        KERNEL_TAKES(1, 1),
        .option = OPTIONS,
        .shape = dropout_shape,
        .cost = kernel_cost_one,
        .run = dropout,
};
const struct kernel kernel_dropout_grad = {
        .name = "dropout_grad",
        .usage = "dx = dropout_grad dy [p=0.5] [seed=0] [at=0] [width=COLUMNS]",
        .help = "the gradient of dropout: its options as there",
        .torch = "dx = dy * mask / (1 - p)",
        .cuda = "dropout<<<blocks, threads, 0, stream>>>",
        .example = "tensor dy[4,8] = randn\ndx = dropout_grad dy p=0.1 seed=7",
        KERNEL_TAKES(1, 1),
        .option = OPTIONS,
        .shape = dropout_shape,
        .cost = kernel_cost_one,
        .run = dropout,
};
