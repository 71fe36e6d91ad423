/* test_explain.c -- PyTorch lines and CUDA calls with the names of a line filled in */
#include "base/file.h"
#include "base/memory.h"
#include "shell/language/parse/rows.h"
#include "shell/language/run/run.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void fills(const char *expected, const char *line, const char *stream, const char *text)
{
	struct text out = {0};
	struct tree *tree;
	assert_int_equal(tree_parse(&tree, line, strlen(line), NULL, 1), ST_OK);
	explain_fill(tree->block.first, stream, text, &out);
	assert_string_equal(text_string(&out), expected);
	text_release(&out);
	tree_release(tree);
}

static void names(void **state)
{
	(void)state;
	fills("x0.copy_(h[i], non_blocking=True)", "copy h[i] -> x0 on io", "io",
	        "TO.copy_(FROM, non_blocking=True)");
	fills("z = q @ k.T", "@0 z = matmul q k.T scale=1/sqrt(d)", "default", "y = a @ b");
	fills("dist.all_reduce(g, op=dist.ReduceOp.AVG)", "allreduce g op=avg", "default",
	        "dist.all_reduce(x, op=dist.ReduceOp.SUM)");
	fills("ncclAllReduce(g, g, count, ncclFloat, ncclMax, comm, io)", "allreduce g op=max on io", "io",
	        "ncclAllReduce(x, x, count, ncclFloat, ncclSum, comm, stream)");
	fills("dist.broadcast(g, src=rank%2)", "broadcast g root=rank%2", NULL,
	        "dist.broadcast(x, src=ROOT)");
	fills("dist.broadcast(g, src=0)", "broadcast g", NULL, "dist.broadcast(x, src=ROOT)");
	fills("io.wait_event(loaded)", "wait loaded on io", "io", "STREAM.wait_event(EVENT)");
	fills("dist.send(y, dst=rank+1)", "send y to=rank+1 on up", "up", "dist.send(TENSOR, dst=RANK)");
	fills("ncclAllReduce(g, g, count, comm, c2)", "allreduce g on c2", "c2",
	        "ncclAllReduce(x, x, count, comm, stream)");
	fills("z = f(g)", "z = allreduce g", NULL, "y = f(x)");
	fills("y = x.view([4,4])", "y = reshape x [4,4]", NULL, "NAME = TENSOR.view(SHAPE)");
	fills("z += torch.relu(k)", "z += relu k", NULL, "y = torch.relu(x)");
	fills("np.save(\"a.npy\", w.cpu())", "save w a.npy", NULL, "np.save(\"FILE\", TENSOR.cpu())");
}

static void what_is_not_plain_stays(void **state)
{
	(void)state;
	fills("cudaDeviceSynchronize()", "sync", NULL, "cudaDeviceSynchronize()");
	fills("del a   # on io: current_stream().wait_stream(io)", "free a b on io", "io",
	        "del TENSOR   # on STREAM: current_stream().wait_stream(STREAM)");
	fills("a = torch.relu(relu)", "a = relu relu", NULL, "y = torch.relu(x)");
}

static bool stands_in(const struct block *block, const struct command *row)
{
	for (const struct statement *line = block ? block->first : NULL; line; line = line->next)
		if (line->row == row || stands_in(line->block, row))
			return true;
	return false;
}

/* The script shows the texts of every row that has some, so that a wrong one fails there. */
static void every_row_is_shown_by_the_script(void **state)
{
	static const char path[] = "tests/script/commands/explain.rsh";
	struct tree *tree;
	char *text;
	size_t count;
	(void)state;
	assert_int_equal(file_read(path, 1 << 20, &text, &count), ST_OK);
	assert_int_equal(tree_parse(&tree, text, count, path, 1), ST_OK);
	for (int i = 0; commands_at(i); i++) {
		const struct command *row = commands_at(i);
		if (row->class == COMMAND_PROGRAM && (row->torch || row->cuda) &&
		        !stands_in(&tree->block, row))
			fail_msg("%s has no line of %s", path, row->name);
	}
	tree_release(tree);
	mem_free(text);
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(what_is_not_plain_stays),
	        cmocka_unit_test(every_row_is_shown_by_the_script)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
