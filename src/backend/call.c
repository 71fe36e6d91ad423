/* call.c -- turns a record into a call of its kernel */
#include "backend/call.h"

#include <string.h>

static struct kernel_tensor operand_tensor(const struct world *world, const struct operand *operand)
{
	return (struct kernel_tensor){
	        world ? names_text(world->names, operand->name) : "", operand->layout, NULL};
}

void call_of_record(const struct world *world, const struct record *record, struct kernel_call *call)
{
	*call = (struct kernel_call){.kernel = record->kernel};
	for (int i = 0; i < record->operands && record->kernel->outs; i++)
		call->outs += (record->operand[i].access & ACCESS_WRITE) != 0;
	call->ins = record->operands - call->outs;
	memcpy(call->option, record->parameter, sizeof call->option);
	for (int i = 0; i < record->operands; i++) {
		*call_tensor(call, i) = operand_tensor(world, &record->operand[i]);
		call->add |= (record->operand[i].access & ACCESS_ADD) != 0;
	}
}

void call_of_add(const struct world *world, const struct record *record, const struct operand *target,
        struct kernel_call *call)
{
	*call = (struct kernel_call){.kernel = record->kernel, .ins = 1, .outs = 1, .add = true};
	memcpy(call->option, record->parameter, sizeof call->option);
	call->in[0] = operand_tensor(world, &record->operand[0]);
	call->out[0] = operand_tensor(world, target);
}

enum status call_index_failure(
        const struct world *world, const struct record *record, int64_t place, double value)
{
	struct kernel_call call;
	struct text line = {0};
	source_line_text(world, record->file, record->line, &line);
	call_of_record(world, record, &call);
	enum status status = fail_in(kernel_index_failure(&call, place, value), "%s", text_string(&line));
	text_release(&line);
	return status;
}
