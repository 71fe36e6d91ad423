/* test_language.c -- lines run in a world of 4 ranks without data: what they mean, and what is
 * said of mistakes */
#include "lines.h"
#include "shell/language/parse/tree.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/parse/lex.h"

static void is_false_at(const char *text, int line)
{
	int before = shell.expect.failed;
	if (run(text) != ST_OK || shell.expect.failed != before + 1)
		fail_msg("line %d: '%s' is not false", line, text);
}

static void refused_at(const char *text, enum status wanted, const char *words, int line)
{
	enum status status = run(text);
	if (status != wanted)
		fail_msg("line %d: '%s' gives %s: %s", line, text, status_name(status),
		        status ? fail_text() : "");
	if (!strstr(fail_text(), words))
		fail_msg("line %d: '%s' says '%s', not '%s'", line, text, fail_text(), words);
}

#define IS_FALSE(text) is_false_at(text, __LINE__)
#define REFUSED(text, status, words) refused_at(text, status, words, __LINE__)

static void arithmetic(void **state)
{
	(void)state;
	HOLDS("expect 1 + 2 * 3 == 7 and (1 + 2) * 3 == 9 and 2 - 3 - 4 == -5");
	HOLDS("expect 7 // 2 == 3 and -7 // 2 == -4 and 7 / 2 == 3.5 and -1 % 4 == 3 and 8 % 3 == 2");
	HOLDS("expect 8 > 80% and 80% * 10 == 8 and 7 %(2) == 1 and 7%2 == 1 and 1.5x == 1.5");
	HOLDS("expect 4k == 4096 and 1M == 1024 * 1024 and 2ms == 2000us and 1GB/s * 1s == 1000 * 1000 * "
	      "1000B");
	HOLDS("expect min(3, 1, 2) == 1 and max(1, 3) == 3 and abs(-2) == 2 and sqrt(16) == 4 and ceil(1.2) "
	      "== 2 and round(1.5) == 2 and log2(8) == 3");
	HOLDS("expect not 1 == 2 and (1 == 2 or 2 == 2) and inf > 1T and -inf < 0");
	HOLDS("expect \"a\" == \"a\" and \"a\" != \"b\" and \"n$(1+1)\" == \"n2\"");
	IS_FALSE("expect 1 == 2");
	IS_FALSE("expect rank < 3");
	REFUSED("expect 2ms + 3GB/s", ST_UNIT, "cannot be combined");
	REFUSED("expect 1 / 0", ST_RANGE, "divides by zero");
	REFUSED("expect 1 < 2 < 3", ST_SYNTAX, "one comparison at a time");
	REFUSED("expect 1 +", ST_SYNTAX, "a value was expected");
	REFUSED("expect sqrt(-1) == 0", ST_RANGE, "sqrt(-1)");
	REFUSED("expect foo(1)", ST_NAME, "no function 'foo'");
	REFUSED("expect 1 = 2", ST_SYNTAX, "is not a comparison");
	REFUSED("expect 3 4", ST_SYNTAX, "an operator was expected");
	REFUSED("let a = 1e999", ST_RANGE, "too large");
}

static void variables(void **state)
{
	(void)state;
	HOLDS("let n = 4; let r = rank * 10; expect n == 4 and r == 10 * rank");
	HOLDS("@1-2 let n = 5; expect n == 4 + (rank > 0 and rank < 3)");
	HOLDS("let n = n + 1; @(rank % 2 == 0) { let n = 0 }; expect n == 0 or rank % 2 == 1");
	HOLDS("for i in 0:3 { let last = i }; expect last == 2");
	HOLDS("for c in 1 2 4 8 { let last = c }; expect last == 8 and last % 3 == 2");
	HOLDS("let sum = 0; for i in 5:0:-2 { let sum = sum + i }; expect sum == 9");
	HOLDS("let times = 0; for i in rank:4 { let times = times + 1 }; expect times == 4 - rank");
	HOLDS("let times = 0; repeat rank { let times = times + 1 }; expect times == rank");
	HOLDS("if rank == 0 { let who = 10 } else if rank < 3 { let who = 20 } else { let who = 30 }\nexpect "
	      "who == 10 or rank > 0");
	HOLDS("if rank > 5 { let nobody = 1 }");
	HOLDS("@2 let mine = 1; @2 expect mine == 1");
	REFUSED("expect mine == 1", ST_NAME, "has no value on rank 0");
	REFUSED("expect later == 1", ST_NAME, "no variable 'later'");
	REFUSED("tensor n[4]", ST_NAME, "'n' is already a variable");
	HOLDS("tensor x[4]");
	REFUSED("let x = 4", ST_NAME, "'x' is already a tensor");
	REFUSED("let rank = 4", ST_NAME, "reserved");
	REFUSED("expect i == 1", ST_NAME, "no variable 'i'");
	REFUSED("for i in 0:4:0 { }", ST_RANGE, "step of 0");
	REFUSED("repeat 1.5 { }", ST_RANGE, "a whole number");
}

