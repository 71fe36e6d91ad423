/* calibrate.h -- a machine's figures out of the times of a session's own operations */
#ifndef RANKSH_TRACE_CALIBRATE_H
#define RANKSH_TRACE_CALIBRATE_H

#include "machine/machine.h"
#include "trace/trace.h"

/* X(symbol, name) -- what is fitted together, because it shares a latency */
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
	struct machine machine;          /* the session's, with what was measured in its place */
	int measured[MACHINE_KEY_COUNT]; /* operations behind each figure; 0: left as it was */
	struct {
		int operations;
		double before, now; /* median error: |machine's time - measured| / measured */
	} part[CALIBRATED_COUNT];
};

/* From all operations of the section (-1: any) that are over, took time, and had their rank's device to themselves; of a
 * collective, one time for all its ranks. `spin`, kernels of the host, and copies with a rate of their own tell nothing of the
 * machine. Collectives within a node are fitted by latency and rate of its links, unless the machine has NCCL's model and
 * that is nearer. ST_INTERRUPTED */
enum status trace_calibrate(const struct trace *trace, int section, struct calibration *out);
/* What was measured, and how far off the machine was before and is now, as tables */
void calibration_text(
        const struct calibration *calibration, const struct machine *before, int width, struct text *out);
/* The machine as a file that machine_load reads; measured figures say of how many operations they are. It begins with
 * CALIBRATION_BEGINS. */
#define CALIBRATION_BEGINS "# written by `calibrate`\n"
void calibration_file(const struct calibration *calibration, struct text *out);

#endif
