/* compare.c -- compares the ranks' parameters with those of one rank */
#include "base/memory.h"
#include "shell/language/run/interpreter.h"
#include "shell/values/read.h"
#include "shell/training/training.h"
#include "shell/training/verify.h"

#include <math.h>
#include <string.h>

enum status part_floats(
        struct shell *shell, const struct part_line *line, const struct view *view, float *values)
{
	enum status status = read_floats(shell, 0, view, values);
	bool root = status == ST_OK && strcmp(line->state, "v") == 0;
	for (int64_t i = 0; root && i < layout_count(&view->layout); i++)
		/* NaN stays NaN */
		values[i] = sqrtf(values[i] > 0 ? values[i] : values[i] - values[i]);
	return status;
}

static void difference_add(struct difference *d, double here, double there, double weight)
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
		difference_add(&d, other->end[k], alone->end[k], alone->weight[k]);
	return d;
}

enum status compared_loss(struct shell *shell, double *loss)
{
	enum status status = program_loss(shell, loss);
	return status == ST_SHAPE ? ST_OK : status;
}

double loss_share(const struct alone *alone, double loss)
{
	double away = fabs(loss - alone->loss);
	return away > 0 ? away / alone->loss_most : 0;
}

/* A part is a block of rows x cols elements, from (row, col) on. Element e of the block is in its
 * row e / cols and column e % cols:
 *
 *     whole    . . . . . .      the whole's (row + e/cols) * 6 + col + e%cols
 *     cols 6   . . a b c .      row 1, col 2, cols 3: d, e = 3, is 2*6 + 2 = 14
 *              . . d e f .
 *
 * A tensor of that shape holds all of them: e = i. A flat or one-dimensional one holds a run: e =
 * at + i. Without rows and cols the block reaches to the parameter's end. */
int64_t part_place(
        const struct part_line *line, const struct layout *layout, const struct whole *whole, int64_t i)
{
	bool flat = line->flat || layout->dims < 2;
	int64_t cols = flat ? line->cols : layout->dim[layout->dims - 1], e = line->at + i;
	int64_t rows = line->rows ? line->rows : whole->rows - line->row;
	cols = cols ? cols : whole->cols - line->col;
	if (cols < 1 || line->col + cols > whole->cols || line->row + rows > whole->rows || e >= rows * cols)
		return -1;
	return (line->row + e / cols) * whole->cols + line->col + e % cols;
}

static enum status part_outside(const struct part_line *line, const struct whole *whole, int64_t i)
{
	struct text block = {0};
	if (line->rows || line->cols)
		text_add(&block, ", in a block of %lld rows and %lld columns (0: to the end)",
		        (long long)line->rows, (long long)line->cols);
	enum status status = fail(ST_RANGE,
	        "part %s of %s, on rank %d: its element %lld lies outside of %s, which is [%lld,%lld]%s",
	        line->tensor, line->of, line->rank, (long long)i, line->of, (long long)whole->rows,
	        (long long)whole->cols, text_string(&block));
	text_release(&block);
	return status;
}

/* Marks the elements in `seen`; compares this rank's. Fails with ST_RANGE for a part outside of
 * the parameter. */
static enum status compare_part(struct shell *shell, const struct part_line *line, const struct alone *alone,
        bool *seen, struct difference *d)
{
	struct view view;
	const struct whole *whole = whole_of(alone, line->of, line->state);
	if (!whole)
		return fail(ST_NAME,
		        "part %s of %s%s%s, on rank %d: the model on one rank declares no such parameter",
		        line->tensor, line->of, *line->state ? " as=" : "", line->state, line->rank);
	enum status status = interpreter_view(shell, line->rank, line->tensor, &view);
	if (status != ST_OK)
		return status;
	struct difference *own = &d[whole - alone->whole];
	int64_t count = layout_count(&view.layout);
	float *mine = NULL;
	if (line->rank == shell->world->me && own->status == ST_OK) {
		mine = mem_alloc((size_t)count * sizeof *mine);
		own->status = part_floats(shell, line, &view, mine);
	}
	for (int64_t i = 0; i < count && status == ST_OK; i++) {
		int64_t place = part_place(line, &view.layout, whole, i), at = whole->first + place;
		if (place < 0) {
			status = part_outside(line, whole, i);
			break;
		}
		seen[at] = true;
		if (mine && own->status == ST_OK) {
			difference_add(own, mine[i], alone->end[at], alone->weight[at]);
			own->moved += mine[i] != alone->begin[at];
		}
	}
	mem_free(mine);
	return status;
}

enum status compare_await(struct shell *shell)
{
	const struct part_lines *parts = &shell->training->parts;
	size_t n = (size_t)shell->world->n;
	const char **tensor = mem_alloc(n * sizeof *tensor);
	double *norms = mem_alloc(n * sizeof *norms);
	bool *read = mem_alloc(parts->count);
	enum status status = ST_OK;
	for (size_t left = parts->count; left && status == ST_OK;) {
		struct ranks set = {0};
		memset(tensor, 0, n * sizeof *tensor);
		for (size_t i = 0; i < parts->count; i++) {
			const struct part_line *line = &parts->line[i];
			if (read[i] || tensor[line->rank])
				continue;
			tensor[line->rank] = line->tensor;
			read[i] = true;
			left--;
		}
		status = state_read(shell, READ_NORM, tensor, &set, norms);
	}
	mem_free(tensor);
	mem_free(norms);
	mem_free(read);
	return status;
}

/* Replaces mine[p], this rank's sums, by those of all ranks, added in the same order
 * everywhere. */
static enum status differences_share(struct shell *shell, struct difference *mine, int count)
{
	int processes = transport_size(shell->transport);
	size_t each = (size_t)count * sizeof *mine;
	struct difference *all = mem_alloc((size_t)processes * each);
	enum status status = transport_share(shell->transport, mine, all, each);
	if (status == ST_OK)
		memset(mine, 0, each);
	for (int i = 0; i < processes && status == ST_OK; i++)
		for (int p = 0; p < count && status == ST_OK; p++) {
			const struct difference *other = &all[i * count + p];
			mine[p].squares += other->squares;
			mine[p].elements += other->elements;
			mine[p].wrong += other->wrong;
			mine[p].moved += other->moved;
			mine[p].most = other->most > mine[p].most ? other->most : mine[p].most;
			status = (enum status)other->status;
			if (status != ST_OK && i != transport_rank(shell->transport))
				status = fail(status, "rank %d could not compare", i);
		}
	mem_free(all);
	return status;
}

enum status compare_parts(struct shell *shell, const struct alone *alone, struct difference *d)
{
	const struct part_lines *parts = &shell->training->parts;
	bool *seen = mem_alloc(alone->elements);
	enum status status = ST_OK;
	for (size_t i = 0; i < parts->count && status == ST_OK; i++)
		status = compare_part(shell, &parts->line[i], alone, seen, d);
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
	return status == ST_OK ? differences_share(shell, d, alone->count) : status;
}
