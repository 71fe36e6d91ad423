/* places.c -- the slots of a match: one per member and sequence number, in rings. A slot is
 * reused when all members have ended its previous sequence number. */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/inside.h"
#include <stddef.h>
#include <string.h>
#include <time.h>

/* bit of a channel's key: results for late members */
static const uint64_t LATE = 1 << 15;

/* part: from 0; from, to: ranks of a channel; -1: the part itself */
static uint64_t key_of(int part, int from, int to)
{
	return ((uint64_t)part + 1) << 16 | (uint64_t)(from + 1) << 8 | (uint64_t)(to + 1);
}

static struct meeting *meeting_by_key(struct board *board, uint64_t key)
{
	for (size_t i = board->meeting_count; i-- > 0;)
		if (board->meetings[i]->key == key)
			return board->meetings[i];
	return NULL;
}

struct meeting *meeting_find(struct board *board, int part)
{
	return meeting_by_key(board, key_of(part, -1, -1));
}

static size_t slots_bytes(const struct meeting *meeting)
{
	return (size_t)meeting->n * meeting->turns * sizeof(struct exchange_slot);
}

/* bytes per sequence number on the GPU: struct exchange_found for n places */
static size_t found_bytes(const struct meeting *meeting)
{
	return offsetof(struct exchange_found, at) + (size_t)meeting->n * sizeof(struct exchange_place);
}

static size_t windows_bytes(const struct meeting *meeting)
{
	return (size_t)meeting->n * WINDOWS * sizeof(struct board_window);
}

/* of all places, for one sequence number */
static size_t table_bytes(const struct meeting *meeting)
{
	return (size_t)(meeting->n * (2 * meeting->n + 2)) * sizeof(long long);
}

/* Tables are a ring, too: in a `together`, and on several streams, one is written before the
 * previous one was read. With more than 31 places the ring is shorter. */
static uint32_t table_turns(const struct meeting *meeting)
{
	uint32_t fit = (uint32_t)(CHUNK / 2 / table_bytes(meeting));
	return fit < PART_TURNS ? fit : PART_TURNS;
}

static enum status meeting_add(
        struct board *board, const struct meeting *new, const int *ranks, struct meeting **meeting)
{
	size_t bytes = slots_bytes(new);
	if (new->turns == PART_TURNS)
		bytes += windows_bytes(new) + table_bytes(new) * table_turns(new);
	struct meeting made = *new;
	enum status status = board_area(board, new->key, bytes, &made.at, &made.device);
	if (status == ST_OK)
		status = pool_lines(board, (int64_t)(found_bytes(new) * new->turns), &made.found);
	if (status != ST_OK)
		return status;
	made.used = mem_alloc(made.turns * sizeof *made.used);
	made.ranks = mem_alloc((size_t)made.n * sizeof *made.ranks);
	memcpy(made.ranks, ranks, (size_t)made.n * sizeof *made.ranks);
	*meeting = mem_alloc(sizeof **meeting);
	**meeting = made;
	pthread_mutex_lock(&board->lock);
	*MEM_ADD(&board->meetings, &board->meeting_count) = *meeting;
	pthread_mutex_unlock(&board->lock);
	return ST_OK;
}

enum status meeting_of_part(
        struct board *board, int part, int n, int place, const int *ranks, struct meeting **meeting)
{
	if ((*meeting = meeting_find(board, part)))
		return ST_OK;
	struct meeting new = {.key = key_of(part, -1, -1), .n = n, .place = place, .turns = PART_TURNS};
	return meeting_add(board, &new, ranks, meeting);
}

static enum status meeting_of_two(
        struct board *board, uint64_t key, uint32_t turns, int from, int to, struct meeting **meeting)
{
	if ((*meeting = meeting_by_key(board, key)))
		return ST_OK;
	int place = from == to ? -1 : board->rank == from ? 0 : 1;
	struct meeting new = {.key = key, .n = 2, .place = place, .turns = turns};
	return meeting_add(board, &new, (const int[]){from, to}, meeting);
}

enum status meeting_of_channel(struct board *board, int part, int from, int to, struct meeting **meeting)
{
	return meeting_of_two(board, key_of(part, from, to), CHANNEL_TURNS, from, to, meeting);
}

