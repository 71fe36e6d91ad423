/* times.c -- times, host clocks and blame: measured, or for operations not measured yet predicted
 * from the shadow
 *
 * Predictions are the simulator's times, moved so that none lies before a measured time of its
 * stream:
 *
 *      measured     |== a ==|==== b ====|
 *      the shadow   |= a =|== b ==|= c =|
 *      shown        |== a ==|==== b ====|- c -|       ahead: b's end minus its prediction */
#include "cuda/control.h"
#include "base/arithmetic.h"

static size_t lane_number(int rank, int stream)
{
	return (size_t)rank * (STREAMS_MAX + 1) + stream;
}

static int64_t end_of(const struct control *control, op_id id)
{
	const struct measured *one = measurements_find(&control->measured, id);
	return one ? one->end : 0;
}

/* Returns the earlier measured operation with the latest end on the streams that hold `op` back:
 * all streams for an operation of the host, else by rule 7 of backend.h. */
static op_id last_before(const struct control *control, const struct op *op)
{
	const struct world *world = control->world;
	const struct stream *own = world_stream(world, op->rank, op->stream), *other;
	op_id last = 0;
	for (int s = STREAM_DEFAULT; (other = world_stream(world, op->rank, s)) != NULL; s++) {
		op_id id = control->times.lane_last[lane_number(op->rank, s)];
		bool counts = op->stream == STREAM_HOST ||
		        (s != op->stream &&
		                (op->stream == STREAM_DEFAULT ? other->blocking
		                                              : own->blocking && s == STREAM_DEFAULT));
		if (counts && id && world->ops[id].number < op->number &&
		        end_of(control, id) > end_of(control, last))
			last = id;
	}
	return last;
}

/* Returns the operation that delayed `one`; 0 if only its own stream or its peers did. */
static op_id blame_of(const struct control *control, const struct measured *one)
{
	const struct op *op = &control->world->ops[one->id];
	if (op->target && one->end > one->ready)
		return op->target == OP_EVERYTHING ? last_before(control, op) : op->target;
	if (op->stream == STREAM_HOST)
		return 0;
	op_id before = control->times.lane_last[lane_number(op->rank, op->stream)];
	op_id holder = last_before(control, op);
	return holder && end_of(control, holder) > most_of(one->issue, end_of(control, before)) ? holder : 0;
}

/* A rank's clock counts what its host issued or did itself. */
static void measurement_note(struct control *control, struct measured *one)
{
	const struct op *op = &control->world->ops[one->id];
	op_id *last = &control->times.lane_last[lane_number(op->rank, op->stream)];
	one->blame = blame_of(control, one);
	control->times.latest = most_of(control->times.latest, one->end);
	control->times.clock[op->rank] =
	        most_of(control->times.clock[op->rank], op->stream == STREAM_HOST ? one->end : one->issue);
	if (!*last || control->world->ops[*last].number < op->number)
		*last = one->id;
}

void control_note_news(struct control *control)
{
	for (; control->times.measured < control->measured.known; control->times.measured++) {
		struct measured *one =
		        &control->measured.at[control->measured.order[control->times.measured]];
		measurement_note(control, one);
		/* marks its outputs, also in other ranks' windows, invalid; an abort has already
		 * done so */
		if (one->undone && !(control->world->ops[one->id].flags & OPF_ABORTED))
			world_mark_outputs(control->world, one->id, one->id);
	}
}

static int64_t predictions_ahead(struct control *control)
{
	const struct world *world = control->world;
	if (control->times.ahead_of == control->times.measured && control->times.ahead_ops == world->op_count)
		return control->times.ahead;
	control->times.ahead = 0;
	for (size_t i = 0; i < world->stream_count; i++) {
		const struct stream *stream = &world->streams[i];
		op_id last = control->times.lane_last[lane_number(stream->rank, stream->number)];
		int64_t foreseen = last ? backend_times(control->shadow, last).end : TIME_UNKNOWN;
		if (foreseen != TIME_UNKNOWN)
			control->times.ahead =
			        most_of(control->times.ahead, end_of(control, last) - foreseen);
	}
	control->times.ahead_of = control->times.measured;
	control->times.ahead_ops = world->op_count;
	return control->times.ahead;
}

static void time_add(int64_t *time, int64_t by)
{
	if (*time != TIME_UNKNOWN)
		*time += by;
}

/* A collective starts with the last member that counts, and after the previous one of its part; a
 * transfer when both sides are ready. */
static int64_t start_of(struct control *control, const struct measured *one)
{
	const struct world *world = control->world;
	int64_t start = one->start;
	bool spares = op_record(world, one->id)->backup > 0;
	if (spares && !spares_counts(world, one->id))
		return start;
	FOR_MATCHES (of, world, one->id) {
		const struct match *match = of.match;
		for (int place = 0; place < match->n; place++) {
			const struct measured *other =
			        measurements_find(&control->measured, match->member[place]);
			if (other && !(spares && !spares_counts(world, match->member[place])))
				start = most_of(start, other->ready);
		}
		int own = world->groups[match->group].place_of[world->ops[one->id].rank];
		if (!match->p2p && match->before)
			start = most_of(start, end_of(control, world->matches[match->before].member[own]));
	}
	return least_of(start, one->end);
}

bool control_predicted(struct backend *backend, op_id id, struct times *times)
{
	struct backend *shadow = control_of(backend)->shadow;
	shadow->times(shadow, id, times);
	return true;
}

/* If all work before it on its stream is measured, an operation is ready at that work's end. */
static void times_predict(struct control *control, op_id id, struct times *times)
{
	const struct op *op = &control->world->ops[id];
	op_id before = control->times.lane_last[lane_number(op->rank, op->stream)];
	int64_t by = predictions_ahead(control);
	times->projected = true;
	times->answered = false;
	time_add(&times->issue, by);
	if (before && control->world->ops[before].next_stream == id && op->stream != STREAM_HOST &&
	        op_record(control->world, id)->kind != OP_WAIT && times->ready != TIME_UNKNOWN)
		by = most_of(times->issue, end_of(control, before)) - times->ready;
	time_add(&times->ready, by);
	time_add(&times->start, by);
	time_add(&times->end, by);
}

void control_times(struct backend *backend, op_id id, struct times *times)
{
	struct control *control = control_of(backend);
	const struct measured *one = measurements_find(&control->measured, id);
	control_predicted(backend, id, times);
	if (!one) {
		times_predict(control, id, times);
		return;
	}
	times->issue = one->issue;
	times->ready = one->ready;
	times->start = start_of(control, one);
	times->end = one->end;
	times->launch = one->launch;
	times->blame = one->blame;
	times->projected = false;
	times->divided = one->divided != 0;
	times->sent_nothing |= one->undone != 0;
	times->answered = false;
}

/* The clock is the measured one after the first publication. */
void control_host(struct backend *backend, int rank, struct host_now *now)
{
	struct control *control = control_of(backend);
	control->shadow->host(control->shadow, rank, now);
	now->clock = control->published ? control->times.clock[rank] : now->clock;
}
