/* parameters.c -- the parameters of the models: names, shapes, how they begin */
#include "strategies/layers.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int model_units(const struct model *model)
{
	return model->layers + 2;
}

int64_t parameter_count(const struct parameter *parameter)
{
	return parameter->rows * parameter->cols;
}

const char *master_suffix(const struct model *model)
{
	return model->dtype == DT_F32 ? "" : "_f32";
}

const char *unit_title(const struct model *model, int unit, char title[32])
{
	if (unit == 0)
		snprintf(title, 32, "%s", model->kind == MODEL_GPT ? "the embedding" : "the input");
	else if (unit > model->layers)
		snprintf(title, 32, "%s", model->kind == MODEL_GPT ? "the head" : "the loss");
	else
		snprintf(title, 32, "layer %d", unit);
	return title;
}

struct list {
	struct parameter *item;
	int count;
	const struct model *model;
};

/* Its number is its seed, so that any split of the model begins with the same weights. unit 0: the name
 * carries no number. */
static void add(struct list *list, const char *name, int unit, int64_t rows, int64_t cols, double scale,
        enum split split)
{
	struct parameter *p = &list->item[list->count++];
	*p = (struct parameter){.unit = unit,
	        .rows = rows,
	        .cols = cols,
	        .scale = scale,
	        .split = split,
	        .seed = list->model->seed + list->count};
	if (unit > 0 && unit <= list->model->layers)
		snprintf(p->name, sizeof p->name, "%s%d", name, unit);
	else
		snprintf(p->name, sizeof p->name, "%s", name);
}

/* He's deviation, sqrt(2/in), for layers behind which a relu halves the variance */
static void mlp_parameters(struct list *list)
{
	const struct model *model = list->model;
	for (int i = 1; i <= model->layers; i++) {
		int64_t rows = i == 1 ? model->in : model->hidden,
		        cols = i == model->layers ? model->out : model->hidden;
		add(list, "w", i, rows, cols, sqrt((i == model->layers ? 1.0 : 2.0) / (double)rows),
		        i % 2 ? SPLIT_COLUMNS : SPLIT_ROWS);
	}
}

/* GPT-2's: 0.02, and less for the two that write into the residual, by the root of their number. Wider for
 * small models: 1/sqrt(hidden) */
static void gpt_parameters(struct list *list)
{
	const struct model *model = list->model;
	int64_t h = model->hidden;
	double wide = 1 / sqrt((double)h), residual = wide / sqrt(2.0 * model->layers);
	add(list, "table", 0, model->vocab, h, 0.02, SPLIT_NONE);
	add(list, "pos", 0, model->seq, h, 0.02, SPLIT_NONE);
	for (int i = 1; i <= model->layers; i++) {
		add(list, "wq", i, h, h, wide, SPLIT_COLUMNS);
		add(list, "wk", i, h, h, wide, SPLIT_COLUMNS);
		add(list, "wv", i, h, h, wide, SPLIT_COLUMNS);
		add(list, "wo", i, h, h, residual, SPLIT_ROWS);
		add(list, "wu", i, h, 4 * h, wide, SPLIT_COLUMNS);
		add(list, "wd", i, 4 * h, h, residual / 2, SPLIT_ROWS);
	}
	if (!model->tied)
		add(list, "head", model->layers + 1, h, model->vocab, wide, SPLIT_NONE);
}

enum status model_parameters(const struct model *model, struct parameter **list, int *count)
{
	struct list made = {.model = model};
	made.item = mem_alloc((size_t)(6 * model->layers + 3) * sizeof *made.item);
	if (!made.item)
		return ST_MEMORY;
	if (model->kind == MODEL_MLP)
		mlp_parameters(&made);
	else
		gpt_parameters(&made);
	*list = made.item;
	*count = made.count;
	return ST_OK;
}

static bool is_one_of(const char *const *words, const char *name, size_t length)
{
	for (; *words; words++)
		if (strlen(*words) == length && strncmp(*words, name, length) == 0)
			return true;
	return false;
}

bool model_has_parameter(const struct model *model, const char *name, size_t length)
{
	static const char *const mlp[] = {"w", NULL},
	                         *const gpt[] = {"wq", "wk", "wv", "wo", "wu", "wd", NULL},
	                         *const ends[] = {"table", "pos", "head", NULL};
	size_t letters = strcspn(name, "0123456789");
	if (letters >= length)
		return model->kind == MODEL_GPT && is_one_of(ends, name, length) &&
		        !(model->tied && *name == 'h');
	char *after;
	long layer = strtol(name + letters, &after, 10);
	return after == name + length && layer > 0 && layer <= model->layers &&
	        is_one_of(model->kind == MODEL_GPT ? gpt : mlp, name, letters);
}
