/* print.c -- print: the program reads a value, so its host waits
 *
 * Like tensor.item() it copies the data to the host, by an OP_COPY on the stream and an OP_SYNC
 * with the reason "print". A tensor in host memory needs only the OP_SYNC, which waits for the
 * stream that the line names, or for nothing. The owner makes the text when its OP_SYNC has
 * completed (prints_done), so prints appear in execution order. */
#include "base/memory.h"
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/values/prints.h"
#include "shell/submit/plan.h"

/* "x + 1 = 3", or the text alone if one was typed */
static enum status expression_text(struct call *call, int i, int rank, struct text *text)
{
	const char *typed = call_argument_text(call, 0, i);
	if (typed[0] != '"')
		text_add(text, "%s = ", typed);
	double number;
	enum status status = call_expression_text(call, 0, i, rank, text);
	if (status == ST_OK && call_expression_number(call, 0, i, rank, &number))
		shell_number(call->shell, rank, typed, number);
	return status;
}

/* Evaluates on every rank, because a mistake refuses the line for all. */
static enum status expression_item(struct call *call, int i, int rank, bool mine, struct printed *item)
{
	struct text text = {0};
	enum status status = expression_text(call, i, rank, &text);
	if (status == ST_OK && mine && !item->text)
		item->text = mem_copy_text(text_string(&text), text.count);
	text_release(&text);
	return status;
}

/* Checks every rank's arguments and keeps this process's; with --dry the first rank's. */
static enum status print_gather(struct call *call, struct print *print)
{
	int keep = call->shell->world->me >= 0 ? call->shell->world->me : ranks_first(call->set);
	int on_host = 0;
	for (int i = 0; i < print->items; i++) {
		bool here = false;
		FOR_RANKS (rank, call->set) {
			struct printed *item = &print->item[i];
			struct view view;
			bool tensor = call_is_tensor(call, 0, i);
			enum status status = tensor ? call_tensor(call, 0, i, rank, &view)
			                            : expression_item(call, i, rank, rank == keep, item);
			int stream;
			if (status == ST_OK && tensor && view.space == SPACE_DEVICE)
				status = call_device_stream(call, rank, &stream);
			if (status != ST_OK)
				return status;
			item->tensor = tensor;
			here |= tensor && space_is_host(view.space);
			if (tensor && rank == keep)
				item->view = view;
		}
		on_host += here;
	}
	if (on_host > HOST_READS_MOST)
		return fail(ST_LIMIT,
		        "print: %d tensors in host memory, and a line reads at most %d: print the rest in a "
		        "second line",
		        on_host, HOST_READS_MOST);
	return ST_OK;
}

static enum status print_queue(struct call *call, struct print *print)
{
	FOR_RANKS (rank, call->set) {
		bool mine = rank == call->shell->world->me;
		op_id last = 0;
		name_id object = 0;
		struct host_reads reads = {.noted = true};
		int stream;
		enum status status = call_stream(call, rank, &stream);
		for (int i = 0; i < call_count(call, 0) && status == ST_OK; i++) {
			struct view view;
			op_id id;
			if (!call_is_tensor(call, 0, i) ||
			        (status = call_tensor(call, 0, i, rank, &view)) != ST_OK)
				continue;
			status = host_bring(call, rank, stream, &view, &reads, &id);
			last = id ? id : last;
			if (mine)
				print->item[i].by = id;
			object = view.name;
		}
		if (status == ST_OK)
			status = host_sync_reading(call, rank, last, object, &reads);
		if (status != ST_OK)
			return status;
		for (int i = 0; mine && i < print->items; i++)
			if (!print->item[i].by)
				print->item[i].by = call->wait[call->waits - 1];
	}
	return ST_OK;
}

/* The session takes ownership of the print, which may outlive the line. */
static enum status print_tensors(struct call *call, struct print *print)
{
	print->waiting = *call->set;
	enum status status = print_queue(call, print);
	if (status == ST_OK)
		prints_add(call->shell, print, call->wait, call->waits);
	else
		print_free(print);
	return host_answer(call, status);
}

static enum status print_values(struct call *call, int i, int rank, struct text *text)
{
	enum status status = ST_OK;
	for (i = 0; i < call_count(call, 0) && status == ST_OK; i++) {
		text_add(text, i ? "\n" : "");
		status = expression_text(call, i, rank, text);
	}
	return status;
}

static enum status print_run(struct call *call)
{
	bool tensors = false;
	int count = call_count(call, 0);
	for (int i = 0; i < count; i++)
		tensors = tensors || call_is_tensor(call, 0, i);
	if (!tensors)
		return answer_each(call, print_values, 0);
	struct print *print = mem_alloc(sizeof *print);
	print->item = mem_alloc(count * sizeof *print->item);
	print->items = count;
	enum status status = print_gather(call, print);
	if (status == ST_OK)
		return print_tensors(call, print);
	print_free(print);
	return status;
}

const struct command command_print = {
        .name = "print",
        .topic = "read",
        .usage = "print TENSOR|EXPRESSION ... [on STREAM]",
        .help = "shows values that the program reads, so the host waits until the stream has computed a "
                "device tensor. Host and pinned memory is read without waiting, unless `on STREAM` (or "
                "`use`) names a stream to wait for. `peek` never waits",
        .example = "tensor x[4,4] = iota\ny = relu x\nprint y[0,0:2] rank",
        .torch = "print(TENSOR)   # on the device: the host waits; on the host: read as it is",
        .cuda = "cudaMemcpyAsync(v, TENSOR, bytes, cudaMemcpyDeviceToHost, STREAM); "
                "cudaStreamSynchronize(STREAM)   // for host memory: no call",
        .shows = true,
        .stream_ok = true,
        .argument = {{ARG_PRINTABLE, ARG_MANY, NULL, "TENSOR|EXPRESSION"}},
        .run = print_run,
};
