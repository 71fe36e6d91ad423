/* group.c -- group and mesh: the ranks that take part in a collective together
 *
 * `group pair 0-1 2-3` gives one name to several communicators, `group pair by rank//2` makes a
 * part of each colour (ncclCommSplit). A mesh is PyTorch's DeviceMesh:
 *
 *     mesh dp=2 tp=4        tp ->             rank = dp * 4 + tp   (the last axis counts fastest)
 *                           0  1  2  3        group tp: 0-3 | 4-7
 *                      dp   4  5  6  7        group dp: 0,4 | 1,5 | 2,6 | 3,7 */
#include "base/memory.h"
#include "shell/language/run/command.h"

#include <stdlib.h>
#include <string.h>

/* The arguments of world_group_make: part k has the ranks ranks[starts[k]] to ranks[starts[k + 1]
 * - 1], in the order of their group ranks. `group pair 0-1 2-3`:
 *
 *     starts  0     2     4         instances 2, count 4
 *     ranks   0  1  2  3 */
struct instances {
	int *starts, *ranks, instances, count;
};

static struct instances group_parts_make(int instances, int ranks)
{
	return (struct instances){.starts = mem_alloc(((size_t)instances + 1) * sizeof(int)),
	        .ranks = mem_alloc(ranks * sizeof(int))};
}

/* Makes the group on all ranks if status is ST_OK; frees the parts. timeout: ns, 0: none */
static enum status group_make(struct shell *shell, name_id name, bool axis, struct instances *parts,
        int64_t timeout, enum status status)
{
	int index;
	if (status == ST_OK)
		status = world_group_make(
		        shell->world, name, axis, parts->instances, parts->starts, parts->ranks, &index);
	if (status == ST_OK && timeout)
		world_group_timeout(shell->world, index, timeout);
	mem_free(parts->starts);
	mem_free(parts->ranks);
	return status;
}

static enum status group_parts_read(struct call *call, struct instances *parts)
{
	struct ranks all = {0};
	for (int i = 0; i < call_count(call, 1); i++) {
		struct ranks set, both;
		enum status status = call_ranks_argument(call, 1, i, &set);
		if (status != ST_OK)
			return status;
		both = set;
		ranks_and(&both, &all);
		if (!ranks_empty(&both))
			return fail(ST_RANK, "group: rank %d is in two of its parts", ranks_first(&both));
		ranks_or(&all, &set);
		FOR_RANKS (rank, &set) {
			if (rank >= call->shell->world->n)
				return fail(ST_RANK, "no rank %d: %s", rank,
				        ranks_of_text(call->shell->world->n).text);
			parts->ranks[parts->count++] = rank;
		}
		parts->starts[++parts->instances] = parts->count;
	}
	return ST_OK;
}

struct coloured {
	int rank, instance, place;
	int64_t colour;
};

static int by_instance_and_colour(const void *left, const void *right)
{
	const struct coloured *a = left, *b = right;
	if (a->instance != b->instance)
		return a->instance - b->instance;
	if (a->colour != b->colour)
		return a->colour < b->colour ? -1 : 1;
	return a->place - b->place;
}

static enum status group_read_colour(struct call *call, int rank, struct coloured *one, int *group)
{
	const int64_t most = INT32_MAX; /* an int, as color is in ncclCommSplit */
	struct number colour;
	int same = 0;
	enum status status = call_number(call, 3, 0, rank, &colour);
	if (status == ST_OK && (colour.unit != UNIT_PLAIN || !number_is_whole(colour.value, -most, most)))
		status = fail(ST_RANGE,
		        "group: by %s is not a whole number on rank %d: ranks with the same colour form a "
		        "part",
		        call_argument_text(call, 3, 0), rank);
	if (status == ST_OK)
		status = call_group(call, rank, &same);
	if (status == ST_OK && *group < 0)
		*group = same;
	if (status == ST_OK && *group != same)
		status = fail(ST_ARGUMENT, "group: rank %d splits another group than rank %d", rank,
		        ranks_first(call->set));
	if (status != ST_OK)
		return status;
	const struct group *split = &call->shell->world->groups[same];
	*one = (struct coloured){
	        rank, split->instance_of[rank], split->place_of[rank], (int64_t)colour.value};
	return ST_OK;
}

/* After sorting, a part is a run of equal instances and colours:
 *
 *     group half by tp//2 in tp      colours 0 0 1 1 | 0 0 1 1      half: 0,1 | 2,3 | 4,5 | 6,7
 *
 * A rank with a colour below 0 (NCCL_SPLIT_NOCOLOR) is in no part. */