static void definitions(void **state)
{
	(void)state;
	HOLDS("def twice x { bump x; bump x }\ndef bump x { x += one }\ntensor one[4] = 1; tensor z[4] = "
	      "0\ntwice z");
	HOLDS("def give v { let out = v * 2; let global = out }\nlet global = 0\ngive 3+1\nexpect global == "
	      "8");
	HOLDS("def outer m { inner m+1 }; def inner k { let seen = k }; let seen = 0; outer rank; expect "
	      "seen == rank + 1");
	REFUSED("expect out == 8", ST_NAME, "no variable 'out'");
	HOLDS("def piece t { y = relu t }; tensor m[3,4] = 1; piece m[1]; piece m.T; piece m");
	REFUSED("def deep n { deep n+1 }; deep 0", ST_LIMIT, "deeper than");
	REFUSED("twice", ST_ARGUMENT, "twice takes 1 argument, not 0: twice x");
	REFUSED("def copy x { }", ST_NAME, "that is a command");
	REFUSED("twise z", ST_NAME, "did you mean 'twice'?");
	REFUSED("let n = 1; nosuch n", ST_NAME, "no command 'nosuch'");
	REFUSED("expect n == 1", ST_NAME, "no variable 'n'"); /* the text was refused before any of it ran */
}

static void names(void **state)
{
	(void)state;
	HOLDS("stream io compute; tensor h0[4] h1[4] pinned = randn; tensor x0[4] x1[4]");
	HOLDS("event loaded0 loaded1; for i in 0:2 { copy h$i -> x$i on io; record loaded$i on io; wait "
	      "loaded$(1-i) on compute }");
	HOLDS("for p in x0 x1 { d$p = relu p }; expect bytes(dx0) == 16B");
	HOLDS("for s in io compute { y = relu x0 on s; sync s }");
	HOLDS("let a = 3; tensor w$(a+1)[4] = a; expect bytes(w4) == 16B");
	REFUSED("let b = 0.5; tensor w$b[4]", ST_RANGE, "whole numbers");
	REFUSED("y = relu nosuch", ST_NAME, "no tensor 'nosuch' on ranks 0-3");
	REFUSED("sync ioo", ST_NAME, "did you mean 'io'?");
	HOLDS("stream s#1; y = relu x0 on s#1");
	REFUSED("stream 4x", ST_ARGUMENT, "instead of '4x'");
}

/* A text's equal names are one node, with the value of each place where it stands */
static void shared_names(void **state)
{
	const char *text = "a$i = relu x$i\nb = relu a$i\nprint h$(x[0])\nprint h$(x[0])\nprint (1 +\n  "
	                   "2)\n@0 { y = relu x }";
	struct tree *tree;
	(void)state;
	assert_int_equal(tree_parse(&tree, text, strlen(text), NULL, 1), ST_OK);
	const struct statement *first = tree->block.first, *second = first->next, *third = second->next,
	                       *fourth = third->next, *fifth = fourth->next;
	assert_ptr_equal(first->result[0].tensor, second->argument[0].tensor);
	assert_ptr_not_equal(first->result[0].tensor, first->argument[0].tensor);
	assert_ptr_not_equal(third->argument[0].tensor->name,
	        fourth->argument[0].tensor->name); /* each with reads of its own */
	assert_true(slice_is(second->source, "b = relu a$i"));
	assert_true(slice_is(fifth->source, "print (1 +   2)"));
	assert_true(slice_is(fifth->next->source, "@0"));
	tree_release(tree);
	HOLDS("let v1 = 7; let v2 = 8; for i in 1:3 { expect v$i == 6 + i and v$(3-i) == 9 - i }; let i = 2; "
	      "expect v$i == 8");
}

