/* print.c -- print: the program reads a value, so its host waits
 *
 * A tensor on the device costs an OP_COPY (one operand: what is brought to the host) on the current stream
 * and an OP_SYNC with the reason "print"; one on the host costs the OP_SYNC alone, which waits for nothing.
 * The text is made by the tensor's owner when the backend says that the OP_SYNC is over (prints_done), so
 * prints speak in the order of execution. */
#include "shell/commands/host.h"
#include "shell/session/show.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* An argument as it is printed by this process's rank: a tensor, or the text of an expression. */
struct printed {
	bool tensor;
	struct view view;
	char *text;
};
struct print {
	op_id *sync; /* by place in the line's ranks, ascending */
	int count;
	struct ranks waiting, ready; /* ranks whose OP_SYNC is not over; over, and not yet said */
	struct printed *item;
	int items;
	struct text mine; /* what this process's rank says */
	struct print *next;
};
struct prints {
	struct print *first, **end;
};

static void print_free(struct print *print)
{
	if (!print)
		return;
	for (int i = 0; i < print->items; i++)
		mem_free(print->item[i].text);
	mem_free(print->item);
	mem_free(print->sync);
	text_release(&print->mine);
	mem_free(print);
}

static void say_ready(struct shell *shell, struct print *print)
{
	if (ranks_empty(&print->ready))
		return;
	int place = out_place(shell->out, &print->ready);
	if (shell->world->me >= 0 && ranks_has(&print->ready, shell->world->me))
		out_fill(shell->out, place, shell->world->me, text_string(&print->mine));
	for (int rank = ranks_first(&print->ready); shell->world->me < 0 && rank >= 0;
	        rank = ranks_next(&print->ready, rank))
		out_fill(shell->out, place, rank, text_string(&print->mine));
	print->ready = (struct ranks){0};
}

static void value_text(const struct shell *shell, const struct view *view, struct text *out)
{
	const char *name = names_text(shell->world->names, view->name);
	const void *data =
	        shell->world->me >= 0 ? world_data(shell->world, view->space, view->address) : NULL;
	void *packed = data ? mem_alloc((size_t)layout_bytes(&view->layout)) : NULL;
	if (packed)
		layout_pack(&view->layout, data, packed);
	if (!packed && shell->world->me >= 0)
		text_add(out, "%s: this computer has no memory for it", name);
	else
		show_tensor(name, &view->layout, packed, out);
	show_spoiled(shell->world, view->tensor, out);
	mem_free(packed);
}

static void make_text(const struct shell *shell, struct print *print)
{
	text_clear(&print->mine);
	for (int i = 0; i < print->items; i++) {
		if (i)
			text_put(&print->mine, "\n", 1);
		if (print->item[i].tensor)
			value_text(shell, &print->item[i].view, &print->mine);
		else
			text_add(&print->mine, "%s", print->item[i].text);
	}
}

