/* test_rerun.c -- `whatif` predicts what the changed text gives when it is typed anew: every
 * operation at the same time, to the nanosecond. Random programs: without a change, with
 * another launch time, machine or link, with a slow rank, without a line, and with an operation
 * that takes no time (as `why` asks) */
#include "base/memory.h"
#include "random_program.h"
#include "shell/commands/table.h"
#include "shell/replay/rerun.h"
#include "shell/session/changes.h"
#include "shell/submit/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { PROGRAMS = 100 };
enum change_of {
	CHANGE_OF_NOTHING,
	CHANGE_OF_LAUNCH,
	CHANGE_OF_LINK,
	CHANGE_OF_MACHINE,
	CHANGE_OF_SLOW,
	CHANGE_OF_LINE,
	CHANGE_OF_SPIN,
	CHANGE_OF_HOST,
	CHANGES_OF
};

struct session {
	struct shell shell;
	struct credit credit;
	struct typist typist;
};

static void begin(struct session *session, struct transport *transport, int ranks)
{
	*session = (struct session){0};
	session->typist.shell = &session->shell;
	credit_start(&session->credit, transport, &session->shell.budget);
	session->shell.credit = &session->credit;
	assert_int_equal(shell_open(&session->shell, transport, ranks, true, "classroom"), ST_OK);
}

static void end(struct session *session)
{
	text_release(&session->typist.said);
	shell_close(&session->shell);
}

static void type(struct session *session, const struct program *program, const char *first)
{
	if (*first)
		assert_int_equal(type_line(&session->typist, first, false), ST_OK);
	if (type_program(&session->typist, program) != ST_OK)
		fail_msg("%s", fail_text());
	session->shell.journal.here = (struct journal_text){.text = ""};
	assert_int_equal(shell_look(&session->shell), ST_OK);
}

/* A rank's line that says how slow it is says the same each time; a line of that text is left out. */
static void edit(struct program *program, int slow_rank, const char *without)
{
	for (int segment = 0; segment < SEGMENTS; segment++)
		for (int rank = 0; rank < program->ranks; rank++) {
			int kept = 0;
			for (int i = 0; i < program->count[segment][rank]; i++) {
				char *line = program->line[segment][rank][i];
				if (rank == slow_rank && strstr(line, "slow "))
					snprintf(line, LINE_BYTES, "@%d slow 3x", rank);
				if (strcmp(line, without) != 0)
					memmove(program->line[segment][rank][kept++], line, LINE_BYTES);
			}
			program->count[segment][rank] = kept;
		}
}

/* The first line of this form, of any rank, takes no time. False: there is none. */
static bool without_time(struct program *program, const char *form, const char *instead, int *rank)
{
	for (*rank = 0; *rank < program->ranks; (*rank)++)
		for (int segment = 0; segment < SEGMENTS; segment++)
			for (int i = 0; i < program->count[segment][*rank]; i++) {
				char *line = program->line[segment][*rank][i], rest[LINE_BYTES];
				char *at = strstr(line, form);
				if (!at || strchr(line, '{'))
					continue;
				snprintf(rest, sizeof rest, "%s", at + strlen(form));
				snprintf(at, (size_t)(line + LINE_BYTES - at), "%s%s", instead, rest);
				return true;
			}
	return false;
}

/* The operation of that line, in the session where it takes its time */
static op_id operation_of(const struct world *world, int rank, enum op_kind kind, int64_t ns)
{
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		const struct record *record = op_record(world, id);
		if (record->kind == kind && record->duration_ns == ns && record->microbatch < 0)
			return id;
	}
	return 0;
}

