/* test_transport.c -- the transport between real processes: mpirun -n {1,2,3,4,8} test_transport */
#include "mpi/inside.h"
#include "base/memory.h"
#include "tests/mpi/check.h"
#include <string.h>
#include <time.h>

struct test {
	struct transport *transport;
	struct checks checks;
	int rank, size;
};

static void pattern(char *bytes, size_t count, int seed)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = (char)(i * 7 + (size_t)seed * 31 + i / 251);
}

static bool is_pattern(const char *bytes, size_t count, int seed)
{
	for (size_t i = 0; i < count; i++) {
		if (bytes[i] != (char)(i * 7 + (size_t)seed * 31 + i / 251))
			return false;
	}
	return true;
}

/* Around the head's size, and in several parts. */
static const size_t lengths[] = {0, 1, 100, 2039, 2040, 2041, 4096, 70000, 1 << 20};
enum { LENGTHS = sizeof lengths / sizeof *lengths };
static char buffer[1 << 20];

static void test_lines(struct test *test)
{
	for (int i = 0; i < LENGTHS; i++) {
		void *bytes = NULL;
		size_t count = 0;

		if (test->rank == 0) {
			pattern(buffer, lengths[i], i);
			CHECK(&test->checks,
			        transport_send_all(test->transport, buffer, lengths[i]) == ST_OK);
			continue;
		}
		CHECK(&test->checks, transport_receive(test->transport, &bytes, &count, NULL, NULL) == ST_OK);
		CHECK(&test->checks, count == lengths[i] && is_pattern(bytes, count, i));
		mem_free(bytes);
	}
}

static void test_gather(struct test *test)
{
	struct transport_bytes all[64];

	for (int i = 0; i < LENGTHS; i++) {
		pattern(buffer, lengths[i], test->rank + i);
		CHECK(&test->checks,
		        transport_gather(test->transport, buffer, lengths[i], all, NULL, NULL) == ST_OK);
		for (int rank = 0; test->rank == 0 && rank < test->size; rank++) {
			CHECK(&test->checks,
			        all[rank].count == lengths[i] &&
			                is_pattern(all[rank].bytes, lengths[i], rank + i));
			mem_free(all[rank].bytes);
		}
	}
}

static void count_looks(void *self)
{
	++*(int *)self;
}

struct granting {
	struct transport *transport;
	int looks;
};
static void grant_once(void *self)
{
	struct granting *granting = self;
	if (granting->looks++ == 0)
		transport_grant(granting->transport, 1);
}

/* Rank 0 does other things while it waits for the others: they send only after they have what it grants meanwhile. */
static void test_polled_gather(struct test *test)
{
	struct transport_bytes all[64];
	struct granting granting = {.transport = test->transport};
	int looks = 0;
	int64_t upto;
	void *bytes = NULL;
	size_t count;

	if (test->rank == 0) {
		CHECK(&test->checks, transport_send_all(test->transport, "go", 2) == ST_OK);
	} else {
		CHECK(&test->checks,
		        transport_receive(test->transport, &bytes, &count, count_looks, &looks) == ST_OK);
		mem_free(bytes);
		CHECK(&test->checks, transport_await_grant(test->transport, &upto) == ST_OK && upto == 1);
	}
	buffer[0] = (char)('0' + test->rank);
	CHECK(&test->checks,
	        transport_gather(test->transport, buffer, 1, all, grant_once, &granting) == ST_OK);
	CHECK(&test->checks, test->rank > 0 || test->size == 1 || granting.looks > 0);
	for (int rank = 0; test->rank == 0 && rank < test->size; rank++) {
		CHECK(&test->checks, all[rank].count == 1 && *(char *)all[rank].bytes == '0' + rank);
		mem_free(all[rank].bytes);
	}
}

static void test_share_and_broadcast(struct test *test)
{
	int64_t mine[2] = {test->rank * 10, test->rank}, all[64][2];

	CHECK(&test->checks, transport_share(test->transport, mine, all, sizeof mine) == ST_OK);
	for (int rank = 0; rank < test->size; rank++)
		CHECK(&test->checks, all[rank][0] == rank * 10 && all[rank][1] == rank);
	for (int owner = 0; owner < test->size; owner++) {
		size_t count = 5000 + (size_t)owner;
		void *bytes = buffer;

		pattern(buffer, count, owner);
		if (test->rank != owner) {
			bytes = NULL;
			count = 0;
		}
		CHECK(&test->checks, transport_broadcast(test->transport, owner, &bytes, &count) == ST_OK);
		CHECK(&test->checks, count == 5000 + (size_t)owner && is_pattern(bytes, count, owner));
		if (test->rank != owner)
			mem_free(bytes);
	}
}

