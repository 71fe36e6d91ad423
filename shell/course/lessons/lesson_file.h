/* lesson_file.h -- the parser for lesson files (docs/guide/lesson-files.md); pure */
#ifndef RANKSH_LESSON_FILE_H
#define RANKSH_LESSON_FILE_H

#include "base/status.h"
#include "base/text.h"

enum { TASKS_MAX = 12, COUNTS_MAX = 16, VARIED_MAX = 4, CHOICES_MAX = 5, GATES_MAX = 64, RANKS_MOST = 64 };

/* A task's unique parts. X(symbol, word after "#: ", required). TITLE and STORY have no word.
 * PREDICT and ASK are single lines: each holds the question, the part after it the answer. */
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
/* Parts that may be repeated. X(symbol, word, description) */
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
	int line;          /* number of its head's line */
	struct text words; /* text after the word: a CHOICE's name */
	struct text lines;
};
/* "M=2:9": 2 to 8 */
struct lesson_varied {
	char name[32];
	int from, to;
};
struct lesson_task {
	struct text part[PARTS];
	int at[PARTS]; /* number of the head's line; 0: no such part */
	bool unseen;   /* the starter is hidden */
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
	/* supported numbers of ranks, ascending; a single one is a minimum; none: any number */
	int count[COUNTS_MAX];
	int counts;
};

/* Parses into a zeroed *file; always release it. steps: it is the tour, only texts and lines.
 * Fails with ST_SYNTAX, which names the line. */
enum status lesson_file_read(
        struct lesson_file *file, const char *bytes, size_t count, const char *name, bool steps);
void lesson_file_release(struct lesson_file *file);
/* Returns the value of the starter's `let NAME = NUMBER`; 0 if none. */
int lesson_number_of(const struct lesson_task *task, const char *name);
/* Fails with ST_RANK if the lesson does not support n ranks. title: "lesson 5" */
enum status lesson_file_fits(const struct lesson_file *file, const char *title, int n);

#endif
