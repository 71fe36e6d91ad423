/* chosen.c -- lines whose command, def, kernel or type is a variable's text: `$w 0`, `y = $act x`,
 * `tensor x[4] $t`.
 *
 *     rank    the line's text        read once, kept with the line
 *     0       F 0                    -> call of F
 *     1       B 0                    -> call of B         run for ranks 1 and 3 together
 *     2       F 0
 *     3       B 0
 *
 * Each rank may have another text. Each text is parsed once and kept as a variant, so a loop that
 * chooses between ten lines parses ten. Ranks with the same text run together, in the order of
 * their lowest ranks. */
#include "shell/language/run/run.h"
#include "base/memory.h"

#include <string.h>

static enum status variant_find(
        struct interpreter *in, struct statement *statement, const char *text, struct variant **found)
{
	struct tree *owner = in->now.tree, *tree;
	for (struct variant *variant = statement->variant; variant; variant = variant->next)
		if (strcmp(variant->text, text) == 0) {
			*found = variant;
			return ST_OK;
		}
	enum status status = tree_parse(&tree, text, strlen(text), NULL, statement->line);
	if (status != ST_OK)
		return status == ST_INCOMPLETE ? fail(ST_SYNTAX, "%s: a bracket or quote stays open", text)
		                               : status;
	struct statement *line = tree->block.first;
	if (!line || line->next || line->kind == STATEMENT_CHOSEN) {
		tree_release(tree);
		return fail(ST_SYNTAX, "'%.*s' reads '%s', which is not a line with a command",
		        WHOLE(statement->source), text);
	}
	struct variant *variant = tree_alloc(tree, sizeof *variant);
	*variant = (struct variant){.next = statement->variant,
	        .text = tree->text,
	        .tree = tree,
	        .statement = line,
	        .of_tree = owner->variants};
	statement->variant = owner->variants = variant;
	*found = variant;
	return ST_OK;
}

/* All groups of ranks are known before the first runs: a line may change the variable. */
enum status run_chosen(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	struct eval eval = eval_for(shell, set);
	struct variant **of = mem_alloc(in->n * sizeof *of), *variant;
	struct text text = {0};
	enum status status = ST_OK;
	FOR_RANKS (rank, set) {
		eval.rank = rank;
		text_clear(&text);
		status = evaluate_text(&eval, statement->word, &text);
		if (status == ST_OK)
			status = variant_find(in, statement, text_string(&text), &of[rank]);
		if (on_rank(&eval, status) != ST_OK || !eval.varies)
			break;
	}
	text_release(&text);
	for (struct ranks left = *set; status == ST_OK && !ranks_empty(&left);) {
		struct ranks same = {0};
		variant = of[ranks_first(&left)];
		FOR_RANKS (rank, set)
			if (!eval.varies || of[rank] == variant) {
				ranks_add(&same, rank);
				ranks_drop(&left, rank);
			}
		status = run_kind(shell, variant->statement, &same);
	}
	mem_free(of);
	return status;
}
