/* lookup.c -- looks up the names among a function's arguments on the current rank */
#include "shell/language/run/functions.h"
#include "shell/language/run/run.h"
#include "world/tensor_kind.h"

#include <string.h>

static enum status evaluate_section(struct eval *eval, struct name *name, int *section)
{
	const struct world *world = eval->shell->world;
	name_id id;
	enum status status = evaluate_name(eval, name, &id);
	if (status != ST_OK)
		return status;
	for (size_t i = world->section_count; i-- > 1;)
		if (world->sections[i].name == id) {
			*section = (int)i;
			return ST_OK;
		}
	return fail(ST_NAME, "no section '%s'. `mark %s` begins one", names_text(world->names, id),
	        names_text(world->names, id));
}

/* Stores a stream, event or group as argument i; false: the thing is of another kind. */
static bool asked_thing(struct asked *asked, int i, struct thing thing, enum thing_kind kind)
{
	if (thing.kind != kind)
		return false;
	asked->index[i] =
	        kind == THING_STREAM ? asked->eval->shell->world->streams[thing.index].number : thing.index;
	return true;
}

static bool asked_section(struct asked *asked, int i)
{
	const struct formula *formula = asked->formula;
	return i + 1 == formula->arguments &&
	        evaluate_section(asked->eval, formula->argument[i].name, &asked->section) == ST_OK;
}

static bool asked_word(const char *words, const char *text, int *place)
{
	*place = text_place(words, text, strlen(text));
	return *place >= 0;
}

/* overlapped(W): a section, or else a kind of work */
static bool asked_work(struct asked *asked, int i, const char *text)
{
#define X(symbol, word) word " "
	static const char words[] = HIDEABLES(X);
#undef X
	int work;
	if (asked_section(asked, i))
		return true;
	if (!asked_word(words, text, &work))
		return false;
	asked->work = (enum hideable)work;
	return true;
}

/* The letter in the row's kinds decides. A stream, group or tensor hides a section of the same
 * name. */
enum status argument_look_up(struct asked *asked, int i)
{
#define X(symbol, letter, name) name " "
	static const char causes[] = CAUSES(X);
#undef X
	const struct world *world = asked->eval->shell->world;
	struct name *name = asked->formula->argument[i].name;
	char kind = asked->formula->function->kinds[i];
	bool last = i + 1 == asked->formula->arguments;
	name_id id;
	if (kind == 'k')
		return evaluate_section(asked->eval, name, &asked->section);
	enum status status = evaluate_name(asked->eval, name, &id);
	if (status != ST_OK)
		return status;
	const char *text = names_text(world->names, id);
	struct thing thing = world_find(world, asked->eval->rank, id);
	if (strchr("lxy", kind)) {
		asked->group = thing.kind == THING_GROUP ? thing.index : asked->group;
		asked->tensor = thing.kind == THING_TENSOR ? id : asked->tensor;
		asked_thing(asked, 0, thing, THING_STREAM);
	}
	switch (kind) {
	case 's':
	case 'e':
	case 'g':
		kind = kind == 's' ? THING_STREAM : kind == 'e' ? THING_EVENT : THING_GROUP;
		return asked_thing(asked, i, thing, kind) ? ST_OK : no_such(asked->eval, id, kind, kind);
	case 'w':
		if (asked_work(asked, i, text))
			return ST_OK;
		return fail(ST_NAME,
		        "overlapped(%s): no section of that name, nor communication, collectives, transfers, "
		        "copies",
		        text);
	case 'x':
		if (thing.kind == THING_GROUP || thing.kind == THING_STREAM || asked_work(asked, i, text))
			return ST_OK;
		return fail(ST_NAME,
		        "exposed(%s): no stream, group%s of that name, nor communication, collectives, "
		        "transfers, copies",
		        text, last ? " or section" : "");
	case 'y':
		if (asked->index[0] > 0 || asked->tensor || asked_section(asked, i))
			return ST_OK;
		return fail(ST_NAME, "count(%s,%s): no stream%s of that name on rank %d", asked->word, text,
		        last ? ", tensor or section" : " or tensor", asked->eval->rank);
	case 'c':
		if (asked_word(causes, text, &asked->index[i]))
			return ST_OK;
		return fail(ST_NAME,
		        "stall(%s): causes are launch host sync memory event data peer bubble engine", text);
	case 'm':
		if (asked_word(TENSOR_KIND_WORDS, text, &asked->index[i]) || asked_section(asked, i))
			return ST_OK;
		return fail(ST_NAME, "peak(%s): kinds are %s", text, TENSOR_KIND_WORDS);
	default:
		asked->word = text;
		return ST_OK;
	}
}
