/* test_files.c -- a program's files: their namespace, their options, what they refuse; lines
 * whose command a variable chooses */
#include "lines.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/run/player.h"
#include "world/tensor_kind.h"

static struct player *player;
static struct player_file files[2];

static int close_player(void **state)
{
	player_free(player);
	player = NULL;
	return close_shell(state);
}

/* A program of these files, which stops at each `##`. first may be NULL */
static enum status load(const char *first, const char *text, const struct given *given, int givens)
{
	int count = 0;
	player_free(player);
	player = NULL;
	if (first)
		files[count++] = (struct player_file){
		        .name = "first.rsh", .what = "model first", .text = first, .count = strlen(first)};
	files[count++] = (struct player_file){.name = "f.rsh",
	        .what = "strategy f",
	        .text = text,
	        .count = strlen(text),
	        .given = given,
	        .givens = givens};
	return player_make(&player, &shell, (struct player_source){.file = files, .files = count});
}

static enum status go(void)
{
	enum player_stop stop;
	return player_go(player, &stop);
}

static enum status run_file(const char *text)
{
	enum status status = load(NULL, text, NULL, 0);
	return status == ST_OK ? go() : status;
}

static void step_at(int line)
{
	int before = shell.expect.failed;
	if (go() != ST_OK)
		fail_msg("line %d: %s", line, fail_text());
	if (shell.expect.failed != before)
		fail_msg("line %d: the step says something false", line);
}

static void refused_at(enum status status, const char *words, int line)
{
	if (status == ST_OK || !strstr(fail_text(), words))
		fail_msg("line %d: %s: '%s', not '%s'", line, status_name(status), fail_text(), words);
}

#define STEP() step_at(__LINE__)
#define REFUSED(status, words) refused_at(status, words, __LINE__)

static void a_namespace_of_its_own(void **state)
{
	(void)state;
	HOLDS("let i = 7; let h = 3; def place { let n = 1 }; stream s");
	assert_int_equal(load("let i = 1; let n = 0; let layers = 4\n"
	                      "def place { let n = 10 }\n"
	                      "def made p { tensor $p[4] = ones }\n",
	                         "## one\nmade h2; for m in 0:2 { made w$m }\n"
	                         "## two\nplace; expect n == 10 and i == 1\n"
	                         "def named p { let n = sum($p) }\ntensor hh[1] = 5\n"
	                         "## three\nplace; expect n == 10 + 4\n"
	                         "## four\nplace; expect n == 15\n"
	                         "## five\nexpect h == 3",
	                         NULL, 0),
	        ST_OK);
	STEP();
	HOLDS("expect i == 7 and bytes(w1) == 16B");
	REFUSED(interpreter_run(&shell, "expect layers == 4", 18, NULL, 1), "no variable 'layers'");
	REFUSED(interpreter_run(&shell, "made x", 6, NULL, 1), "no command 'made'");
	/* an older def of the learner's does not count */
	STEP();
	/* what he types now does, and sees his own variables before the program's */
	HOLDS("def place { let n = i + h + layers }");
	STEP();
	HOLDS("def place { replaced; let n = n + 1 }");
	STEP();
	/* a bare name is not his variable `h` */
	REFUSED(go(), "h is a variable of the prompt");
	/* the next program is a new one */
	assert_int_equal(run_file("let n = 0; def place { let n = 20 }\nplace; expect n == 20"), ST_OK);
	REFUSED(run_file("made x"), "no command 'made'");
	player_free(player);
	player = NULL;
	HOLDS("reset");
	HOLDS("let n = 2; expect n == 2");
}

static void places(void **state)
{
	(void)state;
	assert_int_equal(load("let n = 0\ndef place a { }\ndef each f { $f 1 }\ndef empty { }\n"
	                      "def place a { replaced a; let n = n + a }",
	                         "def place a { replaced a*10; let n = n + a }\n"
	                         "each place; expect n == 11",
	                         NULL, 0),
	        ST_OK);
	STEP();
	REFUSED(run_file("def empty { empty }\nempty"), "f.rsh:1: defs call each other deeper than");
}

