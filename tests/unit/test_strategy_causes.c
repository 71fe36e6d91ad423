/* test_strategy_causes.c -- every strategy with its options, and stacks of them: causes and
 * work add up on every lane, tables show that sum, and the pieces of the critical path are as
 * long as the window */
#include "causes.h"

#include "trace/critical.h"
#include "trace/figures.h"

#include <stdlib.h>

/* A model, and a strategy with options; each line is a world of its own. */
#define GPT "model gpt layers=4 hidden=32 heads=4 seq=8 batch=16; "
#define EXPERTS "model gpt layers=2 hidden=16 heads=4 seq=8 batch=16 experts=4; "
#define MLP "model mlp layers=4 hidden=16 batch=16; "
static const char *const trained[] = {
        GPT "strategy context",
        GPT "strategy context kind=ulysses",
        GPT "strategy context ring=2 ulysses=2 balance=off",
        GPT "strategy dataparallel",
        GPT "strategy ddp",
        GPT "strategy ddp overlap=off accumulate=2",
        GPT "strategy ddp hook=f16 bucket=4k",
        GPT "strategy ddp hook=topk k=10% delay=1",
        GPT "strategy ddp bucket=4k backup=1",
        GPT "strategy ddp broken=nosync",
        EXPERTS "strategy experts",
        EXPERTS "strategy experts accumulate=2",
        GPT "strategy fsdp",
        GPT "strategy fsdp wrap=model reshard=off",
        GPT "strategy fsdp wrap=layer prefetch=0",
        GPT "strategy fsdp offload=host",
        GPT "strategy fsdp offload=optimizer:nvme,params:host",
        GPT "strategy gossip",
        GPT "strategy gossip every=2",
        MLP "strategy local every=2",
        GPT "strategy local every=2 across=4",
        MLP "strategy pipeline",
        GPT "strategy pipeline schedule=gpipe accumulate=2",
        MLP "strategy pipeline schedule=zb-h1",
        MLP "strategy pipeline schedule=zb-h2",
        MLP "strategy pipeline schedule=zb-auto limit=1.5",
        "model mlp layers=8 hidden=16 batch=16; strategy pipeline schedule=interleaved chunks=2 micro=4",
        "model mlp layers=8 hidden=16 batch=16; strategy pipeline schedule=zb-v-4.csv chunks=2 micro=8",
        "strategy pipeline F=1ms B=1ms W=1ms transfer=100us",
        MLP "strategy ps",
        GPT "strategy ps shards=2",
        MLP "strategy ps mode=async staleness=1",
        GPT "strategy serial",
        GPT "strategy tp",
        GPT "strategy tp sequence=on",
        GPT "strategy zero",
        GPT "strategy zero stage=2 accumulate=2",
        GPT "strategy zero stage=3",
        GPT "strategy zero stage=3 offload=nvme",
        GPT "strategy tp=2 + ddp=2",
        GPT "strategy pipeline=2 + ddp=2",
        GPT "strategy pipeline=2 schedule=zb-h1 + tp=2",
        GPT "strategy tp=2 + fsdp=2",
        GPT "strategy context=2 + zero=2 stage=2",
};
/* What comes before it */
static const char *const troubles[] = {
        "",
        "@2 slow 3x",
        "set link_rate=200MB/s; set launch=200us; set segment=2ms; @1 host 3ms",
};

/* The pieces stand one behind the other. */
static void check_critical(const struct trace *trace)
{
	struct critical path = {0};
	int64_t at;
	assert_int_equal(critical_find(trace, -1, false, &path), ST_OK);
	at = path.window.from;
	for (size_t i = 0; i < path.count; i++) {
		assert_int_equal(path.piece[i].from, at);
		assert_true(path.piece[i].to > at);
		at = path.piece[i].to;
	}
	assert_int_equal(at, path.window.to);
	critical_release(&path);
}

