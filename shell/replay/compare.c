/* compare.c -- compare: strategies for the session's model, each in its own world
 *
 *     the session     model gpt ...   data ...            its machine, slow ranks, ranks
 *     world 1         strategy ddp                run 2
 *     world 2         strategy ddp overlap=off    run 2 */
#include "base/memory.h"
#include "shell/replay/inside.h"
#include "shell/line/line.h"
#include "shell/session/lasting.h"
#include "shell/training/open.h"
#include "shell/training/training.h"
#include "world/tensor_kind.h"
#include "trace/table.h"

#include <stdio.h>

struct compared {
	struct shell shell;
	struct world_figures figures;
};

/* Runs a strategy in an empty world with the session's machine, model and data. */
static enum status run_world(struct compared *one, struct shell *of, const struct question *question, int i)
{
	struct shell *shell = &one->shell;
	char line[300];
	struct lasting now = {0};
	enum status status = scratch_open(shell, of, of->transport, of->world->n, true);
	if (status != ST_OK)
		return status;
	lasting_keep(of, &now);
	scratch_as(shell, &now, &of->training->now);
	lasting_release(&now);
	program_release(shell->training->at_reset.program);
	shell->training->at_reset.program = NULL;
	status = shell_reset_again(shell);
	snprintf(line, sizeof line, "strategy %s", question->world[i]);
	if (status == ST_OK)
		status = line_ours(shell, line);
	snprintf(line, sizeof line, "run %lld", (long long)question->run);
	if (status == ST_OK)
		status = line_ours(shell, line);
	if (status == ST_OK)
		status = line_ours(shell, "sync");
	if (status == ST_OK)
		status = shell_look(shell);
	if (status == ST_OK)
		status = measure_world(shell, -1, MEASURE_SENT, &one->figures);
	return status == ST_OK || status == ST_INTERRUPTED
	        ? status
	        : fail_in(status, "strategy %s", question->world[i]);
}

static void put_bytes(struct table *table, int64_t bytes)
{
	if (bytes)
		bytes_text(bytes, &table->cells);
	table_end(table);
}

static bool any_of(const struct compared *all, int worlds, int kind)
{
	bool any = false;
	for (int i = 0; i < worlds; i++)
		any |= all[i].figures.kind[kind] > 0;
	return any;
}

static void say_times(struct shell *shell, const struct question *question, const struct compared *all)
{
	struct table table = {.align = "llr"};
	bool bubble = false;
	for (int i = 0; i < question->worlds; i++)
		bubble |= all[i].figures.bubble > 0;
	table_cells(&table, "", "", "iteration", "exposed", "sent a rank");
	if (bubble)
		table_cells(&table, "bubble");
	table_row(&table);
	for (int i = 0; i < question->worlds; i++) {
		const struct world_figures *figures = &all[i].figures;
		table_cell(&table, "%d", i + 1);
		table_cell(&table, "%s", question->world[i]);
		table_time(&table, (int64_t)figures->time);
		table_time(&table, (int64_t)figures->exposed);
		put_bytes(&table, (int64_t)figures->sent);
		if (bubble)
			table_cell(&table, "%.2f", figures->bubble);
		table_row(&table);
	}
	say_figures(shell, &table);
}

static void say_memory(struct shell *shell, const struct question *question, const struct compared *all)
{
	static const char *const names[KIND_COUNT] = {[KIND_PARAMETERS] = "params",
	        [KIND_GRADIENTS] = "grads",
	        [KIND_OPTIMIZER] = "optimizer",
	        [KIND_ACTIVATIONS] = "activations",
	        [KIND_ACTIVATION_GRADIENTS] = "their grads",
	        [KIND_BUFFERS] = "buffers"};
	struct table table = {.align = "lr"};
	table_cells(&table, "", "memory");
	for (int kind = 0; kind < KIND_COUNT; kind++)
		if (any_of(all, question->worlds, kind))
			table_cell(&table, "%s", names[kind]);
	table_row(&table);
	for (int i = 0; i < question->worlds; i++) {
		const struct world_figures *figures = &all[i].figures;
		table_cell(&table, "%d", i + 1);
		put_bytes(&table, figures->peak);
		for (int kind = 0; kind < KIND_COUNT; kind++)
			if (any_of(all, question->worlds, kind))
				put_bytes(&table, figures->kind[kind]);
		table_row(&table);
	}
	say_figures(shell, &table);
}

static enum status say_timelines(struct shell *shell, const struct question *question, struct compared *all)
{
	enum { MOST_ROWS = 12 };
	enum status status = ST_OK;
	double longest = 0;
	for (int i = 0; i < question->worlds; i++)
		longest = all[i].figures.time > longest ? all[i].figures.time : longest;
	for (int i = 0; i < question->worlds && status == ST_OK; i++) {
		struct shell *one = &all[i].shell;
		scratch_resume(one, shell);
		struct trace trace = {.world = one->world, .backend = one->backend, .budget = &one->budget};
		struct window whole = trace_window(&trace, -1);
		struct timeline_options options = {.window = {whole.to - (int64_t)longest, whole.to, -1},
		        .width = out_width(shell->out),
		        .merge = true,
		        .now = shell_clock(one),
		        .rows = MOST_ROWS};
		struct picture picture = {0};
		struct text text = {0};
		status = timeline_picture(&trace, &options, &picture);
		if (status == ST_OK) {
			picture_text(&picture, out_colour(shell->out), &text);
			out_say(shell->out, "\n%d  %s\n", i + 1, question->world[i]);
			out_put(shell->out, text_string(&text), text.count);
		}
		if (status == ST_OK && picture.lanes > MOST_ROWS)
			out_say(shell->out, "   ... %d more rows\n", picture.lanes - MOST_ROWS);
		picture_release(&picture);
		text_release(&text);
		scratch_pause(one, shell);
	}
	return status;
}

enum status answer_compare(struct shell *shell, const struct question *question)
{
	struct compared *all = mem_alloc((size_t)question->worlds * sizeof *all);
	enum status status = ST_OK;
	int opened = 0;
	while (opened < question->worlds && status == ST_OK) {
		status = run_world(&all[opened], shell, question, opened);
		scratch_pause(&all[opened++].shell, shell);
	}
	if (status == ST_OK) {
		say_times(shell, question, all);
		say_memory(shell, question, all);
		status = say_timelines(shell, question, all);
	}
	while (opened-- > 0)
		status = scratch_over(&all[opened].shell, shell, status);
	mem_free(all);
	return status;
}
