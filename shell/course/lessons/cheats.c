/* cheats.c -- attempts that must fail, generated from the solution's tensors */
#include "base/memory.h"
#include "shell/course/lessons/played.h"

#include <string.h>

static void cheat_add(struct cheats *cheats, const struct lesson_task *task, const char *name,
        const char *what, const char *line)
{
	for (int behind = 0; behind < 2; behind++) {
		struct cheat *cheat = MEM_ADD(&cheats->cheat, &cheats->count);
		*cheat = (struct cheat){0};
		text_add(&cheat->what, "%s%s %s,", behind ? "the solution, and then " : "nothing but ", name,
		        what);
		if (behind)
			text_add(&cheat->lines, "%ssync\n", text_string(&task->part[PART_SOLUTION]));
		text_add(&cheat->lines, "%s\n", line);
	}
}

static void add_filled(
        struct cheats *cheats, const struct lesson_task *task, const struct kept_tensor *tensor)
{
	int64_t count = layout_count(&tensor->layout);
	float *value = mem_alloc((size_t)count * sizeof *value);
	struct text line = {0};
	bool constant = true;
	dtype_to_f32((enum dtype)tensor->layout.dtype, tensor->elements, value, count);
	for (int64_t i = 1; i < count; i++)
		constant = constant && value[i] == value[0];
	if (!constant) {
		text_add(&line, "fill %s %.9g", tensor->name, (double)value[count - 1]);
		cheat_add(cheats, task, tensor->name, "filled with its last number", text_string(&line));
	}
	text_release(&line);
	mem_free(value);
}

/* Returns true if the solution or a right attempt has that copy. */
static bool is_solved_by(const struct lesson_task *task, const char *line)
{
	bool found = strstr(text_string(&task->part[PART_SOLUTION]), line) != NULL;
	for (size_t i = 0; i < task->attempts; i++)
		found |= task->attempt[i].kind == ATTEMPT_RIGHT &&
		        strstr(text_string(&task->attempt[i].lines), line);
	return found;
}

static void add_copies(struct cheats *cheats, const struct lesson_task *task,
        const struct kept_tensor *tensor, const struct kept_rank *all)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct kept_tensor *other = &all->tensor[i];
		struct text line = {0}, what = {0};
		text_add(&line, "copy %s -> %s", other->name, tensor->name);
		if (other->starters && strcmp(other->name, tensor->name) != 0 &&
		        other->layout.dtype == tensor->layout.dtype &&
		        layout_same_shape(&other->layout, &tensor->layout) &&
		        !is_solved_by(task, text_string(&line))) {
			text_add(&what, "a copy of %s", other->name);
			cheat_add(cheats, task, tensor->name, text_string(&what), text_string(&line));
		}
		text_release(&line);
		text_release(&what);
	}
}

static void add_compared(struct cheats *cheats, const struct lesson_task *task, const struct kept_rank *all)
{
	struct text names = {0};
	gates_compared(&task->part[PART_CHECK], &names);
	for (const char *at = text_string(&names); *at; at += strcspn(at, " ") + 1) {
		for (size_t i = 0; i < all->count; i++) {
			const struct kept_tensor *tensor = &all->tensor[i];
			struct text line = {0};
			size_t length = strlen(tensor->name);
			if (strncmp(tensor->name, at, length) != 0 || at[length] != ' ')
				continue;
			text_add(&line, "free %s\ntensor %s%s", tensor->name, tensor->name,
			        shape_text(&tensor->layout).text);
			cheat_add(cheats, task, tensor->name, "made anew and left unwritten",
			        text_string(&line));
			add_filled(cheats, task, tensor);
			add_copies(cheats, task, tensor, all);
			text_release(&line);
		}
	}
	text_release(&names);
}

enum status cheats_make(struct cheats *cheats, const struct lesson_task *task, int n, struct shell *of)
{
	struct variation variant = {.n = n};
	struct task_lines lines = {0};
	typed_text(&lines, text_string(&task->part[PART_SOLUTION]));
	struct task_play played = {.task = task, .lines = &lines, .wants_tensors = true};
	enum status status = played_run(&played, &variant, of);
	if (status == ST_OK && played.outcome == PLAYED_TO_END)
		add_compared(cheats, task, &played.kept.rank[0]);
	played_release(&played);
	typed_release(&lines);
	return status;
}

void cheats_release(struct cheats *cheats)
{
	for (size_t i = 0; i < cheats->count; i++) {
		text_release(&cheats->cheat[i].what);
		text_release(&cheats->cheat[i].lines);
	}
	mem_free(cheats->cheat);
	*cheats = (struct cheats){0};
}
