/* play.c -- program, step, run, verify: plays a program */
#include "shell/replay/replay.h"
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/values/share.h"
#include "schedules/schedule.h"
#include "shell/training/training.h"

#include <stdio.h>
#include <string.h>

/* If a replay's limit stopped the command (replay_back), the journal keeps the steps that it
 * played, or that its whole line played if it is in a block. */
static enum status play_note_steps(struct call *call, enum status status)
{
	struct training *t = call->shell->training;
	char did[32] = "";
	size_t from = 0, to = 0;
	if (!t->cut)
		return status;
	t->cut = false;
	const char *text = call_span(call, &from, &to);
	long played = t->played - (text ? t->began : t->played_before);
	if (played > 0)
		snprintf(did, sizeof did, "step %ld", played);
	t->rewritten |= !text || strcmp(call->statement->row->name, "step") != 0;
	journal_did(&call->shell->journal, text, from, to, did);
	return status;
}

/* Leaves a wish, because the lines of this world run again in another. */
static enum status step_to(struct call *call, long played)
{
	const struct training *t = call->shell->training;
	if (call->shell->interactive && !call_alone(call))
		return fail(ST_ARGUMENT,
		        "type `step back` and `step 0` alone on a line: earlier lines run again");
	enum status status = program_wanted(call->shell);
	if (status == ST_OK && played < 0)
		status = fail(ST_RANGE, "step back: only %ld step%s played", t->played,
		        t->played == 1 ? " was" : "s were");
	if (status == ST_OK)
		call->shell->wishes.statement =
		        (struct wish){.kind = WISH_WORLD, .grant = replay_back, .number = played};
	return status;
}

/* A step that was refused halfway, or stopped by Ctrl-C, counts as one. */
static enum status step_run(struct call *call)
{
	const struct training *t = call->shell->training;
	int64_t count = 1;
	const char *word = call_argument_text(call, 0, 0);
	bool back = strcmp(word, "back") == 0;
	if (strcmp(word, "in") == 0)
		return program_inside(call->shell);
	enum status status = call_whole(call, 1, back, 1000000, &count);
	if (status != ST_OK)
		return status;
	if (back || count == 0)
		return step_to(call, back ? t->played + t->torn - count : 0);
	return play_note_steps(call, program_steps(call->shell, count, true));
}

const struct command command_step = {
        .name = "step",
        .topic = "learn",
        .usage = "step [N] | step in | step back [N] | step 0",
        .help = "runs the program's next step, or the next N, and shows the lines. Enter repeats it. `in` "
                "shows every line that the step ran (`...`: as in that name's call above). `back` rebuilds"
                " the world without the last step, or the last N; `step 0` goes back to the start",
        .example = "strategy serial\nstep\nstep 3\nstep in\nstep back\nstep 0",
        .for_all = "training",
        .class = COMMAND_STEER,
        .argument = {{ARG_WORD, ARG_OPTIONAL, "in back", "in|back"},
                {ARG_EXPRESSION, ARG_OPTIONAL, NULL, "N"}},
        .run = step_run,
};

static enum status run_run(struct call *call)
{
	int64_t count = 1;
	enum status status = call_whole(call, 0, 1, 1000000, &count);
	return status == ST_OK ? play_note_steps(call, program_iterations(call->shell, count, true)) : status;
}

const struct command command_run = {
        .name = "run",
        .topic = "learn",
        .usage = "run [ITERATIONS]",
        .help = "runs the program to the end of this iteration, or N iterations, and shows the loss",
        .example = "strategy serial\nrun 2",
        .for_all = "training",
        .class = COMMAND_STEER,
        .argument = {{ARG_EXPRESSION, ARG_OPTIONAL, NULL, "ITERATIONS"}},
        .run = run_run,
};

static const struct output_kind kind = {
        .is = "file of `program save`", .begins = "# written by `program save`"};

