/* search.c -- tries changes in the seed's order until one is observable */
#include "base/memory.h"
#include "shell/course/hunt/hunt.h"
#include "shell/session/quote.h"

enum { FEW = 24, TRIES_MOST = 128 };

static bool change_runs(const struct mutants *mutants, const struct standard *standard, size_t i)
{
	const struct text_change *change = &mutants->changes.change[i];
	const struct player_file *file = mutants->file[mutants->file_of[i]];
	int line = 1; /* in the right text; change->line may be a neighbour's */
	for (size_t at = 0; at < change->from; at++)
		line += file->text[at] == '\n';
	return change->computes || judged_ran(&standard->whole, file->name, line);
}

/* Sets *order (to be freed) to the changes of executed lines, the model's only if these are few.
 * Returns their number. */
static size_t candidates(const struct mutants *mutants, const struct standard *standard, size_t **order)
{
	size_t count = 0;
	*order = NULL;
	for (int own = 1; own >= 0 && count < FEW; own--)
		for (size_t i = 0; i < mutants->changes.count; i++)
			if ((mutants->file_of[i] < mutants->own) == own && change_runs(mutants, standard, i))
				*MEM_ADD(order, &count) = i;
	return count;
}

/* Runs one change. *level 0: it is not observable. */
static enum status try_change(const struct mutants *mutants, const struct standard *standard, size_t i,
        struct shell *shell, int *level, struct likeness *compared)
{
	/* not the session's, which are replicated on all processes */
	struct names *names = names_create();
	struct program *changed = mutants_program(mutants, i, names);
	struct judged judged = {0};
	enum status status = judge_play(&judged, changed, 2, standard->steps_most, shell);
	*level = status == ST_OK ? judged_level(standard, &judged) : 0;
	if (status == ST_OK && judged.end == JUDGED_WHOLE)
		*compared = judged_compare(standard, &judged);
	judged_release(&judged);
	program_release(changed);
	names_free(names);
	return status;
}

/* Shuffles by the seed. For the last level, changes that only cost time or memory come first. */
static void shuffle(const struct mutants *mutants, size_t *order, size_t count, long level, long seed)
{
	uint64_t state = (uint64_t)seed * 1000003u + (uint64_t)level;
	size_t first = 0;
	for (size_t left = count; left > 1; left--) {
		uint64_t z = state += 0x9e3779b97f4a7c15u; /* splitmix64: the same on every computer */
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		size_t at = (z ^ (z >> 31)) % left, i = order[at];
		order[at] = order[left - 1];
		order[left - 1] = i;
	}
	for (size_t i = 0; i < count && level == HUNT_LEVELS; i++)
		if (mutants->changes.change[order[i]].slows) {
			size_t other = order[first];
			order[first++] = order[i];
			order[i] = other;
		}
}

static enum status none_found(
        const char *name, long level, size_t tried, bool all, const size_t of[HUNT_LEVELS + 1])
{
	struct text more = {0};
	for (int other = 1; other <= HUNT_LEVELS; other++)
		if (of[other])
			text_add(&more, "%s%zu of level %d", more.count ? ", " : "; ", of[other], other);
	if (more.count)
		text_add(&more, " (`hunt %s all` lists them)", quoted_word("%s", name).text);
	if (!all)
		text_add(&more, "; another seed= tries others");
	enum status status = fail(ST_NAME,
	        "hunt %s %ld: of %s %zu change%s none is of that level, with this model and machine%s", name,
	        level, all ? "all" : "the first", tried, tried == 1 ? "" : "s", text_string(&more));
	text_release(&more);
	return status;
}

enum status mutants_choose(
        const struct mutants *mutants, struct shell *shell, long level, long seed, long *change)
{
	struct standard standard;
	struct likeness compared;
	size_t *order = NULL, count = 0, tries = 0, of[HUNT_LEVELS + 1] = {0};
	int found = 0;
	enum status status = standard_play(&standard, mutants->whole, shell);
	if (status == ST_OK) {
		count = candidates(mutants, &standard, &order);
		shuffle(mutants, order, count, level, seed);
		tries = count < TRIES_MOST ? count : TRIES_MOST;
	}
	for (size_t tried = 0; tried < tries && status == ST_OK && found != level; tried++) {
		*change = (long)order[tried] + 1;
		status = try_change(mutants, &standard, order[tried], shell, &found, &compared);
		of[status == ST_OK ? found : 0]++;
	}
	if (status == ST_OK && found != level)
		status = none_found(mutants->whole->name, level, tries, tries == count, of);
	mem_free(order);
	standard_release(&standard);
	return status;
}

static void put_change(
        const struct mutants *mutants, size_t i, int level, const struct likeness *compared, struct text *out)
{
	const struct text_change *change = &mutants->changes.change[i];
	text_add(out, "   %4zu  level %d  %s:%d  %s", i + 1, level, mutants->file[mutants->file_of[i]]->name,
	        change->line, change->what);
	if (compared->off > 0)
		text_add(out, ", numbers off by %.2g", compared->off);
	if (compared->races)
		text_add(out, ", %zu races", compared->races);
	if (level == 3)
		text_add(out, ", time %.2fx, memory %.2fx", compared->time, compared->memory);
	text_add(out, "\n");
}

enum status mutants_list(const struct mutants *mutants, struct shell *shell, struct text *out)
{
	struct standard standard;
	size_t *order = NULL, count = 0, of[HUNT_LEVELS + 1] = {0};
	enum status status = standard_play(&standard, mutants->whole, shell);
	if (status == ST_OK)
		count = candidates(mutants, &standard, &order);
	for (size_t k = 0; k < count && status == ST_OK; k++) {
		struct likeness compared = {0};
		int level = 0;
		status = try_change(mutants, &standard, order[k], shell, &level, &compared);
		of[level]++;
		if (level)
			put_change(mutants, order[k], level, &compared, out);
	}
	text_add(out,
	        "   %s: %zu changes of %zu tried can be detected: %zu of level 1, %zu of level 2, %zu of "
	        "level 3\n",
	        mutants->whole->name, count - of[0], count, of[1], of[2], of[3]);
	mem_free(order);
	standard_release(&standard);
	return status;
}
