/* setting.c -- what commands set for the lines that follow: `use`, phases, sections; and how the prompt shows
 * it */
#include "shell/language/run/run.h"
#include "base/memory.h"
#include "strategies/kinds.h"

#include <string.h>

void interpreter_section(struct shell *shell, int section)
{
	shell->interpreter->section = section;
	fold(shell->interpreter, &section, sizeof section);
}

int interpreter_section_now(const struct shell *shell)
{
	return shell->interpreter->section;
}

/* "off": none. "F3": colour F, micro-batch 3; "block2": neither */
static struct phase phase_read(struct shell *shell, const char *text)
{
	struct phase phase = {.microbatch = -1};
	if (strcmp(text, "off") == 0)
		return phase;
	size_t length = strlen(text), digits = 0;
	phase.name = names_make(shell->world->names, text, length);
	if (length && strchr("FRBWOC", *text)) {
		for (digits = 1; digits < length && text[digits] >= '0' && text[digits] <= '9'; digits++)
			;
		if (digits == length) {
			int number = 0;
			for (size_t i = 1; i < length && number < 10000; i++)
				number = number * 10 + text[i] - '0';
			phase.colour = *text;
			phase.microbatch = (int16_t)(length > 1 && number < 32768 ? number : -1);
		}
	}
	return phase;
}

enum status purpose_is(struct shell *shell, struct name *purpose, const struct ranks *set)
{
	struct eval eval = {.shell = shell, .set = set};
	enum status status = ST_OK;
	name_id word;
	shell->interpreter->purpose = purpose;
	if (!purpose || purpose->constant)
		return ST_OK;
	FOR_RANKS (rank, set) {
		eval.rank = rank;
		if (status == ST_OK)
			status = evaluate_written(&eval, purpose, &word);
		const char *text = status == ST_OK ? names_text(shell->world->names, word) : "";
		if (status == ST_OK && tensor_kind_find(text) < 0)
			status =
			        fail(ST_ARGUMENT, "kind=%s: one of %s was expected", text, TENSOR_KIND_WORDS);
	}
	return status;
}

/* What the line says (`kind=`), else what lines of the phase make */
int interpreter_kind(const struct shell *shell, int rank)
{
	const struct lane_phase *lane = &shell->interpreter->now.scope->phase;
	struct eval eval = {.shell = (struct shell *)(uintptr_t)shell, .rank = rank};
	name_id word;
	if (eval.shell->interpreter->purpose &&
	        evaluate_written(&eval, eval.shell->interpreter->purpose, &word) == ST_OK)
		return tensor_kind_find(names_text(shell->world->names, word));
	char colour = (lane->each ? &lane->each[rank] : &lane->one)->colour;
	return (int)tensor_kind_of(colour);
}

/* For the rest of the block. All ranks of the block: one phase again; some of them: an array of their own,
 * begun with what each rank had. */
enum status interpreter_phase(struct shell *shell, const struct ranks *set, const char *text)
{
	struct interpreter *in = shell->interpreter;
	struct lane_phase *lane = &in->now.scope->phase;
	struct phase phase = phase_read(shell, text);
	fold(in, &phase.name, sizeof phase.name);
	if (ranks_equal(set, in->now.scope->bound)) {
		if (lane->own)
			mem_free(lane->each);
		*lane = (struct lane_phase){.one = phase};
		return ST_OK;
	}
	if (!lane->own) {
		struct phase *each = mem_alloc((size_t)in->n * sizeof *each);
		for (int rank = 0; rank < in->n; rank++)
			each[rank] = lane->each ? lane->each[rank] : lane->one;
		*lane = (struct lane_phase){.each = each, .own = true};
	}
	FOR_RANKS (rank, set)
		lane->each[rank] = phase;
	return ST_OK;
}

static void use_name(struct shell *shell, struct lane_name *lane, const char *text)
{
	name_id name = names_make(shell->world->names, text, strlen(text));
	if (lane->own)
		mem_free(lane->each);
	*lane = (struct lane_name){.one = name};
	fold(shell->interpreter, &name, sizeof name);
}

/* Of the block that the line stands in */
enum status interpreter_use(struct shell *shell, struct call *call, const char *stream, const char *group,
        const struct ranks *set)
{
	struct interpreter *in = shell->interpreter;
	struct scope *scope = in->now.scope;
	(void)call;
	if (set) {
		struct ranks *use = scope->own_use ? scope->use : mem_alloc(sizeof *use);
		*use = *set;
		ranks_and(use, scope->bound);
		scope->use = use;
		scope->own_use = true;
		fold(in, use, sizeof *use);
	}
	if (stream)
		use_name(shell, &scope->stream, stream);
	if (group)
		use_name(shell, &scope->group, group);
	return ST_OK;
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
	const struct scope *scope = &shell->interpreter->base_scope;
	return scope->use ? scope->use : scope->bound;
}
