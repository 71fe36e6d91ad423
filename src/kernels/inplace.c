/* inplace.c -- fill sgd adam, which write their arguments
 *
 *      sgd      w := w - lr dw
 *      adam     m := b1 m + (1 - b1) dw         Kingma and Ba 2015, arXiv:1412.6980
 *               v := b2 v + (1 - b2) dw^2
 *               w := w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)
 *
 * They compute in double and round once to each tensor's type. Ranks that update parts of a tensor
 * get the same bits as one that updates the whole; ZeRO relies on this. */
#include "kernels/common.h"

#include <math.h>

/* x may be uninitialized: the old values are not used. */
LOOP(fill)
{
	for (int64_t i = 0; i < count; i++)
		in[0][i] = option[0];
}

LOOP(sgd)
{
	for (int64_t i = 0; i < count; i++)
		in[0][i] -= option[0] * in[1][i];
}

enum { LR, BETA1, BETA2, EPS, T };

LOOP(adam)
{
	double beta1 = option[BETA1], beta2 = option[BETA2];
	double step = option[LR] / (1 - pow(beta1, option[T])), root = sqrt(1 - pow(beta2, option[T]));
	double *w = in[0], *g = in[1], *m = in[2], *v = in[3];

	for (int64_t i = 0; i < count; i++) {
		m[i] = beta1 * m[i] + (1 - beta1) * g[i];
		v[i] = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
		w[i] -= step * m[i] / (sqrt(v[i]) / root + option[EPS]);
	}
}

const struct kernel kernels_inplace[] = {
        {
                KERNEL_ROW("fill", "fill<<<blocks, threads, 0, stream>>>   // 0: cudaMemsetAsync", 1, 0),
                .usage = "fill x NUMBER",
                .help = "sets every element of x to the number, in stream order",
                .torch = "x.fill_(0)",
                .example = "tensor x[4,8]\nfill x 0",
                .writes = 1,
                .write_only = true,
                .positional = 1,
                .option = {{"value", NAN, "the number", KO_NUMBER, 0}},
                .elements = fill,
        },
        {
                KERNEL_ROW("sgd", "cublasSaxpy", 2, 0),
                .usage = "sgd w dw lr=NUMBER",
                .help = "one step against the gradient: w -= lr dw",
                .torch = "w -= lr * dw   # torch.optim.SGD",
                .example = "tensor w[4,8] dw[4,8] = randn\nsgd w dw lr=0.1",
                .writes = 1,
                .option = {{"lr", NAN, "learning rate", KO_NUMBER, 0}},
                .arguments = ARGUMENTS_ALIKE,
                .operations = 1,
                .elements = sgd,
        },
        {
                KERNEL_LAUNCHED("adam", "blocks", 4, 0),
                .usage = "adam w dw m v t=STEP [lr=1e-3] [beta1=0.9] [beta2=0.999] [eps=1e-8]",
                .help = "an Adam step: m and v (zeros before step 1) are the running means of the gradient "
                        "and its square",
                .torch = "torch.optim.Adam([w], lr=1e-3).step()",
                .example = "tensor w[4,8] dw[4,8] = randn\ntensor m[4,8] v[4,8] = zeros\nadam w dw m v t=1",
                .writes = 1 << 0 | 1 << 2 | 1 << 3,
                .option =
                        {
                                [LR] = {"lr", 1e-3, "learning rate", KO_NUMBER, 0},
                                [BETA1] = {"beta1", 0.9, "the decay of the mean", KO_PART, 0},
                                [BETA2] = {"beta2", 0.999, "the decay of the mean square", KO_PART, 0},
                                [EPS] = {"eps", 1e-8, "added to the root", KO_NUMBER, 0},
                                [T] = {"t", NAN, "the number of this step: 1, 2 ...", KO_WHOLE, 1},
                        },
                .arguments = ARGUMENTS_ALIKE,
                .operations = 8,
                .elements = adam,
        },
        {0},
};
