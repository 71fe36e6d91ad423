/* show.c -- tensors as text: a single element with six digits, others with four */
#include "shell/values/show.h"

#include <stdio.h>
#include <string.h>

enum { LONG_AXIS = 8, EDGE = 3 };

static void element(
        const struct layout *layout, const void *packed, int64_t index, int digits, char out[NUMBER_ROOM])
{
	if (layout->dtype == DT_I32)
		snprintf(out, NUMBER_ROOM, "%d", ((const int32_t *)packed)[index]);
	else
		number_plain(dtype_get((enum dtype)layout->dtype, packed, index), digits, 1e7, out);
}

/* Returns the i-th index of an axis that is shown; -1 for the "..." between the ends. */
static int64_t shown(int64_t dim, int i)
{
	if (dim <= LONG_AXIS || i < EDGE)
		return i;
	return i == EDGE ? -1 : dim - (2 * EDGE + 1 - i);
}

static int shown_count(int64_t dim)
{
	return dim <= LONG_AXIS ? (int)dim : 2 * EDGE + 1;
}

/* width 0: a vector, without aligned columns */
static void row(const struct layout *layout, const void *packed, int64_t first, int width, struct text *out)
{
	char text[NUMBER_ROOM];
	int64_t dim = layout->dim[layout->dims - 1];
	for (int i = 0; i < shown_count(dim); i++) {
		int64_t k = shown(dim, i);
		if (k < 0)
			snprintf(text, sizeof text, "...");
		else
			element(layout, packed, first + k, 4, text);
		text_add(out, " %*s", k < 0 ? 0 : width, text);
	}
}

static int widest(const struct layout *layout, const void *packed, int64_t first)
{
	char text[NUMBER_ROOM];
	int64_t rows = layout->dims > 1 ? layout->dim[layout->dims - 2] : 1,
	        dim = layout->dim[layout->dims - 1];
	int width = 1;
	for (int i = 0; i < shown_count(rows); i++)
		for (int j = 0; j < shown_count(dim); j++) {
			int64_t r = shown(rows, i), k = shown(dim, j);
			if (r < 0 || k < 0)
				continue;
			element(layout, packed, first + r * dim + k, 4, text);
			int length = (int)strlen(text);
			width = length > width ? length : width;
		}
	return width;
}

static void matrix(const struct layout *layout, const void *packed, int64_t first, struct text *out)
{
	int64_t rows = layout->dim[layout->dims - 2], dim = layout->dim[layout->dims - 1];
	int width = widest(layout, packed, first);
	for (int i = 0; i < shown_count(rows); i++) {
		int64_t r = shown(rows, i);
		text_put(out, "\n ", 2);
		if (r < 0)
			text_put(out, " ...", 4);
		else
			row(layout, packed, first + r * dim, width, out);
	}
}

static void matrices(const struct layout *layout, const void *packed, struct text *out)
{
	int64_t each = layout->dim[layout->dims - 1] * layout->dim[layout->dims - 2],
	        count = layout_count(layout) / each;
	for (int64_t m = 0; m < count && m < LONG_AXIS; m++) {
		int64_t index[DIMS_MAX], rest = m;
		for (int d = layout->dims - 3; d >= 0; d--) {
			index[d] = rest % layout->dim[d];
			rest /= layout->dim[d];
		}
		text_put(out, "\n  [", 4);
		for (int d = 0; d < layout->dims - 2; d++)
			text_add(out, d ? ",%lld" : "%lld", (long long)index[d]);
		text_put(out, "]", 1);
		matrix(layout, packed, m * each, out);
	}
	if (count > LONG_AXIS)
		text_add(out, "\n  ... %lld more", (long long)(count - LONG_AXIS));
}

void show_tensor(const char *name, const struct layout *layout, const void *packed, struct text *out)
{
	char text[NUMBER_ROOM];
	if (layout_count(layout) == 0) {
		text_add(out, "%s %s: no elements", name, shape_text(layout).text);
	} else if (!packed) {
		text_add(out, "%s %s: no data (--dry)", name, shape_text(layout).text);
	} else if (layout_count(layout) == 1) {
		element(layout, packed, 0, 6, text);
		text_add(out, "%s = %s", name, text);
	} else if (layout->dims == 1) {
		text_add(out, "%s =", name);
		row(layout, packed, 0, 0, out);
	} else {
		text_add(out, "%s %s =", name, shape_text(layout).text);
		if (layout->dims == 2)
			matrix(layout, packed, 0, out);
		else
			matrices(layout, packed, out);
	}
}

void show_answer(struct shell *shell, int rank, const char *name, const struct layout *layout,
        const void *packed, struct text *out)
{
	show_tensor(name, layout, packed, out);
	if (packed && layout_count(layout) == 1)
		shell_number(shell, rank, name, dtype_get((enum dtype)layout->dtype, packed, 0));
}

void show_spoiled(const struct world *world, int tensor, struct text *out)
{
	if (tensor < 0 || (size_t)tensor >= world->tensor_count || !world->tensors[tensor].invalid)
		return;
	text_add(out, "\n   spoiled by ");
	op_text(world, world->tensors[tensor].invalid, out);
	text_add(out, ", which was not finished");
}
