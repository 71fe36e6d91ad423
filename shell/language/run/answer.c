/* answer.c -- the text that a command shows: one for all ranks, or each rank's own
 *
 *     answer        every process makes the same text, and rank 0's is shown
 *     answer_each   a text for each rank, in one place of the output, where equal ones merge
 *     call_write    a text for a file */
#include "shell/language/run/answer.h"
#include "shell/values/share.h"

#include <string.h>

enum status answer(struct call *call, struct text *text, enum status status)
{
	if (status == ST_OK)
		out_put(call->shell->out, text_string(text), text->count);
	text_release(text);
	return status;
}

/* All texts are made before any is shown: making one may take long, and the output is flushed
 * meanwhile. */
enum status answer_each(struct call *call, answer_of *make, int i)
{
	struct shell *shell = call->shell;
	struct text text = {0}, all = {0};
	enum status status = shell_advance(shell);
	FOR_RANKS (rank, call->set) {
		if (status != ST_OK)
			break;
		text_clear(&text);
		status = make(call, i, rank, &text);
		text_put(&all, text_string(&text), text.count + 1);
	}
	if (status == ST_OK)
		answer_show(shell->out, call->set, &all);
	text_release(&text);
	text_release(&all);
	return status;
}

void answer_show(struct out *out, const struct ranks *set, struct text *all)
{
	int place = out_place(out);
	const char *at = text_string(all), *end = at + all->count;
	FOR_RANKS (rank, set) {
		out_fill(out, place, rank, at);
		if (at + strlen(at) + 1 < end)
			at += strlen(at) + 1;
	}
}

enum status call_write(const struct call *call, const char *path, const struct output_kind *kind, bool force,
        const struct text *text)
{
	struct text line = {0};
	call_line(call, ranks_first(call->set), &line);
	struct output output = {.path = path, .kind = kind, .force = force, .line = text_string(&line)};
	enum status status = shell_write(call->shell, &output, text);
	text_release(&line);
	return status;
}
