/* lesson.h -- lessons and the tour: text files in lessons/, carried in the binary, or files of anybody's, played through the same
 * commands a user types. docs/guide/lesson-files.md says how one is written.
 *
 * The tour is a script of `## title` steps; its lines are shown and run, one step for each Enter. */
#ifndef RANKSH_LESSON_H
#define RANKSH_LESSON_H

#include "shell/session/shell.h"

struct call; /* of a command that takes no words: only its session is looked at */
enum status lesson_list(struct call *call);
/* "4", "4.2": a lesson, and a task of it, 0: none is named; false: it is no such number */
bool lesson_is_numbered(const char *word, int *number, int *task);
int lesson_tasks(int number); /* how many it has; 0: there is no such lesson */
/* number from 1, or 0 and a file's path; task from 1, 0: the first. The lesson before it is left only when the new one is there and fits. */
enum status lesson_open(struct shell *shell, int number, int task, const char *path);
/* A template of a lesson in a new file. ST_FILE */
enum status lesson_new(struct shell *shell, const char *path);
/* `lesson off`: an empty world, with the machine, the settings and the plan of training from before the lesson */
enum status lesson_leave(struct shell *shell);
enum status lesson_begin_again(struct shell *shell); /* the task at hand, from its starter on */
/* The next task, of the next lesson behind the last, or step of the tour */
enum status lesson_next(struct shell *shell);
enum status lesson_task_shown(struct shell *shell, bool start); /* start: all of the starter's lines */
enum status lesson_hint(struct call *call);
enum status lesson_solution(struct shell *shell, bool run);
enum status lesson_check(struct call *call);
enum status lesson_predict(struct shell *shell, const char *answer); /* NULL: `skip` */
enum status lesson_answer(struct shell *shell, const char *answer);
enum status tour_open(struct shell *shell);
enum status tour_next(struct shell *shell);
/* The open task's starter is not to be seen: nor is what it ran. */
bool lesson_unseen(const struct shell *shell);
/* Adds the task that is open, "task 4.2" or "task 2 of F.rsh"; nothing: none is. */
void lesson_put_open(const struct shell *shell, struct text *out);
bool tour_running(const struct shell *shell); /* Enter on an empty line means the next step */
void lesson_free(struct shell *shell);
/* The lines since the world was empty run again: what was typed since is typed anew. */
void lesson_again(struct shell *shell);
/* A line of the learner's has emptied the world. */
void lesson_emptied(struct shell *shell);
/* Is what the lines do the task's solution on n ranks? task: "4.2"; "4" or a lesson's file, of its first task. Said; *right. */
enum status lesson_grade(
        struct shell *shell, int n, const char *task, const char *lines, size_t count, bool *right);
/* All lessons, or the one of a file, held to what they promise, without a person; one line a task, and what does not hold of it:
 * *failed of them. n: on so many ranks; 0: on all that the lesson is for. */
enum status lesson_hold_all(struct shell *shell, const char *path, int n, int *failed);

#endif
