/* say.c -- say, source: a script speaks; a script runs another */
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/session/out.h"
#include "shell/session/share.h"
#include "shell/session/shell.h"
#include "mpi/plane.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum status say_run(struct shell *shell, struct call *call)
{
	struct text first = {0};
	const char *word;
	bool same = true;
	enum status status = shell->backend->advance(shell->backend, &shell->budget);
	FOR_RANKS (rank, call_ranks(call)) {
		if (status == ST_OK)
			status = call_word(call, 0, 0, rank, &word);
		if (status != ST_OK)
			break;
		if (rank == ranks_first(call_ranks(call)))
			text_add(&first, "%s", word);
		same = same && strcmp(text_string(&first), word) == 0;
	}
	if (status == ST_OK && same)
		out_say(shell->out, "%s\n", text_string(&first));
	int place = status == ST_OK && !same ? out_place(shell->out, call_ranks(call)) : -1;
	FOR_RANKS (rank, call_ranks(call))
		if (place >= 0 && call_word(call, 0, 0, rank, &word) == ST_OK)
			out_fill(shell->out, place, rank, word);
	text_release(&first);
	return status;
}

const struct command command_say = {
        .name = "say",
        .topic = "write",
        .usage = "say \"TEXT\"",
        .help = "shows a text; $i and $(i+1) in it are replaced by their values",
        .example = "let i = 3\nsay \"step $i of $(i+1)\"",
        .torch = "print(f\"step {i}\")",
        .class = COMMAND_STEER,
        .argument = {{ARG_TEXT, 0, NULL, "\"TEXT\""}},
        .run = say_run,
};

static enum status source_run(struct shell *shell, struct call *call)
{
	const char *word;
	char *bytes;
	size_t count;
	enum status status = call_word(call, 0, 0, ranks_first(call_ranks(call)), &word);
	if (status != ST_OK)
		return status;
	char *path = mem_copy_text(word, strlen(word)); /* the lines of the file are calls of their own */
	status = shell_file(shell, path, &bytes, &count);
	if (status == ST_OK) {
		shell_read_file(shell, path, bytes, count);
		status = interpreter_run_granting(shell, bytes, count, path, 1, NULL);
	}
	if (status == ST_INCOMPLETE)
		status = fail(ST_SYNTAX, "%s: a bracket, brace or quote is open at the end", path);
	mem_free(bytes);
	mem_free(path);
	return status;
}

const struct command command_source = {
        .name = "source",
        .topic = "write",
        .usage = "source FILE.rsh",
        .help = "runs the lines of a file",
        .class = COMMAND_STEER,
        .argument = {{ARG_FILE, 0, NULL, "FILE"}},
        .run = source_run,
};
