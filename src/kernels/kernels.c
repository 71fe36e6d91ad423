/* kernels.c -- the list of kernels, in `help` order. A family is a table in its own file. */
#include "kernels/kernel.h"

#include <string.h>

#define FAMILIES(X)  \
	X(matmul)    \
	X(binary)    \
	X(unary)     \
	X(rows)      \
	X(attention) \
	X(embed)     \
	X(permute)   \
	X(dropout)   \
	X(loss)      \
	X(convert)   \
	X(inplace)   \
	X(source)

/* Each table ends with a row without a name. */
#define X(family) extern const struct kernel kernels_##family[];
FAMILIES(X)
#undef X

static const struct kernel *const families[] = {
#define X(family) kernels_##family,
        FAMILIES(X)
#undef X
};
enum { FAMILY_COUNT = sizeof families / sizeof *families };

const struct kernel *kernel_at(int i)
{
	for (int f = 0; f < FAMILY_COUNT && i >= 0; f++)
		for (const struct kernel *kernel = families[f]; kernel->name; kernel++)
			if (i-- == 0)
				return kernel;
	return NULL;
}

const struct kernel *kernel_find(const char *name)
{
	for (int f = 0; f < FAMILY_COUNT; f++)
		for (const struct kernel *kernel = families[f]; kernel->name; kernel++)
			if (strcmp(kernel->name, name) == 0)
				return kernel;
	return NULL;
}
