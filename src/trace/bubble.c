/* bubble.c -- the part of a pipeline's time that its schedule leaves empty
 *
 *  rank 0  F0 F1 F2 .. .. B0 B1 B2     a task, a phase of one micro-batch on one rank, waits for
 *  rank 1  .. F0 F1 F2 B0 B1 B2 ..     its rank's previous task and for its senders' tasks
 *
 * Transfers in a phase of their own (`phase C3`) are no tasks: a receive belongs to the next task,
 * a send to the previous one. The tasks are replayed without other delays: see trace.h. */
#include "base/arithmetic.h"
#include "trace/lanes.h"
#include "base/memory.h"

/* Task kinds by phase letter; B of input gradients only, with a later W on the rank, is another
 * kind */
enum { LETTERS = 128, APART = LETTERS, KINDS = 2 * LETTERS };

/* The operations next .. last of the rank's program; all receives before `next` are done.
 * op_task[id] of a send gives a receiver's dependency. */
struct replay_task {
	int kind;
	name_id phase;
	op_id next, last;
	double arrived, start, end;
	bool done;
};
struct replayed_schedule {
	const struct trace *trace;
	int section;
	struct replay_task *task;
	size_t count;
	size_t *first;      /* by rank: task[first[r]] .. task[first[r+1] - 1] */
	uint32_t *op_task;  /* by op: 1 + its task, 0 none */
	op_id arrival;      /* the first receive in a phase C since the rank's last task, 0 none */
	int *has_weights;   /* by the name of a phase W: 1 + the last rank with such a task */
	double work[KINDS]; /* sum of task times of the kind, ns, over all ranks */
	double tasks[KINDS];
};

static bool is_hand_off(const struct record *record)
{
	return record->colour == 'C' && record->kind == OP_P2P;
}

static void add_hand_off(struct replayed_schedule *s, int rank, op_id id)
{
	const struct record *record = op_record(s->trace->world, id);

	for (int i = 0; i < record->parts; i++) {
		if (record->part[i].direction == P2P_RECV && !s->arrival)
			s->arrival = id;
		if (record->part[i].direction == P2P_SEND && s->count > s->first[rank])
			s->op_task[id] = s->count;
	}
}

static void add_op(struct replayed_schedule *s, int rank, op_id id, name_id *phase)
{
	const struct record *record = op_record(s->trace->world, id);

	if (*phase != record->phase || s->count == s->first[rank]) {
		*MEM_ADD(&s->task, &s->count) = (struct replay_task){.kind = (unsigned char)record->colour,
		        .phase = record->phase,
		        .next = s->arrival ? s->arrival : id};
		s->arrival = 0;
		*phase = record->phase;
		if (record->colour == 'W')
			s->has_weights[record->phase] = rank + 1;
	}
	s->task[s->count - 1].last = id;
	s->op_task[id] = s->count;
}

static bool weights_apart(const struct replayed_schedule *s, int rank, const struct replay_task *task)
{
	const struct names *names = s->trace->world->names;
	struct text weights = {0};

	if (task->kind != 'B')
		return false;
	text_add(&weights, "W%s", names_text(names, task->phase) + 1);
	name_id phase = names_find(names, text_string(&weights), weights.count);
	text_release(&weights);
	return phase && s->has_weights[phase] == rank + 1;
}

static int compute_stream(const struct replayed_schedule *s, size_t number)
{
	const struct world *world = s->trace->world;

	for (op_id id = s->task[number].next;; id = world->ops[id].next_program) {
		if (op_record(world, id)->kind == OP_KERNEL && s->op_task[id] == number + 1)
			return world->ops[id].stream;
		if (id == s->task[number].last)
			return -1;
	}
}

/* Adds the task's time on its compute stream with the waits in between, except those for other
 * stages. Fails with ST_WAITS if an operation has no end yet.
 *
 *   compute | kernel | allreduce in tp |e waits for a gather | kernel |b waits for recv | kernel |
 *   counts   =====================================================                    ======
 */
static enum status time_task(struct replayed_schedule *s, size_t number)
{
	const struct world *world = s->trace->world;
	const struct replay_task *task = &s->task[number];
	int stream = compute_stream(s, number);
	int64_t counted = TIME_UNKNOWN;

	s->tasks[task->kind]++;
	for (op_id id = task->next;; id = world->ops[id].next_program) {
		const struct record *record = op_record(world, id);
		bool stage = trace_is_stage_transfer(world, id),
		     work = world->ops[id].stream == stream &&
		        (record->kind == OP_KERNEL || record->kind == OP_COLLECTIVE);
		if (s->op_task[id] == number + 1 && !is_hand_off(record) && (stage || work)) {
			struct times t = backend_times(s->trace->backend, id);
			if (t.end == TIME_UNKNOWN)
				return trace_never_ends(s->trace, id);
			if (work)
				s->work[task->kind] += t.end - least_of(counted, t.start);
			if (work && counted == TIME_UNKNOWN)
				counted = t.end;
			counted = most_of(counted, t.end);
		}
		if (id == task->last)
			return ST_OK;
	}
}

static enum status read_rank(struct replayed_schedule *s, int rank)
{
	const struct world *world = s->trace->world;
	enum status status = ST_OK;
	name_id phase = 0;

