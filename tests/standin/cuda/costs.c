/* costs.c -- what things take on the virtual clock: a fixed time and a rate each, as RANKSH_STANDIN says or as they are by themselves */
#include "base/dtype.h"
#include "cuda/kernels/arguments.h"
#include "inside.h"
#include <stdlib.h>
#include <string.h>

static struct cost {
	const char *name, *unit; /* of its rate, behind K M G T or nothing; "": it has none */
	double ns, rate;         /* amount in one ns; 0: the amount takes no time */
} costs[] = {
#define X(symbol, name, unit, ns, rate) {name, unit, ns, rate},
        STANDIN_COSTS(X)
#undef X
};

int64_t standin_cost(enum standin_cost what, double amount)
{
	const struct cost *cost = &costs[what];
	return (int64_t)cost->ns + (cost->rate > 0 ? (int64_t)(amount / cost->rate) : 0);
}

bool standin_has_rate(enum standin_cost what)
{
	return costs[what].rate > 0;
}

double elements_bytes(const void *argument)
{
	static const int bytes_of[] = {
#define X(symbol, name, bytes) bytes,
		DTYPES(X)
#undef X
	};
	const struct elements *all = argument;
	double bytes = 0;
	for (int t = 0; t < ELEMENTS_TENSORS && all->tensor[t].data; t++) {
		double own = bytes_of[all->tensor[t].dtype];
		for (int d = 0; d < all->dims; d++)
			own *= all->tensor[t].stride[d] ? (double)all->dim[d] : 1;
		bytes += own;
	}
	return bytes;
}

void costs_clear(void)
{
	for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
		costs[i].ns = costs[i].rate = 0;
}

/* "25GB/s" */
static bool read_rate(const char *text, const char *unit, double *rate)
{
	static const char prefixes[] = "KMGT";
	char *end;
	double n = strtod(text, &end), size = 1;
	const char *prefix = *end ? strchr(prefixes, *end) : NULL;
	for (int i = 0; prefix && i <= prefix - prefixes; i++)
		size *= 1000;
	*rate = n * size / 1e9;
	return *unit && end > text && n > 0 && n < 1e15 && !strcmp(end + (prefix != NULL), unit);
}

bool costs_read(char *text)
{
	char *time = strchr(text, ':'), *rate = strchr(text, ',');
	if (!time || (rate && rate < time))
		return false;
	*time++ = 0;
	if (rate)
		*rate++ = 0;
	for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
		struct cost *cost = &costs[i];
		int64_t ns;
		if (strcmp(cost->name, text))
			continue;
		if (!time_read(time, &ns) || (rate && !read_rate(rate, cost->unit, &cost->rate)))
			return false;
		cost->ns = (double)ns;
		return true;
	}
	return false;
}
