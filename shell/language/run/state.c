/* state.c -- the interpreter's state: made, forgotten with the world, freed.
 *
 * Ids of names belong to a world. Emptying it invalidates all ids in trees by a new generation;
 * its line's tree may still run. */
#include "base/search.h"
#include "base/memory.h"
#include "shell/language/run/run.h"

#include <string.h>

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
	frame_release(&in->base_frame);
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
