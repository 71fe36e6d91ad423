/* shell.c -- makes, empties and frees a session's world and backend */
#include "shell/session/shell.h"
#include "base/search.h"
#include "mpi/transport.h"
#include "races/races.h"
#include "shell/session/changes.h"
#include "shell/session/device.h"
#include "shell/session/expired.h"
#include "shell/session/lasting.h"
#include "waits/circles.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void free_books(struct world *world)
{
	if (world) {
		races_free(world);
		circles_free(world->circles);
	}
	world_free(world);
}

static void make_books(struct shell *shell, int n)
{
	shell->world =
	        world_create(n, shell->dry ? -1 : transport_rank(shell->transport), &shell->lasting.machine);
	shell->world->host_most = shell->host_most;
	shell->fresh = shell->world->digest;
}

static enum status start_backend(struct shell *shell)
{
	const struct device *device = shell->device ? shell->device : &device_sim;
	enum status status = device->start(device, shell->world, shell->dry ? NULL : shell->transport,
	        (struct backend_hooks){shell, shell->done}, &shell->backend);
	if (status == ST_OK)
		lasting_begin(shell);
	if (status == ST_OK && shell->replay.changes && shell->replay.changes->ops)
		shell->backend->otherwise(
		        shell->backend, shell->replay.changes->op, shell->replay.changes->ops);
	if (status == ST_OK && shell->replay.changes && shell->replay.changes->data)
		shell->backend->data_until(shell->backend, shell->replay.changes->until);
	return status;
}

static void stop_backend(struct shell *shell)
{
	if (shell->backend) {
		shell_keep(shell, shell->backend->failure(shell->backend));
		shell->backend->stop(shell->backend);
	}
	shell->backend = NULL;
}

enum status session_open(struct shell *shell, struct transport *t, int n, bool dry, const char *machine)
{
	shell->transport = t;
	shell->dry = dry;
	enum status status = device_machine_shared(shell->device, t, machine, &shell->lasting.machine);
	shell->steering.looks = dry; /* deterministic, so there is nothing to record */
	shell->out = out_create(false, 80);
	if (status != ST_OK)
		return status;
	make_books(shell, n);
	status = start_backend(shell);
	lasting_keep(shell, &shell->at_start);
	lasting_keep(shell, &shell->at_reset);
	return status;
}

void session_close(struct shell *shell)
{
	stop_backend(shell); /* before the world, which it points into */
	free_books(shell->world);
	lasting_release(&shell->at_reset);
	lasting_release(&shell->at_start);
	lasting_release(&shell->lasting);
	out_free(shell->out);
	text_release(&shell->line.outside);
	journal_release(&shell->journal);
	steering_release(&shell->steering);
	numbers_release(&shell->numbers);
}

void shell_number(struct shell *shell, int rank, const char *name, double value)
{
	if (!shell_quiet(shell))
		numbers_add(&shell->numbers, rank == SHELL_ALL ? 0 : rank, name, value);
}

static enum status start_again(struct shell *shell)
{
	enum status status = start_backend(shell);
	if (!shell->device || shell->device->start == device_sim.start)
		return status;
	status = outcome_share(shell->transport, status);
	if (status == ST_OK)
		return status;
	status = fail_in(status,
	        "the device could not be started again, so the simulator continues (`restart` tries the "
	        "device again)");
	stop_backend(shell);
	shell->device = &device_sim;
	start_backend(shell);
	return status;
}

/* Frees the old world first, because a GPU may not have room for two. The names stay, because
 * trees and settings hold name_ids. */
enum status session_reset(struct shell *shell)
{
	struct world *old = shell->world;
	int n = old->n;
	stop_backend(shell);
	struct names *names = old->names;
	old->names = NULL;
	free_books(old);
	make_books(shell, n);
	enum status status = start_again(shell);
	names_free(shell->world->names);
	shell->world->names = names;
	journal_emptied(&shell->journal);
	text_clear(&shell->steering.program);
	shell->reported.races = shell->reported.unread = shell->reported.orders = shell->reported.circles =
	        shell->reported.swaps = 0;
	lasting_keep(shell, &shell->at_reset);
	return status;
}

enum status session_wants_empty(struct shell *shell)
{
	if (shell->world->digest == shell->fresh)
		return ST_OK;
	shell->wishes.statement = (struct wish){.kind = WISH_EMPTY};
	return fail(ST_AGAIN, "this needs an empty world");
}

void shell_keep(struct shell *shell, enum status status)
{
	if (status == ST_OK || shell->failure.status != ST_OK)
		return;
	shell->failure.status = status;
	snprintf(shell->failure.words, sizeof shell->failure.words, "%.500s", fail_text());
}

void shell_replaying(struct shell *shell, int delta)
{
	shell->replay.depth += delta;
	out_mute(shell->out, delta);
}

void shell_following(struct shell *shell, int delta)
{
	shell->replay.depth += delta;
	shell->replay.shown += delta;
}

enum status shell_advance(struct shell *shell)
{
	return shell->backend->advance(shell->backend, &shell->budget);
}

enum status shell_foresee(struct shell *shell)
{
	if (shell->line.foreseen == shell->world->digest)
		return ST_OK;
	enum status status = shell->backend->project(shell->backend, &shell->budget);
	shell->line.foreseen = status == ST_OK ? shell->world->digest : 0;
	return status;
}

enum status shell_look(struct shell *shell)
{
	enum status status = shell_advance(shell);
	return status == ST_OK ? shell->backend->project(shell->backend, &shell->budget) : status;
}

enum status shell_glance(struct shell *shell)
{
	bool (*waits)(struct budget *) = shell->budget.waits;
	shell->budget.waits = NULL;
	enum status status = shell->backend->project(shell->backend, &shell->budget);
	shell->budget.waits = waits;
	return status == ST_WAITS ? ST_OK : status;
}

enum status shell_reach(struct shell *shell, const op_id *ids, int count)
{
	enum status status = shell->backend->reach(shell->backend, ids, count, &shell->budget);
	shell->line.reached |= status == ST_OK;
	if (status == ST_OK)
		shell_expired(shell);
	return status;
}

int64_t shell_clock(const struct shell *shell)
{
	int64_t latest = 0;
	for (int rank = 0; rank < shell->world->n; rank++) {
		struct host_now now = backend_host(shell->backend, rank);
		latest = now.clock > latest ? now.clock : latest;
	}
	return latest;
}

void shell_read_file(struct shell *shell, const char *path, const void *bytes, size_t count)
{
	struct text entry = {0};
	text_add(&entry, "%s\t%016" PRIx64 "\n", path, hash_bytes(HASH_BEGIN, bytes, count));
	shell_read_files(shell, text_string(&entry));
	text_release(&entry);
}

void shell_read_files(struct shell *shell, const char *entries)
{
	for (const char *at = entries, *next; *at; at = next) {
		next = at + strcspn(at, "\n") + 1;
		if (!memmem(text_string(&shell->line.outside), shell->line.outside.count, at,
		            (size_t)(next - at)))
			text_put(&shell->line.outside, at, (size_t)(next - at));
	}
}
