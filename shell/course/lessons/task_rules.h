/* task_rules.h -- refuses steering, and `let` or `def` of the lesson's names, unless the task
 * allows it */
#ifndef RANKSH_LESSON_TASK_RULES_H
#define RANKSH_LESSON_TASK_RULES_H

#include "shell/session/watch.h"
#include "base/text.h"

struct lesson_task;
/* File name of a task's own texts, also in messages */
#define TASK_FILE "the task"

struct task_rules {
	struct watch watch; /* applies only these rules; task.c replaces its members */
	struct text names;  /* of the starter's `let`s and `def`s, with a blank around each */
	const char *allow;  /* words that are allowed anyway; borrowed */
};
/* Fills zeroed *rules. The task must outlive them. */
void task_rules_make(struct task_rules *rules, const struct lesson_task *task);
/* Fails with ST_ARGUMENT, the reason and an alternative if the statement is refused. */
enum status task_rules_check(const struct task_rules *rules, const struct statement *statement);
void task_rules_release(struct task_rules *rules);

#endif
