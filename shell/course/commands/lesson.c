/* lesson.c -- lessons lesson task again next hint check solution predict skip answer tour
 *
 * A statement cannot free its own world, so commands that begin a task leave a wish for the loop.
 * The journal lists none, only the lines that a task ran. */
#include "base/embedded.h"
#include "shell/language/run/command.h"
#include "shell/course/lessons/lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command command_lessons = {
        .name = "lessons",
        .topic = "learn",
        .help = "lists the lessons, the solved tasks, and what is next",
        .example = "lessons",
        .class = COMMAND_LOOK,
        .run = lesson_list,
};

static enum status lesson_wish(struct call *call, enum status (*grant)(struct shell *))
{
	call->shell->wishes.statement = (struct wish){.kind = WISH_WORLD, .grant = grant};
	return ST_OK;
}

static enum status lesson_open_wished(struct shell *shell)
{
	const struct wish wish = shell->wishes.statement;
	return lesson_open(shell, (int)wish.number, wish.task, wish.file);
}

/* The lesson's number is checked when it opens. A replayed `lesson off` begins an empty world,
 * although no lesson is open now. */
static enum status lesson_open_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct wish wish = {.kind = WISH_WORLD, .grant = lesson_open_wished};
	const char *word, *path = "";
	int number = 0;
	if (call_count(call, 0) == 0)
		return lesson_list(call);
	enum status status = call_common(call, 0, &word);
	if (status == ST_OK && strcmp(word, "off") == 0) {
		if (shell->course.lesson || shell->journal.closes_again)
			return lesson_wish(call, lesson_leave);
		out_say(shell->out, "   no lesson is open\n");
		return ST_OK;
	}
	if (status == ST_OK && strcmp(word, "new") == 0) {
		status = call_count(call, 1)
		        ? call_common(call, 1, &path)
		        : fail(ST_ARGUMENT, "lesson new needs a file: lesson new mine.rsh");
		return status == ST_OK ? lesson_new(shell, path) : status;
	}
	if (status != ST_OK)
		return status;
	if (call_count(call, 1))
		return fail(ST_ARGUMENT, "lesson %s takes nothing more: lesson 4, lesson 4.2", word);
	if (strspn(word, "0123456789.-") == strlen(word)) {
		if (!lesson_is_numbered(word, &number, &wish.task))
			return fail(ST_ARGUMENT,
			        "lesson %s: a lesson has a number, and a task after a point: lesson 4.2",
			        word);
	} else if (snprintf(wish.file, sizeof wish.file, "%s", word) >= (int)sizeof wish.file) {
		return fail(ST_RANGE, "lesson: that path is too long");
	}
	wish.number = number;
	shell->wishes.statement = wish;
	return ST_OK;
}

static void lesson_follows(const char *name, struct text *out)
{
	const char *lesson;
	for (int i = 0; !*name && (lesson = embedded_name("lessons/", i, ".rsh")); i++)
		if (atoi(lesson))
			text_add(out, "%d\n", atoi(lesson));
}

const struct command command_lesson = {
        .name = "lesson",
        .topic = "learn",
        .usage = "lesson [N | N.TASK | FILE | off | new FILE]",
        .help = "opens a lesson, or a task in it. Each begins in an empty world; `check` judges it. FILE "
                "is your own lesson; `new FILE` writes a template. `off` closes the lesson and makes an "
                "empty world with the machine, settings, model, data and strategy from before. `lesson` "
                "alone lists the lessons",
        .example = "lesson 1",
        .argument = {{ARG_FILE, ARG_OPTIONAL, NULL, "N"}, {ARG_FILE, ARG_OPTIONAL, NULL, "FILE"}},
        .class = COMMAND_LOOK,
        .unless = {"*", COMMAND_SESSION},
        .run = lesson_open_run,
        .follows = lesson_follows,
};

static enum status task_run(struct call *call)
{
	return lesson_task_shown(call->shell, call_count(call, 0) > 0);
}

