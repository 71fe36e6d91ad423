/* expect.c -- expect EXPR, expect error "words" { }, expect verify.
 *
 * A false `expect` is shown and counted in shell->expect.failed, and the next line runs. It shows,
 * on each rank, the part that is false: of an `and` the first false side, of a comparison both
 * sides with their values. */
#include "shell/language/run/answer.h"
#include "shell/language/run/functions.h"
#include "shell/language/run/run.h"
#include "shell/session/expired.h"

#include <math.h>

static const struct formula *false_part(struct eval *eval, const struct formula *formula)
{
	struct value value;
	while (formula->kind == FORMULA_AND) {
		if (evaluate(eval, formula->left, &value) != ST_OK)
			break;
		formula = value_true(value) ? formula->right : formula->left;
	}
	return formula;
}

static void put_side(struct eval *eval, const struct formula *formula, struct text *out)
{
	struct value value;
	if (evaluate(eval, formula, &value) == ST_OK)
		value_text(eval->shell, value, out);
	else
		text_add(out, "?");
}

static const char *const opposites[] = {[FORMULA_EQUAL] = "is not",
        [FORMULA_UNEQUAL] = "is",
        [FORMULA_LESS] = "is not below",
        [FORMULA_AT_MOST] = "is above",
        [FORMULA_MORE] = "is not above",
        [FORMULA_AT_LEAST] = "is below"};

static void put_difference(struct eval *eval, const struct formula *part, struct text *out)
{
	double away = eval_read(eval, part), allowed = 0;
	text_put(out, part->written.at, part->written.length);
	if (part->function->function == FUNCTION_CLOSE)
		text_add(out, " differ by %g of the largest", away);
	else if (isnan(away))
		text_add(out, ": something is not a number");
	else if (isinf(away))
		text_add(out, ": nothing was trained: %.*s is %.*s, but for rounding",
		        WHOLE(part->argument[2].tensor->written), WHOLE(part->argument[1].tensor->written));
	else if (close_tolerance(eval, part, &allowed) == ST_OK)
		text_add(out, ": the difference is %.2g of the change from %.*s to %.*s (%.2g is allowed)",
		        away, WHOLE(part->argument[1].tensor->written),
		        WHOLE(part->argument[2].tensor->written), allowed);
}

static void put_false(struct eval *eval, const struct formula *formula, struct text *out)
{
	const struct formula *part = false_part(eval, formula);
	if (is_comparison(part)) {
		size_t length = part->left->written.length;
		while (length && part->left->written.at[length - 1] == ' ')
			length--;
		text_put(out, part->left->written.at, length);
		text_add(out, " = ");
		put_side(eval, part->left, out);
		text_add(out, ", which %s ", opposites[part->kind]);
		put_side(eval, part->right, out);
		if (part->right->kind != FORMULA_NUMBER)
			text_add(out, " = %.*s", WHOLE(part->right->written));
		return;
	}
	if (part->kind == FORMULA_FUNCTION && function_is_close(part->function) && eval->data)
		put_difference(eval, part, out);
	else
		text_add(out, "%.*s is not so", WHOLE(part->written));
}

static void put_place(const struct shell *shell, const struct statement *statement, struct text *out)
{
	const struct tree *tree = shell->interpreter->now.tree;
	if (tree && tree->file)
		text_add(out, "%s:%d: ", tree->file, statement->line);
}

static void say_place(struct shell *shell, const struct statement *statement)
{
	struct text text = {0};
	put_place(shell, statement, &text);
	out_say(shell->out, "%s", text_string(&text));
	text_release(&text);
}

/* Makes all words before it adds any, because output may be flushed while a metric runs. */
static void say_false(
        struct shell *shell, const struct statement *statement, struct eval *eval, const struct ranks *failed)
{
	struct text all = {0};
	FOR_RANKS (rank, failed) {
		eval->rank = rank;
		if (all.count && !eval->varies)
			break;
		put_false(eval, statement->formula, &all);
		text_put(&all, "", 1);
	}
	enum severity before = out_severity(shell->out, SEVERITY_ERROR);
	say_place(shell, statement);
	out_say(shell->out, "false: %.*s\n", WHOLE(statement->source));
	answer_show(shell->out, failed, &all);
	out_severity(shell->out, before);
	text_release(&all);
}

