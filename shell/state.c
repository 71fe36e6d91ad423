/* state.c -- memory by kind, loss and tokens a second */
#include "shell/state.h"
#include "strategies/kinds.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ---- memory by kind ------------------------------------------------------------------------------------------------------ */

enum { SETS_SHOWN = 16 };
struct held { int64_t bytes[KIND_COUNT]; };

/* What forward has written last is kept for backward; the rest is scratch, batches and what travels. */
static enum tensor_kind kind_of(const struct world *world, const struct parameter *list, int count, const struct tensor *tensor)
{
	enum tensor_kind kind = tensor_kind_of(list, count, names_text(world->names, tensor->name));
	if (kind != KIND_OTHER)
		return kind;
	char phase = tensor->last_writer ? world->records[world->ops[tensor->last_writer].record].colour : 0;
	return phase == 'F' || phase == 'R' ? KIND_ACTIVATIONS : KIND_BUFFERS;
}

static void count_all(const struct world *world, const struct parameter *list, int count, struct held *held)
{
	for (size_t i = 0; i < world->tensor_count; i++) {
		const struct tensor *tensor = &world->tensors[i];
		if (tensor->used && !tensor->view && tensor->space == SPACE_DEVICE)
			held[tensor->rank].bytes[kind_of(world, list, count, tensor)] += layout_bytes(&tensor->layout);
	}
}

static void put_held(const struct ranks *ranks, const struct held *held, struct text *out)
{
	text_add(out, "rank%s ", ranks_count(ranks) == 1 ? "" : "s");
	ranks_text(ranks, out);
	text_add(out, ":");
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		text_add(out, "%s%s ", kind ? ", " : " ", tensor_kind_name((enum tensor_kind)kind));
		bytes_text(held->bytes[kind], out);
	}
	text_add(out, "\n   model state (parameters, gradients, optimizer) %lld bytes\n",
		(long long)(held->bytes[KIND_PARAMETERS] + held->bytes[KIND_GRADIENTS] + held->bytes[KIND_OPTIMIZER]));
}

static void put_sets(const struct held *held, int n, struct text *out)
{
	struct ranks done = {0};
	int sets = 0;

	for (int rank = 0; rank < n; rank++) {
		struct ranks alike = {0};
		if (ranks_has(&done, rank))
			continue;
		if (++sets > SETS_SHOWN)
			continue;
		for (int other = rank; other < n; other++)
			if (memcmp(&held[rank], &held[other], sizeof *held) == 0) {
				ranks_add(&alike, other);
				ranks_add(&done, other);
			}
		put_held(&alike, &held[rank], out);
	}
	if (sets > SETS_SHOWN)
		text_add(out, "... and %d ranks more\n", sets - SETS_SHOWN);
}

enum status state_memory(struct shell *shell, struct text *out)
{
	const struct training *t = shell->training;
	struct parameter *list = NULL;
	int count = 0;

	if (!t || !t->now.program.count)
		return ST_OK;
	struct held *held = mem_alloc((size_t)shell->world->n * sizeof *held);
	enum status status = held ? model_parameters(&t->now.model, &list, &count) : ST_MEMORY;
	if (status == ST_OK) {
		count_all(shell->world, list, count, held);
		put_sets(held, shell->world->n, out);
	}
	mem_free(list);
	mem_free(held);
	return status;
}

/* ---- speed ----------------------------------------------------------------------------------------------------------------- */

/* When all that is queued ends, as `timeline` draws it; -1: it waits for lines to come */
static int64_t last_end(const struct shell *shell)
{
	const struct world *world = shell->world;
	int64_t end = 0;

	for (size_t i = 0; i < world->stream_count; i++) {
		struct times t;
		if (!world->streams[i].tail)
			continue;
		shell->backend->times(shell->backend, world->streams[i].tail, &t);
		if (t.end == TIME_UNKNOWN)
			return -1;
		end = t.end > end ? t.end : end;
	}
	return end;
}

/* When the first line under a `phase` begins: the setup has none */
static int64_t first_phase(const struct shell *shell)
{
	const struct world *world = shell->world;
	int64_t first = -1;

	for (int rank = 0; rank < world->n; rank++) {
		op_id id = world->first[rank];
		struct times t;
		while (id && !world->records[world->ops[id].record].phase)
			id = world->ops[id].next_program;
		if (!id)
			continue;
		shell->backend->times(shell->backend, id, &t);
		if (t.start != TIME_UNKNOWN && (first < 0 || t.start < first))
			first = t.start;
	}
	return first;
}

void state_rate(const struct shell *shell, struct text *out)
{
	const struct plan *plan = &shell->training->now;
	bool gpt = plan->model.kind == MODEL_GPT;
	double units = (double)shell->training->iteration * (double)plan->model.batch * (gpt ? (double)plan->model.seq : 1);
	int64_t from = first_phase(shell), to = last_end(shell);
	bool timed = plan->call.strategy && option_number(&plan->call, "F") > 0;       /* stages of given times: no model, no rows */

	if (plan->call.strategy && !timed && units > 0 && from >= 0 && to > from)
		text_add(out, "   %.0f %s a second", units / ((double)(to - from) / 1e9), gpt ? "tokens" : "rows");
}

enum status state_progress(struct shell *shell, struct text *out)
{
	const struct training *t = shell->training;
	double loss;

	if (!t || !t->now.program.loops || t->iteration == 0 || t->at != t->now.program.setup)
		return ST_OK;
	enum status status = program_loss(shell, &loss);
	if (status == ST_MEMORY || status == ST_INTERRUPTED)
		return status;
	if (status != ST_OK)
		loss = NAN;             /* a rank is stuck or has crashed: the figures are worth seeing all the same */
	text_add(out, "   iterations %d", t->iteration);
	if (!isnan(loss))
		text_add(out, "   loss %.6g", loss);
	state_rate(shell, out);
	text_add(out, "\n");
	return ST_OK;
}
