/* trial.h -- are these lines a task's solution? Asked in several sandboxes (played.h)
 *
 *     variant       solution -> best()    reference -> r    the lines: gates
 *     as seen            x                     x                x             every gate is asked
 *     other data                               x                x             up to the first that does not hold
 *     M = 6              x                     x                x
 *     8 ranks            x                     x                x */
#ifndef RANKSH_LESSON_TRIAL_H
#define RANKSH_LESSON_TRIAL_H

#include "shell/course/lessons/played.h"

struct task_verdict {
	bool right;
	/* of the world in which it failed, or else of the one that the learner sees: */
	struct variation variant;
	enum play_outcome outcome;
	int line, gate; /* the line that was refused; the first gate that does not hold, -1: none */
	struct gates gates;
	struct text words;   /* why it did not come to its end */
	struct text cause;   /* what time was lost with */
	struct text also;    /* the variants in which it held, besides: "other data, M = 6 and 8 ranks" */
	struct text literal; /* "your line 3 has 8": in a world where that is another number */
};
/* What is known of a variant: the solution's figures and the reference's tensors, once somebody has asked */
struct known {
	struct best *best; /* by rank */
	int64_t steps, memory;
	struct kept_world beside;
};
enum { VARIANTS_MOST = 2 + 2 * VARIED_MAX + COUNTS_MAX };
struct trials {
	const struct lesson_task *task;
	int n; /* ranks of the world that the learner sees */
	struct shell *of;
	struct variation variant[VARIANTS_MOST];
	struct known known[VARIANTS_MOST];
	int count;
};
void trials_open(struct trials *trials, const struct lesson_task *task, int n, struct shell *of);
/* By rank 0 alone. ST_INTERRUPTED; ST_SYNTAX, worded with the task, where it is the lesson that is wrong: its
 * starter, reference or solution is refused. *verdict is to be released in any case. */
enum status trials_run(struct trials *trials, const struct task_lines *lines, struct task_verdict *verdict);
void trials_close(struct trials *trials);
void verdict_release(struct task_verdict *verdict);

/* An expression's value behind the lines (NULL: the solution's), the largest of all ranks. ST_ARGUMENT: it cannot be known. */
enum status trial_figure(const struct lesson_task *task, int n, const struct text *lines, const char *what,
        struct shell *of, struct number *figure);

#endif
