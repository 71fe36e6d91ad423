/* inplace.c -- fill sgd adam: they write their first arguments.
 *
 *      sgd      w := w - lr dw
 *      adam     m := b1 m + (1 - b1) dw             Kingma and Ba 2015, arXiv:1412.6980
 *               v := b2 v + (1 - b2) dw^2
 *               w := w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)
 *
 * All is computed in double and rounded once to the type of each tensor. Each element depends on its own
 * place alone, so parts of a tensor, updated by different ranks, give the bits of the whole: what ZeRO rests
 * on. */
#include "kernels/common.h"

#include <math.h>

/* ---- fill ---- */

static enum status fill_shape(struct kernel_call *call)
{
	(void)call;
	return ST_OK;
}

static void fill(const struct kernel_call *call)
{
	double value[LANE_CHUNK];
	struct lane lane = lane_of(&call->in[0]);
	int64_t count = layout_count(&call->in[0].layout);

	for (int i = 0; i < LANE_CHUNK; i++)
		value[i] = call->option[0];
	for (int64_t from = 0; from < count; from += LANE_CHUNK)
		lane_write(&lane, from, least_of(count - from, LANE_CHUNK), value);
}

/* ---- sgd, adam: all arguments chunk by chunk, updated, the written ones put back ---- */

static enum status floats_shape(struct kernel_call *call)
{
	enum status status = kernel_wants_floats(call);
	return status != ST_OK ? status : kernel_wants_same_shapes(call);
}

/* x[i]: a chunk of argument i */
typedef void update_loop(int64_t count, double *const *x, const double *option);

#define UPDATE(name) \
	LOOP_OF(name, (int64_t count, double *const *x, const double *option), (count, x, option))

static void update(const struct kernel_call *call, update_loop *loop)
{
	enum { INS = 4 };
	double buffer[INS][LANE_CHUNK], *x[INS] = {buffer[0], buffer[1], buffer[2], buffer[3]};
	struct lane lane[INS];
	int64_t count = layout_count(&call->in[0].layout);

	for (int i = 0; i < call->ins; i++)
		lane[i] = lane_of(&call->in[i]);
	for (int64_t from = 0; from < count; from += LANE_CHUNK) {
		int64_t n = least_of(count - from, LANE_CHUNK);
		for (int i = 0; i < call->ins; i++)
			lane_read(&lane[i], from, n, x[i]);
		loop(n, x, call->option);
		for (int i = 0; i < call->ins; i++)
			if (call->kernel->writes >> i & 1)
				lane_write(&lane[i], from, n, x[i]);
	}
}

UPDATE(sgd_loop)
{
	for (int64_t i = 0; i < count; i++)
		x[0][i] -= option[0] * x[1][i];
}

static void sgd(const struct kernel_call *call)
{
	update(call, sgd_loop);
}

enum { ADAM_LR, ADAM_BETA1, ADAM_BETA2, ADAM_EPS, ADAM_T };

static enum status adam_shape(struct kernel_call *call)
{
	enum status status = kernel_wants_whole(call, ADAM_T, 1);
	for (int i = ADAM_BETA1; i <= ADAM_BETA2 && status == ST_OK; i++)
		if (!(call->option[i] >= 0 && call->option[i] < 1))
			status = fail(ST_RANGE, "adam: %s=%g: 0 or more and below 1 is wanted",
			        call->kernel->option[i].name, call->option[i]);
	return status != ST_OK ? status : floats_shape(call);
}

/* PyTorch's torch.optim.Adam: m and v are running means of g and g^2, corrected for beginning at 0 */
UPDATE(adam_loop)
{
	double beta1 = option[ADAM_BETA1], beta2 = option[ADAM_BETA2];
	double step = option[ADAM_LR] / (1 - pow(beta1, option[ADAM_T])),
	       root = sqrt(1 - pow(beta2, option[ADAM_T]));
	double *w = x[0], *g = x[1], *m = x[2], *v = x[3];

	for (int64_t i = 0; i < count; i++) {
		m[i] = beta1 * m[i] + (1 - beta1) * g[i];
		v[i] = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
		w[i] -= step * m[i] / (sqrt(v[i]) / root + option[ADAM_EPS]);
	}
}

static void adam(const struct kernel_call *call)
{
	update(call, adam_loop);
}

const struct kernel kernel_fill = {
        .name = "fill",
        .usage = "fill x NUMBER",
        .help = "every element of x becomes the number, in stream order",
        .torch = "x.fill_(0)",
        .cuda = "cudaMemsetAsync",
        .example = "tensor x[4,8]\nfill x 0",
        KERNEL_TAKES(1, 0),
        .in_place = 1,
        .writes = 1,
        .write_only = true,
        .positional = 1,
        .option = {{"value", NAN, "the number", KO_NUMBER}},
        .shape = fill_shape,
        .cost = kernel_cost_move,
        .run = fill,
};
const struct kernel kernel_sgd = {
        .name = "sgd",
        .usage = "sgd w dw lr=NUMBER",
        .help = "one step down the gradient: w -= lr dw",
        .torch = "w -= lr * dw   # torch.optim.SGD",
        .cuda = "cublasSaxpy",
        .example = "tensor w[4,8] dw[4,8] = randn\nsgd w dw lr=0.1",
        KERNEL_TAKES(2, 0),
        .in_place = 1,
        .writes = 1,
        .option = {{"lr", NAN, "learning rate", KO_NUMBER}},
        .shape = floats_shape,
        .cost = kernel_cost_one,
        .run = sgd,
};
const struct kernel kernel_adam = {
        .name = "adam",
        .usage = "adam w dw m v t=STEP [lr=1e-3] [beta1=0.9] [beta2=0.999] [eps=1e-8]",
        .help = "one step of Adam: m and v (zeros before step 1) are the running means of the gradient and "
                "of its square",
        .torch = "torch.optim.Adam([w], lr=1e-3).step()",
        .cuda = "adam<<<blocks, threads, 0, stream>>>",
        .example = "tensor w[4,8] dw[4,8] = randn\ntensor m[4,8] v[4,8] = zeros\nadam w dw m v t=1",
        KERNEL_TAKES(4, 0),
        .in_place = 1,
        .writes = 1 << 0 | 1 << 2 | 1 << 3,
        .option =
                {
                        [ADAM_LR] = {"lr", 1e-3, "learning rate", KO_NUMBER},
                        [ADAM_BETA1] = {"beta1", 0.9, "of the mean", KO_NUMBER},
                        [ADAM_BETA2] = {"beta2", 0.999, "of the mean square", KO_NUMBER},
                        [ADAM_EPS] = {"eps", 1e-8, "added to the root", KO_NUMBER},
                        [ADAM_T] = {"t", NAN, "the number of this step: 1, 2 ...", KO_NUMBER},
                },
        .shape = adam_shape,
        .cost = kernel_cost_few,
        .run = adam,
};
