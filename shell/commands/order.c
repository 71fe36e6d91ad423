#include "shell/language/run/command.h"
#include "shell/session/queue.h"
#include "world/world.h"

/* order.c -- record, wait: the order between streams */

static struct record order_record(
        struct call *call, int rank, enum op_kind kind, const char *title, name_id object)
{
	struct record record;
	record_begin(call, rank, &record, kind, title);
	record.object = object;
	return record;
}

/* Queues one operation without operands; equal records of the ranks before are shared. */
static enum status queue_shared(struct shell *shell, int rank, int stream, const struct record *record,
        uint32_t *like, name_id *phase, op_id target, op_id *id)
{
	enum status status =
	        shell_queue(shell, rank, stream, record, *phase == record->phase ? *like : 0, target, 0, id);
	if (status == ST_OK && *id)
		*like = queued_record(shell, *id);
	*phase = record->phase;
	return status;
}

static enum status record_run(struct shell *shell, struct call *call)
{
	struct world *world = shell->world;
	uint32_t like = 0;
	name_id name, phase = 0;
	int stream, event;
	op_id id;

	FOR_RANKS (rank, call_ranks(call)) {
		enum status status = call_name(call, 0, 0, rank, &name);
		struct thing thing = status == ST_OK ? world_find(world, rank, name) : (struct thing){0};
		if (status == ST_OK && thing.kind != THING_NONE && thing.kind != THING_EVENT)
			status = fail(ST_NAME, "%s is a %s; record wants an event: record EVENT on STREAM",
			        names_text(world->names, name), thing_kind_name(thing.kind));
		if (status == ST_OK)
			status = call_stream(call, rank, &stream);
		if (status != ST_OK)
			return status;
	}
	FOR_RANKS (rank, call_ranks(call)) {
		enum status status = call_name(call, 0, 0, rank, &name);
		if (status == ST_OK)
			status = call_stream(call, rank, &stream);
		if (status == ST_OK)
			status = world_event_make(world, rank, name, &event);
		if (status != ST_OK)
			return status;
		struct record record = order_record(call, rank, OP_RECORD, "record", name);
		status = queue_shared(shell, rank, stream, &record, &like, &phase, 0, &id);
		if (status == ST_OK)
			world_event_record(world, rank, event, id);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

const struct command command_record = {
        .name = "record",
        .topic = "order",
        .usage = "record EVENT on STREAM",
        .help = "puts EVENT into STREAM: it happens when the work queued there so far is done",
        .example = "stream io\nspin 1ms on io\nrecord loaded on io\nwait loaded",
        .torch = "EVENT.record(STREAM)",
        .cuda = "cudaEventRecord(EVENT, STREAM)",
        .class = COMMAND_PROGRAM,
        .stream_ok = true,
        .argument = {{ARG_NEW, 0, NULL, "EVENT"}},
        .run = record_run,
};

/* What a wait for the event or stream holds back for: its last record, or the stream's last operation; 0:
 * nothing. */
static op_id target_of(const struct world *world, struct thing thing)
{
	if (thing.kind == THING_EVENT)
		return world->events[thing.index].record;
	const struct stream *stream = &world->streams[thing.index];
	return world_tail(world, stream->rank, stream->number);
}

static name_id name_of(const struct world *world, struct thing thing)
{
	return thing.kind == THING_EVENT ? world->events[thing.index].name : world->streams[thing.index].name;
}

/* What is waited for, and the stream that waits */
static enum status wait_words(struct call *call, int i, int rank, struct thing *thing, int *stream)
{
	enum status status = call_thing(call, 0, i, rank, thing);
	return status == ST_OK ? call_stream(call, rank, stream) : status;
}

static enum status wait_one(struct shell *shell, struct call *call, int i)
{
	uint32_t like = 0;
	name_id phase = 0;
	struct thing thing;
	int stream;
	op_id id;
	FOR_RANKS (rank, call_ranks(call)) {
		enum status status = wait_words(call, i, rank, &thing, &stream);
		if (status != ST_OK)
			return status;
		struct record record =
		        order_record(call, rank, OP_WAIT, "wait", name_of(shell->world, thing));
		status = queue_shared(
		        shell, rank, stream, &record, &like, &phase, target_of(shell->world, thing), &id);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

static enum status wait_run(struct shell *shell, struct call *call)
{
	struct thing thing;
	int stream;
	for (int i = 0; i < call_count(call, 0); i++)
		FOR_RANKS (rank, call_ranks(call)) {
			enum status status = wait_words(call, i, rank, &thing, &stream);
			if (status != ST_OK)
				return status;
		}
	for (int i = 0; i < call_count(call, 0); i++) {
		enum status status = wait_one(shell, call, i);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

const struct command command_wait = {
        .name = "wait",
        .topic = "order",
        .usage = "wait EVENT|OTHER ... on STREAM",
        .help = "work queued on STREAM after this starts only once the event has happened, or what the "
                "stream OTHER holds now is done",
        .example = "stream io compute\nspin 1ms on io\nwait io on compute\nspin 1ms on compute",
        .torch = "STREAM.wait_event(EVENT)   # or: STREAM.wait_stream(OTHER)",
        .cuda = "cudaStreamWaitEvent(STREAM, EVENT, 0)",
        .class = COMMAND_PROGRAM,
        .stream_ok = true,
        .argument = {{ARG_WAITABLE, ARG_MANY, NULL, "EVENT|OTHER"}},
        .run = wait_run,
};
