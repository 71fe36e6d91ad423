/* learned.c -- records events in order, and reads the class's file */
#include "shell/course/lessons/open_lesson.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "shell/course/class/roll.h"
#include "shell/course/class/rules.h"
#include "shell/session/options.h"
#include "shell/values/share.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { WORDS_MOST = 300 };

void learned_open(struct shell *shell, const struct options *options)
{
	shell->course.learned = mem_alloc(sizeof *shell->course.learned);
	shell->course.learned->folder = options->class_folder;
}

void learned_close(struct shell *shell)
{
	if (!shell->course.learned)
		return;
	text_release(&shell->course.learned->solved);
	text_release(&shell->course.learned->events);
	text_release(&shell->course.learned->wrong);
	mem_free(shell->course.learned);
	shell->course.learned = NULL;
}

void learned_solved_before(struct shell *shell, const char *tasks, size_t count)
{
	text_add(&shell->course.learned->solved, "%.*s ", (int)count, tasks);
}

void learned_line(struct shell *shell)
{
	text_clear(&shell->course.learned->events);
	text_clear(&shell->course.learned->wrong);
}

void learned_note(struct shell *shell, const char *what, const char *task, const char *words)
{
	struct learned *learned = shell->course.learned;
	if (!learned || shell->replay.depth)
		return;
	bool right = words && strcmp(what, "check") == 0 && strcmp(words, "right") == 0;
	if (right && !learned_solved(shell, task))
		text_add(&learned->solved, "%s ", task);
	if (shell->interactive) { /* without a front end, nothing takes the events */
		text_add(&learned->events, "%s\t%s\t", what, task);
		size_t from = learned->events.count;
		words = words ? words : text_string(&learned->wrong);
		text_put(&learned->events, words, text_valid(words, least_of(strlen(words), WORDS_MOST)));
		for (size_t i = from; i < learned->events.count; i++)
			if ((unsigned char)learned->events.bytes[i] < ' ')
				learned->events.bytes[i] = ' ';
		text_add(&learned->events, "\n");
	}
	text_clear(&learned->wrong);
}

void learned_take(struct shell *shell, struct text *events)
{
	struct text *noted = &shell->course.learned->events;
	text_put(events, text_string(noted), noted->count);
	text_clear(noted);
}

void learned_wrong(struct shell *shell, const char *words, size_t count)
{
	struct text *wrong = shell->course.learned ? &shell->course.learned->wrong : NULL;
	if (wrong && !wrong->count)
		text_put(wrong, words, count);
}

bool learned_solved(const struct shell *shell, const char *task)
{
	return shell->course.learned &&
	        text_place(text_string(&shell->course.learned->solved), task, strlen(task)) >= 0;
}

struct class_state {
	int64_t now;
	int32_t minute; /* since midnight */
	struct class_rules rules;
	char mistake[400];
};

static void class_read_file(const struct learned *learned, struct class_state *state)
{
	time_t now = time(NULL);
	struct tm local;
	localtime_r(&now, &local);
	*state = (struct class_state){
	        .now = now, .minute = local.tm_hour * 60 + local.tm_min, .rules = learned->rules};
	if (roll_rules(learned->folder, &state->rules) == ST_SYNTAX)
		snprintf(state->mistake, sizeof state->mistake, "%s", fail_text());
}

/* Returns false if there is no class, on replay, or after a failure (*status). */
static bool class_read(struct shell *shell, struct class_state *state, enum status *status)
{
	struct learned *learned = shell->course.learned;
	*status = ST_OK;
	if (!learned || !learned->folder || shell->replay.depth)
		return false;
	if (transport_rank(shell->transport) == 0)
		class_read_file(learned, state);
	*status = shell_spread(shell, ST_OK, state, sizeof *state);
	if (*status == ST_OK)
		learned->rules = state->rules;
	return *status == ST_OK;
}

enum status learned_class(struct shell *shell)
{
	struct class_state state = {0};
	enum status status;
	class_read(shell, &state, &status);
	return status;
}

enum status learned_lesson(struct shell *shell, int number)
{
	struct class_state state = {0};
	struct text lessons = {0};
	enum status status;
	if (!class_read(shell, &state, &status))
		return status;
	if (*state.mistake)
		out_say(shell->out, "   %s%s%s\n", STYLED(shell->out, COLOUR_BAD, state.mistake));
	if (!rules_opens(&state.rules, number)) {
		rules_lessons(&state.rules, &lessons);
		status = fail(ST_ARGUMENT, "lesson %d is not open in this class: lessons %s are", number,
		        text_string(&lessons));
		text_release(&lessons);
		return status;
	}
	int64_t box = state.rules.minutes ? state.now + state.rules.minutes * 60 : 0;
	int64_t until = state.rules.until ? state.now + (state.rules.until - state.minute) * 60 : 0;
	int64_t ends = !box || (until && until < box) ? until : box, left = (ends - state.now) / 60;
	shell->course.learned->ends = ends;
	if (ends && left > 0)
		out_say(shell->out, "   the class gives it %d minute%s\n", (int)left, left == 1 ? "" : "s");
	else if (ends)
		out_say(shell->out, "   the class's time is over\n");
	return ST_OK;
}

enum status learned_shows(struct shell *shell, bool hint)
{
	struct class_state state = {0};
	enum status status;
	if (!class_read(shell, &state, &status))
		return status;
	int from = hint ? state.rules.hint : state.rules.solution;
	const char *what = hint ? "hint" : "solution";
	if (from == DAY_MINUTES)
		return fail(ST_ARGUMENT, "%s: this class shows none", what);
	if (state.minute < from)
		return fail(ST_ARGUMENT, "%s: this class shows it from %d:%02d on, and it is %d:%02d", what,
		        from / 60, from % 60, state.minute / 60, state.minute % 60);
	return ST_OK;
}

enum status learned_time(struct shell *shell)
{
	struct class_state state = {0};
	enum status status;
	if (!class_read(shell, &state, &status))
		return status;
	int64_t ends = shell->course.learned->ends;
	if (ends && state.now >= ends)
		out_say(shell->out, "   the class's time for this lesson was over %d minutes ago\n",
		        (int)((state.now - ends) / 60));
	return ST_OK;
}
