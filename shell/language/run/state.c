/* state.c -- makes, sets, resets and frees the interpreter's state, and writes it as lines
 *
 * A reset begins a new generation, which invalidates the name ids in trees. */
#include "base/search.h"
#include "shell/language/run/run.h"
#include "world/tensor_kind.h"

#include <stdlib.h>

struct interpreter *interpreter_create(void)
{
	struct interpreter *in = mem_alloc(sizeof *in);
	in->generation = 1;
	in->base_frame.set = &in->all;
	in->base_frame.space = &in->learner;
	in->now.frame = &in->base_frame;
	in->base_scope.bound = &in->all;
	in->now.scope = &in->base_scope;
	in->digest = HASH_BEGIN;
	return in;
}

static void interpreter_forget(struct interpreter *in)
{
	namespace_forget(&in->learner);
	schedule_forget(in);
	for (size_t i = 0; i < in->reference_count; i++)
		tree_release(in->reference[i].tree);
	in->reference_count = 0;
}

void interpreter_reset(struct shell *shell)
{
	struct interpreter *in = shell->interpreter;
	interpreter_forget(in);
	for (struct scope *scope = in->now.scope; scope; scope = scope->up)
		scope_release(scope);
	in->generation++;
	in->section = 0;
	in->noted_dry = false;
	in->digest = HASH_BEGIN;
}

void interpreter_free(struct interpreter *in)
{
	if (!in)
		return;
	interpreter_forget(in);
	scope_release(&in->base_scope);
	variables_forget(&in->base_frame.local);
	mem_free(in->reference);
	text_release(&in->spelled);
	mem_free(in->scratch);
	mem_free(in);
}

uint64_t interpreter_did(const struct interpreter *interpreter)
{
	return interpreter->did;
}

bool interpreter_walks(const struct interpreter *interpreter)
{
	return interpreter->guesses;
}

uint64_t interpreter_digest(const struct interpreter *interpreter)
{
	return interpreter->digest;
}

void interpreter_section(struct shell *shell, int section)
{
	shell->interpreter->section = section;
	digest_add(shell->interpreter, &section, sizeof section);
}

int interpreter_section_now(const struct shell *shell)
{
	return shell->interpreter->section;
}

name_id setting_now(const struct shell *shell, enum setting_of which, int rank)
{
	return setting_at(&shell->interpreter->now.scope->setting[which], rank);
}

int setting_stream(const struct shell *shell, int rank)
{
	name_id name = setting_now(shell, SETTING_STREAM, rank);
	struct thing thing = name ? world_find(shell->world, rank, name) : (struct thing){0};
	return thing.kind == THING_STREAM ? shell->world->streams[thing.index].number : STREAM_DEFAULT;
}

enum status purpose_set(struct shell *shell, struct name *purpose, const struct ranks *set)
{
	struct eval eval = eval_for(shell, set);
	name_id word;
	shell->interpreter->purpose = purpose;
	if (purpose->constant)
		return ST_OK;
	FOR_RANKS (rank, set) {
		eval.rank = rank;
		enum status status = evaluate_written(&eval, purpose, &word);
		if (status != ST_OK)
			return status;
		const char *text = names_text(shell->world->names, word);
		if (tensor_kind_find(text) < 0)
			return fail(ST_ARGUMENT, "kind=%s: one of %s was expected", text, TENSOR_KIND_WORDS);
	}
	return ST_OK;
}

/* "F3", and "F3.1" in chunk 1 of a stage: colour F, micro-batch 3; "block2": neither */
struct phase interpreter_phase_at(const struct shell *shell, int rank)
{
	struct phase phase = {.name = setting_now(shell, SETTING_PHASE, rank), .microbatch = -1};
	const char *text = phase.name ? names_text(shell->world->names, phase.name) : "";
	size_t digits = *text ? strspn(text + 1, "0123456789") : 0;
	const char *behind = *text ? text + 1 + digits : "";
	if (digits && *behind == '.' && behind[1])
		behind += 1 + strspn(behind + 1, "0123456789");
	if (*text && strchr("FRBWOCD", *text) && !*behind) {
		long number = digits ? strtol(text + 1, NULL, 10) : -1;
		phase.colour = *text;
		phase.microbatch = (int16_t)(number < 32768 ? number : -1);
	}
	return phase;
}

