/* save.c -- what a program's steps did, as a script of plain lines
 *
 * The steps are played again in a scratch world without data, and each line is written as it runs: loops
 * unrolled, names and expressions filled in, the ranks before it. Sourced, it gives the same operations in
 * the same order on every rank. */
#include "shell/training/training.h"
#include "shell/training/scratch.h"
#include "shell/language/run/run.h"
#include "base/memory.h"

#include <string.h>

struct save {
	struct scratch scratch;
	struct transcript *transcript;
	name_id *phase; /* by rank, of the last line written */
	struct text *out;
};

static void on_title(void *self, const char *title, const char *why, int depth)
{
	struct save *save = self;
	transcript_title(save->transcript, depth);
	text_add(save->out, "\n## %s\n", title);
	for (const char *end; *why; why = *end ? end + 1 : end) {
		end = why + strcspn(why, "\n");
		text_add(save->out, "# %.*s\n", (int)(end - why), why);
	}
}

static void on_line(void *self, enum ran ran, struct statement *statement, const struct ranks *set, int depth)
{
	struct save *save = self;
	transcript_line(save->transcript, &save->scratch.shell, ran, statement, set, depth);
}

static enum status save_steps(struct save *save, struct player *player, long steps)
{
	struct shell *shell = &save->scratch.shell;
	enum status status = ST_OK;
	for (long i = 0; i < steps && status == ST_OK; i++) {
		enum player_stop stop;
		transcript_begin(save->transcript);
		status = player_go(player, &stop);
		if (status == ST_OK)
			transcript_script(save->transcript, shell, save->phase, save->out);
		if (status == ST_OK)
			status = shell->backend->advance(shell->backend, &shell->budget);
	}
	if (status == ST_OK && shell->interpreter->guessed)
		return fail(ST_ARGUMENT,
		        "data decides which lines of this program run: `program save F source` saves the "
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
	struct player *player = NULL;
	enum status status = scratch_open(&save.scratch, shell, shell->plane, shell->world->n, true);
	save.scratch.shell.interpreter->guesses = true;
	if (status == ST_OK)
		status = program_player(t->now.program, &save.scratch.shell, &player);
	if (status == ST_OK) {
		player_watch(player, (struct watcher){&save, on_title, on_line});
		status = save_steps(&save, player, t->played);
	}
	text_add(out, "# %s: what its %ld step%s did\n", t->now.program->name, t->played,
	        t->played == 1 ? "" : "s");
	interpreter_prompt(&save.scratch.shell, &use);
	if (use.count) /* the lines name their ranks; this is for those that come after */
		text_add(out, "use %.*s\n", (int)use.count - 1, text_string(&use));
	text_put(out, lines.bytes, lines.count);
	text_release(&lines);
	text_release(&use);
	player_free(player);
	transcript_free(save.transcript);
	mem_free(save.phase);
	scratch_close(&save.scratch);
	return status;
}
