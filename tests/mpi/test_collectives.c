/* test_collectives.c -- the data of every collective, every type and reduction, against answers computed by
 * one process in the order of the ring: mpirun -n {1,2,3,4,5,8,9} test_collectives */
#include "mpi/inside.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "collectives/collective.h"
#include "tests/mpi/check.h"
#include <math.h>
#include <string.h>

enum { EACH = 9001 }; /* elements of a part: no number of ranks but 1 divides it */
enum { RANKS_MOST = 9, BYTES = RANKS_MOST * EACH * 4 };
struct test {
	struct transport *transport;
	struct checks checks;
	struct transport_group *group;
	int n, place;
};

static char input[BYTES + 64], output[BYTES + 64], first[BYTES];

/* No whole number of any power of two: sums round at each step. Some are NaN, but in i32. */
static float value(enum dtype dtype, int place, int64_t i)
{
	char element[4];
	float x = (float)((i * 7 + place * 13) % 4001 - 2000) / 3.0f;
	if (dtype == DT_I32)
		return (float)((i * 7 + place * 13) % 41 - 20);
	if (i % 100 == 99 && (i / 100 + place) % 3 == 0)
		x = NAN;
	dtype_set(dtype, element, 0, x);
	return dtype_get(dtype, element, 0);
}

static float rounded(enum dtype dtype, float x)
{
	char element[4];
	dtype_set(dtype, element, 0, x);
	return dtype_get(dtype, element, 0);
}

/* Element i of everybody's: beginning with place `begin`, each step rounded to the type. */
static float reduced(
        const struct test *test, enum dtype dtype, enum reduction reduction, int64_t i, int begin)
{
	float factor = rounded(dtype, 1.0f / (float)test->n), all = 0;
	bool average = reduction == REDUCE_AVG && dtype != DT_I32;
	for (int k = 0; k < test->n; k++) {
		float one = value(dtype, (begin + k) % test->n, i);
		one = average ? rounded(dtype, one * factor) : one;
		if (k == 0)
			all = one;
		else if (reduction == REDUCE_MAX)
			all = fmaxf(all, one);
		else if (reduction == REDUCE_MIN)
			all = fminf(all, one);
		else
			all = rounded(dtype, all + one);
	}
	return reduction == REDUCE_AVG && dtype == DT_I32 ? (float)((int)all / test->n) : all;
}

static void fill(const struct test *test, enum dtype dtype, void *elements, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		dtype_set(dtype, elements, i, value(dtype, test->place, i));
}

/* The piece of the ring that element i of EACH lies in */
static int piece_of(const struct test *test, int64_t i)
{
	int p = 0;
	while (p + 1 < test->n && i >= EACH / test->n * (p + 1) + EACH % test->n * (p + 1) / test->n)
		p++;
	return p;
}

static float expected(const struct test *test, const struct collective *row, enum dtype dtype,
        enum reduction reduction, int root, int64_t i)
{
	if (row == &collective_broadcast)
		return value(dtype, root, i);
	if (row == &collective_reducescatter)
		return reduced(test, dtype, reduction, test->place * EACH + i, test->place + 1);
	if (row == &collective_allgather || row == &collective_gather)
		return value(dtype, (int)(i / EACH), i % EACH);
	if (row == &collective_scatter)
		return value(dtype, root, test->place * EACH + i);
	if (row == &collective_alltoall)
		return value(dtype, (int)(i / EACH), test->place * EACH + i % EACH);
	return reduced(test, dtype, reduction, i, row == &collective_reduce ? root + 1 : piece_of(test, i));
}

struct sizes {
	int64_t in, out;
	bool result;
};

static struct sizes sizes_of(const struct test *test, const struct collective *row, int root)
{
	int64_t all = (int64_t)test->n * EACH;
	struct sizes sizes = {EACH, EACH, true};
	if (row->result == RESULT_SHARED || row->result == RESULT_EXCHANGED)
		sizes.in = all;
	if (row->result == RESULT_GROWN || row->result == RESULT_EXCHANGED)
		sizes.out = all;
	if (row->root_gets)
		sizes.result = test->place == root;
	return sizes;
}

static enum status data_of(struct test *test, const struct collective *collective, enum dtype dtype,
        enum reduction reduction, int root, const void *in, int64_t in_count, void *out, int64_t out_count)
{
	return collective_data((struct collective_job){.collective = collective,
	        .comm = test->group,
	        .dtype = dtype,
	        .reduction = reduction,
	        .root = root,
	        .in = in,
	        .out = out,
	        .in_count = in_count,
	        .out_count = out_count,
	        .chunk = collective->result == RESULT_GROWN ? in_count : in_count / test->n});
}

static bool same(float a, float b)
{
	return a == b || (a != a && b != b);
}

