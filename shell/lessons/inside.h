/* inside.h -- private to lessons/: the lesson at hand, for lesson.c (how it is played) and lesson_check.c (whether a task is solved)
 *
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_LESSONS_INSIDE_H
#define RANKSH_LESSONS_INSIDE_H

#include "shell/lessons/lesson.h"
#include "shell/lessons/lesson_file.h"

struct embedded;
struct lesson {
	struct lesson_file file;
	int number; /* of the lesson, from 1; 0: the tour */
	int task;   /* from 0; -1: before the first */
};

/* The n-th embedded lesson (from 1), or the tour for 0; NULL: there is none. Lessons are numbered by their file names' order. */
const struct embedded *lesson_embedded(int number);
/* ST_NAME: there is no such lesson. *made is the caller's, to be freed by lesson_drop. */
enum status lesson_load(int number, struct lesson **made);
void lesson_drop(struct lesson *lesson);
/* Of the open lesson */
const struct lesson_task *lesson_task_of(const struct shell *shell);
/* The task at hand; NULL, with the failure told: no lesson is open (ST_ARGUMENT). */
const struct lesson_task *lesson_current(const struct shell *shell);
/* An empty world, on the machine that the lessons' figures are for, with the task's starter lines */
enum status lesson_begin_task(struct shell *shell);
/* Runs lines without showing what they say; what: for failures. The journal keeps them beside the command: a world made again
 * needs them. */
enum status lesson_run(struct shell *shell, const struct text *lines, const char *what);

/* What is done at the task at hand (learned.h): "hint", "check" ... */
void lesson_note(struct shell *shell, const char *what, const char *words);
/* It is left: skipped, if it is not solved */
void lesson_note_left(struct shell *shell);

#endif
