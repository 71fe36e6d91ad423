/* test_tables.c -- stalls, stats, diff, traffic, races, stuck, memory and the export, as text */
#include "base/ranks.h"
#include "check.h"
#include "collectives/algorithm.h"
#include "collectives/collective.h"
#include "trace/table.h"
#include "trace_scene.h"
#include <cjson/cJSON.h>
#include <stdio.h>

typedef enum status table(const struct trace *trace, int section, int width, struct text *out);

static void expect_table(struct scene *scene, table *print, int section, const char *wanted)
{
	struct text out = {0};
	assert_int_equal(print(&scene->trace, section, 80, &out), ST_OK);
	assert_text(text_string(&out), wanted);
	text_release(&out);
}

/* y = matmul; allreduce y; sync; rank 2 is twice as slow */
static struct scene *straggler_scene(void)
{
	struct scene *scene = scene_open(4);
	for (int r = 0; r < 4; r++) {
		int end = r == 2 ? 4020 : 2020;
		scene_op(scene, r, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20, 20, 20, end);
		scene_op(scene, r, STREAM_DEFAULT, OP_COLLECTIVE, "allreduce", "y", 0, 40, end, 4020, 5520);
		scene_op(scene, r, STREAM_HOST, OP_SYNC, "sync", "", OP_EVERYTHING, 40, 40, 40, 5520);
	}
	return scene;
}

static void stalls_add_up_and_blame(void **state)
{
	(void)state;
	struct scene *scene = straggler_scene();
	expect_table(scene, trace_stalls, -1,
	        "time by cause, in ms of 5.52 ms\n"
	        "   ranks  lane          work     launch       sync       peer\n"
	        "   0,1,3  host                0.04   1%  5.48  99%\n"
	        "          default  3.50  63%  0.02   0%             2.00  36%\n"
	        "   2      host                0.04   1%  5.48  99%\n"
	        "          default  5.50 100%  0.02   0%\n"
	        "largest\n"
	        "   2.00 ms  peer    0,1,3 default  waited for allreduce y on default of rank 2\n"
	        "     20 us  launch  0-3 default    the host was issuing matmul y\n"
	        "   5.48 ms  sync    0-3 host       waited for allreduce y on default\n");
	scene_close(scene);
}

/* A device takes some time more to begin. A line behind an answer begins late for another reason, and an
 * implicit wait has somebody to blame, unlike one who was late only later. */
static void a_launch_takes_its_way(void **state)
{
	(void)state;
	struct scene *scene = scene_open(1);
	int io = scene_stream(scene, "io"), comm = scene_stream(scene, "comm"),
	    late = scene_stream(scene, "late");
	op_id first = scene_op(scene, 0, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20, 45, 45, 90);
	op_id answered = scene_op(scene, 0, io, OP_COPY, "copy", "x", 0, 40, 75, 75, 90);
	op_id held = scene_op(scene, 0, comm, OP_KERNEL, "relu", "z", 0, 60, 90, 90, 130);
	op_id shares = scene_op(scene, 0, late, OP_KERNEL, "add", "w", 0, 80, 105, 130, 140);
	scene->times[answered].answered = true;
	scene->times[held].blame = first;
	scene->times[shares].blame = held;
	expect_table(scene, trace_stalls, -1,
	        "time by cause, in us of 140 us\n"
	        "   ranks  lane      work  launch   host  event  engine   done\n"
	        "   0      host             80.00                        60.00\n"
	        "          default  45.00   45.00                        50.00\n"
	        "          io       15.00   40.00  35.00                 50.00\n"
	        "          comm     40.00   60.00         30.00          10.00\n"
	        "          late     10.00  105.00                 25.00\n"
	        "largest\n"
	        "   35 us  host    0 io       the line came after an answer (a loss)\n"
	        "   30 us  event   0 comm     waited for matmul y on default\n"
	        "   25 us  launch  0 default  the launch was on its way to the device\n"
	        "   25 us  launch  0 late     the launch was on its way to the device\n"
	        "   25 us  engine  0 late     busy with relu z on comm\n"
	        "   20 us  launch  0 comm     the host was issuing relu z\n");
	scene_close(scene);
}

static void work_that_shares_is_slowed(void **state)
{
	(void)state;
	struct scene *scene = scene_open(1);
	int io = scene_stream(scene, "io");
	for (int stream = STREAM_DEFAULT; stream <= io; stream++) {
		struct record record = scene_record(scene, OP_KERNEL, "matmul", stream == io ? "z" : "y");
		op_id id = scene_queue(scene, 0, stream, &record, 0,
		        (struct times){.issue = 20 * US * stream,
		                .ready = 20 * US * stream,
		                .start = 20 * US * stream,
		                .end = 2020 * US});
		scene->times[id].alone = 1000 * US;
	}
	expect_table(scene, trace_stalls, -1,
	        "time by cause, in ms of 2.02 ms\n"
	        "   ranks  lane          work     slowed     launch       done\n"
	        "   0      host                           0.04   2%  1.98  98%\n"
	        "          default  1.00  50%  1.00  50%  0.02   1%\n"
	        "          io       1.00  50%  0.98  49%  0.04   2%\n"
	        "largest\n"
	        "   1.00 ms  slowed  0 default  matmul y ran beside matmul z on io\n"
	        "    980 us  slowed  0 io       matmul z ran beside matmul y on default\n"
	        "     20 us  launch  0 default  the host was issuing matmul y\n"
	        "     20 us  launch  0 io       the host was issuing matmul y\n"
	        "     20 us  launch  0 io       the host was issuing matmul z\n");
	scene_close(scene);
}

