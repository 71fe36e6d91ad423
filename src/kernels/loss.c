/* loss.c -- mse and crossentropy, means over everything as in PyTorch, and their gradients; sumsq,
 * a sum over everything.
 *
 * crossentropy's targets are classes (i32, one per row) or probabilities (floats, the logits'
 * shape). A row with the class `ignore` adds nothing: the mean is over the other rows, and NaN
 * without any. Any other class outside 0 .. classes-1 is reported (kernel_find_index) and makes
 * the loss NaN. With z a row of logits and t its targets:
 *
 *      loss = -sum_i t_i ln softmax(z)_i = -sum_i t_i (z_i - ln sum_j exp z_j)
 *      dz   = (softmax(z) sum(t) - t) / counted rows         sum(t) is 1 for a class
 *
 * Subtracting the largest z before exp changes neither and prevents overflow. The log is not taken
 * of a computed softmax, because a probability that f32 rounds to 0 would give infinity. */
#include "kernels/common.h"
#include "base/memory.h"
#include "kernels/exponential.h"

#include <math.h>
#include <string.h>

/* ---- mse, sumsq ---- */

static double add_squares(double sum, const double *x, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		sum += x[i] * x[i];
	return sum;
}

static void sumsq(const struct kernel_call *call)
{
	kernel_total(call, add_squares);
}

static void mse(const struct kernel_call *call)
{
	double y[LANE_CHUNK], t[LANE_CHUNK], sum = 0;
	struct lane lane_y = lane_of(&call->in[0]), lane_t = lane_of(&call->in[1]),
	            out = lane_of(&call->out[0]);
	int64_t count = layout_count(&call->in[0].layout);

	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = least_of(count - from, LANE_CHUNK);
		lane_read(&lane_y, from, n, y);
		lane_read(&lane_t, from, n, t);
		for (int64_t i = 0; i < n; i++)
			sum += (y[i] - t[i]) * (y[i] - t[i]);
	}
	sum /= (double)count;
	kernel_put(call, &out, 0, 1, &sum);
}

LOOP_EACH(mse_grad_loop, option[0] * (in[0][i] - in[1][i]))

static void mse_grad(const struct kernel_call *call)
{
	struct kernel_call scaled = *call;
	/* the loop's factor; the row has no options */
	scaled.option[0] = 2.0 / (double)layout_count(&call->in[0].layout);
	kernel_elements(&scaled, mse_grad_loop);
}

/* ---- crossentropy ---- */

static enum status crossentropy_shape(struct kernel_call *call)
{
	const struct kernel_tensor *logits = &call->in[0], *targets = &call->in[1];
	const struct layout *like = &logits->layout;
	int64_t rows = layout_rows(like);
	bool classes = targets->layout.dtype == DT_I32;

	if (like->dtype == DT_I32)
		return fail(
		        ST_DTYPE, "%s is i32: crossentropy takes logits of f32, f16 or bf16", logits->name);
	if (classes ? layout_count(&targets->layout) != rows : !layout_same_shape(like, &targets->layout))
		return fail(ST_SHAPE,
		        "%s is %s, %s is %s %s: crossentropy needs targets [%lld] i32 (classes) or %s of "
		        "floats (probabilities)",
		        logits->name, shape_text(like).text, targets->name, dtype_name(targets->layout.dtype),
		        shape_text(&targets->layout).text, (long long)rows, shape_text(like).text);
	enum status status = kernel_out(call, 0, DT_F32, 1, (int64_t[]){1});
	return status == ST_OK && call->outs > 1 ? kernel_out(call, 1, DT_F32, 1, (int64_t[]){1}) : status;
}

static enum status crossentropy_grad_shape(struct kernel_call *call)
{
	const struct layout *like = &call->in[0].layout;
	enum status status = crossentropy_shape(call);
	return status != ST_OK ? status : kernel_out(call, 0, (enum dtype)like->dtype, like->dims, like->dim);
}

enum { IGNORE, ROWS };

static struct kernel_indices target_classes(const struct kernel_call *call)
{
	bool classes = call->in[1].layout.dtype == DT_I32;
	return (struct kernel_indices){.argument = classes ? 1 : -1,
	        .end = kernel_row_length(&call->in[0]),
	        .unused = call->option[IGNORE],
	        .names = "a class"};
}

/* Reads row r's targets as probabilities: all 0 for an ignored class, all NaN for an invalid
 * one */
static void read_targets(
        const struct kernel_call *call, const struct lane *lane, int64_t r, int64_t classes, double *t)
{
	if (call->in[1].layout.dtype != DT_I32) {
		lane_read(lane, r * classes, classes, t);
		return;
	}
	double class;
	lane_read(lane, r, 1, &class);
	bool known = (class >= 0 && class < (double)classes) || class == call->option[IGNORE];
	for (int64_t i = 0; i < classes; i++)
		t[i] = known ? 0 : NAN;
	if (known && class != call->option[IGNORE])
		t[(int64_t) class] = 1;
}

LOOP_OF(exponentials_of, (int64_t count, double *z, double most), (count, z, most))
{
	for (int64_t i = 0; i < count; i++)
		z[i] = exponential(z[i] - most);
}

/* z := exp(z - max); returns their sum. *log_sum: ln sum exp of the old z */
static double exponentials(int64_t count, double *z, double *log_sum)
{
	double most = z[0], sum = 0;
	for (int64_t i = 1; i < count; i++)
		most = z[i] > most ? z[i] : most;
	exponentials_of(count, z, most);
	for (int64_t i = 0; i < count; i++)
		sum += z[i];
	*log_sum = log(sum) + most;
	return sum;
}

