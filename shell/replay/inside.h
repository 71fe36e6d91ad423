/* inside.h -- private to replay/. An umbrella header. */
#ifndef RANKSH_REPLAY_INSIDE_H
#define RANKSH_REPLAY_INSIDE_H

#include "base/arithmetic.h"
#include "shell/replay/rerun.h"
#include "shell/session/shell.h"
#include "shell/replay/replay.h"

struct table;

/* A section's figures, in ns and bytes: per iteration, without a program's first one, or
 * (`iterations` false) of the whole section */
struct world_figures {
	bool iterations;
	double time, exposed;
	double sent; /* bytes sent by a rank */
	double bubble;
	int64_t peak, kind[MEMORY_KINDS]; /* bytes, on the rank with the largest peak */
	/* the enum critical_kind with the largest part of the critical path */
	int most;
	double part; /* the size of that part; 0: no path */
	size_t races;
};
enum {
	MEASURE_PATH = 1, /* most, part */
	MEASURE_SENT = 2,
	MEASURE_RACES = 4,
	MEASURE_TIME = 8 /* without iterations */
};
/* Measures a projected world. Fails with ST_WAITS if an operation has no end. */
enum status measure_world(struct shell *shell, int section, int wanted, struct world_figures *out);
/* The same for a rerun. ST_WAITS has another message, because `stuck` describes the session. */
enum status measure_rerun(struct rerun *rerun, int section, int wanted, struct world_figures *out);
/* Prints the error of the simulated time relative to the measured time of the same lines, both in
 * ns. */
void say_off(struct shell *shell, double measured, double simulated);
void say_figures(struct shell *shell, struct table *table);
/* Fails with ST_NAME if a change applied to nothing. */
enum status changes_met(const struct changes *changes);

#endif
