/* test_causes.c -- every instant of every lane has one cause, and blames an operation that can be
 * its reason: on random programs with everything that can block a stream or a host, over the whole
 * time and random windows */
#include "causes.h"

#include "base/arithmetic.h"
#include "backend/cost.h"
#include "trace/sharing.h"

enum { RANKS = 4, PROGRAMS = 500, STEPS = 40 };

static const char *const first_lines[] = {
        "set segment=200us memory=24MB",
        "stream io compute comm",
        "stream hi priority=high",
        "stream held blocking",
        "stream load kind=host",
        "tensor x[256,256] w[256,256] y[256,256] z[256,256] a[256,256] b[256,256] win[256,256] got[256,256]",
        "tensor h[256,256] p[256,256] pinned",
        "tensor g[256,256]",
        "tensor s[256,256] host",
        "tensor f[256,256] disk",
        "event e o",
        "group half 0-1 2-3",
        "group soon 0-3 timeout=3ms",
        "window win",
        ("capture two on io { y = matmul x w on io; record o on io; wait o on compute; b = matmul b w on "
         "compute; wait compute on io }"),
};

/* Of one rank or several; %s is one of `streams` */
static const char *const own_lines[] = {
        "y = matmul x w on %s",
        "b = matmul b w on %s",
        "q%d = matmul x w on %s",
        "spin 300us on %s",
        "spin 1ms on %s",
        "copy h -> x on %s",
        "copy p -> y on %s",
        "copy y -> h on %s",
        "copy b -> p on %s",
        "copy s -> z on %s",
        "copy b -> a on %s",
        "copy f -> s on load",
        "spin 400us on load",
        "record e on %s",
        "record o on %s",
        "record e on load",
        "wait e on %s",
        "wait o on %s",
        "wait compute on %s",
        "wait io on %s",
        "wait load on %s",
        "host 700us",
        "sync",
        "sync %s",
        "sync e",
        "slow 2x",
        "slow 1x",
        "{ phase F1; spin 200us on %s }",
        "put y -> win@((rank+1)%world) on %s",
        "add y -> win@0 on %s",
        "get win@2 -> got on %s",
        "launch two on %s",
        "print sum(y)",
        "let a%d = norm(b)",
        "free q%d",
        "r%d = allgather y on %s",
        "free r%d",
        "send y to=(rank+1)%world on %s",
        "recv z from=(rank-1)%world on %s",
        "{ phase F2; recv z from=(rank-1)%world on %s; y = add z z on %s }",
        "{ phase F2; send y to=(rank+1)%world on %s }",
};
/* Of all ranks, mostly */
static const char *const shared_lines[] = {
        "allreduce y on %s",
        "allreduce a in half on %s",
        "allreduce b on comm",
        "allreduce g in soon on %s",
        "allreduce a backup=1 on comm",
        "reducescatter y -> got on %s",
        "broadcast x root=0 on %s",
        "sendrecv y -> z to=(rank+1)%world from=(rank-1)%world on %s",
        "barrier",
        "query compute",
        "query io",
        "sync",
        "crash",
};

/* `form` with its holes filled: streams and, for %d, a number */
static void fill(struct dice *dice, const char *form, char *out, size_t room)
{
	static const char *const streams[] = {"io", "compute", "comm", "default", "hi", "held"};
	size_t count = 0;
	for (; *form && count + 10 < room; form++) {
		const char *hole = form[0] == '%' && form[1] == 's' ? streams[throw(dice, 6)] : NULL;
		if (hole)
			count += (size_t)snprintf(out + count, room - count, "%s", hole);
		else if (form[0] == '%' && form[1] == 'd')
			count += (size_t)snprintf(out + count, room - count, "%u", throw(dice, 20));
		else
			out[count++] = *form;
		form += hole || (form[0] == '%' && form[1] == 'd');
	}
	out[count] = '\0';
}

/* A line that cannot be carried out changes nothing, so it may be drawn too. */
static void type(struct dice *dice, const char *form, int rank)
{
	char line[200], whole[220];
	fill(dice, form, line, sizeof line);
	if (rank >= 0)
		snprintf(whole, sizeof whole, "@%d %s", rank, line);
	enum status status = run(rank >= 0 ? whole : line);
	if (status == ST_BUG || status == ST_MEMORY)
		fail_msg("%s: %s", rank >= 0 ? whole : line, fail_text());
}

