/* hunt.c -- begins, shows and ends a hunt
 *
 * Rank 0 runs the sandboxes and sends the result to all. Replay takes the logged result. */
#include "shell/course/hunt/hunt.h"
#include "base/memory.h"
#include "shell/session/quote.h"
#include "shell/values/share.h"

#include <string.h>

bool hunt_found_before(struct shell *shell, const char *what, double *value)
{
	if (shell->replay.recalls)
		return steering_recall(&shell->steering, what, strlen(what), value, 1);
	return steering_then(&shell->steering, what, strlen(what), value);
}

void hunt_keep_found(struct shell *shell, const char *what, double *value)
{
	struct ranks first = {0};
	ranks_add(&first, 0);
	if (!shell->replay.recalls)
		steering_read(&shell->steering, what, strlen(what), &first, value, 1);
}

static enum status wants_numbers(const struct shell *shell)
{
	if (shell_keeps_no_data(shell))
		return fail(ST_ARGUMENT,
		        "hunt finds a wrong line by its numbers, and --dry has none: start ranksh without "
		        "it");
	return ST_OK;
}

/* `hunt` is a look, but the program depends on this value, so the log keeps it. */
static enum status choose_change(
        struct shell *shell, const struct mutants *mutants, const struct hunted *hunted, long *change)
{
	int looks = shell->steering.looks;
	double value = 0;
	enum status status = ST_OK;
	shell->steering.looks = 0;
	if (!hunt_found_before(shell, "hunt", &value)) {
		if (transport_rank(shell->transport) == 0)
			status = mutants_choose(mutants, shell, hunted->level, hunted->seed, change);
		value = (double)*change;
		status = shell_spread(shell, status, &value, sizeof value);
	}
	if (status == ST_OK)
		hunt_keep_found(shell, "hunt", &value);
	shell->steering.looks = looks;
	*change = (long)value;
	if (status == ST_OK && (value < 1 || value > (double)mutants->changes.count))
		status = fail(ST_RANGE, "hunt: the journal says change %g, and %s has 1 to %zu", value,
		        mutants->whole->name, mutants->changes.count);
	return status;
}

static void say_hunt(struct shell *shell, const struct program *program)
{
	const struct hunted *hunted = program->hunted;
	out_say(shell->out, "   a line of %s is wrong", hunted->file);
	if (hunted->level)
		out_say(shell->out, ": level %ld, seed %ld", hunted->level, hunted->seed);
	out_say(shell->out,
	        "\n"
	        "   `hunt` shows its lines; `run 2`, `verify`, `races`, `timeline`, `why` show what it does; "
	        "`fix N LINE` replaces line N, `hunt give up` shows the answer\n");
}

static enum status load_changed(struct shell *shell, const struct mutants *mutants, struct hunted *hunted)
{
	size_t change = (size_t)hunted->change - 1;
	const char *file = mutants->file[mutants->file_of[change]]->name;
	struct program *program = mutants_program(mutants, change, shell->world->names);
	hunted->whole = program_use(mutants->whole);
	hunted->file = mem_copy_text(file, strlen(file));
	program->hunted = hunted;
	enum status status = program_begin(shell, program);
	if (status == ST_OK)
		say_hunt(shell, program);
	program_release(program);
	return status;
}

enum status hunt_begin(struct shell *shell, const struct hunt_asked *asked)
{
	const struct program *before = shell->training->now.program;
	struct hunted found = {
	        .level = asked->level ? asked->level : 1, .seed = asked->seed, .change = asked->change};
	struct mutants mutants = {0};
	enum status status = wants_numbers(shell);
	if (status == ST_OK)
		status = mutants_open(&mutants, shell, asked);
	if (status == ST_OK && (asked->change < 0 || (size_t)asked->change > mutants.changes.count))
		status = fail(ST_RANGE,
		        "hunt change=%ld: %s has changes 1 to %zu; `hunt %s all` lists those that can be "
		        "detected",
		        asked->change, mutants.whole->name, mutants.changes.count,
		        quoted_word("%s", mutants.whole->name).text);
	if (found.seed < 0)
		found.seed = before && before->hunted ? before->hunted->seed + 1 : 1;
	if (status == ST_OK)
		status = session_wants_empty(shell);
	if (status == ST_OK && asked->change)
		found.level = found.seed = 0;
	else if (status == ST_OK)
		status = choose_change(shell, &mutants, &found, &found.change);
	if (status == ST_OK) {
		struct hunted *hunted = mem_alloc(sizeof *hunted);
		*hunted = found;
		status = load_changed(shell, &mutants, hunted);
	}
	mutants_close(&mutants);
	return status;
}

enum status hunt_list(struct shell *shell, const struct hunt_asked *asked)
{
	struct mutants mutants = {0};
	struct text words = {0};
	enum status status = wants_numbers(shell);
	if (status == ST_OK)
		status = mutants_open(&mutants, shell, asked);
	if (status == ST_OK && !shell->replay.depth) {
		enum status mine = ST_OK;
		if (transport_rank(shell->transport) == 0)
			mine = mutants_list(&mutants, shell, &words);
		status = shell_say_found(shell, mine, &words);
	}
	mutants_close(&mutants);
	text_release(&words);
	return status;
}

const struct program *hunted_program(const struct shell *shell)
{
	const struct program *program = shell->training->now.program;
	if (program && program->hunted)
		return program;
	fail(ST_ARGUMENT,
	        "no hunt is open: `hunt ddp` plants a bug in one line of that strategy, for you to "
	        "find");
	return NULL;
}

enum status hunt_show(struct shell *shell)
{
	const struct program *program = hunted_program(shell);
	if (!program)
		return ST_ARGUMENT;
	const struct hunted *hunted = program->hunted;
	const struct player_file *file = program_file(program, hunted->file);
	int number = 0;
	FOR_LINES (line, file->text, file->count)
		out_say(shell->out, "%s%4d%s  %.*s\n", STYLED(shell->out, COLOUR_NOTE, ++number),
		        (int)line.length, line.at);
	FOR_LINES (line, text_string(&hunted->tried), hunted->tried.count)
		out_say(shell->out, "   tried: fix %.*s\n", (int)line.length, line.at);
	if (hunted->mended)
		out_say(shell->out, "   it is mended: %d attempt%s\n", hunted->attempts,
		        hunted->attempts == 1 ? "" : "s");
	else
		say_hunt(shell, program);
	return ST_OK;
}

/* "strategies/ddp.rsh:31: a wait left out" */
void hunt_say_wrong(struct shell *shell, const struct hunted *hunted)
{
	struct mutants mutants;
	mutants_of(&mutants, hunted->whole);
	const struct text_change *change = &mutants.changes.change[hunted->change - 1];
	out_say(shell->out, "   %s:%d: %s\n", hunted->file, change->line, change->what);
	for (int i = 0; i < CHANGE_MENDS && change->mend[i]; i++)
		out_say(shell->out, "   %sfix %d %s%s\n",
		        STYLED(shell->out, COLOUR_KERNEL, change->line + i, change->mend[i]));
	mutants_close(&mutants);
}

enum status hunt_give_up(struct shell *shell)
{
	const struct program *program = hunted_program(shell);
	if (!program)
		return ST_ARGUMENT;
	hunt_say_wrong(shell, program->hunted);
	return ST_OK;
}
