/* flat.c -- which parameters lie in which flat group, and where */
#include "strategies/flat.h"
#include "base/memory.h"

#include <stdio.h>

bool flats_halved(const struct flats *f)
{
	return f->wrap == WRAP_LAYER && f->model->kind == MODEL_GPT;
}

int flats_of(const struct flats *f, int unit, enum half half)
{
	if (f->wrap == WRAP_MODEL || unit == 0 || unit > f->model->layers)
		return 0;
	if (flats_halved(f))
		return 2 * unit - (half == HALF_ATTENTION);
	return f->wrap == WRAP_BLOCK && f->model->kind == MODEL_MLP ? (unit + 1) / 2 : unit;
}

/* wu and wd are the MLP's; every other name begins otherwise */
int flats_of_parameter(const struct flats *f, int i)
{
	const struct parameter *p = &f->list[i];
	return flats_of(f, p->unit, p->name[1] == 'u' || p->name[1] == 'd' ? HALF_MLP : HALF_ATTENTION);
}

static void name_flats(struct flats *f)
{
	snprintf(f->flat[0].tag, sizeof f->flat[0].tag, "%s", f->wrap == WRAP_MODEL ? "" : "_root");
	for (int unit = 1; unit <= f->model->layers && f->wrap != WRAP_MODEL; unit++)
		for (int half = 0; half < 2; half++) {
			struct flat *flat = &f->flat[flats_of(f, unit, half)];
			if (!*flat->tag)
				snprintf(flat->tag, sizeof flat->tag, "%d%s", unit % 1000000,
				        !flats_halved(f)           ? ""
				                : half == HALF_MLP ? "m"
				                                   : "a");
		}
}

enum status flats_make(const struct model *model, enum wrap wrap, int ranks, struct flats *f)
{
	*f = (struct flats){.model = model, .wrap = wrap, .ranks = ranks};
	enum status status = model_parameters(model, &f->list, &f->parameters);
	if (status != ST_OK)
		return status;
	f->flats = flats_of(f, model->layers, HALF_MLP) + 1;
	f->at = mem_alloc((size_t)f->parameters * sizeof *f->at);
	f->flat = mem_alloc((size_t)f->flats * sizeof *f->flat);
	if (!f->at || !f->flat) {
		flats_release(f);
		return ST_MEMORY;
	}
	for (int g = 0; g < f->flats; g++)
		f->flat[g] = (struct flat){.count = 0};
	for (int i = 0; i < f->parameters; i++) {
		struct flat *flat = &f->flat[flats_of_parameter(f, i)];
		f->at[i] = flat->elements;
		flat->elements += parameter_count(&f->list[i]);
		flat->count++;
	}
	for (int g = 0; g < f->flats; g++)
		f->flat[g].padded = (f->flat[g].elements + ranks - 1) / ranks * ranks;
	name_flats(f);
	return ST_OK;
}

void flats_release(struct flats *f)
{
	mem_free(f->list);
	mem_free(f->at);
	mem_free(f->flat);
	*f = (struct flats){.flats = 0};
}
