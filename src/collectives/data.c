/* data.c -- the data of a collective: host buffers over MPI
 *
 * What a process calls depends on kind, type and counts alone, which are equal on all members; never on where
 * its own buffers lie or on whether it has memory left. f16 and bf16 are reduced as f32, in parts that fit
 * the stack. */
#include "collectives/collective.h"
#include "base/memory.h"
#include <string.h>

enum { HALVES = 8192 }; /* elements of a part: 32 kB as f32 */

struct job {
	struct plane_group *comm;
	enum dtype dtype;
	enum reduction reduction;
	int n, place, root;
	int64_t size; /* bytes of an element */
	const char *in;
	char *out;
};

static enum data_reduction operation_of(enum reduction reduction)
{
	return reduction == REDUCE_MAX ? DATA_MAX : reduction == REDUCE_MIN ? DATA_MIN : DATA_SUM;
}

static void divide(const struct job *job, enum dtype dtype, void *values, int64_t count)
{
	float *real = values;
	int32_t *whole = values;

	if (job->reduction != REDUCE_AVG)
		return;
	for (int64_t i = 0; i < count; i++) {
		if (dtype == DT_I32)
			whole[i] /= job->n;
		else
			real[i] /= (float)job->n;
	}
}

/* Reduces count elements to all (root -1) or to one place; out is written where there is a result. */
static enum status reduce_direct(const struct job *job, int root, const char *in, char *out, int64_t count)
{
	enum data_reduction operation = operation_of(job->reduction);
	enum status status = root < 0 ? plane_allreduce(job->comm, job->dtype, operation, in, out, count)
	                              : plane_reduce(job->comm, job->dtype, operation, root, in, out, count);

	if (root < 0 || root == job->place)
		divide(job, job->dtype, out, count);
	return status;
}

static enum status reduce_halves(const struct job *job, int root, const char *in, char *out, int64_t count)
{
	enum data_reduction operation = operation_of(job->reduction);
	float part[HALVES];
	enum status status = ST_OK;

	for (int64_t at = 0; at < count; at += HALVES) {
		int64_t now = count - at < HALVES ? count - at : HALVES;
		enum status done;

		dtype_to_f32(job->dtype, in + at * job->size, part, now);
		done = root < 0 ? plane_allreduce(job->comm, DT_F32, operation, part, part, now)
		                : plane_reduce(job->comm, DT_F32, operation, root, part, part, now);
		status = status ? status : done;
		if (root >= 0 && root != job->place)
			continue;
		divide(job, DT_F32, part, now);
		dtype_from_f32(job->dtype, part, out + at * job->size, now);
	}
	return status;
}

static enum status reduce(const struct job *job, int root, const char *in, char *out, int64_t count)
{
	return job->size == 4 ? reduce_direct(job, root, in, out, count)
	                      : reduce_halves(job, root, in, out, count);
}

static enum status reduce_scatter(const struct job *job, int64_t count_each)
{
	enum status status = ST_OK;

	if (job->size == 4) {
		status = plane_reduce_scatter(
		        job->comm, job->dtype, operation_of(job->reduction), job->in, job->out, count_each);
		divide(job, job->dtype, job->out, count_each);
		return status;
	}
	for (int place = 0; place < job->n; place++) {
		enum status done =
		        reduce(job, place, job->in + place * count_each * job->size, job->out, count_each);
		status = status ? status : done;
	}
	return status;
}

static enum status broadcast(const struct job *job, int64_t bytes)
{
	if (job->place == job->root && job->in != job->out)
		memmove(job->out, job->in, (size_t)bytes);
	return plane_bcast(job->comm, job->root, job->out, bytes);
}

static enum status run(enum collective_kind kind, const struct job *job, int64_t in_count, int64_t out_count)
{
	switch (kind) {
	case COLLECTIVE_ALLREDUCE:
		return reduce(job, -1, job->in, job->out, in_count);
	case COLLECTIVE_REDUCE:
		return reduce(job, job->root, job->in, job->out, in_count);
	case COLLECTIVE_BROADCAST:
		return broadcast(job, out_count * job->size);
	case COLLECTIVE_REDUCESCATTER:
		return reduce_scatter(job, out_count);
	case COLLECTIVE_ALLGATHER:
		return plane_allgather(job->comm, job->in, job->out, in_count * job->size);
	case COLLECTIVE_GATHER:
		return plane_gather_data(job->comm, job->root, job->in, job->out, in_count * job->size);
	case COLLECTIVE_SCATTER:
		return plane_scatter(job->comm, job->root, job->in, job->out, out_count * job->size);
	case COLLECTIVE_ALLTOALL:
		return plane_alltoall(job->comm, job->in, job->out, in_count / job->n * job->size);
	default:
		return ST_OK; /* a barrier moves nothing: the engine knows when it ends */
	}
}

static bool overlap(const char *a, int64_t a_bytes, const char *b, int64_t b_bytes)
{
	return a && b && a < b + b_bytes && b < a + a_bytes;
}

/* In and out are one and the same thing: no copy is wanted there. */
static bool works_in_place(enum collective_kind kind)
{
	return kind == COLLECTIVE_ALLREDUCE || kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_BROADCAST ||
	        kind == COLLECTIVE_BARRIER;
}

enum status collective_data(const struct collective *collective, struct plane_group *comm, enum dtype dtype,
        enum reduction reduction, int root, const void *in, int64_t in_count, void *out, int64_t out_count)
{
	struct job job = {comm, dtype, reduction, plane_group_size(comm), plane_group_place(comm), root,
	        dtype_bytes(dtype), in, out};
	int64_t in_bytes = in_count * job.size;
	bool copies = !(works_in_place(collective->kind) && in == out) &&
	        overlap(in, in_bytes, out, out_count * job.size);
	void *copy = copies ? mem_alloc((size_t)in_bytes) : NULL;
	enum status status = copies && !copy ? ST_MEMORY : ST_OK, done;

	if (copy)
		job.in = memcpy(copy, in, (size_t)in_bytes);
	done = run(collective->kind, &job, in_count, out_count);
	mem_free(copy);
	return status ? status : done;
}
