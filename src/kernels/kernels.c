/* kernels.c -- the list of kernels, in the order of help, and which machine code their loops run in.
 *
 * To add a kernel: its row `const struct kernel kernel_NAME` in the file of its family, and X(NAME) here.
 * Parsing, help, completion, books, costs and the tests that try every example find it by this list. */
#include "kernels/kernel.h"
#include "kernels/widths.h"

#include <stddef.h>
#include <string.h>

#define KERNELS(X)           \
	X(matmul)            \
	X(add)               \
	X(sub)               \
	X(mul)               \
	X(div)               \
	X(maximum)           \
	X(fmax)              \
	X(fmin)              \
	X(scale)             \
	X(exp)               \
	X(rowmax)            \
	X(rowsum)            \
	X(relu)              \
	X(relu_grad)         \
	X(gelu)              \
	X(gelu_grad)         \
	X(softmax)           \
	X(softmax_grad)      \
	X(layernorm)         \
	X(layernorm_grad)    \
	X(attention)         \
	X(attention_grad)    \
	X(embed)             \
	X(embed_grad)        \
	X(colsum)            \
	X(dropout)           \
	X(dropout_grad)      \
	X(mse)               \
	X(mse_grad)          \
	X(crossentropy)      \
	X(crossentropy_grad) \
	X(cast)              \
	X(quantize)          \
	X(topk)              \
	X(fill)              \
	X(sgd)               \
	X(adam)              \
	X(zeros)             \
	X(ones)              \
	X(full)              \
	X(iota)              \
	X(uniform)           \
	X(randn)             \
	X(spin)

#define X(name) extern const struct kernel kernel_##name;
KERNELS(X)
#undef X

static const struct kernel *const kernels[] = {
#define X(name) &kernel_##name,
        KERNELS(X)
#undef X
};

const struct kernel *kernel_at(int i)
{
	return i >= 0 && (size_t)i < sizeof kernels / sizeof *kernels ? kernels[i] : NULL;
}

const struct kernel *kernel_find(const char *name)
{
	const struct kernel *kernel;
	for (int i = 0; (kernel = kernel_at(i)) != NULL; i++)
		if (strcmp(kernel->name, name) == 0)
			return kernel;
	return NULL;
}

/* ---- one source, three machine codes ---- */

static enum width allowed = WIDTH_AVX512;

void kernels_allow(enum width width)
{
	allowed = width;
}

enum width kernels_width(void)
{
#ifdef __x86_64__
	if (allowed == WIDTH_AVX512 && __builtin_cpu_supports("avx512f") &&
	        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return WIDTH_AVX512;
	if (allowed >= WIDTH_AVX2 && __builtin_cpu_supports("avx2"))
		return WIDTH_AVX2;
#endif
	return WIDTH_ANY;
}
