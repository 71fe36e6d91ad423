/* learners.h -- the progress of each learner, from the sessions of a class; pure */
#ifndef RANKSH_CLASS_LEARNERS_H
#define RANKSH_CLASS_LEARNERS_H

#include "base/names.h"
#include "shell/course/class/roll.h"

/* A task of one learner, over all their sessions */
struct learner_task {
	const char *name;         /* "4.2"; borrowed from the roll, as are all texts here */
	bool solved, solved_here; /* ... in the latest session */
	int checks, wrong, wrong_in_a_row, hints, solutions, skips, predictions;
	int64_t seconds;                     /* spent in it, until it was solved */
	const char *opened, *solved_at;      /* times of day; NULL: never */
	const char *last_wrong, *last_lines; /* of the last check; NULL: none */
};
enum learner_state { LEARNER_STUCK, LEARNER_WORKS, LEARNER_DONE, LEARNER_AWAY };
struct learner {
	const char *name, *id;
	int twin;                  /* 2: the second of that name; else 1 */
	struct learner_task *task; /* in the order in which they were first opened; owned */
	size_t tasks;
	struct names *names; /* of the tasks: number i is task[i - 1]; owned */
	int at;              /* index of the current task; -1: none yet */
	int solved;
	uint64_t lessons_done; /* bit 0: lesson 1 */
	bool left;
	int64_t grew;
	enum learner_state state;
	int64_t waits_s; /* time in the current task */
};
/* A mistake, over all learners */
struct wrong_group {
	const char *task, *words;
	/* learners that made it; learners whose last check it is, in a task that is not solved */
	int learners, now;
	int attempts;
	size_t last; /* index of the last learner counted */
};
struct learners {
	struct learner *learner; /* stuck learners first, by how long they are stuck */
	size_t count;
	struct wrong_group *group; /* by number of learners, most first */
	size_t groups;
};

/* Fills *learners from the roll. now: seconds since 1970, by the clock of the folder's disk. A
 * learner is stuck after three wrong checks in a row, or ten minutes in a task, and away if
 * the session has ended or has written nothing for two hours. */
void learners_make(struct learners *learners, const struct roll *roll, int64_t now);
void learners_release(struct learners *learners);
/* Adds "ada" or "ada (2)", safe for the screen, in at most `columns`. */
void learner_name(const struct learner *learner, int columns, struct text *out);

#endif
