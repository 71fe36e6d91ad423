/* data.c -- a collective's data: host buffers over MPI
 *
 * MPI does not do the reductions, because its order of additions depends on version, sizes and
 * process count. Each place receives its own piece of every tensor and adds the pieces in ring
 * order; then the sums are exchanged. With n = 3, tensors a, b, c on places 0, 1, 2:
 *
 *      place 0   a0 a1 a2         a0 b0 c0    (a0 + b0) + c0         s0 s1 s2
 *      place 1   b0 b1 b2   ->    a1 b1 c1    (b1 + c1) + a1   ->    s0 s1 s2
 *      place 2   c0 c1 c2         a2 b2 c2    (c2 + a2) + b2         s0 s1 s2
 *             spread: all to all             each alone         collect: all to all
 *
 * These are the ring's traffic and sums (ring.c) in two exchanges instead of 2(n-1) steps. The
 * sequence of MPI calls depends only on kind, type and counts, which are equal on all members. */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "collectives/inside.h"
#include "mpi/transport.h"
#include "world/world.h"
#include <string.h>

/* Elements per piece in one exchange: 1 MB of f32 from each member */
enum { PART = 1 << 18 };

/* ---- arithmetic ---- */

/* sum := sum OP x, each step rounded to f32. A maximum or minimum of a number and a NaN is the
 * number, as in NCCL; a sum is NaN. */
static void combine_f32(enum reduction reduction, float *sum, const float *x, int64_t count)
{
	if (reduction == REDUCE_MAX)
		for (int64_t i = 0; i < count; i++)
			sum[i] = x[i] > sum[i] || sum[i] != sum[i] ? x[i] : sum[i];
	else if (reduction == REDUCE_MIN)
		for (int64_t i = 0; i < count; i++)
			sum[i] = x[i] < sum[i] || sum[i] != sum[i] ? x[i] : sum[i];
	else
		for (int64_t i = 0; i < count; i++)
			sum[i] += x[i];
}

static void combine_i32(enum reduction reduction, int32_t *sum, const int32_t *x, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		if (reduction == REDUCE_MAX)
			sum[i] = x[i] > sum[i] ? x[i] : sum[i];
		else if (reduction == REDUCE_MIN)
			sum[i] = x[i] < sum[i] ? x[i] : sum[i];
		else
			sum[i] = wrapped((int64_t)sum[i] + x[i]);
}

/* f16 and bf16: added in f32 and rounded back, the correctly rounded sum (Figueroa, When is double
 * rounding innocuous?, 1995) */
static void combine_halves(
        enum dtype dtype, enum reduction reduction, uint16_t *sum, const uint16_t *x, int64_t count)
{
	enum { BLOCK = 512 };
	float a[BLOCK], b[BLOCK];
	for (int64_t at = 0; at < count; at += BLOCK) {
		int64_t n = least_of(count - at, BLOCK);
		dtype_to_f32(dtype, sum + at, a, n);
		dtype_to_f32(dtype, x + at, b, n);
		combine_f32(reduction, a, b, n);
		dtype_from_f32(dtype, a, sum + at, n);
	}
}

static bool has_input(const struct collective_job *job, int place)
{
	return !job->counts || job->counts[place];
}

/* Returns how many places below `place` take part in the sum. */
static int counted(const struct collective_job *job, int place)
{
	if (!job->counts)
		return place;
	int count = 0;
	for (int p = 0; p < place; p++)
		count += job->counts[p];
	return count;
}

/* Returns the first element of a place's piece. Except for RESULT_SHARED, left-out places have
 * empty pieces. */
static int64_t piece_of(const struct collective_job *job, int place)
{
	return job->collective->result == RESULT_SHARED
	        ? part_at(job->in_count, job->chunk, place)
	        : piece_at(job->in_count, counted(job, job->n), counted(job, place));
}

/* Multiplies by 1/n in the type before the sum, as ncclAvg does, so that f16 sums stay in
 * range. */
static void divide(const struct collective_job *job, void *block, int64_t count, int n)
{
	char element[4];
	dtype_set(job->dtype, element, 0, 1.0f / (float)n);
	float factor = dtype_get(job->dtype, element, 0); /* 1/n, rounded to the type */
	float *x = block;
	for (int64_t i = 0; i < count && job->dtype == DT_F32; i++)
		x[i] *= factor;
	for (int64_t i = 0; i < count && job->dtype != DT_F32; i++)
		dtype_set(job->dtype, block, i, dtype_get(job->dtype, block, i) * factor);
}

/* Reduces the blocks of counted places, starting with block `first`. Returns the first of these,
 * which holds the result. */
static const void *reduce_blocks(const struct collective_job *job, char *blocks, int64_t count, int first)
{
	void *sum = NULL;
	int n = counted(job, job->n);

	for (int k = 0; k < job->n; k++) {
		void *x = blocks + (first + k) % job->n * count * job->size;
		if (!has_input(job, (first + k) % job->n))
			continue;
		if (job->reduction == REDUCE_AVG && job->dtype != DT_I32)
			divide(job, x, count, n);
		if (!sum)
			sum = x;
		else if (job->dtype == DT_F32)
			combine_f32(job->reduction, sum, x, count);
		else if (job->dtype == DT_I32)
			combine_i32(job->reduction, sum, x, count);
		else
			combine_halves(job->dtype, job->reduction, sum, x, count);
	}
	int32_t *whole = sum;
	for (int64_t i = 0; i < count && job->reduction == REDUCE_AVG && job->dtype == DT_I32; i++)
		whole[i] /= n;
	return sum;
}

/* ---- reductions ---- */

enum { ALL = -1 };
struct extent { /* bytes in the tensor */
	int64_t offset, bytes;
};

