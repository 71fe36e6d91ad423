/* judge.c -- each rank's thread records its tensors, rank 0's thread also the other results */
#include "shell/course/hunt/hunt.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "races/races.h"
#include "shell/language/run/interpreter.h"
#include "shell/language/run/player.h"
#include "shell/language/run/state.h"
#include "shell/sandbox/sandbox.h"
#include "shell/values/read.h"
#include "shell/training/verify.h"
#include "trace/trace.h"

#include <math.h>
#include <string.h>

struct judge {
	const struct program *program;
	int iterations;
	struct judged *judged;
	const struct shell *first; /* rank 0's session */
};

static struct lines_ran *ran_find(const struct judged *judged, const char *file)
{
	for (size_t i = 0; i < judged->files; i++)
		if (strcmp(judged->file[i].file, file) == 0)
			return &judged->file[i];
	return NULL;
}

static void ran_add(struct judged *judged, const char *file, int line)
{
	struct lines_ran *ran = ran_find(judged, file);
	if (!ran) {
		ran = MEM_ADD(&judged->file, &judged->files);
		*ran = (struct lines_ran){.file = mem_copy_text(file, strlen(file))};
	}
	while (ran->lines <= (size_t)line)
		*MEM_ADD(&ran->ran, &ran->lines) = false;
	ran->ran[line] = true;
}

static void judge_on_line(
        void *self, enum ran ran, struct statement *statement, const struct ranks *set, int depth)
{
	const struct judge *judge = self;
	const struct interpreter *in = judge->first->interpreter;
	const struct tree *tree = in->now.tree;
	(void)ran, (void)set, (void)depth;
	if (tree && tree->file)
		ran_add(judge->judged, tree->file, statement->line);
}

bool judged_ran(const struct judged *judged, const char *file, int line)
{
	const struct lines_ran *ran = ran_find(judged, file);
	return ran && (size_t)line < ran->lines && ran->ran[line];
}

static void held_add(
        struct shell *shell, struct kept_rank *kept, const char *name, const struct part_line *part)
{
	struct view view;
	if (interpreter_view(shell, shell->world->me, part ? part->tensor : name, &view) != ST_OK)
		return;
	struct kept_tensor *tensor = kept_add(kept, name, &view.layout, DT_F32);
	enum status status = part ? part_floats(shell, part, &view, tensor->elements)
	                          : read_floats(shell, 0, &view, tensor->elements);
	if (status != ST_OK)
		layout_make(&tensor->layout, DT_F32, 1, &(int64_t){0});
}

static void held_add_all(struct shell *shell, struct kept_rank *kept)
{
	const struct part_lines *parts = &shell->training->parts;
	const struct world *world = shell->world;
	for (size_t i = 0; i < parts->count; i++) {
		const struct part_line *part = &parts->line[i];
		struct text name = {0};
		text_add(&name, "%s %s of %s at %lld,%lld,%lld", part->tensor, part->state, part->of,
		        (long long)part->row, (long long)part->col, (long long)part->at);
		if (part->rank == world->me)
			held_add(shell, kept, text_string(&name), part);
		text_release(&name);
	}
	for (name_id name = 1; !parts->count && (int)name <= names_count(world->names); name++)
		if (world_find(world, world->me, name).kind == THING_TENSOR)
			held_add(shell, kept, names_text(world->names, name), NULL);
}

static enum status play_steps(struct player *player, int iterations)
{
	enum player_stop stop = PLAYER_STEP;
	enum status status = ST_OK;
	for (int left = iterations; status == ST_OK && stop != PLAYER_END;) {
		status = player_go(player, &stop);
		left -= stop == PLAYER_ROUND;
		if ((stop == PLAYER_SETUP && !iterations) || (stop == PLAYER_ROUND && left <= 0))
			break;
	}
	return status;
}

static void note_end(struct judged *judged, const struct shell *shell, enum status status)
{
	if (shell->world->me != 0)
		return;
	judged->end = status == ST_INTERRUPTED             ? JUDGED_OVER
	        : status == ST_STUCK || status == ST_WAITS ? JUDGED_STUCK
	                                                   : JUDGED_REFUSED;
	text_add(&judged->words, "%s", fail_text());
}

/* A last `sync` completes all writes. */
static void judge_end(struct shell *shell, struct judged *judged)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend, .budget = &shell->budget};
	enum status status = sandbox_lines(shell, "sync", strlen("sync"), NULL, 1);
	if (status == ST_OK)
		status = sandbox_finish(shell);
	if (status != ST_OK) {
		note_end(judged, shell, status);
		return;
	}
	held_add_all(shell, &judged->kept.rank[shell->world->me]);
	if (shell->world->me != 0)
		return;
	struct window window = trace_time(&trace, -1);
	const struct races *races = races_now(shell->world);
	judged->time_ns = window.to - window.from;
	judged->races = races->count + races->unread_count;
	judged->failed = shell->expect.failed;
	for (int rank = 0; rank < shell->world->n; rank++)
		judged->peak = most_of(judged->peak, metric_peak(&trace, -1, rank, -1));
}

static void judge_rank(struct shell *shell, void *self)
{
	struct judge *judge = self;
	struct player *player = NULL;
	struct text type = {0};
	enum status status = program_player(judge->program, shell, &player);
	if (status == ST_OK && shell->world->me == 0) {
		judge->first = shell;
		player_watch(player, (struct watcher){.self = judge, .line = judge_on_line});
	}
	if (status == ST_OK)
		status = play_steps(player, judge->iterations);
	if (status != ST_OK && status != ST_EXPECT) {
		note_end(judge->judged, shell, status);
	} else {
		judge_end(shell, judge->judged);
		player_variable(player, "dtype", &type);
		if (shell->world->me == 0)
			judge->judged->half = type.count && strcmp(text_string(&type), "f32") != 0;
	}
	text_release(&type);
	player_free(player);
}

