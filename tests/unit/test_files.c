/* test_files.c -- a program's files: their namespace, their options, what they refuse; lines whose command a
 * variable chooses */
#include "shell/language/run/interpreter.h"
#include "strategies/kinds.h"
#include "shell/line/line.h"
#include "base/memory.h"
#include "check.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"
#include "shell/training/open.h"

#include <string.h>

static struct plane *plane;
static struct shell shell;

static int open_plane(void **state)
{
	int argc = 0;
	char **argv = NULL;
	(void)state;
	return plane_start(&plane, false, &argc, &argv) != ST_OK;
}

static int close_plane(void **state)
{
	(void)state;
	plane_stop(plane);
	return 0;
}

static int open_shell(void **state)
{
	(void)state;
	memset(&shell, 0, sizeof shell);
	return shell_open(&shell, plane, 4, true, "classroom") != ST_OK;
}

static int close_shell(void **state)
{
	(void)state;
	shell_close(&shell);
	return 0;
}

/* Lines of the prompt, and of a program's file */
static void prompt_at(const char *text, int line)
{
	int before = shell.expects_failed;
	if (line_text(&shell, text, strlen(text), NULL, 1) != ST_OK)
		fail_msg("line %d: '%s': %s", line, text, fail_text());
	if (shell.expects_failed != before)
		fail_msg("line %d: '%s' is false", line, text);
}

static enum status run_file(const char *text, const struct given *given, int count)
{
	return interpreter_program_run(&shell, "strategy f", text, strlen(text), "f.rsh", 1, given, count);
}

static void file_at(const char *text, int line)
{
	int before = shell.expects_failed;
	if (run_file(text, NULL, 0) != ST_OK)
		fail_msg("line %d: '%s': %s", line, text, fail_text());
	if (shell.expects_failed != before)
		fail_msg("line %d: '%s' is false", line, text);
}

static void refused_at(enum status status, const char *words, int line)
{
	if (status == ST_OK || !strstr(fail_text(), words))
		fail_msg("line %d: %s: '%s', not '%s'", line, status_name(status), fail_text(), words);
}

#define PROMPT(text) prompt_at(text, __LINE__)
#define FILE_RUNS(text) file_at(text, __LINE__)
#define REFUSED(status, words) refused_at(status, words, __LINE__)

static void begin(void)
{
	interpreter_program_free(interpreter_program_set(shell.interpreter, interpreter_program_new(&shell)));
}

static void a_namespace_of_its_own(void **state)
{
	(void)state;
	PROMPT("let i = 7; let h = 3; def place { let n = 1 }; stream s");
	begin();
	FILE_RUNS("let i = 1; let n = 0; let layers = 4\n"
	          "def place { let n = 10 }\n"
	          "def made p { tensor $p[4] = ones }\n"
	          "made h2; for m in 0:2 { made w$m }");
	PROMPT("expect i == 7");
	REFUSED(interpreter_run(&shell, "expect layers == 4", 18, NULL, 1), "no variable 'layers'");
	/* an older def of the learner's does not count; a bare name is not his variable `h` */
	FILE_RUNS("place; expect n == 10 and i == 1");
	FILE_RUNS("def named p { let n = sum($p) }\ntensor hh[1] = 5");
	REFUSED(run_file("expect h == 3", NULL, 0), "h is a variable of the prompt");
	/* what he types now does, and sees the program's variables before his own */
	PROMPT("def place { let n = i + h }");
	FILE_RUNS("place; expect n == 4");
	PROMPT("def place { replaced; let n = n + 1 }");
	FILE_RUNS("place; expect n == 5");
	/* his own calls are of his own defs, or else of the program's */
	PROMPT("let n = 0; place; made by_hand; expect bytes(by_hand) == 16 and n == 11");
	/* the next program is a new one */
	begin();
	FILE_RUNS("let n = 0; def place { let n = 20 }\nplace; expect n == 20");
	REFUSED(run_file("made x", NULL, 0), "no command 'made'");
	PROMPT("reset");
	PROMPT("let n = 2; expect n == 2");
}

static void places(void **state)
{
	(void)state;
	begin();
	FILE_RUNS("let n = 0\ndef place a { }\ndef each f { $f 1 }\ndef empty { }");
	FILE_RUNS("def place a { replaced a; let n = n + a }");
	FILE_RUNS("def place a { replaced a*10; let n = n + a }");
	FILE_RUNS("each place; expect n == 11");
	REFUSED(run_file("def empty { empty }\nempty", NULL, 0), "f.rsh:1: defs call each other deeper than");
}

