/* spans_now.c -- a lane's spans cut at the latest host's clock: spans that end later are queued or
 * under way
 *
 *  final    |== a ==|eeee|=== b ===|          b's end is known, but later than every host's clock
 *  drawn    |== a ==|eeee|== b|- b -|---      solid up to now, dimmed after it
 *                             now
 *
 * Spans that may not begin (projected as if nothing more were typed) are dimmed as a whole. */
#include "base/memory.h"
#include "base/search.h"
#include "trace/lanes.h"
#include "trace/picture.h"
#include "trace/trace.h"

#include <string.h>

/* True if its start is final: it is solid up to now. */
static bool is_under_way(const struct trace *trace, const struct span *span)
{
	struct times t;
	if (span->kind != SPAN_WORK || !span->projected || !span->op)
		return false;
	t = backend_times(trace->backend, span->op);
	return !t.divided && (trace->world->ops[span->op].flags & OPF_STARTED);
}

void spans_cut(const struct trace *trace, struct spans *spans, int64_t now, bool passes)
{
	size_t i;
	for (size_t k = 0; passes && k < spans->count && spans->span[k].from < now; k++)
		spans->span[k].projected = false;
	SEARCH(i, spans->count, spans->span[i].to > now);
	for (size_t k = i; k < spans->count; k++)
		if (spans->span[k].from >= now)
			spans->span[k].projected = true;
	if (i == spans->count || spans->span[i].from >= now)
		return;
	struct span *old = &spans->span[i], rest = *old;
	if (is_under_way(trace, old))
		old->projected = false;
	if (old->projected)
		return;
	old->to = rest.from = now;
	rest.projected = true;
	(void)MEM_ADD(&spans->span, &spans->count);
	memmove(&spans->span[i + 2], &spans->span[i + 1], (spans->count - i - 2) * sizeof *spans->span);
	spans->span[i + 1] = rest;
}

void spans_unseen(struct spans *spans, int64_t as_of)
{
	for (size_t i = 0; i < spans->count; i++) {
		struct span *span = &spans->span[i];
		if (span->from >= as_of && span->kind != SPAN_WORK)
			span_blank(span);
	}
}