const struct command command_task = {
        .name = "task",
        .topic = "learn",
        .usage = "task [start]",
        .help = "shows the task again; `start` shows all lines that ran before it",
        .example = "lesson 1\ntask",
        .argument = {{ARG_WORD, ARG_OPTIONAL, "start", "start"}},
        .class = COMMAND_SESSION,
        .run = task_run,
};

/* Runs `again`, `next` and `tour`. */
static enum status lesson_begin_run(struct call *call)
{
	static const struct {
		const char *name;
		enum status (*grant)(struct shell *shell);
	} begins[] = {{"again", lesson_begin_again}, {"next", lesson_next}, {"tour", tour_open}};
	int i = 0;
	while (strcmp(begins[i].name, call->statement->row->name) != 0)
		i++;
	return lesson_wish(call, begins[i].grant);
}

const struct command command_again = {
        .name = "again",
        .topic = "learn",
        .help = "restarts the task: runs its starter lines and drops what you typed",
        .example = "lesson 1\nagain",
        .class = COMMAND_SESSION,
        .run = lesson_begin_run,
};

const struct command command_next = {
        .name = "next",
        .topic = "learn",
        .help = "goes on to the lesson's next task, to the next lesson after the last task, or to the tour's "
                "next step",
        .example = "lesson 1\nnext",
        .class = COMMAND_SESSION,
        .run = lesson_begin_run,
};

const struct command command_hint = {
        .name = "hint",
        .topic = "learn",
        .help = "gives a hint for the task: first the idea, then which line to look at, then a line",
        .example = "lesson 1\nhint",
        .class = COMMAND_SESSION,
        .run = lesson_hint,
};

const struct command command_check = {
        .name = "check",
        .topic = "learn",
        .help = "reruns the lines you typed in this task in separate worlds, also with other data, and "
                "reports which conditions of the task they meet; it changes nothing",
        .example = "lesson 1\nsolution run\ncheck",
        .class = COMMAND_SESSION,
        .run = lesson_check,
};

static enum status lesson_run_solution(struct shell *shell)
{
	return lesson_solution(shell, true);
}

/* `solution run` leaves a wish, because it restarts the task. */
static enum status solution_run(struct call *call)
{
	return call_count(call, 0) ? lesson_wish(call, lesson_run_solution)
	                           : lesson_solution(call->shell, false);
}

const struct command command_solution = {
        .name = "solution",
        .topic = "learn",
        .usage = "solution [run]",
        .help = "shows lines that solve the task; `run` runs them from its start",
        .example = "lesson 1\nsolution",
        .argument = {{ARG_WORD, ARG_OPTIONAL, "run", "run"}},
        .class = COMMAND_SESSION,
        .run = solution_run,
};

static enum status answer_run(struct call *call)
{
	bool answers = strcmp(call->statement->row->name, "answer") == 0;
	const char *word = NULL;
	enum status status = call_common(call, 0, &word);
	if (status != ST_OK)
		return status;
	return answers ? lesson_answer(call->shell, word) : lesson_predict(call->shell, word);
}

const struct command command_predict = {
        .name = "predict",
        .topic = "learn",
        .usage = "predict ANSWER",
        .help = "answers the task's question before you run it; `check` compares",
        .example = "lesson 1",
        .argument = {{ARG_WORD, 0, NULL, "ANSWER"}},
        .class = COMMAND_SESSION,
        .run = answer_run,
};

const struct command command_skip = {
        .name = "skip",
        .topic = "learn",
        .help = "leaves the task's question without an answer: the task then accepts lines without one",
        .example = "lesson 1\nskip",
        .class = COMMAND_SESSION,
        .run = answer_run,
};

const struct command command_answer = {
        .name = "answer",
        .topic = "learn",
        .usage = "answer WORD",
        .help = "answers the question that a task asks once it is solved",
        .example = "lesson 1",
        .argument = {{ARG_WORD, 0, NULL, "WORD"}},
        .class = COMMAND_SESSION,
        .run = answer_run,
};

const struct command command_tour = {
        .name = "tour",
        .topic = "learn",
        .help = "starts a tour of three minutes on streams, waits and collectives; Enter goes on",
        .example = "tour",
        .class = COMMAND_SESSION,
        .run = lesson_begin_run,
};
