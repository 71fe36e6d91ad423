/* rows.c -- makes a command's row from every kernel and every collective, so that a new kernel
 * needs no file in commands/. */
#include "shell/submit/rows.h"
#include "collectives/algorithm.h"
#include "collectives/collective.h"
#include "kernels/kernel.h"
#include "shell/language/parse/rows.h"
#include "shell/submit/plan.h"

#include <assert.h>

enum { MADE_MAX = 120 };
static struct {
	struct command row[MADE_MAX];
	int count;
} made;

#define DTYPE_WORDS "f32 bf16 f16 i32"

static void kernel_arguments(struct command *row, const struct kernel *kernel)
{
	struct argument_row *argument = row->argument;
	argument[KERNEL_TENSORS] =
	        (struct argument_row){ARG_TENSOR, ARG_MANY | ARG_OPTIONAL, NULL, "a tensor"};
	argument[KERNEL_SHAPE] = kernel_is_source(kernel)
	        ? (struct argument_row){ARG_SHAPE, 0, NULL, "a shape"}
	        : (struct argument_row){ARG_WORD, ARG_OPTIONAL, "", "nothing"};
	argument[KERNEL_NUMBERS] =
	        (struct argument_row){ARG_EXPRESSION, ARG_MANY | ARG_OPTIONAL, NULL, "a number"};
	argument[KERNEL_DTYPE] = (struct argument_row){
	        ARG_WORD, ARG_OPTIONAL, kernel_is_source(kernel) ? DTYPE_WORDS : "", "a type"};
	for (int i = 0; i < KERNEL_OPTIONS_MAX && kernel->option[i].name; i++) {
		bool time = kernel->option[i].kind == KO_TIME_NS, word = kernel->option[i].kind == KO_DTYPE;
		row->option[i] = (struct option_row){kernel->option[i].name, word ? ARG_WORD : ARG_EXPRESSION,
		        time ? UNIT_TIME : UNIT_PLAIN, word ? DTYPE_WORDS : NULL, kernel->option[i].about};
	}
}

static struct command *row_new(void)
{
	assert(made.count < MADE_MAX);
	return &made.row[made.count++];
}

static void kernel_row(const struct kernel *kernel)
{
	struct command *row = row_new();
	*row = (struct command){.name = kernel->name,
	        .topic = "compute",
	        .usage = kernel->usage,
	        .help = kernel->help,
	        .example = kernel->example,
	        .torch = kernel->torch,
	        .cuda = kernel->cuda,
	        .stream_ok = true,
	        .results_ok = true,
	        .run = kernel_run,
	        .kernel = kernel};
	kernel_arguments(row, kernel);
}

/* The row has only the options that apply, so the parser refuses others. */
static void collective_row(const struct collective *collective)
{
	struct command *row = row_new();
	int option = 0;
	*row = (struct command){.name = collective->name,
	        .topic = "move",
	        .usage = collective->usage,
	        .help = collective->help,
	        .example = collective->example,
	        .torch = collective->torch,
	        .cuda = collective->cuda,
	        .stream_ok = true,
	        .group_ok = true,
	        .results_ok = true,
	        .run = collective_run,
	        .collective = collective};
	row->argument[COLLECTIVE_TENSOR] = (struct argument_row){ARG_TENSOR, 0, NULL, "a tensor"};
	row->argument[COLLECTIVE_UNROLL] = (struct argument_row){ARG_WORD, ARG_OPTIONAL, "unroll", "unroll"};
	const struct {
		bool has;
		struct option_row row;
	} options[] = {
	        {collective->reduces, {"op", ARG_WORD, UNIT_PLAIN, REDUCTION_WORDS, "the reduction"}},
	        {collective->spares,
	                {"backup", ARG_EXPRESSION, UNIT_PLAIN, NULL,
	                        "number of ranks that are left out if they arrive last (sum, avg): they send "
	                        "nothing, and get the result when they arrive; the others take the time and "
	                        "traffic of the whole group"}},
	        {collective->has_root,
	                {"root", ARG_EXPRESSION, UNIT_PLAIN, NULL,
	                        "rank in the group that sends or receives all the data"}},
	        {collective->splits,
	                {"send", ARG_WORD, UNIT_PLAIN, NULL,
	                        "rows for each rank: an i32 tensor, read by the host"}},
	        {collective->splits,
	                {"recv", ARG_WORD, UNIT_PLAIN, NULL,
	                        "rows from each rank: an i32 tensor, equal to their send="}},
	        {collective->rows,
	                {"rows", ARG_EXPRESSION, UNIT_PLAIN, NULL,
	                        "rows in the result, if the ranks' parts have different sizes"}},
	        {!collective->direct, {"algo", ARG_WORD, UNIT_PLAIN, ALGORITHM_WORDS, "the algorithm"}},
	};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].has)
			row->option[option++] = options[i].row;
}

void commands_start(const struct command *const *table)
{
	const struct command *rows[MADE_MAX + 1] = {NULL};
	if (made.count)
		return;
	for (int i = 0; kernel_at(i); i++)
		kernel_row(kernel_at(i));
	for (int i = 0; collective_at(i); i++)
		if (!collective_at(i)->bare) /* barrier is a command */
			collective_row(collective_at(i));
	for (int i = 0; i < made.count; i++)
		rows[i] = &made.row[i];
	rows_add(table); /* first: a command with a kernel's name wins */
	rows_add(rows);
}
