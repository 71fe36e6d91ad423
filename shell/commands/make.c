/* make.c -- stream and event: cudaStreamCreate and cudaEventCreate
 *
 * As in PyTorch, a stream is non-blocking: it and the default stream do not wait for each other.
 * With `blocking` they do, by the rule of the legacy default stream. With kind=host it is a
 * thread of the host, for disk and host memory only. An event delays nothing until it is
 * recorded. */
#include "shell/language/run/command.h"
#include "shell/session/note.h"

#include <string.h>

/* Checks that the rank's device has queues for `more` streams. If too many would only be slow,
 * the first such line has a note. */
static enum status stream_check_queues(struct call *call, int rank, int more, bool act)
{
	const struct backend *backend = call->shell->backend;
	const struct stream *stream;
	int most = backend->streams_most, count = 0;
	for (int s = STREAM_DEFAULT; (stream = world_stream(call->shell->world, rank, s)); s++)
		count += !stream->host;
	if (!most || count + more <= most)
		return ST_OK;
	if (backend->streams_refused)
		return fail(ST_LIMIT,
		        "stream: rank %d would have %d with the default one; ranks that share a GPU have %d "
		        "at most: with more, two would share a hardware queue, and one could block the "
		        "stream "
		        "that it waits for",
		        rank, count + more, most);
	if (act && count <= most && rank == ranks_first(call->set))
		shell_note(call->shell, call->set,
		        "%d streams: above %d, some share a hardware queue of the GPU and wait for each "
		        "other",
		        count + more, most);
	return ST_OK;
}

/* An event may be made twice; a stream may not, because the queued work of the first would have no
 * name. */
static enum status make_one(struct call *call, int rank, bool act)
{
	struct world *world = call->shell->world;
	bool stream = strcmp(call->statement->row->name, "stream") == 0;
	const char *priority = "", *kind = "";
	int index;
	name_id name;
	enum status status = call_option_word(call, "priority", rank, &priority);
	if (status == ST_OK)
		status = call_option_word(call, "kind", rank, &kind);
	if (status == ST_OK && kind[0] == 'h' && (priority[0] == 'h' || call_count(call, 1) > 0))
		status = fail(ST_ARGUMENT,
		        "stream: kind=host makes a host thread, and %s is only for GPU streams: use one of "
		        "the two",
		        call_count(call, 1) > 0 ? "blocking" : "priority=high");
	if (status == ST_OK && stream && kind[0] != 'h')
		status = stream_check_queues(call, rank, call_count(call, 0), act);
	for (int i = 0; i < call_count(call, 0) && status == ST_OK; i++) {
		status = call_name(call, 0, i, rank, &name);
		if (status == ST_OK)
			status = world_name_fits(world, rank, name, stream ? THING_NONE : THING_EVENT);
		if (status == ST_OK && act)
			status = stream ? world_stream_make(world, rank, name, priority[0] == 'h',
			                          call_count(call, 1) > 0, &index)
			                : world_event_make(world, rank, name, &index);
		if (status == ST_OK && act && kind[0] == 'h')
			world_stream_on_host(world, index);
	}
	return status;
}

const struct command command_stream = {
        .name = "stream",
        .topic = "make",
        .usage = "stream NAME ... [priority=high] [blocking] [kind=host]",
        .help = "makes streams: queues for GPU work, each in its own order, which may run at the same time. "
                "kind=host: host threads, like a data loader's workers",
        .example = "stream io compute\nspin 1ms on io\nspin 1ms on compute",
        .torch = "NAME = torch.cuda.Stream()   # priority=high: priority=-1",
        .cuda = "cudaStreamCreateWithFlags(&NAME, cudaStreamNonBlocking)   // priority=high: "
                "cudaStreamCreateWithPriority",
        .argument = {{ARG_NEW, ARG_MANY, NULL, "NAME"}, {ARG_WORD, ARG_OPTIONAL, "blocking", "blocking"}},
        .option = {{"priority", ARG_WORD, UNIT_PLAIN, "high normal",
                           "high: the device's other streams pause while its kernels run"},
                {"kind", ARG_WORD, UNIT_PLAIN, "device host",
                        "host: for copies between disk and host memory, kernels on host tensors, spin"}},
        .each = make_one,
};

const struct command command_event = {
        .name = "event",
        .topic = "make",
        .usage = "event NAME ...",
        .help = "makes events: marks that `record` queues into a stream and `wait` waits for. Waiting for an "
                "event that was never recorded does nothing",
        .example = "stream io\nevent loaded\nwait loaded on io",
        .torch = "NAME = torch.cuda.Event()   # for elapsed: enable_timing=True",
        .cuda = "cudaEventCreateWithFlags(&NAME, cudaEventDisableTiming)   // for elapsed: "
                "cudaEventCreate(&NAME)",
        .argument = {{ARG_NEW, ARG_MANY, NULL, "NAME"}},
        .each = make_one,
};
