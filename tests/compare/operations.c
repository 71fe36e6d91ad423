/* operations.c -- runs a script on N ranks without data, and prints what every rank has queued, stream by
 * stream, in order: kind, title, operands' shapes and types, bytes, flops, group, phase, what a wait waits
 * for, start and end. No names of tensors, streams or events: two programs that do the same print the same.
 *
 *     build/compare/operations N SCRIPT [digest] > FILE
 *
 * digest: of each rank's stream how many operations, and a hash of their lines. tests/compare/run compares two
 * builds; tests/compare/digests.sh compares the digests of a few programs with kept ones. */
#include "kernels/kernel.h"
#include "collectives/collective.h"
#include "shell/commands/table.h"
#include "shell/session/credit.h"
#include "shell/submit/rows.h"
#include "shell/training/open.h"
#include "shell/language/run/interpreter.h"
#include "base/search.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_operand(FILE *out, const struct operand *o)
{
	fprintf(out, " %s%s%s",
	        o->access & ACCESS_ADD             ? "+"
	                : o->access & ACCESS_WRITE ? "="
	                                           : "",
	        dtype_name(o->layout.dtype), o->space == SPACE_DEVICE ? "" : space_name(o->space));
	for (int d = 0; d < o->layout.dims; d++)
		fprintf(out, "%c%" PRId64, d ? ',' : '[', o->layout.dim[d]);
	fprintf(out, "]");
	for (int d = 0; d < o->layout.dims; d++)
		fprintf(out, "%c%" PRId64, d ? ',' : '/', o->layout.stride[d]);
}

static void put_group(FILE *out, const struct world *world, const struct op *op, const struct record *record)
{
	if (record->group < 0)
		return;
	const struct group *group = &world->groups[record->group];
	int i = group->instance_of[op->rank];
	if (i < 0)
		return;
	fprintf(out, " in");
	for (int k = 0; k < group->instance[i].n; k++)
		fprintf(out, " %d", group->instance[i].ranks[k]);
}

/* "2.17": the 17th operation of stream 2 */
static void put_target(FILE *out, const struct world *world, const uint32_t *place, op_id id)
{
	if (id == OP_EVERYTHING)
		fprintf(out, " for everything");
	else if (id)
		fprintf(out, " for %d.%u", world->ops[id].stream, place[id]);
	else
		fprintf(out, " for nothing");
}

static void put_op(FILE *out, const struct shell *shell, const uint32_t *place, op_id id)
{
	const struct world *world = shell->world;
	const struct op *op = &world->ops[id];
	const struct record *r = op_record(world, id);
	struct times times;
	shell->backend->times(shell->backend, id, &times);
	fprintf(out, "%s %s", op_kind_name((enum op_kind)r->kind),
	        r->title ? names_text(world->names, r->title) : "");
	if (r->phase)
		fprintf(out, " %s", names_text(world->names, r->phase));
	if (op->flags & OPF_FREE_LAUNCH)
		fprintf(out, " free");
	for (int i = 0; i < r->operands; i++)
		put_operand(out, &r->operand[i]);
	for (int i = 0; i < r->parts; i++)
		fprintf(out, " %s %d", r->part[i].direction == P2P_SEND ? "to" : "from", r->part[i].peer);
	put_group(out, world, op, r);
	if (r->kind == OP_COLLECTIVE)
		fprintf(out, " root %d reduction %d algorithm %d", r->root, r->reduction, r->algorithm);
	if (r->kind == OP_KERNEL || r->kind == OP_FILL)
		for (int i = 0; i < PARAMETERS_MAX; i++)
			fprintf(out, " %.9g", r->parameter[i]);
	if (r->kind == OP_WAIT || r->kind == OP_SYNC)
		put_target(out, world, place, op->target);
	fprintf(out, " %" PRId64 "B %.9gF %s at %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", r->bytes,
	        r->flops, dtype_name(r->dtype), times.issue, times.ready, times.start, times.end);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The operations of a stream in order; but first, sorted, what a rank's tensors begin with: scenery, whose order
 * means nothing. */
static void put_stream(
        FILE *out, const struct shell *shell, const uint32_t *place, const struct stream *stream)
{
	const struct world *world = shell->world;
	char **line = calloc(stream->count + 1, sizeof *line), *rest;
	size_t fills = 0, bytes;
	FILE *others = open_memstream(&rest, &bytes);
	for (op_id id = 1; id <= world->op_count; id++) {
		const struct op *op = &world->ops[id];
		bool fill = op_record(world, id)->kind == OP_FILL;
		if (op->rank != stream->rank || op->stream != stream->number)
			continue;
		FILE *text = fill ? open_memstream(&line[fills++], &bytes) : others;
		put_op(text, shell, place, id);
		if (fill)
			fclose(text);
	}
	fclose(others);
	qsort(line, fills, sizeof *line, by_text);
	for (size_t i = 0; i < fills; i++) {
		fputs(line[i], out);
		free(line[i]);
	}
	fputs(rest, out);
	free(rest);
	free(line);
}

static void put_digest(const struct shell *shell, const uint32_t *place, const struct stream *stream)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	put_stream(out, shell, place, stream);
	fclose(out);
	printf(": %" PRIu32 " operations, %016" PRIx64 "\n", stream->count,
	        hash_bytes(HASH_BEGIN, text, bytes));
	free(text);
}

static void put_all(const struct shell *shell, bool digest)
{
	const struct world *world = shell->world;
	uint32_t *place = calloc(world->op_count + 1, sizeof *place),
	         *count = calloc((size_t)world->n * 256, sizeof *count);
	for (op_id id = 1; id <= world->op_count; id++)
		place[id] = ++count[world->ops[id].rank * 256 + world->ops[id].stream];
	for (int rank = 0; rank < world->n; rank++)
		for (int number = 0; number < STREAMS_MAX; number++) {
			const struct stream *stream = world_stream(world, rank, number);
			if (!stream || !stream->count)
				continue;
			printf("rank %d stream %d%s", rank, number, digest ? "" : "\n");
			if (digest)
				put_digest(shell, place, stream);
			else
				put_stream(stdout, shell, place, stream);
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
	struct transport *transport;
	struct shell shell = {0};
	struct credit credit = {0};
	struct text script = {0};
	if (argc < 3 || !read_script(argv[2], &script)) {
		fprintf(stderr, "usage: operations RANKS SCRIPT [digest]\n");
		return 2;
	}
	int n = atoi(argv[1]);
	bool digest = argc > 3 && strcmp(argv[3], "digest") == 0;
	if (transport_start(&transport, false, &argc, &argv) != ST_OK ||
	        shell_open(&shell, transport, n, true, "classroom") != ST_OK) {
		fprintf(stderr, "operations: %s\n", fail_text());
		return 2;
	}
	commands_start(command_table);
	credit_start(&credit, transport, &shell.budget);
	shell.credit = &credit;
	enum status status = interpreter_run(&shell, text_string(&script), script.count, NULL, 1);
	if (status != ST_OK)
		printf("refused: %s\n", fail_text());
	if (shell.backend->advance(shell.backend, &shell.budget) != ST_OK ||
	        shell.backend->project(shell.backend, &shell.budget) != ST_OK)
		printf("no times: %s\n", fail_text());
	put_all(&shell, digest);
	text_release(&script);
	shell_close(&shell);
	transport_stop(transport);
	return 0;
}
