/* state.c -- memory by kind, loss and tokens per second */
#include "shell/training/training.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "world/tensor_kind.h"
#include "base/memory.h"
#include "shell/language/run/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SETS_SHOWN = 16 };
struct held {
	int64_t bytes[KIND_COUNT];
};

_Static_assert((int)KIND_COUNT <= (int)MEMORY_KINDS, "the books count fewer kinds than there are");

static int64_t held_sum(const struct held *held, int kinds)
{
	int64_t bytes = 0;
	for (int kind = 0; kind < kinds; kind++)
		bytes += held->bytes[kind];
	return bytes;
}

static void held_put_kinds(const struct ranks *ranks, const struct held *held, bool peak, struct text *out)
{
	if (peak)
		text_add(out, "   peak of %s on ", bytes_words(held_sum(held, KIND_COUNT)).text);
	text_add(out, "rank%s ", ranks_count(ranks) == 1 ? "" : "s");
	ranks_text(ranks, out);
	text_add(out, ":");
	for (int kind = 0; kind < KIND_COUNT; kind++)
		text_add(out, "%s%s %s", kind ? ", " : " ", tensor_kind_name((enum tensor_kind)kind),
		        bytes_words(held->bytes[kind]).text);
	if (!peak)
		text_add(out, "\n   model state (parameters, gradients, optimizer) %lld bytes",
		        (long long)held_sum(held, KIND_OPTIMIZER + 1));
	text_add(out, "\n");
}

/* Ranks with equal memory share an entry; entries beyond SETS_SHOWN are only counted. */
static void held_put_sets(const struct held *held, const struct ranks *set, bool peak, struct text *out)
{
	struct ranks done = {0};
	int sets = 0;

	FOR_RANKS (rank, set) {
		struct ranks alike = {0};
		if (ranks_has(&done, rank))
			continue;
		if (++sets > SETS_SHOWN)
			continue;
		FOR_RANKS (other, set)
			if (memcmp(&held[rank], &held[other], sizeof *held) == 0) {
				ranks_add(&alike, other);
				ranks_add(&done, other);
			}
		held_put_kinds(&alike, &held[rank], peak, out);
	}
	if (sets > SETS_SHOWN)
		text_add(out, "... and %d ranks more\n", sets - SETS_SHOWN);
}

void state_memory(const struct shell *shell, const struct ranks *set, bool peak, struct text *out)
{
	const struct world *world = shell->world;
	if (!shell->training->now.program)
		return;
	struct held *held = mem_alloc((size_t)world->n * sizeof *held);
	for (int rank = 0; rank < world->n && peak; rank++)
		memcpy(held[rank].bytes, world_heap(world, rank, SPACE_DEVICE)->peak_kind,
		        sizeof held[rank].bytes);
	for (size_t i = 0; i < world->tensor_count && !peak; i++) {
		const struct tensor *tensor = &world->tensors[i];
		if (tensor->used && !tensor->view && tensor->space == SPACE_DEVICE)
			held[tensor->rank].bytes[world_memory_kind(world, (int)i)] +=
			        layout_bytes(&tensor->layout);
	}
	held_put_sets(held, set, peak, out);
	mem_free(held);
}

/* Returns the end of all work on devices, without data loaders; -1 if it depends on later
 * lines. */
static int64_t queue_end(const struct shell *shell)
{
	const struct world *world = shell->world;
	int64_t end = 0;

	for (size_t i = 0; i < world->stream_count; i++) {
		if (!world->streams[i].tail || world->streams[i].host)
			continue;
		struct times t = backend_times(shell->backend, world->streams[i].tail);
		if (t.end == TIME_UNKNOWN)
			return -1;
		end = t.end > end ? t.end : end;
	}
	return end;
}

static int64_t first_phase(const struct shell *shell)
{
	const struct world *world = shell->world;
	int64_t first = -1;

	for (int rank = 0; rank < world->n; rank++) {
		op_id id = world->first[rank];
		while (id && !world->records[world->ops[id].record].phase)
			id = world->ops[id].next_program;
		if (!id)
			continue;
		struct times t = backend_times(shell->backend, id);
		if (t.start != TIME_UNKNOWN && (first < 0 || t.start < first))
			first = t.start;
	}
	return first;
}

