/* bench_gpt.c -- iterations a second of a gpt that one rank of the simulator trains, beside the same
 * arithmetic as a plain C loop over CBLAS.
 *
 * Both take turns, several times, and the best of each counts: what else the computer does spoils either.
 * Times are the process's own. */
#include "plain_gpt.h"
#include "shell/session/credit.h"
#include "shell/language/run/interpreter.h"
#include "shell/training/training.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"
#include "shell/line/line.h"
#include "shell/training/open.h"

#include <stdio.h>
#include <time.h>

enum { TURNS = 5, ITERATIONS = 10, TEXT = 20000 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum status play(struct shell *shell, const char *lines)
{
	return shell_settle(shell, interpreter_run(shell, lines, strlen(lines), NULL, 1));
}

static enum status race(
        struct shell *shell, struct plain *plain, const int *text, float *loss, double best[2])
{
	char line[32];
	snprintf(line, sizeof line, "run %d", ITERATIONS);
	for (int turn = 0; turn < TURNS; turn++) {
		double from = now();
		for (int i = 0; i < ITERATIONS; i++)
			*loss = plain_iteration(
			        plain, text + (1 + turn * ITERATIONS + i) % ((TEXT - 1) / TOKENS) * TOKENS);
		best[0] = fmin(best[0], (now() - from) / ITERATIONS);
		from = now();
		enum status status = play(shell, line);
		if (status != ST_OK)
			return status;
		best[1] = fmin(best[1], (now() - from) / ITERATIONS);
	}
	return ST_OK;
}

static enum status compare(struct shell *shell)
{
	struct plain plain;
	double best[2] = {INFINITY, INFINITY}, same = 0;
	int *text = plain_text(TEXT, 64);
	float loss = 0;
	if (!text)
		return ST_MEMORY;
	plain_make(&plain, 64);
	enum status status = play(shell,
	        "model gpt layers=4 hidden=64 heads=4 seq=64 batch=8; data synthetic count=20000; strategy "
	        "serial; run 1");
	plain_iteration(&plain, text);
	if (status == ST_OK)
		status = race(shell, &plain, text, &loss, best);
	if (status == ST_OK)
		status = program_loss(shell, &same);
	if (status == ST_OK)
		printf("gpt: %.2f ms an iteration as a plain loop (loss %.5f), %.2f ms in the simulator "
		       "(loss %.5f): %.0f%% of the speed (at least 50%%)\n",
		        best[0] * 1e3, (double)loss, best[1] * 1e3, same, best[0] / best[1] * 100);
	plain_free(&plain);
	free(text);
	return status;
}

int main(int argc, char **argv)
{
	commands_start(command_table);
	struct shell shell = {0};
	struct credit credit = {0};
	struct transport *transport;
	if (transport_start(&transport, false, &argc, &argv) != ST_OK)
		return 1;
	enum status status = shell_open(&shell, transport, 1, false, "classroom");
	credit_start(&credit, transport, &shell.budget);
	shell.credit = &credit;
	if (status == ST_OK)
		status = compare(&shell);
	if (status != ST_OK)
		printf("failed: %s\n", fail_text());
	shell_close(&shell);
	transport_stop(transport);
	return status != ST_OK;
}
