/* sandbox.c -- runs ranks as threads, each with its own session
 *
 *     the caller     team_create --- starts n threads --- every 20 ms: Ctrl-C? --- joins them
 *     thread r       shell_open --- play --- shell_close --- team_leave
 *
 * Threads count equal steps, as processes do, so a limit ends all ranks at the same place. */
#include "shell/sandbox/sandbox.h"
#include "base/memory.h"
#include "mpi/team.h"
#include "shell/language/run/interpreter.h"
#include "shell/session/credit.h"
#include "shell/training/open.h"

#include <pthread.h>
#include <string.h>

enum { LOOK_MS = 20, STEPS_PART = 1000 };

struct player_of_rank {
	const struct sandbox *sandbox;
	const struct shell *of;
	struct team *team;
	sandbox_play *play;
	void *self;
	int rank;
	pthread_t thread;
	int64_t granted;
	int64_t used;
	enum status begun;
	char *words; /* why it could not begin; owned */
};

/* budget.more: grants the next steps; false if they are used up, or all stop. */
static bool more(struct budget *budget)
{
	struct player_of_rank *player = budget->self;
	int64_t most = player->sandbox->steps_most, part = STEPS_PART;
	if (team_stopped(player->team))
		return false;
	if (most && most - player->granted < part)
		part = most - player->granted;
	if (part <= 0)
		return false;
	player->granted += part;
	budget->steps += part;
	return true;
}

static enum status set_machine(struct shell *shell, const struct sandbox *sandbox, const struct machine *like)
{
	if (!sandbox->machine)
		shell->lasting.machine = *like;
	if (sandbox->memory_most && shell->lasting.machine.memory > (double)sandbox->memory_most)
		shell->lasting.machine.memory = (double)sandbox->memory_most;
	if (sandbox->memory_most && shell->lasting.machine.disk > (double)sandbox->memory_most)
		shell->lasting.machine.disk = (double)sandbox->memory_most;
	shell->host_most = sandbox->memory_most;
	return shell_reset(shell);
}

static enum status begin(struct shell *shell, const struct player_of_rank *player)
{
	const struct sandbox *sandbox = player->sandbox;
	const struct machine like = player->of->lasting.machine;
	enum status status = shell_open(shell, team_transport(player->team, player->rank), sandbox->n, false,
	        sandbox->machine ? sandbox->machine : "classroom");
	if (status == ST_OK)
		status = set_machine(shell, sandbox, &like);
	shell->budget = (struct budget){.more = more, .self = (void *)player};
	shell->arguments = sandbox->arguments;
	shell->argument = (char **)sandbox->argument;
	shell->files.none = true;
	shell_replaying(shell, 1);
	return status;
}

static void *run_rank(void *self)
{
	struct player_of_rank *player = self;
	struct shell shell = {0};
	player->begun = begin(&shell, player);
	if (player->begun == ST_OK)
		player->play(&shell, player->self);
	else
		player->words = fail_copy();
	player->used = player->granted - shell.budget.steps;
	shell_close(&shell);
	team_leave(player->team, player->rank);
	return NULL;
}

static enum status await_all(struct team *team, struct shell *of)
{
	struct budget look = of->credit ? credit_alone(of->credit) : (struct budget){0};
	bool stops = false;
	while (!team_await(team, LOOK_MS)) {
		stops = stops || (look.more && !look.more(&look));
		if (stops)
			team_stop(team);
	}
	return stops ? fail(ST_INTERRUPTED, "interrupted") : ST_OK;
}

enum status sandbox_run(struct sandbox *sandbox, struct shell *of, sandbox_play *play, void *self)
{
	struct team *team = team_create(sandbox->n);
	struct player_of_rank *player = mem_alloc((size_t)sandbox->n * sizeof *player);
	int started = 0;
	enum status status = ST_OK;
	for (; started < sandbox->n && status == ST_OK; started++) {
		player[started] = (struct player_of_rank){.sandbox = sandbox,
		        .of = of,
		        .team = team,
		        .play = play,
		        .self = self,
		        .rank = started};
		if (pthread_create(&player[started].thread, NULL, run_rank, &player[started]) != 0)
			status = fail(ST_MEMORY, "no thread for rank %d of a world beside yours", started);
	}
	if (status != ST_OK) { /* stop the started threads; the rest count as having left */
		team_stop(team);
		for (int rank = --started; rank < sandbox->n; rank++)
			team_leave(team, rank);
	}
	enum status awaited = await_all(team, of);
	for (int rank = 0; rank < started; rank++) {
		pthread_join(player[rank].thread, NULL);
		if (status == ST_OK && player[rank].begun != ST_OK)
			status = fail(player[rank].begun, "a world beside yours cannot begin: %s",
			        player[rank].words);
		mem_free(player[rank].words);
	}
	sandbox->steps = started ? player[0].used : 0;
	mem_free(player);
	team_free(team);
	return status == ST_OK ? awaited : status;
}

/* Grants an empty world, and ignores other wishes, which need a session. */
static enum status grant(struct shell *shell)
{
	enum wish_kind kind = shell->wishes.statement.kind;
	shell->wishes.statement = (struct wish){0};
	return kind == WISH_EMPTY ? shell_reset(shell) : ST_OK;
}

enum status sandbox_lines(struct shell *shell, const char *text, size_t count, const char *file, int line)
{
	return interpreter_run_granting(shell, text, count, file, line, grant);
}

enum status sandbox_end(struct shell *shell)
{
	enum status status = shell->backend->finish(shell->backend, &shell->budget);
	return status == ST_OK ? shell_look(shell) : status;
}

enum status sandbox_finish(struct shell *shell)
{
	struct text words = {0};
	struct trace trace = {.world = shell->world, .backend = shell->backend, .budget = &shell->budget};
	enum status status = sandbox_end(shell);
	if (status == ST_OK && trace_stuck(&trace, 74, true, &words))
		status = fail(ST_STUCK, "%s", text_string(&words));
	text_release(&words);
	return status;
}

/* ---- tensors ---- */

struct kept_world kept_world_make(int n)
{
	return (struct kept_world){mem_alloc((size_t)n * sizeof(struct kept_rank)), n};
}

struct kept_tensor *kept_add(
        struct kept_rank *kept, const char *name, const struct layout *layout, enum dtype dtype)
{
	struct kept_tensor *tensor = MEM_ADD(&kept->tensor, &kept->count);
	*tensor = (struct kept_tensor){.name = mem_copy_text(name, strlen(name))};
	layout_make(&tensor->layout, dtype, layout->dims, layout->dim);
	tensor->elements = mem_alloc((size_t)layout_bytes(&tensor->layout));
	return tensor;
}

const struct kept_tensor *kept_find(const struct kept_rank *kept, const char *name)
{
	for (size_t i = 0; i < kept->count; i++)
		if (strcmp(kept->tensor[i].name, name) == 0)
			return &kept->tensor[i];
	return NULL;
}

void kept_rank_release(struct kept_rank *kept)
{
	for (size_t i = 0; i < kept->count; i++) {
		mem_free(kept->tensor[i].name);
		mem_free(kept->tensor[i].elements);
	}
	mem_free(kept->tensor);
	*kept = (struct kept_rank){0};
}

void kept_world_release(struct kept_world *kept)
{
	for (int rank = 0; kept->rank && rank < kept->n; rank++)
		kept_rank_release(&kept->rank[rank]);
	mem_free(kept->rank);
	*kept = (struct kept_world){0};
}
