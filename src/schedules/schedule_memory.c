/* schedule_memory.c -- the number of activation memories of a stage
 *
 * If the micro-batches of a chunk come in rising order, the largest number under way suffices:
 *
 *     1F1B, stage 0 of 3, five micro-batches: three are under way at most
 *
 *       F0 F1 F2 B0 F3 B1 F4 B2 B3 B4
 *     0 [0       ]  [3         ]          memory 0: 0, then 3
 *     1    [1          ]  [4         ]    memory 1: 1, then 4
 *     2       [2            ]             memory 2
 *
 * In another order two micro-batches may need one memory at once; then one more is tried. */
#include "schedules/schedule.h"

#include "base/memory.h"

/* First and last slot of each micro-batch in the adjacent chunks `from` to `to` of a stage */
struct stay {
	size_t begin, end;
};

static void find_stays(const struct schedule *schedule, int stage, int from, int to, struct stay *stay)
{
	const struct task *task = schedule_task(schedule, stage, 0);
	for (size_t i = schedule->count; i-- > 0;) /* backwards, so that the first slot remains */
		if (task[i].work == WORK_F && task[i].chunk >= from && task[i].chunk <= to)
			stay[task[i].micro].begin = i;
	for (size_t i = 0; i < schedule->count; i++)
		if ((task[i].work == WORK_W || task[i].work == WORK_BW) && task[i].chunk >= from &&
		        task[i].chunk <= to)
			stay[task[i].micro].end = i;
}

/* Returns true if each micro-batch m finds memory m % count free. used: [count], scratch. */
static bool take_turns(const struct task *task, size_t slots, const struct stay *stay, int count, bool *used)
{
	bool turns = true;
	for (int i = 0; i < count; i++)
		used[i] = false;
	for (size_t i = 0; i < slots && turns; i++) {
		int m = task[i].micro;
		if (task[i].work == WORK_IDLE)
			continue;
		if (stay[m].begin == i && task[i].work == WORK_F) {
			turns = !used[m % count];
			used[m % count] = true;
		} else if (stay[m].end == i) {
			used[m % count] = false;
		}
	}
	return turns;
}

static int most_at_once(const struct task *task, size_t slots, const struct stay *stay)
{
	int held = 0, most = 1;
	for (size_t i = 0; i < slots; i++) {
		if (task[i].work == WORK_IDLE)
			continue;
		held += task[i].work == WORK_F && stay[task[i].micro].begin == i;
		held -= task[i].work != WORK_F && stay[task[i].micro].end == i;
		most = held > most ? held : most;
	}
	return most;
}

/* One memory for each micro-batch always suffices. */
void schedule_memories(struct schedule *schedule)
{
	struct stay *stay = mem_alloc((size_t)schedule->micros * sizeof *stay);
	bool *used = mem_alloc((size_t)schedule->micros + 2);
	for (int s = 0; s < schedule->stages; s++) {
		const struct task *task = schedule_task(schedule, s, 0);
		const int *piece = &schedule->piece[s * schedule->chunks];
		for (int from = 0, to; from < schedule->chunks; from = to + 1) {
			to = from;
			while (to + 1 < schedule->chunks && piece[to + 1] == piece[to] + 1)
				to++;
			find_stays(schedule, s, from, to, stay);
			int most = most_at_once(task, schedule->count, stay);
			while (most < schedule->micros &&
			        !(take_turns(task, schedule->count, stay, most, used) &&
			                take_turns(task, schedule->count, stay, most + 1, used)))
				most++;
			for (int c = from; c <= to; c++)
				schedule->memories[s * schedule->chunks + c] = most;
		}
	}
	mem_free(stay);
	mem_free(used);
}
