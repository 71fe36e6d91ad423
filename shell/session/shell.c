/* shell.c -- one process's session: opening, closing and emptying it, and running one line */
#include "shell/session/shell.h"
#include "base/memory.h"
#include "races/races.h"
#include "sim/sim.h"
#include "shell/commands/services.h"
#include "shell/session/credit.h"
#include "shell/language/run/interpreter.h"
#include "shell/lessons/lesson.h"
#include "shell/training/training.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a reset leaves behind. A line that resets the world is still running in it (a lesson's, `reset; tensor
 * x`), so it is freed only when the outermost line is over. */
struct retired {
	struct retired *next;
	struct world *world;
	struct backend *backend;
	struct interpreter *interpreter;
};

static void free_world(struct world *world, struct backend *backend, struct interpreter *interpreter)
{
	if (backend)
		backend->stop(backend);
	if (interpreter)
		interpreter_free(interpreter);
	if (world) {
		races_free(world);
		world_free(world);
	}
}

static void free_retired(struct shell *shell)
{
	for (struct retired *old = shell->retired, *next; old; old = next) {
		next = old->next;
		free_world(old->world, old->backend, old->interpreter);
		mem_free(old);
	}
	shell->retired = NULL;
}

static void done(void *self, op_id id)
{
	prints_done(self, id);
}

/* A fresh world in the shell's fields; they are untouched on failure. */
static enum status make_world(struct shell *shell, int n)
{
	struct backend_hooks hooks = {shell, done};
	struct backend *backend = NULL;
	struct interpreter *interpreter = NULL;
	struct world *world = world_create(n, shell->dry ? -1 : plane_rank(shell->plane), &shell->machine);
	enum status status = shell->interpreter ? ST_OK : interpreter_create(&interpreter);
	if (status == ST_OK)
		backend = sim_start(world, shell->dry ? NULL : shell->plane, hooks);
	if (status != ST_OK) {
		free_world(world, backend, interpreter);
		return status;
	}
	shell->world = world;
	shell->fresh = world->digest;
	shell->backend = backend;
	if (interpreter)
		shell->interpreter = interpreter;
	return ST_OK;
}

enum status shell_open(struct shell *shell, struct plane *plane, int n, bool dry, const char *machine)
{
	shell->plane = plane;
	shell->dry = dry;
	enum status status = machine_load(&shell->machine, machine);
	if (status == ST_OK && !(shell->out = out_create(false, 80)))
		status = ST_MEMORY;
	if (status == ST_OK)
		status = make_world(shell, n);
	shell->machine_at_reset = shell->machine;
	return status;
}

void shell_close(struct shell *shell)
{
	lesson_free(shell);
	prints_release(shell);
	free_retired(shell);
	free_world(shell->world, shell->backend, shell->interpreter);
	out_free(shell->out);
	text_release(&shell->typed);
	text_release(&shell->outside);
	text_release(&shell->keep_as);
	training_free(shell);
	journal_release(&shell->journal);
}

enum status shell_reset(struct shell *shell)
{
	struct plan plan = {0};
	struct retired *old = mem_alloc(sizeof *old);
	enum status status = old ? training_keep(shell, &plan) : ST_MEMORY;
	if (old)
		*old = (struct retired){shell->retired, shell->world, shell->backend, NULL};
	if (status == ST_OK)
		status = make_world(shell, shell->world->n);
	if (status != ST_OK) {
		plan_release(&plan);
		mem_free(old);
		return status;
	}
	shell->retired = old;
	interpreter_reset(
	        shell, old->world->names); /* the same one: its lines may be running (`reset`, `undo`) */
	prints_release(shell);
	text_clear(&shell->typed);
	journal_settle(shell);
	training_reset(shell, &plan);
	shell->races_told = 0;
	shell->pace = 0;
	shell->sticky = ST_OK;
	shell->machine_at_reset = shell->machine;
	if (shell->depth == 0)
		free_retired(shell);
	return ST_OK;
}

/* At the prompt a blocked host is owed an answer: what it waits for may hang on the line just typed for
 * another rank. */
static enum status answer_owed(struct shell *shell)
{
	enum { TRIES_MOST = 64 }; /* each try may cost a copy of the engine */
	int tries = 0;

	for (int rank = 0; rank < shell->world->n && tries < TRIES_MOST; rank++) {
		struct host_now now;
		shell->backend->host(shell->backend, rank, &now);
		if (now.state != HOST_BLOCKED)
			continue;
		tries++;
		enum status status = shell->backend->reach(shell->backend, &now.on, 1, &shell->budget);
		if (status != ST_OK && status != ST_WAITS && status != ST_STUCK)
			return status;
	}
	return ST_OK;
}

void shell_keep(struct shell *shell, enum status status)
{
	if (status == ST_OK || shell->sticky != ST_OK)
		return;
	shell->sticky = status;
	snprintf(shell->sticky_text, sizeof shell->sticky_text, "%.500s", fail_text());
}

enum status shell_settle(struct shell *shell, enum status status)
{
	char words[1024];
	snprintf(words, sizeof words, "%s", fail_text());
	/* a stop is a place in the program: what is queued stays where it is until the next line, on a replay
	 * too */
	enum status advanced =
	        status == ST_INTERRUPTED ? ST_OK : shell->backend->advance(shell->backend, &shell->budget);
	if (advanced == ST_OK && status != ST_INTERRUPTED && shell->interactive)
		advanced = answer_owed(shell);
	if (advanced != ST_OK && (status == ST_OK || advanced != ST_INTERRUPTED)) {
		status = advanced;
		snprintf(words, sizeof words, "%s", fail_text());
	}
	prints_flush(shell);
	warn_new(shell);
	shell_keep(shell, shell->backend->failure(shell->backend));
	return fail(status, "%s", words);
}

void shell_enter(struct shell *shell)
{
	shell->depth++;
}

void shell_leave(struct shell *shell)
{
	if (--shell->depth > 0)
		return;
	journal_settle(shell);
	free_retired(shell);
}

static uint64_t digest(const struct shell *shell)
{
	return shell->world->digest ^ interpreter_digest(shell->interpreter);
}

void shell_keep_as(struct shell *shell, const char *line, size_t from, size_t to, const char *did)
{
	if (line) {
		text_put(&shell->keep_as, line + shell->kept_to, from - shell->kept_to);
	} else {
		text_clear(&shell->keep_as);
		to = SIZE_MAX;
	}
	text_add(&shell->keep_as, "%s", did);
	shell->kept_to = to;
}

/* Refused lines are kept too when a part of them has taken effect: they are refused at the same place
 * again. */
static bool to_keep(
        const struct shell *shell, const char *text, size_t count, enum status status, uint64_t before)
{
	if (status == ST_INCOMPLETE || status == ST_QUIT || status == ST_MEMORY || shell->undid ||
	        journal_only_looks(text, count, true))
		return false;
	bool refused = status != ST_OK && status != ST_INTERRUPTED && status != ST_EXPECT;
	bool several = status != ST_SYNTAX &&
	        (memchr(text, ';', count) || memchr(text, '{', count)); /* ST_SYNTAX: hardly ever begun */
	return !refused || digest(shell) != before || several;
}

enum status shell_take_back(struct shell *shell)
{
	char words[1024];
	snprintf(words, sizeof words, "%s", fail_text());
	shell->half_done = false;
	enum status status = journal_restore(shell);
	if (status != ST_OK)
		return fail(status, "this computer is out of memory: only a part of the world is left");
	return fail(ST_OK, "%s", words);
}

enum status shell_line_again(struct shell *shell, const char *text, size_t count, int64_t stop, int64_t stamp)
{
	int64_t start = credit_position(shell->credit, &shell->budget);
	uint64_t before = digest(shell);

	shell->undid = shell->kept = false;
	text_release(&shell->keep_as);
	shell->kept_to = 0;
	shell_enter(shell);
	training_line(shell);
	if (stop > 0)
		credit_end_at(shell->credit, &shell->budget, stop);
	if (stamp >= 0)
		shell->backend->clock_at_least(shell->backend, stamp);
	enum status status = interpreter_run(shell, text, count, NULL, journal_lines(&shell->journal) + 1);
	if (status != ST_INCOMPLETE)
		status = shell_settle(shell, status);
	credit_end_at(shell->credit, &shell->budget, 0);
	bool stopped = status == ST_INTERRUPTED;
	if (shell->kept_to && shell->kept_to < count)
		text_put(&shell->keep_as, text + shell->kept_to, count - shell->kept_to);
	const char *kept = shell->kept_to ? text_string(&shell->keep_as) : text;
	size_t length = shell->kept_to ? shell->keep_as.count : count;
	shell->kept = to_keep(shell, kept, length, status, before);
	if (shell->kept &&
	        (shell->keep_as.broken ||
	                journal_add(shell, kept, length, stopped ? credit_stop(shell->credit, start) : 0,
	                        stamp) != ST_OK))
		status = ST_MEMORY;
	if (shell->strip && status == ST_OK)
		timeline_strip(shell);
	shell_leave(shell);
	bool touched = digest(shell) != before || !journal_only_looks(text, count, true);
	shell->half_done = status == ST_MEMORY && touched && shell->depth == 0 && !shell->replaying;
	if (shell->half_done &&
	        plane_size(shell->plane) == 1) /* of several, the conductor asks the others first */
		shell_keep(shell, shell_take_back(shell));
	return status;
}

enum status shell_line(struct shell *shell, const char *text, size_t count)
{
	return shell_line_again(shell, text, count, 0, -1);
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

/* FNV-1a: enough to see that a file is another one */
static uint64_t digest_bytes(const unsigned char *bytes, size_t count)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
	return hash;
}

void shell_read_file(struct shell *shell, const char *path, const void *bytes, size_t count)
{
	text_add(&shell->outside, "%s\t%016" PRIx64 "\n", path, digest_bytes(bytes, count));
}
