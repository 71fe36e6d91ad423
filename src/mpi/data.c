/* data.c -- tensors' bytes between processes: blocking MPI calls, in an order that follows from the books.
 *
 * MPI counts are ints: longer buffers go in parts. Where every member has its own block of a buffer, a part
 * of each block is one element of a type whose extent is the whole block, so a part needs no copying. */
#include "mpi/inside.h"
#include <string.h>

enum { TAG_TRANSFER = 1, TAG_GROUP = 2 };

/* Agreed upon, so that a member without memory does not leave the others in a group that it cannot serve.
 * *made: all can; then so must this one, even when the very call by which they agree has failed here. */
static enum status agree(struct plane *plane, MPI_Comm comm, enum status mine, bool *made)
{
	int own = (int)mine, worst = own;
	enum status status;

	*made = mine == ST_OK;
	if (comm == MPI_COMM_NULL)
		return mine;
	status = mpi_checked(plane, MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, comm), "make a group");
	*made = worst == ST_OK;
	if (mine || status || !worst)
		return mine ? mine : status;
	return fail(ST_MPI, "another rank could not make the group: %s", status_name((enum status)worst));
}

static enum status make_comm(struct plane *plane, int n, const int *ranks, MPI_Comm *comm)
{
	MPI_Group world, members;
	int code;

	MPI_Comm_group(plane->data, &world);
	MPI_Group_incl(world, n, ranks, &members);
	code = MPI_Comm_create_group(plane->data, members, TAG_GROUP, comm);
	MPI_Group_free(&members);
	MPI_Group_free(&world);
	return mpi_checked(plane, code, "make a group");
}

enum status plane_group_make(struct plane *plane, int n, const int *ranks, struct plane_group **result)
{
	struct plane_group *group;
	MPI_Comm comm = MPI_COMM_NULL;
	enum status status = ST_OK;
	int place = -1;
	bool made;

	*result = NULL;
	for (int i = 0; i < n; i++) {
		if (ranks[i] == plane->rank)
			place = i;
	}
	if (place < 0)
		return ST_OK;
	if (n > 1)
		status = make_comm(plane, n, ranks, &comm);
	group = mem_alloc(sizeof *group);
	if (!group && !status)
		status = ST_MEMORY;
	status = agree(plane, comm, status, &made);
	if (!made) {
		if (comm != MPI_COMM_NULL)
			MPI_Comm_free(&comm);
		mem_free(group);
		return status;
	}
	*group = (struct plane_group){.plane = plane, .comm = comm, .n = n, .place = place};
	*result = group;
	return status;
}

void plane_group_free(struct plane_group *group)
{
	if (group && group->comm != MPI_COMM_NULL)
		MPI_Comm_free(&group->comm);
	mem_free(group);
}

int plane_group_size(const struct plane_group *group)
{
	return group->n;
}

int plane_group_place(const struct plane_group *group)
{
	return group->place;
}

static MPI_Datatype type_of(enum dtype dtype)
{
	return dtype == DT_I32 ? MPI_INT32_T : MPI_FLOAT;
}

static MPI_Op operation_of(enum data_reduction reduction)
{
	return reduction == DATA_MAX ? MPI_MAX : reduction == DATA_MIN ? MPI_MIN : MPI_SUM;
}

enum { REDUCED_BYTES = 4 }; /* f32 and i32 alike */

/* Elements of the next part. */
static int part_of(const struct plane_group *group, int64_t left)
{
	int64_t most = group->plane->chunk / REDUCED_BYTES;

	most = most < 1 ? 1 : most;
	return (int)(left < most ? left : most);
}

static void copy_alone(void *out, const void *in, int64_t bytes)
{
	if (out != in && bytes > 0)
		memmove(out, in, (size_t)bytes);
}

/* To `root`, or to every place (EVERY_PLACE) */
enum { EVERY_PLACE = -1 };
static enum status reduce_part(struct plane_group *group, enum dtype dtype, enum data_reduction reduction,
        int root, const char *from, char *to, int part)
{
	const void *mine = from == to ? MPI_IN_PLACE : from;

	if (root == EVERY_PLACE)
		return mpi_checked(group->plane,
		        MPI_Allreduce(mine, to, part, type_of(dtype), operation_of(reduction), group->comm),
		        "allreduce");
	return mpi_checked(group->plane,
	        MPI_Reduce(mine, to, part, type_of(dtype), operation_of(reduction), root, group->comm),
	        "reduce");
}

