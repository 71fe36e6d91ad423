/* test_schedule.c -- the orders of a pipeline's stages, against published bubbles and formulas */
#include "base/memory.h"
#include "check.h"
#include "schedules/schedule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* arXiv:2401.10241, tables 3, 4, 5 and 9: GPT on 8 A100, one stage each; times in ms; bubbles; activations
 * that W needs, as a share of those that a micro-batch holds until B: 32 h / (34 h + 5 a s), the paper's M_W
 * / M_B, for hidden h, heads a, sequence s */
struct published {
	int layers, hidden, heads, micros;
	double f, b, w, comm, one, interleaved, h1, h2, auto_1p, auto_2p;
};
static const struct published PUBLISHED[] = {
        {22, 2304, 24, 24, 18.522, 18.086, 9.337, 0.601, 0.2431, 0.1055, 0.1585, 0.1083, 0.1585, 0.0433},
        {22, 2304, 24, 32, 18.513, 18.086, 9.331, 0.626, 0.1985, 0.0818, 0.1242, 0.0837, 0.1242, 0.0039},
        {22, 2304, 24, 64, 18.546, 18.097, 9.321, 0.762, 0.1240, 0.0443, 0.0674, 0.0444, 0.0674, 0.0026},
        {30, 4096, 32, 24, 29.718, 29.444, 19.927, 0.527, 0.2347, 0.0808, 0.1323, 0.0698, 0.1323, 0.0029},
        {30, 4096, 32, 32, 29.802, 29.428, 19.530, 0.577, 0.1898, 0.0628, 0.1045, 0.0559, 0.1045, 0.0022},
        {30, 4096, 32, 64, 29.935, 29.621, 19.388, 0.535, 0.1091, 0.0320, 0.0554, 0.0294, 0.0554, 0.0010},
};
enum { PAPER_STAGES = 8, PAPER_SEQ = 1024, STAGES_MAX = 64 };

static struct schedule_ask ask_of(enum schedule_kind kind, int stages, int micros, int chunks)
{
	return (struct schedule_ask){.kind = kind,
	        .stages = stages,
	        .micros = micros,
	        .chunks = chunks,
	        .f = 10,
	        .b = 10,
	        .w = 10,
	        .limit = 1,
	        .held = 0.5};
}

/* The most micro-batches whose activations a stage holds at once; one of a chunk counts 1 / chunks */
static double peak_of(const struct schedule_ask *ask, const struct schedule *schedule, int stage)
{
	const double share[] = {
	        [WORK_F] = 1, [WORK_B] = ask->held - 1, [WORK_W] = -ask->held, [WORK_BW] = -1};
	double held = 0, peak = 0;
	for (size_t i = 0; i < schedule->count; i++) {
		held += share[schedule->task[(size_t)stage * schedule->count + i].work] / ask->chunks;
		peak = held > peak ? held : peak;
	}
	return peak;
}

static double bubble_and_peak(const struct schedule_ask *ask, double *peak)
{
	struct schedule schedule;
	double span;

	if (schedule_make(ask, &schedule) != ST_OK)
		fail_msg("kind %d, %d stages, %d micro-batches: %s", ask->kind, ask->stages, ask->micros,
		        fail_text());
	if (schedule_time(ask, &schedule, &span) != ST_OK)
		fail_msg("kind %d, %d stages, %d micro-batches, %d chunks: %s", ask->kind, ask->stages,
		        ask->micros, ask->chunks, fail_text());
	for (int s = 0; s < ask->stages && peak; s++)
		peak[s] = peak_of(ask, &schedule, s);
	schedule_release(&schedule);
	return 1 - ask->micros * (ask->f + ask->b + ask->w) / span;
}

static double bubble(const struct schedule_ask *ask)
{
	return bubble_and_peak(ask, NULL);
}

static double paper_bubble(
        const struct published *row, enum schedule_kind kind, int chunks, double limit, double held)
{
	struct schedule_ask ask = {.kind = kind,
	        .stages = PAPER_STAGES,
	        .micros = row->micros,
	        .chunks = chunks,
	        .f = row->f,
	        .b = row->b,
	        .w = row->w,
	        .comm = row->comm,
	        .limit = limit,
	        .held = held};

	return bubble(&ask);
}

static void near(double value, double wanted, double tolerance, const char *what)
{
	if (!(fabs(value - wanted) <= tolerance))
		fail_msg("%s: %.5f, wanted %.5f within %g", what, value, wanted, tolerance);
}

/* "to four decimals": half a unit of the fourth, and what the inputs' own rounding (half a us of 46 ms) moves
 * it by */
