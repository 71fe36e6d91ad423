/* mend.c -- `fix`: replaces a line and compares */
#include "base/memory.h"
#include "shell/course/hunt/hunt.h"
#include "shell/language/parse/tree.h"
#include "shell/values/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_row(struct shell *shell, const char *topic, bool right, const char *words, struct text *out)
{
	text_add(out, "   %-13s %s%s%s%s%s\n", topic,
	        STYLED(shell->out, right ? COLOUR_GOOD : COLOUR_BAD, right ? "right" : "not yet"),
	        *words ? "   " : "", words);
}

static void put_figures(
        struct shell *shell, const struct standard *standard, const struct judged *mended, struct text *out)
{
	struct likeness compared = judged_compare(standard, mended);
	bool numbers = !compared.failed && compared.off <= judged_limit(&standard->whole);
	struct text words = {0};
	size_t name = strcspn(compared.worst, " ");
	if (!numbers && compared.failed)
		text_add(&words, "%d more `expect`s are false", compared.failed);
	else if (!numbers && isfinite(compared.off))
		text_add(&words, "%.*s is off by %.2g of its change in training", (int)name, compared.worst,
		        compared.off);
	else if (!numbers)
		text_add(&words, "%.*s is completely wrong", (int)name, compared.worst);
	put_row(shell, "the numbers", numbers, text_string(&words), out);
	text_clear(&words);
	if (compared.races)
		text_add(&words, "%zu more races, or reads of unwritten memory, than right lines have",
		        compared.races);
	put_row(shell, "the order", !compared.races, text_string(&words), out);
	text_clear(&words);
	time_text(mended->time_ns, &words);
	text_add(&words, ", it should be ");
	time_text(standard->whole.time_ns, &words);
	put_row(shell, "time", compared.time <= JUDGED_MORE,
	        compared.time <= JUDGED_MORE ? "" : text_string(&words), out);
	text_clear(&words);
	text_add(&words, "%.2f times as much as it should be", compared.memory);
	put_row(shell, "memory", compared.memory <= JUDGED_MORE,
	        compared.memory <= JUDGED_MORE ? "" : text_string(&words), out);
	text_release(&words);
}

enum mended { MENDED_NOT, MENDED, MENDED_ENDLESS };

static void put_end(struct shell *shell, const struct judged *judged, struct text *out)
{
	static const char endless[] = "they take more than 64 times the steps of right lines: do they end?";
	bool stuck = judged->end == JUDGED_STUCK;
	put_row(shell, "the lines", false,
	        stuck                                ? "they hang"
	                : judged->end == JUDGED_OVER ? endless
	                                             : text_string(&judged->words),
	        out);
	if (stuck)
		text_add(out, "%s", text_string(&judged->words));
}

static enum status judge_fix(
        struct shell *shell, const struct program *mended, double *verdict, struct text *out)
{
	struct standard standard;
	struct judged judged = {0};
	enum status status = standard_play(&standard, mended->hunted->whole, shell);
	if (status == ST_OK)
		status = judge_play(&judged, mended, 2, standard.steps_most, shell);
	if (status == ST_OK) {
		bool right = judged_right(&standard, &judged);
		*verdict = right ? MENDED : judged.end == JUDGED_OVER ? MENDED_ENDLESS : MENDED_NOT;
		if (judged.end == JUDGED_WHOLE)
			put_figures(shell, &standard, &judged, out);
		else
			put_end(shell, &judged, out);
	}
	judged_release(&judged);
	standard_release(&standard);
	return status;
}

static enum status find_verdict(struct shell *shell, const struct program *mended, double *verdict)
{
	struct text words = {0};
	enum status status = ST_OK;
	if (!hunt_found_before(shell, "fix", verdict)) {
		if (transport_rank(shell->transport) == 0)
			status = judge_fix(shell, mended, verdict, &words);
		status = shell_say_found(shell, status, &words);
		if (status == ST_OK)
			status = shell_spread(shell, ST_OK, verdict, sizeof *verdict);
	}
	if (status == ST_OK)
		hunt_keep_found(shell, "fix", verdict);
	text_release(&words);
	return status;
}