/* 256 kB from pinned memory to the device, in microseconds as scene_op */
static void copy_down(struct scene *scene, int rank, int stream, int64_t issue, int64_t start, int64_t end)
{
	struct record record = scene_record(scene, OP_COPY, "copy", "x");
	struct operand operand[2] = {{.space = SPACE_PINNED, .access = ACCESS_READ, .tensor = -1},
	        {.space = SPACE_DEVICE, .access = ACCESS_WRITE, .tensor = -1}};
	for (int i = 0; i < 2; i++)
		layout_make(&operand[i].layout, DT_F32, 1, (int64_t[]){64 << 10});
	record.operand = operand;
	record.operands = 2;
	record.bytes = 256 << 10;
	scene_queue(scene, rank, stream, &record, 0,
	        (struct times){
	                .issue = issue * US, .ready = start * US, .start = start * US, .end = end * US});
}

/* Two sections: one copy after the other's kernel, and both at once */
static struct scene *sections_scene(void)
{
	struct scene *scene = scene_open(2);
	int io = scene_stream(scene, "io"), compute = scene_stream(scene, "compute");
	scene_mark(scene, "naive");
	for (int r = 0; r < 2; r++) {
		copy_down(scene, r, io, 20, 20, 1020);
		op_id done = scene_op(scene, r, io, OP_RECORD, "record", "", 0, 20, 1020, 1020, 1020);
		scene_op(scene, r, compute, OP_WAIT, "wait", "", done, 40, 40, 1020, 1020);
		scene_op(scene, r, compute, OP_KERNEL, "matmul", "y", 0, 60, 1020, 1020, 3020);
		scene_op(scene, r, STREAM_HOST, OP_SYNC, "sync", "", OP_EVERYTHING, 60, 60, 60, 3020);
	}
	scene_mark(scene, "prefetch");
	for (int r = 0; r < 2; r++) {
		copy_down(scene, r, io, 3040, 3040, 4040);
		scene_op(scene, r, compute, OP_KERNEL, "matmul", "y", 0, 3060, 3060, 3060, 5060);
		scene_op(scene, r, STREAM_HOST, OP_SYNC, "sync", "", OP_EVERYTHING, 3060, 3060, 3060, 5060);
	}
	return scene;
}

static void sections_side_by_side(void **state)
{
	(void)state;
	struct scene *scene = sections_scene();
	struct text out = {0};
	assert_int_equal(trace_diff(&scene->trace, 1, 2, 80, &out), ST_OK);
	assert_text(text_string(&out),
	        "                            naive  prefetch\n"
	        "   time                   3.02 ms   2.04 ms  x 0.68\n"
	        "   operations                   4         4  x 1.00\n"
	        "   busy io                    33%       49%\n"
	        "   busy compute               66%       98%\n"
	        "   idle compute streams       34%        2%\n"
	        "   exposed communication        0         0\n"
	        "   stall launch                1%        1%\n"
	        "   stall sync                 33%         -\n"
	        "   stall event                16%         -\n"
	        "   bytes pcie down         512 kB    512 kB  x 1.00\n"
	        "   peak memory                0 B       0 B\n"
	        "   overlap io, compute         0%       98%\n");
	text_release(&out);
	scene_close(scene);
}

static void stats_of_a_section(void **state)
{
	(void)state;
	struct scene *scene = sections_scene();
	expect_table(scene, trace_stats, 1,
	        "naive\n"
	        "   ranks                      0,1\n"
	        "   time                   3.02 ms\n"
	        "   operations                   2\n"
	        "   busy io                    33%\n"
	        "   busy compute               66%\n"
	        "   idle compute streams       34%\n"
	        "   exposed communication        0\n"
	        "   stall launch                1%\n"
	        "   stall sync                 33%\n"
	        "   stall event                16%\n"
	        "   bytes pcie down         256 kB\n"
	        "   peak memory                0 B\n"
	        "   overlap io, compute         0%\n");
	scene_close(scene);
}

/* Rank 0 works on a stream that rank 1 leaves empty, and the other way round: what belongs together stands
 * together all the same */
static void stats_of_unlike_ranks(void **state)
{
	(void)state;
	struct scene *scene = scene_open(2);
	int down = scene_stream(scene, "down"), compute = scene_stream(scene, "compute"),
	    up = scene_stream(scene, "up");
	for (int r = 0; r < 2; r++) {
		scene_op(scene, r, r ? down : up, OP_COPY, "copy", "x", 0, 20, 20, 20, 1020);
		scene_op(scene, r, compute, OP_KERNEL, "matmul", "y", 0, 40, 40, 1020, 2020);
	}
	expect_table(scene, trace_stats, -1,
	        "everything\n"
	        "   ranks                        0        1\n"
	        "   time                   2.02 ms  2.02 ms\n"
	        "   operations                   2        2\n"
	        "   busy down                    -      50%\n"
	        "   busy compute               50%      50%\n"
	        "   busy up                    50%        -\n"
	        "   idle compute streams       50%      50%\n"
	        "   exposed communication        0        0\n"
	        "   stall launch                1%       1%\n"
	        "   stall engine               24%      24%\n"
	        "   peak memory                0 B      0 B\n"
	        "   overlap down, compute        -       0%\n"
	        "   overlap compute, up         0%        -\n");
	scene_close(scene);
}

