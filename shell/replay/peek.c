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
	int64_t until = question->changes.until;
	bool forecast = false;
	enum status status = rerun_open(&rerun, shell, &question->changes);
	if (status == ST_OK) {
		struct trace trace = {.world = rerun.shell.world, .backend = rerun.shell.backend};
		forecast = trace_forecasts(&trace, until) != TIME_UNKNOWN;
		status = shell_play_until(&rerun.shell, until);
	}
	if (status == ST_OK) {
		out_say(shell->out, "   at %s%s:\n", time_words(until).text, forecast ? ", a forecast" : "");
		status = peek(&rerun.shell, shell, question->asked);
	}
	rerun_close(&rerun, shell);
	return status;
}
