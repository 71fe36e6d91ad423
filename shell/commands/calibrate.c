/* calibrate.c -- calibrate F.machine: the machine's figures out of this session's own measured times.
 *
 * `source calibrate; measure 256k` (strategies/parts/calibrate.rsh) queues what tells them all; any other work tells what it
 * can.
 * Every process has all times and fits alike; rank 0 writes the file, and its success or failure is everyone's. */
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/language/run/writing.h"
#include "shell/session/replace.h"
#include "shell/session/quote.h"
#include "shell/session/share.h"
#include "trace/calibrate.h"

#include <string.h>

static const char ending[] = ".machine";

static const struct output_kind kind = {.is = "file of `calibrate`", .begins = CALIBRATION_BEGINS};

static enum status write(struct call *call, const char *path, const struct calibration *calibration)
{
	struct text text = {0};
	calibration_file(calibration, &text);
	enum status status = call_write(call, path, &kind, call_count(call, 1) > 0, &text);
	text_release(&text);
	return status;
}

static enum status calibrate_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct calibration calibration;
	struct text text = {0};
	const char *path;
	enum status status = call_common(call, 0, &path);
	size_t length = status == ST_OK ? strlen(path) : 0, tail = sizeof ending - 1;
	if (status == ST_OK && (length <= tail || strcmp(path + length - tail, ending) != 0)) {
		struct text name = {0}, word = {0};
		text_add(&name, "%s%s", path, ending);
		quote_word(text_string(&name), &word);
		status = fail(
		        ST_ARGUMENT, "calibrate writes a machine's file: calibrate %s", text_string(&word));
		text_release(&name);
		text_release(&word);
	}
	if (status == ST_OK && shell->backend->measures && !shell->machine.here)
		status = fail(ST_ARGUMENT,
		        "calibrate: %s is played, and what is played lasts as long as its line says; "
		        "`machine this` is the GPU itself",
		        shell->machine.name);
	if (status == ST_OK)
		status = shell_may_write(shell, path);
	if (status == ST_OK)
		status = shell_look(shell);
	if (status != ST_OK)
		return status;
	struct trace trace = {.world = shell->world, .backend = shell->backend, .budget = &shell->budget};
	status = trace_calibrate(&trace, -1, &calibration);
	int operations = 0;
	for (int i = 0; i < CALIBRATED_COUNT; i++)
		operations += calibration.part[i].operations;
	if (status == ST_OK && !operations)
		status = fail(ST_ARGUMENT,
		        "nothing has run that tells a figure of the machine: `source calibrate; measure %s` "
		        "queues what does",
		        shell->backend->measures ? "64M" : "256k");
	if (status == ST_OK)
		status = write(call, path, &calibration);
	if (status != ST_OK)
		return status;
	calibration_text(&calibration, &shell->machine, out_width(shell->out), &text);
	struct text word = {0}, place = {0};
	text_add(&place, "%s%s", strchr(path, '/') ? "" : "./", path);
	quote_word(text_string(&place), &word);
	text_add(&text, "   %s: `machine %s` takes it\n", path, text_string(&word));
	text_release(&word);
	text_release(&place);
	return answer(call, &text, ST_OK);
}

const struct command command_calibrate = {
        .name = "calibrate",
        .topic = "steer",
        .usage = "calibrate F.machine [force]",
        .help = "fits the machine's figures (launch, latencies, rates, efficiencies) to the times that were "
                "measured in this session and writes them as a machine; `source calibrate; measure 256k`, on "
                "a GPU `measure 64M`, queues what tells all of them; force: over a file that `calibrate` has "
                "not written",
        .for_all = "the machine",
        .class = COMMAND_LOOK,
        .argument = {{ARG_FILE, 0, NULL, "F.machine"}, {ARG_WORD, ARG_OPTIONAL, "force", "force"}},
        .run = calibrate_run,
};
