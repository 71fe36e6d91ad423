/* collective.c -- runs a line of a collective: allreduce, broadcast, ..., in place or OUT =.
 *
 * For each rank `resolve` finds the stream, the rank's part of the group, the tensor, op=, root=,
 * algo=. The ranks then differ only in their struct plan_place, so thousands share a few plans.
 * For each plan `complete` finds the result's layout and the message's bytes, and checks the
 * algorithm.
 *
 * Split sizes (send=, recv=) come from data, which is read before anything is resolved. The ranks
 * of a collective may have different lines, which are compared when they match, not here. */
#include "shell/submit/plan.h"
#include "shell/language/run/command.h"
#include "collectives/algorithm.h"
#include "collectives/collective.h"
#include "base/arithmetic.h"
#include "base/memory.h"

#include <string.h>

static enum status read_op_and_algo(struct call *call, int rank, struct record *record)
{
	const char *reduction = "sum", *algorithm = "auto";
	enum status status = call_option_word(call, "op", rank, &reduction);
	if (status == ST_OK)
		status = call_option_word(call, "algo", rank, &algorithm);
	if (call->statement->row->collective->reduces)
		record->reduction = (uint8_t)text_place(REDUCTION_WORDS, reduction, strlen(reduction));
	record->algorithm = (uint8_t)text_place(ALGORITHM_WORDS, algorithm, strlen(algorithm));
	return status;
}

static enum status read_backup(struct call *call, int rank, int n, struct record *record)
{
	int64_t backup = 0;
	enum status status = call_option_whole(call, "backup", rank, 0, INT16_MAX, &backup);
	if (status == ST_OK && backup >= n)
		return fail(ST_RANGE, "%s: backup=%lld leaves out all ranks: the group has %d rank%s",
		        call->statement->row->name, (long long)backup, n, n == 1 ? "" : "s");
	if (status == ST_OK && backup && record->reduction != REDUCE_SUM && record->reduction != REDUCE_AVG)
		return fail(ST_ARGUMENT, "%s: backup= is for op=sum and op=avg", call->statement->row->name);
	if (status == ST_OK && backup && call_count(call, COLLECTIVE_UNROLL))
		return fail(ST_ARGUMENT,
		        "%s: backup= does not unroll: the rank that is left out is known only after all "
		        "others have arrived",
		        call->statement->row->name);
	record->backup = (uint16_t)backup;
	return status;
}

static enum status read_root(struct call *call, int rank, int n, struct record *record)
{
	struct number number = {0};
	enum status status = call_option(call, "root", rank, &number);
	if (status == ST_OK && !number_is_whole(number.value, 0, n - 1))
		return fail(ST_RANK, "%s: root=%g: in the group, %s", call->statement->row->name,
		        number.value, ranks_of_text(n).text);
	record->root = (int)number.value;
	return status;
}

static enum status check_counts(const struct list_counts *count, int n)
{
	bool sends = count->first <= 0 || count->first % n != 0;
	int64_t given = sends ? count->first : count->second;
	if (given > 0 && given % n == 0)
		return ST_OK;
	return fail(ST_SHAPE,
	        "alltoall: %s= has %lld number%s for %d rank%s: %d, or the same number for each, %s expected",
	        sends ? "send" : "recv", (long long)given, given == 1 ? "" : "s", n, n == 1 ? "" : "s", n,
	        n == 1 ? "is" : "are");
}

static enum status counts_add(const double *numbers, int64_t count, int n, const char *option, int64_t *rows)
{
	for (int64_t i = 0; i < count; i++) {
		if (numbers[i] < 0)
			return fail(ST_RANGE, "alltoall: %s= has %g: rows are counted from 0 on", option,
			        numbers[i]);
		rows[i / (count / n)] += (int64_t)numbers[i];
	}
	return ST_OK;
}

/* Sets *split and *rows, [2n], freed by the caller. values: the rank's two lists; NULL without
 * data */
