/* learners.h -- who is where, from the sessions of a class; pure */
#ifndef RANKSH_CLASS_LEARNERS_H
#define RANKSH_CLASS_LEARNERS_H

#include "base/names.h"
#include "shell/course/class/roll.h"

/* A task of one learner, over all sessions */
struct learner_task {
	const char *name;         /* "4.2"; borrowed from the roll, as all texts here are */
	bool solved, solved_here; /* ... in the session at hand */
	int checks, wrong, wrong_in_a_row, hints, solutions, skips, predictions;
	int64_t seconds;                     /* in it, until it was solved */
	const char *opened, *solved_at;      /* times of day; NULL: never */
	const char *last_wrong, *last_lines; /* of the last check; NULL: none */
};
enum learner_state { LEARNER_STUCK, LEARNER_WORKS, LEARNER_DONE, LEARNER_AWAY };
struct learner {
	const char *name, *id;
	int twin;                  /* 2: the second of that name; 1 */
	struct learner_task *task; /* in the order of the first opening; owned */
	size_t tasks;
	struct names *names; /* of the tasks: the i-th one is task[i - 1]; owned */
	int at;              /* the task at hand; -1: none yet */
	int solved;
	uint64_t lessons_done; /* bit 0: lesson 1 */
	bool left;
	int64_t grew;
	enum learner_state state;
	int64_t waits_s; /* in the task at hand, until now */
};
/* One thing that went wrong */
struct wrong_group {
	const char *task, *words;
	int learners, now; /* who has met it; whose last check it still is, at a task not solved */
	int attempts;
	size_t last; /* the learner that was counted last */
};
struct learners {
	struct learner *learner; /* stuck ones first, the longest of them at the top */
	size_t count;
	struct wrong_group *group; /* most learners first */
	size_t groups;
};

/* now: seconds since 1970, by the clock of the folder's disk. A learner is stuck after three wrong checks in a row, or ten minutes in a
 * task; away when the session has ended, or has said nothing for two hours. */
void learners_make(struct learners *learners, const struct roll *roll, int64_t now);
void learners_release(struct learners *learners);
/* "ada", or "ada (2)", as it may be shown; columns: at most so wide */
void learner_name(const struct learner *learner, int columns, struct text *out);

#endif
