/* test_cuda_anchor.c -- events on the host's clock: exact with the stand-in's clock, and with
 * clocks that drift apart */
#include "standin_open.h"
#include "cuda/host/anchor.h"

#include <cmocka.h>
#include <math.h>

/* An operation queued at `issued` of the host starts 3 us later there (tests/standin/README.md): an event on an idle stream
 * is then. */
enum { LATENCY = 3000 };
static const int64_t SECOND = 1000000000;

static void near(const char *what, double wanted, double found, double by)
{
	if (!(fabs(wanted - found) <= by)) {
		fprintf(stderr, "%s is %.1f, not %.1f\n", what, found, wanted);
		_exit(1);
	}
}

static int64_t time_of(const struct anchors *anchors, unsigned anchor, CUevent event)
{
	int64_t ns = 0;
	is(ST_OK, anchors_time(anchors, anchor, event, &ns));
	return ns;
}

/* For a minute and a half, so that the first anchors go: every time is as near as it is said to be. */
static void events_are_where_they_were(void)
{
	struct anchors anchors;
	begin("");
	is(ST_OK, anchors_open(&anchors, &cuda));
	CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
	CUevent event = event_new(CU_EVENT_DEFAULT);
	for (int i = 0; i < 180; i++) {
		cuda.host_sleep_until(cuda.host_now() + SECOND / 2 + i);
		is(ST_OK, anchors_renew(&anchors));
		unsigned anchor = anchors_newest(&anchors);
		int64_t issued = cuda.host_now();
		ok(cuda.cuEventRecord(event, stream));
		ok(cuda.cuEventSynchronize(event));
		near("an event", issued + LATENCY, time_of(&anchors, anchor, event),
		        anchors_uncertainty(&anchors) + 500);
	}
	is(true, anchors.count > ANCHORS);
	near("the uncertainty", 0, anchors_uncertainty(&anchors), 10000);
	/* against the oldest anchor that is left it is the same time, as far as a float has digits */
	near("against the oldest", time_of(&anchors, anchors_newest(&anchors), event),
	        time_of(&anchors, 0, event), 8000);
	ok(cuda.cuEventDestroy(event));
	anchors_close(&anchors);
	finish();
}

static double drift; /* of the host's clock, as a part */
static int64_t (*true_now)(void);
static int64_t drifting_now(void)
{
	int64_t now = true_now();
	return now + (int64_t)(drift * now);
}

/* 100 us in a second, forward and back: times follow, and never run behind by more than a second's drift. */
static void clocks_that_drift_apart(void)
{
	struct anchors anchors;
	begin("");
	CUevent event = event_new(CU_EVENT_DEFAULT);
	true_now = cuda.host_now;
	cuda.host_now = drifting_now;
	for (int way = -1; way <= 1; way += 2) {
		drift = way * 1e-4;
		is(ST_OK, anchors_open(&anchors, &cuda));
		for (int i = 0; i < 20; i++) {
			cuda.host_sleep_until(true_now() + SECOND * 11 / 10);
			is(ST_OK, anchors_renew(&anchors));
			unsigned anchor = anchors_newest(&anchors);
			int64_t issued = cuda.host_now();
			ok(cuda.cuEventRecord(event, anchors.stream));
			ok(cuda.cuEventSynchronize(event));
			near("an event by a clock that drifts", issued + LATENCY,
			        time_of(&anchors, anchor, event), 12000);
		}
		is(22, anchors.count);
		anchors_close(&anchors);
	}
	ok(cuda.cuEventDestroy(event));
	finish();
}

static void a_second_has_one_anchor(void)
{
	struct anchors anchors;
	begin("");
	is(ST_OK, anchors_open(&anchors, &cuda));
	is(1, anchors_newest(&anchors));
	for (int i = 0; i < 100; i++)
		is(ST_OK, anchors_renew(&anchors));
	is(1, anchors_newest(&anchors));
	cuda.host_sleep_until(cuda.host_now() + SECOND);
	is(ST_OK, anchors_renew(&anchors));
	is(2, anchors_newest(&anchors));
	anchors_close(&anchors);
	anchors_close(&anchors);
	finish();
}

/* The n-th of its calls fails: words, and nothing is left. */
static void a_device_that_fails(void)
{
	static const struct {
		const char *options, *words;
	} tries[] = {{"fail=cuStreamCreateWithPriority:1", "cuStreamCreateWithPriority: "},
	        {"fail=cuEventCreate:1", "cuEventCreate: "}, {"fail=cuEventCreate:2", "cuEventCreate: "},
	        {"fail=cuEventRecord:2", "cuEventRecord: "},
	        {"fail=cuEventSynchronize:1", "cuEventSynchronize: "},
	        {"fail=cuEventElapsedTime:1", "cuEventElapsedTime: "}};
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		pid_t child = fork();
		int status;
		if (!child) {
			struct anchors anchors;
			begin(tries[i].options);
			is(ST_GPU, anchors_open(&anchors, &cuda));
			is(0, strncmp(fail_text(), tries[i].words, strlen(tries[i].words)));
			is(true, !anchors.stream && !anchors.count);
			finish();
			exit(0);
		}
		is(child, waitpid(child, &status, 0));
		is(0, status);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        apart(events_are_where_they_were),
	        apart(clocks_that_drift_apart),
	        apart(a_second_has_one_anchor),
	        apart(a_device_that_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