static enum status split_of(struct call *call, int rank, const struct list_counts *count,
        const double *values, int64_t **rows, struct split *split)
{
	struct view view;
	int group;
	enum status status = call_group(call, rank, &group);
	if (status == ST_OK)
		status = call_tensor(call, COLLECTIVE_TENSOR, 0, rank, &view);
	if (status != ST_OK)
		return status;
	int n = group_part(&call->shell->world->groups[group], rank)->n;
	*rows = mem_alloc(2 * (size_t)n * sizeof **rows);
	*split = (struct split){
	        .n = n, .row_bytes = dtype_bytes((enum dtype)view.layout.dtype), .rows = *rows};
	for (int i = 1; i < view.layout.dims; i++)
		split->row_bytes *= view.layout.dim[i];
	status = check_counts(count, n);
	if (status != ST_OK)
		return status;
	/* without data the rows are divided evenly, in both directions */
	for (int64_t p = 0, all = view.layout.dim[0]; p < n && !values; p++)
		(*rows)[p] = (*rows)[n + p] = all * (p + 1) / n - all * p / n;
	if (!values)
		return ST_OK;
	status = counts_add(values, count->first, n, "send", *rows);
	return status == ST_OK ? counts_add(values + count->first, count->second, n, "recv", *rows + n)
	                       : status;
}

static enum status run_split(struct call *call)
{
	int n = call->shell->world->n, i = 0;
	struct split *split = mem_alloc((size_t)n * sizeof *split);
	int64_t **rows = mem_alloc((size_t)n * sizeof *rows);
	struct lists lists = {0};
	enum status status = call_lists(call, "send", "recv", &lists);
	bool known = lists.value && !shell_keeps_no_data(call->shell);
	FOR_RANKS (rank, call->set) {
		const double *values = known ? lists.value + (size_t)i * lists.each : NULL;
		if (status == ST_OK)
			status = split_of(call, rank, &lists.count[i], values, &rows[rank], &split[rank]);
		i++;
	}
	call->split = split;
	if (status == ST_OK)
		status = plans_run(call, OP_COLLECTIVE, collective_resolve, collective_complete);
	call->split = NULL;
	for (int rank = 0; rank < n; rank++)
		mem_free(rows[rank]);
	mem_free(rows);
	mem_free(split);
	lists_release(&lists);
	return status;
}

/* Sets plan->shape, the result's layout, if an allgather has rows=. */
static enum status read_rows(struct call *call, int rank, const struct layout *in, struct submit_plan *plan)
{
	int64_t dim[DIMS_MAX];
	if (!call_has(call, "rows"))
		return ST_OK;
	memcpy(dim, in->dim, sizeof dim);
	enum status status = call_option_whole(call, "rows", rank, 0, INT64_MAX, &dim[0]);
	return status == ST_OK ? layout_make(&plan->shape, (enum dtype)in->dtype, in->dims, dim) : status;
}

enum status collective_resolve(struct call *call, int rank, struct submit_plan *plan)
{
	const struct collective *collective = call->statement->row->collective;
	struct record *record = &plan->record;
	struct view view;
	enum status status = call_group(call, rank, &record->group);
	if (status == ST_OK)
		status = call_tensor(call, COLLECTIVE_TENSOR, 0, rank, &view);
	if (status != ST_OK)
		return status;
	const struct group_instance *part = plan_part(call->shell, plan, rank);
	status = read_op_and_algo(call, rank, record);
	if (status == ST_OK && collective->spares)
		status = read_backup(call, rank, part->n, record);
	if (status == ST_OK && collective->has_root)
		status = read_root(call, rank, part->n, record);
	if (status == ST_OK && collective->rows)
		status = read_rows(call, rank, &view.layout, plan);
	if (status != ST_OK)
		return status;
	int place = call->shell->world->groups[record->group].place_of[rank];
	bool cut = collective == &collective_reducescatter;
	plan->place.group = world_group_like(call->shell->world, record->group, rank);
	plan->place.root = collective->has_root && part->ranks[record->root] == rank;
	if (cut || plan->shape.dims) {
		int64_t rows = (cut ? &view.layout : &plan->shape)->dim[0];
		int64_t own = chunk_at(rows, part->n, place + 1) - chunk_at(rows, part->n, place);
		plan->place.rows = (own < parts_of(rows, part->n)) + (own == 0 && rows > 0);
	}
	if (call->split) {
		record->split = call->split[rank];
		plan->place.rows = place; /* each rank has its own */
	}
	bool stays = call->statement->results == 0 && collective->in_place;
	bool root = part->ranks[record->root] == rank;
	int access = stays ? ACCESS_READ | ACCESS_WRITE : ACCESS_READ;
	/* in place, a broadcast's root only reads and the others only write; in a reduction the
	 * ranks other than the root only read */
	if (stays && collective->has_root && (!root || !collective->root_gets))
		access = root || collective->root_gets ? ACCESS_READ : ACCESS_WRITE;
	plan_operand(plan, &view, access);
	if (call->statement->results > 1)
		return fail(ST_ARGUMENT, "%s gives one result: %s", collective->name, collective->usage);
	return call->statement->results ? plan_result_view(call, rank, plan) : ST_OK;
}

