/* exchange.c -- all messages of an operation go on together, each by its own small state machine */
#include "standin/nccl/exchange.h"

#include <string.h>

struct sides {
	struct half *own, *other;
	struct channel *channel;
};

static struct sides sides_of(struct meeting *meeting, enum lane lane, const struct message *message)
{
	int rank = meeting_rank(meeting), peer = message->peer;
	struct channel *channel =
	        meeting_channel(meeting, lane, message->sends ? rank : peer, message->sends ? peer : rank);
	return message->sends ? (struct sides){&channel->sender, &channel->receiver, channel}
	                      : (struct sides){&channel->receiver, &channel->sender, channel};
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* As many chunks as there are slots for */
static bool move(struct message *message, struct sides *sides)
{
	uint64_t moved = atomic_load(&sides->own->moved), other = atomic_load(&sides->other->moved);
	bool progress = false;
	while (message->done < message->bytes && (message->sends ? moved - other < SLOTS : moved < other)) {
		char *slot = sides->channel->slot[moved % SLOTS];
		size_t chunk = (size_t)smaller(message->bytes - message->done, CHUNK);
		if (message->sends)
			memcpy(slot, message->from + message->done, chunk);
		else
			memcpy(message->to + message->done, slot, chunk);
		message->done += (int64_t)chunk;
		atomic_store(&sides->own->moved, ++moved);
		progress = true;
	}
	return progress;
}

/* One look at a message whose turn it is. True: something changed that the other side may wait for. */
static bool advance(struct message *message, struct sides *sides, int64_t at_ns, bool *differs)
{
	struct half *own = sides->own, *other = sides->other;
	bool progress = false;

	if (message->state == UNPOSTED && atomic_load(&own->ended) + 1 == message->number &&
	        atomic_load(&other->ended) + 1 >= message->number) {
		own->at_ns = at_ns;
		own->bytes = message->bytes;
		atomic_store(&own->posted, message->number);
		message->state = POSTED;
		progress = true;
	}
	if (message->state == POSTED && atomic_load(&other->posted) >= message->number) {
		message->begin_ns = at_ns > other->at_ns ? at_ns : other->at_ns;
		message->state = MOVING;
		*differs |= other->bytes != message->bytes;
	}
	if (message->state == MOVING && !*differs) {
		progress |= move(message, sides);
		if (message->done == message->bytes) {
			atomic_store(&own->ended, message->number);
			message->state = ENDED;
			progress = true;
		}
	}
	return progress;
}

struct round {
	enum lane lane;
	int64_t at_ns;
	struct message *message;
	int count;
	bool differs;
};

/* The pairs with its peer that come before its own are over. */
static bool has_turn(const struct round *round, const struct message *message)
{
	for (int i = 0; i < round->count; i++)
		if (round->message[i].peer == message->peer && round->message[i].pair < message->pair &&
		        round->message[i].state != ENDED)
			return false;
	return true;
}

/* Until nothing moves any more; the peers' bells once a pass */
static bool all_ended(struct meeting *meeting, void *self)
{
	struct round *round = self;
	bool again = true, ended = false;
	while (again && !round->differs && !meeting_aborted(meeting)) {
		bool rings[RANKS_MOST] = {false};
		again = false;
		ended = true;
		for (int i = 0; i < round->count; i++) {
			struct message *message = &round->message[i];
			struct sides sides = sides_of(meeting, round->lane, message);
			if (message->state != ENDED && has_turn(round, message) &&
			        advance(message, &sides, round->at_ns, &round->differs))
				rings[message->peer] = again = true;
			ended &= message->state == ENDED;
		}
		for (int rank = 0; rank < meeting_size(meeting); rank++)
			if (rings[rank])
				meeting_ring(meeting, rank);
	}
	return ended || round->differs;
}

/* Numbers go on from what this side has ended: an operation of a rank ends before its next one begins. */
static void number(struct meeting *meeting, struct round *round)
{
	for (int i = 0; i < round->count; i++) {
		struct message *message = &round->message[i];
		struct sides sides = sides_of(meeting, round->lane, message);
		message->pair = 0;
		for (int before = 0; before < i; before++)
			message->pair += round->message[before].peer == message->peer &&
			        round->message[before].sends == message->sends;
		message->number = atomic_load(&sides.own->ended) + 1 + (uint64_t)message->pair;
		message->state = UNPOSTED;
		message->done = 0;
	}
}

enum exchanged exchange(
        struct meeting *meeting, enum lane lane, int64_t at_ns, struct message *message, int count)
{
	struct round round = {lane, at_ns, message, count, false};
	number(meeting, &round);
	if (!meeting_wait(meeting, all_ended, &round))
		return EXCHANGE_ABORTED;
	return round.differs ? EXCHANGE_DIFFERS : EXCHANGED;
}
