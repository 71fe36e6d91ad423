/* open_lesson.h -- the open lesson, and functions that files of lessons/ share. An umbrella
 * header. */
#ifndef RANKSH_LESSONS_OPEN_LESSON_H
#define RANKSH_LESSONS_OPEN_LESSON_H

#include "shell/course/lessons/lesson.h"
#include "shell/course/lessons/lesson_file.h"
#include "shell/course/lessons/played.h"
#include "shell/session/lasting.h"
#include "shell/session/shell.h"
#include "shell/training/training.h"

struct embedded;
/* The session's state before the first lesson */
struct saved_session {
	struct lasting lasting;
	struct plan plan;
	size_t entry; /* journal entry that opened it */
};
struct lesson {
	struct lesson_file file;
	int number;      /* from 1; 0: the tour; -1: a file named by the learner */
	char path[512];  /* path of that file */
	char title[512]; /* "lesson 5", or the path */
	int task;        /* from 0; -1: none yet */
	struct task_rules rules;
	struct task_lines typed;
	size_t floor;  /* lines typed before the world was last emptied */
	size_t passed; /* number of lines that `check` found right; 0: none */
	int hints;
	int misses; /* wrong answers to the question; counted on rank 0 only */
	char guess[64];
	bool skips;  /* the learner skipped the prediction */
	bool asking; /* solved, and its question is open */
	struct saved_session saved;
};

/* Loads a lesson. number 0: the tour; -1: the file at `path`, read by rank 0. Free *made with
 * lesson_drop. shell may be NULL for a built-in lesson. Fails with ST_NAME (there is none),
 * ST_SYNTAX or ST_FILE. */
enum status lesson_load(struct shell *shell, int number, const char *path, struct lesson **made);
void lesson_drop(struct lesson *lesson);
/* Returns the built-in lesson (from 1), or the tour for 0; NULL if none. */
const struct embedded *lesson_embedded(int number);
const struct lesson_task *lesson_task_of(const struct shell *shell);
/* Returns the current task. Returns NULL and sets ST_ARGUMENT if no lesson is open. */
const struct lesson_task *lesson_current(const struct shell *shell);
/* Begins an empty world without model, data or program, on the lessons' machine. */
enum status lesson_begin_world(struct shell *shell);

/* Opens `lesson`, which takes the saved session from its predecessor, or saves it. */
void lesson_install(struct shell *shell, struct lesson *lesson);

/* own_lessons.c: sets `path` for the lesson `word`: a path, or a name in the user's lesson folder.
 * own_lessons_tell lists that folder. Collective. */
void own_lesson_path(const char *word, char *path, size_t room);
enum status own_lessons_tell(struct shell *shell);

/* typed.c: watches the task from here on. Forgets its typed lines, hints and wrong answers; the
 * guess stays. */
void task_watch(struct shell *shell);
/* tell.c: prints the task. All processes call it. */
enum status task_tell(struct shell *shell);
/* Prints the lines indented by three columns, blank lines too. */
void tell_lines(struct shell *shell, const struct text *text, int colour);
void tell_unseen(struct shell *shell);
/* guess.c: rank 0 adds the question. guess_wanted fails with ST_ARGUMENT if a guess must come
 * first. */
enum status guess_put(struct shell *shell, struct text *out);
enum status guess_wanted(const struct shell *shell);
/* Adds how the guess compares, and the question asked after a solved task. */
enum status guess_put_outcome(struct shell *shell, struct text *out);

/* Records an event of the current task: "hint", "check" ... */
void lesson_note(struct shell *shell, const char *what, const char *words);
/* Records "skip" if the task is unsolved. */
void lesson_note_left(struct shell *shell);

#endif
