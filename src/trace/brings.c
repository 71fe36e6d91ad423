/* brings.c -- what each member brings to a collective, in words: its tensor and its line, which NCCL does not know
 *
 *      allreduce 1 in world: rank 0 brings g1 (line 5), rank 1 brings g2 (line 6): NCCL adds them because the sizes are
 *      equal */
#include "base/ranks.h"
#include "collectives/collective.h"
#include "trace/trace.h"
#include "trace/why.h"

#include <string.h>

void trace_put_brings(const struct trace *trace, uint32_t index, struct text *out)
{
	const struct world *world = trace->world;
	const struct match *match = &world->matches[index];
	struct text called = {0};
	struct ranks ranks[BRINGS_MOST] = {0};
	int first[BRINGS_MOST], count = world_brings(world, match, first, ranks);

	op_text(world, match->member[match->first], &called); /* "allreduce#1" */
	text_add(out, "%.*s %s in %s: ", (int)strcspn(text_string(&called), "#"), text_string(&called),
	        strchr(text_string(&called), '#') + 1,
	        names_text(world->names, world->groups[match->group].name));
	text_release(&called);
	for (int k = 0; k < count; k++) {
		bool one = ranks_count(&ranks[k]) == 1;
		text_add(out, "%s%s ", k ? ", " : "", one ? "rank" : "ranks");
		ranks_text(&ranks[k], out);
		text_add(out, " bring%s %s", one ? "s" : "",
		        names_text(world->names, world_brought(world, match, first[k])));
		trace_put_line_behind(trace, match->member[first[k]], out);
	}
}

void trace_put_swap(const struct trace *trace, uint32_t index, int width, struct text *out)
{
	const struct match *match = &trace->world->matches[index];
	const struct record *record = op_record(trace->world, match->member[match->first]);
	bool adds = record->collective->reduces && record->reduction <= REDUCE_AVG;
	struct text words = {0};

	trace_put_brings(trace, index, &words);
	text_add(&words, ": NCCL %s because the sizes are equal",
	        adds                                  ? "adds them"
	                : record->collective->reduces ? "reduces them to one"
	                                              : "takes them as one call");
	text_wrapped(out, text_string(&words), 3, width);
	text_release(&words);
}

void trace_swaps(const struct trace *trace, size_t first, int width, struct text *out)
{
	uint32_t match;

	for (size_t i = first; (match = world_swapped(trace->world, i)); i++)
		trace_put_swap(trace, match, width, out);
}
