/* interpreter.c -- runs whole texts, blocks, and statements for sets of ranks */
#include "shell/language/run/interpreter.h"
#include "shell/language/parse/parse.h"
#include "shell/language/run/player.h"
#include "shell/language/run/run.h"
#include "shell/session/changes.h"
#include "shell/session/course.h"

/* budget->more, which checks for an interrupt, is called once in many steps. */
enum status budget_step(struct shell *shell)
{
	struct budget *budget = &shell->budget;
	if (--budget->steps > 0 || !budget->more || budget->more(budget))
		return ST_OK;
	return fail(ST_INTERRUPTED, "interrupted");
}

static enum status run_braces(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	return run_block(shell, statement->block, &statement->clauses, set);
}

static void player_report(
        struct interpreter *in, struct statement *statement, const struct ranks *set, bool end)
{
	bool block = statement->kind == STATEMENT_COMMAND && statement->block;
	bool line = statement->kind == STATEMENT_COMMAND || statement->kind == STATEMENT_VIEW ||
	        statement->kind == STATEMENT_TENSOR || statement->kind == STATEMENT_EXPECT;
	enum ran ran = end ? RAN_END : block ? RAN_BLOCK : line ? RAN_LINE : RAN_CALL;
	if (end ? block : line || statement->kind == STATEMENT_CALL)
		player_line(in->player, ran, statement, set);
}

static enum status run_broken(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	(void)shell, (void)set;
	return fail(statement->broken, "%s", statement->message);
}

static run_one *const run_as[] = {[STATEMENT_COMMAND] = run_command,
        [STATEMENT_CALL] = run_call,
        [STATEMENT_CHOSEN] = run_chosen,
        [STATEMENT_OPTION] = run_option,
        [STATEMENT_REFUSE] = run_refuse,
        [STATEMENT_VIEW] = run_view,
        [STATEMENT_BLOCK] = run_braces,
        [STATEMENT_TENSOR] = run_making,
        [STATEMENT_LET] = run_let,
        [STATEMENT_IF] = run_if,
        [STATEMENT_REPEAT] = run_for,
        [STATEMENT_FOR] = run_for,
        [STATEMENT_DEF] = run_def,
        [STATEMENT_EXPECT] = run_expect,
        [STATEMENT_EXPECT_ERROR] = run_expect_error,
        [STATEMENT_EXPECT_VERIFY] = run_expect_verify,
        [STATEMENT_TITLE] = run_title,
        [STATEMENT_BROKEN] = run_broken};

enum status run_kind(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	enum status status = ST_OK;
	struct interpreter *in = shell->interpreter;
	if (statement_watched(shell) && shell->course.watch->program_alone && statement_is_aside(statement))
		return ST_OK;
	if (statement_watched(shell) && shell->course.watch->before)
		status = shell->course.watch->before(shell, statement);
	if (status != ST_OK)
		return status;
	if (in->player)
		player_report(in, statement, set, false);
	bool queues = statement->kind == STATEMENT_VIEW || statement->kind == STATEMENT_TENSOR ||
	        (statement->kind == STATEMENT_COMMAND && statement->row->class == COMMAND_PROGRAM);
	if (in->counts && queues)
		return ST_OK;
	if (statement->purpose)
		status = purpose_set(shell, statement->purpose, set);
	if (status == ST_OK)
		status = run_as[statement->kind](shell, statement, set);
	in->purpose = NULL;
	if (in->player)
		player_report(in, statement, set, true);
	return status;
}

/* A function of its own, so that only lines with a @ have a set on the stack */
static __attribute__((noinline)) enum status run_narrowed(struct shell *shell, struct statement *statement)
{
	struct ranks set;
	enum status status =
	        evaluate_ranks(shell, statement->clauses.ranks, shell->interpreter->now.scope->bound, &set);
	if (status != ST_OK || ranks_empty(&set))
		return status;
	return run_kind(shell, statement, &set);
}

/* Copies the set of `use`, which is freed if the line empties the world. */
static __attribute__((noinline)) enum status run_used(struct shell *shell, struct statement *statement)
{
	struct ranks set = *shell->interpreter->now.scope->use;
	return ranks_empty(&set) ? ST_OK : run_kind(shell, statement, &set);
}

/* Returns the running file: a program's, or one that `source` reads; 0 in the text that was typed
 * or given. */
static name_id file_at_hand(const struct shell *shell)
{
	const struct running *now = &shell->interpreter->now;
	struct world *world = shell->world;
	const char *file = now->tree ? now->tree->file : NULL;
	if (file && !now->file && now->runs <= 1 && !watch_owns_file(shell, file))
		file = NULL;
	if (!file || (world->file && strcmp(names_text(world->names, world->file), file) == 0))
		return file ? world->file : 0;
	return names_make(world->names, file, strlen(file));
}

