/* player.c -- a program's files, run on its own stack from one `##` to the next */
#include "shell/language/run/player.h"
#include "shell/language/parse/lex.h"
#include "shell/language/run/run.h"
#include "system/routine.h"

#include <stdio.h>

struct player {
	struct shell *shell;
	struct routine *routine;
	struct watcher watcher;
	struct tree **tree;
	int trees;
	struct statement *loop;      /* `for it in`, in the last tree; NULL if none */
	struct player_source source; /* its files are owned by the caller */
	struct namespace *space;     /* of all its files */
	struct running running;      /* the state of the suspended program */
	struct frame frame;          /* the outermost frame */
	struct scope scope;
	enum player_stop stop;
	enum status status; /* the result of the ended routine */
	bool titled;        /* the setup or the iteration has reached a `##` */
	bool busy;          /* something ran since the last stop */
	bool cancelled;
};

/* Suspends the program, and returns when it continues. A failure unwinds it. */
static enum status stop_at(struct player *player, enum player_stop stop)
{
	player->stop = stop;
	routine_suspend(player->routine);
	player->busy = false;
	player->titled = stop == PLAYER_STEP;
	return player->cancelled ? fail(ST_INTERRUPTED, "the program was given up") : ST_OK;
}

static enum status title_text(
        struct shell *shell, struct slice_of_text written, const struct ranks *set, struct text *out)
{
	struct eval eval = eval_for(shell, set);
	struct tree *tree = NULL;
	struct name *name;
	enum status status = tree_quoted(&tree, written, &name);
	shell->steering.looks++;
	if (status == ST_OK)
		status = evaluate_text(&eval, name, out);
	shell->steering.looks--;
	tree_release(tree);
	return status;
}

static void put_plain_lines(struct slice_of_text why, struct text *out)
{
	const char *at = why.at, *end = why.at + why.length;
	while (at < end) {
		const char *newline = memchr(at, '\n', end - at), *after = newline ? newline : end;
		at += strspn(at, " \t");
		at += at < after && *at == '#';
		at += at < after && *at == ' ';
		text_add(out, "%.*s\n", (int)(after > at ? after - at : 0), at);
		at = after + 1;
	}
}

static enum status begin_step(
        struct player *player, const struct statement *statement, const struct ranks *set)
{
	struct text title = {0}, lines = {0}, why = {0};
	enum status status = title_text(player->shell, statement->source, set, &title);
	put_plain_lines(statement->why, &lines);
	if (status == ST_OK && lines.count)
		status = title_text(
		        player->shell, (struct slice_of_text){lines.bytes, (uint32_t)lines.count}, set, &why);
	if (status == ST_OK && player->watcher.title)
		player->watcher.title(player->watcher.self, text_string(&title), text_string(&why),
		        player->shell->interpreter->now.calls);
	text_release(&title);
	text_release(&lines);
	text_release(&why);
	return status;
}

enum status run_title(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	struct player *player = in->player;
	if (!player || !ranks_equal(set, scope_ranks(&player->scope)))
		return ST_OK;
	if (in->now.no_steps)
		return fail(ST_SYNTAX, "a step cannot begin inside `together` or `capture`: '## %.*s'",
		        WHOLE(statement->source));
	enum status status = player->titled && player->busy ? stop_at(player, PLAYER_STEP) : ST_OK;
	player->titled = player->busy = true;
	return status == ST_OK ? begin_step(player, statement, set) : status;
}

void player_line(struct player *player, enum ran ran, struct statement *statement, const struct ranks *set)
{
	player->busy |= ran != RAN_CALL;
	if (player->watcher.line)
		player->watcher.line(
		        player->watcher.self, ran, statement, set, player->shell->interpreter->now.calls);
}

/* Sets `it` on all ranks, also those outside the file's `use`. A failure has no line of the
 * program. */
static enum status player_let_round(struct shell *shell, int round)
{
	enum status status =
	        variable_let(shell, names_make(shell->world->names, "it", 2), value_plain(round));
	shell->interpreter->now.located |= status != ST_OK;
	return status;
}

