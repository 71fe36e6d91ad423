/* tell.c -- a task, with the story last so that it is visible on 24 lines, and the tour's steps */
#include "base/arithmetic.h"
#include "shell/course/lessons/open_lesson.h"
#include "shell/values/share.h"
#include "shell/line/line.h"

#include <limits.h>

enum { ROWS = 24, ROWS_AROUND = 5 };

static void tell_some(struct shell *shell, const struct text *text, int colour, int most)
{
	FOR_LINES (line, text_string(text), text->count)
		if (most-- > 0)
			out_say(shell->out, "   %s%.*s%s\n",
			        STYLED(shell->out, colour, (int)line.length, line.at));
}

void tell_lines(struct shell *shell, const struct text *text, int colour)
{
	tell_some(shell, text, colour, INT_MAX);
}

static int lines_of(const struct text *text)
{
	int lines = 0;
	for (size_t i = 0; i < text->count; i++)
		lines += text->bytes[i] == '\n';
	return lines;
}

void tell_unseen(struct shell *shell)
{
	out_say(shell->out, "   %s%s%s\n", STYLED(shell->out, COLOUR_NOTE, "lines have run; find out which"));
}

static void tell_starter(struct shell *shell, const struct text *start, int room)
{
	int lines = lines_of(start), shown = lines <= room ? lines : (int)most_of(room - 1, 0);
	if (!lines)
		return;
	out_say(shell->out, "   %s%s%s\n", STYLED(shell->out, COLOUR_NOTE, "these lines have run:"));
	tell_some(shell, start, COLOUR_KERNEL, shown);
	if (shown < lines)
		out_say(shell->out, "   %s... and %d more: `task start` shows them all%s\n",
		        STYLED(shell->out, COLOUR_NOTE, lines - shown));
}

enum status task_tell(struct shell *shell)
{
	const struct lesson *lesson = shell->course.lesson;
	const struct lesson_task *task = lesson_task_of(shell);
	struct text question = {0};
	enum status status = guess_put(shell, &question);
	int asked = lines_of(&task->part[PART_STORY]) + (task->at[PART_PREDICT] ? 6 : 0);
	out_say(shell->out, "%s%s, task %d/%d   %s%s\n",
	        STYLED(shell->out, COLOUR_HEAD, lesson->title, lesson->task + 1, lesson->file.tasks,
	                text_string(&task->part[PART_TITLE])));
	if (task->unseen)
		tell_unseen(shell);
	else
		tell_starter(shell, &task->part[PART_START], ROWS - ROWS_AROUND - asked);
	tell_lines(shell, &task->part[PART_STORY], COLOUR_PLAIN);
	if (task->at[PART_PREDICT])
		status = shell_say_found(shell, status, &question);
	text_release(&question);
	out_say(shell->out, "   %s%s%s\n",
	        STYLED(shell->out, COLOUR_NOTE, "check   hint   again   task   solution   next"));
	return status;
}

/* ---- the tour: lesson 0 ---- */

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

/* Runs lines as if typed. Line 0: the journal does not list them. */
static enum status play_step(struct shell *shell)
{
	const struct lesson *tour = shell->course.lesson;
	const struct lesson_task *step = lesson_task_of(shell);
	const struct text *lines = &step->part[PART_START];
	enum status status = ST_OK;

	out_say(shell->out, "%stour %d/%d   %s%s\n",
	        STYLED(shell->out, COLOUR_HEAD, tour->task + 1, tour->file.tasks,
	                text_string(&step->part[PART_TITLE])));
	FOR_LINES (line, text_string(lines), lines->count) {
		out_say(shell->out, "%s%s%s %.*s\n", STYLED(shell->out, COLOUR_NOTE, ">"), (int)line.length,
		        line.at);
		status = shell_settle(shell, line_text(shell, line.at, line.length, "the tour", 0));
		if (status != ST_OK)
			break;
		text_add(&shell->journal.ran, "%.*s\n", (int)line.length, line.at);
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
		return fail(ST_ARGUMENT, "this was the last step of the tour; `lessons` lists the lessons");
	lesson->task++;
	return play_step(shell);
}
