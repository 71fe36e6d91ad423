/* expect.c -- expect EXPR, expect error "words" { }, expect verify.
 *
 * A false `expect` is no refusal: it is said, counted (shell->expects_failed decides the exit status of
 * --test), and the lines go on, so that one run shows all that is false. What it shows is the part that
 * decided: the left of an `and` before its right, both sides of a comparison with their values, on each
 * rank where it is false. */
#include "base/memory.h"
#include "shell/language/run/answer.h"
#include "shell/language/run/functions.h"
#include "shell/language/run/run.h"
#include "shell/session/expired.h"

#include <math.h>
#include <string.h>

/* ---- what a false one shows ---- */

/* The part of it that is false: the left of `and` before the right */
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
		text_add(out, ": something is no number");
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

/* Ranks with the same words are shown together; a value that does not vary is put in words once. All words are
 * made before any is said: a metric may take long, and what has been said by then is shown meanwhile. */
static void say_false(
        struct shell *shell, const struct statement *statement, struct eval *eval, const struct ranks *failed)
{
	struct text all = {0}; /* one behind the other, each with its NUL */
	FOR_RANKS (rank, failed) {
		eval->rank = rank;
		if (all.count && !eval->varies)
			break;
		put_false(eval, statement->formula, &all);
		text_put(&all, "", 1);
	}
	say_place(shell, statement);
	out_say(shell->out, "false: %.*s\n", WHOLE(statement->source));
	answer_show(shell->out, failed, &all);
	text_release(&all);
}

/* ---- expect ---- */

static void note_dry(struct shell *shell)
{
	if (!shell->interpreter->noted_dry)
		out_say(shell->out, "--dry keeps no data: what an `expect` says of data is not looked at\n");
	shell->interpreter->noted_dry = true;
}

/* Reads by the side door: looking at a value must not change the timeline that the next line may look at */
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
			mem_free(data); /* what a rerun has in their place */
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
		shell->expects_failed++;
		say_false(shell, statement, &eval, &failed);
	}
	mem_free(data);
	return status;
}

/* Nothing but its verdict hangs on what it sees: run again, it looks at what is there then. */
enum status run_expect(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	shell->steering.looks++;
	enum status status = expect_check(shell, statement, set);
	shell->steering.looks--;
	return status;
}

/* The command, which says nothing but why it is false (training_verify): other numbers than one rank's are, whatever the
 * strategy says of it */
enum status run_expect_verify(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct text words = {0};
	put_place(shell, statement, &words);
	text_add(&words, "false: %.*s\n", WHOLE(statement->source));
	if (shell->dry)
		note_dry(shell);
	shell->expects = text_string(&words);
	enum status status = run_command(shell, statement, set);
	shell->expects = NULL;
	text_release(&words);
	return status;
}

/* Refusals are what it waits for; what is wrong with this process is not */
static bool is_refusal(enum status status)
{
	return status != ST_OK && status != ST_MPI && status != ST_INTERRUPTED && status != ST_QUIT &&
	        status != ST_BUG;
}

/* What ended the block must say `words`; without words anything does. how: "refused", "ended" by a timeout */
static enum status compare_words(
        struct shell *shell, struct statement *statement, const char *said, const char *how)
{
	struct eval eval = {.shell = shell};
	struct text words = {0};
	if (!statement->word)
		return ST_OK;
	enum status status = evaluate_text(&eval, statement->word, &words);
	if (status == ST_OK && !strstr(said, text_string(&words))) {
		shell->expects_failed++;
		say_place(shell, statement);
		out_say(shell->out, "false: expect error: its lines were %s with other words\n", how);
		out_say(shell->out, "  expected: %s\n  %-9s %s\n", text_string(&words),
		        *how == 'r' ? "refused:" : "ended:", said);
	}
	text_release(&words);
	return status;
}

/* The first line that is refused ends the block; what the lines before it did stays done. Loops and depth
 * are put back to where the block stood, and a program hears nothing of lines that were meant to fail. Where none is
 * refused, a timeout that was told within it is what was expected. */
enum status run_expect_error(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	struct player *player = in->player;
	struct heard heard = {0}, *around = shell->heard;
	in->player = NULL; /* what is refused is no part of what ran */
	shell->heard = &heard;
	enum status status = run_block(shell, statement->block, NULL, set);
	if (status == ST_OK && !heard.timeouts)
		status = shell_finish(
		        shell); /* an answer is owed: what can time out, as no more lines come, does */
	shell->heard = around;
	in->player = player;
	if (is_refusal(status)) {
		in->now.located = false;
		status = compare_words(shell, statement, fail_text(), "refused");
		shell->expects_failed += heard.timeouts;
	} else if (status == ST_OK && heard.timeouts) {
		status = compare_words(shell, statement, text_string(&heard.text), "ended");
	} else if (status == ST_OK) {
		shell->expects_failed++;
		say_place(shell, statement);
		out_say(shell->out, "false: expect error: its lines ran without one\n");
	}
	text_release(&heard.text);
	return status;
}
