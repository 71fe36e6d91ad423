/* compare.c -- what ranks hold of the parameters, beside those of one rank: each process compares its own
 * rank's parts, and all hear of it */
#include "base/memory.h"
#include "mpi/plane.h"
#include "shell/language/run/interpreter.h"
#include "shell/session/read.h"
#include "shell/training/verify.h"

#include <math.h>
#include <string.h>

enum status shell_floats(struct shell *shell, const struct view *view, bool root, float *values)
{
	int64_t count = layout_count(&view->layout);
	void *packed = mem_alloc((size_t)layout_bytes(&view->layout));
	enum status status =
	        shell->backend->peek(shell->backend, view->space, view->address, &view->layout, packed);
	if (status == ST_OK)
		dtype_to_f32((enum dtype)view->layout.dtype, packed, values, count);
	for (int64_t i = 0; i < count && status == ST_OK && root; i++)
		values[i] = sqrtf(
		        values[i] > 0 ? values[i] : values[i] - values[i]); /* what is no number stays none */
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

struct difference compare_whole(const struct alone *alone, int i, const struct alone *other)
{
	struct difference d = {0};
	int64_t first = alone->whole[i].first, count = whole_count(&alone->whole[i]);
	for (int64_t k = first; k < first + count; k++)
		add_element(&d, other->end[k], alone->end[k], alone->weight[k]);
	return d;
}

/* A tensor of rows x cols that holds a block of the whole, from (row, col) on:
 *
 *     whole    . . . . . .      element i of the tensor is in its row i / cols, at i % cols:
 *     cols 6   . . a b c .      the whole's (row + i/cols) * 6 + col + i%cols
 *              . . d e f .      row 0, col 2, cols 3: d, i = 3, is 1*6 + 2 = 8
 *
 * flat: the whole as one line, from `at` on. */
static int64_t part_place(
        const struct part_line *line, const struct layout *layout, const struct whole *whole, int64_t i)
{
	int64_t cols = layout->dims > 1 ? layout->dim[layout->dims - 1] : 1;
	if (line->flat)
		return line->at + i;
	if (layout->dims < 2 && whole->cols > 1) /* a whole parameter in one line */
		return line->row * whole->cols + i;
	return (line->row + i / cols) * whole->cols + line->col + i % cols;
}

/* ---- are they declared? ---- */

static bool is_of(const struct part_line *line, const struct whole *whole)
{
	return strcmp(line->of, whole->name) == 0 && strcmp(line->state, whole->state) == 0;
}

/* Marks what the line declares; the last element is in it if any is behind the end */
static enum status mark(
        struct shell *shell, const struct part_line *line, const struct alone *alone, bool *seen)
{
	struct view view;
	const struct whole *whole = NULL;
	for (int i = 0; i < alone->count && !whole; i++)
		whole = is_of(line, &alone->whole[i]) ? &alone->whole[i] : NULL;
	if (!whole)
		return fail(ST_NAME,
		        "part %s of %s%s%s, on rank %d: the model on one rank declares no such parameter",
		        line->tensor, line->of, *line->state ? " as=" : "", line->state, line->rank);
	enum status status = interpreter_view(shell, line->rank, line->tensor, &view);
	int64_t count = status == ST_OK ? layout_count(&view.layout) : 0, all = whole_count(whole);
	for (int64_t i = 0; i < count; i++) {
		int64_t place = part_place(line, &view.layout, whole, i);
		if (place >= all)
			return fail(ST_RANGE,
			        "part %s of %s, on rank %d: it reaches behind the end of %s, which is "
			        "[%lld,%lld]",
			        line->tensor, line->of, line->rank, line->of, (long long)whole->rows,
			        (long long)whole->cols);
		seen[whole->first + place] = true;
	}
	return status;
}

/* Every element of every parameter is on some rank: what is not declared would not be compared. */
static enum status all_declared(
        struct shell *shell, const struct part_lines *parts, const struct alone *alone)
{
	bool *seen = mem_alloc(alone->elements);
	enum status status = ST_OK;
	for (size_t i = 0; i < parts->count && status == ST_OK; i++)
		status = mark(shell, &parts->line[i], alone, seen);
	for (int i = 0; i < alone->count && status == ST_OK; i++) {
		const struct whole *whole = &alone->whole[i];
		int64_t k = 0, count = whole_count(whole);
		while (k < count && seen[whole->first + k])
			k++;
		if (k < count)
			status = fail(ST_ARGUMENT,
			        "no rank declares %s%s%s[%lld,%lld]: a line `part TENSOR of %s` is missing",
			        whole->name, *whole->state ? "'s " : "", whole->state,
			        (long long)(k / whole->cols), (long long)(k % whole->cols), whole->name);
	}
	mem_free(seen);
	return status;
}

/* ---- this rank's ---- */

static enum status compare_part(struct shell *shell, const struct part_line *line, const struct alone *alone,
        int item, struct difference *d)
{
	const struct whole *whole = &alone->whole[item];
	struct view view;
	enum status status = interpreter_view(shell, line->rank, line->tensor, &view);
	if (status != ST_OK)
		return status;
	int64_t count = layout_count(&view.layout);
	float *mine = mem_alloc((size_t)count * sizeof *mine);
	status = shell_floats(shell, &view, strcmp(whole->state, "v") == 0, mine);
	for (int64_t i = 0; i < count && status == ST_OK; i++) {
		int64_t at = whole->first + part_place(line, &view.layout, whole, i);
		add_element(d, mine[i], alone->end[at], alone->weight[at]);
	}
	mem_free(mine);
	return status;
}

/* ---- waiting for them ---- */

/* The k-th line of each rank: their reads */
static enum status reads_of(struct shell *shell, const struct part_lines *parts, int k, struct ranks *set,
        struct data_read *reads)
{
	enum status status = ST_OK;
	int count = 0;
	for (int rank = 0; rank < shell->world->n && status == ST_OK; rank++) {
		int seen = 0;
		for (size_t i = 0; i < parts->count && status == ST_OK; i++) {
			if (parts->line[i].rank != rank || seen++ != k)
				continue;
			reads[count] = (struct data_read){.kind = READ_NORM, .stream = STREAM_DEFAULT};
			status = interpreter_view(shell, rank, parts->line[i].tensor, &reads[count++].a);
			ranks_add(set, rank);
		}
	}
	return status;
}

/* All that ranks hold of the parameters is waited for. */
static enum status await_parts(struct shell *shell, const struct part_lines *parts)
{
	size_t n = (size_t)shell->world->n;
	struct data_read *reads = mem_alloc(n * sizeof *reads);
	double *norms = mem_alloc(n * sizeof *norms);
	enum status status = ST_OK;
	for (int k = 0; status == ST_OK; k++) {
		struct ranks set = {0};
		status = reads_of(shell, parts, k, &set, reads);
		if (status != ST_OK || ranks_empty(&set))
			break;
		status = shell_read(shell, &set, reads, NULL, norms);
	}
	mem_free(reads);
	mem_free(norms);
	return status;
}

/* ---- all ranks ---- */

/* mine[p]: of this rank's parts of parameter p; afterwards that of all ranks, added in the same order by
 * all. */
static enum status add_ranks(struct shell *shell, struct difference *mine, int count)
{
	int processes = plane_size(shell->plane);
	size_t each = (size_t)count * sizeof *mine;
	struct difference *all = mem_alloc((size_t)processes * each);
	enum status status = plane_share(shell->plane, mine, all, each);
	if (status == ST_OK)
		memset(mine, 0, each);
	for (int i = 0; i < processes && status == ST_OK; i++)
		for (int p = 0; p < count && status == ST_OK; p++) {
			const struct difference *other = &all[i * count + p];
			mine[p].squares += other->squares;
			mine[p].elements += other->elements;
			mine[p].wrong += other->wrong;
			mine[p].most = other->most > mine[p].most ? other->most : mine[p].most;
			status = (enum status)other->status;
			if (status != ST_OK && i != plane_rank(shell->plane))
				status = fail(status, "rank %d could not compare", i);
		}
	mem_free(all);
	return status;
}

enum status compare_parts(struct shell *shell, const struct alone *alone, struct difference *d)
{
	const struct part_lines *parts = &training_of(shell)->parts;
	enum status status = all_declared(shell, parts, alone);
	if (status == ST_OK)
		status = await_parts(shell, parts);
	for (int i = 0; i < alone->count && status == ST_OK; i++)
		for (size_t k = 0; k < parts->count && d[i].status == ST_OK; k++)
			if (parts->line[k].rank == shell->world->me &&
			        is_of(&parts->line[k], &alone->whole[i]))
				d[i].status = compare_part(shell, &parts->line[k], alone, i, &d[i]);
	return status == ST_OK ? add_ranks(shell, d, alone->count) : status;
}
