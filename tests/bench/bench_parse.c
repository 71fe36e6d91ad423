/* bench_parse.c -- how fast the text of a program is parsed: lines a second, of a
 * pipeline's stage
 *
 * Counted: the text's bytes checked as UTF-8, copied, split into words; expressions and names as trees; each
 * line bound to its command's row (arguments, options, clauses); the tree freed. Not counted: names looked
 * for in the books, anything run. */
#include "shell/language/parse/tree.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A stage's forward of a micro-batch, as somebody may write it by hand, again and again */
static void write_program(struct text *text)
{
	static const char lines[] =
	        "@%d let m = %d\n@%d {\n  let s = m%%6\n  let k = m%%7\n  phase C$m\n"
	        "  wait used_$k on act_in\n  recv in_$k from=rank-1 on act_in in acts\n"
	        "  phase F$m\n  wait act_in on compute\n  x0_$s = reshape in_$k [64,64]\n"
	        "  wait out_$s on compute\n  n1_$s = layernorm x0_$s on compute\n"
	        "  q1_$s = matmul n1_$s wq1 on compute\n  k1_$s = matmul n1_$s wk1 on compute\n"
	        "  v1_$s = matmul n1_$s wv1 on compute\n"
	        "  o1_$s = attention q1_$s k1_$s v1_$s heads=4 seq=64 causal=1 on compute\n"
	        "  p1_$s = matmul o1_$s wo1 on compute\n  r1_$s = add x0_$s p1_$s on compute\n"
	        "  m1_$s = layernorm r1_$s on compute\n  u1_$s = matmul m1_$s wu1 on compute\n"
	        "  g1_$s = gelu u1_$s on compute\n  y1_$s = matmul g1_$s wd1 on compute\n"
	        "  x1_$s = add r1_$s y1_$s on compute\n  phase C$m\n  wait compute on act_out\n"
	        "  send x1_$s to=rank+1 on act_out in acts\n  record out_$s on act_out\n  }\n";
	for (int k = 0; k < 10000; k++)
		text_add(text, lines, k % 16, k / 16, k % 16);
}

int main(void)
{
	commands_start(command_table);
	enum { ROUNDS = 5 };
	struct text text = {0};
	double best = 1e9;
	long lines = 0;
	enum status status = ST_OK;
	write_program(&text);

	for (size_t i = 0; i < text.count; i++)
		lines += text.bytes[i] == '\n';
	for (int i = 0; i < ROUNDS && status == ST_OK; i++) {
		double from = now();
		struct tree *tree;
		status = tree_parse(&tree, text.bytes, text.count, "bench", 1);
		if (status == ST_OK)
			tree_release(tree);
		double took = now() - from;
		best = took < best ? took : best;
	}
	if (status == ST_OK)
		printf("parse: a pipeline's program of %ld lines in %.1f ms, the best of %d: %.2f million "
		       "lines/s of one core (at least 1)\n",
		        lines, best * 1e3, ROUNDS, (double)lines / best / 1e6);
	else
		printf("failed: %s\n", fail_text());
	text_release(&text);
	return status != ST_OK;
}
