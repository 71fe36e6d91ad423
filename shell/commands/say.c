/* say.c -- say and source: prints a text; runs another script
 *
 * say waits only for tensors in its text. source reads the file on rank 0 and sends the bytes, so
 * that all processes run the same lines. */
#include "base/embedded.h"
#include "base/memory.h"
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/run/player.h"
#include "shell/session/lasting.h"
#include "shell/values/share.h"
#include "shell/training/choose.h"
#include "shell/training/training.h"

#include <string.h>

static enum status say_one(struct call *call, int i, int rank, struct text *text)
{
	const char *word;
	enum status status = call_word(call, 0, i, rank, &word);
	if (status == ST_OK)
		text_add(text, "%s", word);
	return status;
}

static enum status say_run(struct call *call)
{
	const char *first = NULL, *word;
	bool same = true;
	FOR_RANKS (rank, call->set) {
		enum status status = call_word(call, 0, 0, rank, &word);
		if (status != ST_OK)
			return status;
		first = first ? first : word;
		same = same && strcmp(first, word) == 0;
	}
	if (!same)
		return answer_each(call, say_one, 0);
	enum status status = shell_advance(call->shell);
	if (status == ST_OK)
		out_say(call->shell->out, "%s\n", first);
	return status;
}

const struct command command_say = {
        .name = "say",
        .topic = "write",
        .usage = "say \"TEXT\"",
        .help = "shows a text. $i and $(i+1) are replaced by their values, $(loss[0]) by a value the program "
                "reads: the host waits for it, as in `print`",
        .example = "let i = 3\nsay \"step $i of $(i+1)\"",
        .torch = "print(f\"step {i}\")",
        .class = COMMAND_STEER,
        .shows = true,
        .argument = {{ARG_TEXT, 0, NULL, "\"TEXT\""}},
        .run = say_run,
};

static enum status source_as_program(struct shell *shell, const char *path)
{
	struct text slow = {0};
	if (!shell->interactive)
		return fail(ST_ARGUMENT,
		        "`source --step` needs a prompt, where Enter plays the next section; here `program "
		        "%s` loads it, and `step` plays one",
		        path);
	enum status status = program_load_file(shell, path);
	if (status != ST_OK)
		return status;
	lasting_slow_text(shell, &slow);
	program_list(shell);
	if (slow.count)
		out_say(shell->out, "   from before: %s", text_string(&slow));
	text_release(&slow);
	out_say(shell->out, "   Enter plays the next section, `step back` goes back\n");
	return ST_OK;
}

/* Wishes (reset, undo) are granted between the file's lines; an open bracket at its end is an
 * error. */
static enum status source_run(struct call *call)
{
	const char *path;
	char *bytes = NULL;
	size_t count;
	enum status status = call_common(call, 1, &path);
	if (status != ST_OK)
		return status;
	if (call_count(call, 0))
		return source_as_program(call->shell, path);
	const struct embedded *part = built_in_part(path);
	const struct player_file *own = player_part(call->shell, path);
	if (own)
		status = interpreter_run_granting(call->shell, own->text, own->count, own->name, 1, NULL);
	else if (part)
		status = interpreter_run_granting(call->shell, part->bytes, part->count, part->path, 1, NULL);
	else if ((status = shell_file(call->shell, path, &bytes, &count)) == ST_OK)
		status = interpreter_run_granting(call->shell, bytes, count, path, 1, NULL);
	if (status == ST_INCOMPLETE)
		status = fail(ST_SYNTAX, "%s: a bracket, brace or quote is open at the end", path);
	mem_free(bytes);
	return status;
}

const struct command command_source = {
        .name = "source",
        .topic = "write",
        .usage = "source [--step] FILE.rsh",
        .help = "runs a file's lines. --step: in a new world, one section (`## title`) at each Enter, for "
                "a demonstration. `source training` runs the lines that the built-in models share",
        .class = COMMAND_STEER,
        .argument = {{ARG_WORD, ARG_OPTIONAL, "--step", "--step"}, {ARG_FILE, 0, NULL, "FILE"}},
        .run = source_run,
};
