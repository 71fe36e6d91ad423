/* compare.c -- what ranks hold of the parameters, beside those of one rank: each process compares its own
 * rank's parts, and all hear of it */
#include "base/memory.h"
#include "shell/session/read.h"
#include "shell/training/verify.h"
#include "mpi/plane.h"

#include <math.h>
#include <string.h>

enum status shell_floats(struct shell *shell, const struct view *view, float *values)
{
	void *packed = mem_alloc((size_t)layout_bytes(&view->layout));
	enum status status = packed
	        ? shell->backend->peek(shell->backend, view->space, view->address, &view->layout, packed)
	        : ST_MEMORY;
	if (status == ST_OK)
		dtype_to_f32((enum dtype)view->layout.dtype, packed, values, layout_count(&view->layout));
	mem_free(packed);
	return status;
}

/* ---- elements ---- */

static void add_element(struct difference *d, double here, double there, double weight)
{
	double away = fabs(here - there);
	d->wrong += !isfinite(away);
	d->most = away > d->most ? away : d->most;
	d->squares += weight * weight * away * away;
	d->elements++;
}

struct difference compare_whole(const struct alone *alone, int64_t first, int64_t count, const float *values)
{
	struct difference d = {0};
	for (int64_t i = 0; i < count; i++)
		add_element(&d, values[i], alone->end[first + i], alone->weight[first + i]);
	return d;
}

/* The element of the whole parameter that element i of the part is */
static int64_t place_in(const struct portion *part, const struct parameter *parameter, int64_t i)
{
	if (part->count > 0)
		return part->from + i;
	return (part->row + i / part->cols) * parameter->cols + part->col + i % part->cols;
}

/* first: of the parameter among the elements of `alone` */
static enum status compare_part(struct shell *shell, const struct portion *part, const struct alone *alone,
        int64_t first, struct difference *d)
{
	const struct parameter *parameter = &alone->list[part->parameter];
	struct view view;
	enum status status = interpreter_view(shell, part->rank, part->name, &view);
	int64_t count = status == ST_OK ? layout_count(&view.layout) : 0,
	        wanted = part->count > 0 ? part->count : part->rows * part->cols;
	if (status == ST_OK && count != wanted)
		return fail(ST_BUG, "%s on rank %d has %lld elements, and %lld of %s were expected",
		        part->name, part->rank, (long long)count, (long long)wanted, parameter->name);
	float *mine = status == ST_OK ? mem_alloc((size_t)count * sizeof *mine) : NULL;
	if (status == ST_OK)
		status = mine ? shell_floats(shell, &view, mine) : ST_MEMORY;
	for (int64_t i = 0; i < count && status == ST_OK; i++) {
		int64_t at = first + place_in(part, parameter, i);
		add_element(d, mine[i], alone->end[at], alone->weight[at]);
	}
	mem_free(mine);
	return status;
}

/* This rank's parts of parameter p */
static enum status compare_mine(struct shell *shell, const struct parts *parts, const struct alone *alone,
        int p, int64_t first, struct difference *d)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < parts->count && status == ST_OK; i++)
		if (parts->part[i].parameter == p && parts->part[i].rank == shell->world->me)
			status = compare_part(shell, &parts->part[i], alone, first, d);
	return status;
}

/* ---- waiting for them ---- */

/* One part of parameter p on each rank, the k-th: their reads */
static enum status reads_of(struct shell *shell, const struct parts *parts, int p, int k, struct ranks *set,
        struct data_read *reads)
{
	enum status status = ST_OK;
	int count = 0;
	for (int rank = 0; rank < shell->world->n && status == ST_OK; rank++) {
		int seen = 0;
		for (size_t i = 0; i < parts->count && status == ST_OK; i++) {
			const struct portion *part = &parts->part[i];
			if (part->parameter != p || part->rank != rank || seen++ != k)
				continue;
			reads[count] = (struct data_read){.kind = READ_NORM, .stream = STREAM_DEFAULT};
			status = interpreter_view(shell, rank, part->name, &reads[count++].a);
			ranks_add(set, rank);
		}
	}
	return status;
}

/* All that ranks hold of the parameters is waited for. */
static enum status await_parts(struct shell *shell, const struct parts *parts, int parameters)
{
	size_t n = (size_t)shell->world->n;
	struct data_read *reads = mem_alloc(n * sizeof *reads);
	double *norms = mem_alloc(n * sizeof *norms);
	enum status status = reads && norms ? ST_OK : ST_MEMORY;
	for (int p = 0; p < parameters && status == ST_OK; p++)
		for (int k = 0; status == ST_OK; k++) {
			struct ranks set = {0};
			status = reads_of(shell, parts, p, k, &set, reads);
			if (status != ST_OK || ranks_empty(&set))
				break;
			status = shell_read(shell, &set, reads, NULL, norms);
		}
	mem_free(reads);
	mem_free(norms);
	return status;
}

/* ---- all ranks ---- */

static void add_other(struct difference *d, const struct difference *other)
{
	d->squares += other->squares;
	d->elements += other->elements;
	d->wrong += other->wrong;
	d->most = other->most > d->most ? other->most : d->most;
}

/* mine[p]: of this rank's parts of parameter p; afterwards that of all ranks, added in the same order by
 * all. */
static enum status add_ranks(struct shell *shell, struct difference *mine, int count)
{
	int processes = plane_size(shell->plane);
	size_t each = (size_t)count * sizeof *mine;
	struct difference *all = mem_alloc((size_t)processes * each);
	enum status status = all ? plane_share(shell->plane, mine, all, each) : ST_MEMORY;
	if (status == ST_OK)
		memset(mine, 0, each);
	for (int i = 0; i < processes && status == ST_OK; i++)
		for (int p = 0; p < count && status == ST_OK; p++) {
			const struct difference *other = &all[i * count + p];
			add_other(&mine[p], other);
			status = (enum status)other->status;
			if (status != ST_OK && i != plane_rank(shell->plane))
				status = fail(status, "rank %d could not compare", i);
		}
	mem_free(all);
	return status;
}

enum status compare_parts(
        struct shell *shell, const struct parts *parts, const struct alone *alone, struct difference *d)
{
	enum status status = await_parts(shell, parts, alone->count);
	int64_t first = 0;
	for (int p = 0; p < alone->count && status == ST_OK; p++) {
		d[p].status = compare_mine(shell, parts, alone, p, first, &d[p]);
		first += parameter_count(&alone->list[p]);
	}
	return status == ST_OK ? add_ranks(shell, d, alone->count) : status;
}
