/* fit.h -- rates and latencies out of measured times: straight lines through noisy points.
 *
 * Everything a machine's file says of a kind of work is a line: a fixed part and a part by amount,
 *
 *      time = fixed * latency + amount * cost        copies: 1 * copy_latency + bytes / h2d
 *                                                     a ring: rounds * link_latency + bytes sent / link_rate
 *
 * where several kinds share the latency and each has a cost of its own. May call: base/. */
#ifndef RANKSH_FIT_H
#define RANKSH_FIT_H

#include <stdbool.h>

#include <stddef.h>

enum { FIT_LINES = 4 };

/* One measured time. line: which of the lines it is of; ns above 0 */
struct fit_sample {
	int line;
	double fixed, amount, ns;
};

/* What is known of the lines: before the fit what to keep where nothing was measured, after it the result.
 * latency_ns and cost_ns (for one unit of amount) are not negative. */
struct fit {
	double latency_ns, cost_ns[FIT_LINES];
	bool found_latency, found[FIT_LINES]; /* that the samples determined it */
};

/* The lines from which the samples are off the least, in sum, each as part of its own time (least absolute
 * relative errors: one sample that a busy machine delayed moves nothing). A line of one amount only determines its
 * cost when the others determine the latency; where nothing does, the latency is kept. A cost that makes no more than 100
 * ns of any sample is lost in the rounding of times: it is kept. */
void fit_lines(const struct fit_sample *samples, size_t count, struct fit *fit);
/* The median of |fit - measured| / measured; 0 of no samples */
double fit_error(const struct fit *fit, const struct fit_sample *samples, size_t count);

#endif
