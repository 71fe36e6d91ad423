/* walk.c -- walks through a program in a scratch world: counts its steps and finds its errors
 *
 *     files, setup        executed, data read as 0
 *     iteration           a learner's file: executed; no rank may wait at its end
 *                         built-in files: only lets, ifs, loops, calls and titles run,
 *                         because they decide the number of steps
 *
 * A built-in iteration's expressions use the setup's tensors only (tests/script/strategies.sh). */
#include "base/memory.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/run/player.h"
#include "shell/language/run/state.h"
#include "shell/training/open.h"
#include "shell/training/training.h"
#include "shell/training/transcript.h"
#include "shell/values/read.h"

#include <string.h>

/* The operations after the first `ops`, up to the next mark, are from this line. `ops` ascends. */
struct mark {
	size_t ops;
	const char *file;
	int line;
};
struct walk {
	struct shell scratch;
	struct program *program;
	struct player *player;
	struct ranks ranks; /* ranks with lines in the current step */
	struct mark *mark;
	size_t marks;
};

static void walk_title(void *self, const char *title, const char *why, int depth)
{
	struct walk *walk = self;
	struct program_step *step = &walk->program->step[walk->program->steps - 1];
	(void)why;
	(void)depth;
	mem_free(step->title);
	step->title = mem_copy_text(title, strlen(title));
}

static void walk_line(
        void *self, enum ran ran, struct statement *statement, const struct ranks *set, int depth)
{
	struct walk *walk = self;
	const struct shell *shell = &walk->scratch;
	size_t ops = shell->world->op_count;
	(void)depth;
	if (ran == RAN_CALL || ran == RAN_END)
		return;
	ranks_or(&walk->ranks, set);
	if (!walk->marks || walk->mark[walk->marks - 1].ops != ops)
		MEM_ADD(&walk->mark, &walk->marks);
	walk->mark[walk->marks - 1] = (struct mark){ops, shell->interpreter->now.tree->file, statement->line};
}

/* After an iteration no line follows, so a rank that waits does so for ever. A send must not need
 * a receive of the next iteration, because `run 1` ends here. */
static enum status walk_check_waits(struct walk *walk)
{
	struct shell *shell = &walk->scratch;
	enum status status = shell_advance(shell);
	if (status == ST_OK)
		status = shell_foresee(shell);
	for (int rank = 0; rank < shell->world->n && status == ST_OK; rank++) {
		op_id on;
		if (!shell->backend->waiting(shell->backend, rank, &on))
			continue;
		struct text label = {0};
		const struct mark *mark = &walk->mark[walk->marks - 1];
		while (mark > walk->mark && mark->ops >= (size_t)on)
			mark--;
		op_label(shell->world, on, &label);
		status = fail(ST_STUCK, "%s:%d: the iteration ends, and rank %d still waits in `%s`",
		        mark->file, mark->line, rank, text_string(&label));
		text_release(&label);
	}
	return status;
}

static enum status walk_step(struct walk *walk, enum player_stop *stop)
{
	struct program *program = walk->program;
	struct program_step *step = MEM_ADD(&program->step, &program->steps);
	*step = (struct program_step){.title = mem_copy_text("", 0)};
	walk->ranks = (struct ranks){0};
	enum status status = player_go(walk->player, stop);
	if (!ranks_empty(&walk->ranks) && ranks_count(&walk->ranks) < walk->scratch.world->n) {
		step->ranks = mem_alloc(sizeof *step->ranks);
		*step->ranks = walk->ranks;
	}
	return status;
}

static enum status walk_steps(struct walk *walk)
{
	struct program *program = walk->program;
	struct interpreter *in = walk->scratch.interpreter;
	enum player_stop stop = PLAYER_STEP;
	enum status status = ST_OK;
	program->loops = player_loops(walk->player);
	while (status == ST_OK && stop != PLAYER_ROUND && stop != PLAYER_END) {
		status = walk_step(walk, &stop);
		if (status == ST_OK && stop == PLAYER_SETUP) {
			program->setup = program->steps;
			in->counts = program->built_in;
		}
	}
	if (!program->loops)
		program->setup = program->steps;
	program->guessed = in->guessed;
	/* guesses may take a branch that the program never takes */
	if (program->guessed && status != ST_INTERRUPTED)
		return ST_OK;
	return status == ST_OK && stop == PLAYER_ROUND && !in->counts ? walk_check_waits(walk) : status;
}

static double walk_count_elements(struct shell *shell)
{
	const struct part_lines *parts = &shell->training->parts;
	double elements = 0;
	for (size_t i = 0; i < parts->count; i++) {
		struct view view;
		if (parts->line[i].rank == 0 && !*parts->line[i].state &&
		        interpreter_view(shell, 0, parts->line[i].tensor, &view) == ST_OK)
			elements += (double)layout_count(&view.layout);
	}
	return elements;
}

