/* played.c -- runs a task in a sandbox
 *
 * Rank 0's thread records the outcome; each rank records its own tensors and figures. */
#include "shell/course/lessons/played.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/sandbox/sandbox.h"

#include <stdio.h>
#include <string.h>

static bool is_rank_zero(const struct shell *shell)
{
	return shell->world->me == 0;
}

static void note_outcome(
        struct task_play *played, const struct shell *shell, enum play_outcome outcome, int line)
{
	if (!is_rank_zero(shell))
		return;
	played->outcome = outcome;
	played->line = line;
	if (outcome != PLAYED_TO_END)
		text_add(&played->words, "%s", fail_text());
}

static enum status run_starter(struct shell *shell, struct task_play *played, const struct variation *variant)
{
	const struct text *start = &played->task->part[PART_START];
	shell->salt = variant->salt;
	shell->files.none = false; /* the starter may read files */
	shell->files.reads_only = true;
	enum status status = sandbox_lines(shell, text_string(start), start->count, TASK_FILE, 1);
	shell->salt = 0;
	shell->files.none = true;
	shell->files.reads_only = !played->ruled; /* lines of the lesson's own write no file */
	if (status != ST_OK && status != ST_EXPECT)
		note_outcome(played, shell, PLAYED_REFUSED, 0);
	return status == ST_EXPECT ? ST_OK : status;
}

/* *section: the section with the work. Lines that only read results get a section of their own, so
 * that gates do not count their time. */
static enum status run_typed(
        struct shell *shell, struct task_play *played, struct task_rules *rules, int *section)
{
	enum status status = ST_OK;
	size_t count = played->lines ? played->lines->count : 0, work = count ? typed_work(played->lines) : 0;
	shell->course.watch = played->ruled ? &rules->watch : NULL;
	rules->watch.program_alone = true;
	for (size_t i = 0; i < count; i++) {
		const struct typed_line *line = &played->lines->line[i];
		if (i == work) {
			*section = interpreter_section_now(shell);
			name_id looks = names_make(shell->world->names, "looks", strlen("looks"));
			interpreter_section(shell, world_mark(shell->world, looks, 0));
		}
		shell->world->line = line->line;
		status = sandbox_lines(shell, line->text, strlen(line->text), NULL, line->line);
		if (status == ST_OK || status == ST_EXPECT)
			continue;
		note_outcome(played, shell, status == ST_INTERRUPTED ? PLAYED_OVER : PLAYED_REFUSED,
		        shell->world->line);
		break;
	}
	shell->course.watch = NULL;
	if (work == count)
		*section = interpreter_section_now(shell);
	return status == ST_EXPECT ? ST_OK : status;
}

static enum status play_end(struct shell *shell, struct task_play *played)
{
	const struct world *world = shell->world;
	enum status status = sandbox_finish(shell);
	for (int rank = 0; is_rank_zero(shell) && rank < world->n; rank++)
		for (int space = 0; space < SPACE_COUNT; space++)
			played->memory = most_of(
			        played->memory, world_heap(world, rank, (enum space)space)->peak_reserved);
	note_outcome(played, shell,
	        status == ST_OK                    ? PLAYED_TO_END
	                : status == ST_INTERRUPTED ? PLAYED_OVER
	                : status == ST_STUCK       ? PLAYED_STUCK
	                                           : PLAYED_REFUSED,
	        0);
	return status;
}

/* Copies the rank's tensors. starters: the copy made after the starter; NULL: this is it. */
static void keep_tensors(struct shell *shell, struct kept_rank *kept, const struct kept_rank *starters)
{
	const struct world *world = shell->world;
	for (name_id name = 1; (int)name <= names_count(world->names); name++) {
		const char *text = names_text(world->names, name);
		struct view view;
		if (world_find(world, world->me, name).kind != THING_TENSOR ||
		        interpreter_view(shell, world->me, text, &view) != ST_OK)
			continue;
		struct kept_tensor *tensor =
		        kept_add(kept, text, &view.layout, (enum dtype)view.layout.dtype);
		read_packed(shell, 0, &view, tensor->elements);
		tensor->starters = starters && kept_find(starters, text);
	}
}

void played_unname(struct shell *shell, int rank, const char *name)
{
	name_id id = names_find(shell->world->names, name, strlen(name));
	if (id)
		world_unbind(shell->world, rank, id);
}

