/* learners.c -- counts events by learner */
#include "shell/course/class/learners.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "shell/course/class/rules.h"
#include "shell/wire/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { STUCK_S = 600, STUCK_WRONG = 3, AWAY_S = 7200 };

static bool word_is(const struct text *text, const char *word)
{
	return strcmp(text_string(text), word) == 0;
}

static struct learner *find_learner(struct learners *learners, const struct class_head *head)
{
	int twin = 1;
	for (size_t i = 0; i < learners->count; i++) {
		struct learner *learner = &learners->learner[i];
		if (!word_is(&head->name, learner->name))
			continue;
		if (word_is(&head->id, learner->id))
			return learner;
		twin++;
	}
	struct learner *made = MEM_ADD(&learners->learner, &learners->count);
	*made = (struct learner){
	        .name = text_string(&head->name), .id = text_string(&head->id), .twin = twin, .at = -1};
	made->names = names_create();
	return made;
}

static struct learner_task *find_task(struct learner *learner, const struct text *name)
{
	name_id id = names_make(learner->names, text_string(name), name->count);
	if ((size_t)id <= learner->tasks)
		return &learner->task[id - 1];
	struct learner_task *made = MEM_ADD(&learner->task, &learner->tasks);
	*made = (struct learner_task){.name = text_string(name)};
	return made;
}

static void count_check(struct learner *learner, struct learner_task *task, const struct class_event *event)
{
	bool right = word_is(&event->words, "right");
	task->checks++;
	if (event->lines.count || !right)
		task->last_lines = text_string(&event->lines);
	if (!right) {
		task->wrong++;
		task->wrong_in_a_row++;
		task->last_wrong = text_string(&event->words);
		return;
	}
	task->wrong_in_a_row = 0;
	task->solved_here = true;
	learner->solved += !task->solved;
	task->solved_at = task->solved ? task->solved_at : text_string(&event->at);
	task->solved = true;
}

static void count_event(struct learner *learner, const struct class_event *event)
{
	if (word_is(&event->what, "leave")) {
		learner->left = true;
		return;
	}
	if (!event->task.count)
		return;
	struct learner_task *task = find_task(learner, &event->task);
	int lesson = atoi(task->name);
	learner->at = (int)(task - learner->task);
	if (word_is(&event->what, "open")) {
		task->opened = task->opened ? task->opened : text_string(&event->at);
		task->wrong_in_a_row = 0;
		task->solved_here = false;
	} else if (word_is(&event->what, "check")) {
		count_check(learner, task, event);
	} else if (word_is(&event->what, "done") && lesson >= 1 && lesson <= CLASS_LESSONS_MOST) {
		learner->lessons_done |= UINT64_C(1) << (lesson - 1);
	}
	task->hints += word_is(&event->what, "hint");
	task->solutions += word_is(&event->what, "solution");
	task->skips += word_is(&event->what, "skip");
	task->predictions += word_is(&event->what, "predict");
}

/* The time between two events counts for the current task. */
static void count_session(struct learner *learner, const struct class_session *session)
{
	int64_t before = 0;
	learner->left = false;
	learner->at = -1;
	learner->grew = most_of(learner->grew, session->grew);
	for (size_t i = 0; i < session->events; i++) {
		const struct class_event *event = &session->event[i];
		struct learner_task *task = learner->at < 0 ? NULL : &learner->task[learner->at];
		if (task && !task->solved)
			task->seconds += most_of(event->seconds - before, 0);
		before = event->seconds;
		count_event(learner, event);
	}
}

/* Returns true if all lessons of the class are solved, or the current one if it lists none. */
static bool has_done(const struct learner *learner, const struct class_rules *rules)
{
	int lesson = learner->at < 0 ? 0 : atoi(learner->task[learner->at].name);
	if (rules->lessons)
		return (learner->lessons_done & rules->lessons) == rules->lessons;
	return lesson >= 1 && lesson <= CLASS_LESSONS_MOST &&
	        learner->lessons_done >> (lesson - 1) & learner->task[learner->at].solved;
}

static void set_state(struct learner *learner, const struct class_rules *rules, int64_t now)
{
	const struct learner_task *task = learner->at < 0 ? NULL : &learner->task[learner->at];
	int64_t silent = most_of(now - learner->grew, 0);
	bool at_work = task && !task->solved_here;
	learner->left |= silent > AWAY_S;
	learner->waits_s = !at_work ? 0 : task->seconds + (learner->left ? 0 : silent);
	learner->state = has_done(learner, rules) ? LEARNER_DONE
	        : learner->left                   ? LEARNER_AWAY
	        : at_work && (task->wrong_in_a_row >= STUCK_WRONG || learner->waits_s >= STUCK_S)
	        ? LEARNER_STUCK
	        : LEARNER_WORKS;
}

