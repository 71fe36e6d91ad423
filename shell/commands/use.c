/* use.c -- use STREAM|GROUP|@RANKS: the default for lines without a clause, until the block ends
 *
 * The name is looked up on the line's first rank; on a rank without it, a later line fails. */
#include "shell/language/run/command.h"

#include <string.h>

/* A word names a stream or a group. Without a word, `use` sets the line's ranks. */
static enum status use_run(struct call *call)
{
	struct shell *shell = call->shell;
	const char *word = "";
	int rank = ranks_first(call->set);
	enum status status = call_common(call, 0, &word);
	if (status != ST_OK)
		return status;
	if (!*word) {
		interpreter_use_ranks(shell, call->set);
		return ST_OK;
	}
	name_id name = names_find(shell->world->names, word, strlen(word));
	enum thing_kind kind = world_find(shell->world, rank, name).kind;
	if (kind == THING_STREAM || kind == THING_GROUP) {
		interpreter_use(shell, kind == THING_STREAM, word);
		return ST_OK;
	}
	const char *near = world_nearest(shell->world, rank, word, THING_NONE);
	return near ? fail(ST_NAME, "no stream or group '%s'; did you mean '%s'?", word, near)
	            : fail(ST_NAME, "no stream or group '%s': use needs a stream, a group or @RANKS", word);
}

const struct command command_use = {
        .name = "use",
        .topic = "order",
        .usage = "use STREAM|GROUP|@RANKS",
        .help = "sets the stream, group or ranks for later lines without `on`, `in` or `@`, to the end of "
                "the block; `use @all` and `use default` go back",
        .example = "stream compute\nuse compute\nspin 1ms",
        .torch = "with torch.cuda.stream(STREAM):",
        .class = COMMAND_STEER,
        .argument = {{ARG_WORD, ARG_OPTIONAL, NULL, "STREAM|GROUP"}},
        .run = use_run,
};
