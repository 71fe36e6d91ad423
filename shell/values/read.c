/* read.c -- reads tensors' data for expressions (`sum(x)`, `x[0]`, close(a, b)); all processes get
 * the same values, so an `if` decides alike on all
 *
 *     shell_read(set, reads, reason)
 *       fits                   checks shapes and types; every process refuses alike
 *       can_be_known           else the line is refused before anything is queued
 *       program_read           the program's own read (reason): a copy and a wait, like .item()
 *       or await_writers       a read from outside (reason NULL), for expect and peek: no time
 *       shell_reach            runs the simulation until those operations have completed
 *       values_of              on the process that has the data
 *       share                  sends every rank's values to every process */

#include "shell/values/read.h"
#include "base/bits.h"
#include "base/memory.h"
#include "shell/session/queue.h"
#include "shell/values/step.h"

#include <math.h>
#include <string.h>

struct operand view_operand(const struct view *view, int access)
{
	return (struct operand){.address = view->address,
	        .space = (uint8_t)view->space,
	        .access = (uint8_t)access,
	        .transposed = view->transposed,
	        .tensor = view->tensor,
	        .name = view->name,
	        .layout = view->layout};
}

enum status shell_bring(struct shell *shell, int rank, int stream, const struct view *view,
        struct record copy, struct host_reads *reads, op_id *id)
{
	struct operand operand = view_operand(view, ACCESS_READ);
	if (space_is_host(view->space)) {
		if (reads)
			reads->operand[reads->count++] = operand;
		return ST_OK;
	}
	copy.operand = &operand;
	copy.operands = 1;
	copy.noted = reads && reads->noted;
	copy.bytes = layout_bytes(&view->layout);
	copy.dtype = view->layout.dtype;
	copy.object = view->name;
	return shell_queue(shell, rank, stream, &copy, 0, 0, 0, id);
}

/* The copies that bring the views; 0 for host tensors, and for reads from outside */
struct bringers {
	op_id by[READ_VIEWS];
};

/* Queues a rank's copies, then a host wait (*sync), which reads host tensors. */
static enum status program_read(struct shell *shell, int rank, const struct data_read *read,
        const char *reason, struct bringers *by, op_id *sync)
{
	struct record record = queue_record(shell, OP_COPY, "copy");
	struct host_reads reads = {0};
	enum status status = ST_OK;
	op_id last = 0;
	for (int i = 0; i < read->views && status == ST_OK; i++) {
		status = shell_bring(shell, rank, read->stream, &read->view[i], record, &reads, &by->by[i]);
		last = by->by[i] ? by->by[i] : last;
	}
	if (!last && read->after != STREAM_HOST)
		last = world_tail(shell->world, rank, read->after);
	record = queue_record(shell, OP_SYNC, "sync");
	record.reason = names_make(shell->world->names, reason, strlen(reason));
	record.object = read->view[0].name;
	record.operand = reads.operand;
	record.operands = (uint8_t)reads.count;
	if (status == ST_OK)
		status = shell_queue(shell, rank, STREAM_HOST, &record, 0, last, 0, sync);
	return status;
}

/* Returns true if the record writes what is read. It compares whole byte spans, so interleaved
 * strided tensors count as overlapping. */
static bool writes(const struct record *record, const struct data_read *read)
{
	for (int i = 0; i < record->operands * read->views; i++) {
		const struct operand *operand = &record->operand[i / read->views];
		const struct operand of = view_operand(&read->view[i % read->views], ACCESS_READ);
		if (operand->access & ACCESS_WRITE && spans_overlap(operand, &of))
			return true;
	}
	return false;
}

struct awaited {
	op_id *id;
	size_t count;
};

/* Returns true if an operation queued now on the stream would complete; else sets *id to one that
 * blocks it. */
static bool would_end(const struct shell *shell, int rank, int stream, op_id *id)
{
	const struct stream *on = world_stream(shell->world, rank, stream), *other;
	for (int s = STREAM_HOST; (other = world_stream(shell->world, rank, s)) != NULL; s++) {
		bool legacy =
		        on->blocking && other->blocking && (s == STREAM_DEFAULT || stream == STREAM_DEFAULT);
		if (!other->tail || (s != STREAM_HOST && s != stream && (!legacy || stream == STREAM_HOST)))
			continue;
		*id = other->tail;
		if (backend_times(shell->backend, *id).end == TIME_UNKNOWN)
			return false;
	}
	return true;
}

