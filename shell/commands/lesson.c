/* lesson.c -- the learner's commands: lessons lesson next hint check solution predict tour.
 *
 * Those that begin a task, and so an empty world, only leave a wish: the world that the statement runs in
 * cannot be freed under it, and the loop grants the wish when it is over. The others say something about
 * the task at hand and change nothing. None of them is a line of the program, so none is kept in the
 * journal as one; what a task ran by itself is. */
#include "base/embedded.h"
#include "shell/language/run/command.h"
#include "shell/lessons/lesson.h"

#include <limits.h>
#include <string.h>

const struct command command_lessons = {
        .name = "lessons",
        .topic = "learn",
        .usage = "lessons",
        .help = "lists the lessons: which tasks are solved, and what is next",
        .example = "lessons",
        .class = COMMAND_LOOK,
        .run = lesson_list,
};

/* Without a number it lists the lessons. Whether there is a lesson of that number is found when it is
 * opened. */
static enum status lesson_run(struct call *call)
{
	int64_t number;
	if (call_count(call, 0) == 0)
		return lesson_list(call);
	enum status status = call_whole(call, 0, 1, INT_MAX, &number);
	if (status == ST_OK)
		call->shell->wish = (struct wish){.kind = WISH_LESSON, .number = number};
	return status;
}

static void numbers(const char *name, struct text *out)
{
	int number = 0;
	const char *lesson;
	for (int i = 0; !*name && (lesson = embedded_name("lessons/", i, ".rsh")); i++)
		if (strcmp(lesson, "tour") != 0)
			text_add(out, "%d\n", ++number);
}

const struct command command_lesson = {
        .name = "lesson",
        .topic = "learn",
        .usage = "lesson [N]",
        .help = "opens a lesson: tasks with automatic checks; it begins in an empty world; alone it lists "
                "them",
        .example = "lesson 1",
        .argument = {{ARG_EXPRESSION, ARG_OPTIONAL, NULL, "N"}},
        .class = COMMAND_LOOK,
        .unless = {"*", COMMAND_SESSION},
        .run = lesson_run,
        .follows = numbers,
};

const struct command command_next = {
        .name = "next",
        .topic = "learn",
        .usage = "next",
        .help = "goes on to the next task of the lesson, or step of the tour",
        .example = "lesson 1\nnext",
        .class = COMMAND_SESSION,
        .wish = WISH_NEXT,
};

const struct command command_hint = {
        .name = "hint",
        .topic = "learn",
        .usage = "hint",
        .help = "a hint for the task",
        .example = "lesson 1\nhint",
        .class = COMMAND_SESSION,
        .run = lesson_hint,
};

const struct command command_check = {
        .name = "check",
        .topic = "learn",
        .usage = "check",
        .help = "checks the task: on the timeline and on the data; it changes nothing",
        .example = "lesson 1\ncheck",
        .class = COMMAND_SESSION,
        .run = lesson_check,
};

/* Shown from here; run by the loop, since it begins in the task's own world. */
static enum status solution_run(struct call *call)
{
	if (!call_count(call, 0))
		return lesson_solution(call->shell, false);
	call->shell->wish = (struct wish){.kind = WISH_SOLUTION};
	return ST_OK;
}

const struct command command_solution = {
        .name = "solution",
        .topic = "learn",
        .usage = "solution [run]",
        .help = "shows the lines that solve the task; `run` runs them from its start",
        .example = "lesson 1\nsolution",
        .argument = {{ARG_WORD, ARG_OPTIONAL, "run", "run"}},
        .class = COMMAND_SESSION,
        .run = solution_run,
};

static enum status predict_run(struct call *call)
{
	const char *answer;
	enum status status = call_common(call, 0, &answer);
	return status == ST_OK ? lesson_predict(call->shell, answer) : status;
}

const struct command command_predict = {
        .name = "predict",
        .topic = "learn",
        .usage = "predict ANSWER",
        .help = "answers the task's question before you run it; a tenth off is right",
        .example = "lesson 1",
        .argument = {{ARG_WORD, 0, NULL, "ANSWER"}},
        .class = COMMAND_SESSION,
        .run = predict_run,
};

const struct command command_tour = {
        .name = "tour",
        .topic = "learn",
        .usage = "tour",
        .help = "three minutes of streams, waiting and collectives; Enter goes on",
        .example = "tour",
        .class = COMMAND_SESSION,
        .wish = WISH_TOUR,
};
