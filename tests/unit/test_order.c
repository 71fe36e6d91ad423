/* test_order.c -- races: which operations are ordered, and by what; the order in which ranks
 * type does not matter */
#include "races/order.h"
#include "tests/unit/world_help.h"
#include <stdio.h>

/* Is a done before c starts, whatever the times? a on a device's stream, or on the host of c's rank. */
static bool happens_before(struct world *world, op_id a, op_id c)
{
	const struct op *first = &world->ops[a], *second = &world->ops[c];

	if (first->rank == second->rank && (first->stream == second->stream || first->stream == STREAM_HOST))
		return first->number < second->number;
	return search_before(races_now(world)->order, a, c);
}

static op_id wait_stream(struct books *b, int rank, int first, int second)
{
	op_id record = order(b, rank, first, OP_RECORD, 0);
	return order(b, rank, second, OP_WAIT, record);
}

static void expect_remedy(struct books *b, size_t race, const char *line)
{
	struct text text = {0};

	race_remedy(b->world, &races_now(b->world)->race[race], &text);
	assert_string_equal(text_string(&text), line);
	text_release(&text);
}

static void missing_wait_is_a_race(void **state)
{
	struct books b = books_open(1, 0);
	int io = stream(&b, 0, "io"), compute = stream(&b, 0, "compute"), x = make(&b, 0, "x", 64);

	(void)state;
	op_id copy = touch(&b, 0, io, "copy", x, ACCESS_WRITE),
	      use = touch(&b, 0, compute, "matmul", x, ACCESS_READ);
	assert_int_equal(races_now(b.world)->count, 1);
	assert_int_equal(races_now(b.world)->race[0].earlier, copy);
	assert_int_equal(races_now(b.world)->race[0].later, use);
	assert_int_equal(races_now(b.world)->race[0].earlier_name, name(&b, "x"));
	expect_remedy(&b, 0, "wait io on compute");
	for (int i = 0; i < 5; i++) { /* told once */
		touch(&b, 0, io, "copy", x, ACCESS_WRITE);
		touch(&b, 0, compute, "matmul", x, ACCESS_READ);
	}
	assert_int_equal(races_now(b.world)->count, 2); /* and io against compute, the other way */
	expect_remedy(&b, 1, "wait compute on io");
	books_close(&b);
}

static void what_orders(void **state)
{
	(void)state;
	for (int how = 0; how < 7; how++) {
		struct books b = books_open(1, 0);
		int io = stream(&b, 0, "io"), compute = stream(&b, 0, "compute"),
		    third = stream(&b, 0, "third"), x = make(&b, 0, "x", 64);
		op_id copy = touch(&b, 0, io, "copy", x, ACCESS_WRITE);
		if (how == 0)
			wait_stream(&b, 0, io, compute);
		if (how == 1)
			order(&b, 0, STREAM_HOST, OP_SYNC, OP_EVERYTHING);
		if (how == 2)
			order(&b, 0, STREAM_HOST, OP_SYNC, copy);
		if (how == 3) {
			wait_stream(&b, 0, io, third);
			wait_stream(&b, 0, third, compute);
		}
		if (how == 4) { /* a wait on what was recorded before the copy does not help */
			touch(&b, 0, third, "relu", make(&b, 0, "z", 4), ACCESS_WRITE);
			wait_stream(&b, 0, third, compute);
		}
		if (how == 5) { /* the host learns it, and compute from the host */
			wait_stream(&b, 0, io, third);
			order(&b, 0, STREAM_HOST, OP_SYNC, world_stream(b.world, 0, third)->tail);
		}
		if (how == 6) /* a wait for nothing */
			order(&b, 0, compute, OP_WAIT, 0);
		op_id use = touch(&b, 0, compute, "matmul", x, ACCESS_READ);
		assert_int_equal(races_now(b.world)->count, how == 4 || how == 6);
		assert_int_equal(happens_before(b.world, copy, use), how != 4 && how != 6);
		assert_false(happens_before(b.world, use, copy));
		books_close(&b);
	}
}

