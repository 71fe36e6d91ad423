/* task_rules.h -- what may be typed in a task: no steering, and no `let` or `def` of the lesson's own names, unless the task allows it */
#ifndef RANKSH_LESSON_TASK_RULES_H
#define RANKSH_LESSON_TASK_RULES_H

#include "shell/session/watch.h"
#include "base/text.h"

struct lesson_task;
/* The name of the texts that are a task's own, in messages too */
#define TASK_FILE "the task"

struct task_rules {
	struct watch
	        watch; /* asks these rules alone; who wants more sets `of`, `before` and `after` (task.c) */
	struct text names; /* that the starter's lines let and def, with a blank around each */
	const char *allow; /* borrowed: words that may be typed all the same */
};
/* Of a task, which must outlive them. Into a zeroed one. */
void task_rules_make(struct task_rules *rules, const struct lesson_task *task);
/* May the statement be typed? ST_ARGUMENT says why not, and what to do instead. */
enum status task_rules_check(const struct task_rules *rules, const struct statement *statement);
void task_rules_release(struct task_rules *rules);
bool task_rules_allow(const struct lesson_task *task, const char *word);

#endif
