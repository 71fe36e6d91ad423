/* shapes.c -- the result's shape of each collective. The first axis is the one that a group shares out.
 *
 *      n = 4          a rank's input     its result
 *      same           [8,2]              [8,2]          allreduce, broadcast, barrier
 *      root same      [8,2]              [8,2]          reduce: on the root alone
 *      grown          [2,2]              [8,2]          allgather
 *      root grown     [2,2]              [8,2]          gather: on the root alone
 *      shared         [8,2]              [2,2]          reducescatter, scatter
 *      exchanged      [8,2]              [8,2]          alltoall
 *
 * Each is a shape_rule: n is the size of the group, `place` this rank's in it, `root` the root's. */
#include "collectives/inside.h"
#include "base/text.h"

enum status shape_same(
        const char *name, const struct layout *in, int n, int place, int root, struct layout *out)
{
	(void)name, (void)n, (void)place, (void)root;
	return layout_make(out, in->dtype, in->dims, in->dim);
}

static const struct layout no_result = {.dims = 0};

/* On the root alone. */
enum status shape_root_same(
        const char *name, const struct layout *in, int n, int place, int root, struct layout *out)
{
	if (place == root)
		return shape_same(name, in, n, place, root, out);
	*out = no_result;
	return ST_OK;
}

/* [n0, ...] -> [n * n0, ...] */
enum status shape_grown(
        const char *name, const struct layout *in, int n, int place, int root, struct layout *out)
{
	int64_t dim[DIMS_MAX];

	(void)name, (void)place, (void)root;
	for (int i = 0; i < in->dims; i++)
		dim[i] = in->dim[i];
	if (dim[0] > INT64_MAX / n)
		return fail(ST_RANGE, "%d times %lld elements are too many", n, (long long)dim[0]);
	dim[0] *= n;
	return layout_make(out, in->dtype, in->dims, dim);
}

enum status shape_root_grown(
        const char *name, const struct layout *in, int n, int place, int root, struct layout *out)
{
	if (place == root)
		return shape_grown(name, in, n, place, root, out);
	*out = no_result;
	return ST_OK;
}

static void add_with_first(const struct layout *in, int64_t first, struct text *words)
{
	struct layout other = *in;

	other.dim[0] = first;
	layout_text(&other, words);
}

/* Names what would fit: the multiples of n on both sides. */
static enum status not_divisible(const char *name, const struct layout *in, int n)
{
	struct text words = {0};
	int64_t below = in->dim[0] / n * n;

	text_add(&words, "%s is ", name);
	layout_text(in, &words);
	text_add(&words, ": %d ranks want a first axis that %d divides, as in ", n, n);
	if (below > 0) {
		add_with_first(in, below, &words);
		text_add(&words, " or ");
	}
	add_with_first(in, below + n, &words);
	fail(ST_SHAPE, "%s", text_string(&words));
	text_release(&words);
	return ST_SHAPE;
}

/* [n * n0, ...] -> [n0, ...] */
enum status shape_shared(
        const char *name, const struct layout *in, int n, int place, int root, struct layout *out)
{
	int64_t dim[DIMS_MAX];

	(void)place, (void)root;
	if (in->dim[0] % n != 0)
		return not_divisible(name, in, n);
	for (int i = 0; i < in->dims; i++)
		dim[i] = in->dim[i];
	dim[0] /= n;
	return layout_make(out, in->dtype, in->dims, dim);
}

/* [n * n0, ...] -> [n * n0, ...]: part i of mine becomes part `place` of i's. */
enum status shape_exchanged(
        const char *name, const struct layout *in, int n, int place, int root, struct layout *out)
{
	return in->dim[0] % n != 0 ? not_divisible(name, in, n) : shape_same(name, in, n, place, root, out);
}
