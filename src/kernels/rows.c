/* rows.c -- rowmax rowsum softmax layernorm and gradients: along the last dimension, row by row */
#include "kernels/common.h"
#include "kernels/exponential.h"

#include <math.h>

static enum status one_shape(struct kernel_call *call)
{
	struct layout out = call->in[0].layout;
	out.dim[out.dims - 1] = 1;
	return kernel_out(call, 0, (enum dtype)out.dtype, out.dims, out.dim);
}

/* A NaN counts as the largest, as in PyTorch. */
INLINE double largest(int64_t count, const double *x)
{
	double most = x[0];
	for (int64_t i = 1; i < count; i++)
		most = x[i] > most || x[i] != x[i] ? x[i] : most;
	return most;
}

/* Sums `term`, an expression in i, over i = 0 .. count-1, in eight vector lanes, then adds the
 * parts, in the same order for all vector widths. */
#define SUM_IN_PARTS(term)                                           \
	enum { PARTS = 8 };                                          \
	double part[PARTS] = {0}, sum = 0;                           \
	for (int64_t from = 0; from + PARTS <= count; from += PARTS) \
		for (int j = 0; j < PARTS; j++) {                    \
			int64_t i = from + j;                        \
			part[j] += term;                             \
		}                                                    \
	for (int64_t i = count / PARTS * PARTS; i < count; i++)      \
		part[i % PARTS] += term;                             \
	for (int j = 0; j < PARTS; j++)                              \
		sum += part[j];                                      \
	return sum

INLINE double dot(int64_t count, const double *x, const double *y)
{
	SUM_IN_PARTS(x[i] * y[i]);
}

INLINE double total(int64_t count, const double *x)
{
	SUM_IN_PARTS(x[i]);
}

LOOP(rowmax)
{
	out[0] = largest(count, in[0]);
}

LOOP(rowsum)
{
	out[0] = total(count, in[0]);
}

static void rowsum_whole LOOP_PARAMETERS
{
	int64_t sum = 0; /* 2^32 numbers of 2^31 fit */
	for (int64_t i = 0; i < count; i++)
		sum += (int64_t)in[0][i];
	out[0] = wrapped(sum);
}

LOOP(softmax)
{
	double most = largest(count, in[0]); /* prevents exp's overflow */
	for (int64_t i = 0; i < count; i++)
		out[i] = exponential(in[0][i] - most);
	double sum = total(count, out);
	for (int64_t i = 0; i < count; i++)
		out[i] /= sum;
}

/* With y = softmax(x), dy_i/dx_j = y_i ((i == j) - y_j); so dx = y (dy - sum(dy y)). */
LOOP(softmax_grad)
{
	const double *dy = in[0], *y = in[1];
	double sum = dot(count, dy, y);
	for (int64_t i = 0; i < count; i++)
		out[i] = y[i] * (dy[i] - sum);
}

/* out = (x - mean) / deviation; returns 1 / deviation. The variance divides by count, plus eps. */
INLINE double normalise(int64_t count, const double *x, double eps, double *out)
{
	double mean = total(count, x) / (double)count;
	for (int64_t i = 0; i < count; i++)
		out[i] = x[i] - mean;
	double inverse = 1 / sqrt(dot(count, out, out) / (double)count + eps);
	for (int64_t i = 0; i < count; i++)
		out[i] *= inverse;
	return inverse;
}

LOOP(layernorm)
{
	normalise(count, in[0], option[0], out);
}

/* With n the normalized row (Ba, Kiros, Hinton 2016, arXiv:1607.06450): dx = (dy - mean(dy) - n
 * mean(dy n)) / deviation */
LOOP(layernorm_grad)
{
	const double *dy = in[0];
	double inverse = normalise(count, in[1], option[0], out);
	double mean = total(count, dy) / (double)count, slope = dot(count, dy, out) / (double)count;
	for (int64_t i = 0; i < count; i++)
		out[i] = (dy[i] - mean - out[i] * slope) * inverse;
}

#define EPS "eps", 1e-5, "added to the variance", KO_NUMBER, 0

const struct kernel kernels_rows[] = {
        {
                KERNEL_ROW("rowmax", "cub::DeviceSegmentedReduce::Max", 1, 1),
                .usage = "y = rowmax x",
                .help = "the largest element of each row: [n,m] gives [n,1]",
                .torch = "y = x.amax(-1, keepdim=True)",
                .example = "tensor x[4,8] = randn\ny = rowmax x",
                .wants_columns = true,
                .shape = one_shape,
                .operations = 1,
                .rows = rowmax,
        },
        {
                KERNEL_ROW("rowsum", "cub::DeviceSegmentedReduce::Sum", 1, 1),
                .usage = "y = rowsum x",
                .help = "the sum of each row: [n,m] gives [n,1]",
                .torch = "y = x.sum(-1, keepdim=True)",
                .example = "tensor x[4,8] = randn\ny = rowsum x",
                .shape = one_shape,
                .operations = 1,
                .rows = rowsum,
                .whole = rowsum_whole,
        },
        {
                KERNEL_ROW("softmax", "cudnnSoftmaxForward", 1, 1),
                .usage = "y = softmax x",
                .help = "exp(x), divided by its sum over each row",
                .torch = "y = torch.softmax(x, -1)",
                .example = "tensor x[4,8] = randn\ny = softmax x",
                .arguments = ARGUMENTS_ALIKE,
                .operations = 8,
                .rows = softmax,
        },
        {
                KERNEL_ROW("softmax_grad", "cudnnSoftmaxBackward", 2, 1),
                .usage = "dx = softmax_grad dy y",
                .help = "softmax's gradient from dy and y, its output",
                .torch = "dx = y * (dy - (dy * y).sum(-1, keepdim=True))",
                .example = "tensor x[4,8] dy[4,8] = randn\ny = softmax x\ndx = softmax_grad dy y",
                .arguments = ARGUMENTS_ALIKE,
                .operations = 8,
                .rows = softmax_grad,
        },
        {
                KERNEL_LAUNCHED("layernorm", "rows", 1, 1),
                .usage = "y = layernorm x [eps=1e-5]",
                .help = "each row of x minus its mean, divided by its standard deviation",
                .torch = "y = F.layer_norm(x, x.shape[-1:])",
                .example = "tensor x[4,8] = randn\ny = layernorm x",
                .option = {{EPS}},
                .arguments = ARGUMENTS_ALIKE,
                .operations = 8,
                .rows = layernorm,
        },
        {
                KERNEL_LAUNCHED("layernorm_grad", "rows", 2, 1),
                .usage = "dx = layernorm_grad dy x [eps=1e-5]",
                .help = "layernorm's gradient from dy and x, its input",
                .torch = "dx, = torch.autograd.grad(y, x, dy)",
                .example = "tensor x[4,8] dy[4,8] = randn\ndx = layernorm_grad dy x",
                .option = {{EPS}},
                .arguments = ARGUMENTS_ALIKE,
                .operations = 8,
                .rows = layernorm_grad,
        },
        {0},
};
