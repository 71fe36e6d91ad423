/* shapes.c -- each collective's result shape. A group splits the first axis.
 *
 *      n = 4          a rank's input     its result
 *      same           [8,2]              [8,2]      allreduce, broadcast, barrier
 *                     [8,2]              [8,2]      reduce: only on the root
 *      grown          [2,2]              [8,2]      allgather; rows=5 inverts the [5,2] line below
 *                     [2,2]              [8,2]      gather: only on the root
 *      shared         [8,2]              [2,2]      reducescatter, scatter
 *                     [5,2]              [2,2] [2,2] [1,2] [0,2]     reducescatter: by place
 *      exchanged      [8,2]              [8,2]      alltoall
 *      exchanged      [8,2]              [k,2]      alltoall with counts: k rows in all, maybe 0
 */
#include "base/arithmetic.h"
#include "collectives/inside.h"

#include <string.h>

static enum status not_divisible(
        const struct collective *collective, const char *name, const struct layout *in, int n)
{
	struct layout below = *in, above = *in;

	below.dim[0] = in->dim[0] / n * n;
	above.dim[0] = below.dim[0] + n;
	return fail(ST_SHAPE, "%s is %s: %d ranks want a first axis that %d divides, as in %s%s%s%s", name,
	        shape_text(in).text, n, n, below.dim[0] > 0 ? shape_text(&below).text : "",
	        below.dim[0] > 0 ? " or " : "", shape_text(&above).text,
	        collective->splits ? "; unequal parts need send= and recv=" : "");
}

enum status collective_shape(const struct collective *collective, const char *name, const struct layout *in,
        int n, int place, int root, struct layout *out)
{
	bool shares = collective->result == RESULT_SHARED;
	int64_t dim[DIMS_MAX];

	if (collective->root_gets && place != root) {
		*out = (struct layout){.dims = 0};
		return ST_OK;
	}
	if (collective->direct && (shares || collective->result == RESULT_EXCHANGED) && in->dim[0] % n != 0)
		return not_divisible(collective, name, in, n);
	memcpy(dim, in->dim, sizeof dim);
	if (collective->result == RESULT_GROWN) {
		if (dim[0] > INT64_MAX / n)
			return fail(ST_RANGE, "%d times %lld elements are too many", n, (long long)dim[0]);
		dim[0] *= n;
	} else if (shares) {
		dim[0] = chunk_at(dim[0], n, place + 1) - chunk_at(dim[0], n, place);
	}
	return layout_make(out, in->dtype, in->dims, dim);
}

enum status chunk_shape(
        const char *name, const struct layout *in, int n, int place, const struct layout *whole)
{
	struct layout part = *in;
	int64_t rows = whole->dim[0];

	part.dim[0] = chunk_at(rows, n, place + 1) - chunk_at(rows, n, place);
	if (in->dim[0] == part.dim[0])
		return ST_OK;
	return fail(ST_SHAPE, "%s is %s: with rows=%lld place %d of %d brings %lld row%s, as in %s", name,
	        shape_text(in).text, (long long)rows, place, n, (long long)part.dim[0],
	        part.dim[0] == 1 ? "" : "s", shape_text(&part).text);
}

int64_t collective_bytes(
        const struct collective *collective, const struct layout *in, int n, const struct layout *whole)
{
	struct layout padded = *in;

	if (whole)
		padded.dim[0] = n * parts_of(whole->dim[0], n);
	else if (collective->result == RESULT_GROWN)
		padded.dim[0] = n * in->dim[0];
	else if (collective->result == RESULT_SHARED)
		padded.dim[0] = n * parts_of(in->dim[0], n);
	return layout_bytes(&padded);
}

int64_t collective_chunk(const struct record *record, int n)
{
	return record->bytes / dtype_bytes((enum dtype)record->dtype) / n;
}

enum status split_shape(
        const char *name, const struct layout *in, const struct split *split, struct layout *out)
{
	int64_t dim[DIMS_MAX], sent = 0, received = 0;
	for (int p = 0; p < split->n; p++) {
		sent += rows_to(split, p);
		received += rows_from(split, p);
	}
	if (sent != in->dim[0])
		return fail(ST_SHAPE, "send= adds up to %lld rows, and %s is %s", (long long)sent, name,
		        shape_text(in).text);
	memcpy(dim, in->dim, sizeof dim);
	dim[0] = received;
	return layout_make(out, in->dtype, in->dims, dim);
}
