/* serial.c -- one rank trains alone: what every other strategy must agree with. Further ranks stay idle. */
#include "strategies/shared.h"

static void micro_batch(struct layers *l, const struct strategy_call *call, struct shares *shares, int m)
{
	char title[32];
	shares_layers(shares, m, l);
	batch_step(l, call, m);
	forward_steps(l, m);
	for (int unit = model_units(l->model) - 1; unit >= (l->model->kind == MODEL_GPT ? 0 : 1); unit--) {
		step_begin(l->out,
		        "from the gradient of what it gave: those of its parameters, and of what it was "
		        "given",
		        "backward of %s", unit_title(l->model, unit, title));
		text_add(l->out, "phase B%d\n", m);
		backward_lines(l, unit, BACKWARD_BOTH);
	}
}

static enum status serial_generate(const struct strategy_call *call, struct text *out)
{
	struct layers l = {.model = &call->model, .out = out, .on = " on compute", .suffix = ""};
	struct shares shares;
	enum status status = shares_make(call, 1, (int)option_number(call, "accumulate"), &shares);
	if (status != ST_OK)
		return status;
	if (call->ranks > 1) {
		step_begin(out, "the others have nothing to do", "rank 0, alone");
		text_add(out, "use @0\n");
	}
	status = replica_setup(&l, call, &shares, "compute", true);
	text_add(out, "%s\n", PROGRAM_LOOP);
	for (int m = 0; m < shares.micro && status == ST_OK; m++)
		micro_batch(&l, call, &shares, m);
	if (status == ST_OK)
		status = optimizer_step(&l);
	text_add(out, "}\n");
	return status;
}

static enum status serial_parts(const struct strategy_call *call, struct parts *parts)
{
	return parts_whole(call, 0, parts);
}

const struct strategy strategy_serial = {
        .name = "serial",
        .usage = "strategy serial [accumulate=1]",
        .help = "rank 0 trains alone; the others look on",
        .cost = "memory: everything, once: parameters, gradients, optimizer, and the activations of "
                "batch/accumulate rows\nbytes: none",
        .option = {OPTION_ACCUMULATE},
        .generate = serial_generate,
        .parts = serial_parts,
};
