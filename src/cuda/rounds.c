/* rounds.c -- a round; a message is a head and times, in both directions */
#include "cuda/rounds.h"
#include "base/memory.h"

#include <string.h>

/* ---- times by operation */

void measurements_release(struct measurements *all)
{
	mem_free(all->at);
	mem_free(all->order);
	*all = (struct measurements){0};
}

enum status measurements_add(struct measurements *all, const struct measured *one)
{
	size_t before = all->room;
	if (one->id == 0 || one->issue > one->ready || one->ready > one->start || one->start > one->end)
		return fail(ST_BUG, "operation %u was reported with times out of order", one->id);
	MEM_ROOM(&all->at, (size_t)one->id + 1, &all->room);
	if (all->room > before)
		memset(all->at + before, 0, (all->room - before) * sizeof *all->at);
	struct measured *place = &all->at[one->id];
	if (place->id)
		return memcmp(place, one, sizeof *one) == 0
		        ? ST_OK
		        : fail(ST_BUG, "operation %u was reported twice, with different times", one->id);
	*place = *one;
	*MEM_ADD(&all->order, &all->known) = one->id;
	return ST_OK;
}

const struct measured *measurements_find(const struct measurements *all, op_id id)
{
	return id < all->room && all->at[id].id ? &all->at[id] : NULL;
}

/* ---- rounds */

struct round_head {
	uint16_t over, full;
	int32_t lost;
	uint64_t count;
};

void rounds_release(struct rounds *rounds)
{
	mem_free(rounds->news);
	*rounds = (struct rounds){0};
}

void rounds_tell(struct rounds *rounds, const struct measured *one)
{
	*MEM_ADD(&rounds->news, &rounds->count) = *one;
}

static size_t message_write(const struct vote *vote, const struct measured *news, size_t count, void **bytes)
{
	struct round_head head = {.over = vote->over, .full = vote->full, .lost = vote->lost, .count = count};
	char *to = mem_alloc(sizeof head + count * sizeof *news);
	memcpy(to, &head, sizeof head);
	if (count)
		memcpy(to + sizeof head, news, count * sizeof *news);
	*bytes = to;
	return sizeof head + count * sizeof *news;
}

/* Adds a message's times to `all` and returns its head. */
static enum status message_read(
        const void *bytes, size_t size, struct measurements *all, struct round_head *head)
{
	const char *from = bytes;
	*head = (struct round_head){0};
	if (size >= sizeof *head)
		memcpy(head, from, sizeof *head);
	if (size < sizeof *head || (size - sizeof *head) / sizeof(struct measured) != head->count)
		return fail(ST_BUG, "a round's message of %zu bytes has no such times", size);
	enum status status = ST_OK;
	for (uint64_t i = 0; i < head->count; i++) {
		struct measured one;
		memcpy(&one, from + sizeof *head + i * sizeof one, sizeof one);
		status = first_failure(status, measurements_add(all, &one));
	}
	return status;
}

static enum status round_conduct(struct rounds *rounds, struct measurements *all, struct vote *vote,
        const struct transport_bytes *from)
{
	struct vote sum = {.over = true};
	struct measured *news = NULL;
	size_t count = 0;
	enum status status = ST_OK;
	for (int rank = 0; rank < transport_size(rounds->transport); rank++) {
		struct round_head head;
		status = first_failure(status, message_read(from[rank].bytes, from[rank].count, all, &head));
		sum.over &= head.over != 0;
		sum.full |= head.full != 0;
		sum.lost = sum.lost ? sum.lost : head.lost;
		for (uint64_t i = 0; i < head.count; i++)
			memcpy(MEM_ADD(&news, &count),
			        (const char *)from[rank].bytes + sizeof head + i * sizeof *news,
			        sizeof *news);
	}
	void *bytes;
	size_t size = message_write(&sum, news, count, &bytes);
	status = first_failure(status, transport_send_all(rounds->transport, bytes, size));
	mem_free(bytes);
	mem_free(news);
	*vote = sum;
	return status;
}

static enum status round_follow(struct rounds *rounds, struct measurements *all, struct vote *vote)
{
	void *bytes = NULL;
	size_t size = 0;
	struct round_head head;
	enum status status = transport_receive(rounds->transport, &bytes, &size, NULL, NULL);
	if (status != ST_OK)
		return status;
	status = message_read(bytes, size, all, &head);
	mem_free(bytes);
	*vote = (struct vote){.over = head.over != 0, .full = head.full != 0, .lost = head.lost};
	return status;
}

enum status rounds_hold(struct rounds *rounds, struct measurements *all, struct vote *vote)
{
	struct transport *transport = rounds->transport;
	int processes = transport_size(transport);
	bool conducts = transport_rank(transport) == 0;
	struct transport_bytes *from = mem_alloc(processes * sizeof *from);
	void *mine;
	size_t size = message_write(vote, rounds->news, rounds->count, &mine);
	enum status status = transport_gather(transport, mine, size, from, NULL, NULL);
	rounds->count = 0;
	mem_free(mine);
	if (status == ST_OK && conducts) {
		status = round_conduct(rounds, all, vote, from);
		for (int rank = 0; rank < processes; rank++)
			mem_free(from[rank].bytes);
	} else if (status == ST_OK) {
		status = round_follow(rounds, all, vote);
	}
	mem_free(from);
	return status;
}
