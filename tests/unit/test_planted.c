/* test_planted.c -- random programs in which one operation of each kind takes long: `why` of
 * the longest wait names this operation, its rank and its line. If the lines run again without
 * it, they end at the time that the text predicts, to the nanosecond. The same holds for
 * `whatif without` of that line.
 *
 * PLANTED=500 sets the number of programs of each kind; the suite has fewer. */
#include "random_program.h"

#include "alone.h"
#include "base/memory.h"
#include "shell/replay/rerun.h"
#include "shell/session/changes.h"
#include "trace/lanes.h"
#include "trace/why.h"

#include <stdlib.h>

enum { PROGRAMS = 40, PLANT_LINES = 5, SCRIPT_LINES = 400, SCRIPT_BYTES = 120 };

/* $ is the rank. The stream `aside` has nothing else, so nobody waits for what runs there. */
struct plant {
	const char *what;
	enum root_kind root;
	const char *line[PLANT_LINES];
	int named; /* that one is the root */
	const char *instead[PLANT_LINES];
	/* the text that says what the world is without the root; "": no such line; NULL in all: no text can */
	bool data; /* there are numbers to print; of one rank then */
};
static const struct plant plants[] = {
        {.what = "slow",
                .root = ROOT_SLOW,
                .line = {"@$ slow 90x", "@$ big = relu big on comm", "@$ slow 1x"},
                .instead = {"@$ slow 1x", "@$ big = relu big on comm", "@$ slow 1x"}},
        {.what = "a host's work", .root = ROOT_HOST, .line = {"@$ host 90ms"}, .instead = {"@$ host 0us"}},
        {.what = "a launch",
                .root = ROOT_LAUNCH,
                .line = {"set launch=90ms", "@$ spin 1us on aside", "set launch=20us"},
                .named = 1,
                .instead = {"set launch=0us", "@$ spin 1us on aside", "set launch=20us"}},
        {.what = "an allocation",
                .root = ROOT_MEMORY,
                .line = {"set segment=90ms", "@$ more = relu big on aside", "set segment=0us"},
                .named = 1,
                .instead = {"set segment=0us", "@$ more = relu big on aside", "set segment=0us"}},
        {.what = "a sync",
                .root = ROOT_HELD,
                .line = {"@$ spin 90ms on aside", "@$ sync aside"},
                .named = 1,
                .instead = {"@$ spin 90ms on aside", ""}},
        {.what = "a print",
                .root = ROOT_HELD,
                .line = {"spin 90ms on default", "print sum(y)"},
                .named = 1,
                .instead = {"spin 90ms on default", "copy y -> h on default"},
                .data = true},
        {.what = "a pageable copy", .root = ROOT_HELD, .line = {"@$ copy pages -> big on aside"}},
        {.what = "a device that is shared",
                .root = ROOT_SHARED,
                .line = {"@$ one = matmul big big on aside", "@$ two = matmul big big on beside",
                        "@$ three = matmul big big on comm"},
                .named = 2},
        {.what = "a link that is shared",
                .root = ROOT_SHARED,
                .line = {"@$ put big -> bigwin@(($+1)%world) on aside",
                        "@$ put big -> bigwin@(($+1)%world) on beside",
                        "@$ put big -> bigwin@(($+1)%world) on comm"},
                .named = 2},
        {.what = "work longer than elsewhere",
                .root = ROOT_LONGER,
                .line = {"slow 1x", "spin (1 + 90 * (rank == $))*1ms on comm"},
                .named = 1,
                .instead = {"slow 1x", "spin 1ms on comm"}},
        {.what = "other work",
                .root = ROOT_WORK,
                .line = {"@$ slow 1x", "@$ spin 90ms on comm"},
                .named = 1,
                .instead = {"@$ slow 1x", "@$ spin 0us on comm"}},
};
enum version { AS_PLANTED, INSTEAD, LEFT_OUT };

struct script {
	char line[SCRIPT_LINES][SCRIPT_BYTES];
	int count, named;
};

static void add(struct script *script, const char *line)
{
	assert_true(script->count < SCRIPT_LINES);
	snprintf(script->line[script->count++], SCRIPT_BYTES, "%s", line);
}

static void add_plant(struct script *script, const struct plant *plant, int rank, enum version version)
{
	const char *const *from = version == INSTEAD ? plant->instead : plant->line;
	for (int i = 0; i < PLANT_LINES && from[i]; i++) {
		char line[SCRIPT_BYTES];
		size_t count = 0;
		for (const char *at = from[i]; *at; at++)
			count += (size_t)snprintf(line + count, sizeof line - count, *at == '$' ? "%d" : "%c",
			        *at == '$' ? rank : *at);
		line[count] = '\0';
		if (i == plant->named)
			script->named = script->count + 1;
		add(script, version == LEFT_OUT && i == plant->named ? "" : line);
	}
}

