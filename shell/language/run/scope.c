/* scope.c -- variables by rank, blocks, and the settings of `use`, `phase` and clauses.
 *
 * A scope is a copy of the outer one, on the C stack, so settings end with their block. Names that
 * differ by rank are in an array, which copies borrow, and which the scope that made it frees.
 *
 *     scope of the file     stream -  each -      own -
 *       on s$rank {         stream    each -----> [s0 s1 s2 s3]   own
 *         phase F {         stream    each ----/                  borrowed */
#include "base/search.h"
#include "shell/language/run/run.h"

void digest_add(struct interpreter *in, const void *bytes, size_t count)
{
	in->digest = hash_bytes(in->digest, bytes, count);
}

struct variable *variable_find(struct interpreter *in, name_id name)
{
	struct variables *local = &in->now.frame->local;
	for (size_t i = local->count; i-- > 0;)
		if (local->item[i].name == name)
			return &local->item[i];
	struct namespace *spaces[] = {in->now.frame->outer, in->now.frame->space};
	for (int i = !spaces[0]; i < 2; i++)
		if ((size_t)name < spaces[i]->room && spaces[i]->entry[name].variable)
			return &spaces[i]->variables.item[spaces[i]->entry[name].variable - 1];
	return NULL;
}

struct value variable_at(const struct variable *variable, int rank, bool *varies)
{
	if (variable->uniform)
		return variable->one;
	*varies = true;
	return variable->each[rank];
}

static void variable_spread(struct interpreter *in, struct variable *variable)
{
	if (!variable->each)
		variable->each = mem_alloc(in->n * sizeof *variable->each);
	if (!variable->uniform)
		return;
	memset(variable->each, 0, in->n * sizeof *variable->each);
	FOR_RANKS (rank, variable->domain)
		variable->each[rank] = variable->one;
	variable->uniform = false;
}

void variable_set(struct interpreter *in, struct variable *variable, const struct ranks *set, bool varies)
{
	const struct value *values = in->scratch, *first = &values[ranks_first(set)];
	if (!varies && (set == variable->domain || ranks_equal(set, variable->domain))) {
		variable->one = *first;
		variable->uniform = true;
		digest_add(in, &first->number, sizeof first->number);
		return;
	}
	variable_spread(in, variable);
	FOR_RANKS (rank, set) {
		variable->each[rank] = varies ? values[rank] : *first;
		digest_add(in, &variable->each[rank].number, sizeof first->number);
	}
}

static struct variable *variable_add(struct variables *variables, name_id name, const struct ranks *domain)
{
	struct variable *variable = MEM_ADD(&variables->item, &variables->count);
	*variable = (struct variable){.name = name, .uniform = true, .domain = domain};
	return variable;
}

static struct name_entry *namespace_entry(struct namespace *space, name_id name)
{
	if ((size_t)name >= space->room) {
		size_t room = (size_t)name * 2 + 64;
		space->entry = mem_resize(space->entry, room * sizeof *space->entry);
		memset(space->entry + space->room, 0, (room - space->room) * sizeof *space->entry);
		space->room = room;
	}
	return &space->entry[name];
}

static enum status variable_make(
        struct shell *shell, name_id name, const struct ranks *set, struct variable **made)
{
	struct interpreter *in = shell->interpreter;
	struct namespace *space = in->now.frame->space;
	bool top = !in->now.frame->caller;
	enum status status = ST_OK;
	FOR_RANKS (rank, top ? &in->all : set)
		if (status == ST_OK)
			status = world_name_fits(shell->world, rank, name, THING_VARIABLE);
	if (status != ST_OK)
		return status;
	/* A learner's variable also takes the name in the world. A program's does not. */
	for (int rank = 0; top && space == &in->learner && rank < in->n; rank++)
		world_bind(shell->world, rank, name,
		        (struct thing){THING_VARIABLE, (int)space->variables.count});
	if (top)
		namespace_entry(space, name)->variable = (int)space->variables.count + 1;
	*made = top ? variable_add(&space->variables, name, &in->all)
	            : variable_add(&in->now.frame->local, name, in->now.frame->set);
	return ST_OK;
}

enum status variable_assign(struct shell *shell, name_id name, const struct ranks *set, bool varies)
{
	struct interpreter *in = shell->interpreter;
	struct variable *variable = variable_find(in, name);
	enum status status = variable ? ST_OK : variable_make(shell, name, set, &variable);
	if (status != ST_OK)
		return status;
	digest_add(in, &name, sizeof name);
	variable_set(in, variable, set, varies);
	return ST_OK;
}

enum status variable_let(struct shell *shell, name_id name, struct value value)
{
	shell->interpreter->scratch[0] = value;
	return variable_assign(shell, name, &shell->interpreter->all, false);
}

size_t local_push(struct frame *frame, name_id name, const struct ranks *domain)
{
	variable_add(&frame->local, name, domain);
	return frame->local.count - 1;
}

void local_drop(struct frame *frame, size_t index)
{
	struct variables *local = &frame->local;
	mem_free(local->item[index].each);
	MEM_REMOVE(local->item, &local->count, index);
}

void variables_forget(struct variables *variables)
{
	for (size_t i = 0; i < variables->count; i++)
		mem_free(variables->item[i].each);
	mem_free(variables->item);
	*variables = (struct variables){0};
}

void scope_push(struct interpreter *in, struct scope *scope, const struct ranks *bound)
{
	*scope = *in->now.scope;
	scope->up = in->now.scope;
	scope->bound = bound;
	scope->use = NULL; /* `bound` is within the outer one */
	in->now.scope = scope;
}

/* Returns true if this scope must free the array, because the outer scope has another. */
static bool setting_is_own(const struct scope *scope, enum setting_of which)
{
	return scope->setting[which].each &&
	        !(scope->up && scope->up->setting[which].each == scope->setting[which].each);
}