static enum status reduce_parts(struct plane_group *group, enum dtype dtype, enum data_reduction reduction,
        int root, const void *in, void *out, int64_t count)
{
	enum status status = ST_OK;

	if (group->comm == MPI_COMM_NULL) {
		copy_alone(out, in, count * REDUCED_BYTES);
		return ST_OK;
	}
	for (int64_t at = 0; at < count;) {
		int part = part_of(group, count - at);
		bool mine = root == EVERY_PLACE || root == group->place;
		const char *from = (const char *)in + at * REDUCED_BYTES;
		char *to = mine ? (char *)out + at * REDUCED_BYTES : NULL;
		enum status done = reduce_part(group, dtype, reduction, root, from, to, part);

		status = status ? status : done;
		at += part;
	}
	return status;
}

enum status plane_allreduce(struct plane_group *group, enum dtype dtype, enum data_reduction reduction,
        const void *in, void *out, int64_t count)
{
	return reduce_parts(group, dtype, reduction, EVERY_PLACE, in, out, count);
}

enum status plane_reduce(struct plane_group *group, enum dtype dtype, enum data_reduction reduction, int root,
        const void *in, void *out, int64_t count)
{
	return reduce_parts(group, dtype, reduction, root, in, out, count);
}

enum status plane_reduce_scatter(struct plane_group *group, enum dtype dtype, enum data_reduction reduction,
        const void *in, void *out, int64_t count_each)
{
	enum status status = ST_OK;

	if (group->comm == MPI_COMM_NULL) {
		copy_alone(out, in, count_each * REDUCED_BYTES);
		return ST_OK;
	}
	if (count_each * group->n * REDUCED_BYTES <= group->plane->chunk)
		return mpi_checked(group->plane,
		        MPI_Reduce_scatter_block(in == out ? MPI_IN_PLACE : in, out, (int)count_each,
		                type_of(dtype), operation_of(reduction), group->comm),
		        "reducescatter");
	/* Long ones: a reduce to each place in turn. In place, the first part would overwrite input not yet
	 * used. */
	for (int root = group->n - 1; root >= 0; root--) {
		const char *from = (const char *)in + root * count_each * REDUCED_BYTES;
		enum status done;

		if (in == out && root == group->place && root > 0)
			done = plane_reduce(group, dtype, reduction, root, from,
			        (char *)out + root * count_each * REDUCED_BYTES, count_each);
		else
			done = plane_reduce(group, dtype, reduction, root, from, out, count_each);
		status = status ? status : done;
	}
	if (in == out)
		copy_alone(out, (char *)out + group->place * count_each * REDUCED_BYTES,
		        count_each * REDUCED_BYTES);
	return status;
}

enum status plane_bcast(struct plane_group *group, int root, void *data, int64_t bytes)
{
	enum status status = ST_OK;

	for (int64_t at = 0; group->comm != MPI_COMM_NULL && at < bytes;) {
		int part = (int)(bytes - at < group->plane->chunk ? bytes - at : group->plane->chunk);
		enum status done = mpi_checked(group->plane,
		        MPI_Bcast((char *)data + at, part, MPI_BYTE, root, group->comm), "broadcast");

		status = status ? status : done;
		at += part;
	}
	return status;
}

/* Part [at, at + bytes) of every member's block of bytes_each. */
struct blocks {
	int64_t each, at;
	int bytes;
	MPI_Datatype type;
	int count;
};

/* The next part, of all members together at most plane.chunk; false when the blocks are done. */
static bool blocks_next(const struct plane_group *group, struct blocks *blocks)
{
	int64_t most = group->plane->chunk / group->n;
	MPI_Datatype bytes;

	if (blocks->bytes > 0 && blocks->type != MPI_BYTE)
		MPI_Type_free(&blocks->type);
	blocks->at += blocks->bytes;
	if (blocks->at >= blocks->each)
		return false;
	most = most < 1 ? 1 : most;
	blocks->bytes = (int)(blocks->each - blocks->at < most ? blocks->each - blocks->at : most);
	blocks->type = MPI_BYTE;
	blocks->count = blocks->bytes;
	if (blocks->bytes == blocks->each)
		return true;
	MPI_Type_contiguous(blocks->bytes, MPI_BYTE, &bytes);
	MPI_Type_create_resized(bytes, 0, (MPI_Aint)blocks->each, &blocks->type);
	MPI_Type_commit(&blocks->type);
	MPI_Type_free(&bytes);
	blocks->count = 1;
	return true;
}

