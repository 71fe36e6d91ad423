/* measure.c -- figures for comparing worlds, each for all ranks together */
#include "races/races.h"
#include "shell/replay/inside.h"
#include "trace/critical.h"
#include "trace/table.h"

#include <limits.h>
#include <string.h>

/* Over all ranks: the largest time, means of the rest */
struct rank_sums {
	double time, exposed, sent;
};

static enum status add_rank(
        const struct trace *trace, int section, int rank, int wanted, struct rank_sums *sums)
{
	int64_t time = 0, exposed = 0;
	double sent = 0;
	int n = trace->world->n;
	enum status status = ST_OK;
	if (wanted & MEASURE_TIME)
		status = metric_time(trace, section, rank, &time);
	if (status == ST_OK)
		status = metric_exposed(trace, section, rank, HIDE_COMMUNICATION, &exposed);
	if (status == ST_OK && wanted & MEASURE_SENT)
		status = metric_sent(trace, section, rank, NULL, &sent);
	sums->time = (double)time > sums->time ? (double)time : sums->time;
	sums->exposed += (double)exposed / n;
	sums->sent += sent / n;
	return status;
}

static enum status measure_path(const struct trace *trace, int section, struct world_figures *out)
{
	int64_t of_kind[CRITICAL_KIND_COUNT] = {0};
	struct critical path;
	enum status status = critical_find(trace, section, false, &path);
	for (size_t i = 0; i < path.count; i++)
		of_kind[path.piece[i].kind] += path.piece[i].to - path.piece[i].from;
	for (int kind = 0; kind < CRITICAL_KIND_COUNT; kind++)
		if (of_kind[kind] > of_kind[out->most])
			out->most = kind;
	if (path.count)
		out->part = (double)of_kind[out->most] / (double)(path.window.to - path.window.from);
	critical_release(&path);
	return status;
}

enum status measure_world(struct shell *shell, int section, int wanted, struct world_figures *out)
{
	struct trace all = {.world = shell->world, .backend = shell->backend, .budget = &shell->budget};
	struct iterations iterations;
	struct trace trace = trace_steady(&all, section, &iterations);
	struct rank_sums sums = {0};
	double each;
	int count;
	*out = (struct world_figures){0};
	enum status status = metric_iteration(&all, section, &count, &each);
	wanted |= count ? 0 : MEASURE_TIME;
	for (int rank = 0; rank < all.world->n && status == ST_OK; rank++)
		status = add_rank(&trace, section, rank, wanted, &sums);
	int counted = count > 1 && iterations.from ? count - 1 : count ? count : 1;
	out->iterations = count > 0;
	out->time = count ? each : sums.time;
	out->exposed = sums.exposed / counted;
	out->sent = sums.sent / counted;
	if (status == ST_OK && wanted & MEASURE_PATH)
		status = measure_path(&trace, section, out);
	for (int rank = 0; rank < all.world->n; rank++) {
		const struct heap *heap = world_heap(all.world, rank, SPACE_DEVICE);
		if (heap->peak_allocated <= out->peak)
			continue;
		out->peak = heap->peak_allocated;
		memcpy(out->kind, heap->peak_kind, sizeof out->kind);
	}
	if (wanted & MEASURE_RACES)
		out->races = races_now(shell->world)->count;
	bool stages = false; /* a micro-batch is sent to another rank; else the world has no bubble */
	for (size_t i = 1; i <= all.world->record_count && !stages; i++)
		stages = all.world->records[i].kind == OP_P2P && all.world->records[i].microbatch >= 0;
	return status == ST_OK && stages ? metric_bubble(&trace, section, 0, &out->bubble) : status;
}

enum status measure_rerun(struct rerun *rerun, int section, int wanted, struct world_figures *out)
{
	struct shell *shell = &rerun->shell;
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	struct text stuck = {0};
	enum status status = measure_world(shell, section, wanted, out);
	if (status != ST_WAITS)
		return status;
	trace_stuck(&trace, INT_MAX, false, &stuck);
	fail(ST_WAITS, "run again it gets stuck: %.*s", (int)strcspn(text_string(&stuck), "\n"),
	        text_string(&stuck));
	text_release(&stuck);
	return ST_WAITS;
}

void say_off(struct shell *shell, double measured, double simulated)
{
	if (measured > 0)
		out_say(shell->out,
		        "   measured %s; the simulator, from which the rest comes, is %+.1f%% off\n",
		        time_words((int64_t)measured).text, 100 * (simulated - measured) / measured);
}

void say_figures(struct shell *shell, struct table *table)
{
	struct text text = {0};
	table_print(table, out_width(shell->out), &text);
	out_put(shell->out, text_string(&text), text.count);
	text_release(&text);
	table_release(table);
}