static void setting_replace(struct scope *scope, enum setting_of which, struct scope_setting setting)
{
	if (setting_is_own(scope, which))
		mem_free(scope->setting[which].each);
	scope->setting[which] = setting;
}

void scope_release(struct scope *scope)
{
	for (int which = 0; which < SETTINGS; which++)
		setting_replace(scope, which, (struct scope_setting){0});
	mem_free(scope->use);
	scope->use = NULL;
}

void scope_pop(struct interpreter *in)
{
	struct scope *scope = in->now.scope;
	scope_release(scope);
	in->now.scope = scope->up;
}

const struct ranks *scope_ranks(const struct scope *scope)
{
	return scope->use ? scope->use : scope->bound;
}

/* For some of the block's ranks, the scope needs its own array, a copy of all ranks' names. */
void scope_name(struct interpreter *in, enum setting_of which, const struct ranks *set, name_id name)
{
	struct scope *scope = in->now.scope;
	struct scope_setting *setting = &scope->setting[which];
	digest_add(in, &name, sizeof name);
	if (ranks_equal(set, scope->bound)) {
		setting_replace(scope, which, (struct scope_setting){.one = name});
		return;
	}
	if (!setting_is_own(scope, which)) {
		name_id *each = mem_alloc(in->n * sizeof *each);
		for (int rank = 0; rank < in->n; rank++)
			each[rank] = setting_at(setting, rank);
		setting->each = each;
	}
	FOR_RANKS (rank, set)
		setting->each[rank] = name;
}

/* Looks the name up when the block begins, so that a misspelt stream is reported there. */
static enum status scope_clause(
        struct shell *shell, enum setting_of which, struct name *name, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	enum thing_kind kind = which == SETTING_STREAM ? THING_STREAM : THING_GROUP;
	struct eval eval = eval_for(shell, set);
	struct scope_setting setting = {0};
	enum status status = evaluate_name(&eval, name, &setting.one);
	if (eval.varies)
		setting.each = mem_alloc(in->n * sizeof *setting.each);
	FOR_RANKS (rank, set) {
		eval.rank = rank;
		if (status == ST_OK && eval.varies)
			status = evaluate_name(&eval, name, &setting.each[rank]);
		name_id id = setting_at(&setting, rank);
		if (status == ST_OK && world_find(shell->world, rank, id).kind != kind)
			status = no_such(&eval, id, kind, kind);
	}
	/* the scope frees its array, also after a failure */
	setting_replace(in->now.scope, which, setting);
	return status;
}

enum status scope_clauses(struct shell *shell, const struct clauses *clauses, const struct ranks *set)
{
	enum status status = ST_OK;
	if (clauses->stream)
		status = scope_clause(shell, SETTING_STREAM, clauses->stream, set);
	if (clauses->group && status == ST_OK)
		status = scope_clause(shell, SETTING_GROUP, clauses->group, set);
	return status;
}

static struct definition *definition_latest(const struct namespace *space, name_id name)
{
	return space && (size_t)name < space->room ? space->entry[name].definition : NULL;
}

/* A program's line calls a def that the learner typed after the program was loaded, else the
 * program's. A learner's def that a program calls also finds older defs of the learner, if the
 * program has none. A learner's line calls the learner's def, else the program's. */
struct definition *definition_find(struct interpreter *in, const struct frame *frame, name_id name)
{
	struct definition *learners = definition_latest(&in->learner, name),
	                  *programs = definition_latest(in->program, name);
	bool program = frame->space == in->program;
	bool older = program && learners && learners->serial < in->program->born;
	if (older && (programs || !frame->outer))
		learners = NULL;
	return learners ? learners : programs;
}

/* The replaced def is the latest of the list with a smaller serial than the running one. A
 * learner's first def after the program was loaded replaces the program's.
 *
 *     learner    update 9 -> update 7            program (born 5)    update 6
 *
 *     `replaced` in 9 calls 7, in 7 calls 6 */
struct definition *definition_replaced(struct interpreter *in, const struct frame *frame)
{
	struct definition *chain =
	        definition_latest(frame->learners ? &in->learner : in->program, frame->def);
	while (chain && chain->serial >= frame->serial)
		chain = chain->before;
	bool of_program = frame->learners && in->program && frame->serial > in->program->born;
	return of_program && (!chain || chain->serial < in->program->born)
	        ? definition_latest(in->program, frame->def)
	        : chain;
}

static void definitions_drop(struct definition *chain)
{
	for (struct definition *before; chain; chain = before) {
		before = chain->before;
		tree_release(chain->tree);
		mem_free(chain);
	}
}

/* Frees earlier defs, unless the def calls `replaced`. */
void definition_add(struct interpreter *in, name_id name, struct statement *statement)
{
	const struct frame *frame = in->now.frame;
	struct namespace *space = frame->outer ? frame->outer : frame->space;
	struct name_entry *entry = namespace_entry(space, name);
	struct definition *definition = mem_alloc(sizeof *definition);
	bool overrides = entry->definition != NULL;
	if (!statement->replaces) {
		definitions_drop(entry->definition);
		entry->definition = NULL;
	}
	tree_use(in->now.tree);
	*definition = (struct definition){.before = entry->definition,
	        .name = name,
	        .serial = ++in->serial,
	        .tree = in->now.tree,
	        .statement = statement,
	        .learners = space == &in->learner,
	        .overrides = overrides};
	entry->definition = definition;
	space->latest = definition->serial;
}

void namespace_forget(struct namespace *space)
{
	variables_forget(&space->variables);
	for (size_t i = 0; i < space->room; i++)
		definitions_drop(space->entry[i].definition);
	mem_free(space->entry);
	*space = (struct namespace){0};
}
