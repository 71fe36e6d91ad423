/* test_schedule_file.c -- orders of a pipeline read from files: the shipped ones against the
 * papers' figures; a written file is read again; an order that cannot run is refused with its
 * cells */
#include "base/embedded.h"
#include "base/memory.h"
#include "check.h"
#include "schedules/schedule.h"

#include <stdio.h>
#include <string.h>

static struct schedule_ask ask_of(int stages, int micros, int chunks)
{
	return (struct schedule_ask){
	        .stages = stages, .micros = micros, .chunks = chunks, .f = 2, .b = 2, .w = 2};
}

static enum status read_text(struct schedule_ask ask, const char *text, struct schedule *schedule)
{
	return schedule_read(&ask, "f.csv", text, strlen(text), schedule);
}

/* ---- what ships ---- */

/* The most pieces' activations that a stage holds at once, from F to the end of backward */
static int peak_of(const struct schedule *schedule, int stage)
{
	int held = 0, peak = 0;
	for (size_t k = 0; k < schedule->count; k++) {
		int work = schedule->task[(size_t)stage * schedule->count + k].work;
		held += work == WORK_F;
		held -= work == WORK_W || work == WORK_BW;
		peak = held > peak ? held : peak;
	}
	return peak;
}

/* How long a stage's tasks take: of a piece */
static const double F = 3, B = 5, W = 2; /* B: of both gradients */

static double takes(int work)
{
	return work == WORK_F ? F : work == WORK_BW ? B : work == WORK_B ? B - W : work == WORK_W ? W : 0;
}

/* When a task's input is there; below 0: not yet. done: [2][piece][micro], of F and of backward */
static double input_of(
        const struct schedule *schedule, int stage, const struct task *task, const double *done)
{
	int n = schedule->piece[2 * stage + task->chunk], pieces = schedule->pieces,
	    micros = schedule->micros;
	int forward = task->work == WORK_F, other = forward ? n - 1 : n + 1;
	if (task->work == WORK_W || task->work == WORK_IDLE || other < 0)
		return 0;
	return other == pieces ? done[n * micros + task->micro]
	                       : done[((forward ? 0 : pieces) + other) * micros + task->micro];
}

/* A forward and the backward behind it are one task F&B, whose results leave together: in DualPipe all but the first of the
 * last rank. The time from the first stage's begin to the last one's end. */
static double time_in_pairs(const struct schedule *schedule)
{
	int p = schedule->stages, pairs[16] = {0};
	size_t count = schedule->count, next[16] = {0},
	       cells = 2 * (size_t)(schedule->pieces * schedule->micros);
	double at[16] = {0}, *done = mem_alloc(cells * sizeof *done), end = 0;
	for (size_t i = 0; i < cells; i++)
		done[i] = -1;
	for (bool moved = true; moved;) {
		moved = false;
		for (int s = 0; s < p; s++)
			while (next[s] < count) {
				const struct task *task = &schedule->task[(size_t)s * count + next[s]];
				const struct task *behind = &schedule->task[(size_t)(s + 1) * count],
				                  *with = task + 1;
				while (with < behind && with->work == WORK_IDLE)
					with++;
				bool two = with < behind && task->work == WORK_F && with->work == WORK_BW;
				bool pair = two && (s < p - 1 || pairs[s]);
				with = pair ? with : task;
				double a = input_of(schedule, s, task, done),
				       b = input_of(schedule, s, with, done);
				if (a < 0 || b < 0)
					break;
				pairs[s] += two;
				double begin = a > b ? a : b;
				begin = begin > at[s] ? begin : at[s];
				at[s] = begin + takes(task->work) + (pair ? takes(with->work) : 0);
				end = at[s] > end ? at[s] : end;
				for (const struct task *one = task;; one = with) {
					int n = schedule->piece[2 * s + one->chunk],
					    back = one->work != WORK_F;
					if (one->work != WORK_W && one->work != WORK_IDLE)
						done[(back * schedule->pieces + n) * schedule->micros +
						        one->micro] = at[s];
					if (one == with)
						break;
				}
				next[s] = (size_t)(with - &schedule->task[(size_t)s * count]) + 1;
				moved = true;
			}
	}
	mem_free(done);
	for (int s = 0; s < p; s++)
		assert_int_equal(next[s], count);
	return end;
}

static struct schedule shipped(const char *kind, int p, const struct schedule_ask *ask)
{
	char name[32];
	struct schedule schedule;
	snprintf(name, sizeof name, "%s-%d", kind, p);
	const struct embedded *file = embedded_find("strategies/schedules/", name, ".csv");
	assert_non_null(file);
	assert_int_equal(schedule_read(ask, name, file->bytes, file->count, &schedule), ST_OK);
	return schedule;
}