enum status plane_allgather(struct plane_group *group, const void *in, void *out, int64_t bytes_each)
{
	struct blocks part = {.each = bytes_each};
	const char *own = (char *)out + group->place * bytes_each;
	enum status status = ST_OK;

	if (group->comm == MPI_COMM_NULL) {
		copy_alone(out, in, bytes_each);
		return ST_OK;
	}
	while (blocks_next(group, &part)) {
		enum status done = mpi_checked(group->plane,
		        MPI_Allgather(in == own ? MPI_IN_PLACE : (const char *)in + part.at, part.bytes,
		                MPI_BYTE, (char *)out + part.at, part.count, part.type, group->comm),
		        "allgather");
		status = status ? status : done;
	}
	return status;
}

enum status plane_gather_data(
        struct plane_group *group, int root, const void *in, void *out, int64_t bytes_each)
{
	struct blocks part = {.each = bytes_each};
	bool is_root = group->place == root;
	const void *own = is_root ? (char *)out + group->place * bytes_each : NULL;
	enum status status = ST_OK;

	if (group->comm == MPI_COMM_NULL) {
		copy_alone(out, in, bytes_each);
		return ST_OK;
	}
	while (blocks_next(group, &part)) {
		enum status done = mpi_checked(group->plane,
		        MPI_Gather(in == own ? MPI_IN_PLACE : (const char *)in + part.at, part.bytes,
		                MPI_BYTE, is_root ? (char *)out + part.at : NULL, part.count, part.type, root,
		                group->comm),
		        "gather");
		status = status ? status : done;
	}
	return status;
}

enum status plane_scatter(struct plane_group *group, int root, const void *in, void *out, int64_t bytes_each)
{
	struct blocks part = {.each = bytes_each};
	bool is_root = group->place == root;
	const void *own = is_root ? (const char *)in + group->place * bytes_each : NULL;
	enum status status = ST_OK;

	if (group->comm == MPI_COMM_NULL) {
		copy_alone(out, in, bytes_each);
		return ST_OK;
	}
	while (blocks_next(group, &part)) {
		enum status done = mpi_checked(group->plane,
		        MPI_Scatter(is_root ? (const char *)in + part.at : NULL, part.count, part.type,
		                out == own ? MPI_IN_PLACE : (char *)out + part.at, part.bytes, MPI_BYTE, root,
		                group->comm),
		        "scatter");
		status = status ? status : done;
	}
	return status;
}

/* Never MPI's in place: it is another algorithm, and whether a member's buffers are one is its own affair. */
enum status plane_alltoall(struct plane_group *group, const void *in, void *out, int64_t bytes_each)
{
	struct blocks part = {.each = bytes_each};
	enum status status = ST_OK;

	if (group->comm == MPI_COMM_NULL) {
		copy_alone(out, in, bytes_each);
		return ST_OK;
	}
	while (blocks_next(group, &part)) {
		enum status done = mpi_checked(group->plane,
		        MPI_Alltoall((const char *)in + part.at, part.count, part.type, (char *)out + part.at,
		                part.count, part.type, group->comm),
		        "alltoall");
		status = status ? status : done;
	}
	return status;
}

enum status plane_send(struct plane *plane, int to, const void *data, int64_t bytes)
{
	enum status status = ST_OK;

	for (int64_t at = 0; at < bytes;) {
		int part = (int)(bytes - at < plane->chunk ? bytes - at : plane->chunk);
		enum status done = mpi_checked(plane,
		        MPI_Send((const char *)data + at, part, MPI_BYTE, to, TAG_TRANSFER, plane->data),
		        "send");

		status = status ? status : done;
		at += part;
	}
	return status;
}

enum status plane_recv(struct plane *plane, int from, void *data, int64_t bytes)
{
	enum status status = ST_OK;

	for (int64_t at = 0; at < bytes;) {
		int part = (int)(bytes - at < plane->chunk ? bytes - at : plane->chunk);
		enum status done = mpi_checked(plane,
		        MPI_Recv((char *)data + at, part, MPI_BYTE, from, TAG_TRANSFER, plane->data,
		                MPI_STATUS_IGNORE),
		        "receive");

		status = status ? status : done;
		at += part;
	}
	return status;
}
