/* flow.c -- let, if, repeat, for, whose values may differ by rank.
 *
 * A condition or bound that is equal on all ranks is one decision. Otherwise the ranks diverge as
 * the lanes of a warp do: `if` runs its block for the ranks on which it is true, then `else` for
 * the others; a loop runs while any rank has rounds left. */
#include "shell/language/run/run.h"

#include <math.h>

enum status evaluate_all(struct eval *eval, const struct formula *formula)
{
	struct interpreter *in = eval->shell->interpreter;
	FOR_RANKS (rank, eval->set) {
		eval->rank = rank;
		enum status status = evaluate(eval, formula, &in->scratch[rank]);
		if (status != ST_OK)
			return on_rank(eval, status);
		if (!eval->varies)
			break;
	}
	return ST_OK;
}

enum status evaluate_values(struct shell *shell, const struct formula *formula, const struct ranks *set,
        const char *reason, bool *varies)
{
	struct eval eval = eval_for(shell, set);
	double *data;
	enum status status = fetch_reads(shell, formula, set, NULL, reason, &data);
	eval.data = data;
	if (status == ST_OK)
		status = evaluate_all(&eval, formula);
	*varies = eval.varies;
	mem_free(data);
	return status;
}

static const char *let_given(const struct shell *shell, const struct statement *statement)
{
	const struct interpreter *in = shell->interpreter;
	if (!in->now.tree || !in->now.tree->file || in->now.frame->space != &in->learner ||
	        in->now.frame->caller || in->now.blocks)
		return NULL;
	return command_line_text(shell, statement->word->written);
}

static enum status let_given_value(
        struct shell *shell, const char *text, const struct ranks *set, bool *varies)
{
	enum { BYTES_MOST = 500 };
	struct tree *tree;
	if (strlen(text) > BYTES_MOST)
		return fail(ST_LIMIT, "a value from the command line is too long");
	enum status status = tree_formula(&tree, text, "command line");
	if (status != ST_OK)
		return status;
	status = evaluate_values(shell, tree->block.first->formula, set, "let", varies);
	tree_release(tree);
	return status;
}

/* `let here_$u = 1` if u differs by rank: ranks with the same name set it together. */
static enum status let_by_rank(struct eval *eval, struct statement *statement, bool varies)
{
	struct value *values = eval->shell->interpreter->scratch, one = values[ranks_first(eval->set)];
	struct ranks left = *eval->set;
	enum status status = ST_OK;
	while (status == ST_OK && !ranks_empty(&left)) {
		struct ranks same = {0};
		name_id first = 0, id;
		FOR_RANKS (rank, &left) {
			eval->rank = rank;
			status = on_rank(eval, evaluate_written(eval, statement->word, &id));
			if (status != ST_OK)
				return status;
			first = first ? first : id;
			if (id == first)
				ranks_add(&same, rank);
		}
		FOR_RANKS (rank, &same)
			ranks_drop(&left, rank);
		if (!varies)
			values[ranks_first(&same)] = one;
		status = variable_assign(eval->shell, first, &same, varies);
	}
	return status;
}

enum status run_let(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct eval eval = eval_for(shell, set);
	const char *text = let_given(shell, statement);
	bool varies = false;
	name_id id = 0;
	enum status status = text ? let_given_value(shell, text, set, &varies)
	                          : evaluate_values(shell, statement->formula, set, "let", &varies);
	if (status == ST_OK)
		status = evaluate_written(&eval, statement->word, &id);
	if (status == ST_OK && eval.varies)
		return let_by_rank(&eval, statement, varies);
	return status == ST_OK ? variable_assign(shell, id, set, varies) : status;
}

/* The block of an `if` or a loop holds nothing of the world: its lines may empty the world
 * (wish_grant). */
static enum status run_flow(struct shell *shell, struct block *block, const struct ranks *set)
{
	shell->interpreter->now.flows++;
	enum status status = run_block(shell, block, NULL, set);
	shell->interpreter->now.flows--;
	return status;
}

enum status run_if(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	bool varies = false;
	enum status status = evaluate_values(shell, statement->formula, set, "if", &varies);
	if (status != ST_OK)
		return status;
	if (!varies) {
		struct block *block =
		        value_true(in->scratch[ranks_first(set)]) ? statement->block : statement->otherwise;
		return block ? run_flow(shell, block, set) : ST_OK;
	}
	struct ranks yes = {0}, no = {0};
	FOR_RANKS (rank, set)
		ranks_add(value_true(in->scratch[rank]) ? &yes : &no, rank);
	if (!ranks_empty(&yes))
		status = run_flow(shell, statement->block, &yes);
	if (status == ST_OK && statement->otherwise && !ranks_empty(&no))
		status = run_flow(shell, statement->otherwise, &no);
	return status;
}

/* The rounds of each rank:
 *
 *     for i in 0:rank+1      rank   from  step  count      round 0   round 1   round 2
 *                               0      0     1      1      i=0        -         -
 *                               1      0     1      2      i=0       i=1        -
 *                               2      0     1      3      i=0       i=1       i=2
 *
 * count = ceil((to - from) / step), or 0 if negative. Every loop ends, because it is computed
 * before the first round. */
