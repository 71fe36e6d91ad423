/* test_collectives.c -- the data of every collective, every type and reduction, against answers computed in
 * double: mpirun -n {1,2,3,4,5,8} test_collectives */
#include "base/memory.h"
#include "collectives/collective.h"
#include "tests/mpi/check.h"
#include <string.h>

enum { EACH = 9001 }; /* elements of a part: more than one staging buffer of halves */
enum { RANKS_MOST = 8, BYTES = RANKS_MOST * EACH * 4 };
struct test {
	struct plane *plane;
	struct checks checks;
	struct plane_group *group;
	int n, place;
};

static char input[BYTES + 64], output[BYTES + 64];

/* Small whole numbers: exact in every type, so that only the rounding of the result is left to differ. */
static double value(int place, int64_t i)
{
	return (double)((i * 7 + place * 13) % 41 - 20);
}

static double reduced(const struct test *test, enum dtype dtype, enum reduction reduction, int64_t i)
{
	double all = value(0, i);

	for (int place = 1; place < test->n; place++) {
		double one = value(place, i);
		if (reduction == REDUCE_MAX || reduction == REDUCE_MIN)
			all = (reduction == REDUCE_MAX) == (one > all) ? one : all;
		else
			all += one;
	}
	if (reduction == REDUCE_AVG)
		all = dtype == DT_I32 ? (double)((int64_t)all / test->n) : all / test->n;
	return all;
}

/* The nearest of the type to an exact value: one rounding. Sums here are exact in f32. */
static double rounded(enum dtype dtype, double exact)
{
	char one[4];

	dtype_set(dtype, one, 0, (float)exact);
	return dtype_get(dtype, one, 0);
}

static void fill(const struct test *test, enum dtype dtype, void *elements, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		dtype_set(dtype, elements, i, (float)value(test->place, i));
}

static double expected(const struct test *test, enum collective_kind kind, enum dtype dtype,
        enum reduction reduction, int root, int64_t i)
{
	switch (kind) {
	case COLLECTIVE_BROADCAST:
		return value(root, i);
	case COLLECTIVE_REDUCESCATTER:
		return rounded(dtype, reduced(test, dtype, reduction, test->place * EACH + i));
	case COLLECTIVE_ALLGATHER:
	case COLLECTIVE_GATHER:
		return value((int)(i / EACH), i % EACH);
	case COLLECTIVE_SCATTER:
		return value(root, test->place * EACH + i);
	case COLLECTIVE_ALLTOALL:
		return value((int)(i / EACH), test->place * EACH + i % EACH);
	default:
		return rounded(dtype, reduced(test, dtype, reduction, i));
	}
}

struct sizes {
	int64_t in, out;
	bool result;
};

static struct sizes sizes_of(const struct test *test, enum collective_kind kind, int root)
{
	int64_t all = (int64_t)test->n * EACH;

	switch (kind) {
	case COLLECTIVE_REDUCE:
		return (struct sizes){EACH, EACH, test->place == root};
	case COLLECTIVE_REDUCESCATTER:
	case COLLECTIVE_SCATTER:
		return (struct sizes){all, EACH, true};
	case COLLECTIVE_ALLGATHER:
		return (struct sizes){EACH, all, true};
	case COLLECTIVE_GATHER:
		return (struct sizes){EACH, all, test->place == root};
	case COLLECTIVE_ALLTOALL:
		return (struct sizes){all, all, true};
	default:
		return (struct sizes){EACH, EACH, true};
	}
}

/* in and out: where the buffers lie; a rank without a result passes NULL. */
static void one(struct test *test, enum collective_kind kind, enum dtype dtype, enum reduction reduction,
        int root, char *in, char *out)
{
	struct sizes sizes = sizes_of(test, kind, root);
	bool in_place = kind == COLLECTIVE_REDUCE && in == out;
	int64_t wrong = 0;
	enum status status;

	memset(out, 0x5a, (size_t)(sizes.out * dtype_bytes(dtype)));
	fill(test, dtype, in, sizes.in);
	status = collective_data(collective_at(kind), test->group, dtype, reduction, root, in, sizes.in,
	        sizes.result || in_place ? out : NULL, sizes.out);
	CHECK(&test->checks, status == ST_OK);
	for (int64_t i = 0; sizes.result && i < sizes.out; i++)
		wrong += dtype_get(dtype, out, i) != expected(test, kind, dtype, reduction, root, i);
	for (int64_t i = 0; in_place && !sizes.result && i < sizes.out; i++)
		wrong += dtype_get(dtype, out, i) != value(test->place, i);
	if (wrong)
		fprintf(stderr, "%s %s reduction %d root %d: %lld wrong\n", collective_at(kind)->name,
		        dtype_name(dtype), (int)reduction, root, (long long)wrong);
	CHECK(&test->checks, wrong == 0);
}

