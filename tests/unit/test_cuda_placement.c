/* test_cuda_placement.c -- the GPU of each rank, refusals, messages for the user; clocks of
 * hosts */
#include "base/text.h"
#include "cuda/clocks.h"
#include "cuda/placement.h"
#include "mpi/transport.h"
#include "tests/unit/check.h"
#include <stdlib.h>

enum { GB = 1 << 30, MOST = 8 };

/* A rank on a host that sees `count` of its GPUs from the number `first` on, each with
 * `gigabytes` */
static struct cuda_report rank_on(const char *host, int first, int count, int64_t gigabytes)
{
	struct cuda_report report = {.driver_version = 13000, .nccl_version = 22809, .gpu_count = count};
	snprintf(report.host, sizeof report.host, "%s", host);
	for (int i = 0; i < count; i++) {
		snprintf(report.gpus[i].name, sizeof report.gpus[i].name, "NVIDIA H%d", (int)gigabytes);
		report.gpus[i].uuid.bytes[0] = (char)(first + i);
		report.gpus[i].bytes = gigabytes * GB;
	}
	return report;
}

/* Places the ranks; "HOST.GPU.ORDINAL ..." and then the words, or the refusal */
static void assert_placed(const struct cuda_report *reports, int ranks, const char *seats, const char *words)
{
	struct cuda_placement placement;
	struct text text = {0};
	enum status status = cuda_place(&placement, reports, ranks, GB);
	for (int r = 0; r < placement.ranks; r++)
		text_add(&text, "%s%d.%d.%d", r ? " " : "", placement.seats[r].host, placement.seats[r].gpu,
		        placement.seats[r].ordinal);
	assert_string_equal(text_string(&text), seats);
	text_clear(&text);
	if (status == ST_OK)
		cuda_placement_words(&placement, reports, &text);
	else
		text_add(&text, "%s", fail_text());
	assert_string_equal(text_string(&text), words);
	cuda_placement_release(&placement);
	text_release(&text);
}

static void a_gpu_a_rank(void **state)
{
	(void)state;
	struct cuda_report all[MOST];
	for (int r = 0; r < MOST; r++)
		all[r] = rank_on(r < 4 ? "a" : "b", 0, 4, 80);
	assert_placed(all, 4, "0.0.0 0.1.1 0.2.2 0.3.3", "cuda: 4 ranks, 4 x NVIDIA H80, NCCL 2.28.9");
	assert_placed(all, 8, "0.0.0 0.1.1 0.2.2 0.3.3 1.4.0 1.5.1 1.6.2 1.7.3",
	        "cuda: 8 ranks, 8 x NVIDIA H80, NCCL 2.28.9");
	assert_placed(all, 1, "0.0.0", "cuda: 1 rank, NVIDIA H80");
	/* the starter gave each its own: all call it 0 */
	for (int r = 0; r < 3; r++)
		all[r] = rank_on("a", r, 1, r == 2 ? 40 : 80);
	assert_placed(
	        all, 3, "0.0.0 0.1.0 0.2.0", "cuda: 3 ranks, 2 x NVIDIA H80, 1 x NVIDIA H40, NCCL 2.28.9");
	/* the same name of a host, another run of a kernel: two hosts */
	strcpy(all[1].boot, "other");
	assert_placed(all, 2, "0.0.0 1.1.0", "cuda: 2 ranks, 2 x NVIDIA H80, NCCL 2.28.9");
}