/* Every other one of 64 ranks is slower: the two sets take the columns that "0,2,4,6 ..." would not leave */
static void stats_of_many_ranks(void **state)
{
	(void)state;
	struct scene *scene = scene_open(64);
	int compute = scene_stream(scene, "compute");
	for (int r = 0; r < 64; r++)
		scene_op(scene, r, compute, OP_KERNEL, "matmul", "y", 0, 20, 20, 20, r % 2 ? 1020 : 2020);
	expect_table(scene, trace_stats, -1,
	        "everything\n"
	        "   ranks                  32 ranks, e.g. 0  32 ranks, e.g. 1\n"
	        "   time                            2.02 ms           1.02 ms\n"
	        "   operations                            1                 1\n"
	        "   busy compute                        99%               98%\n"
	        "   idle compute streams                 1%                2%\n"
	        "   exposed communication                 0                 0\n"
	        "   stall launch                         1%                2%\n"
	        "   peak memory                         0 B               0 B\n");
	scene_close(scene);
}

/* The odd one of 64 has the first rows, and no column is cut where the screen is narrow: sets without room are counted */
static void the_odd_rank_comes_first(void **state)
{
	(void)state;
	struct scene *scene = scene_open(64);
	struct text out = {0};
	for (int r = 0; r < 64; r++)
		scene_op(scene, r, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20, 20, 20,
		        r == 17         ? 4020
		                : r % 2 ? 1020
		                        : 2020);
	assert_int_equal(trace_stalls(&scene->trace, -1, 80, &out), ST_OK);
	const char *odd = strstr(text_string(&out), "\n   17 "),
	           *many = strstr(text_string(&out), "32 ranks, e.g. 0"),
	           *others = strstr(text_string(&out), "31 ranks, e.g. 1");
	assert_true(odd && many && others);
	assert_true(odd < many && many < others); /* half of them are not odd */
	text_clear(&out);
	assert_int_equal(trace_stats(&scene->trace, -1, 60, &out), ST_OK);
	assert_non_null(strstr(text_string(&out), "17  32 ranks, e.g. 0\n"));
	assert_non_null(strstr(text_string(&out), "... and 1 more sets of ranks\n"));
	assert_null(strstr(text_string(&out), "\xe2\x80\xa6"));
	text_release(&out);
	scene_close(scene);
}

static int64_t count(const struct trace *trace, int section, const char *title)
{
	return metric_count(trace, section, 0, &(struct counted_ops){.title = title});
}

/* On the host's lane, in microseconds */
static op_id host_op(struct scene *scene, enum op_kind kind, const char *title, int64_t start, int64_t end)
{
	return scene_op(scene, 0, STREAM_HOST, kind, title, "", 0, start, start, start, end);
}

/* What a print brings has one tensor; a barrier is a collective; giving memory back waits for the device */
static void host_waits_between_launches(void **state)
{
	(void)state;
	struct scene *scene = scene_open(1);
	const struct trace *trace = &scene->trace;
	struct operand brought = {.space = SPACE_DEVICE, .access = ACCESS_READ, .tensor = -1};
	int64_t ns;
	host_op(scene, OP_SYNC, "sync", 0, 100);
	scene_op(scene, 0, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 120, 120, 120, 1120);
	host_op(scene, OP_SYNC, "sync", 120, 1120); /* 1000 */
	struct record record = scene_record(scene, OP_COPY, "copy", "y");
	layout_make(&brought.layout, DT_F32, 1, (int64_t[]){1});
	record.operand = &brought;
	record.operands = 1;
	scene_queue(scene, 0, STREAM_DEFAULT, &record, 0,
	        (struct times){.issue = 1140 * US, .ready = 1140 * US, .start = 1140 * US, .end = 1200 * US});
	host_op(scene, OP_SYNC, "print", 1140, 1200); /* 60 */
	assert_int_equal(metric_host_waits(trace, -1, 0, &ns), ST_OK);
	assert_int_equal(ns, 0); /* the print comes last */
	host_op(scene, OP_HOST, "host", 1200, 1700);
	scene->times[host_op(scene, OP_SEGMENT, "segment", 1700, 2000)].alone = 100 * US; /* 200 */
	record = scene_record(scene, OP_COLLECTIVE, "barrier", "");
	record.collective = &collective_barrier;
	scene_queue(scene, 0, STREAM_DEFAULT, &record, 0,
	        (struct times){.issue = 2020 * US, .ready = 2020 * US, .start = 2020 * US, .end = 2520 * US});
	host_op(scene, OP_SYNC, "barrier", 2020, 2520); /* 500 */
	scene_op(scene, 0, STREAM_DEFAULT, OP_KERNEL, "relu", "z", 0, 2540, 2540, 2540, 5000);
	host_op(scene, OP_SYNC, "sync", 2540, NEVER);
	assert_int_equal(metric_host_waits(trace, -1, 0, &ns), ST_OK);
	assert_int_equal(ns, 1760 * US);
	scene_op(scene, 0, STREAM_DEFAULT, OP_KERNEL, "relu", "z", 0, NEVER, NEVER, NEVER, NEVER);
	assert_int_equal(metric_host_waits(trace, -1, 0, &ns), ST_WAITS);
	scene_close(scene);
}

