/* view.c -- resolves a tensor as written on a rank: its name, .T and slice.
 *
 *     w.T[0:4,i]     name      w, or the tensor that a parameter w stands for
 *                    .T        swaps the last two dimensions: sizes and strides, no data
 *                    [0:4,i]   the address moves by from * stride; a range keeps its dimension,
 *                              a single index removes it; later dimensions stay whole
 *
 * A view is an address and a layout. Its name, with numbers filled in ("w.T[0:4,2]"), labels
 * operations and is the value of a def's parameter. */
#include "shell/language/run/run.h"

struct slice_part {
	bool range, begins, ends; /* begins, ends: `from`, `to` are part of the name */
	int64_t from, to;
};
struct slice_parts {
	name_id base;
	struct slice_part item[DIMS_MAX];
	int count;
	bool transposed;
};

/* An index cannot depend on data, which another operation may write. */
static enum status index_value(
        struct eval *eval, const struct formula *formula, const struct tensor_ref *tensor, int64_t *index)
{
	if (formula->read_count)
		return fail(ST_ARGUMENT, "%.*s: an index cannot depend on data; let i = %.*s first",
		        SHOWN(tensor->written), SHOWN(formula->written));
	enum status status = evaluate_whole(eval, formula, index);
	if (status == ST_OK && *index < 0)
		status = fail(ST_RANGE, "%.*s: index %lld is below 0; indices count from 0",
		        SHOWN(tensor->written), (long long)*index);
	return status;
}

/* Refuses an empty range, except in a dimension of size 0. */
static enum status read_bounds(struct eval *eval, const struct tensor_ref *tensor,
        const struct layout *layout, struct slice_part *bounds)
{
	if (tensor->indices > layout->dims)
		return fail(ST_SHAPE, "%.*s has %d indices, and %.*s is %s", SHOWN(tensor->written),
		        tensor->indices, WHOLE(tensor->name->written), shape_text(layout).text);
	for (int i = 0; i < tensor->indices; i++) {
		const struct index *index = &tensor->index[i];
		int64_t dim = layout->dim[i];
		enum status status = ST_OK;
		bounds[i] = (struct slice_part){.range = index->range,
		        .begins = !index->range || index->from,
		        .ends = index->range && index->to,
		        .to = dim};
		if (index->from)
			status = index_value(eval, index->from, tensor, &bounds[i].from);
		if (status == ST_OK && index->to)
			status = index_value(eval, index->to, tensor, &bounds[i].to);
		if (!index->range)
			bounds[i].to = bounds[i].from + 1;
		if (status != ST_OK)
			return status;
		if (bounds[i].to > dim)
			return fail(ST_RANGE, "%.*s: %lld is out of range for size %lld",
			        SHOWN(tensor->written),
			        (long long)(index->range ? bounds[i].to : bounds[i].from), (long long)dim);
		if (bounds[i].from >= bounds[i].to && dim > 0)
			return fail(ST_RANGE, "%.*s: %lld:%lld is empty", SHOWN(tensor->written),
			        (long long)bounds[i].from, (long long)bounds[i].to);
	}
	return ST_OK;
}

static void view_slice(struct view *view, const struct slice_part *bounds, int count)
{
	struct layout *layout = &view->layout;
	int dims = 0, bytes = dtype_bytes(layout->dtype);
	bool empty = layout_count(layout) == 0; /* then an offset could leave its memory */
	for (int i = 0; i < layout->dims; i++) {
		int64_t stride = layout->stride[i];
		if (i < count && !empty)
			view->address += bounds[i].from * stride * bytes;
		if (i < count && !bounds[i].range)
			continue;
		layout->dim[dims] = i < count ? bounds[i].to - bounds[i].from : layout->dim[i];
		layout->stride[dims++] = stride;
	}
	if (!dims) {
		layout->dim[0] = layout->stride[0] = 1;
		dims = 1;
	}
	layout->dims = (uint8_t)dims;
	view->sliced |= count > 0;
}

/* Parses "t[3]" or "w.T", given to a def, as a tensor, once for each text. */
static enum status reference_find(struct eval *eval, name_id name, struct tensor_ref **tensor)
{
	struct interpreter *in = eval->shell->interpreter;
	for (size_t i = in->reference_count; i-- > 0;)
		if (in->reference[i].name == name) {
			*tensor = in->reference[i].tensor;
			return ST_OK;
		}
	struct tree *tree;
	enum status status = tree_tensor(&tree, names_text(eval->shell->world->names, name), tensor);
	if (status == ST_OK)
		*MEM_ADD(&in->reference, &in->reference_count) =
		        (struct reference){.name = name, .tree = tree, .tensor = *tensor};
	return status;
}

/* Adds a slice of a slice: an index counts from where the inner range begins, and skips dimensions
 * that an inner single index has removed.
 *
 *     p = t[2:6,1]   p[1] = t[3,1]     p[1:3] = t[3:5,1]   of a matrix: t[0:4].T = t.T[:,0:4] */
static void slice_add(
        struct slice_parts *parts, const struct tensor_ref *tensor, const struct slice_part *bounds, int dims)
{
	if (tensor->transposed && parts->count) {
		while (parts->count < dims)
			parts->item[parts->count++] = (struct slice_part){.range = true};
		struct slice_part last = parts->item[dims - 1];
		parts->item[dims - 1] = parts->item[dims - 2];
		parts->item[dims - 2] = last;
	}
	parts->transposed ^= tensor->transposed;
	for (int i = 0, at = 0; i < tensor->indices; i++, at++) {
		while (at < parts->count && !parts->item[at].range)
			at++;
		if (at == parts->count)
			parts->item[parts->count++] = (struct slice_part){.range = true};
		struct slice_part *part = &parts->item[at];
		part->range = bounds[i].range;
		part->begins |= bounds[i].begins;
		if (bounds[i].ends)
			part->to = part->from + bounds[i].to;
		part->ends |= bounds[i].ends;
		part->from += bounds[i].from;
	}
}

