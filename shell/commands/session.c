/* session.c -- the session's own commands: undo reset journal restart edit view split quit
 *
 * undo and reset free the world in which they run, so they leave a wish, which is granted after
 * the statement. */
#include "shell/language/run/command.h"
#include "shell/language/run/answer.h"
#include "shell/replay/replay.h"
#include "shell/session/course.h"
#include "shell/session/quote.h"
#include "shell/values/share.h"

#include <stdio.h>
#include <string.h>

/* `undo` must be alone on its line, because earlier statements would run again with it. */
static enum status undo_run(struct call *call)
{
	int64_t count = 1;
	enum status status = call_whole(call, 0, 1, 1000000000, &count);
	if (status == ST_OK && !call_alone(call))
		status = fail(ST_ARGUMENT, "type `undo` alone on a line: earlier lines run again");
	if (status == ST_OK)
		call->shell->wishes.statement =
		        (struct wish){.kind = WISH_WORLD, .grant = replay_undo, .number = count};
	return status;
}

const struct command command_undo = {
        .name = "undo",
        .topic = "write",
        .usage = "undo [N]",
        .help = "takes back the last line, or the last N: the lines before them run again in an empty "
                "world. Must be alone on its line",
        .argument = {{ARG_EXPRESSION, ARG_OPTIONAL, NULL, "N"}},
        .class = COMMAND_SESSION,
        .run = undo_run,
};

static enum status reset_run(struct call *call)
{
	call->shell->wishes.statement = (struct wish){.kind = WISH_EMPTY};
	return ST_OK;
}

const struct command command_reset = {
        .name = "reset",
        .topic = "steer",
        .help = "makes an empty world on the same machine: no tensors, no streams, time 0",
        .example = "stream io\nreset\nstream io",
        .class = COMMAND_SESSION,
        .run = reset_run,
};

static void journal_list(struct shell *shell)
{
	const struct journal *journal = &shell->journal;
	bool any = false;
	int number = 0;
	for (size_t i = journal->floor; i < journal->count; i++) {
		const struct journal_entry *entry = &journal->entries[i];
		char count[16] = "";
		if (entry->session &&
		        (!*entry->ran ||
		                (shell->course.functions && shell->course.functions->hides_start(shell))))
			continue;
		any = true;
		if (entry->counts)
			snprintf(count, sizeof count, "%d", ++number);
		out_say(shell->out, "%s%4s%s  %s%s", STYLED(shell->out, COLOUR_NOTE, count),
		        entry->session ? entry->ran : entry->line, entry->session ? "" : "\n");
	}
	if (!any)
		out_say(shell->out, "   nothing was typed since the world was empty\n");
}

static const struct output_kind kind = {
        .is = "file of `journal save`", .begins = "# written by `journal save`"};

static enum status journal_run(struct call *call)
{
	struct shell *shell = call->shell;
	const char *path = "";
	int lines = 0;
	struct text script = {0};
	if (!shell->interactive && !shell->journal.count)
		return fail(ST_ARGUMENT,
		        "journal: the lines of a script are in its own file; `journal` has those typed at "
		        "a prompt");
	if (!call_count(call, 0)) {
		journal_list(shell);
		return ST_OK;
	}
	enum status status = call_common(call, 1, &path);
	if (status == ST_OK && !*path)
		status = fail(ST_ARGUMENT, "journal save needs a file: journal save lines.rsh");
	if (status != ST_OK || shell->replay.depth)
		return status == ST_OK ? shell_written(shell, path, ST_OK) : status;
	text_add(&script, "%s\n", kind.begins);
	size_t first = script.count;
	journal_script(&shell->journal, &script);
	for (size_t i = first; i < script.count; i++)
		lines += script.bytes[i] == '\n';
	status = call_write(call, path, &kind, call_count(call, 2) > 0, &script);
	text_release(&script);
	struct text word = {0};
	quote_system(path, &word);
	if (status == ST_OK)
		out_say(shell->out, "   %d line%s in %s; `ranksh %s` runs them\n", lines,
		        lines == 1 ? "" : "s", path, text_string(&word));
	text_release(&word);
	return status;
}

