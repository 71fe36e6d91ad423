/* unary.cu -- scale exp sqrt relu gelu and gradients of relu and gelu, by the formulas of
 * src/kernels/unary.c */
#include "cuda/kernels/elements.cuh"
#include "cuda/kernels/exponential.cuh"

template <class Number> INLINE Number gelu_part(Number x)
{
	return logistic((Number)(2 * 0.79788456080286535588) * (x + (Number)0.044715 * x * x * x));
}

/* Far from 0 the part is 0 or 1; returning it avoids that x * x overflows in float. An infinite x
 * gives NaN. */
template <class Number> INLINE Number gelu_slope(Number x)
{
	Number s = gelu_part(x);
	if (s * (1 - s) == 0 && x - x == 0)
		return s;
	return s +
	        x * s * (1 - s) * (Number)(2 * 0.79788456080286535588) * (1 + (Number)(3 * 0.044715) * x * x);
}

/* PyTorch rounds the factor to f32, too; its product with an f32 is exact in double. */
ELEMENTWISE(unary_scale, 1, float, a *(Number)(float)option[0])
ELEMENTWISE(unary_exp, 1, double, exponential(a))
ELEMENTWISE(unary_sqrt, 1, float, sqrt(a))
ELEMENTWISE(unary_relu, 1, float, a < 0 ? 0 : a)
ELEMENTWISE(unary_relu_grad, 2, float, b <= 0 ? 0 : a)
ELEMENTWISE(unary_gelu, 1, float, a *gelu_part(a))
ELEMENTWISE(unary_gelu_grad, 2, float, a *gelu_slope(b))
