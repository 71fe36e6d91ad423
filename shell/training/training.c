/* training.c -- model, data, strategy and program of a session, across resets */
#include "shell/training/training.h"
#include "shell/training/transcript.h"
#include "base/memory.h"
#include "shell/language/run/player.h"
#include "shell/session/quote.h"
#include "shell/values/share.h"

struct training *training_make(void)
{
	struct training *made = mem_alloc(sizeof *made);
	made->limit = -1;
	made->transcript = transcript_make();
	return made;
}

void training_free(struct shell *shell)
{
	struct training *t = shell->training;
	player_free(t->player);
	transcript_free(t->transcript);
	plan_release(&t->now);
	plan_release(&t->at_reset);
	plan_release(&t->at_line);
	parts_forget(&t->parts);
	curves_release(&t->curves);
	typed_forget(t);
	mem_free(t);
}

void loader_text(const struct loader *loader, struct text *out)
{
	if (!loader->workers) {
		text_add(out, "no loader: all data is in pinned memory");
		return;
	}
	text_add(out, "loader: %d worker%s a rank, %d micro-batch%s each ahead, read at ", loader->workers,
	        loader->workers == 1 ? "" : "s", loader->prefetch, loader->prefetch == 1 ? "" : "es");
	if (loader->read > 0)
		number_text((struct number){loader->read, UNIT_BYTE_RATE}, out);
	else
		text_add(out, "the machine's disk_read");
	text_add(out, ", decode %s", time_words((int64_t)loader->decode).text);
}

void plan_release(struct plan *plan)
{
	program_release(plan->program);
	program_release(plan->model_program);
	plan->program = plan->model_program = NULL;
}

/* Releases the old plan last, because it may be `from`. */
static void copy_with(const struct plan *from, struct program *program, struct plan *to)
{
	struct plan copy = *from;
	copy.program = program_use(program);
	program_use(copy.model_program);
	plan_release(to);
	*to = copy;
}

void plan_copy(const struct plan *from, struct plan *to)
{
	copy_with(from, from->program, to);
}

void training_line(struct shell *shell)
{
	struct training *t = shell->training;
	copy_with(&t->now, NULL, &t->at_line);
	t->played_before = t->played;
}

void training_stop(struct shell *shell)
{
	player_free(shell->training->player);
	shell->training->player = NULL;
}

static void program_rewind(struct shell *shell)
{
	struct training *t = shell->training;
	training_stop(shell);
	typed_forget(t);
	typed_note(shell);
	if (t->now.program) /* cannot fail: it was parsed before */
		program_player(t->now.program, shell, &t->player);
	t->in_setup = t->now.program && (t->now.program->setup > 0 || !t->now.program->loops);
	t->at = t->round = 0;
	t->iteration = t->now.program ? t->now.program->first : 0;
	t->played = 0;
	t->torn = t->ended = false;
	parts_forget(&t->parts);
	transcript_begin(t->transcript);
}

/* `undo` replays from the line that made the reset, so it begins with the plan before that line:
 *
 *     model mlp | strategy ddp | step | undo        now       mlp, ddp
 *               ^ empties the world                 at_reset  mlp, no program
 *                                                   at_line   before the current line, without
 *                                                             the changes that it made already */
void training_reset(struct shell *shell, bool again)
{
	struct training *t = shell->training;
	curves_world_ends(&t->curves, again);
	if (again)
		plan_copy(&t->at_reset, &t->now);
	else
		copy_with(&t->at_line, t->now.program, &t->at_reset);
	program_rewind(shell);
}

bool program_running(const struct shell *shell)
{
	const struct training *t = shell->training;
	return t->now.program && !t->ended && !t->torn;
}

enum status program_take(struct shell *shell, struct program *program)
{
	struct training *t = shell->training;
	enum status status = player_runs(shell) ? fail(ST_ARGUMENT, "a program cannot start another program")
	                                        : program_walk(shell, program, shell->world->n);
	if (status == ST_OK)
		status = session_wants_empty(shell);
	if (status != ST_OK)
		return status;
	training_stop(shell);
	program_release(t->now.program);
	t->now.program = program_use(program);
	program_rewind(shell);
	return ST_OK;
}

enum status program_begin(struct shell *shell, struct program *program)
{
	struct training *t = shell->training;
	bool another = t->now.program != NULL;
	enum status status = program_take(shell, program);
	if (status == ST_OK && another && t->now.checkpoint.every) {
		out_say(shell->out, "   checkpoint every=%ld to=%s has ended, with the program before\n",
		        t->now.checkpoint.every, quoted_word("%s", t->now.checkpoint.prefix).text);
		t->now.checkpoint.every = 0;
	}
	return status;
}

enum status program_load(struct shell *shell, const char *path, const char *bytes, size_t count)
{
	struct program *program = program_make(path, shell->world->names);
	program_add(
	        program, &(struct player_file){.name = path, .what = path, .text = bytes, .count = count});
	enum status status = program_begin(shell, program);
	program_release(program);
	return status;
}

enum status program_load_file(struct shell *shell, const char *path)
{
	char *bytes = NULL;
	size_t count;
	enum status status = shell_file(shell, path, &bytes, &count);
	if (status == ST_OK)
		status = program_load(shell, path, bytes, count);
	mem_free(bytes);
	return status;
}

enum status program_wanted(const struct shell *shell)
{
	return shell->training->now.program
	        ? ST_OK
	        : fail(ST_ARGUMENT, "no program yet: `strategy ddp` writes one, `program F.rsh` loads one");
}

/* ---- parts of parameters ---- */

void parts_declare(struct part_lines *parts, struct names *names, const struct part_line *line)
{
	struct text key = {0};
	if (!parts->places)
		parts->places = names_create();
	text_add(&key, "%d %s", line->rank, line->tensor);
	size_t place = (size_t)names_make(parts->places, key.bytes, key.count) - 1;
	text_release(&key);
	if (place == parts->count)
		MEM_ADD(&parts->line, &parts->count);
	struct part_line *own = &parts->line[place];
	*own = *line;
	own->tensor = names_keep(names, line->tensor);
	own->of = names_keep(names, line->of);
	own->state = names_keep(names, line->state);
}

void parts_forget(struct part_lines *parts)
{
	names_free(parts->places);
	mem_free(parts->line);
	*parts = (struct part_lines){0};
}
