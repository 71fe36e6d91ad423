/* trial.h -- decides whether lines solve a task, in several sandboxes (played.h)
 *
 *     variant       solution -> best()    reference -> r    the lines: gates
 *     as seen            x                     x                x         all gates
 *     other data                               x                x         up to the first failure
 *     M = 6              x                     x                x
 *     8 ranks            x                     x                x */
#ifndef RANKSH_LESSON_TRIAL_H
#define RANKSH_LESSON_TRIAL_H

#include "shell/course/lessons/played.h"

struct task_verdict {
	bool right;
	/* From the variant that failed, or else from the learner's: */
	struct variation variant;
	enum play_outcome outcome;
	/* the line that failed; the first failed gate, -1: none */
	int line, gate;
	struct gates gates;
	struct text words;   /* why it did not finish */
	struct text cause;   /* cause of the lost time */
	struct text also;    /* other variants that passed: "other data, M = 6 and 8 ranks" */
	struct text literal; /* "your line 3 has 8": a number that differs in the failed variant */
};
/* A variant's cache: the solution's figures and the reference's tensors */
struct known {
	struct best *best; /* by rank */
	int64_t steps, memory;
	struct kept_world beside;
};
enum { VARIANTS_MOST = 2 + 2 * VARIED_MAX + COUNTS_MAX };
struct trials {
	const struct lesson_task *task;
	int n; /* the learner's number of ranks */
	struct shell *of;
	struct variation variant[VARIANTS_MOST];
	struct known known[VARIANTS_MOST];
	int count;
};
void trials_open(struct trials *trials, const struct lesson_task *task, int n, struct shell *of);
/* Rank 0 only; always release *verdict. Fails with ST_INTERRUPTED; with ST_SYNTAX, which names the
 * task, if the lesson's own starter, reference or solution fails. */
enum status trials_run(struct trials *trials, const struct task_lines *lines, struct task_verdict *verdict);
void trials_close(struct trials *trials);
void verdict_release(struct task_verdict *verdict);

/* Sets *figure to the largest value on any rank after the lines (NULL: the solution's). Fails with
 * ST_ARGUMENT if there is no value. */
enum status trial_figure(const struct lesson_task *task, int n, const struct text *lines, const char *what,
        struct shell *of, struct number *figure);
/* A prediction's choice; of is NULL for the true figure */
struct offered {
	const struct lesson_attempt *of;
	struct number figure;
};
enum { OFFERED_MAX = CHOICES_MAX + 1 };
/* Fills `choice`: the true figure of the task's prediction, then one for each `#: choice`. *count:
 * those filled, with the failed one. */
enum status trial_choices(const struct lesson_task *task, int n, struct shell *of,
        struct offered choice[OFFERED_MAX], int *count);

#endif
