/* fit.h -- fits rates and latencies to measured times: straight lines through noisy points.
 *
 * A machine file describes each kind of work by a line, a fixed part and a proportional part:
 *
 *      time = fixed * latency + amount * cost
 *      copies: 1 * copy_latency + bytes / h2d
 *      a ring: rounds * link_latency + bytes sent / link_rate
 *
 * Several kinds may share a latency; each has its own cost. May call: base/. */
#ifndef RANKSH_FIT_H
#define RANKSH_FIT_H

#include <stdbool.h>

#include <stddef.h>

enum { FIT_LINES = 4 };

/* One measured time. line: the index of its line; ns above 0 */
struct fit_sample {
	int line;
	double fixed, amount, ns;
};

/* The lines' parameters: before the fit the defaults for unmeasured parts, after it the result.
 * latency_ns and cost_ns (per unit of amount) are not negative. */
struct fit {
	double latency_ns, cost_ns[FIT_LINES];
	bool found_latency, found[FIT_LINES]; /* determined by the samples */
};

/* Fits the lines with the least sum of absolute relative errors. If a line's samples have one
 * amount, its cost is determined only if other lines determine the latency. If no line determines
 * the latency, its default is kept. A cost keeps its default if it takes less than 100 ns of every
 * sample. */
void fit_lines(const struct fit_sample *samples, size_t count, struct fit *fit);
/* Returns the median of |fit - measured| / measured; 0 without samples. */
double fit_error(const struct fit *fit, const struct fit_sample *samples, size_t count);
/* Sorts the values and returns their median; 0 without any. */
double fit_median(double *values, size_t count);

#endif
