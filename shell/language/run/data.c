/* data.c -- what an expression reads from tensors, fetched for all ranks of a line before it is evaluated.
 *
 *     print x[0] + norm(y)      reads = { x[0], norm(y) }, ranks 1 and 3
 *
 *     values    rank 1   rank 3            data[place * stride + index]
 *     x[0]        .        .               place: of the read in formula->reads
 *     norm(y)     .        .               index: of the rank in the set, ascending
 *
 * Every process runs every line, and a rank's tensors live in one of them, so a read is collective: all
 * processes ask in the same order and get all values. Evaluation itself then needs no message, and comes
 * out the same everywhere. With --dry there is no data and nothing is fetched. */
#include "base/memory.h"
#include "shell/language/run/evaluate.h"
#include "shell/session/read.h"

/* The read that `formula` stands for on one rank */
static enum status read_of(struct eval *eval, const struct formula *formula, struct data_read *read)
{
	if (formula->kind == FORMULA_ELEMENT) {
		read->kind = READ_ELEMENT;
		enum status status = evaluate_view(eval, formula->tensor, NULL, false, &read->a);
		if (status == ST_OK && layout_count(&read->a.layout) != 1)
			status = fail(ST_SHAPE, "%.*s has %lld elements, and one number was expected",
			        WHOLE(formula->written), (long long)layout_count(&read->a.layout));
		return status;
	}
	enum function function = formula->function->function;
	read->kind = function == FUNCTION_SUM ? READ_SUM
	        : function == FUNCTION_NORM   ? READ_NORM
	                                      : READ_DIFFERENCE;
	enum status status = evaluate_view(eval, formula->argument[0].tensor, NULL, false, &read->a);
	if (status == ST_OK && read->kind == READ_DIFFERENCE)
		status = evaluate_view(eval, formula->argument[1].tensor, NULL, false, &read->b);
	if (status == ST_OK && read->kind == READ_DIFFERENCE &&
	        !layout_same_shape(&read->a.layout, &read->b.layout))
		status = fail(ST_SHAPE, "%.*s: the shapes differ", WHOLE(formula->written));
	return status;
}

/* One read on every rank of the set; a line's read waits on its stream, others on the default stream */
static enum status reads_of(struct shell *shell, const struct formula *formula, const struct ranks *set,
        struct call *call, struct data_read *reads)
{
	struct eval eval = {.shell = shell, .set = set};
	int i = 0;
	FOR_RANKS (rank, set) {
		eval.rank = rank;
		reads[i].stream = STREAM_DEFAULT;
		if (call)
			call_stream(call, rank, &reads[i].stream);
		enum status status = read_of(&eval, formula, &reads[i]);
		if (status != ST_OK) {
			shell->interpreter->now.fault_rank = rank;
			return status;
		}
		i++;
	}
	return ST_OK;
}

enum status fetch(struct shell *shell, const struct formula *formula, const struct ranks *set,
        struct call *call, const char *reason, double **values)
{
	enum status status = ST_OK;

	*values = NULL;
	if (!formula->read_count)
		return ST_OK;
	size_t ranks = (size_t)ranks_count(set);
	if (shell->interpreter->guesses) {
		shell->interpreter->guessed = true;
		*values = mem_alloc((size_t)formula->read_count * ranks * sizeof **values);
		return ST_OK;
	}
	if (shell->dry)
		return ST_OK;
	double *got = mem_alloc((size_t)formula->read_count * ranks * sizeof *got);
	struct data_read *reads = mem_alloc(ranks * sizeof *reads);
	for (int i = 0; i < formula->read_count && status == ST_OK; i++) {
		status = reads_of(shell, formula->reads[i], set, call, reads);
		if (status == ST_OK)
			status = shell_read(shell, set, reads, reason, got + (size_t)i * ranks);
	}
	mem_free(reads);
	if (status == ST_OK)
		*values = got;
	else
		mem_free(got);
	return status;
}
