/* peek.c -- peek after `at`: memory at that time, or its forecast
 *
 *      lines     tensor x ...    y = relu x      z = relu y      peek y
 *      events    |----------------------|--------------|         the lines run again, with data,
 *      until T   |----------- x y ------| T                      to T, without later writes */
#include "shell/replay/inside.h"
#include "shell/line/line.h"
#include "shell/session/expired.h"

#include <string.h>

static enum status peek(struct shell *shell, struct shell *of, const char *line)
{
	struct out *own = shell->out;
	shell->out = of->out;
	shell->replay.depth--;
	enum status status = line_text(shell, line, strlen(line), NULL, 1);
	shell->replay.depth++;
	shell->out = own;
	return status;
}

enum status answer_peek(struct shell *shell, const struct question *question)
{
	struct rerun rerun;
	struct text time = {0};
	int64_t until = question->changes.until;
	enum status status = rerun_open(&rerun, shell, &question->changes);
	time_text(until, &time);
	if (status == ST_OK) {
		struct trace trace = {.world = rerun.shell.world, .backend = rerun.shell.backend};
		text_add(&time, trace_forecasts(&trace, until) != TIME_UNKNOWN ? ", a forecast" : "");
		status = shell_play_until(&rerun.shell, until);
	}
	if (status == ST_OK) {
		out_say(shell->out, "   at %s:\n", text_string(&time));
		status = peek(&rerun.shell, shell, question->asked);
	}
	rerun_close(&rerun, shell);
	text_release(&time);
	return status;
}