	s->first[rank] = s->count;
	s->arrival = 0;
	for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
		const struct record *record = op_record(world, id);
		if (!trace_is_work(record->kind) || !trace_in(s->trace, id, s->section) ||
		        trace_on_host(world, id))
			continue;
		if (is_hand_off(record))
			add_hand_off(s, rank, id);
		else if (record->phase && record->microbatch >= 0)
			add_op(s, rank, id, &phase);
		else
			phase = 0;
	}
	s->first[rank + 1] = s->count;
	for (size_t i = s->first[rank]; i < s->count && status == ST_OK; i++) {
		s->task[i].kind += weights_apart(s, rank, &s->task[i]) ? APART : 0;
		status = time_task(s, i);
	}
	return status == ST_OK ? trace_step(s->trace, s->count - s->first[rank]) : status;
}

/* Returns a hand-off's time alone: measured, from when both sides were ready; or by the machine's
 * model. */
static double alone_of(const struct replayed_schedule *s, op_id id)
{
	struct backend *backend = s->trace->backend;
	struct times t;
	if (!backend->measures)
		return backend_cost(backend, id).alone;
	t = backend_times(backend, id);
	return t.end == TIME_UNKNOWN ? 0 : t.end - t.start;
}

static bool received(const struct replayed_schedule *s, struct replay_task *task)
{
	const struct world *world = s->trace->world;

	for (op_id id = task->next;; id = world->ops[id].next_program) {
		const struct record *record = op_record(world, id);
		task->next = id;
		for (int i = 0; trace_is_stage_transfer(world, id) && i < record->parts; i++) {
			op_id sender = trace_sender(world, id, i);
			uint32_t from = sender ? s->op_task[sender] : 0;
			if (from && !s->task[from - 1].done)
				return false;
			double after = is_hand_off(record) ? alone_of(s, id) : 0;
			if (from && s->task[from - 1].end + after > task->arrived)
				task->arrived = s->task[from - 1].end + after;
		}
		if (id == task->last)
			return true;
	}
}

/* Runs the rank's tasks as far as possible; returns true if one ran. forced: runs the next one in
 * any case. */
static bool replay_rank(struct replayed_schedule *s, size_t *next, int rank, bool forced)
{
	bool moved = false;

	for (; *next < s->first[rank + 1]; ++*next, forced = false, moved = true) {
		struct replay_task *task = &s->task[*next];
		double before = *next > s->first[rank] ? task[-1].end : 0;
		if (!received(s, task) && !forced)
			break;
		task->start = task->arrived > before ? task->arrived : before;
		task->end = task->start + s->work[task->kind] / s->tasks[task->kind];
		task->done = true;
	}
	return moved;
}

/* Runs all ranks in turn. If ranks wait for each other (a pair that both send and receive in one
 * task), the first unfinished rank goes on, so each round finishes a task. Returns the longest
 * rank's span; next: scratch, one a rank. */
static double span_of(struct replayed_schedule *s, size_t *next)
{
	int n = s->trace->world->n;
	double span = 0;

	for (int rank = 0; rank < n; rank++)
		next[rank] = s->first[rank];
	for (bool left = true; left;) {
		bool moved = false;
		int behind = -1;
		for (int rank = 0; rank < n; rank++) {
			moved = replay_rank(s, &next[rank], rank, false) || moved;
			if (behind < 0 && next[rank] < s->first[rank + 1])
				behind = rank;
		}
		left = behind >= 0;
		if (left && !moved)
			replay_rank(s, &next[behind], behind, true);
	}
	for (int rank = 0; rank < n; rank++) {
		const struct replay_task *first = s->task + s->first[rank],
		                         *end = s->task + s->first[rank + 1];
		if (end > first && end[-1].end - first->start > span)
			span = end[-1].end - first->start;
	}
	return span;
}

static double bubble_of(struct replayed_schedule *s, size_t *next)
{
	double span = span_of(s, next), work = 0;
	int ranks = 0;

	for (int rank = 0; rank < s->trace->world->n; rank++)
		ranks += s->first[rank] < s->first[rank + 1];
	for (int kind = 0; kind < KINDS; kind++)
		work += s->work[kind];
	return span > 0 && ranks ? 1 - work / (span * ranks) : 0;
}

enum status metric_bubble(const struct trace *trace, int section, int rank, double *part)
{
	size_t n = trace->world->n;
	struct replayed_schedule s = {.trace = trace,
	        .section = section,
	        .first = mem_alloc((n + 1) * sizeof *s.first),
	        .op_task = mem_alloc((trace->world->op_count + 1) * sizeof *s.op_task),
	        .has_weights = mem_alloc((names_count(trace->world->names) + 1) * sizeof *s.has_weights)};
	size_t *next = mem_alloc(n * sizeof *next);
	enum status status = ST_OK;

	(void)rank;
	*part = 0;
	for (int r = 0; r < (int)n && status == ST_OK; r++)
		status = read_rank(&s, r);
	if (status == ST_OK)
		*part = bubble_of(&s, next);
	mem_free(s.task);
	mem_free(s.first);
	mem_free(s.op_task);
	mem_free(s.has_weights);
	mem_free(next);
	return status;
}