static void slices(void **state)
{
	(void)state;
	HOLDS("tensor m[4,8] = 2; y = m[1:3]; expect bytes(y) == 64B; z = m[2]; expect bytes(z) == 32B; e = "
	      "m[0,0]; expect bytes(e) == 4B");
	HOLDS("expect bytes(m[:,2:5]) == 4*3*4B and bytes(m[2:]) == 2*8*4B and bytes(m.T[0]) == 16B");
	HOLDS("y = m[0:1]; y = m[rank]; expect bytes(y) == 32B");
	REFUSED("y = m[-1]", ST_RANGE, "below 0");
	REFUSED("y = m[0:99]", ST_RANGE, "out of range for size 4");
	REFUSED("y = m[2:2]", ST_RANGE, "is empty");
	REFUSED("y = m[1.5]", ST_RANGE, "a whole number");
	REFUSED("y = m[0,0,0]", ST_SHAPE, "has 3 indices");
	REFUSED("m = y[0:1]", ST_ARGUMENT, "its own memory");
	HOLDS("m[1] += m[0]; p = matmul m.T m; r = relu m[rank]");
}

static void ranks_of_lines(void **state)
{
	(void)state;
	HOLDS("let a = 0; @1,3 { let a = 1; @0-1 let a = 2 }; expect a == 0 and rank % 2 == 0 or a == 3 - "
	      "rank % 4 // 1 and rank == 1 or rank == 3 and a == 1");
	HOLDS("mesh dp=2 tp=2; expect size(tp) == 2 and size(world) == 4 and tp == rank % 2 and dp == rank "
	      "// 2");
	HOLDS("let b = 0; @dp=0,tp=1 let b = 1; expect (rank == 1) == b");
	HOLDS("let lo = 1; @$lo let b = 7; @$lo-2 let b = b + 1; expect b == 8 or rank != 1");
	HOLDS("@0 { for i in 0:3 { @1 let b = 99 } }; expect b != 99");
	HOLDS("@all let c = 1; use @1; let c = 2; @2 let c = 3; use @all; expect c == 1 + (rank == 1) + 2 * "
	      "(rank == 2)");
	REFUSED("@4 let a = 1", ST_RANK, "no rank 4: ranks are 0-3");
	REFUSED("@2-1 let a = 1", ST_RANK, "counts down");
	REFUSED("@x let a = 1", ST_RANK, "not a set of ranks");
	REFUSED("@ex=0 let a = 1", ST_NAME, "no axis 'ex'");
}

static void clauses(void **state)
{
	(void)state;
	HOLDS("stream io comm; tensor x[4] = 1; on io { y = relu x; in world { allreduce y on comm } }; @0 "
	      "on io { y = relu x }");
	HOLDS("def work x { y = relu x }; work x on io; use io; y = relu x; use default");
	REFUSED("y = relu x on io on comm", ST_SYNTAX, "'on' is given twice");
	REFUSED("y = relu x on", ST_SYNTAX, "'on' needs a stream");
	REFUSED("y = relu x on nowhere", ST_NAME,
	        "no stream 'nowhere' on ranks 0-3 (streams: default io comm). `stream nowhere` makes it");
	REFUSED("on io let a = 1", ST_SYNTAX, "a block does");
}

static void making(void **state)
{
	(void)state;
	HOLDS("tensor a[2,3] b[6] pinned bf16 = randn seed=3 scale=0.5; expect bytes(a) == 12B and bytes(b) "
	      "== 12B");
	HOLDS("tensor a[2,3] pinned bf16 = zeros; tensor a[4] = rank + 1; expect bytes(a) == 16B; tensor "
	      "c[rank+1]; expect bytes(c) == 4B*(rank+1)");
	HOLDS("tensor d [4, 8] = -inf; v = d[0]");
	REFUSED("tensor d[2] = 1", ST_SHAPE, "d has views");
	REFUSED("tensor v[2] = 1", ST_SHAPE, "v is a view");
	REFUSED("tensor q", ST_SYNTAX, "needs a shape");
	REFUSED("tensor q[0]", ST_RANGE, "sizes are 1 or more");
	REFUSED("tensor q[1M,1M,1M]", ST_RANGE, "");
	REFUSED("tensor q[2] = randn sead=1", ST_ARGUMENT, "no option 'sead'");
	REFUSED("tensor q[2] managed", ST_ARGUMENT, "not modelled");
	REFUSED("tensor on[2]", ST_NAME, "reserved");
	REFUSED("tensor q[64M] r[64M]", ST_DEVICE_MEMORY, "");
	REFUSED("expect bytes(q) == 0B", ST_NAME, "no tensor 'q'"); /* all or none */
}

