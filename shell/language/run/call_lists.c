/* call_lists.c -- whole numbers that a line reads from tensors before it runs: rows for each rank
 *
 * One read for both tensors and all ranks, as `.tolist()`: a copy of each to the host, which waits
 * for it. Tensors on the host cost nothing. */
#include "base/memory.h"
#include "base/number.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/run/run.h"

#include <string.h>

static enum status option_views(struct call *call, const char *option, bool second, struct data_read *reads)
{
	enum status status = ST_OK;
	FOR_RANKS (rank, call->set) {
		const char *word = "";
		status = call_option_word(call, option, rank, &word);
		if (status == ST_OK)
			status = interpreter_view(call->shell, rank, word, second ? &reads->b : &reads->a);
		if (status != ST_OK)
			return fail_in(status, "%s=%s", option, word);
		reads++;
	}
	return ST_OK;
}

/* A line that runs again gets the recorded numbers; an edited journal may have any. */
static enum status lists_replay(
        struct shell *shell, const struct ranks *set, const char *option, double *value, size_t count)
{
	bool then = shell->replay.recalls
	        ? steering_recall(&shell->steering, option, strlen(option), value, count)
	        : steering_read(&shell->steering, option, strlen(option), set, value, count);
	if (!then && shell->replay.recalls)
		return fail(ST_ARGUMENT, "%s= was never read here: only times run again", option);
	if (then)
		for (size_t i = 0; i < count; i++)
			if (!number_is_whole(value[i], INT32_MIN, INT32_MAX))
				return fail(
				        ST_RANGE, "the journal's values of %s= are no whole numbers", option);
	return ST_OK;
}

enum status call_lists(struct call *call, const char *first, const char *second, struct lists *lists)
{
	struct shell *shell = call->shell;
	int count = ranks_count(call->set), i = 0;
	struct data_read *reads = mem_alloc((size_t)count * sizeof *reads);
	enum status status = option_views(call, first, false, reads);
	if (status == ST_OK)
		status = option_views(call, second, true, reads);
	lists->count = mem_alloc((size_t)count * sizeof *lists->count);
	FOR_RANKS (rank, call->set) {
		struct data_read *read = &reads[i];
		read->kind = READ_LIST;
		read->stream = STREAM_DEFAULT;
		if (status == ST_OK)
			status = call_device_stream(call, rank, &read->stream);
		if (status == ST_OK)
			lists->count[i] = (struct list_counts){
			        layout_count(&read->a.layout), layout_count(&read->b.layout)};
		i++;
	}
	shell->interpreter->guessed |= shell->interpreter->guesses;
	if (status == ST_OK && !shell->interpreter->guesses) {
		lists->each = reads_each(call->set, reads);
		lists->value = mem_alloc((size_t)count * lists->each * sizeof *lists->value);
		status = shell_read(shell, call->set, reads, call->statement->row->name, lists->value);
		if (status == ST_OK && !shell_keeps_no_data(shell))
			status = lists_replay(
			        shell, call->set, first, lists->value, (size_t)count * lists->each);
	}
	bool even = shell_keeps_no_data(shell) && !shell->interpreter->guesses;
	if (status == ST_OK && even && !shell->interpreter->noted_even)
		out_say(shell->out,
		        "   --dry keeps no data: counts that depend on it are taken to be even\n");
	shell->interpreter->noted_even |= even;
	mem_free(reads);
	return status;
}

void lists_release(struct lists *lists)
{
	mem_free(lists->count);
	mem_free(lists->value);
}
