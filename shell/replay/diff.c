/* diff.c -- diff: runs two files of lines on the session's first machine, and compares them
 *
 *     world 1     source base.rsh    sync
 *     world 2     source wide.rsh    sync */
#include "shell/replay/inside.h"
#include "shell/line/line.h"
#include "shell/session/changes.h"
#include "shell/training/open.h"
#include "trace/trace.h"

#include <stdio.h>

struct file_world {
	struct shell shell;
	struct changes none;
};

static enum status run_file(struct file_world *one, struct shell *of, const char *path)
{
	struct shell *shell = &one->shell;
	char line[300];
	enum status status = scratch_open(shell, of, of->transport, of->world->n, true);
	if (status != ST_OK)
		return status;
	one->none = (struct changes){0};
	shell->replay.changes = &one->none;
	scratch_as(shell, &of->at_start, NULL);
	status = changes_begin(shell);
	if (status == ST_OK)
		status = shell_reset_again(shell);
	snprintf(line, sizeof line, "source \"%s\"", path);
	if (status == ST_OK)
		status = line_ours(shell, line);
	if (status == ST_OK || status == ST_EXPECT)
		status = line_ours(shell, "sync");
	return status == ST_OK ? shell_look(shell) : status;
}

static enum status say(struct shell *shell, struct file_world worlds[2], const struct question *question)
{
	struct diff_side side[2];
	struct text text = {0};
	for (int i = 0; i < 2; i++)
		side[i] = (struct diff_side){
		        .trace = {.world = worlds[i].shell.world, .backend = worlds[i].shell.backend},
		        .section = -1,
		        .name = question->world[i]};
	enum status status = trace_diff_figures(side, out_width(shell->out), &text);
	if (status == ST_OK)
		status = trace_diff_operations(side, out_width(shell->out), &text);
	if (status == ST_OK)
		out_put(shell->out, text_string(&text), text.count);
	text_release(&text);
	return status;
}

enum status answer_diff(struct shell *shell, const struct question *question)
{
	struct file_world worlds[2];
	enum status status = ST_OK;
	int opened = 0;
	while (opened < 2 && status == ST_OK) {
		status = run_file(&worlds[opened], shell, question->world[opened]);
		scratch_pause(&worlds[opened++].shell, shell);
	}
	if (status == ST_OK)
		status = say(shell, worlds, question);
	while (opened-- > 0)
		status = scratch_over(&worlds[opened].shell, shell, status);
	return status;
}