static void errors_expected(void **state)
{
	(void)state;
	REFUSED("tensor a==b = 3", ST_SYNTAX,
	        "'a==b' is not a name"); /* its = is set apart already: there is nothing to rewrite */
	HOLDS("tensor x[4]; expect error { y = matmul(x, x) }; expect error { y = x * 2 }; expect error { @9 "
	      "print x }; expect error { tensor }");
	HOLDS("expect error { y = relu nosuch }; expect error { if 1 { y = relu nosuch } }");
	IS_FALSE("expect error { y = relu x }");
	HOLDS("expect error \"no tensor 'nosuch'\" { y = relu nosuch }; expect error\"1 or more\"{ tensor "
	      "q[0] }");
	HOLDS("expect error \"no tensor 'not\" {\nlet e = 2\ny = relu notthere\nlet e = 3\n}; expect e == 2");
	HOLDS("for i in 0:2 { expect error \"no tensor\" { y = relu nosuch } }; expect error \"\" { tensor "
	      "}");
	IS_FALSE("expect error \"no stream 'nosuch'\" { y = relu nosuch }");
	IS_FALSE("expect error \"no tensor\" { y = relu x }");
	IS_FALSE("expect error \"no tensor\" { tensor q[4 }");
	REFUSED("expect error nosuch { y = relu nosuch }", ST_SYNTAX, "a block was expected");
	REFUSED("expect error \"no $(1+1)\" { y = relu nosuch }", ST_SYNTAX, "words in quotes");
	REFUSED("expect error \"a\"b { y = relu nosuch }", ST_SYNTAX, "");
	REFUSED("expect error \"words\"", ST_SYNTAX, "a block was expected");
	REFUSED("expect error \"words", ST_INCOMPLETE, "");
	REFUSED("expect error { y = relu x", ST_INCOMPLETE, "");
}

static void incomplete(void **state)
{
	static const char *const open[] = {"for i in 0:3 {", "y = relu x[", "let a = (1 +", "say \"abc",
	        "if 1 { let a = 2\n", "def f x {\n y = relu x\n"};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(open); i++)
		refused_at(open[i], ST_INCOMPLETE, "", (int)i);
}

/* Where the first line of a text ends, its block included: what comes down a pipe is run by such
 * pieces */
static void first_lines(void **state)
{
	static const struct {
		const char *text;
		enum status status;
		size_t taken;
	} rows[] = {
	        {"sync\nsync\n", ST_OK, 5},
	        {"sync", ST_OK, 4},
	        {"repeat 2 {\nsync\n}\nsync\n", ST_OK, 18},
	        {"repeat 2 {\n# }\n}; sync\nsync", ST_OK, 23},
	        {"if 1 {\n} else {\n} # why {\nsync", ST_OK, 26},
	        {"let a = (1 +\n2)\nlet", ST_OK, 16},
	        {"say \"a\n\"\n\n\n", ST_OK, 9},
	        {"repeat 2 {\nsync\n", ST_INCOMPLETE, 0},
	        {"repeat 2 {\n)\n}\n", ST_SYNTAX, 0},
	        {"repeat 2 {\n}\n\xff\n", ST_OK, 13},
	        {"repeat 2 {\n\xff\n}", ST_SYNTAX, 0},
	        {"\n\nsync\n", ST_OK, 7},
	};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		size_t taken = 0;
		enum status status = tree_first(rows[i].text, strlen(rows[i].text), NULL, 1, &taken);
		if (status != rows[i].status || (status == ST_OK && taken != rows[i].taken))
			fail_msg("row %zu: %s, %zu bytes", i, status_name(status), taken);
	}
}