static void given(void **state)
{
	static const char file[] = "option bucket=256k least=1 \"bytes\"\n"
	                           "option hook=none of=\"none f16\" \"what is sent\"\n"
	                           "option F=0ms \"of a forward\"\n"
	                           "option part=1% \"of it\"\n"
	                           "option half=bucket/2 \"of another\"\n"
	                           "refuse bucket > 1M \"bucket=$bucket is above $(size*1)\"\n"
	                           "let seen = 1";
	static const struct {
		struct given given;
		const char *words;
	} rows[] = {
	        {{"buckets", {1, UNIT_PLAIN}, NULL},
	                "strategy f has no option 'buckets'; did you mean 'bucket'?"},
	        {{"zzz", {1, UNIT_PLAIN}, NULL}, "has no option 'zzz' (options: bucket hook F part half)"},
	        {{"bucket", {0, UNIT_PLAIN}, NULL}, "bucket=0: at least 1 was expected"},
	        {{"bucket", {0, 0}, "big"}, "bucket=big: a number was expected, as in the default 256k"},
	        {{"bucket", {1.5, UNIT_PLAIN}, NULL}, "bucket=1.5: a whole number was expected"},
	        {{"hook", {0, 0}, "f1"}, "'hook=f1' is none of: none f16; did you mean 'hook=f16'?"},
	        {{"F", {4, UNIT_PLAIN}, NULL}, "F=4: a time was expected, as in the default 0ms"},
	        {{"bucket", {2 << 20, UNIT_PLAIN}, NULL}, "f.rsh:6: bucket=2097152 is above 1048576"},
	};
	struct given good[] = {{"bucket", {4096, UNIT_PLAIN}, NULL}, {"hook", {0, 0}, "f16"},
	        {"F", {1.5e6, UNIT_TIME}, NULL}, {"part", {0.5, UNIT_PLAIN}, NULL}};
	struct given size = {"size", {1 << 20, UNIT_PLAIN}, NULL};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		begin();
		assert_int_equal(interpreter_program_let(&shell, &size), ST_OK);
		REFUSED(run_file(file, &rows[i].given, 1), rows[i].words);
		REFUSED(run_file("expect seen == 1", NULL, 0), "no variable 'seen'");
	}
	begin();
	assert_int_equal(interpreter_program_let(&shell, &size), ST_OK);
	assert_int_equal(run_file(file, good, LENGTH_OF(good)), ST_OK);
	FILE_RUNS(
	        "expect bucket == 4096 and hook == \"f16\" and F == 1.5ms and part == 0.5 and half == 2048");
	REFUSED(run_file("option hook=a \"again\"", NULL, 0),
	        "option hook: a variable or an option has that name");
	assert_int_not_equal(interpreter_program_let(&shell, &size), ST_OK);
	/* the grammar of the line */
	REFUSED(run_file("option a=1", NULL, 0), "f.rsh:1: option a wants a sentence");
	REFUSED(run_file("option a \"x\"", NULL, 0), "option wants NAME=DEFAULT");
	REFUSED(run_file("option a=c of=\"d e\" \"x\"", NULL, 0), "is none of: d e");
	REFUSED(run_file("option a=1 lest=2 \"x\"", NULL, 0), "'lest=2' was not expected");
	REFUSED(run_file("if 1 == 1 { option a=1 \"x\" }", NULL, 0), "an `option` stands in no block");
	REFUSED(run_file("refuse 1 == 1", NULL, 0), "refuse wants when, and a text");
	REFUSED(run_file("replaced 1", NULL, 0), "it stands in a def");
}

/* A program that is suspended between two statements, and a line of the prompt */
static void suspended(void **state)
{
	struct running other = {0};
	(void)state;
	begin();
	FILE_RUNS("let n = 1; def f { let n = n + 1 }");
	interpreter_exchange(shell.interpreter, &other);
	interpreter_exchange(shell.interpreter, &other);
	PROMPT("f; f");
	FILE_RUNS("expect n == 3");
}

/* What the memory of a tensor on rank 0 is for */
static const char *purpose(const char *name)
{
	struct thing thing = world_find(shell.world, 0, names_find(shell.world->names, name, strlen(name)));
	return thing.kind == THING_TENSOR
	        ? tensor_kind_name((enum tensor_kind)world_memory_kind(shell.world, thing.index))
	        : "none";
}

static void kinds(void **state)
{
	(void)state;
	PROMPT("let g = \"gradient\"; stream s; tensor q[4,4] kind=parameter = ones; tensor r[4] s1[2] "
	       "kind=$g bf16");
	assert_string_equal(purpose("q"), "parameters");
	assert_string_equal(purpose("r"), "gradients");
	assert_string_equal(purpose("s1"), "gradients");
	PROMPT("z = matmul q q on s kind=optimizer; y = relu z; phase F0; h = relu z; phase B0; d = "
	       "allreduce q kind=buffer");
	assert_string_equal(purpose("z"), "optimizer");
	assert_string_equal(purpose("y"), "buffers");
	assert_string_equal(purpose("h"), "activations");
	assert_string_equal(purpose("d"), "buffers");
	PROMPT("e = relu z; v = q[0:2]");
	assert_string_equal(purpose("e"), "their gradients");
	assert_string_equal(purpose("v"), "parameters");
	REFUSED(run_file("tensor t[4] kind=gradiant", NULL, 0), "did you mean 'kind=gradient'?");
	REFUSED(run_file("let k = \"x\"; y = relu q kind=$k", NULL, 0), "kind=x: one of parameter");
	REFUSED(run_file("spin 1ms kind=gradient", NULL, 0), "kind");
	assert_string_equal(purpose("none"), "none");
}

