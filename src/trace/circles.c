/* circles.c -- texts about the tensor and line that each member brings to a match, which NCCL does
 * not know, and about orders of issue in which NCCL can hang
 *
 *      allreduce 1 in world: rank 0 brings g1 (line 5), rank 1 brings g2 (line 6): NCCL adds them
 *      because the sizes are equal
 *      in world: rank 0 calls barrier (line 2), rank 1 calls allreduce g (line 3)
 *      ranks 0 and 1 queue operations of world in opposite orders: NCCL can hang
 *         rank 0: reduce r (line 4), then send x (line 4)
 *         rank 1: recv x (line 5), then reduce r (line 5) */
#include "base/ranks.h"
#include "trace/why.h"
#include "waits/circles.h"
#include "collectives/collective.h"
#include "trace/lanes.h"

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
	int first[BRINGS_MOST];

	FOR_MATCHES (of, world, id)
		if (of.match->mismatch ? world_brings(world, of.match, first, NULL) > 1
		                       : !of.match->p2p && world_brings_differ(world, of.match))
			return of.index;
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
	bool calls = false; /* they call different collectives */
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

enum { NAMED_HOPS = 8, NAMED_POSSIBLE = 4 };

static void put_operation(const struct trace *trace, op_id id, bool group, struct text *out)
{
	const struct world *world = trace->world;

	op_label(world, id, out);
	if (group)
		text_add(out, " in %s",
		        names_text(world->names, world->groups[op_record(world, id)->group].name));
	trace_put_line_behind(trace, id, out);
}

static void put_groups(const struct world *world, const struct circle *circle, struct text *out)
{
	int group[NAMED_HOPS], count = 0;

	for (size_t i = 0; i < circle->hops && count < NAMED_HOPS; i++) {
		int own = op_record(world, circle->hop[i].first)->group, k = count;
		while (k > 0 && group[k - 1] >= own)
			k--;
		if (k < count && group[k] == own)
			continue;
		memmove(&group[k + 1], &group[k], (size_t)(count - k) * sizeof *group);
		group[k] = own;
		count++;
	}
	for (int k = 0; k < count; k++)
		text_add(out, "%s%s",
		        k == 0                   ? ""
		                : k == count - 1 ? " and "
		                                 : ", ",
		        names_text(world->names, world->groups[group[k]].name));
}

static void put_head(const struct world *world, const struct circle *circle, bool across, struct text *out)
{
	struct ranks set = {0};

	for (size_t i = 0; i < circle->hops; i++)
		ranks_add(&set, world->ops[circle->hop[i].first].rank);
	text_add(out, across ? "possible: ranks " : "ranks ");
	if (circle->hops == 2)
		text_add(out, "%d and %d", ranks_first(&set), ranks_next(&set, ranks_first(&set)));
	else
		ranks_text(&set, out);
	text_add(out, " queue operations of ");
	put_groups(world, circle, out);
	text_add(out, " in %s: NCCL can hang", circle->hops == 2 ? "opposite orders" : "a circle");
	if (across)
		text_add(out, " if their kernels do not run side by side");
}

static void put_circle(
        const struct trace *trace, const struct circle *circle, bool across, int width, struct text *out)
{
	const struct world *world = trace->world;
	struct text words = {0};
	size_t lowest = 0;

	put_head(world, circle, across, &words);
	text_wrapped(out, text_string(&words), 3, width);
	text_release(&words);
	for (size_t i = 0; i < circle->hops; i++)
		if (world->ops[circle->hop[i].first].rank < world->ops[circle->hop[lowest].first].rank)
			lowest = i;
	for (size_t i = 0; i < circle->hops && i < NAMED_HOPS; i++) {
		const struct circle_hop *hop = &circle->hop[(lowest + i) % circle->hops];
		text_add(out, "      rank %d: ", world->ops[hop->first].rank);
		put_operation(trace, hop->first, across, out);
		text_add(out, ", then ");
		put_operation(trace, hop->second, across, out);
		text_add(out, "\n");
	}
	if (circle->hops > NAMED_HOPS)
		text_add(out, "      and %zu more ranks\n", circle->hops - NAMED_HOPS);
	if (!across)
		text_wrapped(out,
		        "fuse a rank's pair by `together { }`, or give one of the two its own group", 6,
		        width);
}

void trace_circles(const struct trace *trace, size_t first, int width, struct text *out)
{
	const struct circles *circles = trace->world->circles;

	for (size_t i = first; circles && i < circles->count; i++)
		put_circle(trace, &circles->circle[i], false, width, out);
}

void trace_orders(const struct trace *trace, int width, struct text *out)
{
	const char *warning;

	for (size_t i = 0; (warning = world_order_warning(trace->world, i)); i++)
		text_add(out, "   %s\n", warning);
	trace_circles(trace, 0, width, out);
	trace_swaps(trace, 0, width, out);
	struct circles *possible = circles_possible(trace->world);
	for (size_t i = 0; i < possible->count && i < NAMED_POSSIBLE; i++)
		put_circle(trace, &possible->circle[i], true, width, out);
	if (possible->count > NAMED_POSSIBLE)
		text_add(out, "   and %zu more are possible\n", possible->count - NAMED_POSSIBLE);
	circles_free(possible);
}
