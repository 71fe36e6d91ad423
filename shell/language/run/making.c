/* making.c -- the keyword `tensor`: makes tensors on each rank and fills them with initial data
 *
 * If a device is full, the new tensors are freed in reverse, and the old ones restored. */
#include "kernels/kernel.h"
#include "shell/language/parse/lex.h"
#include "shell/language/run/run.h"
#include "shell/values/load.h"
#include "shell/session/queue.h"

struct target {
	name_id name;
	int rank;
	struct layout layout;
	int old; /* the tensor of that name, which does not fit and is replaced; -1 if none */
	int tensor;
	bool fits; /* `tensor` exists already, and is filled in place */
	double parameter[PARAMETERS_MAX];
};
struct targets {
	struct target *item;
	size_t count;
};

static enum status target_layout(struct eval *eval, const struct making *making, const struct made *made,
        const struct layout *file, struct layout *layout)
{
	int64_t dim[DIMS_MAX];
	enum dtype dtype = file && !making->dtype_given ? file->dtype : making->dtype;
	if (!made->dims)
		return layout_make(layout, dtype, file->dims, file->dim);
	for (int i = 0; i < made->dims; i++) {
		enum status status = evaluate_whole(eval, made->dim[i], &dim[i]);
		if (status == ST_OK && dim[i] < 1)
			status = fail(ST_RANGE, "%.*s: a size of %lld; sizes are 1 or more",
			        WHOLE(made->written), (long long)dim[i]);
		if (status != ST_OK)
			return status;
	}
	enum status status = layout_make(layout, dtype, made->dims, dim);
	if (status != ST_OK || !file || layout_same_shape(layout, file))
		return status;
	return fail(ST_SHAPE, "%.*s: the file holds %s", WHOLE(made->written), shape_text(file).text);
}

static enum status target_find(struct eval *eval, const struct making *making, struct target *place)
{
	const struct world *world = eval->shell->world;
	struct thing thing = world_find(world, place->rank, place->name);
	const char *text = names_text(world->names, place->name);
	place->old = place->tensor = -1;
	if (thing.kind == THING_NONE)
		return ST_OK;
	if (thing.kind != THING_TENSOR)
		return world_name_fits(world, place->rank, place->name, THING_TENSOR);
	const struct tensor *tensor = &world->tensors[thing.index];
	/* a fill is by the host, not ordered with one-sided writes */
	enum status status = world_window_closed(world, "tensor", tensor->base);
	if (status != ST_OK)
		return status;
	place->fits = layout_same_shape(&tensor->layout, &place->layout) &&
	        tensor->layout.dtype == place->layout.dtype && tensor->space == making->space;
	if (place->fits) {
		place->tensor = thing.index;
		return ST_OK;
	}
	if (tensor->view)
		return fail(ST_SHAPE,
		        "%s is a view of another shape or type: a view is never remade; take another name",
		        text);
	if (tensor->views)
		return fail(ST_SHAPE,
		        "%s has views, so it is not remade with another shape or type: take another name",
		        text);
	place->old = thing.index;
	return ST_OK;
}

static enum status source_unknown(struct slice_of_text word)
{
	static const char sources[] = "zeros ones randn uniform iota load";
	int length = (int)(word.length < 40 ? word.length : 40), count;
	const char *near = text_nearest(sources, word.at, word.length, &count);
	if (near)
		return fail(ST_NAME,
		        "tensor ... = %.*s: neither a source (%s) nor a variable; did you mean '%.*s'?",
		        length, word.at, sources, count, near);
	return fail(
	        ST_NAME, "tensor ... = %.*s: neither a source (%s) nor a variable", length, word.at, sources);
}

/* Names of one line get consecutive seeds, so x and w of `tensor x[4] w[4] = randn seed=1`
 * differ. */
