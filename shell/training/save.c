/* save.c -- what a program's steps did, as a script of plain lines
 *
 * The steps are played again in a scratch world without data. Between steps that world gets the
 * defs and variables typed there. */
#include "shell/training/training.h"
#include "shell/training/transcript.h"
#include "shell/training/open.h"
#include "shell/language/run/state.h"
#include "base/memory.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/run/player.h"

#include <string.h>

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
	const char *end = why + strlen(why), *line;
	size_t length;
	while ((line = text_line(&why, end, &length)))
		text_add(save->out, "# %.*s\n", (int)length, line);
}

static void save_line(
        void *self, enum ran ran, struct statement *statement, const struct ranks *set, int depth)
{
	struct save *save = self;
	transcript_line(save->transcript, &save->scratch, ran, statement, set, depth);
}

/* The first entry's defs are older than the program, and do not override its own. Later entries
 * have new defs and all variables, after changes.
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
	enum status status = scratch_open(&save.scratch, shell, shell->transport, shell->world->n, true);
	if (status == ST_OK)
		status = save_steps(&save, t);
	text_add(out, "# %s: what its %ld step%s did\n", t->now.program->name, t->played,
	        t->played == 1 ? "" : "s");
	if (save.scratch.interpreter)
		interpreter_prompt(&save.scratch, &use);
	if (use.count) /* each line has its ranks; this is for lines added later */
		text_add(out, "use %.*s\n", (int)use.count - 1, text_string(&use));
	text_put(out, lines.bytes, lines.count);
	text_release(&lines);
	text_release(&use);
	transcript_free(save.transcript);
	mem_free(save.phase);
	scratch_close(&save.scratch, shell);
	return status;
}