enum status judge_play(struct judged *judged, const struct program *program, int iterations,
        int64_t steps_most, struct shell *of)
{
	struct judge judge = {program, iterations, judged, NULL};
	struct sandbox sandbox = {.n = of->world->n, .steps_most = steps_most};
	*judged = (struct judged){.kept = kept_world_make(of->world->n)};
	enum status status = sandbox_run(&sandbox, of, judge_rank, &judge);
	judged->steps = sandbox.steps;
	return status;
}

void judged_release(struct judged *judged)
{
	kept_world_release(&judged->kept);
	for (size_t i = 0; i < judged->files; i++) {
		mem_free(judged->file[i].file);
		mem_free(judged->file[i].ran);
	}
	mem_free(judged->file);
	text_release(&judged->words);
	*judged = (struct judged){0};
}

enum status standard_play(struct standard *standard, const struct program *whole, struct shell *of)
{
	*standard = (struct standard){0};
	enum status status = judge_play(&standard->whole, whole, 2, SEALED_STEPS_OWN, of);
	if (status == ST_OK && standard->whole.end == JUDGED_OVER)
		status = fail(ST_LIMIT, "hunt: %s does not end: %d steps were not enough", whole->name,
		        SEALED_STEPS_OWN);
	else if (status == ST_OK && standard->whole.end == JUDGED_STUCK)
		status = fail(ST_STUCK, "hunt: %s hangs as it is\n%s", whole->name,
		        text_string(&standard->whole.words));
	else if (status == ST_OK && standard->whole.end == JUDGED_REFUSED)
		status = fail(ST_ARGUMENT, "hunt: %s does not run as it is: %s", whole->name,
		        text_string(&standard->whole.words));
	if (status == ST_OK)
		status = judge_play(&standard->begin, whole, 0, SEALED_STEPS_OWN, of);
	standard->steps_most = most_of(standard->whole.steps * SEALED_TIMES, SEALED_STEPS_LEAST);
	return status;
}

void standard_release(struct standard *standard)
{
	judged_release(&standard->whole);
	judged_release(&standard->begin);
}

/* Returns |other - whole| / |whole - begin|; divides by |whole| if nothing changed. */
static double off_by(
        const struct kept_tensor *whole, const struct kept_tensor *begin, const struct kept_tensor *other)
{
	double away = 0, changed = 0, size = 0;
	int64_t count = layout_count(&whole->layout);
	if (!other || layout_count(&other->layout) != count)
		return INFINITY;
	const float *right = whole->elements, *own = other->elements,
	            *from = begin && layout_count(&begin->layout) == count ? begin->elements : right;
	for (int64_t i = 0; i < count; i++) {
		double value = right[i], difference = own[i] - value, change = value - from[i];
		if (!isfinite(value) && !isfinite(own[i]))
			continue;
		away += difference * difference;
		changed += change * change;
		size += value * value;
	}
	double beside = changed > 0 ? changed : size;
	return away == 0 ? 0 : isfinite(away) && beside > 0 ? sqrt(away / beside) : INFINITY;
}

struct likeness judged_compare(const struct standard *standard, const struct judged *other)
{
	const struct judged *whole = &standard->whole, *begin = &standard->begin;
	struct likeness compared = {.worst = "",
	        .time = whole->time_ns ? (double)other->time_ns / (double)whole->time_ns : 1,
	        .memory = whole->peak ? (double)other->peak / (double)whole->peak : 1,
	        .races = other->races > whole->races ? other->races - whole->races : 0,
	        .failed = other->failed > whole->failed ? other->failed - whole->failed : 0};
	for (int rank = 0; rank < whole->kept.n; rank++)
		for (size_t i = 0; i < whole->kept.rank[rank].count; i++) {
			const struct kept_tensor *kept = &whole->kept.rank[rank].tensor[i];
			double off = off_by(kept, kept_find(&begin->kept.rank[rank], kept->name),
			        kept_find(&other->kept.rank[rank], kept->name));
			if (off > compared.off) {
				compared.off = off;
				compared.worst = kept->name;
			}
		}
	return compared;
}

double judged_limit(const struct judged *whole)
{
	return whole->half ? 3e-2 : 1e-3;
}

int judged_level(const struct standard *standard, const struct judged *other)
{
	double limit = judged_limit(&standard->whole);
	if (other->end == JUDGED_STUCK)
		return 1;
	if (other->end != JUDGED_WHOLE)
		return 0;
	struct likeness compared = judged_compare(standard, other);
	if (compared.races)
		return 2;
	if (compared.failed || compared.off > 10 * limit)
		return compared.failed || compared.off > 0.25 ? 1 : 2;
	if (compared.off > limit)
		return 0;
	return compared.time >= 1.15 || compared.memory >= 1.15 ? 3 : 0;
}

bool judged_right(const struct standard *standard, const struct judged *other)
{
	if (other->end != JUDGED_WHOLE)
		return false;
	struct likeness compared = judged_compare(standard, other);
	return !compared.races && !compared.failed && compared.off <= judged_limit(&standard->whole) &&
	        compared.time <= JUDGED_MORE && compared.memory <= JUDGED_MORE;
}
