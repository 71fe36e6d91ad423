/* plot.c -- plot loss: the loss against virtual time, a curve for each program of the session */
#include "shell/language/run/command.h"
#include "shell/language/run/answer.h"
#include "shell/session/quote.h"
#include "shell/values/share.h"
#include "shell/language/run/interpreter.h"
#include "shell/training/training.h"
#include "trace/plot.h"

/* the newest curves; more would be unreadable */
enum { CURVES_MOST = 8 };

static const struct output_kind kind = {.is = "file of `plot`", .begins = PLOT_SVG_BEGINS};

static enum status write_svg(struct call *call, const struct curve *curves, size_t count, const char *path)
{
	struct text svg = {0};
	plot_svg(curves, count, "loss", &svg);
	enum status status = call_write(call, path, &kind, call_count(call, 2) > 0, &svg);
	text_release(&svg);
	if (status == ST_OK)
		out_say(call->shell->out, "   %s: %zu curve%s\n", path, count, count == 1 ? "" : "s");
	return status;
}

static enum status plot_run(struct call *call)
{
	struct shell *shell = call->shell;
	const struct curves *curves = &shell->training->curves;
	const char *path = "";
	enum status status = call_common(call, 1, &path);
	if (status == ST_OK && *path && !path_ends(path, ".svg"))
		status = fail(ST_ARGUMENT, "plot writes a picture for a page: plot loss %s",
		        quoted_word("%s.svg", path).text);
	if (status == ST_OK && interpreter_walks(shell->interpreter))
		return ST_OK;
	if (status == ST_OK && shell->dry)
		status = fail(ST_ARGUMENT, "plot: a dry run has no data, so no losses");
	if (status == ST_OK)
		status = shell_advance(shell);
	if (status == ST_OK)
		status = curves_gather(shell);
	if (status == ST_OK && !curves->count)
		status = fail(ST_ARGUMENT,
		        "plot: no program in this session has computed a loss: `strategy ddp; run 20`");
	if (status != ST_OK)
		return status;
	size_t first = curves->count > CURVES_MOST ? curves->count - CURVES_MOST : 0;
	if (*path)
		return write_svg(call, &curves->curve[first], curves->count - first, path);
	struct picture picture = {0};
	struct text text = {0};
	plot_picture(&curves->curve[first], curves->count - first, "loss", out_width(shell->out), &picture);
	picture_text(&picture, out_colour(shell->out), &text);
	out_put(shell->out, text_string(&text), text.count);
	picture_release(&picture);
	text_release(&text);
	return ST_OK;
}

const struct command command_plot = {
        .name = "plot",
        .topic = "look",
        .usage = "plot loss [FILE.svg [force]]",
        .help = "draws the loss against time, a curve for each program in this session (the last 8): the "
                "mean of the ranks' latest losses. FILE.svg: writes a picture. force: overwrites a file that "
                "`plot` has not written",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, 0, "loss", "loss"}, {ARG_FILE, ARG_OPTIONAL, NULL, "FILE.svg"},
                {ARG_WORD, ARG_OPTIONAL, "force", "force"}},
        .run = plot_run,
};