static bool has_sync(const struct print *print, op_id id)
{
	int low = 0, high = print->count;
	while (low < high) {
		int middle = (low + high) / 2;
		if (print->sync[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < print->count && print->sync[low] == id;
}

void prints_done(struct shell *shell, op_id id)
{
	struct prints *prints = shell->prints;
	int rank = shell->world->ops[id].rank;
	struct print **link = prints ? &prints->first : NULL;
	while (link && *link && !has_sync(*link, id))
		link = &(*link)->next;
	if (!link || !*link)
		return;
	struct print *print = *link;
	ranks_drop(&print->waiting, rank);
	ranks_add(&print->ready, rank);
	if (rank == shell->world->me || (shell->world->me < 0 && !print->mine.count))
		make_text(shell, print);
	if (!ranks_empty(&print->waiting))
		return;
	say_ready(shell, print);
	*link = print->next;
	if (!*link)
		prints->end = link;
	print_free(print);
}

void prints_flush(struct shell *shell)
{
	struct prints *prints = shell->prints;
	for (struct print *print = prints ? prints->first : NULL; print; print = print->next)
		say_ready(shell, print);
}

void prints_release(struct shell *shell)
{
	struct prints *prints = shell->prints;
	for (struct print *print = prints ? prints->first : NULL, *next; print; print = next) {
		next = print->next;
		print_free(print);
	}
	mem_free(prints);
	shell->prints = NULL;
}

/* ---- the line ---- */

static struct record copy_record(
        struct call *call, int rank, const struct view *view, struct operand *operand)
{
	struct record record = host_record(call, rank, OP_COPY, "copy");
	*operand = (struct operand){.address = view->address,
	        .space = (uint8_t)view->space,
	        .access = ACCESS_READ,
	        .transposed = view->transposed,
	        .tensor = view->tensor,
	        .name = view->name,
	        .layout = view->layout};
	record.operand = operand;
	record.operands = 1;
	record.bytes = layout_bytes(&view->layout);
	record.dtype = view->layout.dtype;
	record.object = view->name;
	return record;
}

/* Brings the tensor to the host in the stream's order; the op to wait for, or 0. */
enum status host_bring(
        struct shell *shell, struct call *call, int rank, int stream, const struct view *view, op_id *id)
{
	struct operand operand;
	struct record record = copy_record(call, rank, view, &operand);
	*id = 0;
	return view->space == SPACE_DEVICE ? shell_queue(shell, rank, stream, &record, 0, 0, 0, id) : ST_OK;
}

static enum status expression_item(
        struct shell *shell, struct call *call, int i, int rank, bool mine, struct printed *item)
{
	struct text text = {0};
	const char *typed = call_argument_text(call, 0, i);
	(void)shell;
	if (!*typed)
		return ST_MEMORY;
	if (typed[0] != '"')
		text_add(&text, "%s = ", typed);
	enum status status = call_expression_text(call, 0, i, rank, &text);
	if (status == ST_OK && mine && !item->text &&
	        !(item->text = mem_copy_text(text_string(&text), text.count)))
		status = ST_MEMORY;
	text_release(&text);
	return status;
}

/* Checks every rank's arguments and keeps those of this process's rank (with --dry: of the first). */
static enum status gather_items(struct shell *shell, struct call *call, struct print *print)
{
	int keep = shell->world->me >= 0 ? shell->world->me : ranks_first(call_ranks(call));
	for (int i = 0; i < print->items; i++)
		FOR_RANKS (rank, call_ranks(call)) {
			struct printed *item = &print->item[i];
			struct view view;
			bool tensor = call_kind(call, 0, i) == ARG_TENSOR;
			enum status status = tensor
			        ? call_tensor(call, 0, i, rank, &view)
			        : expression_item(shell, call, i, rank, rank == keep, item);
			if (status != ST_OK)
				return status;
			item->tensor = tensor;
			if (tensor && rank == keep)
				item->view = view;
		}
	return ST_OK;
}

static enum status queue_print(struct shell *shell, struct call *call, struct host_syncs *syncs)
{
	FOR_RANKS (rank, call_ranks(call)) {
		op_id last = 0;
		name_id object = 0;
		int stream;
		enum status status = call_stream(call, rank, &stream);
		for (int i = 0; i < call_count(call, 0) && status == ST_OK; i++) {
			struct view view;
			op_id id;
			if (call_kind(call, 0, i) != ARG_TENSOR ||
			        (status = call_tensor(call, 0, i, rank, &view)) != ST_OK)
				continue;
			status = host_bring(shell, call, rank, stream, &view, &id);
			last = id ? id : last;
			object = view.name;
		}
		if (status == ST_OK)
			status = host_sync(shell, call, rank, last, object, syncs);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

static enum status enlist(struct shell *shell, struct print *print, const struct host_syncs *syncs)
{
	struct prints *prints = shell->prints;
	if (!prints) {
		if (!(prints = mem_alloc(sizeof *prints)))
			return ST_MEMORY;
		prints->end = &prints->first;
		shell->prints = prints;
	}
	print->sync = mem_alloc((size_t)syncs->count * sizeof *print->sync);
	if (!print->sync)
		return ST_MEMORY;
	memcpy(print->sync, syncs->id, (size_t)syncs->count * sizeof *print->sync);
	print->count = syncs->count;
	*prints->end = print;
	prints->end = &print->next;
	return ST_OK;
}

static enum status print_tensors(struct shell *shell, struct call *call, struct print *print)
{
	struct host_syncs syncs;
	enum status status = host_syncs_begin(shell, call, "print", &syncs);
	print->waiting = *call_ranks(call);
	if (status == ST_OK)
		status = queue_print(shell, call, &syncs);
	if (status == ST_OK)
		status = enlist(shell, print, &syncs);
	if (status != ST_OK)
		print_free(print);
	return host_syncs_end(shell, call, &syncs, status);
}

/* Values that no tensor hides are said at once, behind the prints that are over. */
static enum status print_values(struct shell *shell, struct call *call, int count)
{
	struct text text = {0};
	enum status status = shell->backend->advance(shell->backend, &shell->budget);
	int place = status == ST_OK ? out_place(shell->out, call_ranks(call)) : -1;
	FOR_RANKS (rank, call_ranks(call)) {
		text_clear(&text);
		for (int i = 0; i < count && status == ST_OK; i++) {
			const char *typed = call_argument_text(call, 0, i);
			text_add(&text, i ? "\n" : "");
			if (typed[0] != '"')
				text_add(&text, "%s = ", typed);
			status = *typed ? call_expression_text(call, 0, i, rank, &text) : ST_MEMORY;
		}
		if (status == ST_OK)
			out_fill(shell->out, place, rank, text_string(&text));
	}
	text_release(&text);
	return status;
}

static enum status print_run(struct shell *shell, struct call *call)
{
	bool tensors = false;
	int count = call_count(call, 0);
	for (int i = 0; i < count; i++)
		tensors = tensors || call_kind(call, 0, i) == ARG_TENSOR;
	if (!tensors)
		return print_values(shell, call, count);
	struct print *print = mem_alloc(sizeof *print);
	if (print)
		print->item = mem_alloc((size_t)count * sizeof *print->item);
	if (!print || !print->item) {
		print_free(print);
		return ST_MEMORY;
	}
	print->items = count;
	enum status status = gather_items(shell, call, print);
	if (status == ST_OK)
		return print_tensors(shell, call, print);
	print_free(print);
	return status;
}

const struct command command_print = {
        .name = "print",
        .topic = "read",
        .usage = "print TENSOR|EXPRESSION ... [on STREAM]",
        .help = "the program reads the value: the host waits until the stream has made it (`peek` looks "
                "without waiting)",
        .example = "tensor x[4,4] = iota\ny = relu x\nprint y[0,0:2] rank",
        .torch = "print(TENSOR)   # reads it: waits",
        .cuda = "cudaMemcpyAsync(v, TENSOR, bytes, cudaMemcpyDeviceToHost, STREAM); "
                "cudaStreamSynchronize(STREAM)",
        .class = COMMAND_PROGRAM,
        .stream_ok = true,
        .argument = {{ARG_PRINTABLE, ARG_MANY, NULL, "TENSOR|EXPRESSION"}},
        .run = print_run,
};
