/* checkpoint.c -- checkpoint, resume, restore: a training's state in files */
#include "shell/language/run/command.h"
#include "shell/session/quote.h"
#include "shell/values/share.h"
#include "shell/training/checkpoint.h"
#include "shell/training/choose.h"
#include "shell/training/training.h"

#include <stdio.h>
#include <string.h>

static enum status checkpoint_run(struct call *call)
{
	struct plan *plan = &call->shell->training->now;
	int64_t every = 0;
	const char *prefix = "";
	const char *word = call_argument_text(call, 0, 0);
	bool off = strcmp(word, "off") == 0, force = strcmp(word, "force") == 0;
	enum status status = call_option_whole(call, "every", COMMON, 1, 1000000, &every);
	if (status == ST_OK)
		status = call_option_word(call, "to", COMMON, &prefix);
	if (status == ST_OK && off == (*prefix != '\0'))
		status = fail(ST_ARGUMENT,
		        "write: checkpoint to=PREFIX, checkpoint every=10 to=PREFIX, or checkpoint off");
	if (status == ST_OK && strlen(prefix) >= sizeof plan->checkpoint.prefix)
		status = fail(ST_LIMIT, "checkpoint: the path is longer than %zu bytes",
		        sizeof plan->checkpoint.prefix - 1);
	if (status == ST_OK)
		status = shell_may_write(call->shell, prefix);
	if (status != ST_OK)
		return status;
	if (!off && !every)
		return checkpoint_save(call->shell, prefix, 0, force);
	plan->checkpoint.every = every;
	plan->checkpoint.force = force;
	snprintf(plan->checkpoint.prefix, sizeof plan->checkpoint.prefix, "%s", prefix);
	return ST_OK;
}

const struct command command_checkpoint = {
        .name = "checkpoint",
        .topic = "learn",
        .usage = "checkpoint [every=N] to=PREFIX [force] | checkpoint off",
        .help = "writes parameters and optimizer state to files: a .npy for each part that a rank holds, "
                "then PREFIX-ITERATION.json, which names them. every=N: after every N-th iteration of this"
                " program (of the next one if there is none), also after `resume`; loading another program"
                " ends this. If a file exists that no checkpoint has written, the line is refused, unless "
                "force is given",
        .torch = "torch.distributed.checkpoint.save(state_dict, checkpoint_id=\"PREFIX-20\")",
        .for_all = "training",
        .class = COMMAND_STEER,
        .argument = {{ARG_WORD, ARG_OPTIONAL, "off force", "off|force"}},
        .option = {{"every", ARG_EXPRESSION, UNIT_PLAIN, NULL, "iterations between two checkpoints"},
                {"to", ARG_WORD, UNIT_PLAIN, NULL, "folder and first part of the file names"}},
        .run = checkpoint_run,
};

/* Records the path in the journal, so that a replay resumes from the same checkpoint. */
static void resume_note_path(struct call *call, const char *path)
{
	size_t from = 0, to = 0;
	const char *line = call_span(call, &from, &to);
	struct text did = {0};
	if (!line)
		return;
	text_add(&did, "resume from=");
	quote_text(path, &did);
	journal_did(&call->shell->journal, line, from, to, text_string(&did));
	text_release(&did);
}

static enum status resume_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct training *t = shell->training;
	struct checkpoint c;
	const char *path = "";
	enum status status = call_option_word(call, "from", COMMON, &path);
	if (status == ST_OK && !*path)
		status = fail(ST_ARGUMENT, "write: resume from=PREFIX-20, or from=PREFIX for the latest");
	if (status == ST_OK && (!t->now.program || !t->now.program->alone))
		status = fail(ST_ARGUMENT,
		        "resume: choose `model` and `strategy` first; the number of ranks "
		        "may differ");
	if (status == ST_OK && shell_keeps_no_data(shell))
		status = fail(ST_ARGUMENT, "resume: a dry run has no data");
	if (status != ST_OK)
		return status;
	status = checkpoint_open(shell, path, &c);
	if (status == ST_OK)
		status = checkpoint_fits(shell, &c, t->now.program);
	if (status == ST_OK)
		status = checkpoint_whole(shell, path, &c);
	if (status == ST_OK)
		status = choose_resumed(shell, &c);
	if (status == ST_OK) {
		resume_note_path(call, c.path);
		/* With another seed or number of heads the parameters still fit. */
		struct text model = {0};
		program_model(shell->training->now.program, &model);
		out_say(shell->out, "   %s: iteration %d of %s, %zu shards; `run` continues from there\n",
		        c.path, c.iteration, c.model, c.shards);
		if (strcmp(text_string(&model), c.model) != 0)
			out_say(shell->out, "   note: it continues as %s\n", text_string(&model));
		text_release(&model);
	}
	checkpoint_release(&c);
	return status;
}

const struct command command_resume = {
        .name = "resume",
        .topic = "learn",
        .usage = "resume from=PREFIX",
        .help = "continues training from a checkpoint, in an empty world and with the current strategy; "
                "another strategy may have written it. Loads the latest checkpoint of PREFIX, or "
                "PREFIX-ITERATION",
        .torch = "torch.distributed.checkpoint.load(state_dict, checkpoint_id=\"PREFIX-20\")",
        .for_all = "training",
        .class = COMMAND_STEER,
        .option = {{"from", ARG_WORD, UNIT_PLAIN, NULL,
                "PREFIX as in `checkpoint to=`, or PREFIX-ITERATION"}},
        .run = resume_run,
};

/* Fills the ranks of the `part` lines, whatever the ranks of this line. */
static enum status restore_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct checkpoint c = {0};
	const char *path;
	enum status status = call_common(call, 0, &path);
	if (status == ST_OK && !shell->training->parts.count)
		status = fail(ST_ARGUMENT, "restore: no `part` line has declared a part to fill");
	if (status == ST_OK)
		status = checkpoint_open(shell, path, &c);
	if (status == ST_OK)
		status = checkpoint_restore(shell, &c);
	checkpoint_release(&c);
	return status;
}

const struct command command_restore = {
        .name = "restore",
        .topic = "learn",
        .usage = "restore FILE.json",
        .help = "loads from a checkpoint every part that `part` lines declare; `resume` runs this line "
                "after the setup",
        .argument = {{ARG_FILE, 0, NULL, "FILE.json"}},
        .run = restore_run,
};