static enum status can_be_known(struct shell *shell, const struct ranks *set, const struct data_read *reads)
{
	int i = 0;
	FOR_RANKS (rank, set) {
		const struct data_read *read = &reads[i++];
		bool device = false;
		for (int k = 0; k < read->views; k++)
			device |= !space_is_host(read->view[k].space);
		op_id id;
		if (would_end(shell, rank, device ? read->stream : read->after, &id))
			continue;
		enum status status = shell_reach(shell, &id, 1);
		if (status != ST_OK)
			return status == ST_WAITS || status == ST_STUCK
			        ? fail_in(status, "%s is not known yet",
			                  names_text(shell->world->names, read->view[0].name))
			        : status;
	}
	return ST_OK;
}

/* Collects each rank's last writer on each stream since its host last waited for all work, and
 * that wait. */
static void await_writers(const struct shell *shell, const struct ranks *set, const struct data_read *reads,
        struct awaited *awaited)
{
	const struct world *world = shell->world;
	struct wanted {
		const struct data_read *read; /* NULL: not in the set, or done */
		bool seen[STREAMS_MAX + 1];
	} *wanted = mem_alloc((size_t)world->n * sizeof *wanted);
	int left = ranks_count(set);
	FOR_RANKS (rank, set)
		wanted[rank].read = reads++;
	for (op_id id = (op_id)world->op_count; id > 0 && left > 0; id--) {
		const struct op *op = &world->ops[id];
		const struct record *record = &world->records[op->record];
		struct wanted *of = &wanted[op->rank];
		bool everything = record->kind == OP_SYNC && op->target == OP_EVERYTHING;
		if (!of->read || (!everything && (of->seen[op->stream] || !writes(record, of->read))))
			continue;
		*MEM_ADD(&awaited->id, &awaited->count) = id;
		of->seen[op->stream] = true;
		if (everything) {
			of->read = NULL;
			left--;
		}
	}
	mem_free(wanted);
}

static enum status gather(struct shell *shell, const struct ranks *set, const struct data_read *reads,
        const char *reason, struct awaited *awaited, struct bringers *mine)
{
	if (!reason) {
		await_writers(shell, set, reads, awaited);
		return ST_OK;
	}
	FOR_RANKS (rank, set) {
		struct bringers by = {0};
		enum status status = program_read(
		        shell, rank, reads++, reason, &by, MEM_ADD(&awaited->id, &awaited->count));
		if (status != ST_OK)
			return status;
		if (rank == shell->world->me)
			*mine = by;
	}
	return ST_OK;
}

enum status read_packed(const struct shell *shell, op_id by, const struct view *view, void *packed)
{
	return shell->backend->read(shell->backend, by, view->space, view->address, &view->layout, packed);
}

enum status read_floats(const struct shell *shell, op_id by, const struct view *view, float *values)
{
	void *packed = mem_alloc((size_t)layout_bytes(&view->layout));
	enum status status = read_packed(shell, by, view, packed);
	if (status == ST_OK)
		dtype_to_f32((enum dtype)view->layout.dtype, packed, values, layout_count(&view->layout));
	mem_free(packed);
	return status;
}

/* Sums in memory order, in doubles, so that equal elements give equal bits. */
static double sum(const float *values, int64_t count, bool squares)
{
	double total = 0;
	for (int64_t i = 0; i < count; i++)
		total += squares ? (double)values[i] * values[i] : values[i];
	return total;
}

/* Returns the largest difference relative to the largest finite value; infinity for a NaN.
 * Compares sizes by their bits, which have the same order, without branches; a NaN is above
 * infinity. */
static double difference(const float *a, const float *b, int64_t count)
{
	const uint32_t infinite = bits_of_float(INFINITY);
	uint32_t largest = 0;
	uint64_t most = 0;
	for (int64_t i = 0; i < count; i++) {
		uint32_t x = bits_of_float(fabsf(a[i])), y = bits_of_float(fabsf(b[i])), size = x > y ? x : y;
		uint64_t away = bits_of_double(fabs((double)a[i] - b[i]));
		away = a[i] == b[i] ? 0 : away; /* also for infinities */
		most = away > most ? away : most;
		size = size < infinite ? size : 0;
		largest = size > largest ? size : largest;
	}
	return most == 0 ? 0
	        : most > bits_of_double(INFINITY) || largest == 0
	        ? INFINITY
	        : double_of_bits(most) / float_of_bits(largest);
}

/* Not by floats, which are exact only to 2^24 */
static enum status whole_numbers(const struct shell *shell, op_id by, const struct view *view, double *values)
{
	int64_t count = layout_count(&view->layout);
	int32_t *whole = mem_alloc((size_t)count * sizeof *whole);
	enum status status = read_packed(shell, by, view, whole);
	for (int64_t i = 0; i < count; i++)
		values[i] = whole[i];
	mem_free(whole);
	return status;
}

static enum dtype coarsest(const struct data_read *read)
{
	enum dtype dtype = DT_F32;
	for (int i = 0; i < read->views; i++) {
		enum dtype type = (enum dtype)read->view[i].layout.dtype;
		if (type == DT_BF16 || (type == DT_F16 && dtype == DT_F32))
			dtype = type;
	}
	return dtype;
}