static enum status group_by(struct call *call, name_id name, int64_t timeout)
{
	struct world *world = call->shell->world;
	struct coloured *all = mem_alloc((size_t)world->n * sizeof *all);
	struct instances parts = group_parts_make(world->n, world->n);
	int count = 0, group = -1;
	enum status status = ST_OK;
	FOR_RANKS (rank, call->set) {
		status = group_read_colour(call, rank, &all[count], &group);
		if (status != ST_OK)
			break;
		count += all[count].colour >= 0;
	}
	qsort(all, (size_t)count, sizeof *all, by_instance_and_colour);
	for (int i = 0; i < count; i++) {
		parts.ranks[parts.count++] = all[i].rank;
		if (i + 1 == count || all[i].instance != all[i + 1].instance ||
		        all[i].colour != all[i + 1].colour)
			parts.starts[++parts.instances] = parts.count;
	}
	mem_free(all);
	if (status == ST_OK && !parts.instances)
		out_say(call->shell->out,
		        "   %s has no part: by %s is below 0 on all these ranks, which means none\n",
		        names_text(world->names, name), call_argument_text(call, 3, 0));
	return group_make(call->shell, name, false, &parts, timeout, status);
}

/* ns, 0: none */
static enum status group_read_timeout(struct call *call, int64_t *timeout)
{
	struct number number = {0};
	enum status status = call_option(call, "timeout", COMMON, &number);
	if (status == ST_OK && call_has(call, "timeout") && !(number.value >= 1000 && number.value <= 3600e9))
		status = fail(
		        ST_RANGE, "%s: timeout= is a time from 1us to 3600s", call->statement->row->name);
	*timeout = (int64_t)number.value;
	return status;
}

/* there: the word found instead; NULL: none */
static enum status group_refuse(struct call *call, const char *there)
{
	const char *name = call_argument_text(call, 0, 0);
	return fail(ST_ARGUMENT,
	        "group needs RANKS, as `group %s 0-1 2-3`, or `by COLOUR`, as `group %s by rank//2`%s%s%s",
	        name, name, there ? ", instead of '" : "", there ? there : "", there ? "'" : "");
}

static enum status group_run(struct call *call)
{
	name_id name;
	int64_t timeout = 0;
	enum status status = call_name(call, 0, 0, COMMON, &name);
	bool listed = call_count(call, 1), by = call_count(call, 2), coloured = call_count(call, 3);
	if (status == ST_OK && coloured && !by)
		status = group_refuse(call, call_argument_text(call, 3, 0));
	if (status == ST_OK && (by != coloured || by == listed))
		status = group_refuse(call, NULL);
	if (status == ST_OK && listed && call->statement->clauses.group)
		status = fail(ST_ARGUMENT,
		        "group: `in GROUP` follows `by COLOUR`; listed ranks are ranks of the world");
	if (status == ST_OK)
		status = group_read_timeout(call, &timeout);
	if (status != ST_OK)
		return status;
	if (by)
		return group_by(call, name, timeout);
	struct instances parts = group_parts_make(call_count(call, 1), call->shell->world->n);
	return group_make(call->shell, name, false, &parts, timeout, group_parts_read(call, &parts));
}

static const char timeout_help[] =
        "if a member is missing for this long, the collective ends without a result and its part of the "
        "group is aborted, as by NCCL's watchdog; a script fails";

const struct command command_group = {
        .name = "group",
        .topic = "make",
        .usage = "group NAME RANKS ... [timeout=TIME] | group NAME by COLOUR [in GROUP] [timeout=TIME]",
        .help = "makes rank groups for collectives: each rank is in the part that names it. `group pair "
                "0-1 2-3` makes two parts, and so does `group pair by rank//2`: ranks with the same colour"
                " form a part (in GROUP: within each part of it). A rank with a colour below 0 is in no "
                "part",
        .example = "group pair 0-1 2-3\ngroup odd by rank%2\ntensor g[64] = rank\nallreduce g in pair\n"
                   "allreduce g in odd\nsync",
        .torch = "NAME = dist.new_group([0, 1])",
        .cuda = "ncclCommSplit(world, color, key, &NAME, NULL)",
        .group_ok = true,
        .argument = {{ARG_NEW, 0, NULL, "NAME"}, {ARG_RANKS, ARG_OPTIONAL | ARG_MANY, NULL, "RANKS"},
                {ARG_WORD, ARG_OPTIONAL, "by", "by"}, {ARG_EXPRESSION, ARG_OPTIONAL, NULL, "COLOUR"}},
        .option = {{"timeout", ARG_EXPRESSION, UNIT_TIME, NULL, timeout_help}},
        .run = group_run,
};

