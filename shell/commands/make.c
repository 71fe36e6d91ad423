/* make.c -- stream and event: cudaStreamCreate and cudaEventCreate.
 *
 * A stream is a queue of device work in its own order. Those made here are non-blocking, as PyTorch's: the
 * default stream does not wait for them, nor they for it. With `blocking` they take part in the legacy
 * default stream's rule, by which it waits for all of them and they for it. An event is a mark to be put
 * into a stream; until it is recorded it holds nothing back. Neither takes time. */
#include "shell/language/run/command.h"
#include "world/world.h"

/* Each name of the line is free, or of the kind that it may be: an event may be made twice, a stream may
 * not, since what is queued on it would be lost from sight. */
static enum status names_are_free(struct shell *shell, struct call *call, int rank, enum thing_kind may_be)
{
	enum status status = ST_OK;
	name_id name;
	for (int i = 0; i < call_count(call, 0) && status == ST_OK; i++) {
		status = call_name(call, 0, i, rank, &name);
		struct thing thing =
		        status == ST_OK ? world_find(shell->world, rank, name) : (struct thing){0};
		if (thing.kind != THING_NONE && thing.kind != may_be)
			status = fail(ST_NAME, "%s is a %s already (one name, one thing)",
			        names_text(shell->world->names, name), thing_kind_name(thing.kind));
	}
	return status;
}

static enum status stream_one(struct shell *shell, struct call *call, int rank, bool act, void *self)
{
	int index;
	const char *priority = "";
	name_id name;
	enum status status = names_are_free(shell, call, rank, THING_NONE);
	(void)self;
	if (status == ST_OK && call_has(call, "priority"))
		status = call_option_word(call, "priority", rank, &priority);
	for (int i = 0; i < call_count(call, 0) && status == ST_OK && act; i++) {
		status = call_name(call, 0, i, rank, &name);
		if (status == ST_OK)
			status = world_stream_make(shell->world, rank, name, priority[0] == 'h',
			        call_count(call, 1) > 0, &index);
	}
	return status;
}

static enum status stream_run(struct shell *shell, struct call *call)
{
	return call_each_rank(shell, call, stream_one, NULL);
}

const struct command command_stream = {
        .name = "stream",
        .topic = "make",
        .usage = "stream NAME ... [priority=high] [blocking]",
        .help = "makes streams: queues of GPU work, each in its own order, which may run at the same time",
        .example = "stream io compute\nspin 1ms on io\nspin 1ms on compute",
        .torch = "NAME = torch.cuda.Stream()",
        .cuda = "cudaStreamCreateWithFlags(&NAME, cudaStreamNonBlocking)",
        .class = COMMAND_PROGRAM,
        .argument = {{ARG_NEW, ARG_MANY, NULL, "NAME"}, {ARG_WORD, ARG_OPTIONAL, "blocking", "blocking"}},
        .option = {{"priority", ARG_WORD, UNIT_PLAIN, "high normal",
                "high: others of the device stand still while its kernels run"}},
        .run = stream_run,
};

static enum status event_one(struct shell *shell, struct call *call, int rank, bool act, void *self)
{
	int index;
	name_id name;
	enum status status = names_are_free(shell, call, rank, THING_EVENT);
	(void)self;
	for (int i = 0; i < call_count(call, 0) && status == ST_OK && act; i++) {
		status = call_name(call, 0, i, rank, &name);
		if (status == ST_OK)
			status = world_event_make(shell->world, rank, name, &index);
	}
	return status;
}

static enum status event_run(struct shell *shell, struct call *call)
{
	return call_each_rank(shell, call, event_one, NULL);
}

const struct command command_event = {
        .name = "event",
        .topic = "make",
        .usage = "event NAME ...",
        .help = "makes events: marks that `record` puts into a stream and `wait` waits for; one never "
                "recorded holds nothing",
        .example = "stream io\nevent loaded\nwait loaded on io",
        .torch = "NAME = torch.cuda.Event()",
        .cuda = "cudaEventCreateWithFlags(&NAME, cudaEventDisableTiming)",
        .class = COMMAND_PROGRAM,
        .argument = {{ARG_NEW, ARG_MANY, NULL, "NAME"}},
        .run = event_run,
};
