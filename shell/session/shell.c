/* shell.c -- one process's session: its world and backend made, emptied and freed; failures and files kept */
#include "shell/session/shell.h"
#include "base/search.h"
#include "base/memory.h"
#include "races/races.h"
#include "machine/machine.h"
#include "mpi/plane.h"
#include "shell/session/prints.h"
#include "world/world.h"
#include "sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a reset leaves behind. A line that resets the world is still running in it (a lesson's, `reset; tensor
 * x`), so it is freed only when the outermost line is over. */
struct retired {
	struct retired *next;
	struct world *world;
	struct backend *backend;
};

static void free_world(struct world *world, struct backend *backend)
{
	if (backend)
		backend->stop(backend);
	if (world) {
		races_free(world);
		world_free(world);
	}
}

void session_forget(struct shell *shell)
{
	for (struct retired *old = shell->retired, *next; old; old = next) {
		next = old->next;
		free_world(old->world, old->backend);
		mem_free(old);
	}
	shell->retired = NULL;
}

static void done(void *self, op_id id)
{
	prints_done(self, id);
}

/* A fresh world in the shell's fields. */
static void make_world(struct shell *shell, int n)
{
	struct backend_hooks hooks = {shell, done};
	shell->world = world_create(n, shell->dry ? -1 : plane_rank(shell->plane), &shell->machine);
	shell->fresh = shell->world->digest;
	shell->backend = sim_start(shell->world, shell->dry ? NULL : shell->plane, hooks);
}

enum status session_open(struct shell *shell, struct plane *plane, int n, bool dry, const char *machine)
{
	shell->plane = plane;
	shell->dry = dry;
	enum status status = machine_load(&shell->machine, machine);
	if (status == ST_OK && !(shell->out = out_create(false, 80)))
		status = ST_MEMORY;
	if (status == ST_OK)
		make_world(shell, n);
	shell->machine_at_reset = shell->machine;
	return status;
}

void session_close(struct shell *shell)
{
	prints_release(shell);
	session_forget(shell);
	free_world(shell->world, shell->backend);
	out_free(shell->out);
	text_release(&shell->typed);
	text_release(&shell->outside);
	text_release(&shell->keep_as);
	journal_release(&shell->journal);
}

enum status session_reset(struct shell *shell)
{
	struct retired *old = mem_alloc(sizeof *old);
	*old = (struct retired){shell->retired, shell->world, shell->backend};
	make_world(shell, shell->world->n);
	shell->retired = old;
	prints_release(shell);
	text_clear(&shell->typed);
	journal_settle(shell);
	shell->races_told = 0;
	shell->pace = 0;
	shell->sticky = ST_OK;
	shell->machine_at_reset = shell->machine;
	return ST_OK;
}

const struct names *session_names_before(const struct shell *shell)
{
	return shell->retired->world->names;
}

void shell_keep(struct shell *shell, enum status status)
{
	if (status == ST_OK || shell->sticky != ST_OK)
		return;
	shell->sticky = status;
	snprintf(shell->sticky_text, sizeof shell->sticky_text, "%.500s", fail_text());
}

int64_t shell_clock(const struct shell *shell)
{
	int64_t latest = 0;
	for (int rank = 0; rank < shell->world->n; rank++) {
		struct host_now now;
		shell->backend->host(shell->backend, rank, &now);
		latest = now.clock > latest ? now.clock : latest;
	}
	return latest;
}

void shell_read_file(struct shell *shell, const char *path, const void *bytes, size_t count)
{
	text_add(&shell->outside, "%s\t%016" PRIx64 "\n", path, hash_bytes(HASH_BEGIN, bytes, count));
}
