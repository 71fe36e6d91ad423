/* holders.c -- the operations of its own rank that an operation waited for
 *
 * Several may hold up an operation in turn (the default stream's implicit waits, a copy engine,
 * its group's earlier collectives); a backend reports at most the last one, so they are found
 * here. */
#include "base/search.h"
#include "backend/cost.h"
#include "trace/lanes.h"

const struct moment *lanes_last_before(const struct lanes *lanes, int stream, const struct moment *m)
{
	uint32_t first = lanes->first[stream], count = lanes->first[stream + 1] - first, behind;
	size_t at = (size_t)(m - lanes->moment);
	SEARCH(behind, count, lanes->order[first + behind] >= at);
	return behind ? moment_at(lanes, first + behind - 1) : NULL;
}

static void take_later(const struct moment **last, const struct moment *m)
{
	if (m && (!*last || m->t.end > (*last)->t.end))
		*last = m;
}

const struct moment *lanes_holder(const struct lanes *lanes, const struct moment *m, int stream)
{
	bool by_default = m->stream != STREAM_DEFAULT;
	int other = by_default ? m->stream : stream;
	bool holds = lanes->blocking && by_default == (stream == STREAM_DEFAULT) &&
	        world_stream(lanes->trace->world, lanes->rank, other)->blocking;
	return holds ? lanes_last_before(lanes, stream, m) : NULL;
}

const struct moment *lanes_held_back(const struct lanes *lanes, const struct moment *m)
{
	const struct moment *last = NULL;
	for (int s = STREAM_DEFAULT; s < lanes->streams; s++)
		take_later(&last, lanes_holder(lanes, m, s));
	return last;
}

const struct moment *lanes_last_done(const struct lanes *lanes, const struct moment *sync)
{
	const struct moment *last = NULL;
	for (int s = STREAM_DEFAULT; s < lanes->streams; s++)
		take_later(&last, lanes_last_before(lanes, s, sync));
	if (!last || last->t.end != TIME_UNKNOWN)
		return last;
	/* the first of its stream that never ends blocks the others */
	uint32_t first = lanes->first[last->stream], at;
	SEARCH(at, last->place - first, moment_at(lanes, first + at)->t.end == TIME_UNKNOWN);
	return moment_at(lanes, first + at);
}

static int engine_of(const struct world *world, op_id id)
{
	const struct record *record = op_record(world, id);
	enum copy_way way = record->kind == OP_COPY ? copy_way(record) : COPY_ENGINES;
	return way < COPY_ENGINES ? (int)way : -1;
}

static op_id copy_at(
        const struct lanes *lanes, const struct moment *n, int64_t at, int64_t to, int64_t *until)
{
	const struct world *world = lanes->trace->world;
	int engine = engine_of(world, n->id);
	const struct moment *found = NULL;
	for (int s = STREAM_DEFAULT; s < lanes->streams && engine >= 0; s++) {
		uint32_t i = lanes_after(lanes, s, at), end = lanes->first[s + 1];
		for (; i < end && moment_at(lanes, i)->t.start < to; i++) {
			const struct moment *m = moment_at(lanes, i);
			if (m == n || m->kind != OP_COPY || engine_of(world, m->id) != engine)
				continue;
			if (!found || m->t.start < found->t.start)
				found = m;
			break;
		}
	}
	*until = found ? found->t.end : to;
	return found ? found->id : 0;
}

/* Returns the rank's operation in a collective that had the group's turn before `to`; another
 * member's if the collective went on without the rank. */
static op_id part_of(const struct lanes *lanes, const struct match *match, int place, int64_t to)
{
	struct backend *backend = lanes->trace->backend;
	op_id own = match->member[place];
	if (!own || backend_times(backend, own).end <= to)
		return own;
	for (int i = 0; i < match->n; i++) {
		op_id id = match->member[i];
		if (id && backend_times(backend, id).end <= to)
			return id;
	}
	return own;
}

static op_id turn_at(
        const struct lanes *lanes, const struct moment *n, int64_t at, int64_t to, int64_t *until)
{
	const struct world *world = lanes->trace->world;
	const struct match *match = &world->matches[world->ops[n->id].match];
	int place = world->groups[match->group].place_of[lanes->rank];
	op_id found = 0;
	*until = to;
	while (match->before) {
		match = &world->matches[match->before];
		op_id id = part_of(lanes, match, place, to);
		int64_t ends = id ? backend_times(lanes->trace->backend, id).end : 0;
		if (ends <= at)
			break;
		found = id;
		*until = ends;
	}
	return found;
}

op_id lanes_engine(const struct lanes *lanes, const struct moment *n, int64_t at, int64_t to, int64_t *until)
{
	bool meets = n->kind == OP_COLLECTIVE && lanes->trace->world->ops[n->id].match;
	return meets ? turn_at(lanes, n, at, to, until) : copy_at(lanes, n, at, to, until);
}
