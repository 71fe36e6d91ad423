/* evaluate.c -- evaluates expressions, names and sets of ranks on one rank.
 *
 * An evaluation sets eval.varies if it uses something that may differ by rank: `rank`, a variable
 * with values by rank, the place on a mesh axis, data. The caller uses one eval for all ranks, and
 * stops after the first if `varies` is still false. So most lines cost one evaluation on any
 * number of ranks. */
#include "shell/language/run/evaluate.h"

#include <math.h>
#include <string.h>

/* In a name a number must be whole; in a text values are as `print` shows them; in a chosen line
 * numbers keep their last bit, because it is parsed again. */
static enum status add_part(
        struct eval *eval, const struct name *name, const struct name_part *part, struct text *out)
{
	struct value value;
	if (!part->formula) {
		text_put(out, part->text.at, part->text.length);
		return ST_OK;
	}
	if (part->formula->read_count && !eval->data)
		return fail(ST_ARGUMENT, "'%.*s': a name cannot depend on data; let a = %.*s first",
		        WHOLE(name->written), SHOWN(part->formula->written));
	enum status status = evaluate(eval, part->formula, &value);
	if (status != ST_OK)
		return status;
	if (name->line && value.kind == VALUE_NUMBER) {
		value_exact(value, out);
		return ST_OK;
	}
	if (!name->quoted && value.kind == VALUE_NUMBER && value.number != floor(value.number))
		return fail(ST_RANGE, "'%.*s': $%.*s is %g, and a name takes whole numbers",
		        WHOLE(name->written), SHOWN(part->formula->written), value.number);
	char digits[24];
	if (name->quoted || value.kind != VALUE_NUMBER)
		value_text(eval->shell, value, out);
	else if (fabs(value.number) < 1e15)
		text_put(out, digits, number_digits(digits, (int64_t)value.number) - digits);
	else
		text_add(out, "%.0f", value.number);
	return ST_OK;
}

enum status evaluate_text(struct eval *eval, const struct name *name, struct text *out)
{
	enum status status = ST_OK;
	size_t from = out->count;
	for (int i = 0; i < name->parts && status == ST_OK; i++) {
		status = add_part(eval, name, &name->part[i], out);
		if (status == ST_OK && out->count - from > TEXT_MOST)
			status = fail(ST_RANGE, "%.*s%s is too long: a text has at most 1 MB (%d bytes)",
			        SHOWN(name->written), name->written.length > 60 ? "..." : "", TEXT_MOST);
	}
	return status;
}

/* The id of a name without `$` is looked up once a world: a reset begins a new generation. */
enum status evaluate_written(struct eval *eval, struct name *name, name_id *id)
{
	struct interpreter *in = eval->shell->interpreter;
	struct world *world = eval->shell->world;
	if (name->constant && name->generation == in->generation) {
		*id = name->id;
		return ST_OK;
	}
	/* names may nest: this one is made after those under construction */
	struct text *spelled = &in->spelled;
	size_t from = spelled->count;
	enum status status = evaluate_text(eval, name, spelled);
	if (status == ST_OK)
		status = world_text_fits(world, eval->rank, spelled->count - from);
	*id = status == ST_OK ? names_make(world->names, text_string(spelled) + from, spelled->count - from)
	                      : 0;
	spelled->count = from;
	if (status == ST_OK && name->constant) {
		name->id = *id;
		name->generation = in->generation;
	}
	return status;
}

enum status evaluate_name(struct eval *eval, struct name *name, name_id *id)
{
	enum status status = evaluate_written(eval, name, id);
	if (status != ST_OK || !name->constant || name->quoted)
		return status;
	const struct variable *variable = variable_find(eval->shell->interpreter, *id);
	if (!variable)
		return ST_OK;
	struct value value = variable_at(variable, eval->rank, &eval->varies);
	if (value.kind == VALUE_TEXT)
		*id = value.name;
	return ST_OK;
}