int interpreter_kind(struct shell *shell, int rank)
{
	struct eval eval = {.shell = shell, .rank = rank};
	struct name *purpose = shell->interpreter->purpose;
	name_id word;
	if (purpose && evaluate_written(&eval, purpose, &word) == ST_OK)
		return tensor_kind_find(names_text(shell->world->names, word));
	return (int)tensor_kind_of(interpreter_phase_at(shell, rank).colour);
}

void interpreter_phase(struct shell *shell, const struct ranks *set, const char *text)
{
	bool off = strcmp(text, "off") == 0;
	scope_name(shell->interpreter, SETTING_PHASE, set,
	        off ? 0 : names_make(shell->world->names, text, strlen(text)));
}

void interpreter_use_ranks(struct shell *shell, const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	struct scope *scope = in->now.scope;
	if (!scope->use)
		scope->use = mem_alloc(sizeof *scope->use);
	*scope->use = *set;
	ranks_and(scope->use, scope->bound);
	digest_add(in, scope->use, sizeof *scope->use);
}

void interpreter_use(struct shell *shell, bool stream, const char *name)
{
	struct interpreter *in = shell->interpreter;
	scope_name(in, stream ? SETTING_STREAM : SETTING_GROUP, in->now.scope->bound,
	        names_make(shell->world->names, name, strlen(name)));
}

void interpreter_prompt(const struct shell *shell, struct text *out)
{
	const struct scope *scope = &shell->interpreter->base_scope;
	if (!scope->use || ranks_equal(scope->use, scope->bound))
		return;
	text_add(out, "@");
	ranks_text(scope->use, out);
	text_add(out, " ");
}

const struct ranks *interpreter_ranks(const struct shell *shell)
{
	return scope_ranks(&shell->interpreter->base_scope);
}

static int definitions_compare(const void *a, const void *b)
{
	const struct definition *const *one = a, *const *other = b;
	return (*one)->serial < (*other)->serial ? -1 : 1;
}

static void put_definitions(const struct namespace *space, unsigned after, struct text *out)
{
	const struct definition **found = NULL;
	size_t count = 0;
	for (size_t name = 0; name < space->room; name++)
		for (const struct definition *at = space->entry[name].definition; at; at = at->before)
			if (at->serial > after)
				*MEM_ADD(&found, &count) = at;
	if (count)
		qsort(found, count, sizeof *found, definitions_compare);
	for (size_t i = 0; i < count; i++)
		text_add(out, "def %.*s\n", WHOLE(found[i]->statement->why));
	mem_free(found);
}

static void put_variable(const struct shell *shell, const struct variable *variable, struct text *out)
{
	bool varies = false;
	for (int rank = 0; rank < (variable->uniform ? 1 : shell->world->n); rank++) {
		struct value value = variable_at(variable, rank, &varies);
		if (value.kind == VALUE_NONE)
			continue;
		if (varies)
			text_add(out, "@%d ", rank);
		text_add(out, "let %s = ", names_text(shell->world->names, variable->name));
		value_written(shell, value, out);
		text_add(out, "\n");
	}
}

unsigned interpreter_typed(const struct shell *shell, unsigned after, struct text *out)
{
	const struct namespace *space = &shell->interpreter->learner;
	if (!space->latest)
		return after;
	if (space->latest > after)
		put_definitions(space, after, out);
	interpreter_variables(shell, out);
	return space->latest;
}

void interpreter_variables(const struct shell *shell, struct text *out)
{
	const struct variables *variables = &shell->interpreter->learner.variables;
	for (size_t i = 0; i < variables->count; i++)
		put_variable(shell, &variables->item[i], out);
}