/* in and out: where the buffers lie; a rank without a result passes NULL. */
static void one(struct test *test, const struct collective *row, enum dtype dtype, enum reduction reduction,
        int root, char *in, char *out)
{
	struct sizes sizes = sizes_of(test, row, root);
	bool in_place = row == &collective_reduce && in == out;
	int64_t wrong = 0;
	enum status status;

	memset(out, 0x5a, (size_t)(sizes.out * dtype_bytes(dtype)));
	fill(test, dtype, in, sizes.in);
	status = data_of(test, row, dtype, reduction, root, in, sizes.in,
	        sizes.result || in_place ? out : NULL, sizes.out);
	CHECK(&test->checks, status == ST_OK);
	for (int64_t i = 0; sizes.result && i < sizes.out; i++)
		wrong += !same(dtype_get(dtype, out, i), expected(test, row, dtype, reduction, root, i));
	for (int64_t i = 0; in_place && !sizes.result && i < sizes.out; i++)
		wrong += !same(dtype_get(dtype, out, i), value(dtype, test->place, i));
	if (wrong)
		fprintf(stderr, "%s %s reduction %d root %d: %lld wrong\n", row->name, dtype_name(dtype),
		        (int)reduction, root, (long long)wrong);
	CHECK(&test->checks, wrong == 0);
}

static void every_one(struct test *test)
{
	const struct collective *row;
	int with_data = 0;
	for (int kind = 0; (row = collective_at(kind)) != NULL; kind++) {
		if (row->bare)
			continue;
		with_data++;
		for (int dtype = 0; dtype < DT_COUNT; dtype++)
			for (int reduction = 0; reduction <= (row->reduces ? REDUCE_MIN : REDUCE_SUM);
			        reduction++)
				for (int root = 0; root < (row->has_root ? test->n : 1); root += 2) {
					/* the last overlaps on some, and is the same buffer on others */
					char *out[] = {output, input, input + 4 * (test->place % 2)};
					for (int k = 0; k < 3; k++)
						one(test, row, (enum dtype)dtype, (enum reduction)reduction,
						        root, input, out[k]);
				}
	}
	CHECK(&test->checks, with_data >= 8);
}

/* Not a bit differs from rank to rank. */
static void all_have_the_same_bits(struct test *test)
{
	for (int dtype = 0; dtype < DT_COUNT; dtype++) {
		int64_t bytes = EACH * dtype_bytes((enum dtype)dtype);
		one(test, &collective_allreduce, (enum dtype)dtype, REDUCE_SUM, 0, input, output);
		memcpy(first, output, (size_t)bytes);
		CHECK(&test->checks, transport_bcast(test->group, 0, first, bytes) == ST_OK);
		CHECK(&test->checks, memcmp(first, output, (size_t)bytes) == 0);
	}
}

/* max and min: the number wins over a NaN, on whatever ranks that is; all NaN stay one. */
static void a_number_wins(struct test *test)
{
	for (int kind = REDUCE_MAX; kind <= REDUCE_MIN; kind++)
		for (int lost = 0; lost <= test->n; lost++) {
			float in = test->place == lost || lost == test->n ? NAN : (float)test->place,
			      out = -1;
			int most = lost == test->n - 1 ? test->n - 2 : test->n - 1, least = lost == 0;
			CHECK(&test->checks,
			        data_of(test, &collective_allreduce, DT_F32, (enum reduction)kind, 0, &in, 1,
			                &out, 1) == ST_OK);
			if (lost == test->n || test->n == 1)
				CHECK(&test->checks, isnan(out) || (test->n == 1 && lost == 1));
			else
				CHECK(&test->checks, out == (float)(kind == REDUCE_MAX ? most : least));
		}
}

/* A step of bf16 that f32 would keep: 256 + 1 is 256, so 256 + 1 + 1 ... stays 256, whoever begins. */
static void halves_round_at_each_step(struct test *test)
{
	uint16_t in[1], out[1];
	float each = test->place == 0 ? 256.0f : 1.0f;

	dtype_set(DT_BF16, in, 0, each);
	CHECK(&test->checks,
	        data_of(test, &collective_reduce, DT_BF16, REDUCE_SUM, test->n - 1, in, 1, out, 1) == ST_OK);
	if (test->place == test->n - 1) /* the chain begins at place 0 */
		CHECK(&test->checks, dtype_get(DT_BF16, out, 0) == 256.0f);
}

static void averages_of_whole_numbers(struct test *test)
{
	int32_t in[2] = {-(test->place + 1), test->place + 1}, out[2], sum = test->n * (test->n + 1) / 2;

	CHECK(&test->checks,
	        data_of(test, &collective_allreduce, DT_I32, REDUCE_AVG, 0, in, 2, out, 2) == ST_OK);
	CHECK(&test->checks, out[0] == -(sum / test->n) && out[1] == sum / test->n);
}