static void note_dry(struct shell *shell)
{
	if (!shell->interpreter->noted_dry)
		out_say(shell->out, "--dry keeps no data: an `expect` on data is not checked\n");
	shell->interpreter->noted_dry = true;
}

/* The reads of an `expect` are not in the trace, so it does not change the timeline. */
static enum status expect_check(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct eval eval = {.shell = shell, .set = set, .assume = shell->dry};
	struct ranks failed = {0};
	double *data;
	enum status status = fetch_reads(shell, statement->formula, set, NULL, NULL, &data);
	if (status != ST_OK)
		return status;
	if (shell->dry && statement->formula->read_count) {
		note_dry(shell);
		if (!statement->formula->skippable) {
			mem_free(data);
			return ST_OK;
		}
	}
	eval.data = data;
	status = evaluate_all(&eval, statement->formula);
	const struct value *value = shell->interpreter->scratch;
	FOR_RANKS (rank, set)
		if (status == ST_OK && !value_true(value[eval.varies ? rank : ranks_first(set)]))
			ranks_add(&failed, rank);
	if (!ranks_empty(&failed)) {
		shell->expect.failed++;
		say_false(shell, statement, &eval, &failed);
	}
	mem_free(data);
	return status;
}

/* No effect depends on an `expect`'s reads, so a replay reads the current data. */
enum status run_expect(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	shell->steering.looks++;
	enum status status = expect_check(shell, statement, set);
	shell->steering.looks--;
	return status;
}

/* Runs the command `verify`, which shows expect.words before a failed comparison
 * (training_verify). */
enum status run_expect_verify(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct text words = {0};
	put_place(shell, statement, &words);
	text_add(&words, "false: %.*s\n", WHOLE(statement->source));
	if (shell->dry)
		note_dry(shell);
	shell->expect.words = text_string(&words);
	enum status status = run_command(shell, statement, set);
	shell->expect.words = NULL;
	text_release(&words);
	return status;
}

/* Checks that `said` contains the expected words, if given. how: "refused", or "ended" by a
 * timeout */
static enum status compare_words(
        struct shell *shell, struct statement *statement, const char *said, const char *how)
{
	struct eval eval = {.shell = shell};
	struct text words = {0};
	if (!statement->word)
		return ST_OK;
	enum status status = evaluate_text(&eval, statement->word, &words);
	if (status == ST_OK && !strstr(said, text_string(&words))) {
		enum severity before = out_severity(shell->out, SEVERITY_ERROR);
		shell->expect.failed++;
		say_place(shell, statement);
		out_say(shell->out, "false: expect error: its lines were %s with other words\n", how);
		out_say(shell->out, "  expected: %s\n  %-9s %s\n", text_string(&words),
		        *how == 'r' ? "refused:" : "ended:", said);
		out_severity(shell->out, before);
	}
	text_release(&words);
	return status;
}

/* A refused line ends the block. Without one, a timeout in the block is the expected error. */
enum status run_expect_error(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	struct player *player = in->player;
	struct heard heard = {0}, *around = shell->expect.heard;
	in->player = NULL; /* a refused line is not reported as one that ran */
	shell->expect.heard = &heard;
	enum status status = run_block(shell, statement->block, NULL, set);
	if (status == ST_OK && !heard.timeouts)
		/* no more lines come: pending operations may time out now */
		status = shell_finish(shell);
	shell->expect.heard = around;
	in->player = player;
	bool ends = status == ST_MPI || status == ST_INTERRUPTED || status == ST_QUIT || status == ST_BUG;
	if (status != ST_OK && !ends) {
		in->now.located = false;
		status = compare_words(shell, statement, fail_text(), "refused");
		shell->expect.failed += heard.timeouts;
	} else if (status == ST_OK && heard.timeouts) {
		status = compare_words(shell, statement, text_string(&heard.text), "ended");
	} else if (status == ST_OK) {
		enum severity before = out_severity(shell->out, SEVERITY_ERROR);
		shell->expect.failed++;
		say_place(shell, statement);
		out_say(shell->out, "false: expect error: its lines ran without an error\n");
		out_severity(shell->out, before);
	}
	text_release(&heard.text);
	return status;
}
