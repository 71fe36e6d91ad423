/* schedule_memory.c -- in how many memories a stage keeps the activations of what it has under way
 *
 * Micro-batches of a chunk come in rising order in F, B and W alike, so those that hold a memory follow one
 * another, and they can take turns: micro-batch m works in memory m % memories.
 *
 *     1F1B, stage 0 of 3, five micro-batches: three are under way at most, so three memories
 *
 *       F0 F1 F2 B0 F3 B1 F4 B2 B3 B4
 *     0 [0       ]  [3         ]          memory 0: 0, then 3
 *     1    [1          ]  [4         ]    memory 1: 1, then 4
 *     2       [2            ]             memory 2 */
#include "strategies/schedule.h"

int schedule_memories(const struct schedule *schedule, int stage, int chunk)
{
	const struct task *task = schedule->task + (size_t)stage * schedule->count;
	int held = 0, most = 1;
	for (size_t i = 0; i < schedule->count; i++) {
		if (task[i].chunk != chunk || task[i].work == WORK_B)
			continue;
		held += task[i].work == WORK_F ? 1 : -1;
		most = held > most ? held : most;
	}
	return most;
}
