/* csv.c -- a row for each learner and task (RFC 4180) */
#include "shell/course/class/board.h"
#include "shell/course/class/clean.h"
#include "shell/course/class/learners.h"

#include <string.h>

enum { CELL_MOST = 8000 };

/* Adds a quoted cell and keeps line breaks; NULL: an empty one. A ' goes before = + - @: else it
 * is a formula. */
static void put_cell(struct text *out, const char *utf8)
{
	struct text clean = {0};
	const char *at = utf8 ? utf8 : "", *end = at + strlen(at), *line;
	size_t length;
	while ((line = text_line(&at, end, &length))) {
		struct text one = {0};
		text_put(&one, line, length);
		if (clean.count)
			text_put(&clean, "\n", 1);
		clean_put(&clean, text_string(&one), CELL_MOST);
		text_release(&one);
	}
	text_add(out, ",\"%s", clean.count && strchr("=+-@", *clean.bytes) ? "'" : "");
	for (const char *sign = text_string(&clean); *sign; sign++)
		text_add(out, *sign == '"' ? "\"\"" : "%c", *sign);
	text_add(out, "\"");
	text_release(&clean);
}

void board_csv(const struct learners *learners, struct text *out)
{
	text_add(out,
	        "learner,task,state,opened,solved,minutes,checks,wrong,hints,solutions,predictions,"
	        "last_wrong,last_lines\n");
	for (size_t i = 0; i < learners->count; i++) {
		const struct learner *learner = &learners->learner[i];
		struct text row = {0}, name = {0};
		learner_name(learner, CELL_MOST, &name);
		for (size_t k = 0; k < learner->tasks; k++) {
			const struct learner_task *task = &learner->task[k];
			text_clear(&row);
			put_cell(&row, text_string(&name));
			put_cell(&row, task->name);
			put_cell(&row, task->solved ? "solved" : task->skips ? "skipped" : "open");
			put_cell(&row, task->opened);
			put_cell(&row, task->solved_at);
			text_add(&row, ",%.1f,%d,%d,%d,%d,%d", (double)task->seconds / 60, task->checks,
			        task->wrong, task->hints, task->solutions, task->predictions);
			put_cell(&row, task->last_wrong);
			put_cell(&row, task->last_lines);
			text_add(out, "%s\n", text_string(&row) + 1);
		}
		text_release(&row);
		text_release(&name);
	}
}
