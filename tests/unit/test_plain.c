/* test_plain.c -- what one rank trains by a model's file alone, held to another source: the same models as
 * plain C programs. `verify` compares every strategy with this one rank; here it is itself compared, losses
 * iteration by iteration and every parameter after the last.
 *
 *     gpt   tests/bench/plain_gpt.h, Adam          mlp   below, three loops and a relu, SGD */
#include "alone.h"
#include "tests/bench/plain_gpt.h"
#include "shell/language/run/interpreter.h"
#include "shell/line/line.h"
#include "shell/session/credit.h"
#include "shell/training/open.h"
#include "shell/training/training.h"

enum { TEXT = 20000, VOCAB = 64, ITERATIONS = 8 };
enum { MLP_LAYERS = 3, MLP_HIDDEN = 24, MLP_BATCH = 10, MLP_BATCHES = 4, MLP_COUNT = MLP_BATCH * MLP_HIDDEN };

static struct shell shell;
static struct credit credit;

static void begin(const char *lines)
{
	credit = (struct credit){0};
	shell = (struct shell){0};
	assert_int_equal(shell_open(&shell, transport, 1, false, "classroom"), ST_OK);
	credit_start(&credit, transport, &shell.budget);
	shell.credit = &credit;
	if (shell_settle(&shell, interpreter_run(&shell, lines, strlen(lines), NULL, 1)) != ST_OK)
		fail_msg("%s: %s", lines, fail_text());
}

static void play(const char *lines)
{
	if (shell_settle(&shell, interpreter_run(&shell, lines, strlen(lines), NULL, 1)) != ST_OK)
		fail_msg("%s: %s", lines, fail_text());
}

static void iteration_gives(int it, double wanted)
{
	double loss = 0;
	play("run 1");
	assert_int_equal(program_loss(&shell, &loss), ST_OK);
	if (!(fabs(loss - wanted) < 2e-5))
		fail_msg("iteration %d: loss %.7f, of the plain program %.7f", it, loss, wanted);
}

/* The tensor has these numbers, but for rounding; and they are not those that it began with. */
static void holds(const char *name, const float *wanted, const float *before, int count, double near)
{
	name_id id = names_find(shell.world->names, name, strlen(name));
	struct thing thing = world_find(shell.world, 0, id);
	float *got = plain_array(count);
	double moved = 0;
	assert_int_equal(thing.kind, THING_TENSOR);
	const struct tensor *tensor = &shell.world->tensors[thing.index];
	assert_int_equal(layout_count(&tensor->layout), count);
	assert_int_equal(
	        shell.backend->read(shell.backend, 0, SPACE_DEVICE, tensor->address, &tensor->layout, got),
	        ST_OK);
	for (int i = 0; i < count; i++) {
		if (!(fabs((double)(got[i] - wanted[i])) < near))
			fail_msg("%s[%d] is %.8f, the plain program's %.8f", name, i, (double)got[i],
			        (double)wanted[i]);
		moved = fmax(moved, fabs((double)(wanted[i] - before[i])));
	}
	assert_true(moved > 20 * near);
	free(got);
}

/* ---- gpt ---- */

static void weights_hold(const struct plain *p, const struct plain *before)
{
	const struct weight *ends[] = {&p->table, &p->pos, &p->head},
	                    *old_ends[] = {&before->table, &before->pos, &before->head};
	static const char *const names[] = {"table", "pos", "head"};
	static const char *const in_block[] = {"wq", "wk", "wv", "wo", "wu", "wd"};
	char name[16];
	for (int i = 0; i < 3; i++)
		holds(names[i], ends[i]->w, old_ends[i]->w, ends[i]->rows * ends[i]->cols, 2e-4);
	for (int l = 0; l < LAYERS; l++) {
		const struct plain_block *b = &p->block[l], *old = &before->block[l];
		const struct weight *of[] = {&b->q, &b->k, &b->v, &b->o, &b->up, &b->down},
		                    *was[] = {&old->q, &old->k, &old->v, &old->o, &old->up, &old->down};
		for (int k = 0; k < 6; k++) {
			snprintf(name, sizeof name, "%s%d", in_block[k], l + 1);
			holds(name, of[k]->w, was[k]->w, of[k]->rows * of[k]->cols, 2e-4);
		}
	}
}

static void a_gpt(void **state)
{
	struct plain plain, before;
	int *text = plain_text(TEXT, VOCAB);
	(void)state;
	assert_non_null(text);
	plain_make(&plain, VOCAB);
	plain_make(&before, VOCAB);
	begin("model gpt layers=4 hidden=64 heads=4 seq=64 batch=8 vocab=64\n"
	      "data synthetic count=20000\nstrategy serial");
	for (int it = 0; it < ITERATIONS; it++)
		iteration_gives(it, (double)plain_iteration(&plain, text + it * TOKENS));
	play("sync");
	weights_hold(&plain, &before);
	shell_close(&shell);
	plain_free(&plain);
	plain_free(&before);
	free(text);
}

