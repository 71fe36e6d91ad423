/* unary.c -- scale exp sqrt relu gelu, relu_grad gelu_grad: element by element */
#include "kernels/common.h"
#include "kernels/exponential.h"

#include <math.h>

/* gelu by tanh (Hendrycks and Gimpel 2016, arXiv:1606.08415; PyTorch's approximate='tanh'):
 *     x/2 (1 + tanh(u)),  u = sqrt(2/pi) (x + 0.044715 x^3)
 * and (1 + tanh(u)) / 2 is the logistic function of 2u */
static const double GELU_SCALE = 2 * 0.79788456080286535588, GELU_CUBE = 0.044715;

INLINE double gelu_of(double x)
{
	return x * logistic(GELU_SCALE * (x + GELU_CUBE * x * x * x));
}

/* With s the logistic: d(x s)/dx = s + x s', and s' = s (1 - s) d(2u)/dx */
INLINE double gelu_slope(double x)
{
	double s = logistic(GELU_SCALE * (x + GELU_CUBE * x * x * x));
	return s + x * s * (1 - s) * GELU_SCALE * (1 + 3 * GELU_CUBE * x * x);
}

/* PyTorch and cuBLAS round the factor to f32 first, for 16-bit tensors too. */
LOOP_EACH(scale, in[0][i] * (double)(float)option[0])
LOOP_EACH(exponentials, exponential(in[0][i]))
LOOP_EACH(root, sqrt(in[0][i]))
LOOP_EACH(relu, in[0][i] < 0 ? 0 : in[0][i]) /* NaN stays NaN */
/* a NaN in x lets dy pass, as in PyTorch */
LOOP_EACH(relu_grad, in[1][i] <= 0 ? 0 : in[0][i])
LOOP_EACH(gelu, gelu_of(in[0][i]))
LOOP_EACH(gelu_grad, in[0][i] * gelu_slope(in[1][i]))

#define UNARY_ROW(row, count)                                                          \
	.usage = "y = " row " x", .arguments = ARGUMENTS_ALIKE, .operations = (count), \
	KERNEL_LAUNCHED(row, "blocks", 1, 1)

const struct kernel kernels_unary[] = {
        {
                KERNEL_LAUNCHED("scale", "blocks", 1, 1),
                .usage = "y = scale x NUMBER",
                .help = "x times a number (rounded to f32, as PyTorch does)",
                .torch = "y = x * 0.5",
                .example = "tensor x[4,8] = randn\ny = scale x 0.5",
                .positional = 1,
                .option = {{"by", NAN, "the number", KO_NUMBER, 0}},
                .arguments = ARGUMENTS_ALIKE,
                .operations = 1,
                .elements = scale,
        },
        {
                UNARY_ROW("exp", 1),
                .help = "e to the power x, element by element",
                .torch = "y = torch.exp(x)",
                .example = "tensor x[4,8] = randn\ny = exp x",
                .elements = exponentials,
        },
        {
                UNARY_ROW("sqrt", 1),
                .help = "the square root, element by element; NaN below 0",
                .torch = "y = torch.sqrt(x)",
                .example = "tensor x[4,8] = uniform\ny = sqrt x",
                .elements = root,
        },
        {
                KERNEL_ROW("relu", "cudnnActivationForward", 1, 1),
                .usage = "y = relu x",
                .help = "x if it is above 0, else 0",
                .torch = "y = torch.relu(x)",
                .example = "tensor x[4,8] = randn\ny = relu x",
                .operations = 1,
                .elements = relu,
        },
        {
                KERNEL_ROW("relu_grad", "cudnnActivationBackward", 2, 1),
                .usage = "dx = relu_grad dy x",
                .help = "relu's gradient: 0 if x, relu's input, is 0 or less, else dy",
                .torch = "dx = dy.masked_fill(x <= 0, 0)",
                .example = "tensor x[4,8] dy[4,8] = randn\ndx = relu_grad dy x",
                .arguments = ARGUMENTS_ALIKE,
                .operations = 1,
                .elements = relu_grad,
        },
        {
                UNARY_ROW("gelu", 8),
                .help = "x times the standard normal distribution function at x (the tanh form)",
                .torch = "y = F.gelu(x, approximate='tanh')",
                .example = "tensor x[4,8] = randn\ny = gelu x",
                .elements = gelu,
        },
        {
                KERNEL_LAUNCHED("gelu_grad", "blocks", 2, 1),
                .usage = "dx = gelu_grad dy x",
                .help = "gelu's gradient (the tanh form) at x, gelu's input, times dy",
                .torch = "dx, = torch.autograd.grad(y, x, dy)",
                .example = "tensor x[4,8] dy[4,8] = randn\ndx = gelu_grad dy x",
                .arguments = ARGUMENTS_ALIKE,
                .operations = 8,
                .elements = gelu_grad,
        },
        {0},
};
