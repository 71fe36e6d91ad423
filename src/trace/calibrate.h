/* calibrate.h -- a machine's figures from the times of a session's own operations */
#ifndef RANKSH_TRACE_CALIBRATE_H
#define RANKSH_TRACE_CALIBRATE_H

#include "machine/machine.h"
#include "trace/trace.h"

/* X(symbol, name): kinds of work; the figures of each are fitted together */
#define CALIBRATED(X)                 \
	X(LAUNCHES, "launches")       \
	X(KERNELS, "kernels")         \
	X(COPIES, "copies")           \
	X(HOST_COPIES, "host copies") \
	X(DISKS, "disks")             \
	X(LINKS, "links")             \
	X(NETWORK, "network")         \
	X(COLLECTIVES, "collectives")
enum calibrated {
#define X(symbol, name) CALIBRATED_##symbol,
	CALIBRATED(X)
#undef X
	        CALIBRATED_COUNT
};

struct calibration {
	struct machine machine;          /* the session's, with the measured figures */
	int measured[MACHINE_KEY_COUNT]; /* number of operations by figure; 0: unchanged */
	struct {
		int operations;
		double before, now; /* median error: |machine's time - measured| / measured */
	} part[CALIBRATED_COUNT];
};

/* Fits the figures to the finished operations in the section (-1: any) that had their rank's
 * device to themselves. A collective within a node counts once. `spin`, host kernels, copies with
 * their own rate, transfers of several parts and collectives across nodes do not count.
 * Collectives also determine the links' latency and rate, unless the NCCL model predicts their
 * times at least as well; if it does not, `nccl` becomes 0. Raises a peak below its measured rate.
 * Sets `link_switched` to 1 if links are faster than host copies. */
enum status trace_calibrate(const struct trace *trace, int section, struct calibration *out);
/* Appends tables: the measured figures, and the machine's error before and after. */
void calibration_text(
        const struct calibration *calibration, const struct machine *before, int width, struct text *out);
/* Appends the machine as a file for machine_load, beginning with CALIBRATION_BEGINS; measured
 * figures have their number of operations as a comment. */
#define CALIBRATION_BEGINS "# written by `calibrate`\n"
void calibration_file(const struct calibration *calibration, struct text *out);

#endif
