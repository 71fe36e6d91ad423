/* lesson.h -- lessons and the tour: text files, built in or the user's own. Format:
 * docs/guide/lesson-files.md.
 *
 * The tour is a script of `## title` steps; Enter shows and runs the next step's lines. */
#ifndef RANKSH_LESSON_H
#define RANKSH_LESSON_H

#include "shell/course/class/rules.h"
#include "shell/session/shell.h"

struct options;
struct call; /* only its session is used */
enum status lesson_list(struct call *call);
/* Parses "4" or "4.2" as lesson and task (0: none). Returns false if it is neither. */
bool lesson_is_numbered(const char *word, int *number, int *task);
int lesson_tasks(int number); /* returns the number of tasks; 0: no such lesson */
/* Opens a lesson. number: from 1; 0: `path`. task: from 1; 0: the first. On failure the open
 * lesson stays. */
enum status lesson_open(struct shell *shell, int number, int task, const char *path);
/* Writes a lesson template to a new file. Fails with ST_FILE. */
enum status lesson_new(struct shell *shell, const char *path);
/* Closes the lesson: an empty world, with machine, settings and training plan from before it */
enum status lesson_leave(struct shell *shell);
enum status lesson_begin_again(struct shell *shell); /* restarts the task with its starter */
enum status lesson_next(struct shell *shell);
/* Prints the task, or its whole starter. */
enum status lesson_task_shown(struct shell *shell, bool start);
enum status lesson_hint(struct call *call);
/* Prints the solution; run: also restarts the task and runs it. */
enum status lesson_solution(struct shell *shell, bool run);
enum status lesson_check(struct call *call);
enum status lesson_predict(struct shell *shell, const char *answer); /* NULL: `skip` */
enum status lesson_answer(struct shell *shell, const char *answer);
enum status tour_open(struct shell *shell);
enum status tour_next(struct shell *shell);
/* Functions of struct course, described in shell/session/course.h */
bool lesson_unseen(const struct shell *shell);
void lesson_put_open(const struct shell *shell, struct text *out);
bool tour_running(const struct shell *shell);
void lesson_free(struct shell *shell);
void lesson_again(struct shell *shell);
void lesson_emptied(struct shell *shell);
/* Sets *right if the lines solve the task on n ranks, and prints the report. task: "4.2", or a
 * lesson or file (its first task). */
enum status lesson_grade(
        struct shell *shell, int n, const char *task, const char *lines, size_t count, bool *right);
/* Checks the promises of all lessons, or of the file `path`, on n ranks (0: on all numbers that
 * they support). Sets *failed to the number of failures. */
enum status lesson_hold_all(struct shell *shell, const char *path, int n, int *failed);

/* ---- learned.c: a learner's results in lessons, and the class's rules
 *
 * Replicated. Rank 0 sends new events with the line's reply (docs/internals/wire.md) to the front
 * end, which stores them. Replayed lines record nothing. */

struct learned {
	const char *folder; /* --class; NULL: no class */
	struct class_rules rules;
	int64_t ends;       /* end of the lesson's time, in seconds since 1970; 0: no limit */
	struct text solved; /* "1.1 4.2 ": tasks, in the order in which they were solved */
	struct text events; /* the line's events, each "WHAT<tab>TASK<tab>WORDS\n" */
	struct text wrong;  /* the current check's first mistake */
};

void learned_open(struct shell *shell, const struct options *options);
void learned_close(struct shell *shell);
void learned_solved_before(struct shell *shell, const char *tasks, size_t count);
void learned_line(struct shell *shell);
/* Records `what` for `task` ("4.2"). words: details, or ""; for a check "right", or NULL for the
 * text of learned_wrong. */
void learned_note(struct shell *shell, const char *what, const char *task, const char *words);
/* Records the check's first mistake; ignores later ones. */
void learned_wrong(struct shell *shell, const char *words, size_t count);
void learned_take(struct shell *shell, struct text *events);
bool learned_solved(const struct shell *shell, const char *task);

/* Collective. Rank 0 reads the class's file and the clock, and sends them to all. */
enum status learned_class(struct shell *shell);
/* For `lesson`: fails with ST_ARGUMENT if the class has not opened it. Prints the time limit, and
 * a mistake in the class's file. */
enum status learned_lesson(struct shell *shell, int number);
/* For `hint`, or else `solution`: fails with ST_ARGUMENT if the class does not show it now. */
enum status learned_shows(struct shell *shell, bool hint);
/* For a check: prints a note if the lesson's time is over. */
enum status learned_time(struct shell *shell);

#endif