static void test_forward(struct test *test)
{
	size_t seen[64] = {0};
	struct transport_bytes all[64];
	int rank;
	char *bytes;
	size_t count;

	pattern(buffer, 3000, test->rank);
	CHECK(&test->checks, transport_forward(test->transport, buffer, 3000) == ST_OK);
	CHECK(&test->checks, transport_gather(test->transport, "", 0, all, NULL, NULL) == ST_OK);
	if (test->rank != 0) {
		CHECK(&test->checks, !transport_take_forwarded(test->transport, &rank, &bytes, &count));
		return;
	}
	while (transport_take_forwarded(test->transport, &rank, &bytes, &count)) {
		pattern(buffer, 3000, rank);
		CHECK(&test->checks, memcmp(bytes, buffer + seen[rank], count) == 0);
		seen[rank] += count;
		mem_free(bytes);
	}
	for (rank = 0; rank < test->size; rank++) {
		CHECK(&test->checks, seen[rank] == 3000);
		mem_free(all[rank].bytes);
	}
}

static void test_grants(struct test *test)
{
	int64_t upto = -1;
	void *bytes = NULL;
	size_t count;

	if (test->rank == 0) {
		for (int64_t i = 1; i <= 5; i++)
			CHECK(&test->checks, transport_grant(test->transport, i * 100) == ST_OK);
		CHECK(&test->checks, transport_send_all(test->transport, "", 0) == ST_OK);
		return;
	}
	CHECK(&test->checks, transport_receive(test->transport, &bytes, &count, NULL, NULL) == ST_OK);
	mem_free(bytes);
	for (int64_t i = 1; i <= 5; i++)
		CHECK(&test->checks,
		        transport_await_grant(test->transport, &upto) == ST_OK && upto == i * 100);
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now); /* one clock: the processes of this test share a host */
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* How long processes that are all awake need to hear of one another: little, but where the cores are slow or wanted
 * by others */
static double answer_ms(struct test *test)
{
	int32_t all[64], mine = test->rank;
	double from = 0;

	for (int i = 0; i < 2; i++) { /* once to be awake */
		from = now_ms();
		CHECK(&test->checks, transport_share(test->transport, &mine, all, sizeof mine) == ST_OK);
	}
	return now_ms() - from;
}

/* A rank that is left alone sleeps between looks, and wakes up soon after a message: IN_A_ROW times one after another, in ROUNDS at
 * most, because other processes want the cores, too. Without its doorbell it would be late nine times of ten. Looks are
 * counted against the time that has really passed. */
static void test_idle(struct test *test)
{
	enum { ROUNDS = 60, IN_A_ROW = 5, IDLE_MS = 800, SOON_MS = 10, LOOK_MS = 4, LOOKS_FIRST = 150 };
	struct timespec idle = {0, IDLE_MS * 1000000};
	int32_t soon = 0, all[64];
	int looks = 0;
	double looks_most = 0;

	for (int i = 0; i < ROUNDS && soon < IN_A_ROW; i++) {
		double sent = 0, from = now_ms(), came;
		void *bytes = NULL;
		size_t count = 0;

		if (test->rank == 0) {
			nanosleep(&idle, NULL);
			sent = now_ms();
			CHECK(&test->checks,
			        transport_send_all(test->transport, &sent, sizeof sent) == ST_OK);
			answer_ms(test);
		} else {
			CHECK(&test->checks,
			        transport_receive(test->transport, &bytes, &count, count_looks, &looks) ==
			                        ST_OK &&
			                count == sizeof sent);
			came = now_ms();
			if (count == sizeof sent)
				memcpy(&sent, bytes, sizeof sent);
			mem_free(bytes);
			soon = came - sent > SOON_MS + 4 * answer_ms(test) ? 0 : soon + 1;
			looks_most += (came - from) / LOOK_MS + LOOKS_FIRST;
		}
		CHECK(&test->checks, transport_share(test->transport, &soon, all, sizeof soon) == ST_OK);
		soon = all[1];
	}
	CHECK(&test->checks, soon == IN_A_ROW && looks <= looks_most);
}