static void given(void **state)
{
	static const char size[] = "let size = 1M";
	static const char file[] = "option bucket=256k least=1 \"bytes\"\n"
	                           "option hook=none of=\"none f16\" \"what is sent\"\n"
	                           "option F=0ms \"of a forward\"\n"
	                           "option part=1% \"of it\"\n"
	                           "option half=bucket/2 \"of another\"\n"
	                           "refuse bucket > 1M \"bucket=$bucket is above $(size*1)\"\n"
	                           "expect bucket == 4096 and hook == \"f16\" and F == 1.5ms\n"
	                           "expect part == 0.5 and half == 2048; tensor seen[1]";
	static const struct {
		struct given given;
		const char *words;
	} rows[] = {
	        {{"buckets", {1, UNIT_PLAIN}, NULL, NULL},
	                "strategy f has no option 'buckets'; did you mean 'bucket'?"},
	        {{"zzz", {1, UNIT_PLAIN}, NULL, NULL},
	                "has no option 'zzz' (options: bucket hook F part half)"},
	        {{"bucket", {0, UNIT_PLAIN}, NULL, NULL}, "bucket=0: at least 1 was expected"},
	        {{"bucket", {0, 0}, "big", NULL},
	                "bucket=big: a number was expected, as in the default 256k"},
	        {{"bucket", {1.5, UNIT_PLAIN}, NULL, NULL}, "bucket=1.5: a whole number was expected"},
	        {{"hook", {0, 0}, "f1", NULL}, "'hook=f1' is none of: none f16; did you mean 'hook=f16'?"},
	        {{"F", {4, UNIT_PLAIN}, NULL, NULL}, "F=4: a time was expected, as in the default 0ms"},
	        {{"bucket", {2 << 20, UNIT_PLAIN}, NULL, NULL}, "f.rsh:6: bucket=2097152 is above 1048576"},
	};
	struct given good[] = {{"bucket", {4096, UNIT_PLAIN}, NULL, NULL}, {"hook", {0, 0}, "f16", NULL},
	        {"F", {1.5e6, UNIT_TIME}, NULL, NULL}, {"part", {0.5, UNIT_PLAIN}, NULL, NULL}};
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		enum status status = load(size, file, &rows[i].given, 1);
		REFUSED(status == ST_OK ? go() : status, rows[i].words);
		HOLDS("expect error \"no tensor\" { print seen }");
	}
	assert_int_equal(load(size, file, good, LENGTH_OF(good)), ST_OK);
	STEP();
	HOLDS("expect bytes(seen) == 4B");
	assert_int_equal(load("option hook=none \"x\"", "option hook=a \"again\"", NULL, 0), ST_OK);
	REFUSED(go(), "option hook: a variable or an option has that name");
	/* the grammar of the line */
	REFUSED(run_file("option a=1"), "f.rsh:1: option a needs a sentence");
	REFUSED(run_file("option a \"x\""), "option needs NAME=DEFAULT");
	REFUSED(run_file("option a=c of=\"d e\" \"x\""), "is none of: d e");
	REFUSED(run_file("option a=1 lest=2 \"x\""), "'lest=2' was not expected");
	REFUSED(run_file("if 1 == 1 { option a=1 \"x\" }"), "an `option` cannot be in a block");
	REFUSED(run_file("refuse 1 == 1"), "refuse needs a condition and a text");
	REFUSED(run_file("replaced 1"), "is used only in a def");
}

/* A program that is suspended between two statements, and lines of the prompt: each has its own variables,
 * blocks and `use` */
static void suspended(void **state)
{
	(void)state;
	HOLDS("let n = 10; def f { let n = n + 1 }");
	assert_int_equal(load(NULL,
	                         "def f { let n = n + 1 }\nlet n = 1; use @1-2\n"
	                         "## one\nrepeat 2 {\nf; tensor t$n[1] = rank\n## again\nf }\n"
	                         "expect n == 5; peek t4",
	                         NULL, 0),
	        ST_OK);
	STEP();
	HOLDS("f; f; expect n == 12; tensor all[2] = ones; use @3");
	STEP();
	HOLDS("tensor three[1]; use @all; expect n == 12 and bytes(all) == 8B");
	STEP();
	HOLDS("@1-2 expect bytes(t2) == 4B and bytes(t4) == 4B; @0 expect error \"no tensor\" { print t4 }");
	HOLDS("@3 expect bytes(three) == 4B; @0 expect error \"no tensor\" { print three }");
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
	HOLDS("let g = \"gradient\"; stream s; tensor q[4,4] kind=parameter = ones; tensor r[4] s1[2] "
	      "kind=$g bf16");
	assert_string_equal(purpose("q"), "parameters");
	assert_string_equal(purpose("r"), "gradients");
	assert_string_equal(purpose("s1"), "gradients");
	HOLDS("z = matmul q q on s kind=optimizer; y = relu z; phase F0; h = relu z; phase B0; d = "
	      "allreduce q kind=buffer");
	assert_string_equal(purpose("z"), "optimizer");
	assert_string_equal(purpose("y"), "buffers");
	assert_string_equal(purpose("h"), "activations");
	assert_string_equal(purpose("d"), "buffers");
	HOLDS("e = relu z; v = q[0:2]");
	assert_string_equal(purpose("e"), "their gradients");
	assert_string_equal(purpose("v"), "parameters");
	REFUSED(run_file("tensor t[4] kind=gradiant"), "did you mean 'kind=gradient'?");
	REFUSED(run_file("let k = \"x\"; y = relu q kind=$k"), "kind=x: one of parameter");
	REFUSED(run_file("spin 1ms kind=gradient"), "kind");
	assert_string_equal(purpose("none"), "none");
}

