/* operations.c -- runs a script on N ranks without data, and prints what every rank has queued, stream by
 * stream, in order: kind, title, operands' shapes and types, bytes, flops, group, phase, what a wait waits
 * for, start and end. No names of tensors, streams or events: two programs that do the same print the same.
 *
 *     build/compare/operations N SCRIPT > FILE
 *
 * tests/compare/run compares two builds, or a build with kept digests. */
#include "kernels/kernel.h"
#include "collectives/collective.h"
#include "shell/session/credit.h"
#include "shell/session/shell.h"
#include "shell/language/run/interpreter.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_operand(const struct operand *o)
{
	printf(" %s%s%s",
	        o->access & ACCESS_ADD             ? "+"
	                : o->access & ACCESS_WRITE ? "="
	                                           : "",
	        dtype_name(o->layout.dtype), o->space == SPACE_DEVICE ? "" : space_name(o->space));
	for (int d = 0; d < o->layout.dims; d++)
		printf("%c%" PRId64, d ? ',' : '[', o->layout.dim[d]);
	printf("]");
	for (int d = 0; d < o->layout.dims; d++)
		printf("%c%" PRId64, d ? ',' : '/', o->layout.stride[d]);
}

static void put_group(const struct world *world, const struct op *op, const struct record *record)
{
	if (record->group < 0)
		return;
	const struct group *group = &world->groups[record->group];
	int i = group->instance_of[op->rank];
	if (i < 0)
		return;
	printf(" in");
	for (int k = 0; k < group->instance[i].n; k++)
		printf(" %d", group->instance[i].ranks[k]);
}

/* "2.17": the 17th operation of stream 2 */
static void put_target(const struct world *world, const uint32_t *place, op_id id)
{
	if (id == OP_EVERYTHING)
		printf(" for everything");
	else if (id)
		printf(" for %d.%u", world->ops[id].stream, place[id]);
	else
		printf(" for nothing");
}

static void put_op(const struct shell *shell, const uint32_t *place, op_id id)
{
	const struct world *world = shell->world;
	const struct op *op = &world->ops[id];
	const struct record *r = op_record(world, id);
	struct times times;
	shell->backend->times(shell->backend, id, &times);
	printf("%s %s", op_kind_name((enum op_kind)r->kind),
	        r->title ? names_text(world->names, r->title) : "");
	if (r->phase)
		printf(" %s", names_text(world->names, r->phase));
	if (op->flags & OPF_FREE_LAUNCH)
		printf(" free");
	for (int i = 0; i < r->operands; i++)
		put_operand(&r->operand[i]);
	for (int i = 0; i < r->parts; i++)
		printf(" %s %d", r->part[i].direction == P2P_SEND ? "to" : "from", r->part[i].peer);
	put_group(world, op, r);
	if (r->kind == OP_COLLECTIVE)
		printf(" root %d reduction %d algorithm %d", r->root, r->reduction, r->algorithm);
	if (r->kind == OP_KERNEL || r->kind == OP_FILL)
		for (int i = 0; i < PARAMETERS_MAX; i++)
			printf(" %.9g", r->parameter[i]);
	if (r->kind == OP_WAIT || r->kind == OP_SYNC)
		put_target(world, place, op->target);
	printf(" %" PRId64 "B %.9gF %s at %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", r->bytes,
	        r->flops, dtype_name(r->dtype), times.issue, times.ready, times.start, times.end);
}

static void put_all(const struct shell *shell)
{
	const struct world *world = shell->world;
	uint32_t *place = calloc(world->op_count + 1, sizeof *place),
	         *count = calloc((size_t)world->n * 256, sizeof *count);
	for (op_id id = 1; id <= world->op_count; id++)
		place[id] = ++count[world->ops[id].rank * 256 + world->ops[id].stream];
	for (size_t s = 0; s < world->stream_count; s++) {
		const struct stream *stream = &world->streams[s];
		if (!stream->head)
			continue;
		printf("rank %d stream %d: %u\n", stream->rank, stream->number, stream->count);
		for (op_id id = stream->head; id; id = world->ops[id].next_stream)
			put_op(shell, place, id);
	}
	free(place);
	free(count);
}

static bool read_script(const char *path, struct text *script)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	char bytes[4096];
	if (!file)
		return false;
	for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
		text_put(script, bytes, n);
	if (file != stdin)
		fclose(file);
	return true;
}

int main(int argc, char **argv)
{
	struct plane *plane;
	struct shell shell = {0};
	struct credit credit = {0};
	struct text script = {0};
	if (argc < 3 || !read_script(argv[2], &script)) {
		fprintf(stderr, "usage: operations RANKS SCRIPT\n");
		return 2;
	}
	int n = atoi(argv[1]);
	if (plane_start(&plane, false, &argc, &argv) != ST_OK ||
	        shell_open(&shell, plane, n, true, "classroom") != ST_OK) {
		fprintf(stderr, "operations: %s\n", fail_text());
		return 2;
	}
	credit_start(&credit, plane, &shell.budget);
	shell.credit = &credit;
	enum status status = interpreter_run(&shell, text_string(&script), script.count, NULL, 1);
	if (status != ST_OK)
		printf("refused: %s\n", fail_text());
	put_all(&shell);
	text_release(&script);
	shell_close(&shell);
	plane_stop(plane);
	return 0;
}
