/* prints.c -- prints that wait for their data; recorded losses
 *
 * The backend calls prints_done for each OP_SYNC on every process. A print is shown when its last
 * rank is ready, or, for the ranks that are ready, when output is shown.
 *
 *     @0-1 print x     waiting 0,1   ready -        queued: no rank has data
 *                      waiting 1     ready 0        rank 0's OP_SYNC is complete
 *     (output shown)   waiting 1     ready -        "[0] x = 1"
 *                      waiting -     ready 1        complete: "[1] x = 2"; the print is freed */
#include "shell/values/prints.h"
#include "base/search.h"
#include "base/memory.h"
#include "shell/values/show.h"

#include <math.h>
#include <string.h>

void print_free(struct print *print)
{
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
	int place = out_place(shell->out);
	FOR_RANKS (rank, &print->ready)
		if (shell->world->me < 0 || rank == shell->world->me)
			out_fill(shell->out, place, rank, text_string(&print->mine));
	print->ready = (struct ranks){0};
}

static void value_text(struct shell *shell, const struct printed *item, struct text *out)
{
	const struct view *view = &item->view;
	const char *name = names_text(shell->world->names, view->name);
	void *packed = NULL;
	enum status status = ST_OK;
	if (shell->world->me >= 0) {
		packed = mem_alloc((size_t)layout_bytes(&view->layout));
		status = read_packed(shell, item->by, view, packed);
	}
	if (status == ST_OK)
		show_answer(shell, shell->world->me, name, &view->layout, packed, out);
	else
		text_add(out, "%s: %s", name, fail_text());
	show_spoiled(shell->world, view->tensor, out);
	mem_free(packed);
}

static void make_text(struct shell *shell, struct print *print)
{
	text_clear(&print->mine);
	for (int i = 0; i < print->items; i++) {
		if (i)
			text_put(&print->mine, "\n", 1);
		if (print->item[i].tensor)
			value_text(shell, &print->item[i], &print->mine);
		else
			text_add(&print->mine, "%s", print->item[i].text);
	}
}

void prints_done(struct shell *shell, op_id id)
{
	int rank = shell->world->ops[id].rank;
	size_t i; /* the first print whose last sync is not earlier; prints are in sync order */
	SEARCH(i, shell->values.print_count,
	        shell->values.prints[i]->sync[shell->values.prints[i]->count - 1] >= id);
	if (i == shell->values.print_count)
		return;
	struct print *print = shell->values.prints[i];
	int k; /* ids rise with the ranks */
	SEARCH(k, print->count, print->sync[k] >= id);
	if (print->sync[k] != id)
		return;
	ranks_drop(&print->waiting, rank);
	ranks_add(&print->ready, rank);
	if (rank == shell->world->me || (shell->world->me < 0 && !print->mine.count))
		make_text(shell, print);
	if (!ranks_empty(&print->waiting))
		return;
	say_ready(shell, print);
	MEM_REMOVE(shell->values.prints, &shell->values.print_count, i);
	print_free(print);
}

void prints_flush(struct shell *shell)
{
	for (size_t i = 0; i < shell->values.print_count; i++)
		say_ready(shell, shell->values.prints[i]);
}

void prints_release(struct shell *shell)
{
	for (size_t i = 0; i < shell->values.print_count; i++)
		print_free(shell->values.prints[i]);
	mem_free(shell->values.prints);
	shell->values.prints = NULL;
	shell->values.print_count = 0;
	mem_free(shell->values.noted);
	shell->values.noted = NULL;
	shell->values.noted_count = 0;
}

void prints_add(struct shell *shell, struct print *print, const op_id *sync, int count)
{
	print->sync = mem_alloc((size_t)count * sizeof *sync);
	memcpy(print->sync, sync, (size_t)count * sizeof *sync);
	print->count = count;
	*MEM_ADD(&shell->values.prints, &shell->values.print_count) = print;
}

const struct operand *noted_loss(const struct world *world, const struct operand *operand, int operands)
{
	for (int i = 0; i < operands; i++)
		if (operand[i].access & ACCESS_WRITE && layout_count(&operand[i].layout) == 1 &&
		        strcmp(names_text(world->names, operand[i].name), "loss") == 0)
			return &operand[i];
	return NULL;
}

void noted_done(struct shell *shell, op_id id)
{
	const struct record *record = op_record(shell->world, id);
	const struct operand *loss = noted_loss(shell->world, record->operand, record->operands);
	double packed; /* room for the largest element type */
	float value;
	if (!loss ||
	        shell->backend->read(
	                shell->backend, id, loss->space, loss->address, &loss->layout, &packed) != ST_OK)
		return;
	dtype_to_f32(loss->layout.dtype, &packed, &value, 1);
	*MEM_ADD(&shell->values.noted, &shell->values.noted_count) = (struct noted){id, value};
}

double noted_value(const struct shell *shell, op_id id)
{
	for (size_t i = shell->values.noted_count; i-- > 0;)
		if (shell->values.noted[i].id == id)
			return shell->values.noted[i].value;
	return NAN;
}
