/* lesson_file.c -- parses a lesson line by line; "#: name" begins a part
 *
 *     # lesson: TITLE                     the head: title, minutes, ranks, learned
 *     ## Task title                       a task begins: its story
 *     # what the learner reads
 *     #: check                            its parts, in any order, each once, except attempts
 *     expect close(y, r)   # remark
 *
 * Unknown, missing or repeated parts are refused with file and line. */
#include "shell/course/lessons/lesson_file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word;
	bool must;
} parts[] = {
#define X(symbol, word, must) {word, must},
        LESSON_PARTS(X)
#undef X
};
static const char *const attempts[] = {
#define X(symbol, word, what) word,
        LESSON_ATTEMPTS(X)
#undef X
};

struct reading {
	struct lesson_file *file;
	int line; /* the current one, or the one that a failure names */
	bool steps;
	struct text *part; /* receives the lines; NULL: none yet */
	bool comment;      /* its lines are comments: "# " is removed */
};

/* Returns the text after `head` and blanks; NULL: another line. */
static const char *text_after(const char *head, const char *line, const char *end)
{
	size_t length = strlen(head);
	if ((size_t)(end - line) < length || memcmp(line, head, length) != 0)
		return NULL;
	for (line += length; line < end && *line == ' ';)
		line++;
	return line;
}

static struct lesson_task *task_of(const struct reading *reading)
{
	return reading->file->tasks ? &reading->file->task[reading->file->tasks - 1] : NULL;
}

/* "2 4 8", "2,4,8" */
static int read_counts(int *count, const char *at, const char *end)
{
	int counts = 0;
	while (at < end && counts < COUNTS_MAX) {
		int number = 0;
		for (; at < end && *at >= '0' && *at <= '9' && number < 100000; at++)
			number = number * 10 + *at - '0';
		if (number)
			count[counts++] = number;
		else
			at++;
	}
	return counts;
}

static enum status read_ranks(int *count, int *counts, const char *at, const char *end)
{
	*counts = read_counts(count, at, end);
	bool few = *counts > 0;
	for (int i = 0; i < *counts; i++)
		few = few && count[i] <= RANKS_MOST;
	return few ? ST_OK
	           : fail(ST_SYNTAX, "'%.*s': numbers of ranks were expected, up to %d, as 2,4,8",
	                     (int)(end - at), at, RANKS_MOST);
}

/* "#: predict QUESTION = EXPRESSION" */
static enum status read_question(struct reading *reading, int part, const char *words, const char *end)
{
	struct lesson_task *task = task_of(reading);
	const char *equals = NULL;
	for (const char *at = words; (at = memmem(at, (size_t)(end - at), " = ", 3)); at += 3)
		equals = at;
	if (!equals)
		return fail(ST_SYNTAX, "a question and its answer: #: %s QUESTION = EXPRESSION",
		        parts[part].word);
	text_put(&task->part[part], words, (size_t)(equals - words));
	text_put(&task->part[part + 1], equals + 3, (size_t)(end - equals - 3));
	reading->part = NULL;
	return ST_OK;
}

/* "#: vary seed M=2:9 ranks=2,4,8" */
static enum status read_vary(struct lesson_task *task, const char *words, const char *end)
{
	while (words < end) {
		size_t length = strcspn(words, " \n");
		const char *after = words + length < end ? words + length : end;
		const char *equals = memchr(words, '=', (size_t)(after - words)), *rest;
		struct lesson_varied *varied = &task->varied[task->varies];
		if ((rest = text_after("ranks=", words, after))) {
			enum status status = read_ranks(task->count, &task->counts, rest, after);
			if (status != ST_OK)
				return status;
		} else if (equals && equals - words < (long)sizeof varied->name &&
		        task->varies < VARIED_MAX) {
			int bounds[COUNTS_MAX] = {0};
			int n = read_counts(bounds, equals, after);
			memcpy(varied->name, words, (size_t)(equals - words));
			varied->from = bounds[0];
			varied->to = bounds[1] - 1;
			task->varies++;
			if (n != 2 || varied->to < varied->from)
				return fail(ST_SYNTAX, "'%.*s': a range was expected, as M=2:9",
				        (int)(after - words), words);
		} else if (after - words != 4 || memcmp(words, "seed", 4) != 0) {
			return fail(ST_SYNTAX, "'%.*s': vary knows seed, NAME=2:9 and ranks=2,4,8",
			        (int)(after - words), words);
		}
		for (words = after; words < end && *words == ' ';)
			words++;
	}
	return ST_OK;
}