/* Settles the result, if the rank gets one, and sets the record's bytes. */
static enum status collective_settle(
        struct shell *shell, const struct collective *collective, int n, int place, struct submit_plan *plan)
{
	const struct operand *in = &plan->operand[0];
	const struct layout *whole = plan->shape.dims ? &plan->shape : NULL;
	const char *name = names_text(shell->world->names, in->name);
	struct layout out = whole ? *whole : in->layout;
	if (!plan->results && !collective->in_place)
		return fail(ST_ARGUMENT, "%s gives a result: NAME = %s %s", collective->name,
		        collective->name, name);
	const struct split *split = &plan->record.split;
	enum status status = split->n ? split_shape(name, &in->layout, split, &out)
	        : whole               ? chunk_shape(name, &in->layout, n, place, whole)
	                : collective_shape(collective, name, &in->layout, n, place, plan->record.root, &out);
	if (status != ST_OK)
		return fail_in(status, "%s", collective->name);
	plan->record.bytes = split->n ? most_of(layout_bytes(&in->layout), layout_bytes(&out))
	                              : collective_bytes(collective, &in->layout, n, whole);
	int64_t rows_bytes = layout_bytes(collective->result == RESULT_SHARED ? &in->layout : &out);
	plan->record.whole =
	        (whole || collective == &collective_reducescatter) && rows_bytes < plan->record.bytes
	        ? rows_bytes
	        : 0;
	plan->results = out.dims ? plan->results : 0;
	return plan->results ? plan_result_settle(shell, plan, 0, &out, ACCESS_WRITE) : ST_OK;
}

enum status collective_complete(struct call *call, int rank, struct submit_plan *plan)
{
	struct shell *shell = call->shell;
	const struct collective *collective = call->statement->row->collective;
	const struct group_instance *part = plan_part(shell, plan, rank);
	struct record *record = &plan->record;

	if (call->statement->adds)
		return fail(ST_ARGUMENT, "%s does not add: receive into a tensor, then `y += x`",
		        collective->name);
	record->collective = collective;
	record->dtype = plan->operand[0].layout.dtype;
	record->object = plan->results ? plan->result[0].view.name : plan->operand[0].name;
	enum status status = collective_settle(
	        shell, collective, part->n, shell->world->groups[record->group].place_of[rank], plan);
	if (status == ST_OK)
		status = plan_for_nccl(shell, plan);
	struct cost cost; /* algo= may not run on such a group */
	if (status != ST_OK || record->algorithm == ALGORITHM_AUTO)
		return status;
	return collective_cost(collective, &shell->lasting.machine, (struct cost_group){part->n, part->ranks},
	        record->bytes, record->algorithm, &cost);
}

enum status collective_run(struct call *call)
{
	if (call_count(call, COLLECTIVE_UNROLL))
		return unroll_run(call);
	const char *given = call_has(call, "send") ? "send" : "recv",
	           *missing = call_has(call, "send") ? "recv" : "send";
	if (call_has(call, given) && !call_has(call, missing))
		return fail(ST_ARGUMENT,
		        "alltoall: %s= needs %s=, the rows %s each rank: `y = alltoall x send=to recv=from`",
		        given, missing, strcmp(missing, "recv") == 0 ? "from" : "to");
	return call_has(call, "send")
	        ? run_split(call)
	        : plans_run(call, OP_COLLECTIVE, collective_resolve, collective_complete);
}
