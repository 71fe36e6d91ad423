/* dropout.c -- dropout and its gradient: elements become 0 with probability p, and the others are
 * divided by 1-p.
 *
 * The choice depends only on (seed, element index in the whole), by base/philox.h. So the gradient
 * is the same kernel on dy with the same seed. A rank gives its part's position, so that all parts
 * together drop the same elements as the whole:
 *
 *      whole, width=12    . . . . . . . . . . . .
 *                         . . . . x x x . . . . .     x begins at=16 and has 3 columns
 *                         . . . . x x x . . . . . */
#include "kernels/common.h"
#include "base/philox.h"

enum { P, SEED, AT, WIDTH };

static enum status dropout_shape(struct kernel_call *call)
{
	const struct kernel_tensor *x = &call->in[0];
	double width = call->option[WIDTH];
	if (width != 0 && width < (double)kernel_row_length(x))
		return fail(ST_RANGE,
		        "%s: width=%g: a row of %s has %lld elements, and the whole's has as many or more",
		        call->kernel->name, width, x->name, (long long)kernel_row_length(x));
	return kernel_out(call, 0, (enum dtype)x->layout.dtype, x->layout.dims, x->layout.dim);
}

/* One row of the part; `at`: its first element's index in the whole */
static void dropout LOOP_PARAMETERS
{
	uint64_t width = option[WIDTH] > 0 ? (uint64_t)option[WIDTH] : (uint64_t)count;
	uint64_t at = (uint64_t)option[AT] + (uint64_t)(from / count) * width;
	double keep = 1 / (1 - option[P]);

	for (int64_t i = 0; i < count;) {
		uint32_t word[4];
		philox((uint64_t)(int64_t)option[SEED], (at + (uint64_t)i) / 4, word);
		do {
			float number = philox_uniform_of(word[(at + (uint64_t)i) % 4]);
			out[i] = number < option[P] ? 0 : in[0][i] * keep;
			i++;
		} while (i < count && (at + (uint64_t)i) % 4);
	}
}

#define OPTIONS                                                                                      \
	[P] = {"p", 0.5, "the probability of becoming 0", KO_PART, 0},                               \
	[SEED] = {"seed", 0, "selects the elements", KO_WHOLE, -0x1p53},                             \
	[AT] = {"at", 0, "if x is a part of a tensor: its first element in the whole", KO_WHOLE, 0}, \
	[WIDTH] = {"width", 0, "if a part has fewer columns: the columns of the whole (0: as many)", \
	        KO_WHOLE, 0}

const struct kernel kernels_dropout[] = {
        {
                KERNEL_LAUNCHED("dropout", "blocks", 1, 1),
                .usage = "y = dropout x [p=0.5] [seed=0] [at=0] [width=COLUMNS]",
                .help = "0 with probability p, else x / (1-p); the seed selects the elements",
                .torch = "y = F.dropout(x, p=0.5)",
                .example = "tensor x[4,8] = randn\ny = dropout x p=0.1 seed=7\nsecond = dropout x[2:4] p=0.1 "
                           "seed=7 at=16",
                .option = {OPTIONS},
                .arguments = ARGUMENTS_ALIKE,
                .shape = dropout_shape,
                .operations = 1,
                .rows = dropout,
        },
        {
                KERNEL_ROW("dropout_grad", "dropout<<<blocks, threads, 0, stream>>>", 1, 1),
                .usage = "dx = dropout_grad dy [p=0.5] [seed=0] [at=0] [width=COLUMNS]",
                .help = "dropout's gradient, with the same options",
                .torch = "dx = dy * mask / (1 - p)",
                .example = "tensor dy[4,8] = randn\ndx = dropout_grad dy p=0.1 seed=7",
                .option = {OPTIONS},
                .arguments = ARGUMENTS_ALIKE,
                .shape = dropout_shape,
                .operations = 1,
                .rows = dropout,
        },
        {0},
};