static enum status run_statement(struct shell *shell, struct statement *statement)
{
	enum status status = budget_step(shell);
	if (status != ST_OK)
		return status;
	shell->world->line = statement->line;
	shell->world->file = file_at_hand(shell);
	if (shell->replay.changes && changes_leave_out(shell, statement->source.at, statement->source.length))
		return ST_OK;
	if (statement->clauses.ranks)
		return run_narrowed(shell, statement);
	if (shell->interpreter->now.scope->use)
		return run_used(shell, statement);
	const struct ranks *set = shell->interpreter->now.scope->bound;
	return ranks_empty(set) ? ST_OK : run_kind(shell, statement, set);
}

/* Appends the loops' values, outermost first: "m=1, i=3". */
static void loops_text(struct shell *shell, const struct loop *loop, int rank, struct text *out)
{
	if (!loop)
		return;
	loops_text(shell, loop->up, rank, out);
	const struct variable *variable = &loop->frame->local.item[loop->variable];
	bool varies = false;
	struct value value = variable_at(variable, rank, &varies);
	if (value.kind == VALUE_NONE || !variable->name)
		return;
	text_add(out, "%s%s=", out->count ? ", " : "", names_text(shell->world->names, variable->name));
	value_text(shell, value, out);
}

/* Adds file, line, loops' values, and the rank unless it is the first, to a failure's message;
 * only for the innermost statement. */
static enum status failure_locate(struct shell *shell, const struct statement *statement, enum status status)
{
	struct interpreter *in = shell->interpreter;
	struct text where = {0};
	if (in->now.located || status == ST_QUIT)
		return status;
	in->now.located = true;
	const struct slice_of_text *source = &statement->source;
	bool written = status == ST_NAME || status == ST_ARGUMENT || status == ST_RANGE || status == ST_FILE;
	if (written && statement->kind == STATEMENT_COMMAND &&
	        meant_line(source->at, source->at + source->length))
		status = ST_SYNTAX;
	bool one = shell->world->n > 1 && in->now.fault_rank > ranks_first(in->now.scope->bound);
	loops_text(shell, in->now.loops,
	        in->now.fault_rank < 0 ? ranks_first(in->now.scope->bound) : in->now.fault_rank, &where);
	if (one)
		text_add(&where, "%srank %d", where.count ? ", " : "", in->now.fault_rank);
	if (in->now.tree && in->now.tree->file)
		status = where.count ? fail_in(status, "%s:%d (%s)", in->now.tree->file, statement->line,
		                               text_string(&where))
		                     : fail_in(status, "%s:%d", in->now.tree->file, statement->line);
	else if (where.count)
		status = fail_in(status, "(%s)", text_string(&where));
	text_release(&where);
	return status;
}

/* The statement has left a wish. Emptying the world frees things that a def, a command's block or
 * a program's step still use. So wishes are granted only between outermost lines, and in ifs and
 * loops for all ranks. */
static enum status wish_grant(struct shell *shell, struct statement *statement, enum status status)
{
	struct interpreter *in = shell->interpreter;
	bool between = in->now.closed == 0 && in->now.blocks == in->now.flows &&
	        in->now.frame == &in->base_frame && in->grant && ranks_equal(in->now.scope->bound, &in->all);
	if (status == ST_OK || status == ST_AGAIN) {
		bool again = status == ST_AGAIN;
		bool emptied = shell->journal.emptied;
		shell->journal.emptied = false;
		if (shell->wishes.statement.kind == WISH_ANSWER)
			journal_note_text(shell, statement);
		if (between)
			status = in->grant(shell);
		else if (shell->wishes.statement.kind == WISH_ANSWER)
			status = fail(ST_ARGUMENT,
			        "`%.*s` must be alone on its line, outside of blocks, "
			        "defs and programs",
			        SHOWN(statement->source));
		else
			status = fail(ST_ARGUMENT,
			        "`%.*s` empties the world or makes it again: it must be a line of its own, "
			        "for all ranks, and not in a def, a program or the block of a command",
			        WHOLE(statement->source));
		if (shell->journal.emptied)
			journal_note_empty(shell, statement);
		shell->journal.emptied |= emptied;
		if (status == ST_OK && again)
			status = run_statement(shell, statement);
	}
	shell->wishes.statement.kind = WISH_NONE;
	return status;
}

static enum status run_statements(struct shell *shell, struct block *block, const struct statement *last)
{
	struct interpreter *in = shell->interpreter;
	for (struct statement *statement = block->first; statement != last; statement = statement->next) {
		in->now.fault_rank = -1;
		const enum wish_kind asked = shell->wishes.front_end.kind;
		enum status status = run_statement(shell, statement);
		if (shell->wishes.statement.kind != WISH_NONE)
			status = wish_grant(shell, statement, status);
		watch_report(shell, statement, status);
		if (status != ST_OK)
			return failure_locate(shell, statement, status);
		in->did +=
		        statement_class(statement) != COMMAND_LOOK && shell->wishes.front_end.kind == asked;
	}
	return ST_OK;
}