static void same_times(struct shell *a, struct shell *b, const char *what)
{
	if (a->world->op_count != b->world->op_count)
		fail_msg("%s: %zu operations, and %zu", what, a->world->op_count, b->world->op_count);
	for (op_id id = 1; id <= a->world->op_count; id++) {
		struct times x = backend_times(a->backend, id), y = backend_times(b->backend, id);
		if (x.issue != y.issue || x.ready != y.ready || x.start != y.start || x.end != y.end)
			fail_msg("%s: operation %u: %lld %lld %lld %lld, and %lld %lld %lld %lld", what, id,
			        (long long)x.issue, (long long)x.ready, (long long)x.start, (long long)x.end,
			        (long long)y.issue, (long long)y.ready, (long long)y.start, (long long)y.end);
	}
}

/* Both ways: the program typed with the change, and run again with it. */
static void check(struct transport *transport, uint64_t seed, enum change_of which)
{
	struct program program, changed;
	struct session plain, typed;
	struct rerun rerun;
	struct changes changes = {.slow = 1};
	char first[40] = "", what[60];
	int ranks = 2 + (int)(seed % 3), slow = -1;
	program_make(&program, seed, ranks);
	changed = program;
	const char *without = program.line[1][0][program.count[1][0] / 2];
	if (which == CHANGE_OF_LAUNCH || which == CHANGE_OF_LINK) {
		bool launch = which == CHANGE_OF_LAUNCH;
		const char *key = launch ? "launch" : "link_rate";
		snprintf(first, sizeof first, "set %s=%s", key, launch ? "70us" : "1GB/s");
		changes.keys = 1;
		changes.key[0] = (struct key_change){.key = machine_key_find(key),
		        .number = {launch ? 70e3 : 1e9, launch ? UNIT_TIME : UNIT_BYTE_RATE}};
		snprintf(changes.key[0].name, sizeof changes.key[0].name, "%s", key);
	} else if (which == CHANGE_OF_MACHINE) {
		snprintf(first, sizeof first, "machine dgx-h100");
		changes.other = true;
		assert_int_equal(machine_load(&changes.machine, "dgx-h100"), ST_OK);
	} else if (which == CHANGE_OF_SLOW) {
		slow = (int)(seed % (uint64_t)ranks);
		snprintf(first, sizeof first, "@%d slow 3x", slow);
		ranks_add(&changes.slowed, slow);
		changes.slow = 3;
	} else if (which == CHANGE_OF_LINE) {
		if (strchr(without, '{')) /* the lines within a block are lines by themselves */
			return;
		assert_int_equal(changes_without(&changes, without), ST_OK);
	}
	bool spin = which == CHANGE_OF_SPIN, work = spin || which == CHANGE_OF_HOST;
	int rank = 0;
	if (work &&
	        !without_time(
	                &changed, spin ? "spin 1ms" : "host 700us", spin ? "spin 0us" : "host 0us", &rank))
		return;
	edit(&changed, slow, which == CHANGE_OF_LINE ? without : "");
	snprintf(what, sizeof what, "program %d, change %d", (int)seed, which);
	begin(&plain, transport, ranks);
	type(&plain, &program, "");
	begin(&typed, transport, ranks);
	type(&typed, &changed, first);
	struct op_otherwise otherwise = {.id = operation_of(plain.shell.world, rank,
	                                         spin ? OP_KERNEL : OP_HOST, spin ? 1000000 : 700000)};
	changes.op = work ? &otherwise : NULL;
	changes.ops = work;
	if (rerun_open(&rerun, &plain.shell, &changes) != ST_OK)
		fail_msg("%s: %s", what, fail_text());
	same_times(&typed.shell, &rerun.shell, what);
	if (which == CHANGE_OF_LINE)
		assert_true(rerun.changes.left_out > 0);
	rerun_close(&rerun, &plain.shell);
	end(&typed);
	end(&plain);
}

static void as_typed(void **state)
{
	struct transport *transport = NULL;
	long live = mem_live();
	(void)state;
	assert_int_equal(transport_start(&transport, false, NULL, NULL), ST_OK);
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
		for (int which = 0; which < CHANGES_OF; which++)
			check(transport, seed, (enum change_of)which);
	transport_stop(transport);
	assert_int_equal(mem_live(), live);
}

int main(void)
{
	commands_start(command_table);
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_typed)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