/* names: the groups' keys; name i is group[i - 1] */
static struct wrong_group *find_group(
        struct learners *learners, struct names *names, const struct class_event *event, size_t learner)
{
	struct text both = {0};
	text_add(&both, "%zu %s%s", event->task.count, text_string(&event->task), text_string(&event->words));
	name_id id = names_make(names, text_string(&both), both.count);
	text_release(&both);
	if ((size_t)id <= learners->groups)
		return &learners->group[id - 1];
	struct wrong_group *made = MEM_ADD(&learners->group, &learners->groups);
	*made = (struct wrong_group){
	        .task = text_string(&event->task), .words = text_string(&event->words), .last = learner + 1};
	return made;
}

static void group_session(
        struct learners *learners, struct names *names, size_t number, const struct class_session *session)
{
	struct learner *learner = &learners->learner[number];
	for (size_t i = 0; i < session->events; i++) {
		const struct class_event *event = &session->event[i];
		if (!word_is(&event->what, "check") || word_is(&event->words, "right") || !event->task.count)
			continue;
		const struct learner_task *task = find_task(learner, &event->task);
		struct wrong_group *group = find_group(learners, names, event, number);
		group->attempts++;
		if (group->last == number)
			continue;
		group->last = number;
		group->learners++;
		group->now += !task->solved && word_is(&event->words, task->last_wrong);
	}
}

static int by_learners(const void *a, const void *b)
{
	const struct wrong_group *first = a, *second = b;
	int order = second->now - first->now;
	order = order ? order : second->learners - first->learners;
	order = order ? order : strcmp(first->task, second->task);
	return order ? order : strcmp(first->words, second->words);
}

static int by_need(const void *a, const void *b)
{
	const struct learner *first = a, *second = b;
	int order = (int)first->state - (int)second->state;
	if (!order && first->state == LEARNER_STUCK && first->waits_s / 60 != second->waits_s / 60)
		return first->waits_s < second->waits_s ? 1 : -1;
	order = order ? order : strcasecmp(first->name, second->name);
	order = order ? order : strcmp(first->name, second->name);
	return order ? order : first->twin - second->twin;
}

/* A learner's file names sort by date, so their sessions are in order. */
void learners_make(struct learners *learners, const struct roll *roll, int64_t now)
{
	size_t *owner = mem_alloc((roll->sessions + 1) * sizeof *owner);
	struct names *groups = names_create();
	*learners = (struct learners){0};
	for (size_t i = 0; i < roll->sessions; i++) {
		const struct class_session *session = &roll->session[i];
		owner[i] = SIZE_MAX;
		if (!session->head.class || session->spoiled)
			continue;
		struct learner *learner = find_learner(learners, &session->head);
		owner[i] = (size_t)(learner - learners->learner);
		count_session(learner, session);
	}
	for (size_t k = 0; k < learners->count; k++) {
		set_state(&learners->learner[k], &roll->rules, now);
		for (size_t i = 0; i < roll->sessions; i++)
			if (owner[i] == k)
				group_session(learners, groups, k, &roll->session[i]);
	}
	mem_free(owner);
	names_free(groups);
	if (learners->groups)
		qsort(learners->group, learners->groups, sizeof *learners->group, by_learners);
	if (learners->count)
		qsort(learners->learner, learners->count, sizeof *learners->learner, by_need);
}

void learners_release(struct learners *learners)
{
	for (size_t i = 0; i < learners->count; i++) {
		mem_free(learners->learner[i].task);
		names_free(learners->learner[i].names);
	}
	mem_free(learners->learner);
	mem_free(learners->group);
	*learners = (struct learners){0};
}

void learner_name(const struct learner *learner, int columns, struct text *out)
{
	char twin[16] = "";
	if (learner->twin > 1)
		snprintf(twin, sizeof twin, " (%d)", learner->twin);
	clean_put(out, learner->name, columns - (int)strlen(twin));
	text_add(out, "%s", twin);
}

/* ---- clean text, one character at a time, by its wcwidth ---- */

enum { ELLIPSIS = 0x2026, SOFT_HYPHEN = 0xad };

static uint32_t shown(uint32_t point)
{
	if (point == '\n' || point == '\t')
		return ' ';
	if (utf8_obeyed(point))
		return '?';
	if (point >= 0x80 && plain_wanted())
		return '?';
	int width = wcwidth((wchar_t)point);
	return width < 0 ? '?' : width == 0 || point == SOFT_HYPHEN ? 0 : point;
}

int clean_width(uint32_t point)
{
	return wcwidth((wchar_t)point) == 2 ? 2 : 1;
}

int clean_columns(const char *utf8)
{
	int columns = 0;
	for (uint32_t point; (point = utf8_next(&utf8));)
		columns += clean_width(point);
	return columns;
}

void clean_put(struct text *out, const char *utf8, int columns)
{
	size_t cut = out->count; /* length that leaves room for an ellipsis */
	int used = 0;
	for (uint32_t point; (point = utf8_next(&utf8));) {
		if (!(point = shown(point)))
			continue;
		used += clean_width(point);
		if (used > columns)
			break;
		text_put_point(out, point);
		if (used < columns)
			cut = out->count;
	}
	if (used <= columns || columns < 1)
		return;
	out->count = cut;
	text_put_point(out, ELLIPSIS);
}