static enum status program_schedule_answer(struct call *call, const char *path, bool force)
{
	/* the format has no comments: only equal content is recognized */
	static const struct output_kind same = {.is = "file with exactly this schedule"};
	const struct schedule *schedule = interpreter_schedule_now(call->shell);
	const struct program *program = call->shell->training->now.program;
	struct text text = {0};
	if (!schedule && program)
		schedule = program->schedule;
	if (!schedule)
		return fail(ST_ARGUMENT,
		        "no schedule is set: `strategy pipeline` first, or `schedule 1f1b micro=8`");
	schedule_write(schedule, &text);
	if (!*path)
		return answer(call, &text, ST_OK);
	enum status status = call_write(call, path, &same, force, &text);
	text_release(&text);
	return status;
}

static enum status program_run(struct call *call)
{
	struct shell *shell = call->shell;
	const char *path = "", *first = call_argument_text(call, 0, 0);
	bool save = strcmp(first, "save") == 0,
	     source = call_count(call, 2) > 0 || strcmp(first, "source") == 0,
	     force = call_count(call, 3) > 0;
	enum status status = call_common(call, 1, &path);
	if (status != ST_OK)
		return status;
	if (strcmp(first, "schedule") == 0 && !call_count(call, 2))
		return program_schedule_answer(call, path, force);
	if (save && !*path)
		return fail(ST_ARGUMENT, "write: program save F.rsh, or program save F.rsh source");
	bool loads = *path && !save && !source;
	status = loads ? program_load_file(shell, path) : program_wanted(shell);
	if (status == ST_OK && source && *path && !save)
		status = fail(ST_ARGUMENT, "write: program source, or program save F.rsh source");
	struct text script = {0};
	if (status == ST_OK && save)
		text_add(&script, "%s\n", kind.begins);
	if (status == ST_OK && source)
		program_source(shell->training->now.program, &script);
	else if (status == ST_OK && save)
		status = program_script(shell, &script);
	if (status == ST_OK && save)
		status = call_write(call, path, &kind, force, &script);
	else if (status == ST_OK && source)
		return answer(call, &script, ST_OK);
	else if (status == ST_OK)
		program_list(shell);
	text_release(&script);
	return status;
}

const struct command command_program = {
        .name = "program",
        .topic = "learn",
        .usage = "program [F.rsh|source] | program save F.rsh [source] [force] | program schedule [F.csv "
                 "[force]]",
        .help = "lists the program's steps, loads a script as a program, shows the program's files "
                "(source), or saves its steps' lines as a plain script. schedule: shows or writes a "
                "pipeline's order in the format of PyTorch's pipelining (_load_csv). force: overwrites a "
                "file that `program save` has not written, or a schedule that differs",
        .example = "strategy serial\nprogram",
        .for_all = "training",
        .class = COMMAND_LOOK,
        .unless = {"*", COMMAND_STEER},
        .argument = {{ARG_WORD, ARG_OPTIONAL, "save source schedule", "save|source|schedule"},
                {ARG_FILE, ARG_OPTIONAL, NULL, "F.rsh"}, {ARG_WORD, ARG_OPTIONAL, "source", "source"},
                {ARG_WORD, ARG_OPTIONAL, "force", "force"}},
        .run = program_run,
};

/* iterations 0: as many as were played */
static enum status verify_run(struct call *call)
{
	int64_t iterations = 0;
	enum status status = call_option_whole(call, "iterations", COMMON, 0, 1000000, &iterations);
	return status == ST_OK ? play_note_steps(call, training_verify(call->shell, iterations)) : status;
}

const struct command command_verify = {
        .name = "verify",
        .topic = "learn",
        .usage = "verify [iterations=N]",
        .help = "trains the same model on one rank and compares the loss and every parameter: shows each "
                "difference beside the change that training made. An unfinished iteration is finished "
                "first",
        .for_all = "training",
        .class = COMMAND_STEER,
        .option = {{"iterations", ARG_EXPRESSION, UNIT_PLAIN, NULL,
                "the least number of iterations to train"}},
        .run = verify_run,
};
