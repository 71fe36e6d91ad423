/* part.c -- part TENSOR of PARAMETER: which piece of the model a rank's tensor holds.
 *
 * A program that shards its parameters by hand tells `verify` where each piece belongs: from row= and col=
 * on for a block of a matrix (tensor parallelism), from at= on for a run of elements of the parameter as
 * one line (FSDP, ZeRO). as= names optimizer state in place of the weights. verify puts the pieces
 * together and compares with the same training on one rank. It changes nothing of the books. */
#include "shell/language/run/command.h"
#include "shell/training/training.h"

#include <stdint.h>
#include <string.h>

/* An offset of elements, rows or columns; 0 when it is not given. */
static enum status whole(struct call *call, const char *name, int rank, int64_t *value)
{
	struct number number;
	*value = 0;
	if (!call_has(call, name))
		return ST_OK;
	enum status status = call_option(call, name, rank, &number);
	if (status == ST_OK && !number_is_whole(number.value, 0, 1e15))
		status = fail(
		        ST_RANGE, "part: %s=%g: a whole number from 0 on was expected", name, number.value);
	*value = status == ST_OK ? (int64_t)number.value : 0;
	return status;
}

/* The line's words are gone when it is over: the world's names stay. */
static const char *kept(const struct shell *shell, const char *word)
{
	struct names *names = shell->world->names;
	return names_text(names, names_make(names, word, strlen(word)));
}

/* What the line declares on one rank. A slice that is named is declared as written, "w[0:4]"; else the
 * tensor's own name is taken, so that a view of it does not become a second piece. */
static enum status read_line(struct shell *shell, struct call *call, int rank, struct part_line *line)
{
	struct view view;
	const char *word;
	*line = (struct part_line){.rank = rank, .flat = call_has(call, "at"), .state = ""};
	enum status status = call_tensor(call, 0, 0, rank, &view);
	if (status == ST_OK)
		status = call_word(call, 2, 0, rank, &word);
	if (status != ST_OK)
		return status;
	line->tensor = names_text(shell->world->names, view.sliced ? view.name : view.base_name);
	line->of = kept(shell, word);
	if (call_has(call, "as"))
		status = call_option_word(call, "as", rank, &word);
	if (call_has(call, "as") && status == ST_OK)
		line->state = kept(shell, word);
	const char *const keys[] = {"row", "col", "at"};
	int64_t *const values[] = {&line->row, &line->col, &line->at};
	for (int i = 0; i < 3 && status == ST_OK; i++)
		status = whole(call, keys[i], rank, values[i]);
	if (status == ST_OK && line->flat && (line->row || line->col))
		status = fail(ST_ARGUMENT, "part: row= and col=, or at=: not both");
	return status;
}

static enum status part_one(struct shell *shell, struct call *call, int rank, bool act, void *self)
{
	struct part_line line;
	enum status status = read_line(shell, call, rank, &line);
	(void)self;
	if (status == ST_OK && act)
		parts_declare(&training_of(shell)->parts, &line);
	return status;
}

static enum status part_run(struct shell *shell, struct call *call)
{
	return call_each_rank(shell, call, part_one, NULL);
}

const struct command command_part = {
        .name = "part",
        .topic = "learn",
        .usage = "part TENSOR of PARAMETER [row= col=] [at=] [as=m|v]",
        .help = "declares for `verify` which part of which parameter a rank's tensor holds: rows from row= "
                "and columns "
                "from col= on, or elements from at= on; as= names optimizer state",
        .example = "tensor w[8,8] = ones\npart w of w1 row=8*rank",
        .class = COMMAND_PROGRAM,
        .argument = {{ARG_TENSOR, 0, NULL, "TENSOR"}, {ARG_WORD, 0, "of", "of"},
                {ARG_WORD, 0, NULL, "PARAMETER"}},
        .option = {{"row", ARG_EXPRESSION, UNIT_PLAIN, NULL, "the first row that it holds"},
                {"col", ARG_EXPRESSION, UNIT_PLAIN, NULL, "the first column"},
                {"at", ARG_EXPRESSION, UNIT_PLAIN, NULL, "the first element, of the parameter as one line"},
                {"as", ARG_WORD, UNIT_PLAIN, NULL, "optimizer state: m, v (Adam's), or another name"}},
        .run = part_run,
};