static enum status run_rounds(struct player *player)
{
	struct shell *shell = player->shell;
	struct interpreter *in = shell->interpreter;
	enum status status = player->busy ? stop_at(player, PLAYER_SETUP) : ST_OK;
	for (int round = player->source.first; status == ST_OK; round++) {
		status = player_let_round(shell, round);
		if (status == ST_OK)
			status = budget_step(shell);
		if (status == ST_OK)
			status = run_block(shell, player->loop->block, NULL, scope_ranks(in->now.scope));
		if (status == ST_OK)
			status = stop_at(player, PLAYER_ROUND);
	}
	return status;
}

static enum status run_files(struct player *player)
{
	struct interpreter *in = player->shell->interpreter;
	enum status status = player_let_round(player->shell, player->source.first);
	for (int i = 0; i < player->trees && status == ST_OK; i++) {
		in->now.tree = player->tree[i];
		in->now.file = &player->source.file[i];
		status = run_file(
		        player->shell, player->tree[i], i + 1 == player->trees ? player->loop : NULL);
	}
	return status == ST_OK && player->loop ? run_rounds(player) : status;
}

static void player_body(void *self)
{
	struct player *player = self;
	struct interpreter *in = player->shell->interpreter;
	player->status = run_files(player);
	player->stop = PLAYER_END;
	scope_pop(in);
	variables_forget(&player->frame.local);
}

/* Switches to the program and back; a failure's `located` is copied.
 *
 *     in->now       prompt's  | program's ... | prompt's
 *     in->program   NULL      | its space     | NULL */
static enum status player_resume(struct player *player)
{
	struct interpreter *in = player->shell->interpreter;
	struct running outer = in->now;
	in->now = player->running;
	in->program = player->space;
	in->player = player;
	bool more = routine_resume(player->routine);
	player->running = in->now;
	outer.located = in->now.located;
	in->now = outer;
	in->program = NULL;
	in->player = NULL;
	if (more)
		return ST_OK;
	routine_free(player->routine);
	player->routine = NULL;
	return player->status;
}

enum status player_go(struct player *player, enum player_stop *stop)
{
	struct interpreter *in = player->shell->interpreter;
	interpreter_prepare(player->shell);
	if (!player->routine) {
		player->routine = routine_make(player_body, player);
		player->frame = (struct frame){.set = &in->all, .space = player->space};
		player->scope = (struct scope){.bound = &in->all};
		/* one text and one block deep, so that its lines are not taken for the prompt's */
		player->running = (struct running){.frame = &player->frame,
		        .scope = &player->scope,
		        .blocks = 1,
		        .runs = 1,
		        .closed = 1};
	}
	enum status status = player_resume(player);
	*stop = player->stop;
	return status;
}

void player_free(struct player *player)
{
	if (!player)
		return;
	if (player->routine) {
		char words[1024]; /* keeps a current failure's message */
		snprintf(words, sizeof words, "%s", fail_text());
		bool located = player->shell->interpreter->now.located;
		player->cancelled = true;
		player_resume(player);
		player->shell->interpreter->now.located = located;
		fail(ST_OK, "%s", words);
	}
	for (int i = 0; i < player->trees; i++)
		tree_release(player->tree[i]);
	namespace_forget(player->space);
	mem_free(player->space);
	mem_free(player->tree);
	mem_free(player);
}

static enum status player_value(struct player *player, const char *expression, struct value *value)
{
	struct interpreter *in = player->shell->interpreter;
	struct frame top = {.set = &in->all, .space = player->space}, *before = in->now.frame;
	struct eval eval = eval_for(player->shell, &in->all);
	struct tree *tree = NULL;
	enum status status = tree_formula(&tree, expression, NULL);
	in->program = player->space;
	in->now.frame = &top;
	player->shell->steering.looks++;
	if (status == ST_OK)
		status = evaluate(&eval, tree->block.first->formula, value);
	player->shell->steering.looks--;
	in->now.frame = before;
	in->program = NULL;
	tree_release(tree);
	return status;
}

