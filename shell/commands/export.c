/* export.c -- export FILE: the timeline as a file, in the format of its ending
 *
 * Rank 0 writes; its outcome is shared, so that all ranks accept or refuse the line. The file
 * appears whole or not at all. It replaces an earlier export of its format, and other files only
 * with `force`. Unfinished work is projected; kineto leaves it out. */
#include "base/file.h"
#include "base/memory.h"
#include "shell/commands/timeline_words.h"
#include "shell/language/run/command.h"
#include "shell/session/credit.h"
#include "shell/session/quote.h"
#include "shell/values/share.h"
#include "trace/export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_own_txt(const char *path)
{
	char *bytes;
	size_t count;
	bool own = file_read(path, 1 << 16, &bytes, &count) == ST_OK && export_is_txt(bytes);
	mem_free(bytes);
	return own;
}

static const struct format {
	const char *ending, *says;
	enum status (*make)(
	        const struct trace *trace, const struct export_options *options, struct text *out);
	struct output_kind kind;
} formats[] = {{".svg", "a picture for slides", trace_export_svg,
                       {.is = "file of `export`", .begins = EXPORT_SVG_BEGINS}},
        {".html", "open it in a browser: one file, no network", trace_export_html,
                {.is = "file of `export`", .begins = EXPORT_HTML_BEGINS}},
        {".csv", "a line for each span", trace_export_csv,
                {.is = "file of `export`", .begins = EXPORT_CSV_BEGINS}},
        {".txt", "as `timeline` prints it", trace_export_txt,
                {.is = "file of `export`", .is_own = is_own_txt}},
        {".json", "open it at ui.perfetto.dev or chrome://tracing", trace_export_json,
                {.is = "file of `export`", .begins = EXPORT_JSON_BEGINS}}};
static const struct output_kind kineto = {.is = "file of `export kineto`", .begins = EXPORT_KINETO_BEGINS};

static enum status export_find_format(const char *path, const struct format **format)
{
	struct text endings = {0};
	for (size_t i = 0; i < sizeof formats / sizeof *formats && !*format; i++) {
		*format = path_ends(path, formats[i].ending) ? &formats[i] : NULL;
		text_add(&endings, " %s", formats[i].ending);
	}
	enum status status = *format ? ST_OK
	                             : fail(ST_ARGUMENT, "export %s: a file's ending chooses its format:%s",
	                                       path, text_string(&endings));
	text_release(&endings);
	return status;
}

enum { FOLDER_MOST = 4000 };
#define PART ".part" /* after a file's name until the files of all ranks are written */

static void rank_file(const char *folder, int rank, const char *behind, char path[FOLDER_MOST + 40])
{
	snprintf(path, FOLDER_MOST + 40, "%s/rank%d.pt.trace.json%s", folder, rank, behind);
}

static enum status rank_files_check(const struct output *output, const struct ranks *ranks)
{
	char path[FOLDER_MOST + 40];
	struct output file = *output;
	file.path = path;
	enum status status = ST_OK;
	FOR_RANKS (rank, ranks)
		for (int part = 0; part < 2 && status == ST_OK; part++) {
			rank_file(output->path, rank, part ? PART : "", path);
			status = may_replace(&file);
		}
	return status;
}

/* After a failure the new files are removed, and earlier files stay. */
static enum status rank_files_rename(const char *folder, const struct ranks *ranks, enum status status)
{
	char path[FOLDER_MOST + 40], part[FOLDER_MOST + 40];
	FOR_RANKS (rank, ranks) {
		rank_file(folder, rank, "", path);
		rank_file(folder, rank, PART, part);
		if (status == ST_OK && rename(part, path) != 0)
			status = fail(ST_FILE, "%s cannot be written: %s", path, strerror(errno));
		if (status != ST_OK)
			unlink(part);
	}
	return status;
}

/* Writes "DIR/rank3.pt.trace.json", the name that TensorBoard's plugin and Holistic Trace Analysis
 * search for. All files appear, or none. */
static enum status rank_files_write(
        const struct trace *trace, const struct output *output, const struct export_options *options)
{
	const char *folder = output->path;
	char part[FOLDER_MOST + 40];
	if (strlen(folder) > FOLDER_MOST)
		return fail(ST_FILE, "export kineto: the folder's name is too long");
	bool made = mkdir(folder, 0777) == 0;
	if (!made && errno != EEXIST)
		return fail(ST_FILE, "%s cannot be made: %s", folder, strerror(errno));
	enum status status = rank_files_check(output, options->ranks);
	if (status != ST_OK)
		return status;
	FOR_RANKS (rank, options->ranks) {
		struct text text = {0};
		rank_file(folder, rank, PART, part);
		if (status == ST_OK)
			status = trace_export_kineto(trace, options, rank, &text);
		if (status == ST_OK)
			status = file_write(part, text_string(&text), text.count);
		text_release(&text);
	}
	status = rank_files_rename(folder, options->ranks, status);
	if (status != ST_OK && made)
		rmdir(folder);
	return status;
}