static void metrics_by_their_formulas(void **state)
{
	(void)state;
	struct scene *scene = sections_scene();
	const struct trace *trace = &scene->trace;
	int64_t ns;
	double part;

	assert_int_equal(metric_time(trace, 1, 0, &ns), ST_OK);
	assert_int_equal(ns, 3020 * US);
	assert_int_equal(metric_time(trace, 2, 1, &ns), ST_OK);
	assert_int_equal(ns, 2040 * US);
	assert_int_equal(metric_time(trace, 0, 1, &ns), ST_OK);
	assert_int_equal(ns, 0);
	assert_int_equal(metric_overlap(trace, 1, 0, 2, 3, &part), ST_OK);
	assert_float_equal(part, 0, 0);
	assert_int_equal(metric_overlap(trace, 2, 0, 2, 3, &part), ST_OK);
	assert_float_equal(part, 0.98, 1e-12); /* the copy starts 20 us before the kernel */
	assert_int_equal(metric_busy(trace, 2, 0, 3, &part), ST_OK);
	assert_float_equal(part, 2000.0 / 2040, 1e-12);
	double stalled[CAUSE_COUNT];
	assert_int_equal(metric_stalls(trace, 1, 0, stalled), ST_OK);
	assert_float_equal(stalled[CAUSE_EVENT], 960.0 / 6040, 1e-12); /* of two streams */
	assert_int_equal(metric_exposed(trace, -1, 0, HIDE_COMMUNICATION, &ns), ST_OK);
	assert_int_equal(ns, 0);
	assert_int_equal(metric_exposed(trace, 2, 0, HIDE_COPIES, &ns), ST_OK);
	assert_int_equal(ns, 20 * US);
	assert_int_equal(metric_hidden(trace, 2, 0, HIDE_COPIES, &part), ST_OK);
	assert_float_equal(part, 0.98, 1e-12);
	assert_int_equal(metric_hidden(trace, 2, 0, HIDE_COMMUNICATION, &part), ST_OK);
	assert_float_equal(part, 0, 0); /* there is none */
	assert_int_equal(metric_idle(trace, 1, 0, &part), ST_OK);
	assert_float_equal(
	        part, 1 - 2000.0 / 3020, 1e-12); /* the copy's time is no work of a compute stream */
	assert_int_equal(metric_host_waits(trace, 1, 0, &ns), ST_OK);
	assert_int_equal(ns, 0); /* its sync is behind the last launch */
	assert_int_equal(metric_exposed_stream(trace, 2, 0, 2, &ns), ST_OK);
	assert_int_equal(ns, 20 * US); /* of the copy: what the kernel does not cover */
	assert_int_equal(metric_exposed_stream(trace, 2, 0, 4, &ns), ST_OK);
	assert_int_equal(ns, 0);
	assert_int_equal(count(trace, 1, "copy"), 1);
	assert_int_equal(count(trace, -1, "copy"), 2);
	assert_int_equal(count(trace, -1, "sync"), 2);
	assert_int_equal(count(trace, -1, "alltoall"), 0);
	assert_int_equal(metric_sent(trace, 1, 0, NULL, &part), ST_OK);
	assert_float_equal(part, 262144, 0);
	assert_int_equal(metric_sent(trace, 1, 0, "pcie", &part), ST_OK);
	assert_float_equal(part, 262144, 0);
	assert_int_equal(metric_sent(trace, 1, 0, "smoke", &part), ST_NAME);
	scene_close(scene);
}

static void communication_is_exposed_without_kernels(void **state)
{
	(void)state;
	struct scene *scene = straggler_scene();
	int64_t ns;
	double rate;
	assert_int_equal(metric_exposed(&scene->trace, -1, 0, HIDE_COMMUNICATION, &ns), ST_OK);
	assert_int_equal(ns, 1500 * US);
	assert_int_equal(metric_hidden(&scene->trace, -1, 0, HIDE_COMMUNICATION, &rate), ST_OK);
	assert_float_equal(rate, 0, 0);
	assert_int_equal(metric_idle(&scene->trace, -1, 0, &rate), ST_OK);
	assert_float_equal(
	        rate, 1 - 3500.0 / 5520, 1e-12); /* the wait for the late rank; the collective is work */
	scene->times[2].end = NEVER;
	assert_int_equal(metric_exposed(&scene->trace, -1, 0, HIDE_COMMUNICATION, &ns), ST_WAITS);
	assert_int_equal(metric_time(&scene->trace, -1, 0, &ns), ST_WAITS);
	assert_int_equal(metric_busbw(&scene->trace, 1, &rate), ST_ARGUMENT);
	scene_close(scene);
}

