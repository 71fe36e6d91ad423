/* hunt.c -- a hunt begun, shown, mended, given up
 *
 * Rank 0 plays in sealed worlds while the others wait; what it finds is everybody's. Of lines that run again nothing is
 * played: they go by what was found then. */
#include "shell/hunt/hunt.h"
#include "base/memory.h"
#include "shell/hunt/found.h"
#include "shell/session/share.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what rank 0 finds ---- */

/* A value that decides how the session goes on: of a line that runs again it is that of then. True: it is. */
static bool found_before(struct shell *shell, const char *what, double *value)
{
	if (shell->recalls)
		return steering_recall(&shell->steering, what, strlen(what), value, 1);
	return steering_then(&shell->steering, what, strlen(what), value);
}

static void keep_found(struct shell *shell, const char *what, double *value)
{
	struct ranks first = {0};
	ranks_add(&first, 0);
	if (!shell->recalls)
		steering_read(&shell->steering, what, strlen(what), &first, value, 1);
}

/* Rank 0's words, said by all */
static enum status say_found(struct shell *shell, enum status mine, struct text *words)
{
	void *bytes = words->bytes;
	size_t count = words->count;
	enum status status = shell_agree(shell, 0, mine);
	if (status == ST_OK)
		status = transport_broadcast(shell->transport, 0, &bytes, &count);
	if (status == ST_OK)
		out_put(shell->out, bytes, count);
	if (bytes != words->bytes)
		mem_free(bytes);
	return status;
}

/* ---- a hunt begins ---- */

static enum status wants_numbers(const struct shell *shell)
{
	if (shell_keeps_no_data(shell))
		return fail(ST_ARGUMENT,
		        "hunt tells a wrong line by its numbers, and --dry keeps none: start ranksh without "
		        "it");
	return ST_OK;
}

/* Its row is one that looks; here it reads what decides. */
static enum status choose_change(
        struct shell *shell, const struct quarry *quarry, const struct hunted *hunted, long *change)
{
	int looks = shell->steering.looks;
	double value = 0;
	enum status status = ST_OK;
	shell->steering.looks = 0;
	if (!found_before(shell, "hunt", &value)) {
		if (transport_rank(shell->transport) == 0)
			status = quarry_choose(quarry, shell, hunted->level, hunted->seed, change);
		value = (double)*change;
		status = shell_spread(shell, status, &value, sizeof value);
	}
	if (status == ST_OK)
		keep_found(shell, "hunt", &value);
	shell->steering.looks = looks;
	*change = (long)value;
	if (status == ST_OK && (value < 1 || value > (double)quarry->changes.count))
		status = fail(ST_RANGE, "hunt: the journal says change %g, and %s has 1 to %zu", value,
		        quarry->whole->name, quarry->changes.count);
	return status;
}

static void say_hunt(struct shell *shell, const struct program *program)
{
	const struct hunted *hunted = program->hunted;
	out_say(shell->out, "   a line of %s is wrong", hunted->file);
	if (hunted->level)
		out_say(shell->out, ": level %ld, seed %ld", hunted->level, hunted->seed);
	out_say(shell->out,
	        "\n   `hunt` shows its lines; `run 2`, `verify`, `races`, `timeline`, `why` what it does; "
	        "`fix N LINE` "
	        "mends line N, `hunt give up` tells\n");
}

static enum status take_change(struct shell *shell, const struct quarry *quarry, struct hunted *hunted)
{
	size_t change = (size_t)hunted->change - 1;
	const char *file = quarry->file[quarry->file_of[change]]->name;
	struct program *program = quarry_changed(quarry, change, shell->world->names);
	hunted->whole = program_use(quarry->whole);
	hunted->file = mem_copy_text(file, strlen(file));
	program->hunted = hunted;
	enum status status = program_begin(shell, program);
	if (status == ST_OK)
		say_hunt(shell, program);
	program_release(program);
	return status;
}