static void hostile(void **state)
{
	(void)state;
	struct text text = {0};
	assert_int_equal(interpreter_run(&shell, "let a = 1\0x", 11, NULL, 1), ST_SYNTAX);
	assert_int_equal(interpreter_run(&shell, "let a = \xff", 9, NULL, 1), ST_SYNTAX);
	text_repeat(&text, "(", 10000);
	assert_int_equal(interpreter_run(&shell, text_string(&text), text.count, NULL, 1), ST_LIMIT);
	text_clear(&text);
	text_repeat(&text, "if 1 {", 10000);
	assert_int_equal(interpreter_run(&shell, text_string(&text), text.count, NULL, 1), ST_LIMIT);
	text_clear(&text);
	text_add(&text, "let a = 1");
	text_repeat(&text, "+1", 500000);
	assert_int_equal(interpreter_run(&shell, text_string(&text), text.count, NULL, 1), ST_LIMIT);
	text_clear(&text);
	text_add(&text, "free");
	text_repeat(&text, " x", 500000);
	assert_int_equal(interpreter_run(&shell, text_string(&text), text.count, NULL, 1), ST_LIMIT);
	text_clear(&text);
	text_repeat(&text, "a", 1000000);
	assert_int_equal(interpreter_run(&shell, text_string(&text), text.count, NULL, 1), ST_NAME);
	text_clear(&text);
	text_add(&text, "if 0 { }");
	text_repeat(&text, " else if 0 { }", 10000);
	assert_int_equal(interpreter_run(&shell, text_string(&text), text.count, NULL, 1), ST_LIMIT);
	text_release(&text);
}

static void places(void **state)
{
	(void)state;
	const char *lines = "let a = 1\n\nfor i in 0:4 {\n  if i == 2 { y = relu nosuch }\n}\n";
	assert_int_equal(interpreter_run(&shell, lines, strlen(lines), "f.rsh", 1), ST_NAME);
	assert_words("f.rsh:4 (i=2): no tensor 'nosuch'");
	lines = "let a = 1\nlet b = = 2\n";
	assert_int_equal(interpreter_run(&shell, lines, strlen(lines), "f.rsh", 1), ST_SYNTAX);
	assert_words("f.rsh:2: ");
}

static void given_values(void **state)
{
	char *given[] = {"M=16"};
	const char *lines = "let M = 8\nexpect M == 16\ndef f { let M = 3; expect M == 3 }\nf\n";
	(void)state;
	shell.arguments = 1;
	shell.argument = given;
	assert_int_equal(interpreter_run(&shell, lines, strlen(lines), "f.rsh", 1), ST_OK);
	assert_int_equal(shell.expect.failed, 0);
}

/* A world is emptied between the statements of a line: what comes behind goes on in the new
 * one. */
static void reset_between_statements(void **state)
{
	static const char *const inside[] = {"together { reset }", "use default; on default { reset }",
	        "def empty { reset }; empty", "@0 { reset }", "if rank == 0 { reset }"};
	(void)state;
	HOLDS("let a = 1; tensor x[4]; reset; tensor x[8]; let b = 2; expect b == 2 and bytes(x) == 32B");
	REFUSED("expect a == 1", ST_NAME, "no variable 'a'");
	for (size_t i = 0; i < LENGTH_OF(inside); i++) {
		REFUSED(inside[i], ST_ARGUMENT, "must be a line of its own");
		HOLDS("expect bytes(x) == 32B");
	}
	HOLDS("expect error \"a line of its own\" { reset }; expect bytes(x) == 32B");
	/* the ranks of a `use` end with the world */
	HOLDS("use @1; reset; let d = 3");
	HOLDS("@0 expect d == 3");
	/* ifs and loops for all ranks hold only names, which outlive a world */
	HOLDS("stream s; for i in 0:3 { let k = i; tensor y[4+i]; if i == 1 { reset; tensor z[i] }; expect i "
	      "== 0 or i == 1 or bytes(z) == 4B }; expect bytes(y) == 24B");
	HOLDS("for h in s t { reset; stream $h; tensor x[4]; y = relu x on $h }; expect error \"no event or "
	      "stream\" "
	      "{ sync s }; sync t; expect bytes(x) == 16B");
	HOLDS("reset; for i in 0:2 { strategy serial }");
}

/* How many start as one with the first communication of the rank, itself included */
static int members(int rank)
{
	const struct world *world = shell.world;
	op_id id = world->first[rank];
	int count = 0;
	for (; id; id = world->ops[id].next_program) {
		if (op_record(world, id)->kind != OP_COLLECTIVE && op_record(world, id)->kind != OP_P2P)
			continue;
		if (count && !(world->ops[id].flags & OPF_TOGETHER))
			break;
		count++;
	}
	return count;
}

/* The collectives of a block and its transfers, which are queued at its end as one; those of
 * another block are others. */
static void a_block_starts_as_one(void **state)
{
	(void)state;
	HOLDS("tensor x[4] y[4]; together { allreduce x; z = relu x; @0 send x to=1; @1 recv y from=0; "
	      "allreduce x }"
	      "; together { allreduce y; allreduce x }; allreduce y; sync");
	assert_int_equal(members(0), 3);
	assert_int_equal(members(1), 3);
	assert_int_equal(members(2), 2);
	HOLDS("reset; tensor x[4]; allreduce x; together { allreduce x }; sync");
	assert_int_equal(members(0), 1);
}

