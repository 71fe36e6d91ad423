/* part.c -- part TENSOR of PARAMETER: which piece of the model a rank's tensor holds, for `verify`
 *
 * row= and col= give the place of a block of a matrix (tensor parallelism). at= gives the place of
 * a run of elements in the flattened parameter (FSDP, ZeRO), or in its flattened block of rows= x
 * cols= (both). */
#include "shell/language/run/command.h"
#include "shell/training/training.h"
#include "shell/training/verify.h"

#include <string.h>

static enum status part_name_fits(const char *what, const char *name, size_t room)
{
	return strlen(name) < room
	        ? ST_OK
	        : fail(ST_RANGE, "part: %s: a name has at most %zu characters; `%s` has %zu", what, room - 1,
	                  name, strlen(name));
}

/* A slice is declared as written, "w[0:4]"; otherwise the owner's name is used. */
static enum status part_one(struct call *call, int rank, bool act)
{
	bool block = call_has(call, "rows") || call_has(call, "cols");
	struct part_line line = {.rank = rank, .flat = block || call_has(call, "at"), .state = ""};
	struct view view;
	const struct {
		const char *name;
		int least;
		int64_t *value;
	} numbers[] = {{"row", 0, &line.row}, {"col", 0, &line.col}, {"at", 0, &line.at},
	        {"rows", 1, &line.rows}, {"cols", 1, &line.cols}};
	enum status status = call_tensor(call, 0, 0, rank, &view);
	if (status == ST_OK)
		status = call_word(call, 2, 0, rank, &line.of);
	if (status == ST_OK)
		status = call_option_word(call, "as", rank, &line.state);
	if (status == ST_OK)
		status = part_name_fits("PARAMETER", line.of, sizeof((struct whole *)0)->name);
	if (status == ST_OK)
		status = part_name_fits("as", line.state, sizeof((struct whole *)0)->state);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == ST_OK; i++)
		status = call_option_whole(
		        call, numbers[i].name, rank, numbers[i].least, (int64_t)1 << 50, numbers[i].value);
	if (status != ST_OK || !act)
		return status;
	line.tensor = names_text(call->shell->world->names, view.sliced ? view.name : view.base_name);
	parts_declare(&call->shell->training->parts, call->shell->world->names, &line);
	return ST_OK;
}

const struct command command_part = {
        .name = "part",
        .topic = "learn",
        .usage = "part TENSOR of PARAMETER [row= col=] [rows= cols=] [at=] [as=m|v]",
        .help = "declares for `verify` which part of PARAMETER the rank's tensor holds: a block from row= "
                "and col= on. With at= or rows= cols= it holds a run of elements in row-major order: from "
                "element at= on, counted in the block of rows= x cols= that begins at row= and col= "
                "(without rows= and cols=: in the whole). as= declares optimizer state",
        .example = "tensor w[8,8] = ones\npart w of w1 row=8*rank",
        .argument = {{ARG_TENSOR, 0, NULL, "TENSOR"}, {ARG_WORD, 0, "of", "of"},
                {ARG_WORD, 0, NULL, "PARAMETER"}},
        .option = {{"row", ARG_EXPRESSION, UNIT_PLAIN, NULL, "the first row that it holds"},
                {"col", ARG_EXPRESSION, UNIT_PLAIN, NULL, "the first column"},
                {"rows", ARG_EXPRESSION, UNIT_PLAIN, NULL, "rows of the block in which at= counts (all)"},
                {"cols", ARG_EXPRESSION, UNIT_PLAIN, NULL, "columns of this block (all)"},
                {"at", ARG_EXPRESSION, UNIT_PLAIN, NULL,
                        "the first element that it holds, in row-major order"},
                {"as", ARG_WORD, UNIT_PLAIN, NULL, "optimizer state: m, v (Adam's), or another name"}},
        .each = part_one,
};
