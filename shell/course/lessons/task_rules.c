/* task_rules.c -- the lines that a task refuses
 *
 * Gates depend on the lesson's own M and on the machine: a learner who sets these changes the
 * question. */
#include "shell/course/lessons/played.h"
#include "shell/language/parse/lex.h"
#include "shell/language/parse/tree.h"

#include <string.h>

static const char steering[] = "set slow reset machine mark rate=",
                  worlds[] = "strategy model program stage tour hunt fix";

static bool allowed(const struct task_rules *rules, const char *word, size_t length)
{
	return text_place(rules->allow, word, length) >= 0;
}

static enum status refuse(const struct task_rules *rules, const char *word)
{
	size_t length = strlen(word);
	if (allowed(rules, word, length))
		return ST_OK;
	if (text_place(steering, word, length) >= 0)
		return fail(ST_ARGUMENT,
		        "`%s` is not allowed in a task: it changes what is measured (`again` restarts the "
		        "task, `lesson off` leaves it)",
		        word);
	if (text_place(worlds, word, length) >= 0)
		return fail(ST_ARGUMENT,
		        "`%s` would make another world, and this task has its own (`lesson off` leaves it)",
		        word);
	return ST_OK;
}

static enum status refuse_name(
        const struct task_rules *rules, const struct statement *statement, struct slice_of_text name)
{
	bool def = statement->kind == STATEMENT_DEF;
	if (text_place(text_string(&rules->names), name.at, name.length) < 0 ||
	        allowed(rules, name.at, name.length))
		return ST_OK;
	return fail(ST_ARGUMENT, "%.*s is the task's own: give your %s another name", SHOWN(name),
	        def ? "def" : "variable");
}

/* `rate=` would change a bus or disk; `unroll` would queue a collective's steps. */
static enum status refuse_command(const struct task_rules *rules, const struct statement *statement)
{
	enum status status = refuse(rules, statement->row->name);
	for (int i = 0; i < statement->options && status == ST_OK; i++)
		if (slice_is(statement->option[i].key, "rate"))
			status = refuse(rules, "rate=");
	for (int i = 0; i < statement->arguments && status == ST_OK; i++)
		if (statement->argument[i].kind == ARG_WORD &&
		        slice_is(statement->argument[i].written, "unroll") && !allowed(rules, "unroll", 6))
			status = fail(ST_ARGUMENT,
			        "`unroll` shows the steps of a collective: in a task they are yours to "
			        "queue (`lesson off` leaves it)");
	return status;
}

enum status task_rules_check(const struct task_rules *rules, const struct statement *statement)
{
	switch (statement->kind) {
	case STATEMENT_COMMAND:
		return refuse_command(rules, statement);
	case STATEMENT_LET:
	case STATEMENT_DEF:
		return refuse_name(rules, statement, statement->word->written);
	default:
		return ST_OK;
	}
}

static enum status rules_before(struct shell *shell, const struct statement *statement)
{
	return task_rules_check(shell->course.watch->of, statement);
}

static void find_names(const char *text, struct text *names)
{
	static const char *const words[] = {"let ", "def "};
	text_add(names, " ");
	for (const char *at = text; *at; at++) {
		bool begins = at == text || strchr(" \t\n;{", at[-1]);
		for (int i = 0; begins && i < 2; i++)
			if (strncmp(at, words[i], 4) == 0)
				text_add(names, "%.*s ", (int)strcspn(at + 4, " =\n;{"), at + 4);
	}
}

void task_rules_make(struct task_rules *rules, const struct lesson_task *task)
{
	rules->watch = (struct watch){.of = rules, .own_file = TASK_FILE, .before = rules_before};
	rules->allow = text_string(&task->part[PART_ALLOW]);
	find_names(text_string(&task->part[PART_START]), &rules->names);
}

void task_rules_release(struct task_rules *rules)
{
	text_release(&rules->names);
}