static enum status begin_attempt(
        struct reading *reading, enum attempt_kind kind, const char *words, const char *end)
{
	struct lesson_task *task = task_of(reading);
	int before = 0;
	for (size_t i = 0; i < task->attempts; i++)
		before += task->attempt[i].kind == kind;
	if (kind == ATTEMPT_CHOICE && before == CHOICES_MAX)
		return fail(ST_SYNTAX, "more than %d choices", CHOICES_MAX);
	struct lesson_attempt *attempt = MEM_ADD(&task->attempt, &task->attempts);
	*attempt = (struct lesson_attempt){.kind = kind, .line = reading->line};
	text_put(&attempt->words, words, (size_t)(end - words));
	reading->part = &attempt->lines;
	return ST_OK;
}

static enum status begin_part(struct reading *reading, int part, const char *words, const char *end)
{
	struct lesson_task *task = task_of(reading);
	if (task->at[part])
		return fail(ST_SYNTAX, "a second '#: %s': the first is in line %d", parts[part].word,
		        task->at[part]);
	task->at[part] = reading->line;
	reading->part = &task->part[part];
	reading->comment = part == PART_HINT || part == PART_TRANSFER;
	if (part == PART_PREDICT || part == PART_ASK)
		return read_question(reading, part, words, end);
	if (part == PART_ALLOW || part == PART_VARY) {
		text_put(&task->part[part], words, (size_t)(end - words));
		reading->part = NULL;
	}
	task->unseen |= part == PART_START && text_after("unseen", words, end) == end;
	if (part == PART_START && words < end && !task->unseen)
		return fail(ST_SYNTAX, "'#: start %.*s': only `unseen` may follow `start`",
		        (int)(end - words), words);
	return part == PART_VARY ? read_vary(task, words, end) : ST_OK;
}

static enum status no_part(const char *word, size_t length)
{
	struct text words = {0};
	int near = 0;
	for (int i = 0; i < PARTS; i++)
		if (*parts[i].word)
			text_add(&words, "%s%s", words.count ? " " : "", parts[i].word);
	for (int i = 0; i < ATTEMPT_KINDS; i++)
		text_add(&words, " %s", attempts[i]);
	const char *nearest = text_nearest(text_string(&words), word, length, &near);
	enum status status = fail(ST_SYNTAX, "'#: %.*s' is not a part of a task%s%.*s%s (parts: %s)",
	        (int)length, word, nearest ? "; did you mean '" : "", near, nearest ? nearest : "",
	        nearest ? "'?" : "", text_string(&words));
	text_release(&words);
	return status;
}

/* "#: WORD ..." */
static enum status read_head(struct reading *reading, const char *line, const char *end)
{
	const char *word = text_after("#:", line, end), *after = word;
	while (after < end && *after != ' ')
		after++;
	size_t length = (size_t)(after - word);
	const char *words = text_after("", after, end);
	reading->comment = false;
	for (int i = 0; i < PARTS; i++)
		if (length && strlen(parts[i].word) == length && memcmp(parts[i].word, word, length) == 0)
			return begin_part(reading, i, words, end);
	for (int i = 0; i < ATTEMPT_KINDS; i++)
		if (strlen(attempts[i]) == length && memcmp(attempts[i], word, length) == 0)
			return begin_attempt(reading, (enum attempt_kind)i, words, end);
	return no_part(word, length);
}

static enum status whole_check(struct reading *reading, const struct lesson_task *task)
{
	const struct text *check = &task->part[PART_CHECK];
	int number = task->at[PART_CHECK], gates = 0;
	FOR_LINES (line, text_string(check), check->count) {
		const char *end = line.at + line.length;
		bool expects = text_after("expect ", line.at, end);
		number++;
		if (text_after("", line.at, end) == end || *line.at == '#' ||
		        (expects && ++gates <= GATES_MAX))
			continue;
		reading->line = number;
		return expects ? fail(ST_SYNTAX, "more than %d gates", GATES_MAX)
		               : fail(ST_SYNTAX, "'%.*s': a check is made of `expect` lines",
		                         (int)line.length, line.at);
	}
	return ST_OK;
}

int lesson_number_of(const struct lesson_task *task, const char *name)
{
	struct text head = {0};
	text_add(&head, "let %s = ", name);
	const char *at = strstr(text_string(&task->part[PART_START]), text_string(&head));
	int number = at ? atoi(at + head.count) : 0;
	text_release(&head);
	return number;
}

/* Fails if the task lacks a required part, or its starter a `let` for a varied name. */
static enum status whole_task(struct reading *reading)
{
	const struct lesson_task *task = task_of(reading);
	for (int i = 0; task && i < task->varies; i++)
		if (!lesson_number_of(task, task->varied[i].name)) {
			reading->line = task->at[PART_VARY];
			return fail(ST_SYNTAX, "'#: vary %s': the starter has no `let %s = NUMBER`",
			        task->varied[i].name, task->varied[i].name);
		}
	for (int i = PART_CHECK; task && !reading->steps && i < PARTS; i++)
		if (parts[i].must && !task->part[i].count) {
			reading->line = task->at[PART_TITLE];
			return fail(ST_SYNTAX, "the task '%s' has no '#: %s'",
			        text_string(&task->part[PART_TITLE]), parts[i].word);
		}
	return task ? whole_check(reading, task) : ST_OK;
}

