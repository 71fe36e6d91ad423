#include "shell/language/run/command.h"
#include "world/world.h"

/* make.c -- stream, event: things of a rank that hold no data */

/* Runs `check` for every name and rank, then `make`: all or none. */
typedef enum status on_name(struct shell *shell, struct call *call, int rank, name_id name);

static enum status each_name(struct shell *shell, struct call *call, on_name *act)
{
	for (int i = 0; i < call_count(call, 0); i++)
		FOR_RANKS (rank, call_ranks(call)) {
			name_id name;
			enum status status = call_name(call, 0, i, rank, &name);
			if (status == ST_OK)
				status = act(shell, call, rank, name);
			if (status != ST_OK)
				return status;
		}
	return ST_OK;
}

static enum status is_free(struct shell *shell, int rank, name_id name, enum thing_kind may_be)
{
	struct thing thing = world_find(shell->world, rank, name);
	const char *text = names_text(shell->world->names, name);
	if (thing.kind == THING_NONE || thing.kind == may_be)
		return ST_OK;
	return fail(ST_NAME, "%s is a %s already (one name, one thing)", text, thing_kind_name(thing.kind));
}

static enum status stream_check(struct shell *shell, struct call *call, int rank, name_id name)
{
	(void)call;
	return is_free(shell, rank, name, THING_NONE);
}

static enum status stream_make(struct shell *shell, struct call *call, int rank, name_id name)
{
	int index, high = 0;
	const char *priority = NULL;
	if (call_has(call, "priority")) {
		enum status status = call_option_word(call, "priority", rank, &priority);
		if (status != ST_OK)
			return status;
		high = priority[0] == 'h';
	}
	return world_stream_make(shell->world, rank, name, high, call_count(call, 1) > 0, &index);
}

static enum status stream_run(struct shell *shell, struct call *call)
{
	enum status status = each_name(shell, call, stream_check);
	return status == ST_OK ? each_name(shell, call, stream_make) : status;
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

static enum status event_check(struct shell *shell, struct call *call, int rank, name_id name)
{
	(void)call;
	return is_free(shell, rank, name, THING_EVENT);
}

static enum status event_make(struct shell *shell, struct call *call, int rank, name_id name)
{
	int index;
	(void)call;
	return world_event_make(shell->world, rank, name, &index);
}

static enum status event_run(struct shell *shell, struct call *call)
{
	enum status status = each_name(shell, call, event_check);
	return status == ST_OK ? each_name(shell, call, event_make) : status;
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
