/* export.c -- export FILE.json: the timeline as a Chrome trace, for Perfetto and chrome://tracing.
 *
 * The file has a process for each rank and in it a thread for each stream and for the host, as
 * torch.profiler's export_chrome_trace gives them. Work that is queued and not yet over is projected and
 * stands in it too. Rank 0 writes; its success or failure is everyone's, so that the line is refused
 * everywhere or nowhere. */
#include "base/file.h"
#include "shell/language/run/command.h"
#include "shell/session/credit.h"
#include "shell/session/share.h"

#include <string.h>

/* Only rank 0 does this, while the others wait in shell_agree: its steps must not be counted among those
 * that all processes count alike, so it has a budget of its own, which Ctrl-C still ends. */
static enum status export_trace(struct shell *shell, const char *path)
{
	struct budget budget = credit_alone(shell->credit);
	struct trace trace = {.world = shell->world, .backend = shell->backend, .budget = &budget};
	struct text text = {0};
	enum status status = trace_export_json(&trace, &text);
	if (status == ST_OK)
		status = file_write(path, text_string(&text), text.count);
	text_release(&text);
	return status;
}

/* The name must end in .json and have something before it. A line that runs again does not write. */
static enum status export_run(struct call *call)
{
	struct shell *shell = call->shell;
	const char *path;
	enum status status = call_common(call, 0, &path);
	size_t length = status == ST_OK ? strlen(path) : 0;
	if (status == ST_OK && (length < 6 || strcmp(path + length - 5, ".json") != 0))
		status = fail(ST_ARGUMENT, "export writes Chrome's trace format: export %s.json", path);
	if (status == ST_OK)
		status = shell_look(shell);
	if (status != ST_OK)
		return status;
	bool writes = !shell->replaying && transport_rank(shell->transport) == 0;
	status = shell_agree(shell, 0, writes ? export_trace(shell, path) : ST_OK);
	if (status == ST_OK)
		out_say(shell->out, "   %s: open it at ui.perfetto.dev or chrome://tracing\n", path);
	return status;
}

const struct command command_export = {
        .name = "export",
        .topic = "look",
        .usage = "export FILE.json",
        .help = "writes the timeline for Perfetto and chrome://tracing: a process for each rank, a thread "
                "for each stream, and for what others reach in its windows; arrows go from what a wait "
                "waited for, and with each transfer",
        .class = COMMAND_LOOK,
        .argument = {{ARG_FILE, 0, NULL, "FILE.json"}},
        .run = export_run,
};