/* Of the streams that work, work and causes are all of the rank's time. */
static void check_figures(const struct trace *trace, int rank)
{
	double part[CAUSE_COUNT], busy, sum = 0;
	int streams = 0;
	for (int stream = STREAM_DEFAULT; world_stream(trace->world, rank, stream); stream++) {
		assert_int_equal(metric_busy(trace, -1, rank, stream, &busy), ST_OK);
		streams += busy > 0;
		sum += busy;
	}
	assert_int_equal(metric_stalls(trace, -1, rank, part), ST_OK);
	for (int cause = 0; cause < CAUSE_COUNT; cause++)
		sum += streams * part[cause];
	if (sum < streams - 1e-9 || sum > streams + 1e-9)
		fail_msg("rank %d: work and causes are %.12f of %d streams", rank, sum, streams);
}

/* `stats` shows the staleness of each rank that adds to a window after a get, and of no other rank. */
static void check_staleness(const struct trace *trace, int rank)
{
	struct figures figures = {0};
	double wanted[2];
	static const char *const names[] = {"staleness mean", "staleness most"};
	int64_t adds = trace_staleness(trace, -1, rank, &wanted[0], &wanted[1]);
	assert_int_equal(figures_of_rank(trace, -1, rank, &figures), ST_OK);
	for (int i = 0; i < 2; i++) {
		const struct figure *figure = figures_find(&figures, names[i]);
		if (!figure != !adds || (figure && figure->value != wanted[i]))
			fail_msg("rank %d: %s of %lld adds is %g, not %g", rank, names[i], (long long)adds,
			        figure ? figure->value : -1, wanted[i]);
	}
	figures_release(&figures);
}

/* "  0-3 host  0.04  1%  2.98  99%": the times of a row of `stalls` behind which a percentage stands, and the percentages; 0: it is
 * no such row */
static int row_sums(const char *row, const char *end, double *times, double *percents)
{
	double number = 0;
	int cells = 0;
	*times = *percents = 0;
	for (const char *at = row; at < end; at += strcspn(at, " \n"), at += strspn(at, " ")) {
		char *behind;
		double read = strtod(at, &behind);
		if (*behind == '%') {
			*times += number;
			*percents += read;
			cells++;
		}
		number = read;
	}
	return cells;
}

/* Each row of `stalls`, of the ranks folded and of one, tells as much as the first, and all of the window, as far as digits go. */
static void check_stalls(struct trace trace, const struct ranks *ranks)
{
	struct text text = {0};
	size_t length;
	double window = 0, times, percents;
	trace.ranks = ranks;
	assert_int_equal(trace_stalls(&trace, -1, 1000, &text), ST_OK);
	const char *at = text_string(&text), *end = at + strlen(at);
	for (const char *line; (line = text_line(&at, end, &length)) && strncmp(line, "largest", 7) != 0;) {
		int cells = row_sums(line, line + length, &times, &percents);
		double off = 0.01 * (cells + CAUSE_COUNT);
		if (!cells)
			continue;
		window = window > 0 ? window : times;
		if (times < window - off || times > window + off || percents < 100 - 0.5 * cells ||
		        percents > 100 + 0.5 * cells)
			fail_msg("of %g in all: %.*s", window, (int)length, line);
	}
	assert_true(window > 0);
	text_release(&text);
}

static void causes_of_strategies(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(trained) * LENGTH_OF(troubles); i++) {
		struct dice dice = {.seed = i};
		const char *trouble = troubles[i % LENGTH_OF(troubles)],
		           *training = trained[i / LENGTH_OF(troubles)];
		assert_int_equal(open_shell(NULL), 0);
		if (run(trouble) != ST_OK || run(training) != ST_OK || run("run 2; sync") != ST_OK)
			fail_msg("%s; %s: %s", trouble, training, fail_text());
		struct trace trace = {.world = shell.world, .backend = shell.backend};
		check_program(&dice);
		check_critical(&trace);
		check_stalls(trace, NULL);
		for (int rank = 0; rank < shell.world->n; rank++) {
			struct ranks one;
			ranks_one(&one, rank);
			check_figures(&trace, rank);
			check_staleness(&trace, rank);
			check_stalls(trace, &one);
		}
		close_shell(NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(causes_of_strategies),
	};
	return cmocka_run_group_tests(tests, open_transport, close_transport);
}
