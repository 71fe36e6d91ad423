/* test_explain.c -- PyTorch lines and CUDA calls with the names of a line filled in */
#include "shell/language/run/explain.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void fills(
        const char *expected, const char *usage, const char *line, const char *stream, const char *text)
{
	struct text out = {0};
	explain_fill(usage, line, stream, text, &out);
	assert_string_equal(text_string(&out), expected);
	text_release(&out);
}

static void names(void **state)
{
	(void)state;
	fills("x0.copy_(h[i], non_blocking=True)", "copy FROM -> TO [on STREAM]", "copy h[i] -> x0 on io",
	        "io", "TO.copy_(FROM, non_blocking=True)");
	fills("z = q @ k.T", "y = matmul a b [scale=1]", "@0 z = matmul q k.T scale=1/sqrt(d)", "default",
	        "y = a @ b");
	fills("io.wait_event(loaded)", "wait EVENT|OTHER ... on STREAM", "wait loaded on io", "io",
	        "STREAM.wait_event(EVENT)");
	fills("dist.send(y, dst=rank+1)", "send TENSOR to=RANK [on STREAM]", "send y to=rank+1 on up", "up",
	        "dist.send(TENSOR, dst=RANK)");
	fills("ncclAllReduce(g, g, count, comm, c2)", "allreduce X [op=sum]", "allreduce g on c2", "c2",
	        "ncclAllReduce(x, x, count, comm, stream)");
	fills("y = x.view([4,4])", "NAME = reshape TENSOR SHAPE", "y = reshape x [4,4]", NULL,
	        "NAME = TENSOR.view(SHAPE)");
	fills("np.save(\"a.npy\", w.cpu())", "save TENSOR FILE.npy", "save w a.npy", NULL,
	        "np.save(\"FILE\", TENSOR.cpu())");
}

static void what_is_not_plain_stays(void **state)
{
	(void)state;
	fills("cudaDeviceSynchronize()", "sync [STREAM|EVENT]", "sync", NULL, "cudaDeviceSynchronize()");
	fills("y = torch.exp(x)", "y = exp x", "", NULL, "y = torch.exp(x)");
	fills("TO.copy_(FROM)", "copy FROM -> TO", "copy", NULL, "TO.copy_(FROM)");
	fills("a = torch.relu(relu)", "y = relu x", "a = relu relu", NULL, "y = torch.relu(x)");
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(names), cmocka_unit_test(what_is_not_plain_stays)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
