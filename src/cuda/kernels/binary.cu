/* binary.cu -- add sub mul div maximum fmax fmin (src/kernels/binary.c). i32 sums and products
 * wrap. */
#include "cuda/kernels/elements.cuh"

ELEMENTWISE(binary_add, 2, float, a + b)
ELEMENTWISE(binary_sub, 2, float, a - b)
ELEMENTWISE(binary_mul, 2, float, a *b)
ELEMENTWISE(binary_div, 2, float, a / b)
ELEMENTWISE(binary_maximum, 2, float, a > b || a != a ? a : b)
ELEMENTWISE(binary_fmax, 2, float, a > b || b != b ? a : b)
ELEMENTWISE(binary_fmin, 2, float, a < b || b != b ? a : b)
ELEMENTWISE(binary_add_whole, 2, double, wrapped((long long)a + (long long)b))
ELEMENTWISE(binary_sub_whole, 2, double, wrapped((long long)a - (long long)b))
ELEMENTWISE(binary_mul_whole, 2, double, wrapped((long long)a *(long long)b))