static void type_program(struct dice *dice)
{
	for (size_t i = 0; i < LENGTH_OF(first_lines); i++)
		if (run(first_lines[i]) != ST_OK && shell.world->n == RANKS)
			fail_msg("%s: %s", first_lines[i], fail_text());
	for (int step = 0; step < STEPS; step++) {
		if (throw(dice, 3) == 0) {
			const char *form = shared_lines[throw(dice, LENGTH_OF(shared_lines))];
			uint32_t left_out = throw(dice, 12); /* a rank that does not come, now and then */
			struct dice same = *dice;
			for (int rank = 0; rank < RANKS; rank++) {
				*dice = same;
				if ((uint32_t)rank != left_out)
					type(dice, form, rank);
			}
		} else {
			const char *form = own_lines[throw(dice, LENGTH_OF(own_lines))];
			uint32_t rank = throw(dice, RANKS + 2);
			type(dice, form, rank < RANKS ? (int)rank : -1);
		}
		if (throw(dice, 40) == 0)
			type(dice, throw(dice, 2) ? "abort world" : "abort half", -1);
		if (throw(dice, 25) == 0)
			type(dice, "mark m%d", -1);
	}
}

/* From when on it takes a part of its device; TIME_UNKNOWN: never */
static int64_t takes_from(op_id id, const struct times *t)
{
	const struct world *world = shell.world;
	const struct record *record = op_record(world, id);
	const struct match *match = &world->matches[world->ops[id].match];
	bool kernel = record->kind == OP_KERNEL && record->duration_ns < 0,
	     copy = record->kind == OP_COPY && copy_way(record) == COPY_ON_DEVICE;
	if (record->kind != OP_COLLECTIVE)
		return kernel || copy ? t->start : TIME_UNKNOWN;
	op_id before = match->before
	        ? world->matches[match->before]
	                  .member[world->groups[match->group].place_of[world->ops[id].rank]]
	        : 0;
	int64_t turn = before ? backend_times(shell.backend, before).end : 0;
	bool without = turn == TIME_UNKNOWN || turn >= t->start;
	for (int i = 0; without && i < match->n; i++) { /* over on those that go on without it */
		op_id member = world->matches[match->before].member[i];
		turn = member ? least_of(turn, backend_times(shell.backend, member).end) : turn;
	}
	return most_of(t->ready, turn);
}

/* Found by looking at every operation: a kernel's (of no high priority) has the longest overlap on its device, and of equal ones
 * the lowest stream and number. */
static op_id longest_beside(op_id id)
{
	struct times t = backend_times(shell.backend, id);
	const struct world *world = shell.world;
	op_id found = 0;
	int64_t longest = 0;
	for (int stream = STREAM_DEFAULT; world_stream(world, world->ops[id].rank, stream); stream++)
		for (op_id other = 1; other <= world->op_count; other++) {
			struct times o = backend_times(shell.backend, other);
			int64_t overlap = least_of(o.end, t.end) - most_of(takes_from(other, &o), t.start);
			if (other != id && world->ops[other].rank == world->ops[id].rank &&
			        world->ops[other].stream == stream && overlap > longest) {
				longest = overlap;
				found = other;
			}
		}
	return found;
}

/* Whoever lost time while it ran shared its device or a link with another that ran meanwhile, or waited for a partner. */
static void check_losses(void)
{
	struct trace trace = {.world = shell.world, .backend = shell.backend};
	struct sharers sharing = {.trace = &trace};
	for (op_id id = 1; id <= shell.world->op_count; id++) {
		struct times t = backend_times(shell.backend, id);
		if (!trace_lost(&trace, id, &t))
			continue;
		op_id with = sharing_with(&sharing, id);
		struct times other = backend_times(shell.backend, with);
		const struct op *op = &shell.world->ops[id];
		bool kernel = op_record(shell.world, id)->kind == OP_KERNEL &&
		        !world_stream(shell.world, op->rank, op->stream)->priority;
		if (with == id || other.ready >= t.end || other.end <= t.start ||
		        (kernel && with != longest_beside(id)))
			fail_msg("operation %u lost time, and %u is to blame", id, with);
	}
	sharing_release(&sharing);
}

