/* noted.c -- a list of (operation, value) in virtual-time order */
#include "shell/values/noted.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const struct operand *written_loss(
        const struct world *world, const struct operand *operand, int operands)
{
	for (int i = 0; i < operands; i++)
		if (operand[i].access & ACCESS_WRITE && layout_count(&operand[i].layout) == 1 &&
		        strcmp(names_text(world->names, operand[i].name), "loss") == 0)
			return &operand[i];
	return NULL;
}

bool noted_wanted(const struct world *world, const struct operand *operand, int operands)
{
	return written_loss(world, operand, operands) != NULL;
}

void noted_done(struct shell *shell, op_id id)
{
	const struct record *record = op_record(shell->world, id);
	const struct operand *loss = written_loss(shell->world, record->operand, record->operands);
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

void noted_release(struct shell *shell)
{
	mem_free(shell->values.noted);
	shell->values.noted = NULL;
	shell->values.noted_count = 0;
}
