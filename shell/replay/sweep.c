/* sweep.c -- sweep: a rerun for each value, as a table and a curve */
#include "shell/language/run/command.h"
#include "shell/replay/inside.h"
#include "shell/session/changes.h"
#include "trace/table.h"

#include <string.h>

enum { BAR = 24 };

/* Writes the i-th value; multiples of 1024 as users type them: 64k, 4M. */
static void put_value(const struct question *question, int i, struct text *out)
{
	static const char *const units[] = {"", "k", "M", "G"};
	double value = question->value[i];
	int unit = 0;
	while (question->unit == UNIT_PLAIN && unit < 3 && value >= 1024 &&
	        value / 1024 == (double)(int64_t)(value / 1024)) {
		value /= 1024;
		unit++;
	}
	number_text((struct number){value, question->unit}, out);
	text_add(out, "%s", units[unit]);
}

/* Returns the change with its i-th value, valid while *given is. */
static struct changes changes_at(const struct question *question, int i, struct given *given)
{
	struct changes changes = question->changes;
	struct number number = {question->value[i], question->unit};
	if (changes.options) {
		*given = *changes.option[0];
		given->number = number;
		given->word = given->digits = NULL;
		changes.option[0] = given;
	} else {
		changes.key[0].number = number;
	}
	return changes;
}

static void say_reasons(struct shell *shell, const struct question *question, struct text *why)
{
	for (int i = 0; i < question->values; i++) {
		struct text line = {0}, folded = {0};
		for (int k = i; k < question->values && why[i].count; k++)
			if (k == i || strcmp(text_string(&why[i]), text_string(&why[k])) == 0) {
				text_add(&line, k == i ? "" : ", ");
				put_value(question, k, &line);
				if (k > i)
					text_clear(&why[k]);
			}
		if (line.count) {
			text_add(&line, ": %s", text_string(&why[i]));
			text_wrapped(&folded, text_string(&line), 3, out_width(shell->out));
			out_say(shell->out, "%s", text_string(&folded));
		}
		text_release(&line);
		text_release(&folded);
	}
}

/* Prints the table. known[i]: the i-th world was measured. */
static void say_table(struct shell *shell, const struct question *question,
        const struct world_figures *figures, const bool *known)
{
	struct table table = {.align = "lrrrl"};
	enum { BESIDE = 56 };
	int bar = (int)most_of(least_of(BAR, out_width(shell->out) - BESIDE), 6);
	double most = 0, least = -1;
	bool iterations = false;
	for (int i = 0; i < question->values; i++) {
		most = known[i] && figures[i].time > most ? figures[i].time : most;
		iterations |= known[i] && figures[i].iterations;
		least = known[i] && (least < 0 || figures[i].time < least) ? figures[i].time : least;
	}
	table_cell(&table, "%s",
	        question->changes.options ? question->given[0].name : question->changes.key[0].name);
	table_cells(&table, iterations ? "iteration" : "time", "exposed", "peak", "");
	table_row(&table);
	for (int i = 0; i < question->values; i++) {
		put_value(question, i, &table.cells);
		table_end(&table);
		if (!known[i]) {
			table_cells(&table, "-", "-", "-", "");
			table_row(&table);
			continue;
		}
		table_time(&table, (int64_t)figures[i].time);
		table_time(&table, (int64_t)figures[i].exposed);
		table_bytes(&table, figures[i].peak);
		text_repeat(&table.cells, "#", most > 0 ? (long)(figures[i].time / most * bar + 0.5) : 0);
		table_cell(&table, "%s", figures[i].time == least && least < most ? "  <- the least" : "");
		table_row(&table);
	}
	say_figures(shell, &table);
}

/* A value whose rerun fails has no figures. A change that applies to nothing ends the sweep. */
enum status answer_sweep(struct shell *shell, const struct question *question)
{
	struct world_figures figures[SWEEP_MOST] = {{0}};
	bool known[SWEEP_MOST] = {false};
	struct text why[SWEEP_MOST] = {{0}};
	enum status status = ST_OK;
	for (int i = 0; i < question->values && status == ST_OK; i++) {
		struct given given;
		struct changes changes = changes_at(question, i, &given);
		struct rerun rerun;
		enum status ran = rerun_open(&rerun, shell, &changes);
		if (ran == ST_OK)
			status = changes_met(&rerun.changes);
		if (ran == ST_OK && status == ST_OK)
			ran = measure_rerun(&rerun, changes.section, 0, &figures[i]);
		known[i] = ran == ST_OK;
		if (ran != ST_OK)
			text_add(&why[i], "%s", fail_text());
		if (ran == ST_INTERRUPTED || ran == ST_MPI || ran == ST_BUG)
			status = ran;
		rerun_close(&rerun, shell);
	}
	if (status == ST_OK) {
		say_table(shell, question, figures, known);
		say_reasons(shell, question, why);
	}
	for (int i = 0; i < question->values; i++)
		text_release(&why[i]);
	return status;
}
