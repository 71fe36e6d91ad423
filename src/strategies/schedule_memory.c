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
 *     2       [2            ]             memory 2
 *
 * Recomputing, activations are held from B (which computes them again) to W only, and while F works: F of m
 * then takes memory (m + turn) % memories, the turn being such that no micro-batch between B and W is in it.
 * In 1F1B B and W are one, nothing is between them, and one memory serves everybody. */
#include "strategies/schedule.h"

/* The most micro-batches of the chunk between F and the end of backward */
static int under_way(const struct schedule *schedule, int stage, int chunk)
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

/* Whether so many memories are enough: those that W still needs are w .. b-1, at most one a memory, and a
 * forward's is none of theirs. */
static bool suffice(const struct schedule *schedule, int stage, int chunk, int memories, int turn)
{
	const struct task *task = schedule->task + (size_t)stage * schedule->count;
	int b = 0, w = 0;
	for (size_t i = 0; i < schedule->count; i++) {
		if (task[i].chunk != chunk)
			continue;
		int behind = ((task[i].micro + turn - w) % memories + memories) % memories;
		if (task[i].work == WORK_F && behind < b - w)
			return false;
		if (task[i].work == WORK_B && ++b - w > memories)
			return false;
		w += task[i].work == WORK_W;
	}
	return true;
}

/* The fewest memories, and of those the least turn, tried in that order. It ends: with as many memories as
 * micro-batches are under way and turn 0 each has its own. */
struct schedule_memory schedule_memory(const struct schedule *schedule, int stage, int chunk, bool recompute)
{
	struct schedule_memory memory = {.inputs = under_way(schedule, stage, chunk)};
	memory.memories = recompute ? 1 : memory.inputs;
	while (recompute && !suffice(schedule, stage, chunk, memory.memories, memory.turn))
		if (++memory.turn == memory.memories) {
			memory.turn = 0;
			memory.memories++;
		}
	return memory;
}