/* Adds a reference tensor in host memory, so that device figures do not count it. */
static enum status reference_declare(struct shell *shell, int rank, const struct kept_tensor *tensor)
{
	struct text line = {0};
	struct view view;
	played_unname(shell, rank, tensor->name);
	text_add(&line, "@%d tensor %s%s host %s", rank, tensor->name, shape_text(&tensor->layout).text,
	        dtype_name((enum dtype)tensor->layout.dtype));
	enum status status = sandbox_lines(shell, text_string(&line), line.count, TASK_FILE, 1);
	text_release(&line);
	if (status != ST_OK || rank != shell->world->me)
		return status;
	status = interpreter_view(shell, rank, tensor->name, &view);
	return status == ST_OK ? shell->backend->write(shell->backend, view.space, view.address,
	                                 &tensor->layout, tensor->elements)
	                       : status;
}

/* Adds the tensors that gates mention: every process declares all and writes its own. */
static enum status reference_add(struct shell *shell, const struct task_play *played)
{
	const struct kept_world *beside = played->beside;
	const char *check = text_string(&played->task->part[PART_CHECK]);
	enum status status = ST_OK;
	for (int rank = 0; rank < beside->n; rank++)
		for (size_t i = 0; i < beside->rank[rank].count && status == ST_OK; i++) {
			const struct kept_tensor *tensor = &beside->rank[rank].tensor[i];
			if (!tensor->starters && gates_speak_of(check, tensor->name))
				status = reference_declare(shell, rank, tensor);
		}
	return status == ST_OK ? sandbox_end(shell) : status;
}

struct play {
	struct task_play *played;
	const struct variation *variant;
};

static void play_gates(struct shell *shell, struct task_play *played, const struct text *variables)
{
	/* gates apply to all ranks, whatever the last `use` was */
	shell->world->host_most = 0; /* no limit for reference tensors */
	static const char all[] = "use @all; use default; use world";
	enum status status = sandbox_lines(shell, all, strlen(all), TASK_FILE, 1);
	if (played->best)
		shell->course.best = &played->best[shell->world->me];
	if (status == ST_OK && played->beside && played->beside->rank)
		status = reference_add(shell, played);
	if (status == ST_OK)
		status = sandbox_lines(
		        shell, text_string(variables), variables->count, "the starter's variables", 1);
	if (status != ST_OK) {
		note_outcome(played, shell, PLAYED_REFUSED, 0);
		return;
	}
	asked_figures(shell, played);
	asked_gates(shell, played);
}

static void play_rank(struct shell *shell, void *self)
{
	const struct play *play = self;
	struct task_play *played = play->played;
	struct task_rules rules = {0};
	struct kept_rank starters = {0};
	struct text variables = {0};
	task_rules_make(&rules, played->task);
	enum status status = run_starter(shell, played, play->variant);
	int section = 0;
	if (status == ST_OK) {
		interpreter_variables(shell, &variables);
		if (played->wants_tensors)
			keep_tensors(shell, &starters, NULL);
		status = run_typed(shell, played, &rules, &section);
	}
	if (status == ST_OK && played->wants_tensors) /* the final values follow all work */
		status = sandbox_lines(shell, "sync", 4, TASK_FILE, 1);
	if (status == ST_OK)
		status = play_end(shell, played);
	if (status == ST_OK && played->wants_tensors)
		keep_tensors(shell, &played->kept.rank[shell->world->me], &starters);
	interpreter_section(shell, section);
	if (status == ST_OK && (played->gates || played->figures))
		play_gates(shell, played, &variables);
	kept_rank_release(&starters);
	text_release(&variables);
	task_rules_release(&rules);
}

enum status played_run(struct task_play *played, const struct variation *variant, struct shell *of)
{
	struct play self = {played, variant};
	char argument[sizeof variant->argument], *arguments[] = {argument};
	struct sandbox sandbox = {.n = variant->n,
	        .machine = "classroom",
	        .steps_most = played->steps_most,
	        .memory_most = played->memory_most,
	        .argument = arguments,
	        .arguments = *variant->argument != '\0'};
	snprintf(argument, sizeof argument, "%s", variant->argument);
	if (played->wants_tensors)
		played->kept = kept_world_make(variant->n);
	enum status status = sandbox_run(&sandbox, of, play_rank, &self);
	played->steps = sandbox.steps;
	return status;
}

void played_release(struct task_play *played)
{
	text_release(&played->words);
	text_release(&played->cause);
	kept_world_release(&played->kept);
}

void bests_keep(struct best *best, int n, bool keep)
{
	for (int rank = 0; rank < n; rank++)
		best[rank].keeps = keep;
}

struct best *bests_make(int n)
{
	struct best *best = mem_alloc((size_t)n * sizeof *best);
	bests_keep(best, n, true);
	return best;
}

void bests_release(struct best *best, int n)
{
	for (int rank = 0; best && rank < n; rank++)
		best_release(&best[rank]);
	mem_free(best);
}
