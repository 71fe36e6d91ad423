/* board.c -- a class's board in cells, or as a table */
#include "shell/course/class/board.h"
#include "base/arithmetic.h"
#include "shell/course/class/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHO = 1, SOLVED = 19, TASK = 27, MINUTES = 41, WRONG = 46, WORDS = 53, MARKS_MOST = 9 };
enum { NOW = 1, MET = 12, TRIES = 18, GROUP_TASK = 25, GROUP_WORDS = 31 };
enum { HEADS = 2, WORDS_MOST = 400 };

/* A row's colour and first word, and the word of the head's counts */
static const struct {
	enum colour colour;
	const char *word, *counted;
} states[] = {
        [LEARNER_STUCK] = {COLOUR_BAD, "stuck", "stuck"},
        [LEARNER_WORKS] = {COLOUR_PLAIN, "", "at work"},
        [LEARNER_DONE] = {COLOUR_GOOD, "done", "done"},
        [LEARNER_AWAY] = {COLOUR_QUEUED, "away", "away"},
};
enum { STATES = sizeof states / sizeof *states };

struct title {
	int column;
	const char *words;
};
static const struct title titles[] = {{WHO, "who"}, {SOLVED, "solved"}, {TASK, "task"}, {MINUTES, "min"},
        {WRONG, "wrong"}, {WORDS, "what was wrong last"}, {0}};
static const struct title group_titles[] = {{NOW, "wrong now"}, {MET, "met"}, {TRIES, "tries"},
        {GROUP_TASK, "task"}, {GROUP_WORDS, "what is wrong"}, {0}};

/* Writes clean text. A wide character's second cell is empty (glyph 0). */
static void board_put(struct picture *picture, int row, int column, enum colour colour, const char *utf8)
{
	for (uint32_t point; (point = utf8_next(&utf8)); column += clean_width(point)) {
		struct cell *cell = picture_cell(picture, row, column),
		            *beside = picture_cell(picture, row, column + 1);
		bool wide = clean_width(point) == 2;
		if (!cell || (wide && !beside))
			break;
		*cell = (struct cell){.glyph = point, .colour = colour};
		if (wide)
			*beside = (struct cell){.glyph = 0, .colour = colour};
	}
}

static void put_foreign(
        struct picture *picture, int row, int column, int columns, enum colour colour, const char *words)
{
	struct text clean = {0};
	clean_put(&clean, words, columns);
	board_put(picture, row, column, colour, text_string(&clean));
	text_release(&clean);
}

static void put_titles(struct picture *picture, int row, const struct title *title)
{
	for (; title->words; title++)
		board_put(picture, row, title->column, COLOUR_NOTE, title->words);
}

static void put_number(struct picture *picture, int row, int end, enum colour colour, int64_t number)
{
	char words[24];
	int count = snprintf(words, sizeof words, "%lld", (long long)number);
	board_put(picture, row, end - count, colour, words);
}

/* "2.3 ✓✓··": the tasks of that lesson; "2.3 7 of 12" if there are many */
static void put_task(struct picture *picture, int row, enum colour colour, const struct class_board *board,
        const struct learner *learner)
{
	const char *name = learner->task[learner->at].name;
	int lesson = atoi(name), tasks = board->tasks(lesson), count = 0;
	struct text words = {0}, marks = {0};
	char one[32];
	for (int i = 1; i <= tasks; i++) {
		bool solved = false;
		snprintf(one, sizeof one, "%d.%d", lesson, i);
		for (size_t k = 0; k < learner->tasks; k++)
			solved |= learner->task[k].solved && strcmp(learner->task[k].name, one) == 0;
		text_add(&marks, "%s", solved ? "✓" : "·");
		count += solved;
	}
	clean_put(&words, name, 5);
	if (tasks > MARKS_MOST)
		text_add(&words, " %d of %d", count, tasks);
	else
		text_add(&words, " %s", text_string(&marks));
	board_put(picture, row, TASK, colour, text_string(&words));
	text_release(&words);
	text_release(&marks);
}

static void put_learner(
        struct picture *picture, int row, const struct class_board *board, const struct learner *learner)
{
	enum colour colour = states[learner->state].colour;
	const char *word = states[learner->state].word;
	struct text name = {0};
	learner_name(learner, SOLVED - WHO - 1, &name);
	board_put(picture, row, WHO, colour, text_string(&name));
	text_release(&name);
	put_number(picture, row, SOLVED + 6, colour, learner->solved);
	board_put(picture, row, WORDS, colour, word);
	if (learner->at < 0)
		return;
	const struct learner_task *task = &learner->task[learner->at];
	put_task(picture, row, colour, board, learner);
	if (learner->waits_s || !task->solved)
		put_number(picture, row, MINUTES + 3, colour, learner->waits_s / 60);
	put_number(picture, row, WRONG + 5, colour, task->wrong);
	int from = WORDS + (*word ? (int)strlen(word) + 2 : 0);
	if (!task->solved_here && task->last_wrong)
		put_foreign(picture, row, from, picture->width - from, colour, task->last_wrong);
}