/* Lines of the program rank after rank, as they may be typed; the plant stands before one of a rank's, before a collective of all
 * on `comm` in the last segment. No line but the plant's holds a host or waits for an answer. */
static int script_make(
        struct script *script, const struct plant *plant, uint64_t seed, int ranks, enum version version)
{
	struct program program;
	struct dice dice = {.seed = seed + 5000};
	char halves[64];
	program_make(&program, seed, ranks);
	int rank = (int) throw(&dice, (uint32_t)ranks), segment = (int) throw(&dice, SEGMENTS - 1),
	    place = (int) throw(&dice, (uint32_t)program.count[segment][rank]);
	*script = (struct script){0};
	for (size_t i = 0; i < LENGTH_OF(program_begin); i++)
		add(script, program_begin[i]);
	snprintf(halves, sizeof halves, "group half 0-%d %d-%d", ranks / 2 - 1, ranks / 2, ranks - 1);
	add(script, ranks > 1 ? halves : "group half 0");
	add(script, "stream aside beside");
	if (!plant->data) {
		add(script, "tensor big[2048,2048] bigwin[2048,2048]");
		add(script, "tensor pages[2048,2048] host");
		add(script, "window bigwin");
	}
	for (int s = 0; s < SEGMENTS; s++) {
		for (int r = 0; r < ranks; r++)
			for (int i = 0; i < program.count[s][r]; i++) {
				if (s == segment && r == rank && i == place)
					add_plant(script, plant, rank, version);
				bool slow = r == rank && strstr(program.line[s][r][i], "slow 1.5x");
				add(script,
				        plant->root == ROOT_SLOW && version == INSTEAD && slow
				                ? ""
				                : program.line[s][r][i]);
			}
		add(script, "allreduce y on comm");
	}
	return rank;
}

struct session {
	struct shell shell;
	struct credit credit;
};

static void type(struct session *session, const struct script *script, int ranks, bool data)
{
	struct shell *shell = &session->shell;
	*session = (struct session){0};
	credit_start(&session->credit, transport, &shell->budget);
	shell->credit = &session->credit;
	assert_int_equal(shell_open(shell, transport, ranks, !data, "classroom"), ST_OK);
	for (int i = 0; i < script->count; i++)
		if (line_script(shell, script->line[i], strlen(script->line[i]), NULL, i + 1) != ST_OK)
			fail_msg("%s: %s", script->line[i], fail_text());
	shell->journal.here = (struct journal_text){.text = ""};
	assert_int_equal(shell_look(shell), ST_OK);
}

static int64_t last_end(struct shell *shell)
{
	return trace_window(&(struct trace){.world = shell->world, .backend = shell->backend}, -1).to;
}

/* Of any stream of any rank: before which operation it stood still the longest */
static op_id longest_wait(const struct trace *trace)
{
	struct window whole = trace_window(trace, -1);
	struct lanes lanes = {0};
	struct spans spans = {0};
	op_id longest = 0;
	int64_t most = 0;
	for (int rank = 0; rank < trace->world->n; rank++) {
		assert_int_equal(lanes_load(&lanes, trace, rank), ST_OK);
		for (int stream = STREAM_DEFAULT; stream < lanes.streams; stream++) {
			lanes_spans(&lanes, stream, whole, &spans);
			op_id op = 0;
			int64_t ns = 0;
			for (size_t i = 0; i < spans.count; i++) {
				const struct span *s = &spans.span[i];
				op_id late = 0; /* a partner, while it had begun with another */
				if (s->op)
					trace_last_partner(trace, s->op, &late);
				bool waits = s->op && (s->kind == SPAN_STALL || late);
				if (!waits || s->op != op)
					ns = 0;
				op = waits ? s->op : 0;
				ns += s->to - s->from;
				if (op && ns > most) {
					most = ns;
					longest = op;
				}
			}
		}
	}
	spans_release(&spans);
	lanes_release(&lanes);
	return longest;
}

static int line_of(const struct world *world, const struct root *root)
{
	return root->kind == ROOT_SLOW ? world_slow_at(world, root->op[0])->line
	                               : op_record(world, root->op[0])->line;
}

static int wrong;

/* All that is wrong is told, of all programs. */
static void complain(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	wrong++;
}

