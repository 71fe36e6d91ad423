/* guess.c -- a prediction before the first line; a question after the solution
 *
 * Choices are simulated by wrong models of the machine (`#: choice`). */
#include "shell/course/lessons/open_lesson.h"
#include "shell/values/share.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* relative distance up to which answers count as equal */
static const double TENTH = 0.1;

static bool is_rank_zero(const struct shell *shell)
{
	return transport_rank(shell->transport) == 0;
}

static int by_size(const void *a, const void *b)
{
	double one = ((const struct offered *)a)->figure.value,
	       other = ((const struct offered *)b)->figure.value;
	return one < other ? -1 : one > other;
}

static enum status solved_figure(struct shell *shell, int part, struct number *figure)
{
	const struct lesson_task *task = lesson_task_of(shell);
	return trial_figure(task, shell->world->n, NULL, text_string(&task->part[part]), shell, figure);
}

/* Rank 0 only. Sets *truth and sorts the choices by figure. *count 0: the task offers none. */
static enum status find_choices(
        struct shell *shell, struct offered choice[OFFERED_MAX], int *count, struct number *truth)
{
	enum status status = trial_choices(lesson_task_of(shell), shell->world->n, shell, choice, count);
	*truth = choice[0].figure;
	qsort(choice, (size_t)*count, sizeof *choice, by_size);
	*count = *count > 1 ? *count : 0;
	return status;
}

enum status guess_put(struct shell *shell, struct text *out)
{
	const struct lesson_task *task = lesson_task_of(shell);
	struct offered choice[OFFERED_MAX] = {0};
	enum status status = ST_OK;
	struct number truth = {0};
	int count = 0;
	if (!task->at[PART_PREDICT] || !is_rank_zero(shell))
		return ST_OK;
	text_add(out, "   %s%s%s %s\n", STYLED(shell->out, COLOUR_HEAD, "First guess:"),
	        text_string(&task->part[PART_PREDICT]));
	if (!shell_quiet(shell))
		status = find_choices(shell, choice, &count, &truth);
	for (int i = 0; i < count; i++) {
		text_add(out, "%s%c ", i ? "   " : "      ", 'a' + i);
		number_text(choice[i].figure, out);
	}
	if (count)
		text_add(out, "\n");
	if (*shell->course.lesson->guess)
		text_add(out, "      your guess is %s\n", shell->course.lesson->guess);
	else if (shell->course.lesson->skips)
		text_add(out, "      no guess was made\n");
	/* a follower does not guess: the presenter does */
	else if (shell->replay.shown)
		return status;
	else if (count)
		text_add(out, "      answer with its letter: predict b      (or skip)\n");
	else
		text_add(out, "      answer with a figure, as in: predict %s      (or skip)\n",
		        truth.unit == UNIT_TIME            ? "2ms"
		                : truth.unit == UNIT_BYTES ? "64kB"
		                                           : "4");
	return status;
}

enum status guess_wanted(const struct shell *shell)
{
	const struct lesson *lesson = shell->course.lesson;
	if (!shell->interactive || lesson->skips || *lesson->guess ||
	        !lesson_task_of(shell)->at[PART_PREDICT])
		return ST_OK;
	return fail(ST_ARGUMENT, "first a guess: `predict ANSWER`, or `skip` (`task` shows the question)");
}

/* Parses a letter, or a number with its unit. A letter sets only *letter. */
static enum status read_answer(
        const char *command, const char *answer, int choices, struct number *number, int *letter)
{
	int used = 0;
	*letter = -1;
	if (choices && isalpha((unsigned char)answer[0]) && !answer[1]) {
		*letter = tolower((unsigned char)answer[0]) - 'a';
		return *letter < choices
		        ? ST_OK
		        : fail(ST_RANGE, "%s: the answers are a to %c", command, 'a' + choices - 1);
	}
	if (choices)
		return fail(
		        ST_ARGUMENT, "%s %s: a letter was expected, as in `%s b`", command, answer, command);
	if (number_read(answer, number, &used) != ST_OK || answer[used])
		return fail(ST_ARGUMENT, "%s %s: a figure was expected, as in `%s 60us`", command, answer,
		        command);
	return ST_OK;
}

static enum status has_unit(struct shell *shell, const char *answer, struct number number)
{
	struct number truth = number;
	enum status status = ST_OK;
	if (is_rank_zero(shell) && number.unit == UNIT_PLAIN)
		status = solved_figure(shell, PART_ANSWER, &truth);
	if (status == ST_OK && truth.unit != number.unit)
		status = fail(ST_UNIT, "predict %s: in which unit? As in `predict %s%s`", answer, answer,
		        truth.unit == UNIT_TIME ? "us" : unit_name(truth.unit));
	return shell_agree(shell, 0, status);
}