struct loop_rounds {
	const char *reason;
	bool uniform;
	int64_t *from, *step, *count; /* by rank */
	int64_t most;
};

static enum status loop_bound(struct shell *shell, struct loop_rounds *rounds, const struct formula *formula,
        const struct ranks *set, int64_t *values)
{
	struct interpreter *in = shell->interpreter;
	bool varies = false;
	enum status status = evaluate_values(shell, formula, set, rounds->reason, &varies);
	rounds->uniform &= !varies;
	FOR_RANKS (rank, set) {
		if (status == ST_OK)
			status = value_whole(in->scratch[varies ? rank : ranks_first(set)], formula->written,
			        &values[rank]);
	}
	return status;
}

/* `from` is NULL for `repeat`. The caller frees rounds->from, which holds all three arrays, also
 * after a failure. */
static enum status rounds_make(struct shell *shell, const struct formula *from, const struct formula *to,
        const struct formula *step, const struct ranks *set, struct loop_rounds *rounds)
{
	int n = shell->interpreter->n;
	int64_t *first = mem_alloc(3 * (size_t)n * sizeof *first), *by = first + n, *count = by + n;
	enum status status = ST_OK;
	*rounds = (struct loop_rounds){.reason = from ? "for" : "repeat",
	        .uniform = true,
	        .from = first,
	        .step = by,
	        .count = count};
	for (int rank = 0; rank < n; rank++)
		by[rank] = 1;
	const struct formula *bounds[] = {from, to, step};
	int64_t *into[] = {first, count, by};
	for (int i = 0; i < 3 && status == ST_OK; i++)
		if (bounds[i])
			status = loop_bound(shell, rounds, bounds[i], set, into[i]);
	FOR_RANKS (rank, set) {
		if (status == ST_OK && by[rank] == 0)
			status = fail(ST_RANGE, "for: a step of 0 never ends");
		if (status != ST_OK)
			break;
		double times = ceil((double)(count[rank] - first[rank]) / (double)by[rank]);
		count[rank] = times > 0 ? (int64_t)times : 0;
		if (count[rank] > rounds->most)
			rounds->most = count[rank];
	}
	return status;
}

/* A round is a budget step, so that Ctrl-C can end an empty loop. */
static enum status run_round(struct shell *shell, struct statement *statement, struct loop *loop,
        const struct ranks *active, bool varies)
{
	struct eval eval = eval_for(shell, active);
	struct variable *variable = &loop->frame->local.item[loop->variable];
	enum status status = ST_OK;
	/* in the first round, or after a round that has reset the world */
	if (statement->word && !variable->name)
		status = evaluate_written(&eval, statement->word, &variable->name);
	if (status == ST_OK && statement->word)
		variable_set(shell->interpreter, variable, active, varies);
	if (status == ST_OK)
		status = budget_step(shell);
	return status == ST_OK ? run_flow(shell, statement->block, active) : status;
}

/* Writes round i's values to in->scratch, and drops ranks without a round i from `active`. Returns
 * true if values differ. */
static bool round_of_range(struct shell *shell, const struct loop_rounds *rounds, const struct ranks *set,
        int64_t i, struct ranks *active)
{
	struct value *values = shell->interpreter->scratch;
	int first = -1;
	bool varies = false;
	FOR_RANKS (rank, set) {
		if (i >= rounds->count[rank]) {
			ranks_drop(active, rank);
			continue;
		}
		values[rank] =
		        value_plain((double)rounds->from[rank] + (double)i * (double)rounds->step[rank]);
		first = first < 0 ? rank : first;
		varies |= values[rank].number != values[first].number;
		if (rounds->uniform)
			break;
	}
	return varies;
}

static enum status for_range(struct shell *shell, struct statement *statement, const struct ranks *set,
        struct loop *loop, struct ranks *active)
{
	struct loop_rounds rounds;
	bool repeat = statement->kind == STATEMENT_REPEAT;
	enum status status = rounds_make(shell, repeat ? NULL : statement->formula,
	        repeat ? statement->formula : statement->to, statement->step, set, &rounds);
	for (int64_t i = 0; i < rounds.most && status == ST_OK; i++) {
		bool varies = round_of_range(shell, &rounds, set, i, active);
		status = run_round(shell, statement, loop, active, varies);
	}
	mem_free(rounds.from);
	return status;
}

static enum status for_words(
        struct shell *shell, struct statement *statement, struct loop *loop, struct ranks *active)
{
	enum status status = ST_OK;
	for (int i = 0; i < statement->arguments && status == ST_OK; i++) {
		bool varies = false;
		status = argument_values(shell, &statement->argument[i], active, &varies);
		if (status == ST_OK)
			status = run_round(shell, statement, loop, active, varies);
	}
	return status;
}

enum status run_for(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	struct ranks active = *set;
	struct loop loop = {.up = in->now.loops, .frame = in->now.frame};
	loop.variable = local_push(in->now.frame, 0, &active);
	in->now.loops = &loop;
	enum status status = statement->formula ? for_range(shell, statement, set, &loop, &active)
	                                        : for_words(shell, statement, &loop, &active);
	in->now.loops = loop.up;
	local_drop(loop.frame, loop.variable);
	return status;
}