/* Returns a variable of the program on rank 0; 0 if there is none, or it is a word. */
static double program_number(const struct training *t, const char *name)
{
	struct text text = {0};
	if (t->player)
		player_variable(t->player, name, &text);
	double value = text.count ? strtod(text_string(&text), NULL) : 0;
	text_release(&text);
	return value;
}

/* Appends "   5400 tokens/s" (of an mlp: samples), from the first phase to the end of all work.
 * Nothing without a strategy's variables, or if the end is unknown. */
static void state_put_rate(struct shell *shell, struct text *out)
{
	const struct training *t = shell->training;
	double seq = program_number(t, "seq"),
	       units = (t->iteration - t->now.program->first) * program_number(t, "batch") *
	        (seq > 1 ? seq : 1);
	bool timed = program_number(t, "F") > 0; /* stages with given times have no rows */
	int64_t from = first_phase(shell), to = queue_end(shell);
	if (timed || units <= 0 || from < 0 || to <= from)
		return;
	double rate = units / ((double)(to - from) / 1e9);
	text_add(out, "   %.0f %s/s", rate, seq > 1 ? "tokens" : "samples");
	shell_number(shell, SHELL_ALL, seq > 1 ? "tokens/s" : "samples/s", rate);
}

enum status state_read(struct shell *shell, enum read_kind kind, const char *const *tensor, struct ranks *set,
        double *values)
{
	int n = shell->world->n, count = 0;
	struct data_read *reads = mem_alloc((size_t)n * sizeof *reads);
	enum status status = ST_OK;
	for (int rank = 0; rank < n && status == ST_OK; rank++) {
		if (!tensor[rank])
			continue;
		reads[count] = (struct data_read){.kind = kind, .stream = STREAM_DEFAULT, .views = 1};
		status = interpreter_view(shell, rank, tensor[rank], reads[count++].view);
		ranks_add(set, rank);
	}
	if (status == ST_OK && count)
		status = shell_read(shell, set, reads, NULL, values);
	mem_free(reads);
	return status;
}

static const struct tensor *state_tensor(const struct world *world, int rank, const char *name)
{
	struct thing thing = world_find(world, rank, names_find(world->names, name, strlen(name)));
	return thing.kind == THING_TENSOR ? &world->tensors[thing.index] : NULL;
}

enum status program_loss(struct shell *shell, double *loss)
{
	struct world *world = shell->world;
	struct ranks set = {0};
	*loss = NAN;
	const char **tensor = mem_alloc((size_t)world->n * sizeof *tensor);
	double *values = mem_alloc((size_t)world->n * sizeof *values), sum = 0;
	for (int rank = 0; rank < world->n; rank++)
		if (state_tensor(world, rank, "loss"))
			tensor[rank] = "loss";
	enum status status = state_read(shell, READ_ELEMENT, tensor, &set, values);
	int count = ranks_count(&set);
	for (int i = 0; i < count && status == ST_OK; i++)
		sum += values[i];
	if (status == ST_OK && count && !shell->dry)
		*loss = sum / count;
	mem_free(tensor);
	mem_free(values);
	return status;
}

/* end: of all work; -1: omitted */
static void state_put_loss(struct shell *shell, double loss, int64_t end, struct text *out)
{
	shell_number(shell, SHELL_ALL, "iteration", shell->training->iteration);
	if (!isnan(loss)) {
		text_add(out, "   loss %.6g", loss);
		shell_number(shell, SHELL_ALL, "loss", loss);
	}
	if (end >= 0) {
		text_add(out, "   finished at %.2f ms", (double)end / 1e6);
		shell_number(shell, SHELL_ALL, "finished", (double)end);
	}
	state_put_rate(shell, out);
	text_add(out, "\n");
}

/* Only a dynamic scale has a `scaler` (strategies/parts/parameters.rsh). With --dry nothing
 * overflows. */
static void state_put_scale(const struct shell *shell, struct text *out)
{
	const struct training *t = shell->training;
	const struct tensor *scaler = state_tensor(shell->world, 0, "scaler");
	if (shell->dry || !scaler || !(program_number(t, "dynamic") > 0))
		return;
	text_add(out, "   loss scale %.6g: ", program_number(t, "factor"));
	int left_out = t->iteration - (int)program_number(t, "steps");
	if (left_out)
		text_add(out, "%d of %d step%s skipped, because gradients overflowed\n", left_out,
		        t->iteration, t->iteration == 1 ? "" : "s");
	else
		text_add(out, "no step skipped\n");
}