static void who_sent_what(void **state)
{
	(void)state;
	struct scene *scene = scene_open(3);
	scene->machine.link_switched = 1;
	for (int r = 0; r < 3; r++) {
		scene_transfer(scene, r, STREAM_DEFAULT, P2P_SEND, (r + 1) % 3, NULL, -1, 20, 20, 20, 120);
		scene_transfer(scene, r, STREAM_DEFAULT, P2P_RECV, (r + 2) % 3, NULL, -1, 40, 120, 120, 220);
		struct record record = scene_record(scene, OP_COLLECTIVE, "allreduce", "g");
		record.bytes = 4096;
		struct operand operand = {.space = SPACE_DEVICE, .access = ACCESS_READ, .tensor = -1};
		layout_make(&operand.layout, DT_F32, 1, (int64_t[]){1024});
		record.operand = &operand;
		record.operands = 1;
		record.collective = &collective_allreduce;
		record.algorithm = ALGORITHM_RING;
		op_id id = scene_queue(scene, r, STREAM_DEFAULT, &record, 0,
		        (struct times){
		                .issue = 60 * US, .ready = 220 * US, .start = 220 * US, .end = 320 * US});
		struct record *queued = &scene->world->records[scene->world->ops[id].record];
		queued->flow_bytes = 8192;
		queued->taken = ALGORITHM_RING;
	}
	expect_table(scene, trace_traffic, -1,
	        "   ranks  nvlink out\n"
	        "   0,1      6.332 kB\n"
	        "   2        6.336 kB\n"
	        "by collectives\n"
	        "   what       in     times  size      sent   formula  off  sends    by\n"
	        "   allreduce  world      1  4 kB  5.336 kB  5.333 kB           4  ring\n"
	        "from rank to rank\n"
	        "   from \\ to     0     1     2\n"
	        "   0                1 kB\n"
	        "   1                      1 kB\n"
	        "   2          1 kB\n");
	scene_close(scene);
}

/* The kernel has 1 GFLOP and 50 MB in 2 ms: 0.5 TFLOP/s is half of the peak, 25 GB/s a quarter of the bandwidth. */
static void kernels_beside_the_peaks(void **state)
{
	(void)state;
	struct scene *scene = scene_open(1);
	scene->machine.peak_f32 = scene->machine.peak_half = 1e12;
	scene->machine.efficiency = scene->machine.efficiency_half = 0.5;
	scene->machine.memory_rate = 100e9;
	struct record record = scene_record(scene, OP_KERNEL, "matmul", "y");
	record.dtype = DT_F32;
	record.flops = 1e9;
	record.bytes = 50000000;
	scene_queue(scene, 0, STREAM_DEFAULT, &record, 0,
	        (struct times){.issue = 20 * US, .ready = 20 * US, .start = 20 * US, .end = 2020 * US});
	expect_table(scene, trace_roofline, -1,
	        "kernels and the machine's limits\n"
	        "   ranks  kernel  type  times     time  TFLOP/s  peak  GB/s  memory  bound by\n"
	        "   0      matmul  f32       1  2.00 ms      0.5   50%    25     25%     flops\n"
	        "   peaks: f32 1 TFLOP/s, f16 and bf16 1 TFLOP/s, memory 100 GB/s\n");
	scene_close(scene);
}

/* ---- races ---- */

static op_id access_x(struct scene *scene, int rank, int stream, const char *title, enum access access)
{
	struct record record = scene_record(scene, access == ACCESS_WRITE ? OP_COPY : OP_KERNEL, title, "x");
	struct operand operand = {
	        .space = SPACE_DEVICE, .access = (uint8_t)access, .tensor = -1, .name = record.object};
	int64_t dim[1] = {64};
	struct thing thing = world_find(scene->world, rank, record.object);
	int x = thing.index;
	layout_make(&operand.layout, DT_F32, 1, dim);
	if (thing.kind == THING_NONE)
		assert_int_equal(world_tensor_make(scene->world, rank, record.object, &operand.layout,
		                         SPACE_DEVICE, STREAM_DEFAULT, TENSOR_BARE, 0, &x),
		        ST_OK);
	operand.address = scene->world->tensors[x].address;
	record.operand = &operand;
	record.operands = 1;
	return scene_queue(scene, rank, stream, &record, 0, (struct times){.end = 1});
}

static void races_in_words(void **state)
{
	(void)state;
	struct scene *scene = scene_open(4);
	struct world *world = scene->world;
	int io = scene_stream(scene, "io"), compute = scene_stream(scene, "compute");
	for (int r = 0; r < 4; r++) {
		access_x(scene, r, io, "copy", ACCESS_WRITE);
		access_x(scene, r, compute, "matmul", ACCESS_READ);
	}
	assert_int_equal(races_now(world)->count, 4);
	struct text out = {0};
	trace_races(&scene->trace, 0, true, 80, &out);
	assert_text(text_string(&out),
	        "   race: `copy` on io writes x while `matmul` on compute reads it.\n"
	        "   `wait io on compute` between the two puts them in order.                [0-3]\n");
	text_release(&out);
	scene_close(scene);
}

/* ---- stuck ---- */

static void expect_stuck(struct scene *scene, bool ended, bool wanted_stuck, const char *wanted)
{
	struct text out = {0};
	assert_int_equal(trace_stuck(&scene->trace, 80, ended, &out), wanted_stuck);
	assert_text(text_string(&out), wanted);
	text_release(&out);
}

static void hang(struct scene *scene, int rank, op_id on)
{
	scene->hangs[rank].waits = true;
	scene->hangs[rank].on = on;
}

static struct scene *missing_scene(void)
{
	struct scene *scene = scene_open(4);
	for (int r = 0; r < 4; r++) {
		scene_op(scene, r, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20, 20, 20, 2020);
		if (r == 2)
			continue;
		hang(scene, r,
		        scene_op(scene, r, STREAM_DEFAULT, OP_COLLECTIVE, "allreduce", "y", 0, 40, 2020,
		                NEVER, NEVER));
		scene_op(scene, r, STREAM_HOST, OP_SYNC, "sync", "", OP_EVERYTHING, 40, 40, 40, NEVER);
	}
	return scene;
}

