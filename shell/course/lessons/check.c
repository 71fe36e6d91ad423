/* check.c -- `check`: runs the lines typed in the task, and reports by topic
 *
 * Rank 0 runs them; all print its result. */
#include "shell/course/lessons/open_lesson.h"
#include "shell/sandbox/sandbox.h"
#include "shell/values/share.h"

#include <string.h>

enum { TOPIC_COLUMN = 3, WORDS_COLUMN = 17 };

static void put_row(struct shell *shell, const char *topic, enum colour colour, const char *first,
        const char *words, struct text *out)
{
	int width = out_width(shell->out) - 1, used = WORDS_COLUMN + (int)text_columns(first) + 3;
	bool fits = used + (int)strlen(words) < width;
	text_add(out, "%*s%-*s%s%s%s", TOPIC_COLUMN, "", WORDS_COLUMN - TOPIC_COLUMN, topic,
	        STYLED(shell->out, colour, first));
	if (*words && fits)
		text_add(out, "   %s", words);
	text_add(out, "\n");
	if (*words && !fits)
		text_wrapped(out, words, WORDS_COLUMN, width > 40 ? width : 40);
}

static void put_lines(struct shell *shell, const struct text *text, enum colour colour, struct text *out)
{
	FOR_LINES (line, text_string(text), text->count)
		text_add(out, "%*s%s%.*s%s\n", TOPIC_COLUMN, "",
		        STYLED(shell->out, colour, (int)line.length, line.at));
}

/* Adds the figures if the gate compares with the best, and its remark. */
static void put_broken(
        struct shell *shell, const struct task_verdict *verdict, const struct gate *gate, struct text *out)
{
	struct text words = {0};
	bool figures = gate->figure.count && gate->best.count;
	if (figures)
		text_add(&words, "the best known is %s%s", text_string(&gate->best),
		        gate->remark.count ? "; " : "");
	text_add(&words, "%s", text_string(&gate->remark));
	if (gate_topic(gate) == TOPIC_TIME && verdict->cause.count)
		text_add(&words, "%s%s", words.count ? " -- " : "", text_string(&verdict->cause));
	put_row(shell, topic_words(gate_topic(gate)), COLOUR_BAD,
	        figures ? text_string(&gate->figure) : "not yet", text_string(&words), out);
	text_release(&words);
}

/* Cuts the names proposed for a missing tensor, which may be the reference's. */
static size_t worth_saying(const char *line, size_t length)
{
	static const char none[] = "no tensor '";
	const size_t count = sizeof none - 1;
	const char *quote = length > count && memcmp(line, none, count) == 0
	        ? memchr(line + count, '\'', length - count)
	        : NULL;
	return quote ? (size_t)(quote + 1 - line) : length;
}

/* Returns the topic's first failed gate; NULL if none. *any: a gate was evaluated. */
static const struct gate *broken_of(const struct gates *gates, enum topic topic, bool *any)
{
	*any = false;
	for (size_t i = 0; i < gates->count; i++) {
		const struct gate *gate = &gates->gate[i];
		if (!gate->asked || gate_topic(gate) != topic)
			continue;
		*any = true;
		if (!gate->held)
			return gate;
	}
	return NULL;
}

/* Returns a gate with figures; `expect time` if there are several. */
static const struct gate *shows_figure(const struct gates *gates, enum topic topic)
{
	const struct gate *found = NULL;
	for (size_t i = 0; i < gates->count; i++) {
		const struct gate *gate = &gates->gate[i];
		if (!gate->asked || gate_topic(gate) != topic || !gate->figure.count ||
		        strcmp(text_string(&gate->figure), "0") == 0)
			continue;
		if (!found || strncmp(text_string(&gate->line), "expect time", 11) == 0)
			found = gate;
	}
	return found;
}

