/* learners.h -- each learner's progress, derived from a class's sessions; pure */
#ifndef RANKSH_CLASS_LEARNERS_H
#define RANKSH_CLASS_LEARNERS_H

#include "base/names.h"
#include "shell/course/class/roll.h"

struct learner_task {
	const char *name;         /* "4.2"; borrowed from the roll, as are all texts here */
	bool solved, solved_here; /* solved_here: in the latest session */
	int checks, wrong, wrong_in_a_row, hints, solutions, skips, predictions;
	int64_t seconds;                /* time in the task until it was solved */
	const char *opened, *solved_at; /* times of day; NULL: never */
	/* last_wrong: from the last wrong check; last_lines: from the last check; NULL: none */
	const char *last_wrong, *last_lines;
};
enum learner_state { LEARNER_STUCK, LEARNER_WORKS, LEARNER_DONE, LEARNER_AWAY };
struct learner {
	const char *name, *id;
	int twin;                  /* 2: the second learner with that name; else 1 */
	struct learner_task *task; /* in the order of first opening; owned */
	size_t tasks;
	struct names *names; /* number i is task[i - 1]; owned */
	int at;              /* index of the current task; -1: none yet */
	int solved;
	uint64_t lessons_done; /* bit 0: lesson 1 */
	bool left;             /* the session ended, or is silent */
	int64_t grew;
	enum learner_state state;
	int64_t waits_s; /* time in the current task, if unsolved */
};
struct wrong_group {
	const char *task, *words;
	/* learners: that made this mistake; now: those of them whose last check made it, in an
	 * unsolved task */
	int learners, now;
	int attempts;
	size_t last; /* index of the last learner counted */
};
struct learners {
	struct learner *learner; /* stuck learners first, the longest wait on top */
	size_t count;
	struct wrong_group *group; /* the most current mistakes first */
	size_t groups;
};

/* Fills *learners. now: seconds since 1970, by the disk's clock. A learner is stuck after three
 * wrong checks in a row or ten minutes in a task, and away after two silent hours or at the
 * session's end. */
void learners_make(struct learners *learners, const struct roll *roll, int64_t now);
void learners_release(struct learners *learners);
/* Adds "ada" or "ada (2)", safe for the screen, at most `columns` wide. */
void learner_name(const struct learner *learner, int columns, struct text *out);

/* ---- another user's text for the screen */

/* Appends the text as printable characters on one line, at most `columns` wide, truncated with an
 * ellipsis. Combining accents and direction marks are dropped; other unprintable ones become '?'.
 * Requires UTF-8. */
void clean_put(struct text *out, const char *utf8, int columns);
/* Returns the width, in columns, of text from clean_put. */
int clean_columns(const char *utf8);
/* Returns 1 or 2. */
int clean_width(uint32_t point);

#endif
