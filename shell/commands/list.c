/* list.c -- tensors, streams, events, groups: lists of what exists now */
#include "base/memory.h"
#include "shell/language/run/answer.h"
#include "shell/session/shell.h"
#include "shell/language/parse/rows.h"

#include <stdlib.h>

static void tensor_line(const struct world *world, const struct tensor *tensor, struct text *text)
{
	struct text left = {0}, bytes = {0};
	text_add(&left, "%s %s", names_text(world->names, tensor->name), shape_text(&tensor->layout).text);
	bytes_text(layout_bytes(&tensor->layout), &bytes);
	int pad = left.count < 28 ? 28 - left.count : 0;
	text_add(text, "%s%*s %-4s %-6s %9s", text_string(&left), pad, "", dtype_name(tensor->layout.dtype),
	        space_name(tensor->space), text_string(&bytes));
	if (tensor->view && world->tensors[tensor->base].name)
		text_add(text, "  view of %s", names_text(world->names, world->tensors[tensor->base].name));
	if (tensor->invalid) {
		text_add(text, "  spoiled by ");
		op_text(world, tensor->invalid, text);
	}
	text_put(text, "\n", 1);
	text_release(&left);
	text_release(&bytes);
}

struct listed {
	uint32_t turn;
	const struct tensor *tensor;
};
static int by_turn(const void *a, const void *b)
{
	const struct listed *s = a, *t = b;
	return s->turn < t->turn ? -1 : s->turn > t->turn;
}

/* The order of first use is the same in each session of the same lines; slots are reused. */
static enum status list_tensors(struct call *call, int i, int rank, struct text *text)
{
	const struct world *world = call->shell->world;
	struct listed *found = mem_alloc(world->tensor_count * sizeof *found);
	size_t count = 0;
	(void)i;
	for (size_t k = 0; k < world->tensor_count; k++)
		if (world->tensors[k].used && world->tensors[k].rank == rank && world->tensors[k].name)
			found[count++] = (struct listed){
			        world_name_turn(world, world->tensors[k].name), &world->tensors[k]};
	if (count)
		qsort(found, count, sizeof *found, by_turn);
	else
		text_add(text, "no tensors: tensor x[64,64] = randn makes one");
	for (size_t k = 0; k < count; k++)
		tensor_line(world, found[k].tensor, text);
	mem_free(found);
	return ST_OK;
}

const struct command command_tensors = {
        .name = "tensors",
        .topic = "look",
        .help = "lists the tensors: shape, type, memory, bytes, and the tensor that a view belongs to",
        .example = "tensor x[4,4] = randn\ny = reshape x [16]\ntensors",
        .class = COMMAND_LOOK,
        .answers = list_tensors,
};

/* Numbers ascend without gaps from the default stream on. */
static enum status list_streams(struct call *call, int i, int rank, struct text *text)
{
	const struct stream *stream;
	(void)i;
	for (int number = STREAM_DEFAULT; (stream = world_stream(call->shell->world, rank, number)); number++)
		text_add(text, "%-10s %u queued so far%s%s%s\n",
		        names_text(call->shell->world->names, stream->name), stream->count,
		        stream->blocking && number != STREAM_DEFAULT ? ", blocking" : "",
		        stream->priority ? ", high priority" : "", stream->host ? ", of the host" : "");
	return ST_OK;
}

const struct command command_streams = {
        .name = "streams",
        .topic = "look",
        .help = "lists the streams and how many operations are queued on each",
        .example = "stream io compute\nstreams",
        .class = COMMAND_LOOK,
        .answers = list_streams,
};

/* In CUDA an event without a record counts as done; it is often a mistake. */
static void event_line(const struct shell *shell, const struct event *event, struct text *text)
{
	const struct world *world = shell->world;
	text_add(text, "%-10s ", names_text(world->names, event->name));
	if (!event->record) {
		text_add(text, "never recorded: holds nothing\n");
		return;
	}
	if (event->record > world->op_count) {
		text_add(text, "recorded in the graph that is captured\n");
		return;
	}
	const struct op *record = &world->ops[event->record];
	struct times times = backend_times(shell->backend, event->record);
	struct host_now now = backend_host(shell->backend, event->rank);
	text_add(text, "recorded on %s, %s\n",
	        names_text(world->names, world_stream(world, record->rank, record->stream)->name),
	        backend_is_over(shell->backend, &times, now.clock) ? "has happened"
	                : times.end == TIME_UNKNOWN                ? "waits for other ranks"
	                                                           : "not yet happened");
}

static enum status list_events(struct call *call, int i, int rank, struct text *text)
{
	enum status status = shell_foresee(call->shell);
	(void)i;
	if (status != ST_OK)
		return status;
	for (size_t k = 0; k < call->shell->world->event_count; k++)
		if (call->shell->world->events[k].rank == rank)
			event_line(call->shell, &call->shell->world->events[k], text);
	if (!text->count)
		text_add(text, "no events: record E on STREAM makes one");
	return ST_OK;
}

const struct command command_events = {
        .name = "events",
        .topic = "look",
        .help = "lists the events: their last `record`, and whether it has happened",
        .example = "event e\nevents",
        .class = COMMAND_LOOK,
        .answers = list_events,
};

static void group_line(const struct world *world, const struct group *group, struct text *text)
{
	enum { MOST = 16 };
	text_add(text, "%-10s", names_text(world->names, group->name));
	for (int k = 0; k < group->instances && k < MOST; k++) {
		struct ranks set = {0};
		for (int i = 0; i < group->instance[k].n; i++)
			ranks_add(&set, group->instance[k].ranks[i]);
		text_put(text, " ", 1);
		ranks_text(&set, text);
	}
	if (group->instances > MOST)
		text_add(text, " ... %d parts", group->instances);
	if (group->timeout) {
		text_add(text, "  timeout=");
		time_text(group->timeout, text);
	}
	text_put(text, "\n", 1);
}

static enum status groups_run(struct call *call)
{
	struct text text = {0};
	for (size_t i = 0; i < call->shell->world->group_count; i++)
		group_line(call->shell->world, &call->shell->world->groups[i], &text);
	return answer(call, &text, ST_OK);
}

const struct command command_groups = {
        .name = "groups",
        .topic = "look",
        .help = "lists the groups and their parts' ranks",
        .example = "mesh dp=2 tp=2\ngroups",
        .class = COMMAND_LOOK,
        .run = groups_run,
};
