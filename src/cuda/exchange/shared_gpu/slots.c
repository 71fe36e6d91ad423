/* slots.c -- slot rings: one slot per member and sequence number. A slot is reused when all
 * members have ended its previous sequence number. */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/state.h"
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

static struct slot_ring *slot_ring_by_key(struct shared_gpu *gpu, uint64_t key)
{
	for (size_t i = gpu->ring_count; i-- > 0;)
		if (gpu->rings[i]->key == key)
			return gpu->rings[i];
	return NULL;
}

struct slot_ring *slot_ring_find(struct shared_gpu *gpu, int part)
{
	return slot_ring_by_key(gpu, key_of(part, -1, -1));
}

static size_t slots_bytes(const struct slot_ring *ring)
{
	return (size_t)ring->n * ring->seqs * sizeof(struct exchange_slot);
}

/* bytes per sequence number on the GPU: struct exchange_found for n places */
static size_t found_bytes(const struct slot_ring *ring)
{
	return offsetof(struct exchange_found, at) + (size_t)ring->n * sizeof(struct exchange_place);
}

static size_t windows_bytes(const struct slot_ring *ring)
{
	return (size_t)ring->n * WINDOWS * sizeof(struct shared_gpu_window);
}

static size_t table_bytes(const struct slot_ring *ring)
{
	return (size_t)(ring->n * (2 * ring->n + 2)) * sizeof(long long);
}

/* Returns how many tables there are: in a `together`, and on several streams, one may be written
 * before the previous one is read. */
static uint32_t table_seqs(const struct slot_ring *ring)
{
	uint32_t fit = (uint32_t)(CHUNK / 2 / table_bytes(ring));
	return fit < PART_SEQS ? fit : PART_SEQS;
}

static enum status slot_ring_add(
        struct shared_gpu *gpu, const struct slot_ring *new, const int *ranks, struct slot_ring **ring)
{
	size_t bytes = slots_bytes(new);
	if (new->seqs == PART_SEQS)
		bytes += windows_bytes(new) + table_bytes(new) * table_seqs(new);
	struct slot_ring made = *new;
	enum status status = shared_gpu_area(gpu, new->key, bytes, &made.at, &made.device);
	if (status == ST_OK)
		status = pool_lines(gpu, (int64_t)(found_bytes(new) * new->seqs), &made.found);
	if (status != ST_OK)
		return status;
	made.used = mem_alloc(made.seqs * sizeof *made.used);
	made.ranks = mem_alloc((size_t)made.n * sizeof *made.ranks);
	memcpy(made.ranks, ranks, (size_t)made.n * sizeof *made.ranks);
	*ring = mem_alloc(sizeof **ring);
	**ring = made;
	pthread_mutex_lock(&gpu->lock);
	*MEM_ADD(&gpu->rings, &gpu->ring_count) = *ring;
	pthread_mutex_unlock(&gpu->lock);
	return ST_OK;
}

enum status slot_ring_of_part(
        struct shared_gpu *gpu, int part, int n, int place, const int *ranks, struct slot_ring **ring)
{
	if ((*ring = slot_ring_find(gpu, part)))
		return ST_OK;
	struct slot_ring new = {.key = key_of(part, -1, -1), .n = n, .place = place, .seqs = PART_SEQS};
	return slot_ring_add(gpu, &new, ranks, ring);
}

enum status slot_ring_of_pair(
        struct shared_gpu *gpu, int part, int from, int to, bool late, struct slot_ring **ring)
{
	uint64_t key = key_of(part, from, to) | (late ? LATE : 0);
	if ((*ring = slot_ring_by_key(gpu, key)))
		return ST_OK;
	int place = from == to ? -1 : gpu->rank == from ? 0 : 1;
	struct slot_ring new = {.key = key, .n = 2, .place = place, .seqs = late ? LATE_SEQS : CHANNEL_SEQS};
	return slot_ring_add(gpu, &new, (const int[]){from, to}, ring);
}

struct exchange_slot *slot_ring_slot(const struct slot_ring *ring, int place, uint32_t seq)
{
	struct exchange_slot *slots = (struct exchange_slot *)(void *)ring->at;
	return &slots[(uint32_t)place * ring->seqs + seq % ring->seqs];
}

