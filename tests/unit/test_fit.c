/* test_fit.c -- lines fitted to measured times: exact times give exact figures, noise and
 * outliers change little, and figures without measurements stay */
#include "check.h"
#include "machine/fit.h"

#include <math.h>

enum { COPIES = 24 };

/* Times of three kinds of copies, 1 kB to 4 GB, of one latency */
static void copies(struct fit_sample *samples, double latency_ns, const double *cost_ns)
{
	for (int i = 0; i < COPIES; i++) {
		double bytes = pow(2, 10 + i % 8 * 3);
		samples[i] = (struct fit_sample){.line = i / 8,
		        .fixed = 1,
		        .amount = bytes,
		        .ns = latency_ns + bytes * cost_ns[i / 8]};
	}
}

static const double costs[] = {0.018, 0.02, 0.1};

static void near(double a, double b, double part)
{
	if (!(fabs(a - b) <= part * fabs(b)))
		fail_msg("%g is not within %g of %g", a, part, b);
}

static void exact_times_give_exact_lines(void **state)
{
	struct fit_sample samples[COPIES];
	struct fit fit = {.latency_ns = 1, .cost_ns = {1, 1, 1, 7}};
	(void)state;
	copies(samples, 8000, costs);
	fit_lines(samples, COPIES, &fit);
	assert_true(fit.found_latency);
	near(fit.latency_ns, 8000, 1e-6);
	for (int i = 0; i < 3; i++)
		near(fit.cost_ns[i], costs[i], 1e-6);
	assert_false(fit.found[3]);
	near(fit.cost_ns[3], 7, 0);
	assert_true(fit_error(&fit, samples, COPIES) < 1e-9);
}

static void one_in_six_delayed_samples_moves_nothing(void **state)
{
	struct fit_sample samples[COPIES];
	struct fit fit = {0};
	(void)state;
	copies(samples, 8000, costs);
	for (int i = 0; i < COPIES; i += 6)
		samples[i].ns *= 5;
	fit_lines(samples, COPIES, &fit);
	near(fit.latency_ns, 8000, 1e-3);
	for (int i = 0; i < 3; i++)
		near(fit.cost_ns[i], costs[i], 1e-3);
}

static void noise_is_averaged(void **state)
{
	struct fit_sample samples[COPIES];
	struct fit fit = {0};
	(void)state;
	copies(samples, 8000, costs);
	for (int i = 0; i < COPIES; i++)
		samples[i].ns *= 1 + 0.05 * sin(i * 12.9898);
	fit_lines(samples, COPIES, &fit);
	near(fit.latency_ns, 8000, 0.06);
	for (int i = 0; i < 3; i++)
		near(fit.cost_ns[i], costs[i], 0.06);
}

static void one_amount_keeps_the_latency(void **state)
{
	struct fit_sample samples[2] = {{0, 1, 1000, 3000}, {0, 1, 1000, 3000}};
	struct fit fit = {.latency_ns = 1000};
	(void)state;
	fit_lines(samples, 2, &fit);
	assert_false(fit.found_latency);
	near(fit.latency_ns, 1000, 0);
	near(fit.cost_ns[0], 2, 1e-9);
}

/* Times in whole ns: one sample of 8 bytes at 0.06 ns each says nothing of the rate. */
static void what_rounding_hides_is_kept(void **state)
{
	struct fit_sample samples[2] = {{0, 1, 8, 1001}, {1, 1, 1e6, 61000}};
	struct fit fit = {.latency_ns = 1000, .cost_ns = {0.06, 0.01}};
	(void)state;
	fit_lines(samples, 2, &fit);
	assert_false(fit.found[0]);
	near(fit.cost_ns[0], 0.06, 0);
	assert_true(fit.found[1]);
	near(fit.cost_ns[1], 0.06, 1e-6);
}

/* A ring of n ranks: 2(n-1) steps of latency, 2(n-1)/n of the bytes; transfers share both */
static void rings_and_transfers_share_a_line(void **state)
{
	struct fit_sample samples[12];
	struct fit fit = {0};
	(void)state;
	for (int i = 0; i < 12; i++) {
		double bytes = pow(2, 12 + i), n = 2 + i % 3;
		samples[i] = (struct fit_sample){
		        .fixed = i < 6 ? 1 : 2 * (n - 1), .amount = i < 6 ? bytes : 2 * (n - 1) / n * bytes};
		samples[i].ns = samples[i].fixed * 900 + samples[i].amount * 0.003;
	}
	fit_lines(samples, 12, &fit);
	near(fit.latency_ns, 900, 1e-6);
	near(fit.cost_ns[0], 0.003, 1e-6);
}

static void nothing_measured_changes_nothing(void **state)
{
	struct fit fit = {.latency_ns = 5, .cost_ns = {1, 2, 3, 4}};
	(void)state;
	fit_lines(NULL, 0, &fit);
	assert_false(fit.found_latency || fit.found[0] || fit.found[3]);
	near(fit.latency_ns, 5, 0);
	near(fit.cost_ns[3], 4, 0);
	near(fit_error(&fit, NULL, 0), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(exact_times_give_exact_lines),
	        cmocka_unit_test(one_in_six_delayed_samples_moves_nothing),
	        cmocka_unit_test(noise_is_averaged),
	        cmocka_unit_test(one_amount_keeps_the_latency),
	        cmocka_unit_test(what_rounding_hides_is_kept),
	        cmocka_unit_test(rings_and_transfers_share_a_line),
	        cmocka_unit_test(nothing_measured_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
