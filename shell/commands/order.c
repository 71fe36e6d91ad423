/* order.c -- record and wait: cudaEventRecord and cudaStreamWaitEvent
 *
 * A wait blocks its stream, not the host, until the event's last record before the line has
 * completed. `wait OTHER` is torch's wait_stream: an unnamed event at the end of OTHER. The race
 * check uses this order, not the times of this run. */
#include "shell/language/run/command.h"
#include "shell/submit/plan.h"

static enum status record_one(struct call *call, int rank, bool act)
{
	struct world *world = call->shell->world;
	name_id name;
	int stream, event;
	op_id id = 0;
	enum status status = call_name(call, 0, 0, rank, &name);
	struct thing thing = status == ST_OK ? world_find(world, rank, name) : (struct thing){0};
	if (status == ST_OK && thing.kind != THING_NONE && thing.kind != THING_EVENT)
		status = fail(ST_NAME, "%s is a %s; record needs an event: record EVENT on STREAM",
		        names_text(world->names, name), thing_kind_name(thing.kind));
	if (status == ST_OK)
		status = call_stream(call, rank, &stream);
	if (status != ST_OK || !act)
		return status;
	status = world_event_make(world, rank, name, &event);
	struct record record = call_record(call, rank, OP_RECORD, "record");
	record.object = name;
	if (status == ST_OK)
		status = queue_alike(call, rank, stream, &record, 0, &id);
	if (status == ST_OK)
		world_event_record(world, rank, event, id);
	return status;
}

const struct command command_record = {
        .name = "record",
        .topic = "order",
        .usage = "record EVENT on STREAM",
        .help = "queues EVENT into STREAM: it happens when the work queued there so far is done",
        .example = "stream io\nspin 1ms on io\nrecord loaded on io\nwait loaded",
        .torch = "EVENT.record(STREAM)",
        .cuda = "cudaEventRecord(EVENT, STREAM)",
        .stream_ok = true,
        .argument = {{ARG_NEW, 0, NULL, "EVENT"}},
        .each = record_one,
};

static enum status wait_one(struct call *call, int i, int rank, bool act)
{
	struct record record = act ? call_record(call, rank, OP_WAIT, "wait") : (struct record){0};
	int number;
	op_id target, id = 0;
	enum status status = host_target(call, i, rank, &target, &record.object);
	if (status == ST_OK)
		status = call_stream(call, rank, &number);
	return status == ST_OK && act ? queue_alike(call, rank, number, &record, target, &id) : status;
}

static enum status wait_run(struct call *call)
{
	enum status status = ST_OK;
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < call_count(call, 0); i++)
			FOR_RANKS (rank, call->set)
				if (status == ST_OK)
					status = wait_one(call, i, rank, pass == 1);
	return status;
}

const struct command command_wait = {
        .name = "wait",
        .topic = "order",
        .usage = "wait EVENT|OTHER ... on STREAM",
        .help = "makes STREAM wait: work queued there after this line starts only after the event has "
                "happened, or after the work that is queued on stream OTHER now is done",
        .example = "stream io compute\nspin 1ms on io\nwait io on compute\nspin 1ms on compute",
        .torch = "STREAM.wait_event(EVENT)   # or: STREAM.wait_stream(OTHER)",
        .cuda = "cudaStreamWaitEvent(STREAM, EVENT, 0)   // or: cudaEventRecord(event, OTHER) first",
        .stream_ok = true,
        .argument = {{ARG_WAITABLE, ARG_MANY, NULL, "EVENT|OTHER"}},
        .run = wait_run,
};
