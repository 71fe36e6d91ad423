/* labels.c -- what operations are called, and the way back: "y", "allreduce#3", "F3" */
#include "world/books.h"

/* Which of its title it is on its rank, from 1. */
static int place_among_title(const struct world *world, op_id id)
{
	name_id title = op_record(world, id)->title;
	int count = 0;

	for (op_id at = world->first[world->ops[id].rank]; at; at = world->ops[at].next_program) {
		count += op_record(world, at)->title == title;
		if (at == id)
			break;
	}
	return count;
}

void op_text(const struct world *world, op_id id, struct text *out)
{
	text_add(out, "%s#%d", names_text(world->names, op_record(world, id)->title),
	        place_among_title(world, id));
}

void op_label(const struct world *world, op_id id, struct text *out)
{
	const struct record *record = op_record(world, id);
	name_id title = record->kind == OP_SYNC && record->reason ? record->reason : record->title;

	text_add(out, "%s",
	        title ? names_text(world->names, title) : op_kind_name((enum op_kind)record->kind));
	if (record->object && record->kind != OP_SYNC)
		text_add(out, " %s", names_text(world->names, record->object));
}

/* The n-th of a title on a rank, from 1. */
static op_id find_numbered(const struct world *world, int rank, name_id title, long n)
{
	for (op_id at = world->first[rank]; at; at = world->ops[at].next_program) {
		if (op_record(world, at)->title == title && --n == 0)
			return at;
	}
	return 0;
}

static op_id find_phase(const struct world *world, int rank, name_id phase)
{
	op_id found = 0;

	for (op_id at = world->first[rank]; at; at = world->ops[at].next_program)
		found = op_record(world, at)->phase == phase ? at : found;
	return found;
}

/* "allreduce#3": length of the title, *n its number; 0 when it is not of that form. */
static size_t split_number(const char *text, long *n)
{
	const char *hash = strrchr(text, '#');
	char *end;

	if (!hash || hash == text || hash[1] < '1' || hash[1] > '9')
		return 0;
	*n = strtol(hash + 1, &end, 10);
	return *end ? 0 : (size_t)(hash - text);
}

static enum status not_found(const struct world *world, int rank, const char *text)
{
	const char *nearest = world_nearest(world, rank, text, THING_TENSOR);

	if (nearest)
		return fail(ST_NAME, "no operation '%s' on rank %d; did you mean '%s'?", text, rank, nearest);
	return fail(ST_NAME,
	        "no operation '%s' on rank %d: write a tensor (what wrote it last), allreduce#3 (the third "
	        "there), or a phase",
	        text, rank);
}

static enum status find_writer(
        const struct world *world, const struct tensor *tensor, const char *text, op_id *id)
{
	*id = tensor->last_writer ? tensor->last_writer : world->tensors[tensor->base].last_writer;
	if (*id)
		return ST_OK;
	return fail(ST_NAME, "no operation has written '%s' on rank %d yet", text, tensor->rank);
}

enum status op_find(const struct world *world, int rank, const char *text, op_id *id)
{
	long n = 0;
	size_t title_length = split_number(text, &n);
	name_id name = names_find(world->names, text, strlen(text));
	struct thing thing = world_find(world, rank, name);

	*id = 0;
	if (thing.kind == THING_TENSOR)
		return find_writer(world, &world->tensors[thing.index], text, id);
	if (title_length) {
		name_id title = names_find(world->names, text, title_length);
		*id = title ? find_numbered(world, rank, title, n) : 0;
	}
	if (!*id && name)
		*id = find_phase(world, rank, name);
	return *id ? ST_OK : not_found(world, rank, text);
}