static void a_missing_line_is_named(void **state)
{
	(void)state;
	struct scene *scene = missing_scene();
	expect_stuck(scene, false, false,
	        "ranks 0,1,3 wait for a line on rank 2\n"
	        "   ranks  hangs in                waits for  last done  next in world\n"
	        "   0,1,3  allreduce y on default  rank 2     matmul y   allreduce y\n"
	        "   2                                         matmul y   nothing\n");
	scene_close(scene);
}

static void what_waits_at_the_end_is_stuck(void **state)
{
	(void)state;
	struct scene *scene = missing_scene();
	struct text out = {0};
	assert_true(trace_stuck(&scene->trace, 80, true, &out));
	text_release(&out);
	scene_close(scene);
}

/* Both send first: rendezvous, so both wait for ever. */
static void a_circle_is_stuck(void **state)
{
	(void)state;
	struct scene *scene = scene_open(2);
	for (int r = 0; r < 2; r++) {
		hang(scene, r,
		        scene_transfer(
		                scene, r, STREAM_DEFAULT, P2P_SEND, 1 - r, NULL, -1, 20, 20, NEVER, NEVER));
		scene_transfer(scene, r, STREAM_DEFAULT, P2P_RECV, 1 - r, NULL, -1, 40, NEVER, NEVER, NEVER);
	}
	expect_stuck(scene, false, true,
	        "stuck: ranks 0,1 wait, and no line can help\n"
	        "   a circle: rank 0 (send a) waits for rank 1 (send a) waits for rank 0\n"
	        "   ranks  hangs in           waits for  last done  next in world\n"
	        "   0      send a on default  rank 1     nothing    send a\n"
	        "   1      send a on default  rank 0     nothing    send a\n");
	scene_close(scene);
}

static void a_mismatch_is_stuck(void **state)
{
	(void)state;
	struct scene *scene = scene_open(4);
	for (int r = 0; r < 4; r++) {
		struct record record = scene_record(scene, OP_COLLECTIVE, "allreduce", "g");
		struct operand operand = {.space = SPACE_DEVICE,
		        .access = ACCESS_READ | ACCESS_WRITE,
		        .tensor = -1,
		        .name = record.object};
		int64_t dim[1] = {r == 3 ? 512 : 1024};
		layout_make(&operand.layout, DT_F32, 1, dim);
		record.operand = &operand;
		record.operands = 1;
		record.bytes = dim[0] * 4;
		hang(scene, r,
		        scene_queue(scene, r, STREAM_DEFAULT, &record, 0,
		                (struct times){
		                        .issue = 20 * US, .ready = 20 * US, .start = NEVER, .end = NEVER}));
	}
	expect_stuck(scene, false, true,
	        "stuck: ranks 0-3 wait, and no line can help\n"
	        "   allreduce#1 in world does not match: rank 3 brings 2 kB, ranks 0-2 bring 4 kB\n"
	        "   ranks  hangs in                waits for  last done  next in world\n"
	        "   0-3    allreduce g on default             nothing    allreduce g\n");
	scene_close(scene);
}

static void nobody_waits(void **state)
{
	(void)state;
	struct scene *scene = straggler_scene();
	expect_stuck(scene, true, false, "no rank waits for another\n");
	scene_close(scene);
}

/* ---- memory ---- */

static struct scene *memory_scene(void)
{
	static const struct {
		const char *name;
		int64_t rows;
	} tensors[] = {{"x", 96}, {"gone", 200}, {"weights", 128}, {"y", 16}};
	struct scene *scene = scene_open(2);
	for (int r = 0; r < 2; r++)
		for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
			struct layout layout;
			int64_t dim[2] = {tensors[i].rows, 128};
			int index;
			layout_make(&layout, DT_F32, 2, dim);
			assert_int_equal(
			        world_tensor_make(scene->world, r, scene_name(scene, tensors[i].name),
			                &layout, SPACE_DEVICE, STREAM_DEFAULT, false, 0, &index),
			        ST_OK);
			if (i == 2) {
				struct thing gone = world_find(scene->world, r, scene_name(scene, "gone"));
				world_tensor_free(scene->world, gone.index, 0);
			}
		}
	return scene;
}

static void memory_as_a_picture(void **state)
{
	(void)state;
	struct scene *scene = memory_scene();
	struct text out = {0};
	trace_memory(&scene->trace, 80, &out);
	assert_text(text_string(&out),
	        "ranks 0,1: 120 kB allocated (at most 212 kB), 256 kB reserved of 256 MB\n"
	        "   free in segments 136 kB, largest block 100 kB, fragmentation 26%\n"
	        "   default  256 kB  |█ x ██|···············| weights ||·····|  136 kB free\n"
	        "   largest: weights 64 kB, x 48 kB, y 8 kB\n");
	text_release(&out);
	scene_close(scene);
}

/* ---- export ---- */

static int count_events(const cJSON *events, const char *phase, const char *category)
{
	const cJSON *event;
	int count = 0;
	cJSON_ArrayForEach(event, events)
	{
		const cJSON *ph = cJSON_GetObjectItem(event, "ph"), *cat = cJSON_GetObjectItem(event, "cat");
		assert_true(cJSON_IsString(ph) && cJSON_IsNumber(cJSON_GetObjectItem(event, "pid")) &&
		        cJSON_IsNumber(cJSON_GetObjectItem(event, "tid")));
		if (strcmp(ph->valuestring, "M") != 0)
			assert_true(cJSON_IsNumber(cJSON_GetObjectItem(event, "ts")));
		count += strcmp(ph->valuestring, phase) == 0 &&
		        (!category || (cat && strcmp(cat->valuestring, category) == 0));
	}
	return count;
}