static void put_head(struct picture *picture, const struct class_board *board)
{
	const struct learners *learners = board->learners;
	const struct text *mistake = &board->roll->mistake;
	int count[STATES] = {0};
	struct text words = {0};
	for (size_t i = 0; i < learners->count; i++)
		count[learners->learner[i].state]++;
	clean_put(&words, board->roll->folder, 30);
	text_add(&words, "   %s   %zu learner%s", board->clock, learners->count,
	        learners->count == 1 ? "" : "s");
	const char *between = ": ";
	for (int i = 0; i < STATES; i++) {
		if (count[i])
			text_add(&words, "%s%d %s", between, count[i], states[i].counted);
		between = count[i] ? ", " : between;
	}
	text_add(&words, "   ");
	board_put(picture, 0, WHO, COLOUR_HEAD, text_string(&words));
	int column = WHO + clean_columns(text_string(&words));
	const char *trouble = board->trouble ? board->trouble : mistake->count ? text_string(mistake) : NULL;
	text_clear(&words);
	rules_words(&board->roll->rules, &words);
	put_foreign(picture, 0, column, picture->width - column, COLOUR_NOTE, text_string(&words));
	text_release(&words);
	if (trouble)
		put_foreign(picture, 1, WHO, picture->width - WHO, COLOUR_BAD, trouble);
	else
		put_titles(picture, 1, titles);
}

static void put_groups(struct picture *picture, int row, const struct class_board *board, int groups)
{
	put_titles(picture, row, group_titles);
	for (int i = 0; i < groups; i++) {
		const struct wrong_group *group = &board->learners->group[i];
		enum colour colour = group->now ? COLOUR_PLAIN : COLOUR_QUEUED;
		row++;
		put_number(picture, row, NOW + 9, colour, group->now);
		put_number(picture, row, MET + 3, colour, group->learners);
		put_number(picture, row, TRIES + 5, colour, group->attempts);
		put_foreign(picture, row, GROUP_TASK, 5, colour, group->task);
		put_foreign(picture, row, GROUP_WORDS, picture->width - GROUP_WORDS, colour, group->words);
	}
}

/* On a screen, groups get a third of the height, or more if the learners leave rows free. */
void board_draw(struct class_board *board, int width, int height, struct picture *picture)
{
	const struct learners *learners = board->learners;
	int count = (int)learners->count, groups = (int)learners->groups, keys = board->keys;
	int below = groups ? groups + 2 : 0; /* empty row, titles */
	if (height > 0) {
		int most = (int)most_of(height / 3, height - HEADS - keys - count);
		below = below > most ? most : below;
		below = below < 3 ? 0 : below;
	}
	int rows = height > 0 ? height - HEADS - keys - below : count;
	rows = (int)most_of(rows, 0);
	board->first = (int)most_of(least_of(board->first, count - rows), 0);
	picture_make(picture, width, HEADS + rows + below + keys);
	put_head(picture, board);
	for (int i = 0; i < rows && board->first + i < count; i++)
		put_learner(picture, HEADS + i, board, &learners->learner[board->first + i]);
	if (below)
		put_groups(picture, HEADS + rows + 1, board, below - 2);
	if (!keys)
		return;
	char words[80] = "";
	int more = count - board->first - rows;
	if (more > 0)
		snprintf(words, sizeof words, "%d more below", more);
	board_put(picture, picture->height - 1, WHO, COLOUR_NOTE,
	        count > rows ? "q leaves; up and down scroll" : "q leaves");
	board_put(picture, picture->height - 1, WORDS, COLOUR_NOTE, words);
}

enum { CELL_MOST = 8000 };

/* Adds a quoted cell and keeps line breaks; NULL: an empty one. With a ' it is no formula. */
static void put_cell(struct text *out, const char *utf8)
{
	struct text clean = {0};
	const char *bytes = utf8 ? utf8 : "";
	FOR_LINES (line, bytes, strlen(bytes)) {
		struct text one = {0};
		text_put(&one, line.at, line.length);
		if (clean.count)
			text_put(&clean, "\n", 1);
		clean_put(&clean, text_string(&one), CELL_MOST);
		text_release(&one);
	}
	text_add(out, ",\"%s", clean.count && strchr("=+-@", *clean.bytes) ? "'" : "");
	for (const char *sign = text_string(&clean); *sign; sign++)
		text_add(out, *sign == '"' ? "\"\"" : "%c", *sign);
	text_add(out, "\"");
	text_release(&clean);
}

void board_csv(const struct learners *learners, struct text *out)
{
	text_add(out,
	        "learner,task,state,opened,solved,minutes,checks,wrong,hints,solutions,predictions,"
	        "last_wrong,last_lines\n");
	for (size_t i = 0; i < learners->count; i++) {
		const struct learner *learner = &learners->learner[i];
		struct text row = {0}, name = {0};
		learner_name(learner, CELL_MOST, &name);
		for (size_t k = 0; k < learner->tasks; k++) {
			const struct learner_task *task = &learner->task[k];
			text_clear(&row);
			put_cell(&row, text_string(&name));
			put_cell(&row, task->name);
			put_cell(&row, task->solved ? "solved" : task->skips ? "skipped" : "open");
			put_cell(&row, task->opened);
			put_cell(&row, task->solved_at);
			text_add(&row, ",%.1f,%d,%d,%d,%d,%d", (double)task->seconds / 60, task->checks,
			        task->wrong, task->hints, task->solutions, task->predictions);
			put_cell(&row, task->last_wrong);
			put_cell(&row, task->last_lines);
			text_add(out, "%s\n", text_string(&row) + 1);
		}
		text_release(&row);
		text_release(&name);
	}
}
