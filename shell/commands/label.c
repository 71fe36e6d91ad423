/* label.c -- phase and mark: names for the lines that follow
 *
 * A phase is an NVTX range (record_function): it names and colours bars, and ends with its block.
 * F, R, B, W, O, C and D with a number are phases of a pipeline: F3 is the forward of micro-batch
 * 3. A mark begins a section, for `timeline`, `stats`, `diff` and time(NAME). */
#include "shell/language/run/command.h"
#include "shell/session/changes.h"

#include <string.h>

/* The name may differ by rank (`phase B$m`): equal names of consecutive ranks are set at once. */
static enum status phase_run(struct call *call)
{
	const char *word, *before = NULL;
	struct ranks set = {0};
	enum status status = ST_OK;
	FOR_RANKS (rank, call->set) {
		if (status == ST_OK)
			status = call_word(call, 0, 0, rank, &word);
		if (status != ST_OK)
			return status;
		if (before && strcmp(before, word) != 0) {
			interpreter_phase(call->shell, &set, before);
			set = (struct ranks){0};
		}
		before = word;
		ranks_add(&set, rank);
	}
	interpreter_phase(call->shell, &set, before);
	return ST_OK;
}

const struct command command_phase = {
        .name = "phase",
        .topic = "write",
        .usage = "phase NAME|off",
        .help = "gives the operations that follow in this block a phase. F R B W O C D (forward, "
                "recompute, backward, weights, optimizer, communication, data) choose the colour; F3 is "
                "the forward pass of micro-batch 3, F3.1 the same in chunk 1; off: no phase",
        .example = "def both { phase F; spin 1ms; phase B; spin 2ms }\nboth\nsync\ntimeline",
        .torch = "with record_function(\"NAME\"):",
        .cuda = "nvtxRangePush(\"NAME\")",
        .argument = {{ARG_WORD, 0, NULL, "NAME"}},
        .run = phase_run,
};

static enum status mark_run(struct call *call)
{
	const char *word;
	enum status status = call_common(call, 0, &word);
	if (status != ST_OK)
		return status;
	name_id name = names_make(call->shell->world->names, word, strlen(word));
	struct shell *shell = call->shell;
	int section = world_mark(shell->world, name, call->statement->line);
	interpreter_section(shell, section);
	bool begins = shell->replay.changes && section == shell->replay.changes->section;
	return begins ? changes_begin(shell) : ST_OK;
}

const struct command command_mark = {
        .name = "mark",
        .topic = "steer",
        .usage = "mark NAME",
        .help = "begins a new section in the timeline. `timeline NAME`, `stats NAME`, `diff NAME NAME` and "
                "time(NAME) refer to the operations after this line. The section's time begins when the "
                "device reaches them",
        .example = "mark first\nspin 2ms\nsync\nexpect time(first) >= 2ms",
        .class = COMMAND_STEER,
        .argument = {{ARG_WORD, 0, NULL, "NAME"}},
        .run = mark_run,
};
