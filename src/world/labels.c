/* labels.c -- what operations are called, and the way back: "y", "allreduce#3", "F3"
 *
 * Numbers of operations mean nothing to a person and differ with the order of typing. So an operation is
 * known by what it wrote, or by which of its kind it is on its rank; both follow from the rank's own
 * lines. */
#include "world/books.h"

void op_text(const struct world *world, op_id id, struct text *out)
{
	name_id title = op_record(world, id)->title;
	int count = 1;

	for (op_id at = world->first[world->ops[id].rank]; at != id; at = world->ops[at].next_program)
		count += op_record(world, at)->title == title;
	text_add(out, "%s#%d", names_text(world->names, title), count);
}

void op_label(const struct world *world, op_id id, struct text *out)
{
	const struct record *record = op_record(world, id);
	name_id title = record->kind == OP_SYNC && record->reason ? record->reason : record->title;

	text_add(out, "%s", title ? names_text(world->names, title) : op_kind_name(record->kind));
	if (record->object && record->kind != OP_SYNC)
		text_add(out, " %s", names_text(world->names, record->object));
}

long op_numbered(const struct world *world, const char *text, name_id *title)
{
	const char *hash = strrchr(text, '#');
	char *end;
	*title = 0;
	if (!hash || hash == text || hash[1] < '1' || hash[1] > '9')
		return 0;
	long n = strtol(hash + 1, &end, 10);
	if (!*end)
		*title = names_find(world->names, text, hash - text);
	return *title ? n : 0;
}

/* A tensor first (what wrote it last), then "allreduce#3" (the third of that title on the rank), then a phase
 * (its last operation): names of tensors are what people have in mind most. */
enum status op_find(const struct world *world, int rank, const char *text, op_id *id)
{
	name_id name = names_find(world->names, text, strlen(text)), title = 0;
	struct thing thing = world_find(world, rank, name);
	op_id numbered = 0, phase = 0;
	long n = op_numbered(world, text, &title);

	*id = 0;
	if (thing.kind == THING_TENSOR) {
		const struct tensor *tensor = &world->tensors[thing.index];
		*id = tensor->last_writer ? tensor->last_writer : world->tensors[tensor->base].last_writer;
		if (*id)
			return ST_OK;
		return fail(ST_NAME, "no operation has written '%s' on rank %d yet", text, tensor->rank);
	}
	for (op_id at = world->first[rank]; at && !numbered; at = world->ops[at].next_program) {
		const struct record *record = op_record(world, at);
		if (title && record->title == title && --n == 0)
			numbered = at;
		if (name && record->phase == name)
			phase = at;
	}
	*id = numbered ? numbered : phase;
	if (*id)
		return ST_OK;
	const char *nearest = world_nearest(world, rank, text, THING_TENSOR);
	if (nearest)
		return fail(ST_NAME, "no operation '%s' on rank %d; did you mean '%s'?", text, rank, nearest);
	return fail(ST_NAME,
	        "no operation '%s' on rank %d: write a tensor (what wrote it last), allreduce#3 (the third "
	        "there), or a phase",
	        text, rank);
}