static struct extent part_of(const struct collective_job *job, int64_t count, int place)
{
	int64_t from = part_at(count, job->chunk, place), to = part_at(count, job->chunk, place + 1);
	return (struct extent){from * job->size, (to - from) * job->size};
}

/* The place `first` starts a piece's sum: in an allreduce the piece's owner; in a reduce the place
 * after the root, in a reducescatter after the owner, so that the sum ends there. */
enum status data_reduce(const struct collective_job *job)
{
	bool stays = job->collective->result == RESULT_SHARED;
	int to = job->collective->root_gets ? job->root : ALL, last = to == ALL ? job->place : to,
	    first = stays || to != ALL ? (last + 1) % job->n : job->place;
	int64_t own = piece_of(job, job->place + 1) - piece_of(job, job->place),
	        longest = stays ? job->chunk : parts_of(job->in_count, counted(job, job->n));
	/* not mem_alloc, which zeroes: every block that is read has been received */
	char *blocks = mem_resize(NULL, (size_t)(job->n * least_of(own, PART) * job->size));
	struct transport_piece *piece = mem_alloc((size_t)job->n * sizeof *piece);
	struct extent *sent = mem_alloc((size_t)job->n * sizeof *sent);
	enum status status = ST_OK;

	for (int64_t at = 0; at < longest; at += PART) {
		int64_t mine = most_of(0, least_of(own - at, PART)), mine_bytes = mine * job->size;
		for (int p = 0; p < job->n; p++) {
			int64_t from = piece_of(job, p), to_end = piece_of(job, p + 1);
			int64_t count = most_of(0, least_of(to_end - from - at, PART));
			sent[p] = (struct extent){(from + at) * job->size, count * job->size};
			piece[p] = (struct transport_piece){job->in + sent[p].offset,
			        has_input(job, job->place) ? sent[p].bytes : 0, blocks + p * mine_bytes,
			        has_input(job, p) ? mine_bytes : 0};
		}
		enum status spread = transport_exchange(job->comm, piece);
		const void *sum = reduce_blocks(job, blocks, mine, first);
		bool gets = to == ALL || to == job->place;
		for (int p = 0; p < job->n; p++) {
			/* p returns, reduced, the part that it was sent */
			piece[p] = (struct transport_piece){sum, to == ALL || to == p ? mine_bytes : 0,
			        gets ? job->out + sent[p].offset : NULL, gets ? sent[p].bytes : 0};
		}
		if (stays && mine > 0)
			memcpy(job->out + at * job->size, sum, (size_t)mine_bytes);
		enum status collect = stays ? ST_OK : transport_exchange(job->comm, piece);
		status = status != ST_OK ? status : spread != ST_OK ? spread : collect;
	}
	mem_free(sent);
	mem_free(piece);
	mem_free(blocks);
	return status;
}

/* ---- the others move bytes ---- */

enum status data_broadcast(const struct collective_job *job)
{
	int64_t bytes = job->out_count * job->size;
	if (job->place == job->root && job->in != job->out)
		memmove(job->out, job->in, (size_t)bytes);
	return transport_bcast(job->comm, job->root, job->out, bytes);
}

/* One exchange: this place sends to p its whole input or part p of it. It receives from p part p
 * of its result; in a scatter, from the root the whole result:
 *
 *      allgather    all to all, the whole input
 *      gather       all to root, the whole input
 *      scatter      root to all, one part each
 *      alltoall     all to all, one part each; with counts: rows to and from each, consecutive */
enum status data_move(const struct collective_job *job)
{
	const struct collective *collective = job->collective;
	bool parts = collective->result != RESULT_GROWN;
	int to = collective->root_gets ? job->root : ALL,
	    from = collective->has_root && !collective->root_gets ? job->root : ALL;
	struct transport_piece *piece = mem_alloc((size_t)job->n * sizeof *piece);
	struct extent in = {0}, out = {0};
	for (int p = 0; p < job->n; p++) {
		bool sends = (from == ALL || from == job->place) && (to == ALL || to == p);
		bool gets = (from == ALL || from == p) && (to == ALL || to == job->place);
		if (job->split) {
			in = (struct extent){
			        in.offset + in.bytes, rows_to(job->split, p) * job->split->row_bytes};
			out = (struct extent){
			        out.offset + out.bytes, rows_from(job->split, p) * job->split->row_bytes};
		} else {
			in = part_of(job, job->in_count, parts ? p : 0);
			out = part_of(job, job->out_count, from == ALL ? p : 0);
		}
		piece[p] = (struct transport_piece){sends ? job->in + in.offset : NULL, sends ? in.bytes : 0,
		        gets ? job->out + out.offset : NULL, gets ? out.bytes : 0};
	}
	enum status status = transport_exchange(job->comm, piece);
	mem_free(piece);
	return status;
}

const struct operand *collective_result(const struct record *record)
{
	const struct operand *written = record_target(record);
	bool gives = record->collective->in_place && !record->collective->root_gets;
	return written || !gives ? written : record_source(record);
}

/* Messages must not write memory that they still read. An in-place collective may use one buffer,
 * because a place reads and writes its own piece. */
enum status collective_data(struct collective_job job)
{
	job.n = transport_group_size(job.comm);
	job.place = transport_group_place(job.comm);
	job.size = dtype_bytes(job.dtype);
	size_t bytes = (size_t)(job.in_count * job.size);
	bool same = job.collective->in_place && job.in == job.out;
	char *copy = NULL;

	if (!same && job.in && job.out && job.in < job.out + job.out_count * job.size &&
	        job.out < job.in + bytes)
		job.in = memcpy(copy = mem_alloc(bytes), job.in, bytes);
	enum status status = job.collective->data ? job.collective->data(&job) : ST_OK;
	mem_free(copy);
	return status;
}