static void causes_of_random_programs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		struct dice dice = {.seed = seed};
		bool dry = seed % 8; /* with data there is one rank here, and there are prints */
		shell = (struct shell){0};
		assert_int_equal(shell_open(&shell, transport, dry ? RANKS : 1, dry, "classroom"), ST_OK);
		type_program(&dice);
		check_program(&dice);
		check_losses();
		shell_close(&shell);
	}
}

/* The name of what the operation shared with, and its rank: "copy d of 2"; "" where it ran alone */
static void expect_shared(int rank, const char *name, const char *wanted)
{
	struct trace trace = {.world = shell.world, .backend = shell.backend};
	struct text with = {0};
	op_id id, other;
	assert_int_equal(op_find(shell.world, rank, name, &id), ST_OK);
	if (trace_shared(&trace, id, &other)) {
		op_label(shell.world, other, &with);
		text_add(&with, " of %d", shell.world->ops[other].rank);
	}
	assert_string_equal(text_string(&with), wanted);
	text_release(&with);
}

/* Of several the one with the longest overlap; a kernel of high priority stands back for its like alone. */
static void kernels_share_their_device(void **state)
{
	(void)state;
	HOLDS("stream io compute; stream hi priority=high; tensor x[512,512] w[512,512]");
	HOLDS("tensor s[64,512]; @0 a = matmul x w on io; @0 b = matmul s w on compute; sync");
	HOLDS("@0 c = matmul x w on io; @0 d = matmul x w on compute; @0 e = matmul s w on hi; sync");
	expect_shared(0, "a", "matmul b of 0");
	expect_shared(0, "b", "matmul a of 0");
	expect_shared(0, "c", "matmul d of 0");
	expect_shared(0, "d", "matmul c of 0");
	expect_shared(0, "e", "");
}

/* Two ranks' links carry a message besides: the collective is late on all of them, and the message later. */
static void flows_share_their_links(void **state)
{
	(void)state;
	HOLDS("stream io comm; tensor x[512,512] d[512,512]");
	HOLDS("@2 send d to=3 on io; @3 recv d from=2 on io; allreduce x on comm; sync");
	for (int rank = 0; rank < RANKS; rank++)
		expect_shared(rank, "allreduce#1", "send d of 2");
	expect_shared(3, "d", "allreduce x of 2");
}

/* Both messages of rank 1 are under way once rank 0 is there; rank 2 keeps the second waiting. */
static void a_partner_comes_late(void **state)
{
	(void)state;
	HOLDS("tensor y[64,64] z[64,64]; @2 host 5ms");
	HOLDS("@0 send y to=1; @1 together { recv z from=0; recv y from=2 }; @2 send y to=1; sync");
	expect_shared(1, "y", "send y of 2");
}

static void expect_said(
        enum status (*table)(const struct trace *, int, int, struct text *), int section, const char *wanted)
{
	struct trace trace = {.world = shell.world, .backend = shell.backend};
	struct text out = {0};
	assert_int_equal(table(&trace, section, 80, &out), ST_OK);
	if (!strstr(text_string(&out), wanted))
		fail_msg("'%s' is not in '%s'", wanted, text_string(&out));
	text_release(&out);
}

/* An iteration of 57 operations; only the first one comes behind a setup and gets memory. */
static void the_first_iteration_is_apart(void **state)
{
	(void)state;
	HOLDS("model mlp; strategy ddp; run 1");
	expect_said(trace_stats, -1, "everything, iteration 1 of 1\n");
	expect_said(trace_stats, -1, "stall launch ");
	HOLDS("run 2");
	expect_said(trace_stats, -1, "everything, iterations 2-3 of 3\n");
	expect_said(trace_stats, -1, " 114\n");
	expect_said(trace_stalls, -1, ", iterations 2-3 of 3\n");
	HOLDS("mark two; run 1; expect count(sgd) > 0");
	expect_said(trace_stats, 1, "two, iteration 4 of 4\n");
	expect_said(trace_stats, 0, "the start, iterations 2-3 of 4\n");
	expect_said(trace_stats, 1, " 57\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(causes_of_random_programs),
	        IN_A_SHELL(kernels_share_their_device),
	        IN_A_SHELL(flows_share_their_links),
	        IN_A_SHELL(a_partner_comes_late),
	        IN_A_SHELL(the_first_iteration_is_apart),
	};
	return cmocka_run_group_tests(tests, open_transport, close_transport);
}