/* Returns false if a rank's value is only projected: a look does not wait. */
static bool state_is_final(const struct shell *shell, const char *name)
{
	const struct world *world = shell->world;
	for (int rank = 0; rank < world->n; rank++) {
		const struct tensor *tensor = state_tensor(world, rank, name);
		if (tensor && tensor->last_writer &&
		        backend_times(shell->backend, tensor->last_writer).projected)
			return false;
	}
	return true;
}

enum { EXPERTS_LISTED = 16 };

/* Of many experts, shows the least and the most. */
static void experts_put(const double *routed, const double *dropped, size_t experts, struct text *out)
{
	double all = 0, lost = 0, least = INFINITY, most = 0;
	for (size_t e = 0; e < experts; e++) {
		all += routed[e];
		lost += dropped[e];
		least = fmin(least, routed[e]);
		most = fmax(most, routed[e]);
	}
	if (all <= 0)
		return;
	text_add(out, "   tokens by expert");
	for (size_t e = 0; e < experts && experts <= EXPERTS_LISTED; e++)
		text_add(out, " %.3g%%", 100 * routed[e] / all);
	if (experts > EXPERTS_LISTED)
		text_add(out, " from %.3g%% to %.3g%%", 100 * least / all, 100 * most / all);
	text_add(out, ", dropped %.3g%%\n", 100 * lost / all);
}

/* `routed` and `dropped` (strategies/parts/experts.rsh) count each rank's tokens by expert. */
static enum status state_put_experts(struct shell *shell, struct text *out)
{
	const struct world *world = shell->world;
	struct data_read *reads = mem_alloc((size_t)world->n * sizeof *reads);
	struct ranks set = {0};
	int count = 0;
	for (int rank = 0; rank < world->n; rank++) {
		struct data_read *read = &reads[count];
		if (!state_tensor(world, rank, "routed") || !state_tensor(world, rank, "dropped"))
			continue;
		*read = (struct data_read){.kind = READ_LIST, .stream = STREAM_DEFAULT, .views = 2};
		if (interpreter_view(shell, rank, "routed", &read->view[0]) == ST_OK &&
		        interpreter_view(shell, rank, "dropped", &read->view[1]) == ST_OK &&
		        layout_same_shape(&read->view[0].layout, &read->view[1].layout) &&
		        read->view[0].layout.dtype == DT_I32 && read->view[1].layout.dtype == DT_I32) {
			ranks_add(&set, rank);
			count++;
		}
	}
	size_t each = count ? reads_each(&set, reads) : 0;
	double *values = mem_alloc((size_t)count * each * sizeof *values),
	       *sum = mem_alloc(each * sizeof *sum);
	enum status status = count && !shell->dry ? shell_read(shell, &set, reads, NULL, values) : ST_OK;
	for (size_t i = 0; i < (size_t)count * each && status == ST_OK; i++)
		sum[i % each] += values[i];
	if (status == ST_OK)
		experts_put(sum, sum + each / 2, each / 2, out);
	mem_free(reads);
	mem_free(values);
	mem_free(sum);
	return status;
}

enum status state_progress(struct shell *shell, struct text *out)
{
	const struct training *t = shell->training;
	double loss;

	if (!t->now.program || !t->now.program->loops || t->iteration == 0 || t->at != 0)
		return ST_OK;
	enum status status = state_is_final(shell, "loss") ? program_loss(shell, &loss) : (loss = NAN, ST_OK);
	if (status == ST_MEMORY || status == ST_MPI || status == ST_INTERRUPTED)
		return status;
	if (status != ST_OK)
		loss = NAN; /* a stuck or crashed rank: the other figures are still shown */
	text_add(out, "   iterations %d", t->iteration);
	state_put_loss(shell, loss, -1, out);
	state_put_scale(shell, out);
	return status == ST_OK && state_is_final(shell, "routed") ? state_put_experts(shell, out) : ST_OK;
}

enum status state_iteration(struct shell *shell, bool last)
{
	struct text line = {0};
	double loss;
	enum status status = program_loss(shell, &loss);
	if (status == ST_OK)
		status = shell_foresee(shell);
	if (status != ST_OK)
		return status;
	text_add(&line, "   iteration %d", shell->training->iteration);
	state_put_loss(shell, loss, queue_end(shell), &line);
	if (last)
		state_put_scale(shell, &line);
	out_put(shell->out, line.bytes, line.count);
	text_release(&line);
	return ST_OK;
}
