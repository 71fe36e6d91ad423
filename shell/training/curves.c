/* curves.c -- makes one curve from the losses of all ranks
 *
 * Once every rank with losses has one, each loss makes a point: the mean of the ranks' latest
 * losses. Measured losses that are close together share a point.
 *
 *     rank 0   2.0 at 1 ms        1.8 at 2 ms
 *     rank 1          2.2 at 1.5 ms              1.6 at 3 ms
 *     curve           2.1 at 1.5  2.0 at 2       1.7 at 3 */
#include "base/memory.h"
#include "shell/values/prints.h"
#include "shell/training/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void curves_iteration(struct shell *shell)
{
	struct curves *curves = &shell->training->curves;
	const struct world *world = shell->world;
	name_id name = names_find(world->names, "loss", 4);
	for (int rank = 0; rank < world->n; rank++) {
		struct thing thing = world_find(world, rank, name);
		op_id last = thing.kind == THING_TENSOR ? world->tensors[thing.index].last_writer : 0;
		*MEM_ADD(&curves->loss, &curves->losses) = last;
	}
}

struct loss_event {
	int64_t time;
	int rank;
	double value;
};

static int loss_by_time(const void *a, const void *b)
{
	const struct loss_event *x = a, *y = b;
	return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : x->rank - y->rank;
}

/* values: by rank, then iteration */
static struct loss_event *loss_events(
        const struct shell *shell, const double *values, size_t iterations, size_t *count)
{
	const struct curves *curves = &shell->training->curves;
	size_t n = (size_t)shell->world->n;
	struct loss_event *events = NULL;
	for (size_t rank = 0; rank < n; rank++)
		for (size_t k = 0; k < iterations; k++) {
			op_id id = curves->loss[k * n + rank];
			double value = values[rank * iterations + k];
			if (id && (k == 0 || curves->loss[(k - 1) * n + rank] != id) && isfinite(value))
				*MEM_ADD(&events, count) = (struct loss_event){
				        backend_times(shell->backend, id).end, (int)rank, value};
		}
	if (events)
		qsort(events, *count, sizeof *events, loss_by_time);
	return events;
}

static void curve_make_points(
        const struct shell *shell, const struct loss_event *events, size_t count, struct curve *curve)
{
	int n = shell->world->n, have = 0, all = 0;
	/* losses at most this many ns apart share a point, because measured times never
	 * coincide */
	int64_t near = shell->backend->measures && count
	        ? (events[count - 1].time - events[0].time) * n / (10 * (int64_t)count)
	        : 0;
	double *latest = mem_alloc((size_t)n * sizeof *latest);
	bool *some = mem_alloc((size_t)n), *seen = mem_alloc((size_t)n);
	for (size_t i = 0; i < count; i++) {
		all += !some[events[i].rank];
		some[events[i].rank] = true;
	}
	for (size_t i = 0; i < count; i++) {
		have += !seen[events[i].rank];
		seen[events[i].rank] = true;
		latest[events[i].rank] = events[i].value;
		if (have < all || (i + 1 < count && events[i + 1].time - events[i].time <= near))
			continue;
		double sum = 0;
		for (int rank = 0; rank < n; rank++)
			sum += seen[rank] ? latest[rank] : 0;
		*MEM_ADD(&curve->point, &curve->count) = (struct curve_point){events[i].time, sum / have};
	}
	mem_free(latest);
	mem_free(some);
	mem_free(seen);
}

/* Returns the curve's name, with a number if earlier curves have it, too; mem_free it. */
static char *curve_name(const struct curves *curves, const struct program *program)
{
	struct text name = {0};
	text_put(&name, program->written.bytes, program->written.count);
	text_add(&name, "%s", name.count ? ", " : "");
	program_model(program, &name);
	int alike = 0;
	for (size_t i = 0; i < curves->count; i++) {
		const char *other = curves->curve[i].name, *rest = other + name.count;
		alike += strncmp(other, text_string(&name), name.count) == 0 &&
		        (!*rest || strncmp(rest, " (", 2) == 0);
	}
	if (alike)
		text_add(&name, " (%d)", alike + 1);
	char *copy = mem_copy_text(text_string(&name), name.count);
	text_release(&name);
	return copy;
}

static void curves_drop_last(struct curves *curves)
{
	struct curve *last = &curves->curve[--curves->count];
	mem_free(last->name);
	mem_free(last->point);
	curves->open = false;
}

enum status curves_gather(struct shell *shell)
{
	struct curves *curves = &shell->training->curves;
	size_t n = (size_t)shell->world->n, iterations = curves->losses / n, count = 0;
	if (shell->dry || !iterations)
		return ST_OK;
	double *mine = mem_alloc(iterations * sizeof *mine), *all = mem_alloc(n * iterations * sizeof *all);
	for (size_t k = 0; k < iterations; k++)
		mine[k] = noted_value(shell, curves->loss[k * n + (size_t)shell->world->me]);
	enum status status = transport_share(shell->transport, mine, all, iterations * sizeof *mine);
	if (curves->open)
		curves_drop_last(curves);
	struct loss_event *events = status == ST_OK ? loss_events(shell, all, iterations, &count) : NULL;
	if (count) {
		struct curve curve = {.name = curve_name(curves, shell->training->now.program)};
		curve_make_points(shell, events, count, &curve);
		*MEM_ADD(&curves->curve, &curves->count) = curve;
		curves->open = true;
	}
	mem_free(events);
	mem_free(mine);
	mem_free(all);
	return status;
}

void curves_world_ends(struct curves *curves, bool again)
{
	if (again && curves->open)
		curves_drop_last(curves);
	curves->open = false;
	mem_free(curves->loss);
	curves->loss = NULL;
	curves->losses = 0;
}

void curves_release(struct curves *curves)
{
	curves_world_ends(curves, false);
	while (curves->count)
		curves_drop_last(curves);
	mem_free(curves->curve);
	*curves = (struct curves){0};
}
