/* lasting.c -- the state that outlives a world */
#include "shell/session/lasting.h"
#include "base/memory.h"
#include "shell/session/changes.h"

#include <string.h>

static void lasting_copy(const struct shell *shell, const struct lasting *from, struct lasting *to)
{
	size_t bytes = (size_t)shell->world->n * sizeof *from->slow;
	struct lasting copy = *from;
	if (from->slow)
		copy.slow = memcpy(mem_alloc(bytes), from->slow, bytes);
	lasting_release(to);
	*to = copy;
}

void lasting_keep(const struct shell *shell, struct lasting *to)
{
	lasting_copy(shell, &shell->lasting, to);
}

void lasting_take(struct shell *shell, const struct lasting *from)
{
	lasting_copy(shell, from, &shell->lasting);
}

void lasting_release(struct lasting *lasting)
{
	mem_free(lasting->slow);
	lasting->slow = NULL;
}

enum status lasting_machine(struct shell *shell, const struct machine *machine)
{
	for (int rank = 0; shell->lasting.slow && rank < shell->world->n; rank++)
		if (shell->lasting.slow[rank] != 1)
			lasting_slow(shell, rank, 1);
	return lasting_set(shell, machine);
}

enum status lasting_set(struct shell *shell, const struct machine *machine)
{
	shell->lasting.machine = *machine;
	return changes_machine(shell);
}

void lasting_slow(struct shell *shell, int rank, double factor)
{
	if (!shell->lasting.slow) {
		shell->lasting.slow = mem_alloc((size_t)shell->world->n * sizeof *shell->lasting.slow);
		for (int i = 0; i < shell->world->n; i++)
			shell->lasting.slow[i] = 1;
	}
	factor = changes_slow(shell, rank, factor);
	shell->lasting.slow[rank] = factor;
	world_slow(shell->world, rank, factor);
}

void lasting_begin(struct shell *shell)
{
	for (int rank = 0; shell->lasting.slow && rank < shell->world->n; rank++)
		if (shell->lasting.slow[rank] != 1)
			world_slow(shell->world, rank, shell->lasting.slow[rank]);
}

void lasting_slow_text(const struct shell *shell, struct text *out)
{
	const char *before = "slow:";
	for (int rank = 0; shell->lasting.slow && rank < shell->world->n; rank++) {
		struct ranks set = {0};
		double factor = shell->lasting.slow[rank];
		for (int i = 0; i < shell->world->n && factor != 1; i++)
			if (shell->lasting.slow[i] == factor)
				ranks_add(&set, i);
		if (factor == 1 || ranks_first(&set) != rank)
			continue;
		text_add(out, "%s rank%s ", before, ranks_count(&set) == 1 ? "" : "s");
		ranks_text(&set, out);
		text_add(out, " %gx", factor);
		before = ",";
	}
	text_put(out, "\n", before[0] == ',');
}
