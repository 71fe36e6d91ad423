/* host.c -- sync, host, query: operations of the host itself
 *
 * At the prompt a sync is answered before the next line is typed. If the answer depends on lines
 * that another rank has not received yet, or the wait never ends, the prompt returns and a note
 * gives the reason. */
#include "shell/language/run/command.h"
#include "shell/submit/plan.h"

/* Resolves what the line waits for on one rank; OP_EVERYTHING without a name. */
static enum status sync_target(struct call *call, int rank, op_id *target, name_id *object)
{
	*target = OP_EVERYTHING;
	*object = 0;
	return call_count(call, 0) ? host_target(call, 0, rank, target, object) : ST_OK;
}

static enum status sync_one(struct call *call, int rank, bool act)
{
	op_id target;
	name_id object;
	enum status status = sync_target(call, rank, &target, &object);
	return status == ST_OK && act ? host_sync(call, rank, target, object) : status;
}

static enum status sync_run(struct call *call)
{
	return host_answer(call, call_each_rank(call, sync_one));
}

const struct command command_sync = {
        .name = "sync",
        .topic = "order",
        .usage = "sync [STREAM|EVENT]",
        .help = "blocks the host until the device has finished all queued work, or the work of that stream"
                " or event; the device does not wait",
        .example = "spin 2ms\nsync",
        .torch = "torch.cuda.synchronize()   # or STREAM.synchronize(), EVENT.synchronize()",
        .cuda = "cudaDeviceSynchronize()   // or cudaStreamSynchronize(STREAM), cudaEventSynchronize(EVENT)",
        .argument = {{ARG_WAITABLE, ARG_OPTIONAL, NULL, "STREAM|EVENT"}},
        .run = sync_run,
};

static enum status host_one(struct call *call, int rank, bool act)
{
	struct number number;
	op_id id = 0;
	enum status status = call_number(call, 0, 0, rank, &number);
	if (status == ST_OK)
		status = duration_check("host", number);
	if (status != ST_OK || !act)
		return status;
	struct record record = call_record(call, rank, OP_HOST, "host");
	record.duration_ns = number.value;
	return queue_alike(call, rank, STREAM_HOST, &record, 0, &id);
}

const struct command command_host = {
        .name = "host",
        .topic = "compute",
        .usage = "host TIME",
        .help = "keeps the host busy for TIME; the device continues with queued work meanwhile",
        .example = "spin 2ms\nhost 1ms\nsync",
        .torch = "# Python code that takes a while",
        .argument = {{ARG_EXPRESSION, 0, NULL, "TIME"}},
        .each = host_one,
};

/* Answers for the time on that rank's host clock. A later line may change projected times, but not
 * an answer that was shown: work reported as done is executed first. */
static enum status query_one(struct call *call, int i, int rank, struct text *text)
{
	struct backend *backend = call->shell->backend;
	op_id target = 0;
	name_id object = 0;
	enum status status = sync_target(call, rank, &target, &object);
	const char *name = names_text(call->shell->world->names, object);
	(void)i;
	if (status != ST_OK)
		return status;
	if (target > call->shell->world->op_count)
		return fail(ST_ARGUMENT, "query: %s is in the graph that is captured", name);
	text_add(text, "%s: ", name);
	if (!target) {
		text_add(text, "done (nothing is queued)");
		return ST_OK;
	}
	status = shell_foresee(call->shell);
	if (status != ST_OK)
		return status;
	struct host_now now = backend_host(backend, rank);
	struct times times = backend_times(backend, target);
	if (backend_is_over(backend, &times, now.clock)) {
		text_add(text, "done");
		return shell_reach(call->shell, &target, 1);
	}
	if (times.end == TIME_UNKNOWN) {
		text_add(text, "waits for other ranks");
	} else {
		text_add(text, "running, done in ");
		time_text(times.end - now.clock, text);
	}
	return ST_OK;
}

const struct command command_query = {
        .name = "query",
        .topic = "order",
        .usage = "query STREAM|EVENT",
        .help = "asks whether a stream or event is done, without waiting for it",
        .example = "stream io\nspin 2ms on io\nquery io",
        .torch = "STREAM.query()",
        .cuda = "cudaStreamQuery(STREAM)   // or cudaEventQuery(EVENT)",
        .argument = {{ARG_WAITABLE, 0, NULL, "STREAM|EVENT"}},
        .answers = query_one,
};