/* With p ranks and 2p pieces:
 *     zb-v         F, B and W equally long: no bubble; 2p pieces' activations at most, as much as 1F1B's p stages
 *                  (arXiv:2401.10241, section 6)
 *     dualpipe-v   a bubble of (p - 1)(F&B + B - 3W), F&B as F + B; activations of 2p + 1 pieces (DeepSeek's table of
 *                  DualPipeV, where PP is 2p). As cells of their own each result leaves when it is there, which saves
 *                  B - W a rank: (p - 1)(F + B - 2W) */
static void figures_of_the_papers(void **state)
{
	(void)state;
	for (int p = 4; p <= 8; p += 4)
		for (int dual = 0; dual < 2; dual++) {
			struct schedule_ask ask = ask_of(p, 2 * p, 2);
			double span, work = 2 * ask.micros * (F + B);
			struct schedule schedule = shipped(dual ? "dualpipe-v" : "zb-v", p, &ask);
			assert_int_equal(schedule_time(&ask, &schedule, &span), ST_OK);
			if (!dual)
				assert_float_equal(span, ask.micros * (ask.f + ask.b + ask.w), 1e-9);
			ask.f = 2 * F;
			ask.b = 2 * (B - W);
			ask.w = 2 * W;
			assert_int_equal(schedule_time(&ask, &schedule, &span), ST_OK);
			if (dual) {
				assert_float_equal(span - work, (p - 1) * (F + B - 2 * W), 1e-9);
				assert_float_equal(
				        time_in_pairs(&schedule) - work, (p - 1) * (F + B + B - 3 * W), 1e-9);
			}
			int peak = 0;
			for (int s = 0; s < p; s++) {
				int own = peak_of(&schedule, s);
				peak = own > peak ? own : peak;
				assert_int_equal(schedule.piece[2 * s], s);
				assert_int_equal(schedule.piece[2 * s + 1], 2 * p - 1 - s);
			}
			assert_int_equal(peak, 2 * p + dual);
			/* where the V turns the last rank's two pieces share memories */
			assert_int_equal(schedule.memories[2 * p - 2], schedule.memories[2 * p - 1]);
			schedule_release(&schedule);
		}
}

static void what_is_written_is_read_again(void **state)
{
	(void)state;
	for (int kind = SCHEDULE_GPIPE; kind <= SCHEDULE_ZB_AUTO; kind++)
		for (int p = 1; p <= 4; p *= 2) {
			struct schedule_ask ask = ask_of(p, 8, kind == SCHEDULE_INTERLEAVED && p > 1 ? 2 : 1);
			struct schedule made, read;
			struct text text = {0};
			ask.kind = (enum schedule_kind)kind;
			ask.limit = 1;
			assert_int_equal(schedule_make(&ask, &made), ST_OK);
			schedule_write(&made, &text);
			assert_int_equal(read_text(ask, text_string(&text), &read), ST_OK);
			assert_int_equal(read.count, made.count);
			assert_memory_equal(read.task, made.task, (size_t)p * made.count * sizeof *made.task);
			assert_memory_equal(read.memories, made.memories,
			        (size_t)(p * ask.chunks) * sizeof *made.memories);
			schedule_release(&made);
			schedule_release(&read);
			text_release(&text);
		}
}

/* Backward from the last micro-batch on: each has its own memory. A stage may lie anywhere, and cells may be empty. */
static void other_orders(void **state)
{
	(void)state;
	struct schedule schedule;
	assert_int_equal(read_text(ask_of(2, 3, 1),
	                         "1F0,1F1,1F2,1B2,1B1,1B0\r\n0F0,0F1,0F2, ,,0B2,0B1,0B0\n\n", &schedule),
	        ST_OK);
	assert_int_equal(schedule.count, 8);
	assert_int_equal(schedule.piece[0], 1);
	assert_int_equal(schedule.holder[0], 1);
	assert_int_equal(schedule.memories[0], 3);
	assert_int_equal(schedule.task[6].work, WORK_IDLE);
	assert_int_equal(schedule.task[8 + 3].work, WORK_IDLE);
	schedule_release(&schedule);
	/* 0 and 2 are under way together, 1 comes between: with two memories 0 and 2 would share one */
	assert_int_equal(read_text(ask_of(1, 3, 1), "0F0,0F1,0B1,0F2,0B0,0B2", &schedule), ST_OK);
	assert_int_equal(schedule.memories[0], 3);
	schedule_release(&schedule);
}

/* ---- what is refused ---- */

static void refused(const char *text, const char *words)
{
	struct schedule schedule;
	size_t live = mem_live();
	assert_int_not_equal(read_text(ask_of(2, 2, 1), text, &schedule), ST_OK);
	assert_words(words);
	assert_int_equal(mem_live(), live);
}