static void reads_do_not_race(void **state)
{
	struct books b = books_open(1, 0);
	int io = stream(&b, 0, "io"), compute = stream(&b, 0, "compute"),
	    x = make_in(&b, 0, "x", 64, SPACE_DEVICE, 1, true);

	(void)state;
	touch(&b, 0, STREAM_HOST, "randn", x, ACCESS_WRITE);
	touch(&b, 0, io, "copy", x, ACCESS_READ);
	touch(&b, 0, compute, "relu", x, ACCESS_READ);
	assert_int_equal(races_now(b.world)->count, 0);
	touch(&b, 0, compute, "relu", x, ACCESS_WRITE | ACCESS_ADD); /* against io's read */
	assert_int_equal(races_now(b.world)->count, 1);
	assert_int_equal(races_now(b.world)->unread_count, 0);
	books_close(&b);
}

static void default_stream_orders_blocking_ones(void **state)
{
	(void)state;
	for (int blocking = 0; blocking < 2; blocking++) {
		struct books b = books_open(1, 0);
		int index, x = make(&b, 0, "x", 64), y = make(&b, 0, "y", 64);
		assert_int_equal(world_stream_make(b.world, 0, name(&b, "s"), 0, blocking, &index), ST_OK);
		int s = b.world->streams[index].number;
		touch(&b, 0, s, "relu", x, ACCESS_WRITE);
		touch(&b, 0, STREAM_DEFAULT, "relu", x, ACCESS_WRITE);
		touch(&b, 0, STREAM_DEFAULT, "relu", y, ACCESS_WRITE);
		touch(&b, 0, s, "relu", y, ACCESS_WRITE);
		assert_int_equal(races_now(b.world)->count, blocking ? 0 : 2);
		books_close(&b);
	}
}

static struct operand part_of(struct books *b, int tensor, const char *as, int64_t first, int64_t rows,
        int64_t row_step, int64_t columns, int access)
{
	struct operand operand = whole(b, tensor, access);

	operand.name = name(b, as);
	operand.address += first * 4;
	operand.layout =
	        (struct layout){.dtype = DT_F32, .dims = 2, .dim = {rows, columns}, .stride = {row_step, 1}};
	return operand;
}

static op_id touch_part(struct books *b, int lane, struct operand operand)
{
	struct record record = record_of(b, OP_KERNEL, "relu");

	record.operands = 1;
	record.operand = &operand;
	return queue(b, 0, lane, &record, 0);
}

static void columns_do_not_touch(void **state)
{
	struct books b = books_open(1, 0);
	int io = stream(&b, 0, "io"), compute = stream(&b, 0, "compute"), x = make(&b, 0, "x", 64);

	(void)state;
	touch_part(&b, io, part_of(&b, x, "left", 0, 8, 8, 4, ACCESS_WRITE));
	touch_part(&b, compute, part_of(&b, x, "right", 4, 8, 8, 4, ACCESS_WRITE));
	assert_int_equal(races_now(b.world)->count, 0);
	touch_part(&b, compute, part_of(&b, x, "row", 8, 1, 8, 8, ACCESS_READ));
	assert_int_equal(races_now(b.world)->count, 1);
	assert_int_equal(races_now(b.world)->race[0].earlier_name, name(&b, "left"));
	touch_part(&b, compute, part_of(&b, x, "corner", 7, 1, 8, 1, ACCESS_READ));
	assert_int_equal(races_now(b.world)->count, 1);
	books_close(&b);
}

static void halves_do_not_touch(void **state)
{
	struct books b = books_open(1, 0);
	int io = stream(&b, 0, "io"), compute = stream(&b, 0, "compute"), x = make(&b, 0, "x", 64);

	(void)state;
	touch_part(&b, io, part_of(&b, x, "upper", 0, 4, 8, 8, ACCESS_WRITE));
	touch_part(&b, compute, part_of(&b, x, "lower", 32, 4, 8, 8, ACCESS_WRITE));
	assert_int_equal(races_now(b.world)->count, 0);
	wait_stream(&b, 0, io, compute);
	touch(&b, 0, compute, "relu", x, ACCESS_READ);
	assert_int_equal(races_now(b.world)->count, 0);
	assert_int_equal(races_now(b.world)->unread_count, 0);
	books_close(&b);
}