enum status lesson_predict(struct shell *shell, const char *answer)
{
	const struct lesson_task *task = lesson_current(shell);
	struct lesson *lesson = shell->course.lesson;
	struct number number;
	int letter;
	if (!task)
		return ST_ARGUMENT;
	if (!task->at[PART_PREDICT])
		return fail(ST_ARGUMENT, "this task asks for no prediction");
	if (!answer) {
		lesson->skips = true;
		out_say(shell->out, "   no guess; now type the lines\n");
		return ST_OK;
	}
	int choices = 0;
	for (size_t i = 0; i < task->attempts; i++)
		choices += task->attempt[i].kind == ATTEMPT_CHOICE;
	enum status status = read_answer("predict", answer, choices ? choices + 1 : 0, &number, &letter);
	if (status != ST_OK)
		return status;
	if (*lesson->guess)
		return fail(ST_ARGUMENT,
		        "predict: your guess is %s, and cannot change until the task is "
		        "solved",
		        lesson->guess);
	if (letter < 0 && (status = has_unit(shell, answer, number)) != ST_OK)
		return status;
	snprintf(lesson->guess, sizeof lesson->guess, "%s", answer);
	lesson_note(shell, "predict", answer);
	out_say(shell->out, "   noted: %s. Now type the lines; `check` compares\n", answer);
	return ST_OK;
}

static enum status put_guess(struct shell *shell, struct text *out)
{
	struct offered choice[OFFERED_MAX] = {0};
	struct number number = {0}, truth = {0};
	int count = 0, letter = -1;
	const struct lesson_attempt *model = NULL;
	enum status status = find_choices(shell, choice, &count, &truth);
	if (status == ST_OK)
		status = read_answer("predict", shell->course.lesson->guess, count, &number, &letter);
	if (status != ST_OK)
		return status;
	if (letter >= 0) {
		number = choice[letter].figure;
		model = choice[letter].of;
	}
	bool right = fabs(number.value - truth.value) <= TENTH * fabs(truth.value);
	text_add(out, "   your guess %s: it was ", shell->course.lesson->guess);
	number_text(truth, out);
	text_add(out, "%s%s%s\n",
	        !right                ? ""
	                : letter >= 0 ? ", right"
	                              : ", within a tenth",
	        model ? "; yours would be right if " : "", model ? text_string(&model->words) : "");
	return ST_OK;
}

enum status guess_put_outcome(struct shell *shell, struct text *out)
{
	const struct lesson_task *task = lesson_task_of(shell);
	enum status status = *shell->course.lesson->guess ? put_guess(shell, out) : ST_OK;
	if (status == ST_OK && task->at[PART_ASK])
		text_add(out, "   %s%s%s %s\n", STYLED(shell->out, COLOUR_HEAD, "Look:"),
		        text_string(&task->part[PART_ASK]));
	if (status == ST_OK && task->at[PART_ASK] && !shell->replay.shown)
		text_add(out, "      answer with a %s\n",
		        *text_string(&task->part[PART_ASK_ANSWER]) == '"' ? "word: answer WORD"
		                                                          : "figure: answer FIGURE");
	return status;
}

/* Compares with quoted words ("io|the stream io") or a figure of the solution; sets `truth`. */
static enum status is_answer(struct shell *shell, const char *answer, bool *right, struct text *truth)
{
	const struct lesson_task *task = lesson_task_of(shell);
	const char *wanted = text_string(&task->part[PART_ASK_ANSWER]);
	struct number figure, number;
	int letter;
	*right = false;
	if (*wanted == '"') {
		text_put(truth, wanted + 1, strcspn(wanted + 1, "|\""));
		for (const char *at = wanted; *at; at += strcspn(at, "|\"")) {
			at += strspn(at, "|\"");
			size_t length = strcspn(at, "|\"");
			*right |= length == strlen(answer) && strncasecmp(at, answer, length) == 0 && length;
		}
		return ST_OK;
	}
	enum status status = read_answer("answer", answer, 0, &number, &letter);
	if (status == ST_OK)
		status = solved_figure(shell, PART_ASK_ANSWER, &figure);
	if (status != ST_OK)
		return status;
	number_text(figure, truth);
	if (figure.unit == UNIT_TIME && number.unit == UNIT_PLAIN)
		return fail(ST_UNIT, "answer %s: in which unit? As in `answer %sus`", answer, answer);
	*right = fabs(number.value - figure.value) <= TENTH * fabs(figure.value);
	return ST_OK;
}

/* the answer is shown after this many misses */
enum { MISSES_MOST = 3 };

enum status lesson_answer(struct shell *shell, const char *answer)
{
	const struct lesson_task *task = lesson_current(shell);
	struct text words = {0}, truth = {0};
	bool right = false;
	if (!task)
		return ST_ARGUMENT;
	if (shell->replay.depth)
		return ST_OK;
	if (!shell->course.lesson->asking)
		return fail(ST_ARGUMENT,
		        task->at[PART_ASK] ? "the question comes once `check` says right"
		                           : "this task asks no question");
	enum status status = is_rank_zero(shell) ? is_answer(shell, answer, &right, &truth) : ST_OK;
	bool told = status == ST_OK && is_rank_zero(shell) && !right &&
	        ++shell->course.lesson->misses >= MISSES_MOST;
	text_add(&words, "   %s%s%s%s\n", style(shell->out, right ? COLOUR_GOOD : COLOUR_BAD),
	        right          ? "right: `next` goes on"
	                : told ? "not so: it is "
	                       : "not correct: look once more (`timeline`, `stalls`, `stats`)",
	        told ? text_string(&truth) : "", style(shell->out, COLOUR_PLAIN));
	status = shell_say_found(shell, status, &words);
	text_release(&words);
	text_release(&truth);
	return status;
}
