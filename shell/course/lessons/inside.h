/* inside.h -- private to lessons/: the lesson at hand, and what its files ask of each other (README.md: which is for what)
 *
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_LESSONS_INSIDE_H
#define RANKSH_LESSONS_INSIDE_H

#include "shell/course/lessons/lesson.h"
#include "shell/course/lessons/lesson_file.h"
#include "shell/course/lessons/played.h"
#include "shell/course/lessons/task_rules.h"
#include "shell/session/lasting.h"
#include "shell/session/shell.h"
#include "shell/training/training.h"

struct embedded;
/* What the session had when a lesson was opened while none was open */
struct before {
	struct lasting lasting;
	struct plan plan;
	size_t entry; /* of the journal: that of the line that opened it */
};
struct lesson {
	struct lesson_file file;
	int number;     /* of the course, from 1; 0: the tour; -1: of a file that somebody has named */
	char path[512]; /* of such a file */
	int task;       /* from 0; -1: before the first */
	struct task_rules rules;
	struct task_lines typed;
	size_t floor;  /* of these stand before the world was last emptied */
	size_t passed; /* so many of these were right; 0: `check` has not said so */
	int hints;     /* given */
	int misses;    /* wrong answers to its question; rank 0 counts */
	char guess[64];
	bool skips;  /* no prediction is wanted */
	bool asking; /* it is right, and its question open */
	struct before before;
};

/* "lesson 5", or the file's name */
void lesson_title(const struct lesson *lesson, struct text *out);
/* ST_NAME: there is no such lesson; ST_SYNTAX, ST_FILE. number 0 the tour, -1: the file at `path`, which rank 0 reads. *made is the
 * caller's, to be freed by lesson_drop. Of the course no process is asked: shell may be NULL. */
enum status lesson_load(struct shell *shell, int number, const char *path, struct lesson **made);
void lesson_drop(struct lesson *lesson);
/* The n-th embedded one (from 1), or the tour for 0; NULL: there is none. */
const struct embedded *lesson_embedded(int number);
/* Of the open lesson */
const struct lesson_task *lesson_task_of(const struct shell *shell);
/* The task at hand; NULL, with the failure told: no lesson is open (ST_ARGUMENT). */
const struct lesson_task *lesson_current(const struct shell *shell);
/* An empty world without a model, data or a program, on the machine that the lessons' figures are for */
enum status lesson_begin_world(struct shell *shell);
/* Runs lines without showing what they say; the journal keeps them beside the command: a world made again needs them. */
enum status lesson_run(struct shell *shell, const struct text *lines);

/* before.c: `lesson` becomes the open one. It takes over what the lesson open so far has kept of the
 * session before; if none is open, it keeps that itself. */
void lesson_take(struct shell *shell, struct lesson *lesson);
/* Closes the open lesson and begins an empty world with what the session had before. If none is open
 * (closes_again in journal.h), the session has that already. */
enum status lesson_give_back(struct shell *shell);
void before_release(struct before *before);

/* own.c: where a lesson is that is called so: a path, or a name in the folder of one's own lessons; these, listed by all processes */
void own_lesson_path(const char *word, char *path, size_t room);
enum status own_lessons_tell(struct shell *shell);

/* task.c: what is typed is looked at from here on, and nothing is known of it yet; a guess stays, as the task does */
void task_watch(struct shell *shell);
/* tell.c: what a task asks. All processes call it. */
enum status task_tell(struct shell *shell);
/* Each line indented by three; blank lines stay. */
void tell_lines(struct shell *shell, const struct text *text, int colour);
/* In the place of a starter that is not shown */
void tell_unseen(struct shell *shell);
/* guess.c: the question and its choices, as rank 0 words them; may this line be typed before it is answered? */
enum status guess_put(struct shell *shell, struct text *out);
enum status guess_wanted(const struct shell *shell);
/* How the guess compares, once the task is right; the question about the picture, where there is one */
enum status guess_put_outcome(struct shell *shell, struct text *out);

/* What is done at the task at hand (learned.h): "hint", "check" ... */
void lesson_note(struct shell *shell, const char *what, const char *words);
/* It is left: skipped, if it is not solved */
void lesson_note_left(struct shell *shell);

#endif
