/* brings.c -- the tensor and line that each member brings to a match; NCCL knows neither
 *
 *      allreduce 1 in world: rank 0 brings g1 (line 5), rank 1 brings g2 (line 6): NCCL adds them
 *      because the sizes are equal
 *      in world: rank 0 calls barrier (line 2), rank 1 calls allreduce g (line 3) */
#include "base/ranks.h"
#include "collectives/collective.h"
#include "trace/lanes.h"
#include "trace/why.h"

#include <string.h>

/* Appends " brings g1 (line 5)", " calls allreduce g (line 3)" or " sends a (line 2)"; one: a
 * single rank. */
static void put_member(const struct trace *trace, const struct match *match, int place, bool one, bool calls,
        struct text *out)
{
	const struct world *world = trace->world;
	const char *verb = match->p2p ? (place == 0 ? "send" : "receive") : calls ? "call" : "bring";
	const char *s = one ? "s" : "";
	name_id brought = world_brought(world, match, place);

	text_add(out, " %s%s", verb, s);
	if (calls)
		text_add(out, " %s", names_text(world->names, op_record(world, match->member[place])->title));
	if (brought)
		text_add(out, " %s", names_text(world->names, brought));
	trace_put_line_behind(trace, match->member[place], out);
}

uint32_t trace_brings_differ(const struct world *world, op_id id)
{
	int first[BRINGS_MOST], count;
	enum op_kind kind = op_record(world, id)->kind;
	const uint32_t *matches = op_matches(world, id, &count);

	for (int i = 0; i < count && (kind == OP_COLLECTIVE || kind == OP_P2P); i++) {
		const struct match *match = &world->matches[matches[i]];
		if (match->mismatch ? world_brings(world, match, first, NULL) > 1
		                    : !match->p2p && world_brings_differ(world, match))
			return matches[i];
	}
	return 0;
}

void trace_put_brings(const struct trace *trace, uint32_t index, struct text *out)
{
	const struct world *world = trace->world;
	const struct match *match = &world->matches[index];
	struct text called = {0};
	struct ranks ranks[BRINGS_MOST] = {0};
	int first[BRINGS_MOST], count = world_brings(world, match, first, ranks);
	name_id title = op_record(world, match->member[match->first])->title;
	bool calls = false; /* they differ in these */
	for (int i = 0; !match->p2p && i < match->n; i++)
		calls |= match->member[i] && op_record(world, match->member[i])->title != title;

	op_text(world, match->member[match->first], &called); /* "allreduce#1" */
	if (!calls)
		text_add(out, "%.*s %s ", (int)strcspn(text_string(&called), "#"), text_string(&called),
		        strchr(text_string(&called), '#') + 1);
	text_add(out, "in %s: ", names_text(world->names, world->groups[match->group].name));
	text_release(&called);
	for (int k = 0; k < count; k++) {
		bool one = ranks_count(&ranks[k]) == 1;
		text_add(out, "%s", k ? ", " : "");
		trace_put_ranks(&ranks[k], out);
		put_member(trace, match, first[k], one, calls, out);
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