/* How many events of links there are; the last of each rank's link is 0: nothing runs any more */
static int counters_end_at_zero(const cJSON *events)
{
	const cJSON *event;
	double left = 0;
	int count = 0;
	cJSON_ArrayForEach(event, events)
	{
		const cJSON *args = cJSON_GetObjectItem(event, "args"),
		            *rate = cJSON_GetObjectItem(args, "GB/s");
		if (*cJSON_GetObjectItem(event, "ph")->valuestring != 'C' || !rate)
			continue;
		left = rate->valuedouble;
		count++;
	}
	assert_true(left == 0);
	return count;
}

static void the_export_is_json(void **state)
{
	(void)state;
	struct scene *scene = sections_scene();
	scene_op(scene, 0, STREAM_DEFAULT, OP_KERNEL, "odd \"name\"\\", "tab\there", 0, 5100, 5100, 5100,
	        5200);
	struct text out = {0};
	assert_int_equal(export_json(&scene->trace, &out), ST_OK);
	cJSON *root = cJSON_Parse(text_string(&out));
	assert_non_null(root);
	const cJSON *events = cJSON_GetObjectItem(root, "traceEvents");
	assert_int_equal(count_events(events, "X", "kernel"), 5);
	assert_int_equal(count_events(events, "X", "copy"), 4);
	assert_int_equal(count_events(events, "s", "wait"), 2);
	assert_int_equal(count_events(events, "f", "wait"), 2);
	assert_true(count_events(events, "X", "stall") > 4);
	assert_true(counters_end_at_zero(events) > 0);
	cJSON_Delete(root);
	text_release(&out);
	scene_close(scene);
}

static void transfers_are_arrows(void **state)
{
	(void)state;
	struct scene *scene = scene_open(2);
	scene_transfer(scene, 0, STREAM_DEFAULT, P2P_SEND, 1, NULL, -1, 20, 20, 20, 120);
	scene_transfer(scene, 1, STREAM_DEFAULT, P2P_RECV, 0, NULL, -1, 20, 20, 20, 120);
	struct text out = {0};
	assert_int_equal(export_json(&scene->trace, &out), ST_OK);
	cJSON *root = cJSON_Parse(text_string(&out));
	assert_non_null(root);
	assert_int_equal(count_events(cJSON_GetObjectItem(root, "traceEvents"), "s", "transfer"), 1);
	cJSON_Delete(root);
	text_release(&out);
	scene_close(scene);
}

static void one_sided(
        struct scene *scene, int rank, int peer, enum one_sided what, int64_t start, int64_t end)
{
	struct record record = scene_record(scene, OP_ONE_SIDED, "put", "x");
	struct part part = {.direction = (uint8_t)what, .peer = peer};
	record.part = &part;
	record.parts = 1;
	scene_queue(scene, rank, STREAM_DEFAULT, &record, 0,
	        (struct times){0, start * US, start * US, end * US, .projected = false});
}

/* The n-th event of the phase and category */
static const cJSON *event_of(const cJSON *events, const char *phase, const char *category, int n)
{
	const cJSON *event;
	cJSON_ArrayForEach(event, events)
	{
		const cJSON *cat = cJSON_GetObjectItem(event, "cat");
		if (cat && strcmp(cat->valuestring, category) == 0 &&
		        strcmp(cJSON_GetObjectItem(event, "ph")->valuestring, phase) == 0 && n-- == 0)
			return event;
	}
	fail_msg("no such event");
	return NULL;
}

static void assert_at(const cJSON *event, int rank, int thread)
{
	assert_int_equal(cJSON_GetObjectItem(event, "pid")->valueint, rank);
	assert_int_equal(cJSON_GetObjectItem(event, "tid")->valueint, thread);
}

/* Ranks 0 and 1 reach into rank 2's window, where two of three overlap: two threads behind its host and its stream */
static void one_sided_operations_are_arrows(void **state)
{
	(void)state;
	struct scene *scene = scene_open(3);
	struct text out = {0};
	one_sided(scene, 0, 2, ONE_SIDED_PUT, 20, 120);
	one_sided(scene, 1, 2, ONE_SIDED_GET, 60, 160);
	one_sided(scene, 0, 2, ONE_SIDED_ADD, 120, 220);
	scene_op(scene, 2, STREAM_DEFAULT, OP_KERNEL, "matmul", "y", 0, 20, 20, 20, 100);
	assert_int_equal(export_json(&scene->trace, &out), ST_OK);
	cJSON *root = cJSON_Parse(text_string(&out));
	assert_non_null(root);
	const cJSON *events = cJSON_GetObjectItem(root, "traceEvents");
	int stream = 2 * STREAM_DEFAULT + 1, window = stream + 2;
	assert_int_equal(count_events(events, "X", "window"), 3);
	assert_int_equal(count_events(events, "s", "transfer"), 3);
	for (int i = 0; i < 3; i++)
		assert_at(event_of(events, "X", "window", i), 2, window + (i == 1));
	assert_at(event_of(events, "s", "transfer", 0), 0, stream);
	assert_at(event_of(events, "f", "transfer", 0), 2, window);
	assert_at(event_of(events, "s", "transfer", 1), 2, window + 1); /* a get's bytes come from there */
	assert_at(event_of(events, "f", "transfer", 1), 1, stream);
	assert_at(event_of(events, "f", "transfer", 2), 2, window);
	cJSON_Delete(root);
	text_release(&out);
	scene_close(scene);
}

