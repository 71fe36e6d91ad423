/* whatif.c -- whatif: the session's figures beside a changed rerun's */
#include "shell/language/run/command.h"
#include "shell/replay/inside.h"
#include "shell/training/choose.h"
#include "trace/critical.h"

#include <stdio.h>
#include <string.h>

static void put_times(double before, double after, struct text *out)
{
	const char *unit = before >= 1e6 || after >= 1e6 ? "ms" : "us";
	double ns = before >= 1e6 || after >= 1e6 ? 1e6 : 1e3;
	text_add(out, "%.2f -> %.2f %s", before / ns, after / ns, unit);
}

/* The end's main cause, by the critical path's largest kind */
static const char *const hangs_on[CRITICAL_KIND_COUNT] = {[CRITICAL_COMPUTE] = "kernels",
        [CRITICAL_COMM] = "communication",
        [CRITICAL_COPY] = "copies",
        [CRITICAL_SHARING] = "sharing",
        [CRITICAL_LAUNCH] = "launches",
        [CRITICAL_HOST] = "the host",
        [CRITICAL_MEMORY] = "getting memory",
        [CRITICAL_IDLE] = "late lines"};

static void number_outcome(struct shell *shell, const char *name, double before, double after)
{
	char was[40];
	snprintf(was, sizeof was, "%s before", name);
	shell_number(shell, SHELL_ALL, was, before);
	shell_number(shell, SHELL_ALL, name, after);
}

static void say_outcomes(struct shell *shell, const struct world_figures *a, const struct world_figures *b)
{
	number_outcome(shell, "time", a->time, b->time); /* of an iteration, or of the section */
	number_outcome(shell, "exposed", a->exposed, b->exposed);
	if (a->bubble > 0 || b->bubble > 0)
		number_outcome(shell, "bubble", a->bubble, b->bubble);
	struct text line = {0};
	text_add(&line, "   %s ", a->iterations ? "iteration" : "time");
	put_times(a->time, b->time, &line);
	if (a->exposed > 0 || b->exposed > 0) {
		text_add(&line, "   exposed ");
		put_times(a->exposed, b->exposed, &line);
	}
	if (a->bubble > 0 || b->bubble > 0)
		text_add(&line, "   bubble %.2f -> %.2f", a->bubble, b->bubble);
	if (a->time == b->time)
		text_add(&line, a->exposed == b->exposed ? "   nothing changes" : "   no sooner, no later");
	else if (b->part > 0)
		text_add(&line, "   its end would depend on %s next: %.0f%%", hangs_on[b->most],
		        100 * b->part);
	out_say(shell->out, "%s\n", text_string(&line));
	text_release(&line);
}

static void say_otherwise(struct shell *shell, const struct rerun *rerun, const struct world_figures *a,
        const struct world_figures *b)
{
	const struct changes *changes = &rerun->changes;
	if (*changes->without)
		out_say(shell->out, "   `%s` left out %ld time%s\n", changes->without, changes->left_out,
		        changes->left_out == 1 ? "" : "s");
	if (b->races > a->races) {
		struct trace trace = {.world = rerun->shell.world, .backend = rerun->shell.backend};
		struct text text = {0};
		trace_races(&trace, 0, true, out_width(shell->out), &text);
		out_say(shell->out, "   without that order there are races:\n%s", text_string(&text));
		text_release(&text);
	}
}

static enum status unknown_key(const char *name)
{
	struct text known = {0}, near = {0};
	int count;
	choice_changes(&known);
	for (size_t i = 0; i < known.count; i++)
		if (known.bytes[i] == '\n' || known.bytes[i] == '=')
			known.bytes[i] = ' ';
	const char *nearest = text_nearest(text_string(&known), name, strlen(name), &count);
	if (nearest && strncmp(nearest, name, (size_t)count) != 0)
		text_add(&near, "; did you mean '%.*s'?", count, nearest);
	fail(ST_NAME,
	        "%s= is not a number of the machine (`machine` lists them), and no `strategy` line since "
	        "the world was empty has an option of that name%s",
	        name, text_string(&near));
	text_release(&known);
	text_release(&near);
	return ST_NAME;
}

/* Fails with ST_NAME, with the nearest line, or the first that contains the text. */
static enum status unknown_line(const struct changes *changes)
{
	const char *without = changes->without, *near = NULL;
	int least = text_too_far(without);
	for (name_id id = 1; id <= names_count(changes->lines); id++) {
		const char *line = names_text(changes->lines, id);
		bool has = strstr(line, without) != NULL;
		if (text_nearer(without, line, &least) || (has && !near))
			near = line;
	}
	return near ? fail(ST_NAME, "no line `%s` has run in this section; did you mean `%s`?", without, near)
	            : fail(ST_NAME, "no line `%s` has run in this section", without);
}

