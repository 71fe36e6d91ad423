/* sets.c -- which ranks look alike in a window: their spans are hashed, and kept until they are painted
 *
 * One pass over the ranks, one rank's lanes in memory at a time. Finding a lane's spans is most of the work
 * of a frame, so the spans of the rows that will be shown are handed from the pass to the painter. */
#include "trace/sets.h"
#include "base/memory.h"
#include "trace/picture.h"

/* The lanes of the rank that is looked at */
struct look {
	struct lanes lanes;
	struct spans spans[STREAMS_MAX + 1];
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* From, to, cause and looks of each span: what is painted, and nothing else. Two ranks that differ in the
 * operations' numbers alone look the same. */
static uint64_t hash_spans(const struct spans *spans, uint64_t hash)
{
	for (size_t i = 0; i < spans->count; i++) {
		const struct span *s = &spans->span[i];
		hash = mix(hash, s->from * UINT64_C(0xc2b2ae3d27d4eb4f) ^ s->to);
		hash = mix(hash,
		        (uint64_t)s->looks << 32 | (uint64_t)s->kind << 16 | (uint64_t)s->cause << 8 |
		                s->projected);
	}
	return hash;
}

/* A stream that was only made has one span: nothing more is queued */
static bool shows_anything(const struct spans *spans)
{
	for (size_t i = 0; i < spans->count; i++)
		if (spans->span[i].kind == SPAN_WORK || spans->span[i].cause != CAUSE_DONE)
			return true;
	return false;
}

/* Of a picture of some streams only those */
static bool is_wanted(const struct lanes *lanes, const struct timeline_options *options, int stream)
{
	const struct stream *s = world_stream(lanes->trace->world, lanes->rank, stream);
	bool found = options->lanes == 0;
	for (int i = 0; i < options->lanes && s; i++)
		found |= options->lane[i] == s->name;
	return found;
}

/* Hash and shown lanes of one loaded rank. The host is always shown, unless other lanes are asked for. The hash takes a lane's number and, of a
 * stream that the user made, its name: the same work on streams of different names makes different rows. */
static void look_at(
        struct look *look, const struct timeline_options *options, struct window window, struct alike *alike)
{
	const struct lanes *lanes = &look->lanes;
	const struct world *world = lanes->trace->world;
	bool measures = lanes->trace->backend->measures;

	*alike = (struct alike){.hash = lanes->streams, .first = lanes->rank};
	for (int stream = 0; stream < lanes->streams; stream++) {
		struct spans *spans = &look->spans[alike->lanes];
		if (!is_wanted(lanes, options, stream))
			continue;
		lanes_spans(lanes, stream, window, spans);
		if (options->now >= 0)
			spans_cut(lanes->trace, spans,
			        options->now + (int64_t)backend_uncertainty(lanes->trace->backend));
		if (stream != STREAM_HOST && !shows_anything(spans))
			continue;
		alike->lane[alike->lanes++] = stream;
		alike->hash = mix(alike->hash, stream);
		if (!measures)
			alike->hash = hash_spans(spans, alike->hash);
		if (stream > STREAM_DEFAULT)
			alike->hash =
			        mix(alike->hash, (unsigned)world_stream(world, lanes->rank, stream)->name);
	}
}

/* Has the stream's lane shown work before `from`? Never the host's. */
static bool lane_begun_before(const struct lanes *lanes, int stream, int64_t from)
{
	for (uint32_t i = lanes->first[stream]; stream != STREAM_HOST && i < lanes->first[stream + 1]; i++) {
		const struct moment *m = &lanes->moment[lanes->order[i]];
		if (m->t.start == TIME_UNKNOWN || m->t.start >= from)
			return false;
		if (trace_is_work(m->kind))
			return true;
	}
	return false;
}

/* The rank's lanes become rows: the spans of those that are shown are taken away from `look`. */
static void show(struct sets *sets, const struct timeline_options *options, struct window window,
        struct look *look, const struct alike *alike)
{
	int first = options->first_row > 0 ? options->first_row : 0;
	for (int k = 0, row = sets->rows; k < alike->lanes; k++, row++) {
		if (row < first || (options->rows > 0 && row - first >= options->rows))
			continue;
		*MEM_ADD(&sets->shown, &sets->shown_count) = (struct shown_lane){.alike = sets->count,
		        .lane = k,
		        .spans = look->spans[k],
		        .begun = lane_begun_before(&look->lanes, alike->lane[k], window.from)};
		look->spans[k] = (struct spans){0};
	}
}

static bool looks_like(const struct alike *set, const struct timeline_options *options, struct window window,
        const struct look *look, const struct alike *alike)
{
	bool same = set->hash == alike->hash && set->lanes == alike->lanes;
	for (int k = 0; set->spans && k < set->lanes && same; k++)
		same = spans_alike(&set->spans[k], &look->spans[k], window, options->width);
	return same;
}

/* Copies: the rows take those that they show. */
static struct spans *keep(const struct look *look, int lanes)
{
	struct spans *kept = mem_alloc((size_t)lanes * sizeof *kept);
	for (int k = 0; k < lanes; k++)
		for (size_t i = 0; i < look->spans[k].count; i++)
			*MEM_ADD(&kept[k].span, &kept[k].count) = look->spans[k].span[i];
	return kept;
}

/* The rank joins the set that looks like it, or begins one of its own. */
static void join(struct sets *sets, const struct timeline_options *options, struct window window,
        struct look *look, const struct alike *alike)
{
	for (size_t i = 0; options->merge && i < sets->count; i++)
		if (looks_like(&sets->set[i], options, window, look, alike)) {
			ranks_add(&sets->set[i].ranks, alike->first);
			return;
		}
	bool measures = look->lanes.trace->backend->measures;
	struct spans *kept = measures && options->merge ? keep(look, alike->lanes) : NULL;
	show(sets, options, window, look, alike);
	struct alike *added = MEM_ADD(&sets->set, &sets->count);
	*added = *alike;
	added->spans = kept;
	ranks_one(&added->ranks, alike->first);
	sets->rows += alike->lanes;
}

enum status sets_find(const struct trace *trace, const struct timeline_options *options, struct window window,
        struct sets *sets)
{
	struct look look = {0};
	struct alike alike = {0};
	enum status status = ST_OK;

	for (int rank = 0; rank < trace->world->n && status == ST_OK; rank++) {
		if (options->ranks && !ranks_has(options->ranks, rank))
			continue;
		status = lanes_load(&look.lanes, trace, rank);
		if (status != ST_OK)
			break;
		look_at(&look, options, window, &alike);
		join(sets, options, window, &look, &alike);
	}
	lanes_release(&look.lanes);
	for (int i = 0; i <= STREAMS_MAX; i++)
		spans_release(&look.spans[i]);
	return status;
}

int sets_row_of(const struct sets *sets, int rank, int stream)
{
	int row = 0;
	for (size_t i = 0; i < sets->count; row += sets->set[i++].lanes)
		for (int k = 0; ranks_has(&sets->set[i].ranks, rank) && k < sets->set[i].lanes; k++)
			if (sets->set[i].lane[k] == stream)
				return row + k;
	return -1;
}

void sets_release(struct sets *sets)
{
	for (size_t i = 0; i < sets->shown_count; i++)
		spans_release(&sets->shown[i].spans);
	for (size_t i = 0; i < sets->count; i++) {
		for (int k = 0; sets->set[i].spans && k < sets->set[i].lanes; k++)
			spans_release(&sets->set[i].spans[k]);
		mem_free(sets->set[i].spans);
	}
	mem_free(sets->shown);
	mem_free(sets->set);
}