static void what_cannot_run(void **state)
{
	(void)state;
	const char *good = "0F0,0F1,,,0B0,0B1\n,1F0,1B0,1F1,1B1";
	struct schedule schedule;
	assert_int_equal(read_text(ask_of(2, 2, 1), good, &schedule), ST_OK);
	schedule_release(&schedule);
	refused("", "f.csv has 0 rows, but the pipeline has 2 ranks: each rank needs one row");
	refused("0F0,0B0", "f.csv has 1 row, but the pipeline has 2 ranks");
	refused("0F0,0X1\n1F0",
	        "row 1, cell 2: '0X1' is not a cell: STAGE, then F B I or W, then MICROBATCH, such as 0F0");
	refused("0F0\n1F,1B0", "row 2, cell 1: '1F' is not a cell");
	refused("0F0\n1SEND_F0", "row 2, cell 1: '1SEND_F0'");
	refused("0F99999999999999999999\n1F0", "row 1, cell 1");
	refused("0F0,4000F0\n1F0", "stage 2 is in no row, but there are stages up to 4000");
	refused("0F0,1F99999,0B0\n1F0", "stage 1 is in row 1 and in row 2");
	refused("0F0,0F99999,0B0\n1F0",
	        "2 stages and 100000 micro-batches need a forward and a backward each");
	refused("0F0,0F1,0B0,0B1\n2F0,2F1,2B0,2B1", "stage 1 is in no row, but there are stages up to 2");
	refused("0F0,0F1,0B0,0B1\n,,,,", "row 2 is empty: its rank has no stage");
	refused("0F0,0F1,2F0,2F1,2B0,2B1,0B0,0B1\n1F0,1F1,1B0,1B1",
	        "row 2 has fewer stages than the 2 of another");
	refused("0F0,0F1,0F0,0B0,0B1\n1F0,1B0,1F1,1B1",
	        "row 1: 0F0 in cell 3 repeats the work of 0F0 in cell 1");
	refused("0F0,0F1,0I0,0B0,0W0,0B1\n1F0,1B0,1F1,1B1",
	        "row 1: 0B0 in cell 4 repeats the work of 0I0 in cell 3");
	refused("0F0,0F1,0B0,0B1\n1F0,1B0,1B1,", "row 2: 1F1 is missing, and there are 2 micro-batches");
	refused("0F0,0F1,0B0,0B1\n1F0,1I0,1F1,1B1", "row 2: 1W0 is missing");
	refused("0F0,0F1,0B0,0B1\n1F0,1W0,1F1,1B1", "row 2: 1B0 (or I0) is missing");
	refused("0F0,0F1,0B0,0B1\n1F0,1F1,1W0,1I0,1B1",
	        "row 2: the W of stage 1 and micro-batch 0 comes before the I");
	refused("0F0,0B0,0F1,0B1\n1B0,1F0,1F1,1B1",
	        "row 2: the backward of stage 1 and micro-batch 0 comes before the forward");
	refused("0F0,0F1,0B0,0B1\n1F1,1F0,1B0,1B1",
	        "stage 0 (row 1) does the forward of micro-batch 0 when stage 1 (row 2) does that of 1");
	refused("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1",
	        "in a circle, because each runs after the one before it in its row: row 1: 0B0 waits for "
	        "1B0; row 2: 1F1 "
	        "waits for 0F1");
	refused("0F0,0F1,0B0,0B1,1F0,1F1,1B0,1B1\n2F0,2F1,2B0,2B1", "row 2 has fewer stages");
	struct schedule other;
	struct schedule_ask ask = ask_of(1, 2, 2);
	assert_int_equal(read_text(ask, "0F0,1F0,1I0,0B0,1W0,0F1,1F1,1B1,0B1", &other), ST_RANGE);
	assert_words("row 1: the W of stage 1 and micro-batch 0 must come before that of stage 0");
	ask.micros = 4;
	assert_int_equal(read_text(ask, "0F0,1F0,1B0,0B0,0F1,1F1,1B1,0B1", &other), ST_RANGE);
	assert_words("f.csv has 2 micro-batches: micro=2");
	ask.micros = 2;
	ask.chunks = 1;
	assert_int_equal(read_text(ask, "0F0,1F0,1B0,0B0,0F1,1F1,1B1,0B1", &other), ST_RANGE);
	assert_words("f.csv has 2 stages a rank: chunks=2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(figures_of_the_papers),
	        cmocka_unit_test(what_is_written_is_read_again),
	        cmocka_unit_test(other_orders),
	        cmocka_unit_test(what_cannot_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