enum status changes_met(const struct changes *changes)
{
	for (int i = 0; i < changes->options; i++)
		if (!changes->used[i])
			return unknown_key(changes->option[i]->name);
	if (*changes->without && !changes->left_out)
		return unknown_line(changes);
	return ST_OK;
}

/* Measures the world without the change: the session's, or a rerun if its times would differ
 * (rerun_same). */
static enum status unchanged(struct shell *shell, int section, int wanted, struct world_figures *out)
{
	struct rerun rerun;
	struct world_figures seen = {0};
	if (rerun_same(shell))
		return measure_world(shell, section, wanted, out);
	enum status status = rerun_open(&rerun, shell, NULL);
	if (status == ST_OK)
		status = measure_world(&rerun.shell, section, wanted, out);
	rerun_close(&rerun, shell);
	if (status != ST_OK || !shell->backend->measures)
		return status;
	status = measure_world(shell, section, 0, &seen);
	if (status == ST_OK)
		say_off(shell, seen.time, out->time);
	return status;
}

static bool same_operation(const struct world *a, const struct world *b, op_id id)
{
	const struct op *x = &a->ops[id], *y = &b->ops[id];
	const struct record *r = op_record(a, id), *s = op_record(b, id);
	return x->rank == y->rank && x->stream == y->stream && r->kind == s->kind && r->line == s->line &&
	        strcmp(names_text(a->names, r->title), names_text(b->names, s->title)) == 0;
}

static bool same_times(struct backend *a, struct backend *b, op_id id)
{
	struct times x = backend_times(a, id), y = backend_times(b, id);
	return x.issue == y.issue && x.ready == y.ready && x.start == y.start && x.end == y.end;
}

/* Compares operations by id, because the rerun's have the same ids. */
static void say_same(struct shell *shell, struct shell *again)
{
	const struct world *world = shell->world;
	size_t same = 0, count = world->op_count;
	bool program = again->world->op_count == count;
	op_id first = 0;
	for (op_id id = 1; id <= count && program; id++) {
		program = same_operation(world, again->world, id);
		bool times = program && same_times(shell->backend, again->backend, id);
		same += times;
		first = first || times ? first : id;
	}
	if (!program) {
		out_say(shell->out, "   run again, the lines are another program: they depend on times\n");
	} else if (same == count) {
		out_say(shell->out,
		        "   run again: %zu operation%s, each at the same time to the nanosecond\n", count,
		        count == 1 ? "" : "s");
	} else {
		struct text words = {0};
		op_label(world, first, &words);
		out_say(shell->out,
		        "   run again: %zu of %zu operations at another time, the first `%s` of rank %d\n",
		        count - same, count, text_string(&words), world->ops[first].rank);
		text_release(&words);
	}
}

static enum status answer_same(struct shell *shell)
{
	struct rerun rerun;
	struct world_figures out;
	enum status status = shell_look(shell);
	if (status == ST_OK && shell->backend->measures)
		return unchanged(shell, interpreter_section_now(shell), 0, &out);
	if (status == ST_OK)
		status = rerun_open(&rerun, shell, NULL);
	else
		return status;
	if (status == ST_OK)
		say_same(shell, &rerun.shell);
	rerun_close(&rerun, shell);
	return status;
}

enum status answer_whatif(struct shell *shell, const struct question *question)
{
	const struct changes *changes = &question->changes;
	int section = changes->section, races = *changes->without ? MEASURE_RACES : 0;
	struct rerun rerun;
	struct world_figures before, after;
	bool some = changes->other || changes->keys || changes->options || *changes->without ||
	        !ranks_empty(&changes->slowed);
	if (!some)
		return answer_same(shell);
	enum status status = shell_look(shell);
	if (status == ST_OK)
		status = unchanged(shell, section, races, &before);
	if (status != ST_OK)
		return status;
	status = rerun_open(&rerun, shell, changes);
	if (status == ST_OK)
		status = changes_met(&rerun.changes);
	if (status == ST_OK)
		status = measure_rerun(&rerun, section, MEASURE_PATH | races, &after);
	if (status == ST_OK) {
		say_outcomes(shell, &before, &after);
		say_otherwise(shell, &rerun, &before, &after);
	} else if (status != ST_INTERRUPTED) {
		status = fail_in(status, "`%s`", question->asked);
	}
	rerun_close(&rerun, shell);
	return status;
}