void player_variable(struct player *player, const char *name, struct text *out)
{
	struct value value;
	if (player_value(player, name, &value) == ST_OK)
		value_text(player->shell, value, out);
}

enum status player_holds(struct player *player, const char *expression, bool *holds)
{
	struct value value = {0};
	enum status status = player_value(player, expression, &value);
	*holds = status == ST_OK && value_true(value);
	return status;
}

void player_each_def(
        const struct player *player, void (*what)(void *self, const struct definition *def), void *self)
{
	for (size_t i = 0; i < player->space->room; i++)
		for (const struct definition *def = player->space->entry[i].definition; def;
		        def = def->before)
			what(self, def);
}

bool player_loops(const struct player *player)
{
	return player->loop != NULL;
}

bool player_runs(const struct shell *shell)
{
	return shell->interpreter->program != NULL;
}

/* No step may begin in a command's block, or in a block that a refusal may end. */
static enum status check_titles(const struct tree *tree, const struct block *block, bool no_steps)
{
	enum status status = ST_OK;
	for (const struct statement *at = block ? block->first : NULL; at && status == ST_OK; at = at->next) {
		if (at->kind == STATEMENT_TITLE && no_steps)
			return fail(ST_SYNTAX,
			        "%s:%d: a step (`##`) cannot begin inside `together`, `capture` or `expect "
			        "error`",
			        tree->file, at->line);
		bool seals = no_steps || at->kind == STATEMENT_COMMAND || at->kind == STATEMENT_EXPECT_ERROR;
		status = check_titles(tree, at->block, seals);
		if (status == ST_OK)
			status = check_titles(tree, at->otherwise, no_steps);
	}
	return status;
}

static enum status find_loop(struct player *player)
{
	const struct tree *tree = player->tree[player->trees - 1];
	for (struct statement *at = tree->block.first; at; at = at->next)
		if (player->loop)
			return fail(
			        ST_SYNTAX, "%s:%d: no line may follow the iteration", tree->file, at->line);
		else if (at->kind == STATEMENT_FOR && at->to && slice_is(at->word->written, "it") &&
		        !at->clauses.ranks)
			player->loop = at;
	return ST_OK;
}

static enum status read_file(struct player *player, const struct player_file *file)
{
	struct tree **tree = &player->tree[player->trees];
	enum status status = tree_parse(tree, file->text, file->count, file->name, 1);
	if (status == ST_INCOMPLETE)
		status = fail(ST_SYNTAX, "%s", fail_text());
	if (status != ST_OK)
		return status;
	player->trees++;
	status = check_titles(*tree, &(*tree)->block, false);
	return status == ST_OK ? givens_fit(file->what, *tree, file->given, file->givens) : status;
}

const struct player_file *player_part(const struct shell *shell, const char *name)
{
	static const char folder[] = "strategies/parts/";
	const struct player *player = shell->interpreter->player;
	for (int i = 0; player && i < player->source.parts; i++) {
		const char *own = player->source.part[i].name + strlen(folder);
		if (strncmp(own, name, strlen(name)) == 0 && strcmp(own + strlen(name), ".rsh") == 0)
			return &player->source.part[i];
	}
	return NULL;
}

void player_watch(struct player *player, struct watcher watcher)
{
	player->watcher = watcher;
}

enum status player_make(struct player **made, struct shell *shell, struct player_source source)
{
	struct player *player = mem_alloc(sizeof *player);
	enum status status = ST_OK;
	player->shell = shell;
	player->source = source;
	player->space = mem_alloc(sizeof *player->space);
	player->space->born = ++shell->interpreter->serial;
	player->tree = mem_alloc(source.files * sizeof *player->tree);
	for (int i = 0; i < source.files && status == ST_OK; i++)
		status = read_file(player, &source.file[i]);
	if (status == ST_OK)
		status = find_loop(player);
	if (status != ST_OK) {
		player_free(player);
		player = NULL;
	}
	*made = player;
	return status;
}
