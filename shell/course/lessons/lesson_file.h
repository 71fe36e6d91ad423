/* lesson_file.h -- a lesson's file taken apart; pure. docs/guide/lesson-files.md says what each part is for. */
#ifndef RANKSH_LESSON_FILE_H
#define RANKSH_LESSON_FILE_H

#include "base/status.h"
#include "base/text.h"

enum { TASKS_MAX = 12, COUNTS_MAX = 16, VARIED_MAX = 4, CHOICES_MAX = 5, GATES_MAX = 64, RANKS_MOST = 64 };

/* The texts of a task that it has once each. X(symbol, its word behind "#: ", must it have one). TITLE and STORY stand without a
 * word; of PREDICT and ASK, which are lines themselves, the question is the part, and the answer the one behind it. */
#define LESSON_PARTS(X)                  \
	X(TITLE, "", true)               \
	X(STORY, "", true)               \
	X(START, "start", false)         \
	X(CHECK, "check", true)          \
	X(REFERENCE, "reference", false) \
	X(HINT, "hint", true)            \
	X(SOLUTION, "solution", true)    \
	X(TRANSFER, "transfer", false)   \
	X(ALLOW, "allow", false)         \
	X(VARY, "vary", false)           \
	X(PREDICT, "predict", false)     \
	X(ANSWER, "", false)             \
	X(ASK, "ask", false)             \
	X(ASK_ANSWER, "", false)
enum lesson_part {
#define X(symbol, word, must) PART_##symbol,
	LESSON_PARTS(X)
#undef X
	        PARTS
};
/* Lines of which there may be any number. X(symbol, its word, what it is) */
#define LESSON_ATTEMPTS(X)                                                                 \
	X(WRONG, "wrong", "lines that look right: they run, and fail a gate")              \
	X(NAIVE, "naive", "such lines, which take at least 15 % longer than the solution") \
	X(RIGHT, "right", "another way to do it, which passes")                            \
	X(CHOICE, "choice", "what the prediction would be, if things were as a wrong model has them")
enum attempt_kind {
#define X(symbol, word, what) ATTEMPT_##symbol,
	LESSON_ATTEMPTS(X)
#undef X
	        ATTEMPT_KINDS
};
struct lesson_attempt {
	enum attempt_kind kind;
	int line;          /* of its head in the file */
	struct text words; /* behind its word: of a CHOICE what it is called */
	struct text lines;
};
/* "M=2:9": from 2 up to 8 */
struct lesson_varied {
	char name[32];
	int from, to;
};
struct lesson_task {
	struct text part[PARTS];
	int at[PARTS]; /* number of the line of its head; 0: it is not there */
	bool unseen;   /* the starter's lines are not shown */
	struct lesson_attempt *attempt;
	size_t attempts;
	struct lesson_varied varied[VARIED_MAX];
	int varies;
	int count[COUNTS_MAX]; /* `ranks=` of vary */
	int counts;
};

struct lesson_file {
	struct text title, minutes, learned;
	struct lesson_task task[TASKS_MAX];
	int tasks;
	/* The numbers of ranks that it is for, rising. One alone: at least so many; none: any number does. */
	int count[COUNTS_MAX];
	int counts;
};

/* Into a zeroed one, which is to be released in any case. steps: the tour's, which have lines to run and a text and nothing
 * else. ST_SYNTAX names the line. */
enum status lesson_file_read(
        struct lesson_file *file, const char *bytes, size_t count, const char *name, bool steps);
void lesson_file_release(struct lesson_file *file);
/* What the starter's `let NAME = NUMBER` says; 0: it has none */
int lesson_number_of(const struct lesson_task *task, const char *name);
/* ST_RANK: it is not for n ranks; says for how many, and how to start that. title: "lesson 5" */
enum status lesson_file_fits(const struct lesson_file *file, const char *title, int n);

#endif
