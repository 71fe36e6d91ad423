/* rows.c -- the commands by name
 *
 * The one table of the process that is built while it runs: a function of the sources alone, made at the
 * first question and never changed. */
#include "shell/language/parse/rows.h"
#include "shell/language/parse/table.h"
#include "collectives/collective.h"
#include "kernels/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MADE_MAX = 120, ROWS_MAX = 400, SLOTS = 1024 };
struct made_row {
	struct command command;
	const struct kernel *kernel;
	const struct collective *collective;
};
static struct {
	bool ready;
	struct made_row made[MADE_MAX];
	int made_count;
	const struct command *row[ROWS_MAX]; /* by name */
	int count;
	const struct command *slot[SLOTS]; /* by hash of the name, open addressing */
} table;

#define DTYPE_WORDS "f32 bf16 f16 i32"

static unsigned hash(const char *name)
{
	unsigned h = 2166136261u;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h % SLOTS;
}

static void add_row(const struct command *row)
{
	unsigned i = hash(row->name);
	while (table.slot[i] && strcmp(table.slot[i]->name, row->name) != 0)
		i = (i + 1) % SLOTS;
	if (table.slot[i] || table.count == ROWS_MAX)
		return; /* a command of that name comes first */
	table.slot[i] = row;
	table.row[table.count++] = row;
}

static void kernel_arguments(struct command *row, const struct kernel *kernel)
{
	struct argument_row *argument = row->argument;
	argument[KERNEL_TENSORS] =
	        (struct argument_row){ARG_TENSOR, ARG_MANY | ARG_OPTIONAL, NULL, "a tensor"};
	argument[KERNEL_SHAPE] = kernel->source && kernel->outs
	        ? (struct argument_row){ARG_SHAPE, 0, NULL, "a shape"}
	        : (struct argument_row){ARG_WORD, ARG_OPTIONAL, "", "nothing"};
	argument[KERNEL_NUMBERS] =
	        (struct argument_row){ARG_EXPRESSION, ARG_MANY | ARG_OPTIONAL, NULL, "a number"};
	argument[KERNEL_DTYPE] = (struct argument_row){
	        ARG_WORD, ARG_OPTIONAL, kernel->source && kernel->outs ? DTYPE_WORDS : "", "a type"};
	for (int i = 0; i < KERNEL_OPTIONS_MAX && kernel->option[i].name; i++) {
		bool time = kernel->option[i].kind == KO_TIME_NS, plain = kernel->option[i].kind == KO_NUMBER;
		row->option[i] = (struct option_row){kernel->option[i].name,
		        time || plain ? ARG_EXPRESSION : ARG_WORD, time ? UNIT_TIME : UNIT_PLAIN,
		        time || plain ? NULL : DTYPE_WORDS, kernel->option[i].about};
	}
}

static void make_kernel(const struct kernel *kernel)
{
	struct made_row *made = &table.made[table.made_count++];
	made->kernel = kernel;
	made->command = (struct command){.name = kernel->name,
	        .aliases = "",
	        .topic = "compute",
	        .usage = kernel->usage,
	        .help = kernel->help,
	        .example = kernel->example,
	        .torch = kernel->torch,
	        .cuda = kernel->cuda,
	        .class = COMMAND_PROGRAM,
	        .stream_ok = true,
	        .results_ok = true,
	        .run = kernel_run};
	kernel_arguments(&made->command, kernel);
}

static void make_collective(const struct collective *collective)
{
	struct made_row *made = &table.made[table.made_count++];
	bool bare = collective->bare;
	int option = 0;
	made->collective = collective;
	made->command = (struct command){.name = collective->name,
	        .aliases = "",
	        .topic = "move",
	        .usage = collective->usage,
	        .help = collective->help,
	        .example = collective->example,
	        .torch = collective->torch,
	        .cuda = collective->cuda,
	        .class = COMMAND_PROGRAM,
	        .stream_ok = true,
	        .group_ok = true,
	        .results_ok = !bare,
	        .run = collective_run};
	struct command *row = &made->command;
	row->argument[COLLECTIVE_TENSOR] =
	        (struct argument_row){bare ? ARG_WORD : ARG_TENSOR, bare ? ARG_OPTIONAL : 0, "", "a tensor"};
	row->argument[COLLECTIVE_UNROLL] = (struct argument_row){ARG_WORD, ARG_OPTIONAL, "unroll", "unroll"};
	if (collective->reduces)
		row->option[option++] = (struct option_row){
		        "op", ARG_WORD, UNIT_PLAIN, "sum avg max min", "how values are put together"};
	if (collective->has_root)
		row->option[option++] = (struct option_row){"root", ARG_EXPRESSION, UNIT_PLAIN, NULL,
		        "place in the group of the one that gives or gets"};
	if (!bare)
		row->option[option++] =
		        (struct option_row){"algo", ARG_WORD, UNIT_PLAIN, ALGORITHM_WORDS, "the algorithm"};
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct command *const *)a)->name, (*(const struct command *const *)b)->name);
}

static void build(void)
{
	for (int i = 0; command_table[i]; i++)
		add_row(command_table[i]);
	for (int i = 0; kernel_at(i) && table.made_count < MADE_MAX; i++)
		make_kernel(kernel_at(i));
	for (int i = 0; collective_at(i) && table.made_count < MADE_MAX; i++)
		make_collective(collective_at(i));
	for (int i = 0; i < table.made_count; i++)
		add_row(&table.made[i].command);
	qsort(table.row, (size_t)table.count, sizeof *table.row, by_name);
	table.ready = true;
}

const struct command *command_find(const char *name)
{
	if (!table.ready)
		build();
	unsigned i = hash(name);
	while (table.slot[i] && strcmp(table.slot[i]->name, name) != 0)
		i = (i + 1) % SLOTS;
	return table.slot[i];
}

const struct command *command_at(int i)
{
	if (!table.ready)
		build();
	return i >= 0 && i < table.count ? table.row[i] : NULL;
}

static const struct made_row *made_row(const struct command *row)
{
	bool ours = row && (row->run == kernel_run || row->run == collective_run) &&
	        (const char *)row >= (const char *)table.made &&
	        (const char *)row < (const char *)(table.made + table.made_count);
	return ours ? (const struct made_row *)(const void *)row : NULL;
}

const struct kernel *row_kernel(const struct command *row)
{
	const struct made_row *made = made_row(row);
	return made ? made->kernel : NULL;
}

const struct collective *row_collective(const struct command *row)
{
	const struct made_row *made = made_row(row);
	return made ? made->collective : NULL;
}

const char *command_near(const char *word)
{
	const char *near = NULL;
	int best = strlen(word) > 4 ? 3 : 2;
	for (int i = 0; command_at(i); i++) {
		int distance = text_distance(word, command_at(i)->name);
		if (distance < best) {
			best = distance;
			near = command_at(i)->name;
		}
	}
	return near;
}