static void ranks_share(void **state)
{
	(void)state;
	struct cuda_report all[MOST];
	for (int r = 0; r < MOST; r++)
		all[r] = rank_on("a", 0, 1, 136);
	assert_placed(all, 4, "0.0.0 0.0.0 0.0.0 0.0.0",
	        "cuda: 4 ranks share NVIDIA H136, 33 GB each, and take turns (no MPS): times show it");
	all[0].mps = true;
	all[1].nccl_refusal[0] = 'x'; /* it is not needed */
	assert_placed(all, 2, "0.0.0 0.0.0", "cuda: 2 ranks share NVIDIA H136, 67 GB each (MPS)");
	/* NCCL does it, from 2.30 on, where all want it, on several hosts too */
	for (int r = 0; r < 4; r++) {
		all[r] = rank_on(r < 2 ? "a" : "b", 0, 1, 136);
		all[r].nccl_version = 23007;
		all[r].nccl_shares = true;
	}
	assert_placed(all, 4, "0.0.0 0.0.0 1.1.0 1.1.0", "cuda: 4 ranks, 2 x NVIDIA H136, NCCL 2.30.7");
	assert_placed(all, 2, "0.0.0 0.0.0", "cuda: 2 ranks, NVIDIA H136, NCCL 2.30.7");
	all[1].nccl_shares = false;
	assert_placed(all, 2, "0.0.0 0.0.0",
	        "cuda: 2 ranks share NVIDIA H136, 67 GB each, and take turns (no MPS): times show it");
	all[1].nccl_shares = true;
	all[1].nccl_version = 22907;
	assert_placed(all, 2, "0.0.0 0.0.0",
	        "cuda: 2 ranks share NVIDIA H136, 67 GB each, and take turns (no MPS): times show it");
	/* two of different sizes, three ranks: two share the first, and the least counts */
	for (int r = 0; r < 3; r++) {
		all[r] = rank_on("a", 0, 2, 80);
		all[r].gpus[1].bytes = (int64_t)24 * GB;
		strcpy(all[r].gpus[1].name, "small");
	}
	assert_placed(all, 3, "0.0.0 0.1.1 0.0.0",
	        "cuda: 3 ranks share 1 x NVIDIA H80, 1 x small, 23 GB each, and take turns (no MPS): times "
	        "show it");
}

static void refusals(void **state)
{
	(void)state;
	struct cuda_report all[MOST];
	for (int r = 0; r < 3; r++)
		all[r] = rank_on(r < 1 ? "a" : "b", 0, 1, 80);
	assert_placed(all, 3, "",
	        "2 ranks share a GPU of b, and others are on another host: ranks may share a GPU only if all "
	        "are on "
	        "one host");
	all[1].nccl_version = 22703;
	assert_placed(all, 2, "", "rank 0 has NCCL 2.28.9 and rank 1 2.27.3: all must have the same");
	strcpy(all[1].nccl_refusal, "NCCL is not there");
	assert_placed(all, 2, "", "rank 1 on b: NCCL is not there");
	strcpy(all[1].refusal, "no driver");
	assert_placed(all, 2, "", "rank 1 on b: no driver");
	all[0].gpu_count = 0;
	assert_placed(all, 1, "", "rank 0 on a sees no GPU");
	for (int r = 0; r < 4; r++)
		all[r] = rank_on("a", 0, 1, 4);
	assert_placed(all, 4, "", "NVIDIA H4 of a has too little memory for 4 of the ranks");
	assert_int_equal(mem_live(), 0);
}

/* Without a driver the report says why, and all know it. */
static void reports_are_shared(void **state)
{
	(void)state;
	struct cuda_library library = {0};
	struct cuda_report mine, all;
	struct transport *transport;
	setenv("RANKSH_CUDA", "/nonexistent", 1);
	cuda_report_make(&mine, &library);
	assert_non_null(strstr(mine.refusal, "looked in /nonexistent"));
	assert_int_equal(mine.gpu_count, 0);
	assert_true(mine.host[0] && !mine.nccl_refusal[0]);
	assert_int_equal(transport_start(&transport, false, NULL, NULL), ST_OK);
	assert_int_equal(transport_share(transport, &mine, &all, sizeof mine), ST_OK);
	assert_memory_equal(&mine, &all, sizeof mine);
	transport_stop(transport);
	cuda_library_close(&library);
}

/* A clock that is ahead by 1000, and messages that take longer there than back, or the reverse:
 * what is found is wrong by its uncertainty at most, and the quickest decides. */
static void clocks_are_compared(void **state)
{
	(void)state;
	const struct clock_ping pings[] = {{0, 1090, 100}, {200, 1204, 211}, {300, 1310, 350}};
	struct clock_offset offset = clock_offset(pings, 3);
	assert_int_equal(offset.ns, 999);
	assert_int_equal(offset.uncertainty_ns, 6);
	offset = clock_offset(pings, 1);
	assert_int_equal(offset.ns, 1040);
	assert_int_equal(offset.uncertainty_ns, 50);
	const struct clock_ping behind[] = {{5000, 10, 5001}};
	offset = clock_offset(behind, 1);
	assert_true(llabs(offset.ns - (10 - 5000)) <= offset.uncertainty_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_gpu_a_rank),
	        cmocka_unit_test(ranks_share),
	        cmocka_unit_test(refusals),
	        cmocka_unit_test(reports_are_shared),
	        cmocka_unit_test(clocks_are_compared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