/* What a hook was told: "rank: line" for rank 1, calls with their depth */
struct notes {
	struct line_hook hook;
	struct text text;
};

static void note(struct line_hook *hook, struct shell *of, enum ran ran, struct statement *statement,
        const struct ranks *set, int depth)
{
	struct notes *notes = (struct notes *)(void *)hook;
	bool varies = false;
	if (!ranks_has(set, 1))
		return;
	if (ran == RAN_END) {
		text_add(&notes->text, "}\n");
		return;
	}
	if (ran == RAN_CALL)
		text_add(&notes->text, "%d ", depth);
	interpreter_render(of, statement, set, 1, &notes->text, &varies);
	text_add(&notes->text, "%s%s\n", ran == RAN_BLOCK ? " {" : "", varies ? "  *" : "");
}

static void lines_as_they_ran(void **state)
{
	static const struct {
		const char *typed, *ran;
	} rows[] = {
	        {"for m in 0:2 { y$m = matmul x x.T on s }",
	                "y0 = matmul x x.T on s\ny1 = matmul x x.T on s\n"},
	        {"on s { in tp { y0 += allreduce x[0:rank+1,1] op=avg } }",
	                "y0 += allreduce x[0:2,1] op=avg in tp on s  *\n"},
	        {"@1 allreduce x", "allreduce x\n"},
	        {"let lr = 0.1; sgd x y0 lr=lr/2", "sgd x y0 lr=0.05\n"},
	        {"let t = 2ms; spin t; host t*2; let third = 1/3; z = scale x third",
	                "spin 2000000ns\nhost 4000000ns\n"
	                "z = scale x 0.3333333333333333\n"},
	        {"let act = \"relu\"; y0 = $act x", "y0 = relu x\n"},
	        {"let n = 3; tensor a$n[n,n*2] bf16 host = randn seed=n+rank",
	                "tensor a3[3,6] host bf16 = randn seed=4  *\n"},
	        {"tensor b[4] = n/2", "tensor b[4] = 1.5\n"},
	        {"let k = \"gradient\"; tensor b2[2] kind=$k = ones; z2 = relu x kind=$k on s",
	                "tensor b2[2] kind=gradient = ones\nz2 = relu x kind=gradient on s\n"},
	        {"v = x[n-3:n-1]", "v = x[0:2]\n"},
	        {"x[0] += y0[1]", "x[0] = add x[0] y0[1]\n"},
	        {"def inner k { say \"k=$k of $n\" }\ndef outer p k { inner k+1; phase F$k; y0 = relu $p "
	         "}\nouter x 4",
	                "0 outer x 4\n1 inner 5\nsay \"k=5 of 3\"\nphase F4\ny0 = relu x\n"},
	        {"capture g on s { y0 = relu x }", "capture g on s {\ny0 = relu x on s\n}\n"},
	        {"copy x[n-1] -> y0[0] on s", "copy x[2] -> y0[0] on s\n"},
	        {"if rank == 1 { send x to=(tp+1)%2 in tp } else { recv x from=0 in tp }",
	                "send x to=0 in tp  *\n"},
	        {"expect n + 1 == 4 and races == 0", "expect (4 == 4) and (races == 0)\n"},
	        {"print n \"a\" rank x[0,0]", "print 3 \"a\" 1 x[0,0]  *\n"},
	        {"@1 group one 0-1 2,3", "group one 0,1 2,3\n"},
	        {"expect error \"sia\" { sia }", ""},
	};
	struct notes notes = {.hook.ran = note};
	(void)state;
	PROMPT("mesh dp=2 tp=2; stream s; tensor x[4,4] = ones; y0 = relu x");
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		interpreter_hook(shell.interpreter, &notes.hook);
		enum status status = interpreter_run(&shell, rows[i].typed, strlen(rows[i].typed), NULL, 1);
		interpreter_hook(shell.interpreter, NULL);
		if (strcmp(text_string(&notes.text), rows[i].ran) != 0)
			fail_msg("'%s' (%s) ran '%s'", rows[i].typed, status ? fail_text() : "",
			        text_string(&notes.text));
		text_clear(&notes.text);
	}
	text_release(&notes.text);
}

#define IN_A_SHELL(test) cmocka_unit_test_setup_teardown(test, open_shell, close_shell)

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {
	        IN_A_SHELL(a_namespace_of_its_own),
	        IN_A_SHELL(places),
	        IN_A_SHELL(given),
	        IN_A_SHELL(suspended),
	        IN_A_SHELL(kinds),
	        IN_A_SHELL(lines_as_they_ran),
	};
	return cmocka_run_group_tests(tests, open_plane, close_plane);
}