/* Runs on rank 0 only. Its steps must not be counted among those of all processes, so it has a
 * budget of its own, which Ctrl-C still ends. format NULL: kineto */
static enum status export_write(struct shell *shell, const struct output *output, const struct format *format,
        const struct export_options *options)
{
	struct budget budget = credit_alone(shell->credit);
	struct trace trace = {.world = shell->world, .backend = shell->backend, .budget = &budget};
	struct text text = {0};
	if (!format)
		return rank_files_write(&trace, output, options);
	enum status status = may_replace(output);
	if (status == ST_OK)
		status = format->make(&trace, options, &text);
	if (status == ST_OK)
		status = file_write(output->path, text_string(&text), text.count);
	text_release(&text);
	return status;
}

/* format NULL: kineto. Only a picture can leave streams out. */
static enum status export_check_words(const struct timeline_words *asked, const struct format *format)
{
	bool picture = format && (format->make == trace_export_svg || format->make == trace_export_txt);
	if (asked->critical)
		return fail(ST_ARGUMENT, "export: only `timeline critical` draws the critical path");
	if (asked->lanes && !picture)
		return fail(ST_ARGUMENT, "export: only a .svg or .txt leaves streams out");
	return ST_OK;
}

static enum status export_run(struct call *call)
{
	struct shell *shell = call->shell;
	const char *path;
	const struct format *format = NULL;
	struct timeline_words asked;
	struct window window;
	int section;
	int64_t width = 160;
	bool force = false;
	enum status status = call_common(call, 1, &path);
	if (status == ST_OK && !call_count(call, 0))
		status = export_find_format(path, &format);
	if (status == ST_OK)
		status = timeline_words_read(call, 2, &asked, &force);
	if (status == ST_OK)
		status = export_check_words(&asked, format);
	if (status == ST_OK)
		status = call_option_whole(call, "width", COMMON, 40, 4000, &width);
	if (status == ST_OK)
		status = shell_may_write(shell, path);
	asked.all |= !timeline_words_any(&asked);
	if (status == ST_OK)
		status = timeline_words_find(shell, &asked, &section, &window);
	if (status != ST_OK)
		return status;
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	struct export_options options = {.window = window,
	        .ranks = call->set,
	        .lane = asked.lane,
	        .lanes = asked.lanes,
	        .width = (int)width,
	        .now = shell_clock(shell)};
	struct text line = {0};
	/* on all processes, because it may intern new names */
	call_line(call, ranks_first(call->set), &line);
	struct output output = {.path = path,
	        .kind = format ? &format->kind : &kineto,
	        .force = force,
	        .line = text_string(&line)};
	bool writes = !shell->replay.depth && transport_rank(shell->transport) == 0;
	status = shell_agree(shell, 0, writes ? export_write(shell, &output, format, &options) : ST_OK);
	text_release(&line);
	status = shell_written(shell, path, status);
	if (status == ST_OK)
		out_say(shell->out, "   %s: %s\n", path,
		        format ? format->says
		               : "a file a rank, for readers of PyTorch's profiler: Holistic Trace Analysis, "
		                 "TensorBoard, Perfetto");
	size_t unfinished = status == ST_OK && !format ? trace_unfinished(&trace, &options) : 0;
	if (unfinished)
		out_say(shell->out, "   left out, because not finished: %zu operation%s (%s)\n", unfinished,
		        unfinished == 1 ? "" : "s",
		        trace_hangs(&trace) ? "ranks wait forever: see `stuck`" : "`sync` waits for them");
	return status;
}

const struct command command_export = {
        .name = "export",
        .topic = "look",
        .usage = "export FILE.svg|.html|.csv|.txt|.json [all|current|last|SECTION|FROM TO] [STREAM...] "
                 "[force] "
                 "[width=N] | export kineto DIR [...] [force]",
        .help = "writes the timeline to a file. The file's ending chooses the format: .svg for slides; "
                ".html a page to pan, zoom and search; .csv a row per span with its cause and whether it "
                "is finished (done); .txt as `timeline` prints it (width=: columns); .json for Perfetto "
                "and chrome://tracing: a process per rank, a thread per stream and for one-sided "
                "operations in its windows, arrows for waits and transfers. kineto: a file per rank, as "
                "PyTorch's profiler writes it, with finished operations only. Without further words it "
                "writes everything, else what `timeline` with these words draws. `@0-3 export` writes some "
                "ranks. force: overwrites a file that `export` has not written in this format",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, ARG_OPTIONAL, "kineto", "kineto"}, {ARG_FILE, 0, NULL, "FILE"},
                {ARG_WORD, ARG_OPTIONAL | ARG_MANY, NULL, "SECTION|STREAM|force"}},
        .option = {{"width", ARG_EXPRESSION, UNIT_PLAIN, NULL, "columns of a .txt, 160 unless given"}},
        .run = export_run,
};