/* The n-th MPI call of the last rank fails: it alone hears of it, and everybody goes on. */
static void test_failing_calls(struct test *test)
{
	int32_t all[64], mine = test->rank;
	bool failed = true;
	long live, failures = 0;

	transport_settle(test->transport);
	live = mem_live();
	for (long n = 0; n < 20 && failed; n++) {
		enum status status;

		test->transport->fail_at = test->rank == test->size - 1 && test->size > 1 ? n : -1;
		status = transport_share(test->transport, &mine, all, sizeof mine);
		test->transport->fail_at = -1;
		failed = status == ST_MPI;
		CHECK(&test->checks, status == ST_OK || (failed && test->rank == test->size - 1));
		CHECK(&test->checks, mem_live() == live);
		mine = (int32_t)failed;
		transport_share(test->transport, &mine, all, sizeof mine);
		failed = all[test->size - 1];
		failures += failed;
		mine = test->rank;
	}
	CHECK(&test->checks, !failed && (failures > 0 || test->size == 1));
}

static struct transport_group *group_of(struct test *test, int first, int n, int step)
{
	int ranks[64];

	for (int i = 0; i < n; i++)
		ranks[i] = first + i * step;
	return transport_group_make(test->transport, n, ranks);
}

enum { EACH_MOST = 5000 };
static char sent[64 * EACH_MOST], received[64 * EACH_MOST];

/* What place a sends to place b; some send nothing. */
static int64_t length_of(int a, int b)
{
	return (a + 2 * b) % 4 == 3 ? 0 : 3000 + 100 * a + b;
}

static void test_exchange(struct test *test, struct transport_group *group)
{
	int n = transport_group_size(group), place = transport_group_place(group);
	struct transport_piece piece[64];

	memset(received, 0, sizeof received);
	for (int p = 0; p < n; p++) {
		pattern(sent + p * EACH_MOST, EACH_MOST, place * n + p);
		piece[p] = (struct transport_piece){sent + p * EACH_MOST, length_of(place, p),
		        received + p * EACH_MOST, length_of(p, place)};
	}
	CHECK(&test->checks, transport_exchange(group, piece) == ST_OK);
	for (int p = 0; p < n; p++) {
		size_t length = (size_t)length_of(p, place);
		CHECK(&test->checks, is_pattern(received + p * EACH_MOST, length, p * n + place));
		CHECK(&test->checks, received[p * EACH_MOST + (int)length] == 0);
	}
}

static void test_bcast(struct test *test, struct transport_group *group, int64_t bytes)
{
	int root = transport_group_size(group) / 2;
	pattern(sent, (size_t)bytes, transport_group_place(group) == root ? 99 : 1);
	CHECK(&test->checks,
	        transport_bcast(group, root, sent, bytes) == ST_OK && is_pattern(sent, (size_t)bytes, 99));
}

static void test_data(struct test *test)
{
	struct transport_group *all = group_of(test, 0, test->size, 1),
	                       *odd = group_of(test, 1, test->size / 2, 2);
	static const int64_t parts[] = {1 << 30, 1000};

	CHECK(&test->checks, (odd != NULL) == (test->rank % 2 == 1));
	for (int i = 0; i < 2; i++) {
		test->transport->chunk = parts[i];
		test_exchange(test, all);
		test_bcast(test, all, 4001);
		if (odd) {
			test_exchange(test, odd);
			test_bcast(test, odd, 4001);
		}
	}
	transport_group_free(odd);
	transport_group_free(all);
}

/* Around a ring in the books' order, as the engine moves it: 0 to 1, 1 to 2 ... */
static void test_transfers(struct test *test)
{
	for (int from = 0; from < test->size && test->size > 1; from++) {
		int to = (from + 1) % test->size;

		if (test->rank == from) {
			pattern(buffer, sizeof buffer, from);
			CHECK(&test->checks,
			        transport_send(test->transport, to, buffer, sizeof buffer) == ST_OK);
		} else if (test->rank == to) {
			CHECK(&test->checks,
			        transport_recv(test->transport, from, buffer, sizeof buffer) == ST_OK);
			CHECK(&test->checks, is_pattern(buffer, sizeof buffer, from));
		}
	}
}

int main(int argc, char **argv)
{
	struct test test = {0};

	if (transport_start(&test.transport, true, &argc, &argv)) {
		fprintf(stderr, "%s\n", fail_text());
		return 1;
	}
	test.rank = test.checks.rank = transport_rank(test.transport);
	test.size = transport_size(test.transport);
	for (int i = 0; i < 2; i++) { /* the second time in parts of 1000 bytes */
		test_lines(&test);
		test_gather(&test);
		test_polled_gather(&test);
		test_share_and_broadcast(&test);
		test_forward(&test);
		test_grants(&test);
		test_failing_calls(&test);
		test_transfers(&test);
		test.transport->chunk = 1000;
	}
	test_data(&test);
	if (test.size == 2)
		test_idle(&test);
	return checks_end(&test.checks, test.transport, "test_transport");
}
