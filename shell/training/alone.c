/* alone.c -- the model trained on one rank, without a strategy: the reference of verify */
#include "base/memory.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/run/player.h"
#include "shell/session/credit.h"
#include "shell/values/read.h"
#include "shell/values/share.h"
#include "shell/training/open.h"
#include "shell/training/training.h"
#include "shell/training/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double BETA2 = 0.999, EPS = 1e-8; /* of the kernel adam, as the models use it */

void alone_release(struct alone *alone)
{
	mem_free(alone->whole);
	mem_free(alone->end);
}

static void alone_divide(struct alone *alone, float *values)
{
	alone->end = values;
	alone->begin = values + alone->elements;
	alone->weight = values + 2 * alone->elements;
}

static enum status alone_find_wholes(struct shell *shell, struct alone *alone)
{
	const struct part_lines *parts = &shell->training->parts;
	alone->whole = mem_alloc(parts->count * sizeof *alone->whole);
	for (int states = 0; states < 2; states++)
		for (size_t i = 0; i < parts->count; i++) {
			const struct part_line *line = &parts->line[i];
			struct whole *whole = &alone->whole[alone->count];
			struct view view;
			if (line->rank != 0 || (*line->state != '\0') != states)
				continue;
			enum status status = interpreter_view(shell, 0, line->tensor, &view);
			if (status != ST_OK)
				return status;
			if (line->row || line->col || line->flat)
				return fail(ST_ARGUMENT,
				        "part %s of %s: the model on one rank has all of it: remove row=, "
				        "col= and at=",
				        line->tensor, line->of);
			*whole = (struct whole){.first = (int64_t)alone->elements};
			snprintf(whole->name, sizeof whole->name, "%s", line->of);
			snprintf(whole->state, sizeof whole->state, "%s", line->state);
			/* so that row= cuts a vector, too */
			whole->cols = view.layout.dims > 1 ? view.layout.dim[view.layout.dims - 1] : 1;
			whole->rows = whole->cols ? layout_count(&view.layout) / whole->cols : 0;
			alone->elements += (size_t)whole_count(whole);
			alone->count++;
		}
	if (!alone->count)
		return fail(ST_ARGUMENT,
		        "the model declares no parameters: a line `part w1 of w1` in its setup declares w1");
	return ST_OK;
}

enum status alone_wholes(struct shell *shell, const struct program *program, struct whole **whole, int *count)
{
	struct alone alone = {0};
	struct shell scratch;
	struct player *player = NULL;
	enum player_stop stop = PLAYER_STEP;
	enum status status = scratch_open(&scratch, shell, shell->transport, 1, true);
	if (status == ST_OK)
		status = program_player(program->alone ? program->alone : program, &scratch, &player);
	while (status == ST_OK && stop == PLAYER_STEP)
		status = player_go(player, &stop);
	if (status == ST_OK)
		status = alone_find_wholes(&scratch, &alone);
	player_free(player);
	scratch_close(&scratch, shell);
	*whole = alone.whole;
	*count = alone.count;
	return status;
}

const struct whole *whole_find(const struct whole *whole, int count, const char *name, const char *state)
{
	for (int i = 0; i < count; i++)
		if (strcmp(whole[i].name, name) == 0 && strcmp(whole[i].state, state) == 0)
			return &whole[i];
	return NULL;
}

const struct whole *whole_of(const struct alone *alone, const char *name, const char *state)
{
	return whole_find(alone->whole, alone->count, name, state);
}

static enum status alone_read(struct shell *shell, const struct alone *alone, float *values)
{
	const struct part_lines *parts = &shell->training->parts;
	enum status status = ST_OK;
	struct ranks set = {0};
	ranks_add(&set, 0);
	for (size_t i = 0; i < parts->count && status == ST_OK; i++) {
		const struct part_line *line = &parts->line[i];
		const struct whole *whole = whole_of(alone, line->of, line->state);
		struct data_read read = {.kind = READ_NORM, .stream = STREAM_DEFAULT, .views = 1};
		double norm;
		if (!whole || line->rank != 0)
			continue;
		status = interpreter_view(shell, 0, line->tensor, read.view);
		if (status == ST_OK)
			status = shell_read(shell, &set, &read, NULL, &norm);
		if (status == ST_OK)
			status = part_floats(shell, line, read.view, values + whole->first);
	}
	return status;
}

/* Turns the root of v at step t of Adam into the divisor of the step:
 *
 *     w -= lr * (m / (1-b1^t)) / (sqrt(v / (1-b2^t)) + eps)
 *                                |------- divisor -------|        sqrt(v / begun), plus eps
 *
 * A gradient's difference moves a parameter 1/divisor times as far. So the least divisor, times
 * the parameters' difference, is at most the gradients'. `rounding` next to other elements bounds
 * it below: elements without a gradient are compared, too. */
