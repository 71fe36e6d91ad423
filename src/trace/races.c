/* races.c -- races in words: the accesses, and the line that would order them
 *
 *     race: `relu` on compute reads x while `copy` on io writes it. `wait compute on io` between
 *        the two puts them in order.                                                      [0-3] */
#include "base/memory.h"
#include "trace/why.h"
#include "trace/lanes.h"
#include "trace/table.h"
#include "races/races.h"

#include <stdlib.h>
#include <string.h>

/* Returns how an operation uses the bytes at the race's address: "writes", "reads". */
static const char *use_of(const struct record *record, const struct race *race)
{
	bool reads = false;

	for (int i = 0; i < record->operands; i++) {
		const struct operand *operand = &record->operand[i];
		if (operand->space != race->space || race->address < operand->address ||
		        race->address >= operand->address + layout_span(&operand->layout))
			continue;
		if (operand->access & ACCESS_WRITE)
			return "writes";
		reads = true;
	}
	return reads ? "reads" : "uses";
}

/* "`relu` on compute reads ", or "`relu` on side in graph g reads " if the other operation is of
 * another launch */
static void put_user(const struct trace *trace, op_id id, const struct race *race, struct text *out)
{
	const struct op *op = &trace->world->ops[id];
	const struct launch *launch = world_launch(trace->world, id);
	const char *use = use_of(op_record(trace->world, id), race);

	text_add(out, "`%s` on %s ", op_called(trace->world, id, strcmp(use, "writes") == 0),
	        trace_lane_name(trace, op->rank, op->stream));
	if (launch && launch->stream != op->stream &&
	        (race->earlier < launch->first || race->later > launch->last))
		text_add(out, "in graph %s ", names_text(trace->world->names, launch->name));
	text_add(out, "%s ", use);
}

/* If the memory was freed in between, that `free` lacks its stream. */
static void put_race(const struct trace *trace, const struct race *race, bool cure, struct text *out)
{
	const struct world *world = trace->world;
	const struct names *names = world->names;
	const struct handout *freed = world_freed_between(
	        world, race->earlier, race->later, (enum space)race->space, race->address);
	bool same_name = race->earlier_name == race->later_name && !freed;

	text_add(out, "race: ");
	put_user(trace, race->earlier, race, out);
	text_add(out, "%s while ", names_text(names, race->earlier_name));
	put_user(trace, race->later, race, out);
	text_add(out, "%s", same_name ? "it" : names_text(names, race->later_name));
	if (freed) {
		text_add(out, ", in the memory of ");
		memory_freed_text(world, freed, out);
	}
	text_add(out, ".");
	if (!cure) {
		text_add(out, " Nothing puts the two in order.");
		return;
	}
	text_add(out, " `");
	if (freed && freed->owner && world->ops[race->later].stream != STREAM_HOST)
		text_add(out, "free %s on %s` there, or `", names_text(names, freed->owner),
		        race_stream(world, race, race->earlier));
	race_remedy(world, race, out);
	text_add(out, "` ");
	if (op_record(world, race->later)->kind == OP_SYNC) {
		text_add(out, "before ");
		trace_put_line(trace, race->later, out);
	} else {
		text_add(out, "between the two");
	}
	text_add(out, "%s puts them in order.", freed ? "," : "");
}

/* Appends words wrapped at `width`, with the ranks at the right end of the last line or on their
 * own. */
static void put_wrapped(const char *words, const char *ranks, int width, struct text *out)
{
	enum { INDENT = 3 };
	int column = 0, right = text_columns(ranks) + 2;

	while (*words) {
		size_t length = strcspn(words, " ");
		if (*words == '`') {
			size_t quoted = strcspn(words + 1, "`") + 2;
			length = quoted + strcspn(words + quoted, " ");
		}
		int columns = length;
		if (column > INDENT && column + 1 + columns > width) {
			text_add(out, "\n");
			column = 0;
		}
		text_repeat(out, " ", column ? 1 : INDENT);
		text_put(out, words, length);
		column += (column ? 1 : INDENT) + columns;
		words += length;
		words += *words == ' ';
	}
	if (column + right + 2 > width) {
		text_add(out, "\n");
		column = 0;
	}
	text_repeat(out, " ", width - column - right);
	text_add(out, "[%s]\n", ranks);
}

/* Races of the same two operations, one for each pair of names, are ordered by name. */
static int by_order(const void *a, const void *b, void *names)
{
	const struct race *x = a, *y = b;
	if (x->later != y->later || x->earlier != y->earlier)
		return x->later != y->later ? (x->later > y->later) - (x->later < y->later)
		                            : (x->earlier > y->earlier) - (x->earlier < y->earlier);
	return x->earlier_name != y->earlier_name
	        ? strcmp(names_text(names, x->earlier_name), names_text(names, y->earlier_name))
	        : strcmp(names_text(names, x->later_name), names_text(names, y->later_name));
}

/* In program order, because the order of discovery depends on the queries. */
void trace_races(const struct trace *trace, size_t first, bool cure, int width, struct text *out)
{
	const struct world *world = trace->world;
	const struct races *races = world->races;
	struct blocks blocks = {0};
	struct text words = {0};
	size_t count = races && races->count > first ? races->count - first : 0;
	struct race *race = mem_alloc(count * sizeof *race);

	for (size_t i = 0; i < count; i++)
		race[i] = races->race[first + i];
	qsort_r(race, count, sizeof *race, by_order, world->names);
	for (size_t i = 0; i < count; i++) {
		text_clear(&words);
		put_race(trace, &race[i], cure, &words);
		blocks_add(&blocks, world->ops[race[i].later].rank, &words);
	}
	mem_free(race);
	for (size_t i = 0; i < blocks.count; i++) {
		text_clear(&words);
		ranks_text(&blocks.block[i].ranks, &words);
		put_wrapped(blocks.block[i].rows, text_string(&words), width, out);
	}
	blocks_release(&blocks);
	text_release(&words);
}