/* A variable's value, else the rank's place on a mesh axis */
static enum status name_value(struct eval *eval, const struct formula *formula, struct value *value)
{
	struct name *name = formula->name;
	name_id id;
	if (name->parts == 1 && name->part[0].formula)
		return evaluate(eval, name->part[0].formula, value);
	enum status status = evaluate_written(eval, name, &id);
	if (status != ST_OK)
		return status;
	const struct variable *variable = variable_find(eval->shell->interpreter, id);
	if (variable) {
		*value = variable_at(variable, eval->rank, &eval->varies);
		return value->kind != VALUE_NONE
		        ? ST_OK
		        : fail(ST_NAME, "variable '%s' has no value on rank %d",
		                  names_text(eval->shell->world->names, id), eval->rank);
	}
	const char *text = names_text(eval->shell->world->names, id);
	struct thing thing = world_find(eval->shell->world, eval->rank, id);
	if (thing.kind == THING_GROUP && eval->shell->world->groups[thing.index].axis) {
		eval->varies = true;
		*value = value_plain(eval->shell->world->groups[thing.index].place_of[eval->rank]);
		return ST_OK;
	}
	if (thing.kind == THING_VARIABLE)
		return fail(
		        ST_NAME, "%s is a variable of the prompt, which a program's files do not see", text);
	if (thing.kind == THING_TENSOR)
		return fail(ST_ARGUMENT, "%s is a tensor: %s[0] reads an element of it", text, text);
	if (thing.kind != THING_NONE)
		return fail(ST_ARGUMENT, "%s is a %s, and a value was expected", text,
		        thing_kind_name(thing.kind));
	return unknown_variable(eval, text);
}

static enum status data_value(struct eval *eval, const struct formula *formula, struct value *value)
{
	eval->varies = true;
	if (eval->data) {
		*value = value_plain(eval_read(eval, formula));
		return ST_OK;
	}
	if (eval->shell->dry)
		return fail(ST_ARGUMENT, "%.*s: --dry keeps no data", SHOWN(formula->written));
	return fail(ST_ARGUMENT, "%.*s: data cannot be read here; let a = %.*s first",
	        SHOWN(formula->written), SHOWN(formula->written));
}

enum status evaluate(struct eval *eval, const struct formula *formula, struct value *value)
{
	struct value left;
	enum status status;
	*value = (struct value){0};
	switch (formula->kind) {
	case FORMULA_NUMBER:
		*value = value_number(formula->number.value, formula->number.unit);
		return ST_OK;
	case FORMULA_RANK:
		eval->varies = true;
		*value = value_plain(eval->rank);
		return ST_OK;
	case FORMULA_WORLD:
		*value = value_plain(eval->shell->world->n);
		return ST_OK;
	case FORMULA_NAME:
		return name_value(eval, formula, value);
	case FORMULA_TEXT:
		value->kind = VALUE_TEXT;
		return evaluate_written(eval, formula->name, &value->name);
	case FORMULA_ELEMENT:
		return data_value(eval, formula, value);
	case FORMULA_FUNCTION:
		return evaluate_function(eval, formula, value);
	case FORMULA_NEGATE:
		status = evaluate_number(eval, formula->left, value);
		*value = value_number(-value->number, value->unit);
		return status;
	case FORMULA_NOT:
		status = evaluate(eval, formula->left, value);
		*value = value_plain(!value_true(*value));
		return status;
	case FORMULA_AND:
	case FORMULA_OR:
		status = evaluate(eval, formula->left, value);
		if (status == ST_OK && value_true(*value) == (formula->kind == FORMULA_AND))
			status = evaluate(eval, formula->right, value);
		*value = value_plain(value_true(*value));
		return status;
	default:
		break;
	}
	status = evaluate(eval, formula->left, &left);
	if (status == ST_OK)
		status = evaluate(eval, formula->right, value);
	if (status == ST_OK && is_comparison(formula))
		status = value_comparable(left, formula->left, *value, formula->right);
	return status == ST_OK ? value_binary(formula->kind, left, *value, formula, value) : status;
}

enum status must_be_number(const struct shell *shell, struct value value, struct slice_of_text written)
{
	return value.kind == VALUE_NUMBER
	        ? ST_OK
	        : fail(ST_ARGUMENT, "'%.*s' is '%s', and a number was expected", SHOWN(written),
	                  names_text(shell->world->names, value.name));
}

enum status evaluate_number(struct eval *eval, const struct formula *formula, struct value *value)
{
	enum status status = evaluate(eval, formula, value);
	return status == ST_OK ? must_be_number(eval->shell, *value, formula->written) : status;
}