static void every_one(struct test *test)
{
	for (int kind = 0; kind < COLLECTIVE_BARRIER; kind++) {
		const struct collective *row = collective_at(kind);

		for (int dtype = 0; dtype < DT_COUNT; dtype++) {
			for (int reduction = 0; reduction <= (row->reduces ? REDUCE_MIN : REDUCE_SUM);
			        reduction++) {
				for (int root = 0; root < (row->has_root ? test->n : 1); root += 2) {
					one(test, kind, dtype, reduction, root, input, output);
					one(test, kind, dtype, reduction, root, input, input);
					one(test, kind, dtype, reduction, root, input,
					        input +
					                4 *
					                        (test->place %
					                                /* overlaps on some, is the same on
					                                 * others */
					                                2));
				}
			}
		}
	}
}

/* One member has no memory for its copy: it alone fails, nobody hangs, and the next collective is whole. */
static void without_memory(struct test *test)
{
	struct sizes sizes = sizes_of(test, COLLECTIVE_ALLGATHER, 0);
	long live = mem_live();
	bool unlucky = test->place == test->n - 1;
	enum status status;

	for (int kind = 0; kind < COLLECTIVE_BARRIER; kind++) {
		sizes = sizes_of(test, kind, 0);
		mem_fail_at(unlucky ? 0 : -1);
		status = collective_data(collective_at(kind), test->group, DT_F32, REDUCE_SUM, 0, input,
		        sizes.in, input + 4, sizes.out);
		mem_fail_at(-1);
		CHECK(&test->checks, status == (unlucky ? ST_MEMORY : ST_OK));
		CHECK(&test->checks, mem_live() == live);
		one(test, kind, DT_F32, REDUCE_SUM, 0, input, output);
	}
}

/* 0.1 thirty times over in bf16: rounding each partial sum would be off; rounding once is not. */
static void rounds_once(struct test *test)
{
	uint16_t in[1], out[1];
	float sum = 0, each;

	dtype_set(DT_BF16, in, 0, 257.0f / 256 * 3);
	each = dtype_get(DT_BF16, in, 0);
	for (int i = 0; i < test->n; i++)
		sum += each;
	CHECK(&test->checks,
	        collective_data(collective_find("allreduce"), test->group, DT_BF16, REDUCE_SUM, 0, in, 1, out,
	                1) == ST_OK);
	CHECK(&test->checks, dtype_get(DT_BF16, out, 0) == (float)rounded(DT_BF16, sum));
}

static void averages_of_whole_numbers(struct test *test)
{
	int32_t in[2] = {-(test->place + 1), test->place + 1}, out[2], sum = test->n * (test->n + 1) / 2;

	CHECK(&test->checks,
	        collective_data(collective_find("allreduce"), test->group, DT_I32, REDUCE_AVG, 0, in, 2, out,
	                2) == ST_OK);
	CHECK(&test->checks, out[0] == -(sum / test->n) && out[1] == sum / test->n);
}

int main(int argc, char **argv)
{
	struct test test = {0};
	int ranks[RANKS_MOST];

	if (plane_start(&test.plane, true, &argc, &argv)) {
		fprintf(stderr, "%s\n", fail_text());
		return 1;
	}
	test.n = plane_size(test.plane);
	test.place = test.checks.rank = plane_rank(test.plane);
	for (int i = 0; i < test.n && i < RANKS_MOST; i++)
		ranks[i] = i;
	CHECK(&test.checks,
	        test.n <= RANKS_MOST && plane_group_make(test.plane, test.n, ranks, &test.group) == ST_OK);
	if (test.group) {
		every_one(&test);
		without_memory(&test);
		rounds_once(&test);
		averages_of_whole_numbers(&test);
		CHECK(&test.checks,
		        collective_data(collective_find("barrier"), test.group, DT_F32, REDUCE_SUM, 0, NULL,
		                0, NULL, 0) == ST_OK);
		plane_part_bytes(test.plane, 10000);
		every_one(&test);
	}
	plane_group_free(test.group);
	return checks_end(&test.checks, test.plane, "test_collectives");
}
