/* rules.h -- what may be typed in a task: no steering, and no `let` or `def` of the lesson's own names, unless the task allows it */
#ifndef RANKSH_LESSON_RULES_H
#define RANKSH_LESSON_RULES_H

#include "shell/session/watch.h"
#include "base/text.h"

struct lesson_task;
/* The name of the texts that are a task's own, in messages too */
#define TASK_FILE "the task"

struct rules {
	struct watch watch; /* `after` is whose rules these are to set */
	struct text names;  /* that the starter's lines let and def, with a blank around each */
	const char *allow;  /* borrowed: words that may be typed all the same */
};
/* Of a task, which must outlive them. Into a zeroed one. */
void rules_make(struct rules *rules, const struct lesson_task *task);
/* May the statement be typed? ST_ARGUMENT says why not, and what to do instead. */
enum status rules_check(const struct rules *rules, const struct statement *statement);
void rules_release(struct rules *rules);
bool rules_allow(const struct lesson_task *task, const char *word);

#endif