enum status evaluate_whole(struct eval *eval, const struct formula *formula, int64_t *whole)
{
	struct value value;
	enum status status = evaluate(eval, formula, &value);
	return status == ST_OK ? value_whole(value, formula->written, whole) : status;
}

static enum status listed_ranks(
        struct shell *shell, const struct ranks_ref *ref, const struct ranks *bound, struct ranks *set)
{
	memset(set, 0, sizeof *set);
	for (int i = 0; i < ref->count; i++) {
		int from = ref->range[i].from, to = ref->range[i].to, n = shell->world->n;
		if (to >= n)
			return fail(ST_RANK, "no rank %d: %s", from >= n ? from : to, ranks_of_text(n).text);
		for (int rank = from; rank <= to; rank++)
			ranks_add(set, rank);
	}
	ranks_and(set, bound);
	return ST_OK;
}

static enum status axis_holds(struct eval *eval, const struct ranks_axis *axis, bool *holds)
{
	const struct world *world = eval->shell->world;
	name_id name;
	struct value value;
	enum status status = evaluate_name(eval, axis->name, &name);
	if (status != ST_OK)
		return status;
	struct thing thing = world_find(world, eval->rank, name);
	if (thing.kind != THING_GROUP || !world->groups[thing.index].axis)
		return fail(ST_NAME, "no axis '%s' of a mesh. `mesh %s=2 ...` makes it",
		        names_text(world->names, name), names_text(world->names, name));
	status = evaluate_number(eval, axis->value, &value);
	if (status != ST_OK)
		return status;
	const struct group *group = &world->groups[thing.index];
	int size = group_part(group, eval->rank)->n;
	if (!(value.number >= 0 && value.number < size))
		return fail(ST_RANK, "@%s=%g: %s has places 0-%d", names_text(world->names, name),
		        value.number, names_text(world->names, name), size - 1);
	*holds = *holds && group->place_of[eval->rank] == value.number;
	return ST_OK;
}

static enum status filtered_ranks(
        struct shell *shell, const struct ranks_ref *ref, const struct ranks *bound, struct ranks *set)
{
	struct eval eval = eval_for(shell, bound);
	memset(set, 0, sizeof *set);
	FOR_RANKS (rank, bound) {
		struct value value = value_plain(1);
		bool holds = true;
		enum status status = ST_OK;
		eval.rank = rank;
		for (int i = 0; i < ref->count && status == ST_OK; i++)
			status = axis_holds(&eval, &ref->axis[i], &holds);
		if (status == ST_OK && ref->formula)
			status = evaluate(&eval, ref->formula, &value);
		if (status != ST_OK)
			return status;
		if (holds && value_true(value))
			ranks_add(set, rank);
	}
	return ST_OK;
}

static enum status named_ranks(
        struct shell *shell, struct ranks_ref *ref, const struct ranks *bound, struct ranks *set)
{
	struct text text = {0};
	struct tree *tree = NULL;
	struct ranks_ref *inner = NULL;
	struct eval eval = eval_for(shell, bound);
	enum status status = evaluate_text(&eval, ref->name, &text);
	if (status == ST_OK && eval.varies)
		status = fail(ST_RANK,
		        "@%.*s differs by rank: @(expression) says for each rank whether it takes part",
		        WHOLE(ref->written));
	if (status == ST_OK)
		status = tree_ranks(&tree, text_string(&text), &inner);
	if (status == ST_OK)
		status = inner->kind == RANKS_REF_NAME
		        ? fail(ST_RANK, "'@%s' is not a set of ranks", text_string(&text))
		        : evaluate_ranks(shell, inner, bound, set);
	tree_release(tree);
	text_release(&text);
	return status;
}

/* Ranks of a list that are outside `bound` are ignored. */
enum status evaluate_ranks(
        struct shell *shell, struct ranks_ref *ref, const struct ranks *bound, struct ranks *set)
{
	switch (ref->kind) {
	case RANKS_REF_ALL:
		*set = *bound;
		return ST_OK;
	case RANKS_REF_LIST:
		return listed_ranks(shell, ref, bound, set);
	case RANKS_REF_NAME:
		return named_ranks(shell, ref, bound, set);
	default:
		return filtered_ranks(shell, ref, bound, set);
	}
}