static void unwritten_memory_is_told(void **state)
{
	struct books b = books_open(1, 0);
	int x = make(&b, 0, "x", 64);

	(void)state;
	op_id id = touch(&b, 0, 1, "relu", x, ACCESS_READ);
	touch(&b, 0, 1, "relu", x, ACCESS_READ);
	assert_int_equal(races_now(b.world)->unread_count, 1);
	assert_int_equal(races_now(b.world)->unread[0].op, id);
	assert_int_equal(races_now(b.world)->unread[0].name, name(&b, "x"));
	touch(&b, 0, 1, "relu", x, ACCESS_WRITE);
	world_tensor_free(b.world, x, STREAM_HOST);
	int y = make(&b, 0, "y", 64); /* the same bytes, and they mean nothing now */
	touch(&b, 0, 1, "relu", y, ACCESS_READ);
	assert_int_equal(races_now(b.world)->unread_count, 2);
	books_close(&b);
}

static void reused_memory_counts(void **state)
{
	struct books b = books_open(1, 0);
	int io = stream(&b, 0, "io"), x = make(&b, 0, "x", 64);
	int64_t address = b.world->tensors[x].address;

	(void)state;
	touch(&b, 0, io, "copy", x, ACCESS_READ); /* from another stream than the pool's, and unwritten */
	world_tensor_free(b.world, x, STREAM_HOST);
	int y = make(&b, 0, "y", 64);
	assert_int_equal(b.world->tensors[y].address, address);
	touch(&b, 0, STREAM_DEFAULT, "relu", y, ACCESS_WRITE);
	assert_int_equal(races_now(b.world)->count, 1);
	assert_int_equal(races_now(b.world)->race[0].earlier_name, name(&b, "x"));
	assert_int_equal(races_now(b.world)->race[0].later_name, name(&b, "y"));
	books_close(&b);
}

static void free_on_a_stream_waits(void **state)
{
	struct books b = books_open(1, 0);
	int io = stream(&b, 0, "io"), x = make(&b, 0, "x", 64);

	(void)state;
	op_id copy = touch(&b, 0, io, "copy", x, ACCESS_WRITE);
	world_tensor_free(b.world, x, io);
	int y = make(&b, 0, "y", 64);
	op_id first = touch(&b, 0, STREAM_DEFAULT, "relu", y, ACCESS_WRITE),
	      wait = b.world->ops[copy].next_program;
	assert_int_equal(b.world->ops[wait].next_program, first);
	assert_int_equal(op_record(b.world, wait)->kind, OP_WAIT);
	assert_int_equal(b.world->ops[wait].target, copy);
	assert_int_equal(b.world->ops[wait].stream, STREAM_DEFAULT);
	assert_int_equal(b.world->ops[wait].flags, OPF_FREE_LAUNCH);
	op_id second = touch(&b, 0, STREAM_DEFAULT, "relu", y, ACCESS_WRITE);
	assert_int_equal(b.world->ops[first].next_program, second); /* once */
	assert_int_equal(races_now(b.world)->count, 0);
	books_close(&b);
}

/* rank 0: relu x on compute, send on compute;  recv on io, write x on io      rank 1: recv, send back */
static void order_through_another_rank(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) { /* whose lines are typed first */
		for (int answers = 0; answers < 2; answers++) {
			struct books b = books_open(2, 0);
			int io = stream(&b, 0, "io"), compute = stream(&b, 0, "compute"),
			    x = make(&b, 0, "x", 64);
			for (int turn = 0; turn < 2; turn++) {
				if (turn !=
				        /* rank 1 sends back what it got, or sends before it receives on
				         * another stream */
				        first) {
					int other = answers ? 1 : stream(&b, 1, "other");
					transfer(&b, 1, 1, P2P_RECV, 0, 8);
					transfer(&b, 1, other, P2P_SEND, 0, 8);
				} else {
					touch(&b, 0, compute, "relu", x, ACCESS_WRITE);
					transfer(&b, 0, compute, P2P_SEND, 1, 8);
					transfer(&b, 0, io, P2P_RECV, 1, 8);
					touch(&b, 0, io, "copy", x, ACCESS_WRITE);
				}
			}
			assert_int_equal(races_now(b.world)->count, !answers);
			books_close(&b);
		}
	}
}