static void alone_weigh(struct alone *alone, const struct whole *w, const float *root, int t)
{
	int64_t count = whole_count(w);
	double sum = 0, begun = 1 - pow(BETA2, t), rounding = alone->half ? 2e-2 : 1e-5;
	for (int64_t i = 0; i < count; i++)
		sum += (double)root[i] * root[i] / begun;
	double least = rounding * sqrt(sum / (double)count) + EPS;
	for (int64_t i = 0; i < count; i++) {
		float divisor = (float)(root[i] / sqrt(begun) + least),
		      *weight = &alone->weight[w->first + i];
		*weight = t == 1 || divisor < *weight ? divisor : *weight;
	}
}

static enum status alone_play(struct shell *shell, struct player *player, struct alone *alone)
{
	enum status status = ST_OK;
	enum player_stop stop = PLAYER_STEP;
	for (int t = 0; t <= alone->iterations && status == ST_OK; t++) {
		enum player_stop until = t ? PLAYER_ROUND : PLAYER_SETUP;
		do
			status = player_go(player, &stop);
		while (status == ST_OK && stop == PLAYER_STEP);
		if (status == ST_OK && stop != until)
			status = fail(ST_ARGUMENT, "the program has no setup, or no iteration");
		if (status == ST_OK && t == 0)
			status = alone_find_wholes(shell, alone);
		if (status == ST_OK && t == 0) {
			alone_divide(alone, mem_alloc(3 * alone->elements * sizeof *alone->end));
			for (size_t i = 0; i < alone->elements; i++)
				alone->weight[i] = 1;
		}
		if (status == ST_OK &&
		        (t == 0 || t == alone->iterations || whole_of(alone, alone->whole[0].name, "v")))
			status = alone_read(shell, alone, t ? alone->end : alone->begin);
		if (status == ST_OK && t)
			status = compared_loss(shell, &alone->loss);
		if (status == ST_OK && t)
			alone->loss_most = fmax(alone->loss_most, fabs(alone->loss));
		if (status == ST_OK && t == 0) {
			struct text type = {0};
			player_variable(player, "dtype", &type);
			alone->half = strcmp(text_string(&type), "f16") == 0 ||
			        strcmp(text_string(&type), "bf16") == 0;
			text_release(&type);
		} else if (status == ST_OK) {
			for (int i = 0; i < alone->count; i++) {
				const struct whole *w = &alone->whole[i], *v = whole_of(alone, w->name, "v");
				if (!*w->state && v && whole_count(v) == whole_count(w))
					alone_weigh(alone, w, alone->end + v->first, t);
			}
		}
	}
	return status == ST_OK ? shell->backend->failure(shell->backend) : status;
}

enum status alone_train(struct shell *shell, struct alone *alone)
{
	struct shell scratch;
	struct player *player = NULL;
	struct transport *transport = NULL;
	int argc = 0;
	char **argv = NULL;
	enum status status = transport_start(&transport, false, &argc, &argv);
	if (status != ST_OK)
		return status;
	status = scratch_open(&scratch, shell, transport, 1, false);
	if (status == ST_OK) {
		/* its steps do not count, because the other processes wait */
		scratch.budget = shell->credit ? credit_alone(shell->credit) : (struct budget){0};
		status = program_player(alone->program, &scratch, &player);
	}
	if (status == ST_OK)
		status = alone_play(&scratch, player, alone);
	player_free(player);
	scratch_close(&scratch, shell);
	transport_stop(transport);
	if (status == ST_INTERRUPTED) /* without the model's file and line */
		return fail(ST_INTERRUPTED, "interrupted");
	return status == ST_OK ? status : fail_in(status, "the model on one rank");
}

enum status alone_spread(struct shell *shell, enum status status, struct alone *alone)
{
	const struct alone own = *alone; /* pointers of rank 0 are valid there only */
	status = shell_spread(shell, status, alone, sizeof *alone);
	alone->program = own.program;
	alone->whole = own.whole;
	alone->end = own.end;
	float *values = own.end;
	size_t wholes = (size_t)alone->count * sizeof *alone->whole,
	       bytes = 3 * alone->elements * sizeof *values;
	if (status == ST_OK)
		status = transport_broadcast(shell->transport, 0, (void **)&alone->whole, &wholes);
	if (status == ST_OK)
		status = transport_broadcast(shell->transport, 0, (void **)&values, &bytes);
	if (status == ST_OK)
		alone_divide(alone, values);
	return status;
}