enum { AXES_MAX = 6 };
struct mesh {
	int64_t timeout;
	int axes, size[AXES_MAX];
	name_id name[AXES_MAX];
};

static enum status mesh_read_axis(struct call *call, int i, struct mesh *mesh)
{
	struct given given;
	enum status status = mesh->axes < AXES_MAX
	        ? call_key(call, i, &given)
	        : fail(ST_ARGUMENT, "mesh needs 1 to %d axes: mesh dp=2 tp=2", AXES_MAX);
	if (status != ST_OK)
		return status;
	const char *key = given.name;
	if (given.word)
		return fail(ST_ARGUMENT, "mesh: '%s=%s': a number of ranks was expected", key, given.word);
	if (!number_is_whole(given.number.value, 1, RANKS_MAX))
		return fail(
		        ST_RANGE, "mesh: %s=%g: a size is a whole number of ranks", key, given.number.value);
	int axis = mesh->axes++;
	mesh->size[axis] = given.number.value;
	mesh->name[axis] = names_make(call->shell->world->names, key, strlen(key));
	for (int k = 0; k < axis; k++)
		if (mesh->name[k] == mesh->name[axis])
			return fail(ST_NAME, "mesh: %s is given twice", key);
	for (int rank = 0; rank < call->shell->world->n && status == ST_OK; rank++)
		status = world_name_fits(call->shell->world, rank, mesh->name[axis], THING_NONE);
	return status;
}

/* Neighbours along the axis are `inner` ranks apart, the product of the sizes of later axes. With
 * dp=2 tp=4, dp has inner 4, and its parts begin at ranks 0 to 3. */
static enum status mesh_make_axis(struct shell *shell, const struct mesh *mesh, int axis)
{
	int inner = 1, n = shell->world->n, size = mesh->size[axis];
	struct instances parts = group_parts_make(n / size, n);
	for (int k = axis + 1; k < mesh->axes; k++)
		inner *= mesh->size[k];
	for (int first = 0; first < n; first++) {
		if (first / inner % size)
			continue;
		for (int i = 0; i < size; i++)
			parts.ranks[parts.count++] = first + i * inner;
		parts.starts[++parts.instances] = parts.count;
	}
	return group_make(shell, mesh->name[axis], true, &parts, mesh->timeout, ST_OK);
}

static enum status mesh_run(struct call *call)
{
	struct mesh mesh = {0};
	int64_t product = 1;
	enum status status = group_read_timeout(call, &mesh.timeout);
	for (int i = 0; i < call->statement->options && status == ST_OK; i++)
		if (!call->statement->option[i].row)
			status = mesh_read_axis(call, i, &mesh);
	if (status != ST_OK)
		return status;
	if (!mesh.axes)
		return fail(ST_ARGUMENT, "mesh needs an axis: mesh dp=2 tp=2");
	for (int i = 0; i < mesh.axes; i++)
		product *= mesh.size[i];
	if (product != call->shell->world->n)
		return fail(ST_RANK, "mesh: the sizes multiply to %lld, but there are %d ranks",
		        (long long)product, call->shell->world->n);
	for (int i = 0; i < mesh.axes && status == ST_OK; i++)
		status = mesh_make_axis(call->shell, &mesh, i);
	return status;
}

const struct command command_mesh = {
        .name = "mesh",
        .topic = "make",
        .usage = "mesh AXIS=SIZE ... [timeout=TIME]",
        .help = "arranges all ranks in a grid. Each axis is a group; in expressions its name is this rank's "
                "coordinate, and size(AXIS) the number of ranks along it",
        .example = "mesh dp=2 tp=2\ntensor g[64] = tp\nallreduce g in tp\nsync\nexpect g[0] == 1",
        .torch = "init_device_mesh(\"cuda\", (2, 2), mesh_dim_names=(\"dp\", \"tp\"))",
        .cuda = "ncclCommSplit, once an axis",
        .argument = {{ARG_KEYS, ARG_MANY, NULL, "AXIS=SIZE"}},
        .option = {{"timeout", ARG_EXPRESSION, UNIT_TIME, NULL, timeout_help}},
        .run = mesh_run,
};