static void order_through_a_collective(void **state)
{
	struct books b = books_open(2, 1);
	int io = stream(&b, 0, "io"), compute = stream(&b, 0, "compute"), x = make(&b, 0, "x", 64);
	int one = stream(&b, 1, "one");

	(void)state;
	op_id write = touch(&b, 0, compute, "relu", x, ACCESS_WRITE);
	collective(&b, 0, compute, "allreduce", 0, 8);
	collective(&b, 0, io, "allreduce", 0, 8);
	op_id read = touch(&b, 0, io, "copy", x, ACCESS_READ);
	assert_int_equal(races_now(b.world)->count, 0); /* open: rank 1 has not said what it does */
	collective(&b, 1, 1, "allreduce", 0, 8);
	assert_int_equal(races_now(b.world)->count, 0);
	collective(&b, 1, 1, "allreduce", 0, 8); /* one stream: behind the first */
	assert_int_equal(races_now(b.world)->count, 0);
	assert_true(happens_before(b.world, write, read));
	touch(&b, 0, compute, "relu", x, ACCESS_WRITE);
	wait_stream(&b, 0, compute, io);
	touch(&b, 0, compute, "relu", x, ACCESS_WRITE);
	collective(&b, 0, compute, "allreduce", 0, 8);
	collective(&b, 0, io, "allreduce", 0, 8);
	touch(&b, 0, io, "copy", x, ACCESS_READ);
	collective(&b, 1, 1, "allreduce", 0, 8);
	size_t before = races_now(b.world)->count;
	collective(&b, 1, one, "allreduce", 0, 8); /* two streams: nothing orders them */
	assert_int_equal(races_now(b.world)->count, before + 1);
	books_close(&b);
}

static void an_abort_decides(void **state)
{
	struct books b = books_open(2, 0);
	int io = stream(&b, 0, "io"), compute = stream(&b, 0, "compute"), x = make(&b, 0, "x", 64);

	(void)state;
	touch(&b, 0, compute, "relu", x, ACCESS_WRITE);
	collective(&b, 0, io, "allreduce", 0, 8);
	touch(&b, 0, io, "copy", x, ACCESS_READ);
	assert_int_equal(races_now(b.world)->count, 0);
	world_abort(b.world, 0);
	assert_int_equal(races_now(b.world)->count, 1);
	books_close(&b);
}

/* What is aborted hides nothing that stands before it on its stream */
static void an_abort_leaves_open(void **state)
{
	struct books b = books_open(2, 0);
	int io = stream(&b, 0, "io"), compute = stream(&b, 0, "compute"), x = make(&b, 0, "x", 64), pair;

	(void)state;
	assert_int_equal(
	        world_group_make(b.world, name(&b, "g"), false, 1, (int[]){0, 2}, (int[]){0, 1}, &pair),
	        ST_OK);
	touch(&b, 0, compute, "relu", x, ACCESS_WRITE);
	collective(&b, 0, compute, "allreduce", 0, 8);
	collective(&b, 0, io, "allreduce", 0, 8);
	collective(&b, 0, io, "allreduce", pair, 8);
	touch(&b, 0, io, "copy", x, ACCESS_READ);
	assert_int_equal(races_now(b.world)->count, 0);
	world_abort(b.world, pair);
	assert_int_equal(races_now(b.world)->count, 0); /* rank 1 may still order them */
	collective(&b, 1, 1, "allreduce", 0, 8);
	collective(&b, 1, 1, "allreduce", 0, 8);
	assert_int_equal(races_now(b.world)->count, 0);
	books_close(&b);
}

/* `together { send to; recv from }`: one operation of two parts */
static op_id together(struct books *b, int rank, int lane, int to, int from)
{
	int64_t elements = 8;
	struct operand operand[2] = {
	        {.address = 1, .access = ACCESS_READ}, {.address = 1, .access = ACCESS_WRITE}};
	struct part part[2] = {
	        {.direction = P2P_SEND, .peer = to}, {.direction = P2P_RECV, .peer = from, .operand = 1}};
	struct record record = record_of(b, OP_P2P, "send");

	for (int i = 0; i < 2; i++)
		assert_int_equal(layout_make(&operand[i].layout, DT_F32, 1, &elements), ST_OK);
	record.group = 0;
	record.operands = record.parts = 2;
	record.operand = operand;
	record.part = part;
	return queue(b, rank, lane, &record, 0);
}

