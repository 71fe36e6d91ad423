/* training.c -- model, data, strategy and program of a session: made, emptied, put at their start */
#include "shell/training/training.h"
#include "base/memory.h"
#include "shell/language/run/interpreter.h"
#include "shell/training/open.h"

#include <string.h>

struct training *training_of(struct shell *shell)
{
	if (shell->training)
		return shell->training;
	struct training *made = mem_alloc(sizeof *made);
	if (made) {
		made->limit = made->cut = -1;
		made->now.model = made->at_reset.model = made->at_line.model =
		        (struct model){.kind = MODEL_MLP,
		                .layers = 8,
		                .hidden = 256,
		                .heads = 4,
		                .seq = 1,
		                .batch = 1024,
		                .vocab = 64,
		                .in = 256,
		                .out = 256,
		                .dtype = DT_F32,
		                .lr = 0.1,
		                .loss_scale = 1,
		                .seed = 1};
	}
	shell->training = made;
	return made;
}

void training_free(struct shell *shell)
{
	if (!shell->training)
		return;
	plan_release(&shell->training->now);
	plan_release(&shell->training->at_reset);
	mem_free(shell->training);
	shell->training = NULL;
	shell->model = NULL;
}

/* What tensors are for is told by the model of the program. */
static void tell_model(struct shell *shell)
{
	struct plan *now = &shell->training->now;
	shell->model = now->program.count ? &now->model : NULL;
}

void plan_release(struct plan *plan)
{
	program_release(&plan->program);
}

enum status plan_copy(const struct plan *from, struct plan *to)
{
	struct program program = {0};
	enum status status = from->program.count ? program_copy(&from->program, &program) : ST_OK;
	if (status != ST_OK)
		return status;
	plan_release(to);
	*to = *from;
	to->program = program;
	return ST_OK;
}

/* Everything but the program */
static void facts_copy(const struct plan *from, struct plan *to)
{
	struct program program = to->program;
	*to = *from;
	to->program = program;
}

void training_line(struct shell *shell)
{
	if (!shell->training)
		return;
	facts_copy(&shell->training->now, &shell->training->at_line);
	shell->training->played_before = shell->training->played;
}

/* Undo runs the lines since the reset again, and as the first the line that resets: it begins with the plan
 * before that. */
enum status training_keep(const struct shell *shell, bool again, struct plan *plan)
{
	const struct training *t = shell->training;
	if (!t)
		return ST_OK;
	enum status status = plan_copy(again ? &t->at_reset : &t->now, plan);
	if (status == ST_OK && !again)
		facts_copy(&t->at_line, plan);
	return status;
}

void training_reset(struct shell *shell, bool again, struct plan *plan)
{
	struct training *t = shell->training;
	if (!t)
		return;
	struct plan *old = again ? &t->now : &t->at_reset;
	plan_release(old);
	*old = *plan;
	tell_model(shell);
	t->at = 0;
	t->iteration = 0;
	t->played = 0;
	t->torn = false;
}

bool program_running(const struct shell *shell)
{
	const struct training *t = shell->training;
	return t && t->now.program.count > t->at && !t->torn;
}

enum { SYNTHETIC_BATCHES = 4 };

void plan_complete(struct plan *plan)
{
	struct model *model = &plan->model;
	model->in = plan->data_given && plan->width_in ? plan->width_in : model->hidden;
	model->out = plan->data_given && plan->width_out ? plan->width_out : model->hidden;
	if (plan->vocab)
		model->vocab = plan->vocab;
	if (plan->data_given && plan->data.count)
		return;
	plan->data = (struct data){.kind = DATA_SYNTHETIC};
	plan->data.count = SYNTHETIC_BATCHES * model->batch * model->seq + (model->kind == MODEL_GPT);
}

/* The program takes the world over: an empty one. What was before it is what `undo` goes back to. call NULL:
 * no strategy has written it. */
static enum status take(
        struct shell *shell, struct training *t, struct program *program, const struct strategy_call *call)
{
	enum status status = session_wants_empty(shell);
	if (status != ST_OK)
		return status;
	if (call)
		t->now.call = *call;
	else
		t->now.call.strategy = NULL;
	program_release(&t->now.program);
	t->now.program = *program;
	*program = (struct program){0};
	tell_model(shell);
	t->at = 0;
	t->iteration = 0;
	t->played = 0;
	t->torn = false;
	return ST_OK;
}

enum status program_generate(struct shell *shell, const struct strategy_call *call)
{
	struct training *t = training_of(shell);
	struct program program = {0};
	struct text text = {0};
	enum status status = t ? strategy_generate(call, &text) : ST_MEMORY;
	if (status == ST_OK)
		status = program_read(&program, &text, call->strategy->name);
	text_release(&text);
	if (status != ST_OK)
		return status;
	status = take(shell, t, &program, call);
	program_release(&program);
	return status;
}

enum status program_load(struct shell *shell, const char *path, const char *bytes, size_t count)
{
	struct training *t = training_of(shell);
	struct program program = {0};
	struct text text = {0};
	text_put(&text, bytes, count);
	enum status status = !t ? ST_MEMORY : interpreter_check(shell, bytes, count, path, 1);
	if (status == ST_OK)
		status = program_read(&program, &text, path);
	text_release(&text);
	if (status != ST_OK)
		return status;
	status = take(shell, t, &program, NULL);
	program_release(&program);
	return status;
}