static void published_bubbles(void **state)
{
	const double digit = 0.00005 + 0.00002;
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(PUBLISHED); i++) {
		const struct published *row = &PUBLISHED[i];
		near(paper_bubble(row, SCHEDULE_1F1B, 1, 1, 0), row->one, digit, "1f1b");
		near(paper_bubble(row, SCHEDULE_ZB_H1, 1, 1, 0), row->h1, digit, "zb-h1");
		near(paper_bubble(row, SCHEDULE_ZB_H2, 1, 1, 0), row->h2, digit, "zb-h2");
		near(paper_bubble(row, SCHEDULE_INTERLEAVED, (row->layers + 2) / PAPER_STAGES, 1, 0),
		        row->interleaved, digit, "interleaved");
	}
}

static void published_searches(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(PUBLISHED); i++) {
		const struct published *row = &PUBLISHED[i];
		double held = 32.0 * row->hidden / (34.0 * row->hidden + 5.0 * row->heads * PAPER_SEQ);
		near(paper_bubble(row, SCHEDULE_ZB_AUTO, 1, 1, held), row->auto_1p, 0.002, "zb-auto limit=1");
		near(paper_bubble(row, SCHEDULE_ZB_AUTO, 1, 2, held), row->auto_2p, 0.002, "zb-auto limit=2");
		near(paper_bubble(row, SCHEDULE_ZB_AUTO, 1, 1, 0.5), row->auto_1p, 0.002,
		        "zb-auto limit=1 held=0.5");
		near(paper_bubble(row, SCHEDULE_ZB_AUTO, 1, 2, 0.5), row->auto_2p, 0.002,
		        "zb-auto limit=2 held=0.5");
	}
}

static void equal_stages_without_communication(void **state)
{
	double peak[STAGES_MAX];
	(void)state;
	for (int p = 1; p <= 9; p++) {
		for (int m = 1; m <= 20; m++) {
			struct schedule_ask gpipe = ask_of(SCHEDULE_GPIPE, p, m, 1),
			                    one = ask_of(SCHEDULE_1F1B, p, m, 1);
			double formula = (double)(p - 1) / (m + p - 1);
			near(bubble_and_peak(&gpipe, peak), formula, 1e-12, "gpipe");
			for (int s = 0; s < p; s++)
				near(peak[s], m, 1e-9, "gpipe's activations");
			near(bubble_and_peak(&one, peak), formula, 1e-12, "1f1b");
			for (int s = 0; s < p; s++)
				near(peak[s], m < p - s ? m : p - s, 1e-9, "1f1b's activations");
		}
	}
}

/* The empty time, not its share of a span that is shorter too. */
static void interleaved_divides_the_bubble(void **state)
{
	(void)state;
	for (int p = 2; p <= 8; p++) {
		for (int v = 1; v <= 4; v++) {
			struct schedule_ask ask = ask_of(SCHEDULE_INTERLEAVED, p, 3 * p, v);
			double lost = (p - 1.0) / v;
			near(bubble(&ask), lost / (3 * p + lost), 1e-12, "interleaved");
			/* transfers on the way of the first micro-batch in and of the last one out: all but
			 * those that the forward ahead hides */
			ask.comm = 0.001;
			double all = 30 * ask.micros + 30 * lost + (2 * p * v - p - 2) * ask.comm;
			if (v > 1)
				near(bubble(&ask), 1 - 30 * ask.micros / all, 1e-12,
				        "interleaved with transfers");
		}
	}
}

static void zero_bubble_formulas(void **state)
{
	double peak[STAGES_MAX];
	(void)state;
	for (int p = 2; p <= 8; p++) {
		struct schedule_ask h1 = ask_of(SCHEDULE_ZB_H1, p, 4 * p, 1),
		                    h2 = ask_of(SCHEDULE_ZB_H2, p, 4 * p, 1);
		double lost =
		        (p - 1) * 10.0; /* (p-1)(F + B - W); zb-h2's (p-1)(F + B - 2W) is 0 for equal times */
		h1.held = h2.held = 1;
		near(bubble_and_peak(&h1, peak), lost / (4 * p * 30 + lost), 1e-12, "zb-h1");
		for (int s = 0; s < p; s++)
			near(peak[s], p, 1e-9, "zb-h1's activations");
		near(bubble_and_peak(&h2, peak), 0, 1e-12, "zb-h2");
		for (int s = 0; s < p; s++)
			near(peak[s], 2 * p - 1, 1e-9, "zb-h2's activations");
	}
}

static void whole(struct schedule_ask ask)
{
	struct schedule schedule;

	assert_int_equal(schedule_make(&ask, &schedule), ST_OK);
	assert_int_equal(schedule.count, (schedule_splits(ask.kind) ? 3 : 2) * ask.micros * ask.chunks);
	for (int s = 0; s < ask.stages; s++) {
		int next[4][8] = {{0}};
		for (size_t i = 0; i < schedule.count; i++) {
			const struct task *task = &schedule.task[(size_t)s * schedule.count + i];
			assert_in_range(task->chunk, 0, ask.chunks - 1);
			assert_int_equal(task->micro, next[task->work][task->chunk]++);
			if (task->work == WORK_B || task->work == WORK_BW)
				assert_true(task->micro < next[WORK_F][task->chunk]);
			if (task->work == WORK_W)
				assert_true(task->micro < next[WORK_B][task->chunk]);
		}
		for (int c = 0; c < ask.chunks; c++) {
			assert_int_equal(next[WORK_F][c], ask.micros);
			assert_int_equal(next[WORK_B][c] + next[WORK_BW][c], ask.micros);
			assert_int_equal(next[WORK_W][c], next[WORK_B][c]);
		}
	}
	bubble(&ask);
	schedule_release(&schedule);
}

