/* course.c -- the table struct course, filled from lessons/ and class/ */
#include "shell/course/course.h"
#include "base/memory.h"
#include "shell/course/class/learning.h"
#include "shell/course/lessons/lesson.h"
#include "shell/session/options.h"
#include "shell/values/share.h"

static void course_close(struct shell *shell)
{
	lesson_free(shell);
	learned_close(shell);
}

static void course_again(struct shell *shell, bool whole)
{
	if (whole)
		lesson_free(shell);
	else
		lesson_again(shell);
}

static enum status course_grade(struct shell *shell, const struct options *options)
{
	char *lines = NULL;
	size_t count = 0;
	bool right = false;
	int n = options->n ? options->n : RANKS_DEFAULT;
	enum status status = shell_file(shell, options->file, &lines, &count);
	if (status == ST_OK)
		status = lesson_grade(shell, n, options->grade, lines, count, &right);
	shell->expect.failed += status == ST_OK && !right;
	mem_free(lines);
	return status;
}

static enum status course_run(struct shell *shell, const struct options *options)
{
	int failed = 0;
	if (options->grade)
		return course_grade(shell, options);
	enum status status = lesson_hold_all(shell, options->file, options->n, &failed);
	shell->expect.failed += failed;
	return status;
}

const struct course course_functions = {
        .open = learned_open,
        .close = course_close,
        .solved = learned_solved_before,
        .line = learned_line,
        .emptied = lesson_emptied,
        .again = course_again,
        .hides_start = lesson_unseen,
        .goes_on = tour_running,
        .task = lesson_put_open,
        .events = learned_take,
        .run = course_run,
        .learning_open = learning_open,
        .learning_line = learning_line,
        .learning_solved = learning_solved,
        .learning_name = learning_name,
        .learning_close = learning_close,
};
