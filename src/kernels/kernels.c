/* kernels.c -- the list of kernels, in the order of help */
#include "kernels/kernel.h"
#include "kernels/twice.h"

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

/* ---- one source, two machine codes ---- */

static bool wide_allowed = true;

void kernels_allow_wide(bool allow)
{
	wide_allowed = allow;
}

bool kernels_wide(void)
{
#ifdef __x86_64__
	return wide_allowed && __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}