static enum status values_of(
        const struct shell *shell, const struct data_read *read, const struct bringers *by, double *values)
{
	int64_t count = layout_count(&read->view[0].layout);
	bool element = read->kind == READ_ELEMENT && read->view[0].layout.dtype == DT_I32;
	float *of[READ_VIEWS] = {NULL};
	enum status status = ST_OK;
	if (read->kind == READ_LIST || element) {
		for (int i = 0; i < read->views && status == ST_OK; i++) {
			status = whole_numbers(shell, by->by[i], &read->view[i], values);
			values += count;
		}
		return status;
	}
	for (int i = 0; i < read->views && status == ST_OK; i++) {
		of[i] = mem_alloc((size_t)count * sizeof **of);
		status = read_floats(shell, by->by[i], &read->view[i], of[i]);
	}
	if (status == ST_OK)
		*values = read->kind == READ_SUM  ? sum(of[0], count, false)
		        : read->kind == READ_NORM ? sqrt(sum(of[0], count, true))
		        : read->kind == READ_STEP ? step_away(of[0], of[1], of[2], count, coarsest(read))
		        : read->kind == READ_DIFFERENCE ? difference(of[0], of[1], count)
		                                        : of[0][0];
	for (int i = 0; i < READ_VIEWS; i++)
		mem_free(of[i]);
	return status;
}

size_t reads_each(const struct ranks *set, const struct data_read *reads)
{
	size_t each = 1;
	for (int i = 0; i < ranks_count(set) && reads[i].kind == READ_LIST; i++) {
		int64_t count =
		        layout_count(&reads[i].view[0].layout) + layout_count(&reads[i].view[1].layout);
		each = (size_t)count > each ? (size_t)count : each;
	}
	return each;
}

struct shared {
	int64_t status;
	double value[]; /* [reads_each] */
};

static enum status share(
        struct shell *shell, const struct ranks *set, size_t each, const struct shared *mine, double *values)
{
	int processes = transport_size(shell->transport), i = 0;
	size_t bytes = sizeof *mine + each * sizeof *mine->value;
	char *all = mem_alloc((size_t)processes * bytes);
	enum status status = transport_share(shell->transport, mine, all, bytes);
	for (int rank = ranks_first(set); rank >= 0 && status == ST_OK; rank = ranks_next(set, rank)) {
		const struct shared *of =
		        rank < processes ? (const void *)(all + (size_t)rank * bytes) : NULL;
		if (!of)
			status = fail(ST_BUG, "no process has rank %d's data", rank);
		else if (of->status != ST_OK)
			status = rank == shell->world->me
			        ? (enum status)mine->status
			        : fail((enum status)of->status, "rank %d could not read its data", rank);
		else
			memcpy(values + (size_t)i++ * each, of->value, each * sizeof *values);
	}
	mem_free(all);
	return status;
}

static enum status fits(const struct shell *shell, const struct ranks *set, const struct data_read *reads)
{
	for (int i = 0; i < ranks_count(set); i++) {
		const struct view *view = reads[i].view;
		if (reads[i].kind == READ_ELEMENT && layout_count(&view->layout) != 1)
			return fail(ST_SHAPE, "%s has %lld elements; one is required",
			        names_text(shell->world->names, view->name),
			        (long long)layout_count(&view->layout));
		if (reads[i].kind == READ_LIST &&
		        (view[0].layout.dtype != DT_I32 || view[1].layout.dtype != DT_I32))
			return fail(ST_DTYPE, "%s and %s must be i32",
			        names_text(shell->world->names, view[0].name),
			        names_text(shell->world->names, view[1].name));
	}
	return ST_OK;
}

enum status shell_read(struct shell *shell, const struct ranks *set, const struct data_read *reads,
        const char *reason, double *values)
{
	struct awaited awaited = {0};
	struct bringers by = {0};
	enum status status = fits(shell, set, reads);
	if (status == ST_OK && reason)
		status = can_be_known(shell, set, reads);
	if (status == ST_OK)
		status = gather(shell, set, reads, reason, &awaited, &by);
	if (status == ST_OK && awaited.count)
		status = shell_reach(shell, awaited.id, (int)awaited.count);
	mem_free(awaited.id);
	if (status != ST_OK || shell->dry)
		return status;
	size_t each = reads_each(set, reads);
	struct shared *mine = mem_alloc(sizeof *mine + each * sizeof *mine->value);
	FOR_RANKS (rank, set) {
		if (rank == shell->world->me)
			mine->status = values_of(shell, reads, &by, mine->value);
		reads++;
	}
	status = share(shell, set, each, mine, values);
	mem_free(mine);
	return status;
}