/* What comes behind one part of a `together` comes behind no other part of it. */
static void parts_end_by_themselves(void **state)
{
	struct books b = books_open(2, 0);
	int io = stream(&b, 0, "io"), compute = stream(&b, 0, "compute"), x = make(&b, 0, "x", 64);

	(void)state;
	transfer(&b, 0, io, P2P_SEND, 1, 8);
	op_id write = touch(&b, 0, compute, "relu", x, ACCESS_WRITE);
	transfer(&b, 0, compute, P2P_RECV, 1, 8);
	together(&b, 1, 1, 0, 0);
	op_id read = touch(&b, 0, io, "copy", x, ACCESS_READ);
	assert_int_equal(races_now(b.world)->count, 1);
	assert_false(happens_before(b.world, write, read));
	transfer(&b, 0, io, P2P_SEND, 1, 8);
	transfer(&b, 1, 1, P2P_RECV, 0, 8);
	read = touch(&b, 0, io, "copy", x, ACCESS_READ);
	assert_true(happens_before(b.world, write, read)); /* rank 1's next one is behind all of it */
	books_close(&b);
}

/* A timeout takes with it meetings that were complete: what they have ordered is ordered no more. */
static void a_timeout_decides_again(void **state)
{
	(void)state;
	for (int asks = 0; asks < 2; asks++) {
		struct books b = books_open(2, 0);
		int io = stream(&b, 0, "io"), compute = stream(&b, 0, "compute"), x = make(&b, 0, "x", 64);
		world_group_timeout(b.world, 0, 1000);
		touch(&b, 0, compute, "relu", x, ACCESS_WRITE);
		op_id meeting = collective(&b, 0, compute, "allreduce", 0, 8);
		collective(&b, 0, io, "allreduce", 0, 8);
		touch(&b, 0, io, "copy", x, ACCESS_READ);
		collective(&b, 1, 1, "allreduce", 0, 8);
		collective(&b, 1, 1, "allreduce", 0, 8);
		if (asks)
			assert_int_equal(races_now(b.world)->count, 0);
		world_expire(b.world, b.world->ops[meeting].match);
		assert_int_equal(races_now(b.world)->count, 1);
		books_close(&b);
	}
}

/* ---- random programs: every rank's lines are fixed, the order between ranks is not */

enum { RANKS = 3, LINES = 60, TENSORS = 3, LANES = 4 };
struct line {
	int what, lane, other, tensor, access, peer;
};
struct program {
	struct line line[RANKS][LINES];
};
struct state {
	op_id made[RANKS][LINES];
	int tensor[RANKS][TENSORS];
	int stretch;
};

static uint32_t draw(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % n;
}

/* style 0: anything, mostly stuck sooner or later; 1: collectives alone, on one stream; 2: the same on all
 * ranks, round a ring, on streams that differ */
static void restyle(struct program *program, int style)
{
	for (int r = 0; r < RANKS && style > 0; r++) {
		for (int i = 0; i < LINES; i++) {
			struct line *line = &program->line[r][i];
			if (style == 1) {
				line->what =
				        line->what >= 13 && line->what < 17 ? line->what - 8 : line->what;
				line->lane = line->what >= 10 && line->what < 13 ? 1 : line->lane;
			} else {
				line->what = program->line[0][i].what;
				line->peer = (r + (line->what < 15 ? 1 : RANKS - 1)) % RANKS;
			}
		}
	}
}

static struct line line_drawn(uint32_t *seed, int rank)
{
	return (struct line){.what = (int)draw(seed, 20),
	        .lane = 1 + (int)draw(seed, LANES - 1),
	        .other = 1 + (int)draw(seed, LANES - 1),
	        .tensor = (int)draw(seed, TENSORS),
	        .access = 1 << draw(seed, 3),
	        .peer = (rank + 1 + (int)draw(seed, RANKS - 1)) % RANKS};
}

static void invent(struct program *program, uint32_t *seed, int style)
{
	for (int r = 0; r < RANKS; r++) {
		for (int i = 0; i < LINES; i++) {
			program->line[r][i] = line_drawn(seed, r);
		}
	}
	restyle(program, style);
}