/* ---- every width, every failing allocation ---- */

static enum status all_tables(struct scene *scene, int width, struct text *out)
{
	trace_races(&scene->trace, 0, true, width, out);
	trace_stuck(&scene->trace, width, false, out);
	trace_memory(&scene->trace, width, out);
	enum status status[] = {
	        trace_stalls(&scene->trace, -1, width, out),
	        trace_stats(&scene->trace, -1, width, out),
	        trace_traffic(&scene->trace, -1, width, out),
	        trace_diff(&scene->trace, 0, -1, width, out),
	        export_json(&scene->trace, out),
	};
	for (size_t i = 0; i < sizeof status / sizeof *status; i++)
		if (status[i] != ST_OK)
			return status[i];
	return ST_OK;
}

static bool print_tables(void *scene)
{
	struct text out = {0};
	long before = mem_live();
	enum status status = all_tables(scene, 80, &out);
	text_release(&out);
	return status == ST_OK && mem_live() == before;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	struct scene *scenes[] = {straggler_scene(), missing_scene(), memory_scene()};
	for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
		sweep_memory(print_tables, scenes[k]);
		scene_close(scenes[k]);
	}
}

static void no_line_is_too_wide(void **state)
{
	(void)state;
	struct scene *scene = straggler_scene();
	for (int width = 20; width < 200; width += 13) {
		struct text out = {0};
		assert_int_equal(trace_stalls(&scene->trace, -1, width, &out), ST_OK);
		assert_int_equal(text_valid(out.bytes, out.count), out.count);
		assert_non_null(strstr(out.bytes,
		        width < 50 ? "" : "on default of rank 2\n")); /* whom it waited for is not cut */
		strtok(out.bytes, "\n");                              /* the headline */
		for (char *line; (line = strtok(NULL, "\n"));)
			assert_true(text_columns(line) <= (size_t)width);
		text_release(&out);
	}
	scene_close(scene);
}

static void expect_printed(const struct table *rows, int width, const char *wanted)
{
	struct text out = {0};
	struct table printed = {.align = rows->align};
	text_put(&printed.cells, rows->cells.bytes, rows->cells.count);
	table_print(&printed, width, &out);
	assert_text(text_string(&out), wanted);
	text_release(&out);
}

/* Figures stand in parts, each with its labels; words go on below; only where there is no room for either they are cut. */
static void narrow_tables_keep_all(void **state)
{
	(void)state;
	struct table figures = {.align = "llr"}, words = {.align = "ll"};
	table_cells(&figures, "ranks", "lane", "work", "launch", "sync");
	table_row(&figures);
	table_cells(&figures, "0-3", "host", "", "1%", "99%");
	table_row(&figures);
	table_cells(&figures, "... and 2 more");
	table_row(&figures);
	expect_printed(&figures, 50,
	        "   ranks           lane  work  launch  sync\n"
	        "   0-3             host            1%   99%\n"
	        "   ... and 2 more\n");
	expect_printed(&figures, 40,
	        "   ranks           lane  work  launch\n"
	        "   0-3             host            1%\n"
	        "   ... and 2 more\n"
	        "   ranks           lane  sync\n"
	        "   0-3             host   99%\n");
	table_cells(&words, "io", "waits for allreduce y of rank 2");
	table_row(&words);
	expect_printed(&words, 80, "   io  waits for allreduce y of rank 2\n");
	expect_printed(&words, 26, "   io  waits for allreduce\n       y of rank 2\n");
	expect_printed(&words, 15, "   io  waits f\xe2\x80\xa6\n");
	table_release(&figures);
	table_release(&words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(stalls_add_up_and_blame),
	        cmocka_unit_test(a_launch_takes_its_way),
	        cmocka_unit_test(work_that_shares_is_slowed),
	        cmocka_unit_test(sections_side_by_side),
	        cmocka_unit_test(stats_of_a_section),
	        cmocka_unit_test(stats_of_unlike_ranks),
	        cmocka_unit_test(stats_of_many_ranks),
	        cmocka_unit_test(the_odd_rank_comes_first),
	        cmocka_unit_test(who_sent_what),
	        cmocka_unit_test(kernels_beside_the_peaks),
	        cmocka_unit_test(races_in_words),
	        cmocka_unit_test(a_missing_line_is_named),
	        cmocka_unit_test(a_circle_is_stuck),
	        cmocka_unit_test(a_mismatch_is_stuck),
	        cmocka_unit_test(memory_as_a_picture),
	        cmocka_unit_test(metrics_by_their_formulas),
	        cmocka_unit_test(host_waits_between_launches),
	        cmocka_unit_test(communication_is_exposed_without_kernels),
	        cmocka_unit_test(what_waits_at_the_end_is_stuck),
	        cmocka_unit_test(nobody_waits),
	        cmocka_unit_test(the_export_is_json),
	        cmocka_unit_test(transfers_are_arrows),
	        cmocka_unit_test(one_sided_operations_are_arrows),
	        cmocka_unit_test(memory_may_run_out),
	        cmocka_unit_test(no_line_is_too_wide),
	        cmocka_unit_test(narrow_tables_keep_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