enum status run_block(
        struct shell *shell, struct block *block, const struct clauses *clauses, const struct ranks *bound)
{
	struct interpreter *in = shell->interpreter;
	struct scope scope;
	if (in->now.blocks == BLOCKS_MAX)
		return fail(ST_LIMIT, "blocks and calls nest deeper than %d", BLOCKS_MAX);
	in->now.blocks++;
	scope_push(in, &scope, bound);
	enum status status = clauses ? scope_clauses(shell, clauses, bound) : ST_OK;
	if (status == ST_OK)
		status = run_statements(shell, block, NULL);
	scope_pop(in);
	in->now.blocks--;
	return status;
}

void interpreter_prepare(struct shell *shell)
{
	struct interpreter *in = shell->interpreter;
	if (in->n == shell->world->n)
		return;
	struct value *scratch = mem_resize(in->scratch, shell->world->n * sizeof *scratch);
	memset(scratch, 0, shell->world->n * sizeof *scratch);
	in->scratch = scratch;
	in->n = shell->world->n;
	ranks_all(&in->all, in->n);
}

/* Refuses a text whose lines call unknown defs. If a `source` or the like may define them, the
 * lines report it when they run. */
static enum status check_calls(struct shell *shell, const struct tree *tree)
{
	const struct statement *wrong = NULL;
	char word[WORD_SHOWN];
	if (tree->sources)
		return ST_OK;
	struct names *defined = names_create(); /* the text's own defs */
	for (const struct statement *def = tree->defs; def; def = def->next_call)
		names_make(defined, def->word->written.at, def->word->written.length);
	for (const struct statement *call = tree->calls; call; call = call->next_call) {
		const struct slice_of_text *written = &call->word->written;
		if (!call->word->constant || names_find(defined, written->at, written->length))
			continue;
		word_text(call->word->written, word);
		name_id name = names_find(shell->world->names, word, strlen(word));
		/* a lone word may be a tensor that an earlier line makes: its line reports it */
		bool tensor =
		        !call->arguments && !hint_word(word) && !(strlen(word) > 2 && command_near(word));
		/* the list is reversed, so the last one found is the first in the text */
		if (!tensor && !definition_find(shell->interpreter, shell->interpreter->now.frame, name))
			wrong = call;
	}
	names_free(defined);
	if (!wrong)
		return ST_OK;
	word_text(wrong->word->written, word);
	enum status status = unknown_word(shell, wrong, word);
	return tree->file ? fail_in(status, "%s:%d", tree->file, wrong->line) : status;
}

enum status run_file(struct shell *shell, struct tree *tree, const struct statement *last)
{
	enum status status = check_calls(shell, tree);
	return status == ST_OK ? run_statements(shell, &tree->block, last) : status;
}

/* A grammar mistake in any line refuses the text. Texts nest when a line sources a file. */
static enum status interpreter_text(
        struct shell *shell, const char *text, size_t count, const char *file, int first_line)
{
	struct interpreter *in = shell->interpreter;
	struct tree *outer = in->now.tree;
	struct tree *tree;
	interpreter_prepare(shell);
	if (in->now.runs >= RUNS_MAX)
		return fail(ST_LIMIT, "files that `source` each other nest deeper than %d", RUNS_MAX);
	enum status status = tree_parse(&tree, text, count, file, first_line);
	if (status != ST_OK)
		return status;
	if (in->now.runs == 0)
		in->now.located = false;
	tree->reads_only = shell->files.reads_only || (outer && outer->reads_only);
	in->now.tree = tree;
	in->now.runs++;
	status = run_file(shell, tree, NULL);
	in->now.runs--;
	in->now.tree = outer;
	tree_release(tree);
	return status;
}

enum status interpreter_run(
        struct shell *shell, const char *text, size_t count, const char *file, int first_line)
{
	shell->interpreter->now.closed++;
	enum status status = interpreter_text(shell, text, count, file, first_line);
	shell->interpreter->now.closed--;
	return status;
}

enum status interpreter_run_granting(struct shell *shell, const char *text, size_t count, const char *file,
        int first_line, enum status (*grant)(struct shell *shell))
{
	struct interpreter *in = shell->interpreter;
	struct running outer = in->now;
	enum status (*outer_grant)(struct shell *) = in->grant;
	if (!grant)
		return interpreter_text(shell, text, count, file, first_line);
	in->grant = grant;
	in->now = (struct running){.frame = &in->base_frame, .scope = &in->base_scope, .fault_rank = -1};
	enum status status = interpreter_text(shell, text, count, file, first_line);
	outer.located = in->now.located;
	outer.fault_rank = in->now.fault_rank;
	in->now = outer;
	in->grant = outer_grant;
	return status;
}
