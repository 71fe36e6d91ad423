/* rows.c -- finds rows of commands, functions and metrics by name.
 *
 * Commands are added when the process starts: to a list sorted for `help` and completion, and to a
 * hash table for the parser (open addressing, under half full). */
#include "shell/language/parse/rows.h"
#include "shell/language/parse/lex.h"
#include "base/search.h"

#include <assert.h>
#include <stdlib.h>

enum { ROWS_MAX = 400, SLOTS = 1024, BESIDES_MAX = 4 };
static struct {
	const struct command *row[ROWS_MAX]; /* by name */
	int count;
	const struct command *slot[SLOTS];
	const struct command *beside[BESIDES_MAX];
	int besides;
} table;

static unsigned slot_of(struct slice_of_text name)
{
	unsigned i = (unsigned)(hash_bytes(HASH_BEGIN, name.at, name.length) % SLOTS);
	while (table.slot[i] && !slice_is(name, table.slot[i]->name))
		i = (i + 1) % SLOTS;
	return i;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct command *const *)a)->name, (*(const struct command *const *)b)->name);
}

void rows_add(const struct command *const *rows)
{
	bool first = !table.count;
	for (; *rows; rows++) {
		assert(table.count < ROWS_MAX);
		if ((*rows)->beside_kernel) {
			assert(table.besides < BESIDES_MAX);
			table.row[table.count++] = table.beside[table.besides++] = *rows;
			continue;
		}
		unsigned i = slot_of(slice_of_string((*rows)->name));
		assert(!first || !table.slot[i]);
		if (table.slot[i])
			continue;
		table.slot[i] = *rows;
		table.row[table.count++] = *rows;
	}
	qsort(table.row, table.count, sizeof *table.row, by_name);
}

const struct command *command_called(struct slice_of_text name)
{
	return table.slot[slot_of(name)];
}

const struct command *command_beside_kernel(struct slice_of_text name)
{
	for (int i = 0; i < table.besides; i++)
		if (slice_is(name, table.beside[i]->name))
			return table.beside[i];
	return NULL;
}

const struct command *command_find(const char *name)
{
	return command_called(slice_of_string(name));
}

const struct command *commands_at(int i)
{
	return i >= 0 && i < table.count ? table.row[i] : NULL;
}

const char *command_near(const char *word)
{
	const char *near = NULL;
	int best = text_too_far(word);
	for (int i = 0; commands_at(i); i++)
		if (text_nearer(word, commands_at(i)->name, &best))
			near = commands_at(i)->name;
	return near;
}

static const struct function_row functions[] = {
#define X(symbol, compute, name, least, kinds, nature) \
	{FUNCTION_##symbol, name, least, kinds, NATURE_##nature},
        FUNCTIONS(X)
#undef X
};

const struct function_row *function_find(struct slice_of_text name)
{
	for (int i = 0; i < FUNCTION_ROWS; i++)
		if (slice_is(name, functions[i].name))
			return &functions[i];
	return NULL;
}

const char *function_near(const char *word)
{
	const char *near = NULL;
	int best = text_too_far(word);
	for (int i = 0; i < FUNCTION_ROWS; i++)
		if (text_nearer(word, functions[i].name, &best))
			near = functions[i].name;
	return near;
}