/* ---- mlp ---- */

struct plain_mlp {
	struct weight w[MLP_LAYERS];
	float x[MLP_LAYERS + 1][MLP_COUNT], z[MLP_LAYERS][MLP_COUNT], d[MLP_COUNT], next[MLP_COUNT];
};

/* c = a b, a [rows, inner] or its transpose, b [inner, cols] or its transpose */
static void product(
        const float *a, bool a_turned, const float *b, bool b_turned, float *c, int rows, int inner, int cols)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < cols; j++) {
			double sum = 0;
			for (int k = 0; k < inner; k++)
				sum += (double)a[a_turned ? k * rows + i : i * inner + k] *
				        (double)b[b_turned ? j * inner + k : k * cols + j];
			c[i * cols + j] = (float)sum;
		}
}

static double mlp_iteration(struct plain_mlp *p, const float *rows, const float *targets, float lr)
{
	double loss = 0;
	memcpy(p->x[0], rows, sizeof p->x[0]);
	for (int l = 0; l < MLP_LAYERS; l++) {
		product(p->x[l], false, p->w[l].w, false, p->z[l], MLP_BATCH, MLP_HIDDEN, MLP_HIDDEN);
		for (int i = 0; i < MLP_COUNT; i++)
			p->x[l + 1][i] = l < MLP_LAYERS - 1 && p->z[l][i] < 0 ? 0 : p->z[l][i];
	}
	for (int i = 0; i < MLP_COUNT; i++) {
		double away = (double)(p->x[MLP_LAYERS][i] - targets[i]);
		loss += away * away / MLP_COUNT;
		p->d[i] = (float)(2 * away / MLP_COUNT);
	}
	for (int l = MLP_LAYERS - 1; l >= 0; l--) {
		for (int i = 0; i < MLP_COUNT && l < MLP_LAYERS - 1; i++)
			p->d[i] = p->z[l][i] > 0 ? p->d[i] : 0;
		product(p->x[l], true, p->d, false, p->w[l].g, MLP_HIDDEN, MLP_BATCH, MLP_HIDDEN);
		product(p->d, false, p->w[l].w, true, p->next, MLP_BATCH, MLP_HIDDEN, MLP_HIDDEN);
		memcpy(p->d, p->next, sizeof p->d);
	}
	for (int l = 0; l < MLP_LAYERS; l++)
		for (int i = 0; i < MLP_HIDDEN * MLP_HIDDEN; i++)
			p->w[l].w[i] -= lr * p->w[l].g[i];
	return loss;
}

static void an_mlp(void **state)
{
	static struct plain_mlp p, before;
	float *data[2];
	char name[16];
	(void)state;
	for (int k = 0; k < 2; k++) {
		data[k] = plain_array(MLP_BATCHES * MLP_COUNT);
		for (int i = 0; i < MLP_BATCHES * MLP_COUNT; i++)
			data[k][i] = philox_normal((uint64_t)(1004 + k), (uint64_t)i);
	}
	for (int l = 0; l < MLP_LAYERS; l++) {
		double scale = sqrt((l == MLP_LAYERS - 1 ? 1.0 : 2.0) / MLP_HIDDEN);
		plain_weight(&p.w[l], MLP_HIDDEN, MLP_HIDDEN, scale, 4 + l + 1);
		plain_weight(&before.w[l], MLP_HIDDEN, MLP_HIDDEN, scale, 4 + l + 1);
	}
	begin("model mlp layers=3 hidden=24 batch=10 seed=4\nstrategy serial");
	for (int it = 0; it < ITERATIONS; it++) { /* twice through the data */
		int at = it % MLP_BATCHES * MLP_COUNT;
		iteration_gives(it, mlp_iteration(&p, data[0] + at, data[1] + at, 0.1f)); /* the default */
	}
	play("sync");
	for (int l = 0; l < MLP_LAYERS; l++) {
		snprintf(name, sizeof name, "w%d", l + 1);
		holds(name, p.w[l].w, before.w[l].w, MLP_HIDDEN * MLP_HIDDEN, 2e-5);
		plain_weight_free(&p.w[l]);
		plain_weight_free(&before.w[l]);
	}
	shell_close(&shell);
	free(data[0]);
	free(data[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_gpt), cmocka_unit_test(an_mlp)};
	return cmocka_run_group_tests(tests, open_transport, close_transport);
}