/* Counts that differ: rank a sends b rows of three (a + 2b) % 4 x 1000, to some none */
static void rows_by_counts(struct test *test)
{
	enum { COLUMNS = 3, MANY = 1000 };
	int64_t rows[2 * RANKS_MOST], in_count = 0, out_count = 0, at = 0, wrong = 0;
	struct split split = {test->n, COLUMNS * sizeof(float), rows};
	float *in = (float *)input, *out = (float *)output;
	for (int p = 0; p < test->n; p++) {
		rows[p] = (test->place + 2 * p) % 4 * MANY;
		rows[test->n + p] = (p + 2 * test->place) % 4 * MANY;
		for (int64_t i = 0; i < rows[p] * COLUMNS; i++)
			in[in_count++] = (float)(test->place * 1e6 + p * 1e5 + (double)i);
		out_count += rows[test->n + p] * COLUMNS;
	}
	CHECK(&test->checks,
	        collective_data((struct collective_job){.collective = &collective_alltoall,
	                .comm = test->group,
	                .dtype = DT_F32,
	                .in = input,
	                .out = output,
	                .in_count = in_count,
	                .out_count = out_count,
	                .split = &split}) == ST_OK);
	for (int p = 0; p < test->n; p++)
		for (int64_t i = 0; i < rows[test->n + p] * COLUMNS; i++)
			wrong += out[at++] != (float)(p * 1e6 + test->place * 1e5 + (double)i);
	CHECK(&test->checks, wrong == 0 && at == out_count);
}

/* ---- parts that are not equal */

/* A tensor of `rows` rows of three is cut as torch.chunk cuts it, each part reduced for its place, and all put together again. */
static void rows_in_parts(struct test *test, int64_t rows, enum dtype dtype, enum reduction reduction)
{
	enum { COLUMNS = 3 };
	int64_t whole = rows * COLUMNS, chunk = parts_of(rows, test->n) * COLUMNS, wrong = 0,
	        begin = chunk_at(rows, test->n, test->place) * COLUMNS,
	        own = chunk_at(rows, test->n, test->place + 1) * COLUMNS - begin;
	struct collective_job job = {.collective = &collective_reducescatter,
	        .comm = test->group,
	        .dtype = dtype,
	        .reduction = reduction,
	        .in = input,
	        .out = output,
	        .in_count = whole,
	        .out_count = own,
	        .chunk = chunk};
	fill(test, dtype, input, whole);
	memset(output, 0x5a, sizeof output);
	CHECK(&test->checks, collective_data(job) == ST_OK);
	for (int64_t i = 0; i < own; i++)
		wrong += !same(dtype_get(dtype, output, i),
		        reduced(test, dtype, reduction, begin + i, test->place + 1));
	for (int64_t i = own * dtype_bytes(dtype); i < BYTES; i++)
		wrong += output[i] != 0x5a;
	job.collective = &collective_allgather;
	job.in = memcpy(first, output, (size_t)(own * dtype_bytes(dtype)));
	job.in_count = own;
	job.out_count = whole;
	CHECK(&test->checks, collective_data(job) == ST_OK);
	for (int64_t i = 0; i < whole; i++)
		wrong += !same(dtype_get(dtype, output, i),
		        reduced(test, dtype, reduction, i, (int)(i / chunk) + 1));
	for (int64_t i = whole * dtype_bytes(dtype); i < BYTES; i++)
		wrong += output[i] != 0x5a;
	CHECK(&test->checks, wrong == 0);
}

static void every_number_of_rows(struct test *test)
{
	for (int dtype = 0; dtype < DT_COUNT; dtype++)
		for (int reduction = 0; reduction <= REDUCE_MIN; reduction++)
			for (int64_t rows = 0; rows <= 2 * test->n + 1; rows++)
				rows_in_parts(test, rows, (enum dtype)dtype, (enum reduction)reduction);
}

int main(int argc, char **argv)
{
	struct test test = {0};
	int ranks[RANKS_MOST];

	if (transport_start(&test.transport, true, &argc, &argv)) {
		fprintf(stderr, "%s\n", fail_text());
		return 1;
	}
	test.n = transport_size(test.transport);
	test.place = test.checks.rank = transport_rank(test.transport);
	for (int i = 0; i < test.n && i < RANKS_MOST; i++)
		ranks[i] = i;
	CHECK(&test.checks, test.n <= RANKS_MOST);
	test.group = test.n <= RANKS_MOST ? transport_group_make(test.transport, test.n, ranks) : NULL;
	if (test.group) {
		every_one(&test);
		all_have_the_same_bits(&test);
		a_number_wins(&test);
		halves_round_at_each_step(&test);
		averages_of_whole_numbers(&test);
		rows_by_counts(&test);
		every_number_of_rows(&test);
		CHECK(&test.checks,
		        data_of(&test, &collective_barrier, DT_F32, REDUCE_SUM, 0, NULL, 0, NULL, 0) ==
		                ST_OK);
		test.transport->chunk = 10000;
		every_one(&test);
		rows_by_counts(&test);
		every_number_of_rows(&test);
	}
	transport_group_free(test.group);
	return checks_end(&test.checks, test.transport, "test_collectives");
}