static void apply(struct books *b, struct state *s, int r, int i, const struct line *line)
{
	char text[24];
	op_id *made = &s->made[r][i];

	if (line->what < 8)
		*made = touch(b, r, line->lane, "relu", s->tensor[r][line->tensor], line->access);
	else if (line->what < 10)
		*made = wait_stream(b, r, line->lane, line->other);
	else if (line->what < 13)
		*made = collective(b, r, line->lane, "allreduce", 0, 8);
	else if (line->what < 15)
		*made = transfer(b, r, line->lane, P2P_SEND, line->peer, 8);
	else if (line->what < 17)
		*made = transfer(b, r, line->lane, P2P_RECV, line->peer, 8);
	else if (line->what == 17)
		*made = order(b, r, STREAM_HOST, OP_SYNC, world_stream(b->world, r, line->lane)->tail);
	else {
		world_tensor_free(
		        b->world, s->tensor[r][line->tensor], line->what == 18 ? line->lane : STREAM_HOST);
		snprintf(text, sizeof text, "t%d.%d", line->tensor, i);
		s->tensor[r][line->tensor] =
		        make_in(b, r, text, 64, SPACE_DEVICE, line->lane, line->access == ACCESS_READ);
	}
}

static void begin(struct books *b, struct state *s)
{
	for (int r = 0; r < RANKS; r++) {
		for (int i = 0; i < TENSORS; i++) {
			char text[24];
			snprintf(text, sizeof text, "t%d", i);
			s->tensor[r][i] = make(b, r, text, 64);
		}
		stream(b, r, "a");
		stream(b, r, "c");
	}
}

static void play(struct books *b, struct state *s, const struct program *program, uint32_t *seed)
{
	int at[RANKS] = {0}, left = RANKS * LINES;

	begin(b, s);
	while (left > 0) {
		int r = (int)draw(seed, RANKS), many = 1 + (int)draw(seed, 20);
		for (; many > 0 && at[r] < LINES; many--, left--, at[r]++)
			apply(b, s, r, at[r], &program->line[r][at[r]]);
	}
}

/* What does not depend on the order between ranks, as text, sorted. */
static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *summary(struct books *b)
{
	struct world *w = b->world;
	const struct races *found = races_now(w);
	size_t n = found->count + found->unread_count + w->match_count + 200, count = 0;
	char **lines = malloc((n + 1) * sizeof *lines), *all = calloc(n + 1, 100);

	for (size_t i = 0; i < found->count; i++) {
		char *line = lines[count++] = malloc(100);
		const struct race *race = &found->race[i];
		snprintf(line, 100, "race %d: %u %u %d %d %s %s\n", w->ops[race->later].rank,
		        w->ops[race->earlier].number, w->ops[race->later].number,
		        w->ops[race->earlier].stream, w->ops[race->later].stream,
		        names_text(w->names, race->earlier_name), names_text(w->names, race->later_name));
	}
	for (size_t i = 0; i < found->unread_count; i++) {
		char *line = lines[count++] = malloc(100);
		snprintf(line, 100, "unread %d: %u\n", w->ops[found->unread[i].op].rank,
		        w->ops[found->unread[i].op].number);
	}
	for (size_t i = 1; i <= w->match_count; i++) {
		char *line = lines[count++] = malloc(100);
		const struct match *match = &w->matches[i];
		int used = snprintf(line, 100, "meet %d %u:", match->p2p, match->sequence);
		for (int k = 0; k < match->n; k++) {
			op_id op = match->member[k];
			used += snprintf(line + used, 100 - (size_t)used, " %d.%u", op ? w->ops[op].rank : -1,
			        op ? w->ops[op].number : 0);
		}
		snprintf(line + used, 100 - (size_t)used, "\n");
	}
	for (int r = 0; r < RANKS; r++) {
		const struct heap *heap = world_heap(w, r, SPACE_DEVICE);
		for (size_t i = 0; i < heap->count; i++) {
			char *line = lines[count++] = malloc(100);
			snprintf(line, 100, "block %d: %lld %lld %d %d\n", r,
			        (long long)heap->blocks[i].address, (long long)heap->blocks[i].bytes,
			        heap->blocks[i].free, heap->blocks[i].pool);
		}
	}
	assert_true(count <= n);
	qsort(lines, count, sizeof *lines, by_text);
	for (size_t i = 0; i < count; i++) {
		strcat(all, lines[i]);
		free(lines[i]);
	}
	free(lines);
	return all;
}