/* -sum t (z - log_sum), with 0 x inf = 0 */
static double row_loss(int64_t count, const double *z, const double *t, double log_sum)
{
	double loss = 0;
	for (int64_t i = 0; i < count; i++)
		loss -= t[i] == 0 ? 0 : t[i] * (z[i] - log_sum);
	return loss;
}

static void crossentropy(const struct kernel_call *call)
{
	bool gradient = call->kernel->shape == crossentropy_grad_shape;
	int64_t classes = kernel_row_length(&call->in[0]), rows = layout_rows(&call->in[0].layout);
	double *z = mem_alloc((size_t)(3 * classes) * sizeof *z), *t = z + classes, *e = t + classes;
	double loss = 0, log_sum;
	struct lane logits = lane_of(&call->in[0]), targets = lane_of(&call->in[1]),
	            out = lane_of(&call->out[0]);
	double counted = (double)rows, class; /* rows in the mean */
	for (int64_t r = 0; r < rows && call->in[1].layout.dtype == DT_I32; r++) {
		lane_read(&targets, r, 1, &class);
		counted -= class == call->option[IGNORE];
	}
	double of = call->option[ROWS] > 0 ? call->option[ROWS] : counted;

	for (int64_t r = 0; r < rows; r++) {
		lane_read(&logits, r * classes, classes, z);
		read_targets(call, &targets, r, classes, t);
		memcpy(e, z, (size_t)classes * sizeof *e);
		double sum = exponentials(classes, e, &log_sum);
		if (gradient) {
			double weight = 0; /* e / sum is the softmax of z */
			for (int64_t i = 0; i < classes; i++)
				weight += t[i];
			for (int64_t i = 0; i < classes; i++)
				z[i] = (e[i] / sum * weight - t[i]) / of;
			kernel_put(call, &out, r * classes, classes, z);
		} else {
			loss += row_loss(classes, z, t, log_sum);
		}
	}
	loss /= of;
	if (!gradient)
		kernel_put(call, &out, 0, 1, &loss);
	if (call->outs > 1) {
		struct lane n = lane_of(&call->out[1]);
		kernel_put(call, &n, 0, 1, &counted);
	}
	mem_free(z);
}

#define CROSSENTROPY_OPTIONS                                                                       \
	{"ignore", -100, "a class (-100) whose rows do not count", KO_NUMBER, 0},                  \
	{                                                                                          \
		"rows", 0, "the number of rows to divide by (0: the rows that count)", KO_WHOLE, 0 \
	}

const struct kernel kernels_loss[] = {
        {
                KERNEL_LAUNCHED("mse", "blocks", 2, 1),
                .usage = "loss = mse y t",
                .help = "the mean squared difference between y and t, as [1] f32",
                .torch = "loss = F.mse_loss(y, t)",
                .example = "tensor y[4,8] t[4,8] = randn\nloss = mse y t",
                .arguments = ARGUMENTS_ALIKE,
                .shape = kernel_one_number,
                .operations = 8,
                .run = mse,
        },
        {
                KERNEL_ROW("sumsq", "cublasSdot(handle, count, x, 1, x, 1, n)", 1, 1),
                .usage = "n = sumsq x",
                .help = "the sum of all squared elements, as [1] f32: its sqrt is the norm",
                .torch = "n = x.float().square().sum()",
                .example = "tensor x[4,8] = randn\nn = sumsq x",
                .arguments = ARGUMENTS_ALIKE,
                .shape = kernel_one_number,
                .operations = 2,
                .run = sumsq,
        },
        {
                KERNEL_LAUNCHED("mse_grad", "blocks", 2, 1),
                .usage = "dy = mse_grad y t",
                .help = "mse's gradient with respect to y: 2 (y - t) / elements",
                .torch = "dy, = torch.autograd.grad(F.mse_loss(y, t), y)",
                .example = "tensor y[4,8] t[4,8] = randn\ndy = mse_grad y t",
                .arguments = ARGUMENTS_ALIKE,
                .operations = 1,
                .run = mse_grad,
        },
        {
                KERNEL_LAUNCHED("crossentropy", "rows", 2, 1),
                .usage = "loss [n] = crossentropy logits targets [ignore=] [rows=]",
                .help = "the mean over rows of -ln(the target's probability) as [1] f32. Targets: [rows] i32 "
                        "classes, or probabilities. Rows with the class ignore= are not counted; n counts "
                        "the others, as [1] f32",
                .torch = "loss = F.cross_entropy(logits, targets)   # of tokens: targets.long()",
                .example = "tensor z[4,8] = randn\ntensor t[4] i32 = iota\nloss = crossentropy z t",
                .more_outs = 1,
                .option = {CROSSENTROPY_OPTIONS},
                .wants_columns = true,
                .shape = crossentropy_shape,
                .indices = target_classes,
                .operations = 8,
                .run = crossentropy,
        },
        {
                KERNEL_LAUNCHED("crossentropy_grad", "rows", 2, 1),
                .usage = "dlogits = crossentropy_grad logits targets [ignore=] [rows=]",
                .help = "crossentropy's gradient with respect to the logits: (softmax - target) / counted "
                        "rows",
                .torch = "dlogits, = torch.autograd.grad(F.cross_entropy(logits, targets), logits)",
                .example = "tensor z[4,8] = randn\ntensor t[4] i32 = iota\ndz = crossentropy_grad z t",
                .option = {CROSSENTROPY_OPTIONS},
                .wants_columns = true,
                .shape = crossentropy_grad_shape,
                .indices = target_classes,
                .operations = 8,
                .run = crossentropy,
        },
        {0},
};
