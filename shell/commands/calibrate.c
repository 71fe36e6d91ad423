/* calibrate.c -- calibrate F.machine: the machine's figures, fitted to the times of this session
 *
 * `source calibrate; measure 256k` (strategies/parts/calibrate.rsh) queues work that determines
 * all figures. Every process computes the same fit; rank 0 writes the file. */
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/session/quote.h"
#include "shell/values/share.h"
#include "trace/calibrate.h"

#include <string.h>

static const struct output_kind kind = {.is = "file of `calibrate`", .begins = CALIBRATION_BEGINS};

static enum status calibrate_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct trace trace = {.world = shell->world, .backend = shell->backend, .budget = &shell->budget};
	struct calibration calibration;
	struct text text = {0};
	const char *path;
	int operations = 0;
	enum status status = call_common(call, 0, &path);
	if (status == ST_OK && !path_ends(path, ".machine"))
		status = fail(ST_ARGUMENT, "calibrate writes a machine's file: calibrate %s",
		        quoted_word("%s.machine", path).text);
	if (status == ST_OK && shell->backend->measures && !shell->lasting.machine.here)
		status = fail(ST_ARGUMENT,
		        "calibrate: %s is emulated, and its times come from its description; `machine this` "
		        "is the GPU itself",
		        shell->lasting.machine.name);
	if (status == ST_OK)
		status = shell_may_write(shell, path);
	if (status == ST_OK)
		status = shell_look(shell);
	if (status == ST_OK)
		status = trace_calibrate(&trace, -1, &calibration);
	for (int i = 0; i < CALIBRATED_COUNT && status == ST_OK; i++)
		operations += calibration.part[i].operations;
	if (status == ST_OK && !operations)
		status = fail(ST_ARGUMENT,
		        "no measured operation determines a number of the machine: `source calibrate; "
		        "measure %s` queues suitable ones",
		        shell->backend->measures ? "64M" : "256k");
	if (status == ST_OK) {
		calibration_file(&calibration, &text);
		status = call_write(call, path, &kind, call_count(call, 1) > 0, &text);
		text_clear(&text);
	}
	if (status == ST_OK) {
		calibration_text(&calibration, &shell->lasting.machine, out_width(shell->out), &text);
		text_add(&text, "   %s: `machine %s` takes it\n", path,
		        quoted_word("%s%s", strchr(path, '/') ? "" : "./", path).text);
	}
	return answer(call, &text, status);
}

const struct command command_calibrate = {
        .name = "calibrate",
        .topic = "steer",
        .usage = "calibrate F.machine [force]",
        .help = "fits the machine's figures (launch, latencies, rates, efficiencies) to the times measured"
                " in this session and writes them as a machine file. `source calibrate; measure 256k` (on "
                "a GPU `measure 64M`) queues operations that determine all these figures. force: "
                "overwrites a file that `calibrate` has not written",
        .for_all = "the machine",
        .class = COMMAND_LOOK,
        .argument = {{ARG_FILE, 0, NULL, "F.machine"}, {ARG_WORD, ARG_OPTIONAL, "force", "force"}},
        .run = calibrate_run,
};