static enum status begin_task(struct reading *reading, const char *title, const char *end)
{
	struct lesson_file *file = reading->file;
	enum status status = whole_task(reading);
	if (status != ST_OK)
		return status;
	if (file->tasks == TASKS_MAX)
		return fail(ST_SYNTAX, "more than %d tasks", TASKS_MAX);
	struct lesson_task *task = &file->task[file->tasks++];
	text_put(&task->part[PART_TITLE], title, (size_t)(end - title));
	task->at[PART_TITLE] = reading->line;
	reading->part = &task->part[PART_STORY];
	reading->comment = true;
	return ST_OK;
}

static enum status read_lesson(struct reading *reading, const char *line, const char *end)
{
	struct lesson_file *file = reading->file;
	const char *rest;
	if ((rest = text_after("# lesson:", line, end)))
		text_put(&file->title, rest, (size_t)(end - rest));
	else if ((rest = text_after("# minutes:", line, end)))
		text_put(&file->minutes, rest, (size_t)(end - rest));
	else if ((rest = text_after("# ranks:", line, end)))
		return read_ranks(file->count, &file->counts, rest, end);
	else if ((rest = text_after("# learned:", line, end)))
		text_add(&file->learned, "%.*s\n", (int)(end - rest), rest);
	return ST_OK;
}

static enum status read_line(struct reading *reading, const char *line, const char *end)
{
	const char *rest;
	if ((rest = text_after("## ", line, end)))
		return begin_task(reading, rest, end);
	if (text_after("#:", line, end)) {
		if (!reading->file->tasks)
			return fail(ST_SYNTAX, "'%.*s' comes before the first task ('## title')",
			        (int)(end - line), line);
		return read_head(reading, line, end);
	}
	if (!reading->file->tasks)
		return read_lesson(reading, line, end);
	if (!reading->part || (line == end && reading->comment))
		return ST_OK;
	for (const char *mark = "# "; reading->comment && *mark && line < end && *line == *mark; mark++)
		line++; /* further indentation stays */
	text_add(reading->part, "%.*s\n", (int)(end - line), line);
	return ST_OK;
}

enum status lesson_file_read(
        struct lesson_file *file, const char *bytes, size_t count, const char *name, bool steps)
{
	struct reading reading = {.file = file, .steps = steps};
	const char *at = bytes, *line, *saved = text_lines_saved_as(bytes, count);
	enum status status = ST_OK;
	size_t length;
	if (saved)
		return fail(ST_SYNTAX, "%s: %s", name, saved);
	while (status == ST_OK && (line = text_line(&at, bytes + count, &length))) {
		reading.line++;
		status = read_line(&reading, line, line + length);
	}
	if (status == ST_OK)
		status = whole_task(&reading);
	if (status != ST_OK)
		return fail_in(status, "%s:%d", name, reading.line);
	if (!file->title.count || !file->tasks)
		return fail(ST_SYNTAX,
		        "%s: a lesson begins with '# lesson: TITLE' and has tasks ('## title')", name);
	return ST_OK;
}

/* The message proposes the next larger supported number, or else the largest. */
enum status lesson_file_fits(const struct lesson_file *file, const char *title, int n)
{
	struct text all = {0};
	int nearest = 0;
	if (file->counts < 2 && (!file->counts || n >= file->count[0]))
		return ST_OK;
	for (int i = 0; i < file->counts; i++) {
		if (file->counts > 1 && n == file->count[i])
			nearest = -1;
		else if (!nearest && (n < file->count[i] || i == file->counts - 1))
			nearest = file->count[i];
		text_add(&all, "%s%d", !i ? "" : i == file->counts - 1 ? " or " : ", ", file->count[i]);
	}
	enum status status = nearest < 0
	        ? ST_OK
	        : fail(ST_RANK, "%s needs %s ranks, and there are %d: leave and start `ranksh -n %d`", title,
	                  text_string(&all), n, nearest);
	text_release(&all);
	return status;
}

void lesson_file_release(struct lesson_file *file)
{
	for (int i = 0; i < file->tasks; i++) {
		struct lesson_task *task = &file->task[i];
		for (int k = 0; k < PARTS; k++)
			text_release(&task->part[k]);
		for (size_t k = 0; k < task->attempts; k++) {
			text_release(&task->attempt[k].words);
			text_release(&task->attempt[k].lines);
		}
		mem_free(task->attempt);
	}
	text_release(&file->title);
	text_release(&file->minutes);
	text_release(&file->learned);
}
