/* played.h -- private to lessons/: from typed lines to a verdict. An umbrella header.
 *
 *     starter (seeds, `let`s)   lines   end   | reference's tensors, starter's variables | gates
 *
 * A reference runs in its own world; its tensors are copied, so the attempt's lines cannot reach
 * it. */
#ifndef RANKSH_LESSON_PLAYED_H
#define RANKSH_LESSON_PLAYED_H

#include "shell/course/lessons/lesson_file.h"
#include "shell/sandbox/sandbox.h"
#include "shell/session/shell.h"
#include "shell/session/course.h"
#include "shell/values/best.h"

/* ---- typed.c: a list of lines */

/* A typed line, or the lines of one block */
struct typed_line {
	char *text; /* owned */
	int line;
};
struct task_lines {
	struct typed_line *line;
	size_t count;
};
void typed_add(struct task_lines *typed, const char *text, size_t count, int line);
/* Splits a text into statements; lines count from 1. An unparsable part is one entry. */
void typed_text(struct task_lines *typed, const char *text);
/* Returns the number of lines without the last ones that only read results (print, sync ...). */
size_t typed_work(const struct task_lines *typed);
void typed_release(struct task_lines *typed);

/* ---- task_rules.c: steering, and `let` or `def` of the lesson's names, are refused */

/* The file name of a task's own texts, as messages print it */
#define TASK_FILE "the task"

struct task_rules {
	struct watch watch; /* applies only these rules; typed.c replaces its members */
	struct text names;  /* of the starter's `let`s and `def`s, with a blank around each */
	const char *allow;  /* words that are allowed anyway; borrowed */
};
/* Fills zeroed *rules. The task must outlive them. */
void task_rules_make(struct task_rules *rules, const struct lesson_task *task);
/* Fails with ST_ARGUMENT, the reason and an alternative if the statement is refused. */
enum status task_rules_check(const struct task_rules *rules, const struct statement *statement);
void task_rules_release(struct task_rules *rules);

/* ---- played.c: runs a task in a sandbox */

/* How a world differs from the learner's */
struct variation {
	char label[64]; /* "M = 6", "8 ranks", "other data"; "": no difference */
	int n;
	uint64_t salt;
	char argument[64]; /* "M=6" or "" */
};

struct gate {
	struct text line;         /* the `expect`, without its remark */
	struct text remark;       /* "": none */
	bool asked, held;         /* evaluated; true */
	struct text words;        /* output of a failed gate */
	struct text figure, best; /* values of the left side and of `best()`; "": none */
};
struct gates {
	struct gate *gate;
	size_t count;
};
/* Parses a check's lines. */
void gates_read(struct gates *gates, const struct text *check);
void gates_release(struct gates *gates);

enum play_outcome {
	PLAYED_NOT, /* not yet run */
	PLAYED_TO_END,
	PLAYED_REFUSED, /* a line failed, the starter's included, or memory ran out */
	PLAYED_OVER,    /* the step limit was reached */
	PLAYED_STUCK
};
/* Set the first part and zero the rest; free with played_release. */
struct task_play {
	const struct lesson_task *task;
	const struct task_lines *lines;
	bool ruled;                      /* the task's rules apply to the lines */
	const struct kept_world *beside; /* a reference's tensors; NULL: none */
	struct gates *gates;             /* NULL: none */
	bool all_gates;                  /* evaluate all, not only up to the first failure */
	/* by rank: records figures or looks them up; NULL: none */
	struct best *best;
	/* expressions to record in best, one a line; NULL: none */
	const char *figures;
	bool wants_tensors;              /* copy the tensors to `kept` */
	int64_t steps_most, memory_most; /* 0: no limit */

	enum play_outcome outcome;
	int line;          /* the line that failed */
	struct text words; /* why it did not finish */
	struct text cause; /* of a failed time gate: the cause of the lost time */
	struct kept_world kept;
	int64_t steps, memory; /* steps used; peak memory of any one space, in bytes */
};
/* Rank 0 only. A failing line is an outcome, not an error; fails as sandbox_run does. */
enum status played_run(struct task_play *played, const struct variation *variant, struct shell *of);
void played_release(struct task_play *played);
/* Removes the name on the rank, also if it is a variable or a stream. */
void played_unname(struct shell *shell, int rank, const char *name);
struct best *bests_make(int n); /* records figures until bests_keep(best, n, false) */
void bests_keep(struct best *best, int n, bool keep);
void bests_release(struct best *best, int n);

/* ---- asked.c: gates and figures in a played world */

/* Evaluates played->figures into played->best; skips those without a value. */
void asked_figures(struct shell *shell, struct task_play *played);
/* Evaluates the gates up to the first that fails, or all (all_gates). While figures are recorded
 * (best.keeps), evaluates only gates with `best`. */
void asked_gates(struct shell *shell, struct task_play *played);

/* Adds the first arguments of the check's close() and close_step(), each with a blank after it. */
void gates_compared(const struct text *check, struct text *names);
/* Returns true if the gates contain the name as a whole word. */
bool gates_speak_of(const char *lines, const char *name);
/* A gate's topic, given by the functions in it. X(symbol, words for the learner) */
#define TOPICS(X)                 \
	X(LINES, "the lines")     \
	X(NUMBERS, "the numbers") \
	X(ORDER, "the order")     \
	X(TIME, "time")           \
	X(MEMORY, "memory")       \
	X(TRAFFIC, "bytes sent")
enum topic {
#define X(symbol, words) TOPIC_##symbol,
	TOPICS(X)
#undef X
	        TOPIC_COUNT
};
enum topic gate_topic(const struct gate *gate);
const char *topic_words(enum topic topic);

/* ---- trial.c: decides whether lines solve a task, in several sandboxes
 *
 *     variant       solution -> best()    reference -> r    the lines: gates
 *     as seen            x                     x                x         all gates
 *     other data                               x                x         up to the first failure
 *     M = 6              x                     x                x
 *     8 ranks            x                     x                x */

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
/* A variant's figures of the solution and tensors of the reference */
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

/* Sets *figure to the largest value of `what` on any rank after the lines (NULL: the solution).
 * Fails with ST_ARGUMENT if there is no value. */
enum status trial_figure(const struct lesson_task *task, int n, const struct text *lines, const char *what,
        struct shell *of, struct number *figure);
/* A prediction's choice; of is NULL for the true figure */
struct offered {
	const struct lesson_attempt *of;
	struct number figure;
};
enum { OFFERED_MAX = CHOICES_MAX + 1 };
/* Sets the true figure of the task's prediction, then one for each `#: choice`. *count: their
 * number; on failure the last one failed. */
enum status trial_choices(const struct lesson_task *task, int n, struct shell *of,
        struct offered choice[OFFERED_MAX], int *count);

/* ---- cheats.c: generated wrong attempts: a compared tensor without the work, or overwritten
 *
 *     close(y, r)    y unwritten | y filled with its last number | y a copy of a starter's tensor
 *
 * Each runs alone and after the solution. */

struct cheat {
	struct text what, lines;
};
struct cheats {
	struct cheat *cheat;
	size_t count;
};
/* Fills a zeroed *cheats from rank 0's tensors; always release it. Fails with ST_INTERRUPTED. */
enum status cheats_make(struct cheats *cheats, const struct lesson_task *task, int n, struct shell *of);
void cheats_release(struct cheats *cheats);

#endif