/* What a program was told: "rank: line" for rank 1, calls with their depth */
static void note(void *self, enum ran ran, struct statement *statement, const struct ranks *set, int depth)
{
	struct text *notes = self;
	bool varies = false;
	if (!ranks_has(set, 1))
		return;
	if (ran == RAN_END) {
		text_add(notes, "}\n");
		return;
	}
	if (ran == RAN_CALL)
		text_add(notes, "%d ", depth);
	interpreter_render(&shell, statement, set, 1, notes, &varies);
	text_add(notes, "%s%s\n", ran == RAN_BLOCK ? " {" : "", varies ? "  *" : "");
}

static void lines_as_they_ran(void **state)
{
	static const struct {
		const char *typed, *ran;
	} rows[] = {
	        {"for m in 0:2 { y$m = matmul x x.T on s }",
	                "y0 = matmul x x.T on s\ny1 = matmul x x.T on s\n"},
	        {"on s { in tp { allreduce x[1,0:dp+1] op=avg } }",
	                "allreduce x[1,0:1] op=avg in tp on s  *\n"},
	        {"on s { y0 += matmul x x }", "y0 += matmul x x on s\n"},
	        {"@1 allreduce x", "allreduce x\n"},
	        {"let lr = 0.1; sgd x y0 lr=lr/2", "sgd x y0 lr=0.05\n"},
	        {"let t = 2ms; spin t; host t*2; let third = 1/3; z = scale x third",
	                "spin 2ms\nhost 4ms\n"
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
	        {"def says what { say \"$what\" }\ndef via what { says $what }\nlet w = \"two $n\"\n"
	         "says \"a b\"; via $w; says \"a\"; says x[n-1]; via \"\"",
	                "0 says \"a b\"\nsay \"a b\"\n0 via \"two 3\"\n1 says \"two 3\"\nsay \"two 3\"\n"
	                "0 says a\nsay \"a\"\n0 says x[2]\nsay \"x[2]\"\n"
	                "0 via \"\"\n1 says \"\"\nsay \"\"\n"},
	        {"capture g on s { y0 = relu x }", "capture g on s {\ny0 = relu x on s\n}\n"},
	        {"copy x[n-1] -> y0[0] on s", "copy x[2] -> y0[0] on s\n"},
	        {"if rank == 1 { send x to=(tp+1)%2 in tp } else { @0 recv x from=1 in tp }",
	                "send x to=0 in tp  *\n"},
	        {"expect n + 1 == 4 and races >= 0", "expect (4 == 4) and (races >= 0)\n"},
	        {"print n \"a\" rank x[0,0]", "print 3 \"a\" 1 x[0,0]  *\n"},
	        {"@1 group one 0-1 2,3", "group one 0,1 2,3\n"},
	        {"expect error \"sia\" { sia }", ""},
	};
	struct text notes = {0}, program = {0};
	(void)state;
	HOLDS("mesh dp=2 tp=2; stream s; tensor x[4,4] = ones; y0 = relu x");
	for (size_t i = 0; i < LENGTH_OF(rows); i++)
		text_add(&program, "## row\n%s\n", rows[i].typed);
	assert_int_equal(load(NULL, text_string(&program), NULL, 0), ST_OK);
	player_watch(player, (struct watcher){.self = &notes, .line = note});
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		STEP();
		if (strcmp(text_string(&notes), rows[i].ran) != 0)
			fail_msg("'%s' ran '%s'", rows[i].typed, text_string(&notes));
		text_clear(&notes);
	}
	text_release(&notes);
	text_release(&program);
}

#define WITH_A_PLAYER(test) cmocka_unit_test_setup_teardown(test, open_shell, close_player)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH_A_PLAYER(a_namespace_of_its_own),
	        WITH_A_PLAYER(places),
	        WITH_A_PLAYER(given),
	        WITH_A_PLAYER(suspended),
	        WITH_A_PLAYER(kinds),
	        WITH_A_PLAYER(lines_as_they_ran),
	};
	return cmocka_run_group_tests(tests, open_transport, close_transport);
}
