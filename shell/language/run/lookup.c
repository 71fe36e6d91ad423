/* lookup.c -- names among the arguments of a function: what each is on the rank at hand */
#include "shell/language/run/functions.h"
#include "shell/language/run/run.h"
#include "schedules/kinds.h"

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

/* The stream, event or group that has the name on the rank; ST_NAME: another thing has it, or none */
static enum status thing_named(struct asked *asked, int i, name_id name, enum thing_kind kind)
{
	const struct world *world = asked->eval->shell->world;
	struct thing thing = world_find(world, asked->eval->rank, name);
	if (thing.kind != kind)
		return no_such(asked->eval, name, kind, kind);
	asked->index[i] = kind == THING_STREAM ? world->streams[thing.index].number : thing.index;
	return ST_OK;
}

/* A word of the idle causes that `timeline` shows */
static enum status cause_named(const char *text, int *cause)
{
	static const char *const names[] = {
#define X(symbol, letter, name) name,
		CAUSES(X)
#undef X
	};
	for (*cause = 0; *cause < CAUSE_COUNT; ++*cause)
		if (strcmp(names[*cause], text) == 0)
			return ST_OK;
	return fail(
	        ST_NAME, "stall(%s): causes are launch host sync memory event data peer bubble engine", text);
}

/* A word of `kind=` */
static enum status kind_named(const char *text, int *kind)
{
	*kind = tensor_kind_find(text);
	return *kind >= 0 ? ST_OK : fail(ST_NAME, "peak(%s): kinds are %s", text, TENSOR_KIND_WORDS);
}

/* A group's name becomes asked->group. */
static bool is_group(struct asked *asked, name_id id)
{
	struct thing thing = world_find(asked->eval->shell->world, asked->eval->rank, id);
	if (thing.kind == THING_GROUP)
		asked->group = thing.index;
	return thing.kind == THING_GROUP;
}

/* overlapped(W) is of a kind of work, or of a section, which may have that name */
static enum status work_or_section(struct asked *asked, struct name *name, name_id id)
{
	static const char *const words[] = {
#define X(symbol, word) word,
		HIDEABLES(X)
#undef X
	};
	const char *text = names_text(asked->eval->shell->world->names, id);
	if (asked->formula->arguments == 1 && evaluate_section(asked->eval, name, &asked->section) == ST_OK)
		return ST_OK;
	for (int work = 0; work < HIDE_COUNT; work++)
		if (strcmp(words[work], text) == 0) {
			asked->work = (enum hideable)work;
			return ST_OK;
		}
	return fail(ST_NAME,
	        "overlapped(%s): no section of that name, nor communication, collectives, transfers, copies",
	        text);
}

/* sent(NAME) is of a group, a stream or a tensor, where one has that name; else of a link */
static void sent_by(struct asked *asked, name_id id)
{
	const struct world *world = asked->eval->shell->world;
	struct thing thing = world_find(world, asked->eval->rank, id);
	if (is_group(asked, id))
		return;
	if (thing.kind == THING_STREAM)
		asked->index[0] = world->streams[thing.index].number;
	if (thing.kind == THING_TENSOR)
		asked->tensor = id;
}

/* exposed(S) is of a stream, of a group, of a kind of work or of a section; a name that it shares with a section is theirs */
static enum status stream_or_section(struct asked *asked, struct name *name, name_id id)
{
	struct eval *eval = asked->eval;
	if (is_group(asked, id))
		return ST_OK;
	if (world_find(eval->shell->world, eval->rank, id).kind == THING_STREAM)
		return thing_named(asked, 0, id, THING_STREAM);
	return work_or_section(asked, name, id) == ST_OK
	        ? ST_OK
	        : fail(ST_NAME,
	                  "exposed(%s): no stream, group%s of that name, nor communication, collectives, "
	                  "transfers, copies",
	                  names_text(eval->shell->world->names, id),
	                  asked->formula->arguments == 1 ? " or section" : "");
}

/* count(OP,X) is of a stream, of a tensor or of a section; a name that they share with a section is theirs */
static enum status stream_tensor_or_section(struct asked *asked, struct name *name, name_id id)
{
	const struct world *world = asked->eval->shell->world;
	sent_by(asked, id);
	if (asked->index[0] > 0 || asked->tensor)
		return ST_OK;
	bool last = asked->formula->arguments == 2;
	return last && evaluate_section(asked->eval, name, &asked->section) == ST_OK
	        ? ST_OK
	        : fail(ST_NAME, "count(%s,%s): no stream%s of that name on rank %d", asked->word,
	                  names_text(world->names, id), last ? ", tensor or section" : " or tensor",
	                  asked->eval->rank);
}

/* Where it goes is said by its letter in the row's kinds */
enum status look_up(struct asked *asked, int i)
{
	struct name *name = asked->formula->argument[i].name;
	char kind = asked->formula->function->kinds[i];
	name_id id;
	if (kind == 'k')
		return evaluate_section(asked->eval, name, &asked->section);
	enum status status = evaluate_name(asked->eval, name, &id);
	if (status != ST_OK)
		return status;
	const char *text = names_text(asked->eval->shell->world->names, id);
	switch (kind) {
	case 's':
		return thing_named(asked, i, id, THING_STREAM);
	case 'e':
		return thing_named(asked, i, id, THING_EVENT);
	case 'g':
		return thing_named(asked, i, id, THING_GROUP);
	case 'w':
		return work_or_section(asked, name, id);
	case 'x':
		return stream_or_section(asked, name, id);
	case 'y':
		return stream_tensor_or_section(asked, name, id);
	case 'c':
		return cause_named(text, &asked->index[i]);
	case 'm':
		return asked->formula->arguments == 1 && tensor_kind_find(text) < 0 &&
		                evaluate_section(asked->eval, name, &asked->section) == ST_OK
		        ? ST_OK
		        : kind_named(text, &asked->index[i]);
	default:
		asked->word = text;
		if (kind == 'l')
			sent_by(asked, id);
		return ST_OK;
	}
}
