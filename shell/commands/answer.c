/* answer.c -- what a command says: one text for all, or each rank's own
 *
 *     answer        every process makes the same text, and rank 0's is shown
 *     answer_each   a text for each rank, in one place of the output (session/out.c), where equal ones are merged */
#include "shell/commands/answer.h"
#include "shell/session/out.h"
#include "backend/backend.h"

enum status answer(struct shell *shell, struct text *text, enum status status)
{
	if (status == ST_OK)
		out_put(shell->out, text_string(text), text->count);
	text_release(text);
	return status;
}

enum status answer_each(struct shell *shell, struct call *call, answer_of *make, int i)
{
	struct text text = {0};
	enum status status = shell->backend->advance(shell->backend, &shell->budget);
	int place = status == ST_OK ? out_place(shell->out) : -1;
	FOR_RANKS (rank, call->set) {
		if (status != ST_OK)
			break;
		text_clear(&text);
		status = make(shell, call, i, rank, &text);
		if (status == ST_OK)
			out_fill(shell->out, place, rank, text_string(&text));
	}
	text_release(&text);
	return status;
}
