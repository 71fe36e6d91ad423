/* labels.c -- the label of an operation, and the operation for a label: "y", "allreduce#3", "F3"
 *
 * Labels depend on the rank's own lines only. */
#include "base/text.h"
#include "world/books.h"

/* Returns the operation's number, from 1, among those of its title and rank. */
static int op_number(const struct world *world, op_id id)
{
	struct numbered *last = &world->inner->numbered;
	const struct op *op = &world->ops[id], *from = &world->ops[last->id];
	name_id title = op_record(world, id)->title;
	bool counted = last->id && from->rank == op->rank && from->number <= op->number &&
	        op_record(world, last->id)->title == title;
	op_id at = counted ? last->id : world->first[op->rank];
	int count = counted ? last->count : 1;

	for (; at != id; at = world->ops[at].next_program)
		count += op_record(world, at)->title == title;
	*last = (struct numbered){id, count};
	return count;
}

void op_text(const struct world *world, op_id id, struct text *out)
{
	text_add(out, "%s#%d", names_text(world->names, op_record(world, id)->title), op_number(world, id));
}

void op_label(const struct world *world, op_id id, struct text *out)
{
	const struct record *record = op_record(world, id);
	name_id title = record_called(record);

	text_add(out, "%s", title ? names_text(world->names, title) : op_kind_name(record->kind));
	if (record->object && record->kind != OP_SYNC)
		text_add(out, " %s", names_text(world->names, record->object));
}

const char *op_called(const struct world *world, op_id id, bool writes)
{
	const struct record *record = op_record(world, id);
	name_id title = record_called(record);
	const char *called = title ? names_text(world->names, title) : op_kind_name(record->kind);
	bool message = record->kind == OP_P2P && (strcmp(called, "send") == 0 || strcmp(called, "recv") == 0);

	return !message ? called : writes ? "recv" : "send";
}

void source_line_text(const struct world *world, name_id file, int line, struct text *out)
{
	if (line && file)
		text_add(out, "%s:%d", names_text(world->names, file), line);
	else if (line)
		text_add(out, "line %d", line);
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

/* Returns the nearest title or phase on the rank, the first if several are as near; 0: none. Sets
 * *titled to the number of operations with that title. */
static name_id nearest_operation(const struct world *world, int rank, const char *word, int *titled)
{
	int least = text_too_far(word);
	name_id nearest = 0;
	bool *seen = mem_alloc((size_t)(names_count(world->names) + 1) * sizeof *seen);
	seen[0] = true;
	for (op_id at = world->first[rank]; at; at = world->ops[at].next_program) {
		const struct record *record = op_record(world, at);
		const name_id names[] = {record->title, record->phase};
		for (int i = 0; i < 2; i++) {
			if (!seen[names[i]] && text_nearer(word, names_text(world->names, names[i]), &least))
				nearest = names[i];
			seen[names[i]] = true;
		}
	}
	*titled = 0;
	for (op_id at = world->first[rank]; at; at = world->ops[at].next_program)
		*titled += nearest && op_record(world, at)->title == nearest;
	mem_free(seen);
	return nearest;
}

static enum status no_operation(const struct world *world, int rank, const char *text)
{
	const char *hash = strrchr(text, '#'), *tensor = world_nearest(world, rank, text, THING_TENSOR);
	char word[64];
	int titled, length = hash ? (int)(hash - text) : (int)strlen(text);
	snprintf(word, sizeof word, "%.*s", length, text);
	name_id near = nearest_operation(world, rank, word, &titled);
	const char *name = names_text(world->names, near);
	if (near && hash && strcmp(name, word) == 0)
		return fail(
		        ST_NAME, "no operation '%s' on rank %d: the last is %s#%d", text, rank, name, titled);
	if (!tensor && titled && !hash && strcmp(name, text) == 0)
		return fail(ST_NAME, "no operation '%s' on rank %d; did you mean '%s#%d'?", text, rank, name,
		        titled);
	if (tensor || near)
		return fail(ST_NAME, "no operation '%s' on rank %d; did you mean '%s%s'?", text, rank,
		        tensor ? tensor : name, !tensor && hash ? hash : "");
	return fail(ST_NAME,
	        "no operation '%s' on rank %d: write a tensor (its last write), allreduce#3 (the third "
	        "here), or a phase",
	        text, rank);
}

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
	return no_operation(world, rank, text);
}
