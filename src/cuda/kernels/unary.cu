/* unary.cu -- scale exp sqrt relu gelu and the gradients of relu and gelu, by the formulas of src/kernels/unary.c */
#include "elements.cuh"
#include "exponential.cuh"

INLINE double gelu_part(double x)
{
	return logistic(2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x));
}

INLINE double gelu_slope(double x)
{
	double s = gelu_part(x);
	return s + x * s * (1 - s) * (2 * 0.79788456080286535588) * (1 + 3 * 0.044715 * x * x);
}

ELEMENTWISE(unary_scale, 1, a * option[0])
ELEMENTWISE(unary_exp, 1, exponential(a))
ELEMENTWISE(unary_sqrt, 1, sqrt(a))
ELEMENTWISE(unary_relu, 1, a < 0 ? 0 : a)
ELEMENTWISE(unary_relu_grad, 2, b <= 0 ? 0 : a)
ELEMENTWISE(unary_gelu, 1, a *gelu_part(a))
ELEMENTWISE(unary_gelu_grad, 2, a *gelu_slope(b))
