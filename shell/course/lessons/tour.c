/* tour.c -- the tour: lesson 0, whose steps show and run their lines */
#include "shell/course/lessons/open_lesson.h"
#include "shell/line/line.h"

enum status tour_open(struct shell *shell)
{
	struct lesson *lesson = NULL;
	enum status status = lesson_load(shell, 0, NULL, &lesson);
	if (status != ST_OK)
		return status;
	lesson_install(shell, lesson);
	status = lesson_begin_world(shell);
	return status == ST_OK ? tour_next(shell) : status;
}

bool tour_running(const struct shell *shell)
{
	const struct lesson *lesson = shell->course.lesson;
	return lesson && lesson->number == 0 && lesson->task + 1 < lesson->file.tasks;
}

/* Runs lines as if typed, without the prompt's reports. Line 0: the journal does not list them. */
static enum status play_step(struct shell *shell)
{
	const struct lesson *tour = shell->course.lesson;
	const struct lesson_task *step = lesson_task_of(shell);
	const char *at = text_string(&step->part[PART_START]), *end = at + step->part[PART_START].count,
	           *line;
	enum status status = ST_OK;
	size_t length;

	out_say(shell->out, "%stour %d/%d   %s%s\n",
	        STYLED(shell->out, COLOUR_HEAD, tour->task + 1, tour->file.tasks,
	                text_string(&step->part[PART_TITLE])));
	while (status == ST_OK && (line = text_line(&at, end, &length))) {
		out_say(shell->out, "%s%s%s %.*s\n", STYLED(shell->out, COLOUR_NOTE, ">"), (int)length, line);
		status = shell_settle(shell, line_text(shell, line, length, "the tour", 0));
		if (status == ST_OK)
			text_add(&shell->journal.ran, "%.*s\n", (int)length, line);
	}
	tell_lines(shell, &step->part[PART_STORY], COLOUR_PLAIN);
	if (status == ST_OK && tour_running(shell))
		out_say(shell->out, "%s%s%s\n", STYLED(shell->out, COLOUR_NOTE, "   Enter goes on"));
	return status;
}

enum status tour_next(struct shell *shell)
{
	struct lesson *lesson = shell->course.lesson;
	if (lesson->task + 1 >= lesson->file.tasks)
		return fail(ST_ARGUMENT, "that was the last step of the tour; `lessons` lists the lessons");
	lesson->task++;
	return play_step(shell);
}