enum status hunt_begin(struct shell *shell, const struct hunt_asked *asked)
{
	const struct program *before = shell->training->now.program;
	struct hunted found = {
	        .level = asked->level ? asked->level : 1, .seed = asked->seed, .change = asked->change};
	struct quarry quarry = {0};
	enum status status = wants_numbers(shell);
	if (status == ST_OK)
		status = quarry_open(&quarry, shell, asked);
	if (status == ST_OK && (asked->change < 0 || (size_t)asked->change > quarry.changes.count))
		status = fail(ST_RANGE,
		        "hunt change=%ld: %s has changes 1 to %zu; `hunt %s all` lists those that can be "
		        "told",
		        asked->change, quarry.whole->name, quarry.changes.count, quarry.whole->name);
	if (found.seed < 0)
		found.seed = before && before->hunted ? before->hunted->seed + 1 : 1;
	if (status == ST_OK)
		status = session_wants_empty(shell);
	if (status == ST_OK && asked->change)
		found.level = found.seed = 0;
	else if (status == ST_OK)
		status = choose_change(shell, &quarry, &found, &found.change);
	if (status == ST_OK) {
		struct hunted *hunted = mem_alloc(sizeof *hunted);
		*hunted = found;
		status = take_change(shell, &quarry, hunted);
	}
	quarry_close(&quarry);
	return status;
}

enum status hunt_list(struct shell *shell, const struct hunt_asked *asked)
{
	struct quarry quarry = {0};
	struct text words = {0};
	enum status status = wants_numbers(shell);
	if (status == ST_OK)
		status = quarry_open(&quarry, shell, asked);
	if (status == ST_OK && !shell->replaying) {
		enum status mine = ST_OK;
		if (transport_rank(shell->transport) == 0)
			mine = quarry_list(&quarry, shell, &words);
		status = say_found(shell, mine, &words);
	}
	quarry_close(&quarry);
	text_release(&words);
	return status;
}

/* ---- the hunt at hand ---- */

static const struct program *hunted_program(const struct shell *shell)
{
	const struct program *program = shell->training->now.program;
	if (program && program->hunted)
		return program;
	fail(ST_ARGUMENT, "no hunt is open: `hunt ddp` makes a line of that strategy wrong, for you to find");
	return NULL;
}

static int lines_in(const struct player_file *file)
{
	const char *at = file->text, *end = at + file->count;
	size_t length;
	int lines = 0;
	while (text_line(&at, end, &length))
		lines++;
	return lines;
}

static void say_tried(struct shell *shell, const struct hunted *hunted)
{
	const char *at = text_string(&hunted->tried), *end = at + hunted->tried.count, *line;
	size_t length;
	while ((line = text_line(&at, end, &length)))
		out_say(shell->out, "   tried: fix %.*s\n", (int)length, line);
}

enum status hunt_show(struct shell *shell)
{
	const struct program *program = hunted_program(shell);
	if (!program)
		return ST_ARGUMENT;
	const struct hunted *hunted = program->hunted;
	const struct player_file *file = program_file(program, hunted->file);
	const char *at = file->text, *end = at + file->count, *line;
	size_t length;
	for (int number = 1; (line = text_line(&at, end, &length)); number++)
		out_say(shell->out, "%s%4d%s  %.*s\n", STYLED(shell->out, COLOUR_NOTE, number), (int)length,
		        line);
	say_tried(shell, hunted);
	if (hunted->mended)
		out_say(shell->out, "   it is mended: %d attempt%s\n", hunted->attempts,
		        hunted->attempts == 1 ? "" : "s");
	else
		say_hunt(shell, program);
	return ST_OK;
}

/* "strategies/ddp.rsh:31: a wait left out. The line as it was:" */
static void say_wrong(struct shell *shell, const struct hunted *hunted)
{
	struct quarry quarry;
	quarry_of(&quarry, hunted->whole);
	const struct change *change = &quarry.changes.change[hunted->change - 1];
	out_say(shell->out, "   %s:%d: %s\n", hunted->file, change->line, change->what);
	for (int i = 0; i < CHANGE_MENDS && change->mend[i]; i++)
		out_say(shell->out, "   %sfix %d %s%s\n", style(shell->out, COLOUR_KERNEL), change->line + i,
		        change->mend[i], style(shell->out, COLOUR_PLAIN));
	quarry_close(&quarry);
}

enum status hunt_give_up(struct shell *shell)
{
	const struct program *program = hunted_program(shell);
	if (!program)
		return ST_ARGUMENT;
	say_wrong(shell, program->hunted);
	return ST_OK;
}

/* ---- a line is mended ---- */

static void put_row(struct shell *shell, const char *topic, bool right, const char *words, struct text *out)
{
	text_add(out, "   %-13s %s%s%s%s%s\n", topic, style(shell->out, right ? COLOUR_GOOD : COLOUR_BAD),
	        right ? "right" : "not yet", style(shell->out, COLOUR_PLAIN), *words ? "   " : "", words);
}