static enum status target_parameters(
        struct eval *eval, const struct making *making, int which, double *parameter)
{
	const struct kernel *kernel = making->source;
	struct value value;
	for (int i = 0; i < KERNEL_OPTIONS_MAX && kernel->option[i].name; i++) {
		parameter[i] = kernel->option[i].value;
		const struct formula *formula = making->value && i == 0 ? making->value : NULL;
		for (int k = 0; k < making->options; k++)
			if (slice_is(making->option[k].key, kernel->option[i].name))
				formula = making->option[k].formula;
		if (formula) {
			enum status status = evaluate_number(eval, formula, &value);
			if (status == ST_NAME && formula == making->value && formula->kind == FORMULA_NAME)
				return source_unknown(formula->written);
			if (status != ST_OK)
				return status;
			parameter[i] = value.number;
		}
		if (strcmp(kernel->option[i].name, "seed") != 0)
			continue;
		if (!number_is_whole(parameter[i], -0x1p53, 0x1p53))
			return fail(ST_RANGE, "tensor: seed=%g: a whole number is required", parameter[i]);
		parameter[i] += which + (double)eval->shell->salt;
	}
	return ST_OK;
}

static enum status target_resolve(struct eval *eval, const struct making *making, int which,
        const struct layout *file, struct target *place)
{
	const struct made *made = &making->made[which];
	place->rank = eval->rank;
	enum status status = evaluate_name(eval, made->name, &place->name);
	if (status == ST_OK)
		status = target_layout(eval, making, made, file, &place->layout);
	if (status == ST_OK)
		status = target_find(eval, making, place);
	if (status == ST_OK && making->source)
		status = target_parameters(eval, making, which, place->parameter);
	return status;
}

/* All ranks of the first name come first, then those of the second ..., as targets_load needs
 * them. */
static enum status targets_resolve(struct shell *shell, const struct making *making, const struct ranks *set,
        const struct layout *file, struct targets *places)
{
	struct eval eval = eval_for(shell, set);
	for (int which = 0; which < making->names; which++) {
		FOR_RANKS (rank, set) {
			struct target *place = &places->item[places->count];
			eval.rank = rank;
			enum status status = target_resolve(&eval, making, which, file, place);
			if (status != ST_OK)
				return on_rank(&eval, status);
			places->count++;
		}
	}
	return ST_OK;
}

static void target_rebind(struct world *world, const struct target *place)
{
	if (place->old >= 0)
		world_bind(world, place->rank, place->name, (struct thing){THING_TENSOR, place->old});
}

/* The old tensor loses its name, but keeps its memory until all are made, so it can be
 * restored. */
static enum status target_make(struct shell *shell, const struct making *making, struct target *place)
{
	if (place->old >= 0)
		world_unbind(shell->world, place->rank, place->name);
	else if (place->fits)
		return ST_OK;
	/* the pool of `on S { }`: each stream has its own freed blocks */
	int pool = setting_stream(shell, place->rank);
	enum status status = shell_tensor_make(shell, place->rank, place->name, &place->layout, making->space,
	        pool, making->source || making->file ? TENSOR_FILLED : TENSOR_BARE,
	        interpreter_kind(shell, place->rank), &place->tensor);
	if (status != ST_OK) {
		place->tensor = -1;
		target_rebind(shell->world, place);
	}
	return status;
}

static enum status targets_make(struct shell *shell, const struct making *making, struct targets *places)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < places->count; i++) {
		status = target_make(shell, making, &places->item[i]);
		if (status == ST_OK)
			continue;
		shell->interpreter->now.fault_rank = places->item[i].rank;
		while (i-- > 0) {
			struct target *place = &places->item[i];
			if (place->fits)
				continue;
			shell_tensor_free(shell, place->tensor, 0);
			target_rebind(shell->world, place);
		}
		return status;
	}
	for (size_t i = 0; i < places->count && status == ST_OK; i++)
		if (places->item[i].old >= 0)
			status = shell_tensor_free(shell, places->item[i].old, 0);
	return status;
}

