/* test_philox.c -- the random numbers: the published vectors, and the normal numbers against
 * the C library's erfc */
#include "check.h"
#include "philox_at.h"

#include <math.h>
#include <string.h>

/* Random123, tests/kat_vectors: philox4x32 10 */
static void the_known_answers(void **state)
{
	static const uint32_t rows[][10] = {
	        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
	        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
	                0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
	        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
	                0x94fdcceb, 0x5001e420, 0x24126ea1},
	};
	uint32_t out[4], same[4];
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		philox4x32(rows[i], rows[i] + 4, out);
		assert_memory_equal(out, rows[i] + 6, sizeof out);
	}
	philox(UINT64_C(0x100000002), UINT64_C(0x300000004), out);
	philox4x32((uint32_t[]){4, 3, 0, 0}, (uint32_t[]){2, 1}, same);
	assert_memory_equal(out, same, sizeof out);
}

static void uniform_numbers_lie_in_their_range(void **state)
{
	(void)state;
	assert_true(philox_uniform_of(0) == 0);
	assert_true(philox_uniform_of(UINT32_MAX) == 1 - 0x1p-24f);
	double sum = 0;
	for (uint64_t i = 0; i < 100000; i++)
		sum += philox_uniform(5, i);
	assert_true(fabs(sum / 100000 - 0.5) < 0.005);
}

/* The distribution at each number is the p it was made from */
static void check_quantile(uint32_t word)
{
	double p = (word + 0.5) / 4294967296.0, z = philox_normal_of(word);
	double back = p < 0.5 ? 0.5 * erfc(-z / sqrt(2)) : 0.5 * erfc(z / sqrt(2)),
	       tail = p < 0.5 ? p : 1 - p;
	double slope = exp(-z * z / 2) / sqrt(2 * acos(-1));
	if (fabs(back - tail) > 4e-7 * (fabs(z) + 0.01) * slope)
		fail_msg("word %08x: p %.12g, z %.9g, back %.12g", word, p, z, back);
	assert_true(philox_normal_of(~word) == -philox_normal_of(word));
}

static void normal_numbers_are_quantiles(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4096; i++) {
		check_quantile(i);
		check_quantile(i << 20 | i);
		check_quantile(UINT32_C(0x13333333) + i - 2048); /* where the two formulas meet */
	}
	float before = philox_normal_of(0);
	assert_true(before < -6.2f && before > -6.4f);
	for (uint32_t i = 1; i < 65536; i++) {
		float z = philox_normal_of(i << 16);
		assert_true(z > before);
		before = z;
	}
}

/* Fixed for ever: a seed gives the same tensor in every version and on every device */
static void the_numbers_of_seed_1(void **state)
{
	double sum = 0, squares = 0;
	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		double z = philox_normal(1, i);
		sum += z;
		squares += z * z;
	}
	assert_true(fabs(sum / 100000) < 0.01 && fabs(squares / 100000 - 1) < 0.015);
	uint32_t block[4];
	philox(1, 2, block);
	assert_true(philox_normal(1, 11) == philox_normal_of(block[3]));
	assert_true(philox_normal(1, 0) != philox_normal(2, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_known_answers),
	        cmocka_unit_test(uniform_numbers_lie_in_their_range),
	        cmocka_unit_test(normal_numbers_are_quantiles),
	        cmocka_unit_test(the_numbers_of_seed_1),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
