/* shapes.c -- the result's shape of each collective. The first axis is the one that a group shares out.
 *
 *      n = 4          a rank's input     its result
 *      same           [8,2]              [8,2]          allreduce, broadcast, barrier
 *                     [8,2]              [8,2]          reduce: on the root alone
 *      grown          [2,2]              [8,2]          allgather
 *                     [2,2]              [8,2]          gather: on the root alone
 *      shared         [8,2]              [2,2]          reducescatter, scatter
 *      exchanged      [8,2]              [8,2]          alltoall
 *
 *      exchanged      [8,2]              [k,2]          alltoall with counts: k rows come in all, maybe 0
 *
 * n is the size of the group. */
#include "collectives/inside.h"

#include <string.h>

/* Names what would fit: the multiples of n on both sides. */
static enum status not_divisible(const char *name, const struct layout *in, int n)
{
	struct layout below = *in, above = *in;

	below.dim[0] = in->dim[0] / n * n;
	above.dim[0] = below.dim[0] + n;
	return fail(ST_SHAPE, "%s is %s: %d ranks want a first axis that %d divides, as in %s%s%s", name,
	        shape_text(in).text, n, n, below.dim[0] > 0 ? shape_text(&below).text : "",
	        below.dim[0] > 0 ? " or " : "", shape_text(&above).text);
}

/* Only the first axis changes; parts of a tensor along it are contiguous, and can be sent as they lie. */
enum status collective_shape(const struct collective *collective, const char *name, const struct layout *in,
        int n, bool is_root, struct layout *out)
{
	bool shares = collective->result == RESULT_SHARED;
	int64_t dim[DIMS_MAX];

	if (collective->root_gets && !is_root) {
		*out = (struct layout){.dims = 0};
		return ST_OK;
	}
	if ((shares || collective->result == RESULT_EXCHANGED) && in->dim[0] % n != 0)
		return not_divisible(name, in, n);
	memcpy(dim, in->dim, sizeof dim);
	if (collective->result == RESULT_GROWN) {
		if (dim[0] > INT64_MAX / n)
			return fail(ST_RANGE, "%d times %lld elements are too many", n, (long long)dim[0]);
		dim[0] *= n;
	} else if (shares) {
		dim[0] /= n;
	}
	return layout_make(out, in->dtype, in->dims, dim);
}

/* Of x [5,2] on 2 ranks with send 2 3 and recv 4 0: [4,2]. What is sent must be all of x. */
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