static void put_figures(
        struct shell *shell, const struct standard *standard, const struct judged *mended, struct text *out)
{
	struct compared compared = judged_compare(&standard->whole, &standard->begin, mended);
	bool numbers = !compared.failed && compared.off <= judged_limit(&standard->whole);
	struct text words = {0};
	size_t name = strcspn(compared.worst, " ");
	if (!numbers && compared.failed)
		text_add(&words, "%d more `expect`s are false", compared.failed);
	else if (!numbers && isfinite(compared.off))
		text_add(&words, "%.*s is off by %.2g of what training has changed", (int)name,
		        compared.worst, compared.off);
	else if (!numbers)
		text_add(&words, "%.*s is not what it should be at all", (int)name, compared.worst);
	put_row(shell, "the numbers", numbers, text_string(&words), out);
	text_clear(&words);
	if (compared.races)
		text_add(&words, "%zu more than it should have: `races`", compared.races);
	put_row(shell, "the order", !compared.races, text_string(&words), out);
	text_clear(&words);
	time_text(mended->time_ns, &words);
	text_add(&words, ", it should be ");
	time_text(standard->whole.time_ns, &words);
	put_row(shell, "time", compared.time <= 1.01, compared.time <= 1.01 ? "" : text_string(&words), out);
	text_clear(&words);
	text_add(&words, "%.2f times as much as it should be", compared.memory);
	put_row(shell, "memory", compared.memory <= 1.01, compared.memory <= 1.01 ? "" : text_string(&words),
	        out);
	text_release(&words);
}

enum mended { MENDED_NOT, MENDED, MENDED_ENDLESS };

static void put_end(struct shell *shell, const struct judged *judged, struct text *out)
{
	static const char endless[] =
	        "they take more than 64 times the steps of right ones: do they come to an end?";
	bool stuck = judged->end == JUDGED_STUCK;
	put_row(shell, "the lines", false,
	        stuck                                ? "they hang"
	                : judged->end == JUDGED_OVER ? endless
	                                             : text_string(&judged->words),
	        out);
	if (stuck)
		text_add(out, "%s", text_string(&judged->words));
}

/* Rank 0: the whole program, and the mended one */
static enum status judge(struct shell *shell, const struct program *mended, double *verdict, struct text *out)
{
	struct standard standard;
	struct judged judged = {0};
	enum status status = standard_play(&standard, mended->hunted->whole, shell);
	if (status == ST_OK)
		status = judge_play(&judged, mended, 2, standard.steps_most, shell);
	if (status == ST_OK) {
		bool right = judged_right(&standard.whole, &standard.begin, &judged);
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
	if (!found_before(shell, "fix", verdict)) {
		if (transport_rank(shell->transport) == 0)
			status = judge(shell, mended, verdict, &words);
		status = say_found(shell, status, &words);
		if (status == ST_OK)
			status = shell_spread(shell, ST_OK, verdict, sizeof *verdict);
	}
	if (status == ST_OK)
		keep_found(shell, "fix", verdict);
	text_release(&words);
	return status;
}

/* Lines that come to no end are not made the session's. */
static enum status judge_and_take(struct shell *shell, struct program *mended)
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
		say_wrong(shell, hunted);
		return ST_OK;
	}
	out_say(shell->out, "   %snot yet%s   the program begins again %s\n", style(shell->out, COLOUR_BAD),
	        style(shell->out, COLOUR_PLAIN),
	        verdict == MENDED_ENDLESS ? "as it was" : "with this line; `undo` takes it back");
	shell->expects_failed += !shell->interactive;
	return ST_OK;
}

/* The program at hand with another line; the hunt goes on with it. */
static struct program *mend(
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

/* The text with the line, which can be read */
static enum status mended_text(
        const struct program *program, long number, const char *line, struct text *text)
{
	const struct player_file *file = program_file(program, program->hunted->file);
	struct tree *tree = NULL;
	if (number < 1 || number > INT_MAX || !line_replace(file->text, file->count, (int)number, line, text))
		return fail(
		        ST_RANGE, "fix: %s has lines 1 to %d, no %ld", file->name, lines_in(file), number);
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
		        "fix '%.20s': the number of a line of %s was expected, and behind it the line: fix "
		        "31 wait io on compute",
		        text_string(&own), program->hunted->file);
	else
		status = mended_text(program, number, line + (*line == ' '), &text);
	if (status == ST_OK) {
		struct program *made = mend(shell, program, &text, text_string(&own));
		status = judge_and_take(shell, made);
		program_release(made);
	}
	text_release(&text);
	text_release(&own);
	return status;
}