static enum status load_fixed(struct shell *shell, struct program *mended)
{
	struct hunted *hunted = mended->hunted;
	double verdict = MENDED_NOT;
	enum status status = session_wants_empty(shell);
	if (status == ST_OK)
		status = find_verdict(shell, mended, &verdict);
	hunted->mended = verdict == MENDED;
	if (status == ST_OK && verdict != MENDED_ENDLESS)
		status = program_begin(shell, mended);
	if (status != ST_OK)
		return status;
	if (hunted->mended) {
		out_say(shell->out, "   %sright%s, with %d attempt%s. What was wrong:\n",
		        style(shell->out, COLOUR_GOOD), style(shell->out, COLOUR_PLAIN), hunted->attempts,
		        hunted->attempts == 1 ? "" : "s");
		hunt_say_wrong(shell, hunted);
		return ST_OK;
	}
	enum severity before = out_severity(shell->out, SEVERITY_ERROR);
	out_say(shell->out, "   %snot yet%s   the program begins again %s\n", style(shell->out, COLOUR_BAD),
	        style(shell->out, COLOUR_PLAIN),
	        verdict == MENDED_ENDLESS ? "as it was" : "with this line; `undo` takes it back");
	out_severity(shell->out, before);
	shell->expect.failed += !shell->interactive;
	return ST_OK;
}

static struct program *mended_program(
        struct shell *shell, const struct program *from, const struct text *text, const char *words)
{
	const struct hunted *hunted = from->hunted;
	struct program *made =
	        program_with(from, shell->world->names, hunted->file, text_string(text), text->count);
	struct hunted *own = mem_alloc(sizeof *own);
	*own = *hunted;
	own->whole = program_use(hunted->whole);
	own->file = mem_copy_text(hunted->file, strlen(hunted->file));
	own->tried = (struct text){0};
	text_add(&own->tried, "%s%s\n", text_string(&hunted->tried), words);
	own->attempts++;
	own->mended = false;
	made->hunted = own;
	return made;
}

static enum status mended_text(
        const struct program *program, long number, const char *line, struct text *text)
{
	const struct player_file *file = program_file(program, program->hunted->file);
	struct tree *tree = NULL;
	size_t length;
	int lines = 0;
	while (line_of_text(file->text, file->count, lines + 1, &length))
		lines++;
	if (number < 1 || number > lines)
		return fail(ST_RANGE, "fix: %s has lines 1 to %d, no %ld", file->name, lines, number);
	line_replace(file->text, file->count, (int)number, line, text);
	enum status status = tree_parse(&tree, text_string(text), text->count, file->name, 1);
	tree_release(tree);
	return status == ST_INCOMPLETE ? fail(ST_SYNTAX, "%s: with that line a brace stays open", file->name)
	                               : status;
}

enum status hunt_fix(struct shell *shell, const char *words, size_t count)
{
	const struct program *program = hunted_program(shell);
	struct text own = {0}, text = {0};
	char *line;
	if (!program)
		return ST_ARGUMENT;
	text_put(&own, words, count);
	long number = strtol(text_string(&own), &line, 10);
	enum status status = ST_OK;
	if (line == text_string(&own) || (*line && *line != ' '))
		status = fail(ST_ARGUMENT,
		        "fix '%.20s': the number of a line of %s was expected, and after it the line: fix "
		        "31 wait io on compute",
		        text_string(&own), program->hunted->file);
	else
		status = mended_text(program, number, line + (*line == ' '), &text);
	if (status == ST_OK) {
		struct program *made = mended_program(shell, program, &text, text_string(&own));
		status = load_fixed(shell, made);
		program_release(made);
	}
	text_release(&text);
	text_release(&own);
	return status;
}
