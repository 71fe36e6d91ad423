/* walk.c -- walks through a program in a scratch world: counts its steps, finds its errors
 *
 *     files, setup        executed, data read as 0
 *     iteration           a learner's file: executed; no rank may wait at its end
 *                         built-in files: only lets, ifs, loops, calls and titles run, on
 *                         which the number of steps depends
 *
 * A built-in iteration's expressions use tensors from the setup only
 * (tests/script/strategies.sh). */
#include "shell/training/open.h"
#include "shell/training/training.h"
#include "shell/language/run/state.h"
#include "base/memory.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/run/player.h"
#include "shell/values/read.h"

#include <string.h>

/* Operations after the first `ops` are from this line, up to the next mark. */
struct mark {
	size_t ops;
	const char *file;
	int line;
};
struct walk {
	struct shell scratch;
	struct program *program;
	struct player *player;
	struct ranks ranks; /* with lines in the current step */
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

/* After an iteration all its lines are given, so a rank that waits does so for ever. A send may
 * not match a receive of the next iteration: `run 1` ends here. */
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

/* Tests cover built-in iterations for all options that the setup accepts. */
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
	/* guesses may lead where the program never goes */
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