static bool never(struct budget *budget)
{
	(void)budget;
	return false;
}

static void stops(void **state)
{
	(void)state;
	shell.budget = (struct budget){.steps = 1000, .more = never};
	assert_int_equal(run("let n = 0; repeat 1G { let n = n + 1 }"), ST_INTERRUPTED);
	shell.budget = (struct budget){0};
	HOLDS("expect n > 300 and n < 1000");
}

static void completion(void **state)
{
	struct text out = {0};
	static const struct {
		const char *line, *wanted;
	} rows[] = {{"matm", "matmul\n"}, {"y = rel", "relu\n"}, {"y = relu x on co", "compute\n"},
	        {"allreduce y op", "op=\n"}, {"allreduce y op=a", "op=avg\n"}, {"record e on i", "io\n"},
	        {"let a = 1; wai", "wait\n"}, {"allreduce batc", "batch\n"}, {"help grammar", "grammar\n"},
	        {"expect bus", "busy\nbusbw\n"}, {"let q = exp", "exposed\n"}, {"if rac", "races\n"},
	        {"expect time(ma", "time(max\n"}, {"print 1+ba", "1+batch\n"}, {"print pea", "peak\n"},
	        {"expect ", "batch\n"}, {"expect veri", "verify\n"}, {"expect err", "error\n"},
	        {"group half b", "by\n"}, {"schedule gp", "gpipe\n"}, {"add y -> batch@0 sc", "scale=\n"},
	        {"strategy zero ", "stage=\n"}, {"strategy zero stage=", "stage=1\nstage=2\nstage=3\n"},
	        {"strategy ddp bucket=", "bucket=256k\n"}, {"y = matmul ", "batch\ny\n"},
	        {"y = relu x on ", "io\ncompute\n"}, {"allreduce y in ", "pair\n"}, {"stats ", "warm\n"},
	        {"diff warm ", "warm\n"}, {"timeline w", "warm\n"}, {"machine dgx-h", "dgx-h100\n"},
	        {"set lau", "launch=\n"}, {"whatif ", "without\n"}, {"lesson ", "1\n2\n"},
	        {"send y to=", "to=0\nto=1\n"}, {"help stragg", "straggler\n"}, {"record ", "done\n"},
	        {"why i", "io\n"}, {"y = sy", ""}, {"let q = expe", ""}, {"zzz", ""}};
	(void)state;
	HOLDS("tensor batch[4] y[4]; stream io compute; event done; group pair 0-1 2-3; mark warm");
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		interpreter_complete(&shell, rows[i].line, (int)strlen(rows[i].line), &out);
		if (!strstr(text_string(&out), rows[i].wanted) || (!*rows[i].wanted && out.count))
			fail_msg("'%s' completes to '%s'", rows[i].line, text_string(&out));
		text_clear(&out);
	}
	text_release(&out);
}

static bool run_lines(void *lines)
{
	return run(lines) == ST_OK;
}

static void memory_runs_out(void **state)
{
	char lines[] =
	        "let v = rank\ndef f p { tensor t$p[4] = p; y = relu t$p; let v = v + 1 }\nfor i in 0:2 "
	        "{ f i }\nlet s = \"a $v\"\n@1 let q = 3\n";
	(void)state;
	sweep_memory(run_lines, lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        IN_A_SHELL(arithmetic),
	        IN_A_SHELL(variables),
	        IN_A_SHELL(definitions),
	        IN_A_SHELL(names),
	        IN_A_SHELL(shared_names),
	        IN_A_SHELL(slices),
	        IN_A_SHELL(ranks_of_lines),
	        IN_A_SHELL(clauses),
	        IN_A_SHELL(making),
	        IN_A_SHELL(errors_expected),
	        IN_A_SHELL(incomplete),
	        IN_A_SHELL(hostile),
	        IN_A_SHELL(first_lines),
	        IN_A_SHELL(places),
	        IN_A_SHELL(given_values),
	        IN_A_SHELL(a_block_starts_as_one),
	        IN_A_SHELL(reset_between_statements),
	        IN_A_SHELL(stops),
	        IN_A_SHELL(completion),
	        IN_A_SHELL(memory_runs_out),
	};
	return cmocka_run_group_tests(tests, open_transport, close_transport);
}
