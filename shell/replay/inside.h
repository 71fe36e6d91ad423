/* inside.h -- private to replay/: the answers to questions (question.h), each of which runs lines again
 *
 * An umbrella header. */
#ifndef RANKSH_REPLAY_INSIDE_H
#define RANKSH_REPLAY_INSIDE_H

#include "base/arithmetic.h"
#include "shell/replay/rerun.h"
#include "shell/session/shell.h"
#include "shell/replay/question.h"

struct table;

/* Of one section: times in ns and bytes of an iteration, where the section has some, but for the first; else of the section */
struct world_figures {
	bool iterations;
	double time, exposed;
	double sent; /* bytes that a rank sends */
	double bubble;
	int64_t peak, kind[MEMORY_KINDS]; /* bytes: of the rank that has the most */
	int most;                         /* enum critical_kind of most of the critical path, */
	double part;                      /* this part of it; 0: there is none */
	size_t races;
};
/* Those that take long are asked for. */
enum {
	MEASURE_PATH = 1 /* most, part */,
	MEASURE_SENT = 2,
	MEASURE_RACES = 4,
	MEASURE_TIME = 8 /* where there are no iterations */
};
/* Projects nothing: of a world that was looked at. ST_WAITS: something has no end. */
enum status measure_world(struct shell *shell, int section, int wanted, struct world_figures *out);
/* Of lines that ran again: where something has no end, the words tell who waits, since `stuck` tells of the session. */
enum status measure_rerun(struct rerun *rerun, int section, int wanted, struct world_figures *out);
/* How far the simulator is from what was measured of the same lines, ns */
void say_off(struct shell *shell, double measured, double simulated);
/* As wide as the session's output; the table is released. */
void say_figures(struct shell *shell, struct table *table);
/* Changes that have met nothing would be answered with "nothing changes": ST_NAME. */
enum status changes_met(const struct changes *changes);

#endif