static void put_topics(
        struct shell *shell, const struct task_verdict *verdict, const struct text *naive, struct text *out)
{
	bool asked, wrong = broken_of(&verdict->gates, TOPIC_NUMBERS, &asked);
	for (enum topic topic = 0; topic < TOPIC_COUNT; topic++) {
		bool any, figures = topic == TOPIC_TIME || topic == TOPIC_MEMORY || topic == TOPIC_TRAFFIC;
		const struct gate *broken = broken_of(&verdict->gates, topic, &any);
		const struct gate *figure = shows_figure(&verdict->gates, topic);
		struct text words = {0};
		if (figure) { /* "2.04 ms, the best known; naive 4.00 ms" */
			const char *own = text_string(&figure->figure), *best = text_string(&figure->best);
			bool equal = strcmp(own, best) == 0;
			text_add(&words, "%s, the best known%s%s", own, equal ? "" : " is ",
			        equal ? "" : best);
		}
		if (figure && topic == TOPIC_TIME && naive->count)
			text_add(&words, "; naive %s", text_string(naive));
		if (topic == TOPIC_NUMBERS && verdict->also.count)
			text_add(&words, "also with %s", text_string(&verdict->also));
		if (broken) {
			put_broken(shell, verdict, broken, out);
			FOR_LINES (line, text_string(&broken->words), broken->words.count)
				if (line.length &&
				        memcmp(line.at, "false:", line.length < 6 ? line.length : 6) != 0)
					text_add(out, "%*s%s%.*s%s\n", WORDS_COLUMN, "",
					        STYLED(shell->out, COLOUR_NOTE,
					                (int)worth_saying(line.at, line.length), line.at));
		} else if (any && !(wrong && figures)) { /* wrong lines can be faster */
			put_row(shell, topic_words(topic), COLOUR_GOOD, "right", text_string(&words), out);
		}
		text_release(&words);
	}
}

static void put_variant(struct shell *shell, const struct task_verdict *verdict, struct text *out)
{
	const struct gate *gate = verdict->gate >= 0 ? &verdict->gates.gate[verdict->gate] : NULL;
	struct text words = {0};
	text_add(&words, "right as it is here, not with %s", verdict->variant.label);
	if (verdict->literal.count)
		text_add(&words, ": %s", text_string(&verdict->literal));
	else
		text_add(&words, ": %s", gate ? text_string(&gate->remark) : text_string(&verdict->words));
	put_row(shell, gate ? topic_words(gate_topic(gate)) : "the lines", COLOUR_BAD, "not yet",
	        text_string(&words), out);
	text_release(&words);
}

static void put_unfinished(struct shell *shell, const struct task_verdict *verdict, struct text *out)
{
	struct text words = {0};
	if (verdict->outcome == PLAYED_OVER) {
		text_add(&words, "they take more than %d times the steps of a solution: do they end?",
		        SEALED_TIMES);
		put_row(shell, "the lines", COLOUR_BAD, "without end", text_string(&words), out);
	} else if (verdict->outcome == PLAYED_STUCK) {
		put_row(shell, "the lines", COLOUR_BAD, "stuck", "", out);
		put_lines(shell, &verdict->words, COLOUR_PLAIN, out);
	} else {
		if (verdict->line)
			text_add(&words, "your line %d: ", verdict->line);
		text_add(&words, "%s", text_string(&verdict->words));
		put_row(shell, "the lines", COLOUR_BAD, "refused", text_string(&words), out);
	}
	text_release(&words);
}

/* naive: the naive attempt's time; "": not shown */
static void put_verdict(
        struct shell *shell, const struct task_verdict *verdict, const struct text *naive, struct text *out)
{
	if (verdict->outcome != PLAYED_TO_END && !*verdict->variant.label)
		put_unfinished(shell, verdict, out);
	else if (!verdict->right && *verdict->variant.label)
		put_variant(shell, verdict, out);
	else
		put_topics(shell, verdict, naive, out);
}

static enum status put_right(struct shell *shell, struct text *out)
{
	const struct lesson *lesson = shell->course.lesson;
	const struct lesson_task *task = lesson_task_of(shell);
	bool last = lesson->task + 1 == lesson->file.tasks,
	     more = lesson->number > 0 && lesson_embedded(lesson->number + 1);
	text_add(out, "   %s%s%s   %s\n", STYLED(shell->out, COLOUR_GOOD, "right"),
	        !last          ? "`next` goes on"
	                : more ? "this was the last task: `next` opens the next lesson"
	                       : "this was the last task: `lessons` lists the lessons");
	enum status status = guess_put_outcome(shell, out);
	put_lines(shell, &task->part[PART_TRANSFER], COLOUR_NOTE, out);
	if (last && lesson->file.learned.count) {
		text_add(out, "   %s%s%s\n", STYLED(shell->out, COLOUR_HEAD, "What you know now:"));
		put_lines(shell, &lesson->file.learned, COLOUR_PLAIN, out);
	}
	return status;
}

/* Records the first failed gate's remark, or why the lines did not finish. */
static void note_wrong(struct shell *shell, const struct task_verdict *verdict)
{
	const struct gate *gate = verdict->gate >= 0 ? &verdict->gates.gate[verdict->gate] : NULL;
	const char *words = gate && gate->remark.count ? text_string(&gate->remark)
	        : gate                                 ? text_string(&gate->line)
	        : verdict->outcome == PLAYED_OVER      ? "the lines do not end"
	        : verdict->outcome == PLAYED_STUCK     ? "the ranks wait for each other"
	                                               : text_string(&verdict->words);
	learned_wrong(shell, words, strcspn(words, "\n"));
}