static void target_record(struct shell *shell, const struct statement *statement, const struct target *place,
        struct record *record, struct operand *operand)
{
	const struct tensor *tensor = &shell->world->tensors[place->tensor];
	const struct kernel *kernel = statement->making->source;
	const char *title = kernel ? kernel->name : "load";
	*record = (struct record){.kind = OP_FILL,
	        .microbatch = -1,
	        .group = -1,
	        .root = -1,
	        .alone_ns = -1,
	        .operands = 1,
	        .operand = operand,
	        .kernel = kernel,
	        .line = statement->line,
	        .file = shell->world->file,
	        .section = shell->interpreter->section};
	record->title = names_make(shell->world->names, title, strlen(title));
	record->object = tensor->name;
	record->dtype = tensor->layout.dtype;
	record->bytes = layout_bytes(&tensor->layout);
	memcpy(record->parameter, place->parameter, sizeof record->parameter);
	*operand = queue_operand(shell, place->tensor, ACCESS_WRITE);
}

static enum status targets_fill(
        struct shell *shell, const struct statement *statement, const struct targets *places)
{
	struct record record;
	struct operand operand;
	uint32_t like = 0;
	for (size_t i = 0; i < places->count; i++) {
		const struct target *place = &places->item[i];
		const struct tensor *tensor = &shell->world->tensors[place->tensor],
		                    *last = like ? &shell->world->tensors[place[-1].tensor] : NULL;
		bool alike = like && place->name == place[-1].name && tensor->address == last->address &&
		        layout_equal(&tensor->layout, &last->layout) &&
		        memcmp(place->parameter, place[-1].parameter, sizeof place->parameter) == 0;
		op_id id = 0;
		if (!alike)
			target_record(shell, statement, place, &record, &operand);
		enum status status =
		        shell_queue(shell, place->rank, STREAM_HOST, &record, alike ? like : 0, 0, 0, &id);
		if (status != ST_OK)
			return status;
		like = shell->world->ops[id].record;
	}
	return ST_OK;
}

static enum status targets_load(struct shell *shell, const struct statement *statement, const char *path,
        const struct layout *file, const struct ranks *set, const struct targets *places)
{
	struct record record;
	struct operand operand;
	size_t ranks = ranks_count(set);
	int *tensors = mem_alloc(ranks * sizeof *tensors);
	enum status status = ST_OK;
	for (size_t first = 0; first < places->count && status == ST_OK; first += ranks) {
		for (size_t i = 0; i < ranks; i++)
			tensors[i] = places->item[first + i].tensor;
		target_record(shell, statement, &places->item[first], &record, &operand);
		status = file_load(shell, path, file, set, tensors, &record);
	}
	mem_free(tensors);
	return status;
}

/* Fills take no time, because they are not the program's work. The line's clauses apply to it as
 * to a block. */
enum status run_making(struct shell *shell, struct statement *statement, const struct ranks *set)
{
	const struct making *making = statement->making;
	size_t room = making->names * (size_t)ranks_count(set);
	struct targets places = {.item = mem_alloc(room * sizeof *places.item)};
	struct text path = {0};
	struct layout file;
	struct scope scope;

	scope_push(shell->interpreter, &scope, set);
	enum status status = scope_clauses(shell, &statement->clauses, set);
	if (status == ST_OK && making->file) {
		struct eval eval = eval_for(shell, set);
		status = evaluate_text(&eval, making->file, &path);
		if (status == ST_OK && eval.varies)
			status = fail(ST_FILE, "load: the file's name may not differ by rank");
		if (status == ST_OK)
			status = file_header(shell, text_string(&path), &file);
	}
	if (status == ST_OK)
		status = targets_resolve(shell, making, set, making->file ? &file : NULL, &places);
	if (status == ST_OK)
		status = targets_make(shell, making, &places);
	if (status == ST_OK && making->source)
		status = targets_fill(shell, statement, &places);
	if (status == ST_OK && making->file)
		status = targets_load(shell, statement, text_string(&path), &file, set, &places);
	scope_pop(shell->interpreter);
	text_release(&path);
	mem_free(places.item);
	return status;
}