/* Every order is whole and ends, whatever the sizes: fewer micro-batches than stages, and numbers that do not
 * divide. */
static void orders_are_whole(void **state)
{
	(void)state;
	for (int p = 1; p <= 9; p++)
		for (int m = 1; m <= 19; m++)
			for (int kind = SCHEDULE_GPIPE; kind <= SCHEDULE_ZB_AUTO; kind++)
				for (int v = 1; v <= (kind == SCHEDULE_INTERLEAVED && m % p == 0 ? 4 : 1);
				        v++)
					whole(ask_of((enum schedule_kind)kind, p, m, v));
}

static void the_search_keeps_its_limit(void **state)
{
	static const double TIMES[][4] = {{1, 1, 1, 0}, {3, 5, 1, 0.2}, {1, 4, 9, 0.5}, {7, 1, 2, 3}};
	double peak[STAGES_MAX];
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(TIMES); i++) {
		for (double limit = 1; limit <= 2; limit += 0.5) {
			for (int p = 1; p <= 8; p++) {
				struct schedule_ask ask = {.kind = SCHEDULE_ZB_AUTO,
				        .stages = p,
				        .micros = 3 * p,
				        .chunks = 1,
				        .f = TIMES[i][0],
				        .b = TIMES[i][1],
				        .w = TIMES[i][2],
				        .comm = TIMES[i][3],
				        .limit = limit,
				        .held = 0.25 * (double)(p % 5)};
				struct schedule_ask h1 = ask;
				double found = bubble_and_peak(&ask, peak);
				for (int s = 0; s < p; s++)
					assert_true(peak[s] <= limit * p + 1e-6);
				h1.kind = SCHEDULE_ZB_H1;
				if (!(found <= bubble(&h1) + 1e-9))
					fail_msg("times %zu, %d stages, limit %g: zb-auto %.4f is worse than "
					         "zb-h1 %.4f",
					        i, p, limit, found, bubble(&h1));
			}
		}
	}
}

static void large_search(void **state)
{
	struct schedule_ask ask = ask_of(SCHEDULE_ZB_AUTO, 64, 256, 1);
	(void)state;
	ask.limit = 2;
	assert_true(bubble(&ask) < 0.02);
}

static void refuses(void **state)
{
	struct schedule_ask ask = ask_of(SCHEDULE_1F1B, 4, 8, 2);
	struct schedule schedule;
	enum schedule_kind kind;
	(void)state;
	assert_int_equal(schedule_make(&ask, &schedule), ST_RANGE);
	assert_words("chunks=2");
	ask = ask_of(SCHEDULE_INTERLEAVED, 4, 9, 2);
	assert_int_equal(schedule_make(&ask, &schedule), ST_RANGE);
	assert_words("nearest that fit are 8 and 12");
	ask = ask_of(SCHEDULE_ZB_AUTO, 4, 8, 1);
	ask.limit = 0.5;
	assert_int_equal(schedule_make(&ask, &schedule), ST_RANGE);
	ask = ask_of(SCHEDULE_GPIPE, 4, 0, 1);
	assert_int_equal(schedule_make(&ask, &schedule), ST_RANGE);
	assert_int_equal(schedule_find("zb-h2", &kind), ST_OK);
	assert_int_equal(kind, SCHEDULE_ZB_H2);
	assert_int_equal(schedule_find("zb", &kind), ST_ARGUMENT);
	assert_words("zb-auto");
}

static bool make_and_time(void *self)
{
	struct schedule_ask ask = ask_of(SCHEDULE_ZB_AUTO, 4, 8, 1);
	struct schedule schedule;
	double span;
	(void)self;
	enum status status = schedule_make(&ask, &schedule);
	if (status == ST_OK)
		status = schedule_time(&ask, &schedule, &span);
	schedule_release(&schedule);
	return status == ST_OK && mem_live() == 0;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	sweep_memory(make_and_time, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(published_bubbles),
	        cmocka_unit_test(published_searches),
	        cmocka_unit_test(equal_stages_without_communication),
	        cmocka_unit_test(interleaved_divides_the_bubble),
	        cmocka_unit_test(zero_bubble_formulas),
	        cmocka_unit_test(orders_are_whole),
	        cmocka_unit_test(the_search_keeps_its_limit),
	        cmocka_unit_test(large_search),
	        cmocka_unit_test(refuses),
	        cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
