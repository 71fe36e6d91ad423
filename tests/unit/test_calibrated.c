/* test_calibrated.c -- a machine's figures from times like a GPU's: noisy, sometimes late, slow
 * at first */
#include "lines.h"
#include "trace/calibrate.h"

#include <math.h>
#include <stdlib.h>

/* The simulator's times, of which each operation takes some per cent more or less */
struct noisy {
	struct backend backend; /* first: its functions find the rest by it */
	struct times *times;    /* by op_id */
};

static void noisy_times(struct backend *backend, op_id id, struct times *times)
{
	*times = ((struct noisy *)backend)->times[id];
}

static double random_part(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*random >> 11) / 9007199254740992.0;
}

/* Normal, of mean 0 and deviation 1 */
static double normal(uint64_t *random)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += random_part(random);
	return sum;
}

/* What an operation takes, by the time it would: 5 % of noise, one in twenty is delayed, and the first of its size on a rank
 * (`fresh`) has to wake up caches and libraries. */
static double taken(double ns, bool fresh, uint64_t *random)
{
	ns *= 1 + 0.05 * normal(random);
	if (random_part(random) < 0.05)
		ns *= 1 + 2 * random_part(random);
	return fresh ? ns + 20000 * random_part(random) : ns;
}

/* Each rank's operations one after the other, as they were, so that each still has its device to itself */
static void make_noise(struct noisy *noisy, uint64_t *random)
{
	const struct world *world = shell.world;
	for (int rank = 0; rank < world->n; rank++) {
		int64_t later = 0, behind = 0;
		int old[1 << 8] = {0};
		for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
			struct times *t = &noisy->times[id];
			const struct record *record = op_record(world, id);
			*t = backend_times(shell.backend, id);
			uint8_t size = (uint8_t)(record->title * 31 + (int)log2(record->bytes + 1.0));
			int64_t took = t->end - t->start,
			        ns = (int64_t)taken((double)took, old[size]++ == 0, random);
			int64_t launch = (int64_t)taken((double)t->launch, false, random);
			t->issue += behind += launch - t->launch;
			t->launch = launch;
			if (t->start + later < t->issue)
				later = t->issue - t->start;
			t->ready = t->start += later;
			t->end = t->start + ns;
			later += ns - took;
			t->projected = false;
		}
	}
}

static void noise_and_delays_move_little(void **state)
{
	static const struct {
		const char *key;
		double value;
	} planted[] = {{"launch", 7e3}, {"kernel_latency", 3e3}, {"memory_rate", 3e10}, {"efficiency", 0.5},
	        {"efficiency_half", 0.66}, {"copy_latency", 11e3}, {"h2d", 1.2e9}, {"d2h", 8e8},
	        {"pageable", 3e8}, {"link_latency", 4e3}, {"link_rate", 9e8}};
	enum { SEEDS = 9 };
	double off[LENGTH_OF(planted)] = {0};
	struct noisy noisy;
	struct calibration calibration;
	(void)state;
	HOLDS("set launch=7us; set kernel_latency=3us; set memory_rate=30GB/s; set efficiency=0.5; set "
	      "efficiency_half=0.66; set copy_latency=11us; set h2d=1.2GB/s; set d2h=800MB/s; set "
	      "pageable=300MB/s; "
	      "set link_latency=4us; set link_rate=900MB/s");
	HOLDS("source calibrate");
	HOLDS("measure 1M");
	HOLDS("machine classroom");
	assert_int_equal(shell.backend->finish(shell.backend, &shell.budget), ST_OK);
	noisy = (struct noisy){.backend = *shell.backend,
	        .times = mem_alloc((shell.world->op_count + 1) * sizeof *noisy.times)};
	noisy.backend.times = noisy_times;
	noisy.backend.measures = true;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t random = seed;
		struct trace trace = {.world = shell.world, .backend = &noisy.backend};
		make_noise(&noisy, &random);
		assert_int_equal(trace_calibrate(&trace, -1, &calibration), ST_OK);
		for (size_t i = 0; i < LENGTH_OF(planted); i++) {
			int key = machine_key_find(planted[i].key);
			double part = machine_value(&calibration.machine, key) / planted[i].value - 1;
			assert_true(calibration.measured[key] > 0);
			if (fabs(part) > 0.07)
				fail_msg("%s is off by %.1f %%", planted[i].key, 100 * part);
			off[i] += fabs(part) / SEEDS;
		}
	}
	for (size_t i = 0; i < LENGTH_OF(planted); i++)
		if (off[i] > 0.03)
			fail_msg("%s is off by %.1f %% on the mean", planted[i].key, 100 * off[i]);
	mem_free(noisy.times);
}

/* What is played lasts as long as the machine says: that tells nothing of the GPU. */
static void a_played_machine_is_not_measured(void **state)
{
	(void)state;
	HOLDS("spin 1ms; sync");
	shell.backend->measures = true;
	assert_int_equal(run("calibrate a.machine"), ST_ARGUMENT);
	assert_words("classroom is emulated");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        IN_A_SHELL(noise_and_delays_move_little),
	        IN_A_SHELL(a_played_machine_is_not_measured),
	};
	return cmocka_run_group_tests(tests, open_transport, close_transport);
}