static name_id slice_name(struct names *names, const struct slice_parts *parts)
{
	char text[256];
	const char *base = names_text(names, parts->base);
	size_t length = strlen(base) < 80 ? strlen(base) : 80;
	char *to = text + length;
	memcpy(text, base, length);
	if (parts->transposed) {
		memcpy(to, ".T", 2);
		to += 2;
	}
	for (int i = 0; i < parts->count; i++) {
		const struct slice_part *part = &parts->item[i];
		*to++ = i ? ',' : '[';
		if (part->begins)
			to = number_digits(to, part->from);
		if (part->range)
			*to++ = ':';
		if (part->range && part->ends)
			to = number_digits(to, part->to);
	}
	if (parts->count)
		*to++ = ']';
	return names_make(names, text, to - text);
}

static enum status view_transpose(const struct tensor_ref *tensor, struct view *view)
{
	struct layout *layout = &view->layout;
	if (layout->dims < 2)
		return fail(ST_SHAPE, "%.*s: .T needs two dimensions or more", SHOWN(tensor->written));
	int a = layout->dims - 2, b = layout->dims - 1;
	int64_t dim = layout->dim[a], stride = layout->stride[a];
	layout->dim[a] = layout->dim[b];
	layout->stride[a] = layout->stride[b];
	layout->dim[b] = dim;
	layout->stride[b] = stride;
	view->transposed = !view->transposed;
	return ST_OK;
}

static enum status view_resolve(struct eval *eval, struct tensor_ref *tensor, struct view_cache *cache,
        bool result, struct view *view, struct slice_parts *parts);

/* may_be_new: the name may be unknown; then view->tensor is -1. A name with a slice is the value
 * of a parameter. */
static enum status base_view(
        struct eval *eval, name_id base, bool may_be_new, struct view *view, struct slice_parts *parts)
{
	const struct world *world = eval->shell->world;
	struct thing thing = world_find(world, eval->rank, base);
	*view = (struct view){.tensor = -1, .name = base, .base_name = base, .space = SPACE_DEVICE};
	parts->base = base;
	parts->count = 0;
	parts->transposed = false;
	if (thing.kind == THING_TENSOR) {
		const struct tensor *tensor = &world->tensors[thing.index];
		view->tensor = thing.index;
		view->space = tensor->space;
		view->address = tensor->address;
		view->layout = tensor->layout;
		return ST_OK;
	}
	const char *text = names_text(world->names, base);
	if (thing.kind == THING_NONE && strpbrk(text, ".[")) {
		struct tensor_ref *inner;
		if (++eval->depth > 4)
			return fail(ST_LIMIT, "'%s' stands for itself", text);
		enum status status = reference_find(eval, base, &inner);
		if (status == ST_OK)
			status = view_resolve(eval, inner, NULL, false, view, parts);
		eval->depth--;
		return status;
	}
	if (thing.kind == THING_NONE && may_be_new)
		return ST_OK;
	return no_such(eval, base, THING_TENSOR, THING_TENSOR);
}

/* Sets *parts to all indices after the base's name. */
static enum status view_resolve(struct eval *eval, struct tensor_ref *tensor, struct view_cache *cache,
        bool result, struct view *view, struct slice_parts *parts)
{
	struct slice_part bounds[DIMS_MAX];
	bool plain = !tensor->indices && !tensor->transposed, varied = eval->varies;
	name_id base = cache ? cache->base : 0;
	enum status status = ST_OK;

	eval->varies = false;
	if (!base)
		status = evaluate_name(eval, tensor->name, &base);
	if (status == ST_OK && cache && !eval->varies)
		cache->base = base;
	if (status == ST_OK)
		status = base_view(eval, base, result && plain, view, parts);
	if (status == ST_OK && tensor->transposed)
		status = view_transpose(tensor, view);
	if (status == ST_OK && tensor->indices) {
		status = read_bounds(eval, tensor, &view->layout, bounds);
		if (status == ST_OK)
			view_slice(view, bounds, tensor->indices);
	}
	if (status == ST_OK && !plain) {
		const struct world *world = eval->shell->world;
		view->name = cache ? cache->name : 0;
		if (!view->name) {
			slice_add(parts, tensor, bounds, world->tensors[view->tensor].layout.dims);
			view->name = slice_name(world->names, parts);
		}
		if (cache && !eval->varies)
			cache->name = view->name;
	}
	eval->varies |= varied;
	return status;
}

enum status evaluate_view(struct eval *eval, struct tensor_ref *tensor, struct view_cache *cache, bool result,
        struct view *view)
{
	struct slice_parts parts;
	return view_resolve(eval, tensor, cache, result, view, &parts);
}

enum status interpreter_view(struct shell *shell, int rank, const char *text, struct view *view)
{
	struct eval eval = {.shell = shell, .rank = rank};
	struct tensor_ref *tensor;
	struct tree *tree;
	enum status status = tree_tensor(&tree, text, &tensor);
	if (status != ST_OK)
		return status;
	status = evaluate_view(&eval, tensor, NULL, false, view);
	tree_release(tree);
	return status;
}