enum status meeting_of_late(struct board *board, int part, int from, int to, struct meeting **meeting)
{
	return meeting_of_two(board, key_of(part, from, to) | LATE, LATE_TURNS, from, to, meeting);
}

struct exchange_slot *meeting_slot(const struct meeting *meeting, int place, uint32_t turn)
{
	struct exchange_slot *slots = (struct exchange_slot *)(void *)meeting->at;
	return &slots[(uint32_t)place * meeting->turns + turn % meeting->turns];
}

CUdeviceptr meeting_device(const struct meeting *meeting, const void *at)
{
	return meeting->device + (CUdeviceptr)((const char *)at - meeting->at);
}

CUdeviceptr meeting_found(const struct meeting *meeting, uint32_t turn)
{
	return meeting->found + (CUdeviceptr)(turn % meeting->turns * found_bytes(meeting));
}

struct board_window *meeting_windows(const struct meeting *meeting, int place)
{
	struct board_window *windows = (struct board_window *)(void *)(meeting->at + slots_bytes(meeting));
	return windows + place * WINDOWS;
}

const long long *meeting_tables(const struct meeting *meeting, uint32_t turn)
{
	return (const long long *)(const void *)(meeting->at + slots_bytes(meeting) + windows_bytes(meeting) +
	        turn % table_turns(meeting) * table_bytes(meeting));
}

/* ---- release */

static bool is_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static bool meeting_is_over(const struct meeting *meeting, uint32_t turn, uint64_t places)
{
	for (int p = 0; p < meeting->n; p++)
		if (places >> p & 1 &&
		        is_before(__atomic_load_n(&meeting_slot(meeting, p, turn)->done, __ATOMIC_SEQ_CST),
		                turn))
			return false;
	return true;
}

void meeting_take(struct meeting *meeting, uint32_t turn, uint64_t places)
{
	struct slot_use *use = &meeting->used[turn % meeting->turns];
	while (use->turn && use->turn != turn && !meeting_is_over(meeting, use->turn, use->places))
		nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
	*use = (struct slot_use){turn, places};
}

/* A word never decreases: its slot may be in use for a later sequence number. */
static void word_raise(struct board *board, uint32_t *word, uint32_t turn)
{
	if (is_before(__atomic_load_n(word, __ATOMIC_SEQ_CST), turn))
		word_store(board, word, turn);
}

/* For all members: a killed one does nothing more. */
void meeting_let_go(struct board *board, struct meeting *meeting, uint32_t turn)
{
	if (meeting_is_over(meeting, turn, ALL_PLACES))
		return;
	for (int p = 0; p < meeting->n; p++)
		word_raise(board, &meeting_slot(meeting, p, turn)->released, turn);
	for (int p = 0; p < meeting->n; p++)
		word_raise(board, &meeting_slot(meeting, p, turn)->arrived, turn);
	for (int p = 0; p < meeting->n; p++)
		word_raise(board, &meeting_slot(meeting, p, turn)->done, turn);
}

static void meeting_let_go_up_to(struct board *board, struct meeting *meeting, uint32_t turn)
{
	for (uint32_t t = turn > meeting->turns ? turn - meeting->turns + 1 : 1; t <= turn && turn; t++)
		meeting_let_go(board, meeting, t);
}

void board_release(struct exchange *exchange, int part, uint32_t turn)
{
	struct board *board = (struct board *)exchange;
	uint64_t whole = key_of(part, -1, -1);
	pthread_mutex_lock(&board->lock);
	for (size_t i = 0; i < board->meeting_count; i++) {
		struct meeting *meeting = board->meetings[i];
		if (meeting->key == whole)
			meeting_let_go_up_to(board, meeting, turn);
		else if (meeting->key >> 16 == whole >> 16)
			meeting_let_go_up_to(
			        board, meeting, __atomic_load_n(&meeting->last, __ATOMIC_SEQ_CST));
	}
	pthread_mutex_unlock(&board->lock);
}

void meetings_free(struct board *board)
{
	for (size_t i = 0; i < board->meeting_count; i++) {
		struct meeting *meeting = board->meetings[i];
		meeting_let_go_up_to(board, meeting, meeting->last);
		mem_free(meeting->used);
		mem_free(meeting->ranks);
		mem_free(meeting);
	}
	mem_free(board->meetings);
	board->meetings = NULL;
	board->meeting_count = 0;
}
