/* scope.c -- variables by rank, blocks, and what `use`, `phase` and clauses set to the end of a block.
 *
 * A scope is a copy of the one around it on the C stack, so leaving a block undoes what was set in it, and
 * asking for the current stream is one look. What differs by rank is an array in memory; a copy borrows it,
 * and only the scope that made it frees it: it is own where
 * the scope around has another.
 *
 *     scope of the file     stream -  each -      own -
 *       on s$rank {         stream    each -----> [s0 s1 s2 s3]   own
 *         phase F {         stream    each ----/                  borrowed */
#include "base/search.h"
#include "base/memory.h"
#include "shell/language/run/run.h"

#include <string.h>

void digest_add(struct interpreter *in, const void *bytes, size_t count)
{
	in->digest = hash_bytes(in->digest, bytes, count);
}

static void digest_add_number(struct interpreter *in, double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	in->digest = hash_word(in->digest, bits);
}

/* ---- variables ---- */

/* The drawing is in run.h. NULL: no such variable where the frame can see. The pointer is good until a
 * variable is made. */
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

/* VALUE_NONE on a rank that was given none. *varies becomes true when other ranks may have another value;
 * it is left alone otherwise. */
struct value variable_at(const struct variable *variable, int rank, bool *varies)
{
	if (variable->uniform)
		return variable->one;
	*varies = true;
	return variable->each[rank];
}

/* Values of its own for each rank */
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

/* All ranks that can see the variable get one value: it is uniform, also when it was not before. Else only
 * those of the set change. Values go into the digest, by which processes see that they still agree. */
void variable_set(struct interpreter *in, struct variable *variable, const struct ranks *set, bool varies)
{
	const struct value *values = in->scratch, *first = &values[ranks_first(set)];
	if (!varies && (set == variable->domain || ranks_equal(set, variable->domain))) {
		variable->one = *first;
		variable->uniform = true;
		digest_add_number(in, first->number);
		return;
	}
	variable_spread(in, variable);
	FOR_RANKS (rank, set) {
		variable->each[rank] = varies ? values[rank] : *first;
		digest_add_number(in, variable->each[rank].number);
	}
}

static struct variable *variable_add(struct variables *variables, name_id name, const struct ranks *domain)
{
	struct variable *variable = MEM_ADD(&variables->item, &variables->count);
	*variable = (struct variable){.name = name, .uniform = true, .domain = domain};
	return variable;
}

/* By name id, grown to twice what is asked for: ids are dense and count up */
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

/* `let` of a new name: of the file at top level, else of the def's call. ST_NAME: the books have a thing of
 * that name on a rank that would see both. */
enum status variable_make(struct shell *shell, name_id name, const struct ranks *set, struct variable **made)
{
	struct interpreter *in = shell->interpreter;
	struct namespace *space = in->now.frame->space;
	bool top = !in->now.frame->caller; /* a variable of this file or prompt, of no def's call */
	enum status status = ST_OK;
	FOR_RANKS (rank, top ? &in->all : set)
		if (status == ST_OK)
			status = world_name_fits(shell->world, rank, name, THING_VARIABLE);
	if (status != ST_OK)
		return status;
	/* The books keep the learner's variables from being taken by tensors or streams too. A program's are
	 * its own affair: they must not stand in the way of the learner's names. */
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

/* A loop's name goes; what `let` made behind it stays */
void local_drop(struct frame *frame, size_t index)
{
	struct variables *local = &frame->local;
	mem_free(local->item[index].each);
	local->count--;
	memmove(&local->item[index], &local->item[index + 1], (local->count - index) * sizeof *local->item);
}

static void variables_forget(struct variables *variables)
{
	for (size_t i = 0; i < variables->count; i++)
		mem_free(variables->item[i].each);
	mem_free(variables->item);
	*variables = (struct variables){0};
}

void frame_release(struct frame *frame)
{
	variables_forget(&frame->local);
}

/* ---- blocks ---- */

void scope_push(struct interpreter *in, struct scope *scope, const struct ranks *bound)
{
	*scope = *in->now.scope;
	scope->up = in->now.scope;
	scope->bound = bound;
	scope->use = NULL; /* bound is within it already */
	in->now.scope = scope;
}

/* Does this scope free the array? A copy borrows the array of the scope around it, so what is not the same
 * there was made here. The scope around cannot change while this one is open: lines set the innermost. */
static bool setting_is_own(const struct scope *scope, enum setting_of which)
{
	return scope->setting[which].each &&
	        !(scope->up && scope->up->setting[which].each == scope->setting[which].each);
}

/* Takes the place of what the scope had, its own array included */
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

/* All ranks of the block: one name again; some of them: an array of its own, begun with what each had */
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

/* The name behind `on` or `in`, which may be another on each rank. The thing is looked for at the block, not
 * at its first line: a misspelt stream is told where it stands. */
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
	setting_replace(in->now.scope, which, setting); /* the scope frees its array, also after a failure */
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

/* ---- defs ---- */

static struct definition *definition_latest(const struct namespace *space, name_id name)
{
	return space && (size_t)name < space->room ? space->entry[name].definition : NULL;
}

/* A program calls its own defs, and those that the learner typed since it was loaded come before them; from
 * those of his it finds his older ones too, where the program has none of that name. The
 * learner's lines call the learner's, and the program's where he has none of that name. */
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

/* Chains have the latest first, so the def that the running one (frame->serial) replaced is the first with
 * a smaller serial. Behind the learner's own stands the program's, when his came after the program was
 * loaded.
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

/* Keeps the tree. Without a `replaced` in it the defs before can never be called again, and go. */
void definition_add(struct interpreter *in, name_id name, struct statement *statement)
{
	const struct frame *frame = in->now.frame;
	struct namespace *space = frame->outer ? frame->outer : frame->space;
	struct name_entry *entry = namespace_entry(space, name);
	struct definition *definition = mem_alloc(sizeof *definition);
	bool overrides = entry->definition != NULL;
	if (!statement->replaces) { /* then nobody can call those before it any more */
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
