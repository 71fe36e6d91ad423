/* lesson_show.c -- how a task looks on the screen */
#include "shell/lessons/lesson_show.h"
#include "shell/lessons/lesson_file.h"
#include "shell/session/shell.h"

void lesson_say_text(struct shell *shell, const struct text *text, int colour)
{
	const char *at = text_string(text), *end = at + text->count, *line;
	size_t length;
	while ((line = text_line(&at, end, &length)))
		out_say(shell->out, "   %s%.*s%s\n", style(shell->out, colour), (int)length, line,
		        style(shell->out, COLOUR_PLAIN));
}

void lesson_say_task(struct shell *shell, const struct lesson_file *lesson, int number, int at)
{
	const struct lesson_task *task = &lesson->task[at];
	out_say(shell->out, "%slesson %d, task %d/%d   %s%s\n", style(shell->out, COLOUR_HEAD), number,
	        at + 1, lesson->tasks, text_string(&task->part[PART_TITLE]), style(shell->out, COLOUR_PLAIN));
	lesson_say_text(shell, &task->part[PART_STORY], COLOUR_PLAIN);
	if (task->part[PART_START].count) {
		out_say(shell->out, "   %sthese lines have run:%s\n", style(shell->out, COLOUR_NOTE),
		        style(shell->out, COLOUR_PLAIN));
		lesson_say_text(shell, &task->part[PART_START], COLOUR_KERNEL);
	}
	if (task->part[PART_QUESTION].count)
		out_say(shell->out, "   First guess: %s\n      answer with: predict ANSWER\n",
		        text_string(&task->part[PART_QUESTION]));
	out_say(shell->out, "   %scheck   hint   solution   next%s\n", style(shell->out, COLOUR_NOTE),
	        style(shell->out, COLOUR_PLAIN));
}
