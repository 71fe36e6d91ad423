/* reads.c -- fetches the data that an expression reads, for all ranks of a line, before it is
 * evaluated.
 *
 *     print x[0] + norm(y)      reads = { x[0], norm(y) }, ranks 1 and 3
 *
 *     values    rank 0   rank 1   rank 2   rank 3     data[place * world + rank]
 *     x[0]                 .                 .        place: of the read in formula->reads
 *     norm(y)              .                 .
 *
 * Every process runs every line, but only one has a rank's tensors, so a read is collective: all
 * processes read in the same order and receive all values. With --dry nothing is fetched. */
#include "shell/language/parse/lex.h"
#include "shell/language/run/run.h"
#include "base/number.h"
#include "shell/language/run/interpreter.h"

static enum status read_make(struct eval *eval, const struct formula *formula, struct data_read *read)
{
	enum status status = ST_OK;
	read->views = 1;
	if (formula->kind == FORMULA_ELEMENT) {
		read->kind = READ_ELEMENT;
		status = evaluate_view(eval, formula->tensor, NULL, false, read->view);
		if (status == ST_OK && layout_count(&read->view->layout) != 1)
			status = fail(ST_SHAPE, "%.*s has %lld elements, and one number was expected",
			        WHOLE(formula->written), (long long)layout_count(&read->view->layout));
		return status;
	}
	enum function function = formula->function->function;
	read->kind = function == FUNCTION_SUM     ? READ_SUM
	        : function == FUNCTION_NORM       ? READ_NORM
	        : function == FUNCTION_CLOSE_STEP ? READ_STEP
	                                          : READ_DIFFERENCE;
	read->views = (int)strspn(formula->function->kinds, "t");
	for (int i = 0; i < read->views && status == ST_OK; i++) {
		status = evaluate_view(eval, formula->argument[i].tensor, NULL, false, &read->view[i]);
		if (status == ST_OK && !layout_same_shape(&read->view->layout, &read->view[i].layout))
			status = fail(ST_SHAPE, "%.*s: the shapes differ", WHOLE(formula->written));
	}
	return status;
}

static enum status reads_make(struct shell *shell, const struct formula *formula, const struct ranks *set,
        struct call *call, struct data_read *reads)
{
	struct eval eval = eval_for(shell, set);
	int i = 0;
	FOR_RANKS (rank, set) {
		eval.rank = rank;
		reads[i].stream = setting_stream(shell, rank);
		if (call)
			call_stream(call, rank, &reads[i].stream);
		/* a host thread cannot copy from the device */
		if (world_stream(shell->world, rank, reads[i].stream)->host)
			reads[i].stream = STREAM_DEFAULT;
		reads[i].after =
		        call && call->statement->row->shows ? call_read_stream(call, rank) : STREAM_HOST;
		enum status status = read_make(&eval, formula, &reads[i]);
		if (status != ST_OK)
			return on_rank(&eval, status);
		i++;
	}
	return ST_OK;
}

/* Records the values read. In a replay without data it sets them to the recorded ones; false:
 * there are none. */
static bool values_replay(
        struct shell *shell, struct slice_of_text what, const struct ranks *set, double *values, size_t count)
{
	if (shell->replay.recalls)
		return steering_recall(&shell->steering, what.at, what.length, values, count);
	steering_read(&shell->steering, what.at, what.length, set, values, count);
	return true;
}

enum status fetch_reads(struct shell *shell, const struct formula *formula, const struct ranks *set,
        struct call *call, const char *reason, double **values)
{
	enum status status = ST_OK;

	*values = NULL;
	if (!formula->read_count)
		return ST_OK;
	bool guesses = shell->interpreter->guesses;
	/* without values the evaluation will fail */
	if (shell_keeps_no_data(shell) && !guesses && reason)
		return ST_OK;
	int n = shell->world->n;
	double *got = mem_alloc(formula->read_count * (size_t)n * sizeof *got);
	struct data_read *reads = mem_alloc(ranks_count(set) * sizeof *reads);
	shell->interpreter->guessed |= guesses;
	for (int i = 0; i < formula->read_count && status == ST_OK && !guesses; i++) {
		status = reads_make(shell, formula->reads[i], set, call, reads);
		if (status == ST_OK)
			status = shell_read(shell, set, reads, reason, got + i * n);
		struct slice_of_text what = formula->reads[i]->written;
		bool shown = shell->replay.recalls && shell->steering.looks;
		if (status == ST_OK && reason && !shell_keeps_no_data(shell) && !shown &&
		        !values_replay(shell, what, set, got + i * n, (size_t)ranks_count(set)))
			status = fail(ST_ARGUMENT,
			        "%.*s has no recorded value: it depends on data, and only times are computed "
			        "again",
			        SHOWN(what));
		/* shell_read packs the set's values: move each to its rank's index */
		for (int rank = n - 1, from = ranks_count(set); status == ST_OK && from > 0; rank--)
			if (ranks_has(set, rank))
				got[i * n + rank] = got[i * n + --from];
	}
	mem_free(reads);
	if (status == ST_OK && (guesses || !shell->dry || shell->replay.recalls))
		*values = got;
	else
		mem_free(got);
	return status;
}

/* A replay uses the recorded numbers. Those of an edited journal may be anything, so they are
 * checked. */
static enum status lists_replay(
        struct shell *shell, const struct ranks *set, const char *option, double *value, size_t count)
{
	if (!values_replay(shell, slice_of_string(option), set, value, count))
		return fail(
		        ST_ARGUMENT, "%s= has no recorded value, and only times are computed again", option);
	for (size_t i = 0; i < count; i++)
		if (!number_is_whole(value[i], INT32_MIN, INT32_MAX))
			return fail(ST_RANGE, "the journal's values of %s= are no whole numbers", option);
	return ST_OK;
}

enum status call_lists(struct call *call, const char *first, const char *second, struct lists *lists)
{
	struct shell *shell = call->shell;
	int count = ranks_count(call->set), i = 0;
	const char *options[] = {first, second};
	struct data_read *reads = mem_alloc((size_t)count * sizeof *reads);
	enum status status = ST_OK;
	lists->count = mem_alloc((size_t)count * sizeof *lists->count);
	FOR_RANKS (rank, call->set) {
		struct data_read *read = &reads[i];
		read->kind = READ_LIST;
		read->stream = STREAM_DEFAULT;
		read->views = 2;
		for (int k = 0; k < 2 && status == ST_OK; k++) {
			const char *word = "";
			status = call_option_word(call, options[k], rank, &word);
			if (status == ST_OK)
				status = interpreter_view(shell, rank, word, &read->view[k]);
			if (status != ST_OK)
				status = fail_in(status, "%s=%s", options[k], word);
		}
		if (status == ST_OK)
			status = call_device_stream(call, rank, &read->stream);
		lists->count[i++] = (struct list_counts){
		        layout_count(&read->view[0].layout), layout_count(&read->view[1].layout)};
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
		        "   --dry keeps no data: counts that depend on it are assumed to be evenly "
		        "divided\n");
	shell->interpreter->noted_even |= even;
	mem_free(reads);
	return status;
}

void lists_release(struct lists *lists)
{
	mem_free(lists->count);
	mem_free(lists->value);
}