static void typing_order_means_nothing(void **state)
{
	uint32_t seed = 7;
	int races = 0;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct program program;
		char *first = NULL;
		invent(&program, &seed, round % 3);
		for (int permutation = 0; permutation < 6; permutation++) {
			struct books b = books_open(RANKS, permutation % 2 ? -1 : 0);
			struct state s = {0};
			play(&b, &s, &program, &seed);
			races_now(b.world);
			races += (int)races_now(b.world)->count;
			char *all = summary(&b);
			if (first) {
				if (strcmp(all, first)) {
					size_t at = 0;
					while (all[at] == first[at])
						at++;
					at = at > 30 ? at - 30 : 0;
					print_error("round %d, permutation %d: ...%.100s\nfirst: ...%.100s\n",
					        round, permutation, all + at, first + at);
				}
				assert_string_equal(all, first);
				free(all);
			} else {
				first = all;
			}
			books_close(&b);
		}
		free(first);
	}
	assert_true(races > 1000); /* the programs are worth asking about */
}

/* Whether somebody has asked before does not change what is found. Here all lines come in one order, with aborts and timeouts between them. */
static void asking_changes_nothing(void **state)
{
	int races = 0;

	(void)state;
	for (int round = 0; round < 400; round++) {
		char *first = NULL;
		for (int asks = 0; asks < 2; asks++) {
			uint32_t seed = 1000u + (uint32_t)round;
			struct books b = books_open(RANKS, 0);
			struct state s = {0};
			world_group_timeout(b.world, 0, 1000);
			begin(&b, &s);
			for (int i = 0; i < LINES; i++) {
				int r = (int)draw(&seed, RANKS), what = (int)draw(&seed, 24);
				struct line line = line_drawn(&seed, r);
				const struct op *last = &b.world->ops[b.world->op_count];
				if (what < 20)
					apply(&b, &s, r, i, &line);
				else if (what < 22)
					together(&b, r, line.lane, line.peer,
					        (r + 1 + (int)draw(&seed, RANKS - 1)) % RANKS);
				else if (what == 22)
					world_abort(b.world, 0);
				else if (op_record(b.world, b.world->op_count)->kind == OP_COLLECTIVE &&
				        last->match)
					world_expire(b.world, last->match);
				if (asks)
					races_now(b.world);
			}
			races += (int)races_now(b.world)->count;
			char *all = summary(&b);
			if (first)
				assert_string_equal(all, first);
			free(first);
			first = all;
			books_close(&b);
		}
		free(first);
	}
	assert_true(races > 1000);
}

/* The vector clocks and the search against the plain definition: reachability over all edges. */
static bool edge(const struct books *b, op_id a, op_id c)
{
	const struct world *w = b->world;
	const struct op *p = &w->ops[a], *q = &w->ops[c];

	if (p->rank != q->rank)
		return false;
	if (p->stream == STREAM_HOST || p->stream == q->stream)
		return p->number < q->number;
	bool waits = op_record(w, c)->kind == OP_WAIT || op_record(w, c)->kind == OP_SYNC ||
	        op_record(w, c)->kind == OP_SEGMENT;
	return waits && q->target &&
	        (q->target == a || (q->target == OP_EVERYTHING && p->number < q->number));
}

static bool match_edge(const struct books *b, op_id a, op_id c)
{
	/* a is done before c starts when a is before a member of c's meet: a's lane, on that rank, reaches a
	 * fellow member */
	const struct world *w = b->world;
	const struct record *record = op_record(w, c);
	int parts = record->kind == OP_P2P ? record->parts : record->kind == OP_COLLECTIVE ? 1 : 0;

	for (int i = 0; i < parts; i++) {
		const struct match *match =
		        &w->matches[record->kind == OP_P2P ? w->part_matches[w->ops[c].match + (uint32_t)i]
		                                           : w->ops[c].match];
		for (int k = 0; k < match->n; k++) {
			op_id member = match->member[k];
			if (member && member != c && edge(b, a, member))
				return true;
		}
	}
	return false;
}

