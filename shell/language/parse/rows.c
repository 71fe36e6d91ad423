/* rows.c -- the commands by name.
 *
 * The one table of the process that is filled while it runs: handed down at the start, and never changed.
 * Two views of it: sorted for `help` and completion, hashed for the parser, which asks once a line. Names
 * are found by their first place in an open-addressed table, under half full, where the next free slot
 * is never far. */
#include "shell/language/parse/rows.h"
#include "shell/language/parse/lex.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 400, SLOTS = 1024, BESIDES_MAX = 4 };
static struct {
	const struct command *row[ROWS_MAX]; /* by name */
	int count;
	const struct command *slot[SLOTS]; /* by hash of the name, open addressing */
	const struct command *beside[BESIDES_MAX];
	int besides;
} table;

/* Where the row of that name is, or where it would go */
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

/* Sorted anew for each set of rows: there are two, when the process starts */
void rows_add(const struct command *const *rows)
{
	for (; *rows; rows++) {
		if ((*rows)->beside_kernel) {
			table.row[table.count++] = table.beside[table.besides++] = *rows;
			continue;
		}
		unsigned i = slot_of(slice_of_string((*rows)->name));
		if (table.slot[i] || table.count == ROWS_MAX)
			continue; /* a command of that name comes first */
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

/* The least edit distance wins, and of equals the first by name. Short words may differ in one letter, since
 * any of them is two letters away from something. */
const char *command_near(const char *word)
{
	const char *near = NULL;
	int best = text_too_far(word);
	for (int i = 0; commands_at(i); i++)
		if (text_nearer(word, commands_at(i)->name, &best))
			near = commands_at(i)->name;
	return near;
}