CUdeviceptr slot_ring_device(const struct slot_ring *ring, const void *at)
{
	return ring->device + (CUdeviceptr)((const char *)at - ring->at);
}

CUdeviceptr slot_ring_found(const struct slot_ring *ring, uint32_t seq)
{
	return ring->found + (CUdeviceptr)(seq % ring->seqs * found_bytes(ring));
}

struct shared_gpu_window *slot_ring_windows(const struct slot_ring *ring, int place)
{
	struct shared_gpu_window *windows =
	        (struct shared_gpu_window *)(void *)(ring->at + slots_bytes(ring));
	return windows + place * WINDOWS;
}

const long long *slot_ring_tables(const struct slot_ring *ring, uint32_t seq)
{
	return (const long long *)(const void *)(ring->at + slots_bytes(ring) + windows_bytes(ring) +
	        seq % table_seqs(ring) * table_bytes(ring));
}

static bool is_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static bool slot_ring_is_over(const struct slot_ring *ring, uint32_t seq, uint64_t places)
{
	for (int p = 0; p < ring->n; p++)
		if (places >> p & 1 &&
		        is_before(
		                __atomic_load_n(&slot_ring_slot(ring, p, seq)->done, __ATOMIC_SEQ_CST), seq))
			return false;
	return true;
}

void slot_ring_take(struct slot_ring *ring, uint32_t seq, uint64_t places)
{
	struct slot_use *use = &ring->used[seq % ring->seqs];
	while (use->seq && use->seq != seq && !slot_ring_is_over(ring, use->seq, use->places))
		nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
	*use = (struct slot_use){seq, places};
}

/* Never lowers a word, because its slot may already have a later sequence number. */
static void word_raise(struct shared_gpu *gpu, uint32_t *word, uint32_t seq)
{
	if (is_before(__atomic_load_n(word, __ATOMIC_SEQ_CST), seq))
		gpu->cuda->host_store(word, seq, gpu->cuda->host_now());
}

/* Ends all waits of that sequence number, of all members. */
static void slot_ring_let_go(struct shared_gpu *gpu, struct slot_ring *ring, uint32_t seq)
{
	if (slot_ring_is_over(ring, seq, ALL_PLACES))
		return;
	for (int p = 0; p < ring->n; p++)
		word_raise(gpu, &slot_ring_slot(ring, p, seq)->released, seq);
	for (int p = 0; p < ring->n; p++)
		word_raise(gpu, &slot_ring_slot(ring, p, seq)->arrived, seq);
	for (int p = 0; p < ring->n; p++)
		word_raise(gpu, &slot_ring_slot(ring, p, seq)->done, seq);
}

static void slot_ring_let_go_up_to(struct shared_gpu *gpu, struct slot_ring *ring, uint32_t seq)
{
	for (uint32_t t = seq > ring->seqs ? seq - ring->seqs + 1 : 1; t <= seq && seq; t++)
		slot_ring_let_go(gpu, ring, t);
}

void shared_gpu_release(struct exchange *exchange, int part, uint32_t seq)
{
	struct shared_gpu *gpu = (struct shared_gpu *)exchange;
	uint64_t whole = key_of(part, -1, -1);
	pthread_mutex_lock(&gpu->lock);
	for (size_t i = 0; i < gpu->ring_count; i++) {
		struct slot_ring *ring = gpu->rings[i];
		if (ring->key == whole)
			slot_ring_let_go_up_to(gpu, ring, seq);
		else if (ring->key >> 16 == whole >> 16)
			slot_ring_let_go_up_to(gpu, ring, __atomic_load_n(&ring->last, __ATOMIC_SEQ_CST));
	}
	pthread_mutex_unlock(&gpu->lock);
}

void slot_rings_free(struct shared_gpu *gpu)
{
	for (size_t i = 0; i < gpu->ring_count; i++) {
		struct slot_ring *ring = gpu->rings[i];
		slot_ring_let_go_up_to(gpu, ring, ring->last);
		mem_free(ring->used);
		mem_free(ring->ranks);
		mem_free(ring);
	}
	mem_free(gpu->rings);
	gpu->rings = NULL;
	gpu->ring_count = 0;
}