const struct command command_journal = {
        .name = "journal",
        .topic = "write",
        .usage = "journal [save FILE [force]]",
        .help = "lists the lines typed since the world was empty. save: writes them as a script that "
                "rebuilds this world, with the lines from earlier worlds that it depends on. force: "
                "overwrites a file that `journal save` has not written",
        .argument = {{ARG_WORD, ARG_OPTIONAL, "save", "save"}, {ARG_FILE, ARG_OPTIONAL, NULL, "FILE"},
                {ARG_WORD, ARG_OPTIONAL, "force", "force"}},
        .class = COMMAND_LOOK,
        .run = journal_run,
};

/* restart, edit, view, split: leaves a wish for the front end, except in a replay. */
static enum status session_ask_run(struct call *call)
{
	static const struct {
		const char *name;
		enum wish_kind kind;
	} requests[] = {
	        {"restart", WISH_RESTART}, {"edit", WISH_EDIT}, {"view", WISH_VIEW}, {"split", WISH_SPLIT}};
	struct shell *shell = call->shell;
	const char *name = call->statement->row->name, *word = "on";
	int i = 0;
	enum status status = call_common(call, 0, &word);
	while (strcmp(requests[i].name, name) != 0)
		i++;
	if (status == ST_OK && !shell->interactive)
		status = requests[i].kind == WISH_VIEW
		        ? fail(ST_ARGUMENT, "`view` needs a terminal; `timeline` prints the same")
		        : fail(ST_ARGUMENT, "`%s` works at a prompt", name);
	if (status != ST_OK)
		return status;
	if (!shell->replay.depth)
		shell->wishes.front_end.kind = requests[i].kind;
	if (requests[i].kind == WISH_EDIT || requests[i].kind == WISH_SPLIT)
		snprintf(shell->wishes.front_end.file, sizeof shell->wishes.front_end.file, "%s", word);
	return ST_OK;
}

const struct command command_restart = {
        .name = "restart",
        .topic = "steer",
        .help = "starts new processes, which run the journal's lines again",
        .class = COMMAND_SESSION,
        .run = session_ask_run,
};

const struct command command_edit = {
        .name = "edit",
        .topic = "write",
        .usage = "edit FILE",
        .help = "opens a script in your editor; `source FILE` then runs it",
        .argument = {{ARG_FILE, 0, NULL, "FILE"}},
        .class = COMMAND_SESSION,
        .run = session_ask_run,
};

const struct command command_view = {
        .name = "view",
        .topic = "look",
        .help = "shows the timeline on the whole screen: arrows and Tab select an operation, + and - zoom,"
                " b goes to what it waited for, ? lists the keys, q leaves",
        .class = COMMAND_LOOK,
        .run = session_ask_run,
};

const struct command command_split = {
        .name = "split",
        .topic = "look",
        .usage = "split [on|off]",
        .help = "keeps live lanes in the terminal's upper half, with the last iteration or section, and the "
                "prompt below. With `pace`, bars grow while you type and during `sync`",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, ARG_OPTIONAL, "on off", "on|off"}},
        .run = session_ask_run,
};

/* The journal keeps the earlier statements of the line. */
static enum status quit_run(struct call *call)
{
	size_t from = 0, to = 0;
	const char *line = call_span(call, &from, &to);
	if (line)
		journal_did(&call->shell->journal, line, from, SIZE_MAX, "");
	return fail(ST_QUIT, "the session ends");
}

const struct command command_quit = {
        .name = "quit",
        .topic = "write",
        .help = "ends the session; `ranksh --resume` opens it again",
        .class = COMMAND_SESSION,
        .run = quit_run,
};