static enum status put_naive(struct shell *shell, struct text *out)
{
	const struct lesson_task *task = lesson_task_of(shell);
	struct number time;
	for (size_t i = 0; i < task->attempts; i++)
		if (task->attempt[i].kind == ATTEMPT_NAIVE) {
			enum status status = trial_figure(
			        task, shell->world->n, &task->attempt[i].lines, "time", shell, &time);
			if (status == ST_OK)
				number_text(time, out);
			return status;
		}
	return ST_OK;
}

static enum status check_lines(struct shell *shell, struct text *out, bool *right)
{
	struct task_verdict verdict = {0};
	struct trials trials;
	struct text naive = {0};
	trials_open(&trials, lesson_task_of(shell), shell->world->n, shell);
	enum status status = trials_run(&trials, &shell->course.lesson->typed, &verdict);
	trials_close(&trials);
	*right = status == ST_OK && verdict.right;
	if (*right)
		status = put_naive(shell, &naive);
	if (status == ST_OK)
		put_verdict(shell, &verdict, &naive, out);
	text_release(&naive);
	if (*right)
		status = put_right(shell, out);
	else if (status == ST_OK)
		note_wrong(shell, &verdict);
	if (status == ST_OK && !*right)
		text_add(out, "   %s%s%s   `undo` takes a line back, `again` all; `hint` helps\n",
		        STYLED(shell->out, COLOUR_BAD, "not yet"));
	verdict_release(&verdict);
	return status;
}

/* In a script, a failed check counts as a false `expect`. */
enum status lesson_check(struct call *call)
{
	struct shell *shell = call->shell;
	struct text words = {0};
	bool right = false;
	enum status status = ST_OK;
	if (!lesson_current(shell))
		return ST_ARGUMENT;
	if (shell->replay.depth)
		return ST_OK;
	if (transport_rank(shell->transport) == 0)
		status = check_lines(shell, &words, &right);
	enum severity before = out_severity(shell->out, right ? SEVERITY_OK : SEVERITY_ERROR);
	status = shell_say_found(shell, status, &words);
	out_severity(shell->out, before);
	text_release(&words);
	if (status == ST_OK)
		status = shell_spread(shell, ST_OK, &right, sizeof right);
	if (status == ST_OK)
		status = learned_time(shell);
	if (status != ST_OK)
		return status;
	lesson_note(shell, "check", right ? "right" : NULL);
	shell->course.lesson->passed = right ? shell->course.lesson->typed.count : 0;
	shell->course.lesson->asking = right && lesson_task_of(shell)->at[PART_ASK];
	if (!right && !shell->interactive)
		shell->expect.failed++;
	return ST_OK;
}

/* ---- submitted lines (--grade) ---- */

static enum status load_graded(struct shell *shell, const char *word, struct lesson **lesson)
{
	int number = -1, task = 0;
	bool numbered = lesson_is_numbered(word, &number, &task);
	enum status status = lesson_load(shell, number, numbered ? NULL : word, lesson);
	if (status != ST_OK)
		return status;
	if (task > (*lesson)->file.tasks)
		return fail(
		        ST_RANGE, "lesson %d has tasks 1 to %d, no %d", number, (*lesson)->file.tasks, task);
	(*lesson)->task = task ? task - 1 : 0;
	return ST_OK;
}

enum status lesson_grade(
        struct shell *shell, int n, const char *task, const char *lines, size_t count, bool *right)
{
	struct lesson *lesson = NULL;
	struct task_verdict verdict = {0};
	struct text out = {0}, whole = {0};
	struct trials trials;
	enum status status = load_graded(shell, task, &lesson);
	lesson_free(shell);
	shell->course.lesson = lesson;
	if (status == ST_OK)
		status = lesson_file_fits(&lesson->file, task, n);
	if (status == ST_OK) {
		text_put(&whole, lines, count);
		typed_text(&lesson->typed, text_string(&whole));
		trials_open(&trials, lesson_task_of(shell), n, shell);
		status = trials_run(&trials, &lesson->typed, &verdict);
		trials_close(&trials);
	}
	*right = status == ST_OK && verdict.right;
	if (status == ST_OK) {
		put_verdict(shell, &verdict, &(struct text){0}, &out);
		text_add(&out, "   %s\n", *right ? "right" : "not yet");
		out_put(shell->out, text_string(&out), out.count);
	}
	text_release(&out);
	text_release(&whole);
	verdict_release(&verdict);
	return status;
}