static void clocks_agree_with_the_graph(void **state)
{
	uint32_t seed = 11;
	int before = 0, not_before = 0;

	(void)state;
	for (int round = 0; round < 12; round++) {
		struct program program;
		struct books b = books_open(RANKS, 0);
		struct state s = {0};
		invent(&program, &seed, round % 3);
		for (int r = 0; r < RANKS; r++) {
			for (int i = 0; i < LINES; i++)
				program.line[r][i].what =
				        program.line[r][i].what >= 18 ? 9 : program.line[r][i].what;
		}
		play(&b, &s, &program, &seed);
		size_t n = b.world->op_count + 1;
		bool *reach = calloc(n * n, 1);
		for (op_id a = 1; a < n; a++) {
			for (op_id c = 1; c < n; c++)
				reach[a * n + c] = a != c && (edge(&b, a, c) || match_edge(&b, a, c));
		}
		/* members of one meet are done at once: what is behind one is behind all */
		for (op_id a = 1; a < n; a++) {
			const struct record *record = op_record(b.world, a);
			if (record->kind != OP_COLLECTIVE && record->kind != OP_P2P)
				continue;
			uint32_t index = record->kind == OP_P2P ? b.world->part_matches[b.world->ops[a].match]
			                                        : b.world->ops[a].match;
			const struct match *match = &b.world->matches[index];
			for (int k = 0; k < match->n; k++) {
				op_id member = match->member[k];
				for (op_id c = 1; member && c < n; c++)
					reach[a * n + c] = reach[a * n + c] ||
					        (c != a && c != member &&
					                (edge(&b, member, c) || match_edge(&b, member, c)));
			}
		}
		for (op_id k = 1; k < n; k++) {
			for (op_id a = 1; a < n; a++) {
				for (op_id c = 1; reach[a * n + k] && c < n; c++)
					reach[a * n + c] = reach[a * n + c] || reach[k * n + c];
			}
		}
		for (op_id a = 1; a < n; a++) {
			for (op_id c = 1; c < n; c++) {
				/* operations that wait for ever in a ring are before themselves: ask about
				 * the others */
				if (a == c || reach[a * n + a] || reach[c * n + c])
					continue;
				/* nobody asks about work of another rank's host */
				if (b.world->ops[a].stream == STREAM_HOST &&
				        b.world->ops[a].rank != b.world->ops[c].rank)
					continue;
				if (happens_before(b.world, a, c) != reach[a * n + c]) {
					print_error("round %d: %u (%d.%u lane %d) before %u (%d.%u lane %d): "
					            "%d\n",
					        round, a, b.world->ops[a].rank, b.world->ops[a].number,
					        b.world->ops[a].stream, c, b.world->ops[c].rank,
					        b.world->ops[c].number, b.world->ops[c].stream,
					        reach[a * n + c]);
					assert_true(false);
				}
				before += reach[a * n + c];
				not_before += !reach[a * n + c];
			}
		}
		free(reach);
		books_close(&b);
	}
	assert_true(before > 10000 && not_before > 10000); /* both answers were asked for */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(missing_wait_is_a_race),
	        cmocka_unit_test(what_orders),
	        cmocka_unit_test(reads_do_not_race),
	        cmocka_unit_test(default_stream_orders_blocking_ones),
	        cmocka_unit_test(columns_do_not_touch),
	        cmocka_unit_test(halves_do_not_touch),
	        cmocka_unit_test(unwritten_memory_is_told),
	        cmocka_unit_test(reused_memory_counts),
	        cmocka_unit_test(free_on_a_stream_waits),
	        cmocka_unit_test(order_through_another_rank),
	        cmocka_unit_test(order_through_a_collective),
	        cmocka_unit_test(an_abort_decides),
	        cmocka_unit_test(an_abort_leaves_open),
	        cmocka_unit_test(parts_end_by_themselves),
	        cmocka_unit_test(a_timeout_decides_again),
	        cmocka_unit_test(typing_order_means_nothing),
	        cmocka_unit_test(asking_changes_nothing),
	        cmocka_unit_test(clocks_agree_with_the_graph),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
