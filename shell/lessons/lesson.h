/* lesson.h -- lessons and the tour: text files in lessons/, carried in the binary, played through the same
 * commands a user types.
 *
 * A lesson file:
 *     # lesson: TITLE                    first line; `# minutes: 20` and `# ranks: 4` (or several, `2 4 8`) may follow
 *     ## Task title
 *     # what the learner reads, any number of lines
 *     #: start                           lines that are run before the learner begins (the starter state)
 *     #: check                           lines that must hold; the comment behind an `expect` is said when it
 *                                        is false
 *     #: predict QUESTION = EXPRESSION   optional
 *     #: hint                            comment lines
 *     #: solution                        lines that pass the check
 *     #: wrong                           optional, repeated: lines that look right and must fail the check
 * `ranksh --check-lessons` holds that every starter and every wrong one fails, and every solution passes.
 *
 * The tour is a script of `## title` steps; its lines are shown and run, one step for each Enter. */
#ifndef RANKSH_LESSON_H
#define RANKSH_LESSON_H

#include "shell/session/shell.h"

struct call; /* of a command that takes no words: only its session is looked at */
enum status lesson_list(struct call *call);
int lesson_tasks(int number);                             /* how many it has; 0: there is no such lesson */
enum status lesson_open(struct shell *shell, int number); /* from 1 */
/* Runs a line of the tour and shows all that it says. */
typedef enum status lesson_play(struct shell *shell, const char *line, size_t count);
enum status lesson_next(struct shell *shell, lesson_play *run); /* the next task, or step of the tour */
enum status lesson_hint(struct call *call);
enum status lesson_solution(struct shell *shell, bool run);
enum status lesson_check(struct call *call);
enum status lesson_predict(struct shell *shell, const char *answer);
enum status tour_open(struct shell *shell, lesson_play *run);
bool tour_running(const struct shell *shell); /* Enter on an empty line means the next step */
void lesson_free(struct shell *shell);
/* Runs all lessons without a person; one line a task; *failed counts the tasks that do not hold. */
enum status lesson_check_all(struct shell *shell, int *failed);

#endif