enum status program_walk(struct shell *shell, struct program *program, int ranks)
{
	struct walk walk = {.program = program};
	struct watcher watcher = {.self = &walk, .title = walk_title, .line = walk_line};
	enum status status = scratch_open(&walk.scratch, shell, shell->transport, ranks, true);
	if (status == ST_OK)
		status = program_player(program, &walk.scratch, &walk.player);
	if (status == ST_OK) {
		player_watch(walk.player, watcher);
		status = walk_steps(&walk);
	}
	if (status == ST_OK && !program->built_in)
		program_uncalled(walk.player, program);
	if (status == ST_OK) {
		program->elements = walk_count_elements(&walk.scratch);
		for (size_t i = 0; i < walk.scratch.world->stream_count; i++)
			program->loads |= walk.scratch.world->streams[i].host;
		program->schedule = walk.scratch.interpreter->pipeline; /* taken over */
		walk.scratch.interpreter->pipeline = NULL;
	}
	player_free(walk.player);
	mem_free(walk.mark);
	scratch_close(&walk.scratch, shell);
	return status;
}

/* ---- `program save`: the steps as a script of plain lines ----
 *
 * The steps are played in a scratch world; between them the user's defs and variables are set. */

struct save {
	struct shell scratch;
	struct transcript *transcript;
	name_id *phase; /* by rank, of the last line written */
	struct text *out;
};

static void save_title(void *self, const char *title, const char *why, int depth)
{
	struct save *save = self;
	transcript_title(save->transcript, depth);
	text_add(save->out, "\n## %s\n", title);
	FOR_LINES (line, why, strlen(why))
		text_add(save->out, "# %.*s\n", (int)line.length, line.at);
}

static void save_line(
        void *self, enum ran ran, struct statement *statement, const struct ranks *set, int depth)
{
	struct save *save = self;
	transcript_line(save->transcript, &save->scratch, ran, statement, set, depth);
}

/* The defs of the first entry are older than the program and do not override its own. A later
 * entry has the new defs and, if one changed, all variables.
 *
 *     def f {} | strategy ddp | let n = 1 | step 4 | def update {} | run 1
 *      entry 0 |              |  entry 1, played 0 |  entry 2, played 4 */
void typed_note(struct shell *shell)
{
	struct training *t = shell->training;
	struct typed_lines now = {.played = t->played};
	t->typed_latest = interpreter_typed(shell, t->typed_latest, &now.lines);
	if (t->typed_count) {
		const struct text *before = &t->typed[t->typed_count - 1].lines;
		if (strcmp(text_string(&now.lines), text_string(before)) == 0) {
			text_release(&now.lines);
			return;
		}
	}
	*MEM_ADD(&t->typed, &t->typed_count) = now;
}

void typed_forget(struct training *t)
{
	for (size_t i = 0; i < t->typed_count; i++)
		text_release(&t->typed[i].lines);
	mem_free(t->typed);
	t->typed = NULL;
	t->typed_count = t->typed_latest = 0;
}

static enum status save_type_again(struct save *save, const struct typed_lines *typed)
{
	return interpreter_run(&save->scratch, text_string(&typed->lines), typed->lines.count, NULL, 1);
}

static enum status save_step(struct save *save, struct player *player)
{
	struct shell *shell = &save->scratch;
	enum player_stop stop;
	transcript_begin(save->transcript);
	enum status status = player_go(player, &stop);
	if (status != ST_OK)
		return status;
	transcript_script(save->transcript, shell, save->phase, save->out);
	return shell_advance(shell);
}

static enum status save_steps(struct save *save, const struct training *t)
{
	struct player *player = NULL;
	const struct typed_lines *typed = t->typed, *end = typed + t->typed_count;
	enum status status = save_type_again(save, typed++);
	if (status == ST_OK)
		status = program_player(t->now.program, &save->scratch, &player);
	if (status == ST_OK)
		player_watch(player, (struct watcher){save, save_title, save_line});
	for (long i = 0; i < t->played && status == ST_OK; i++) {
		while (typed < end && typed->played == i && status == ST_OK)
			status = save_type_again(save, typed++);
		if (status == ST_OK)
			status = save_step(save, player);
	}
	player_free(player);
	if (status == ST_OK && save->scratch.interpreter->guessed)
		return fail(ST_ARGUMENT,
		        "the lines of this program depend on data: `program save F source` saves the "
		        "program itself");
	return status;
}

enum status program_script(struct shell *shell, struct text *out)
{
	const struct training *t = shell->training;
	struct text lines = {0}, use = {0};
	struct save save = {.transcript = transcript_make(),
	        .out = &lines,
	        .phase = mem_alloc((size_t)shell->world->n * sizeof *save.phase)};
	enum status status = scratch_open(&save.scratch, shell, shell->transport, shell->world->n, true);
	if (status == ST_OK)
		status = save_steps(&save, t);
	text_add(out, "# %s: what its %ld step%s did\n", t->now.program->name, t->played,
	        t->played == 1 ? "" : "s");
	if (save.scratch.interpreter)
		interpreter_prompt(&save.scratch, &use);
	if (use.count) /* for lines that the user adds: those of the script name their ranks */
		text_add(out, "use %.*s\n", (int)use.count - 1, text_string(&use));
	text_put(out, lines.bytes, lines.count);
	text_release(&lines);
	text_release(&use);
	transcript_free(save.transcript);
	mem_free(save.phase);
	scratch_close(&save.scratch, shell);
	return status;
}