static void is_named(const struct world *world, const struct why *why, const struct plant *plant, int rank,
        const struct script *script, const char *what)
{
	struct text roots = {0};
	why_put_roots(why, &roots);
	const struct root *root = why->root;
	/* a pageable copy holds its engine, too */
	bool kind =
	        root && (root->kind == plant->root || (root->kind == ROOT_WORK && plant->root == ROOT_HELD));
	if (why->roots != 1 || !kind || root->rank != rank || ranks_count(&root->ranks) != 1 ||
	        line_of(world, root) != script->named)
		complain("%s, on rank %d in line %d:\n%s%s", what, rank, script->named,
		        text_string(&why->text), text_string(&roots));
	text_release(&roots);
}

/* The world of these lines run again with the changes is the one of that text. */
static void is_text(struct session *planted, const struct changes *changes, const struct plant *plant,
        const struct script *script, int ranks, const char *what)
{
	struct rerun rerun;
	struct session fresh;
	type(&fresh, script, ranks, plant->data);
	if (rerun_open(&rerun, &planted->shell, changes) != ST_OK)
		fail_msg("%s: %s", what, fail_text());
	if (last_end(&rerun.shell) != last_end(&fresh.shell))
		complain("%s: run again it ends at %lld, the text at %lld, with it at %lld", what,
		        (long long)last_end(&rerun.shell), (long long)last_end(&fresh.shell),
		        (long long)last_end(&planted->shell));
	rerun_close(&rerun, &planted->shell);
	shell_close(&fresh.shell);
}

/* What `why` would save. Where no text says it: what has its device or link alone loses no time; a pageable copy that does not hold
 * its host may be in the way of others. */
static void is_saved(struct session *planted, const struct why *why, const struct plant *plant, uint64_t seed,
        int ranks, const char *what)
{
	static struct script script;
	struct changes changes = {.slow = 1};
	struct op_otherwise *without = NULL;
	struct rerun rerun;
	changes.ops = why_without(why, &without, &changes.slowed);
	changes.op = without;
	if (plant->instead[0]) {
		script_make(&script, plant, seed, ranks, INSTEAD);
		is_text(planted, &changes, plant, &script, ranks, what);
	} else {
		if (rerun_open(&rerun, &planted->shell, &changes) != ST_OK)
			fail_msg("%s: %s", what, fail_text());
		if (plant->root == ROOT_SHARED && last_end(&rerun.shell) >= last_end(&planted->shell))
			complain("%s: without it all ends at %lld, with it at %lld", what,
			        (long long)last_end(&rerun.shell), (long long)last_end(&planted->shell));
		rerun_close(&rerun, &planted->shell);
	}
	mem_free(without);
}

static void check(const struct plant *plant, uint64_t seed)
{
	static struct script script, left_out;
	struct session planted;
	struct why why = {0};
	struct changes changes = {.slow = 1};
	char what[80];
	int ranks = plant->data ? 1 : 2 + (int)(seed % 3),
	    rank = script_make(&script, plant, seed, ranks, AS_PLANTED);
	snprintf(what, sizeof what, "program %d, %s", (int)seed, plant->what);
	type(&planted, &script, ranks, plant->data);
	struct trace trace = {.world = planted.shell.world, .backend = planted.shell.backend};
	op_id asked = longest_wait(&trace);
	struct why_question question = {.of = WHY_OP, .op = &asked, .ops = 1, .section = -1};
	assert_int_equal(trace_why(&trace, &question, 100, &why), ST_OK);
	is_named(planted.shell.world, &why, plant, rank, &script, what);
	is_saved(&planted, &why, plant, seed, ranks, what);
	script_make(&left_out, plant, seed, ranks, LEFT_OUT);
	assert_int_equal(changes_without(&changes, script.line[script.named - 1]), ST_OK);
	is_text(&planted, &changes, plant, &left_out, ranks, what);
	why_release(&why);
	shell_close(&planted.shell);
}

static void the_planted_is_the_root(void **state)
{
	const char *asked = getenv("PLANTED");
	int programs = asked ? atoi(asked) : PROGRAMS;
	long live = mem_live();
	(void)state;
	assert_true(programs > 0);
	for (int i = 0; i < (int)LENGTH_OF(plants); i++)
		for (int seed = 1; seed <= programs; seed++)
			check(&plants[i], (uint64_t)seed);
	assert_int_equal(mem_live(), live);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_planted_is_the_root)};
	return cmocka_run_group_tests(tests, open_transport, close_transport);
}
