/* peek.c -- peek behind `at`: memory as it was then
 *
 *      lines     tensor x ...    y = relu x      z = relu y      peek y
 *      events    |----------------------|--------------|         the lines run again, with their numbers
 *      until T   |----------- x y ------| T                      and nothing that ends behind T writes any */
#include "shell/line/inside.h"
#include "shell/line/line.h"

#include <string.h>

static enum status peek(struct shell *shell, struct shell *of, const char *line)
{
	struct out *own = shell->out;
	shell->out = of->out;
	shell->replaying--;
	enum status status = line_text(shell, line, strlen(line), NULL, 1);
	shell->replaying++;
	shell->out = own;
	return status;
}

enum status answer_peek(struct shell *shell, const struct question *question)
{
	struct rerun rerun;
	struct text time = {0};
	enum status status = rerun_open(&rerun, shell, &question->changes);
	time_text(question->changes.until, &time);
	if (status == ST_OK) {
		out_say(shell->out, "   at %s:\n", text_string(&time));
		status = peek(&rerun.shell, shell, question->asked);
	}
	rerun_close(&rerun, shell);
	text_release(&time);
	return status;
}
