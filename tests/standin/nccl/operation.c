/* operation.c -- collectives as messages between all ranks.
 *
 * A reduction adds in the order of a ring, as NCCL and the simulator do: each rank gets its own piece of everybody's
 * tensor, adds the pieces up, and then the sums are exchanged (src/collectives/data.c draws it). The first exchange is
 * one with every rank, of 0 bytes at least: by its end all know when the last one came. */
#include "standin/nccl/operation.h"
#include "standin/standin.h"

#include <stdlib.h>
#include <string.h>

enum { PART = 1 << 18 }; /* elements of a piece that are exchanged at a time */

struct site { /* an operation on this rank */
	struct meeting *meeting;
	const struct operation *operation;
	int ranks, rank;
	int64_t came_ns, begin_ns; /* of this rank, of the last */
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

int64_t operation_ns(const struct operation *operation, int ranks)
{
	int64_t bytes = operation->count * operation->bytes, others = ranks - 1, steps = others;
	if (operation->kind == ALLREDUCE && operation->count == 1) {
		/* one number goes up a tree and down again */
		for (steps = 0; 1 << steps < ranks; steps++)
			;
		steps *= 2;
	} else if (operation->kind == ALLREDUCE) {
		bytes = 2 * bytes * others / ranks;
		steps *= 2;
	} else if (operation->kind == REDUCESCATTER || operation->kind == ALLGATHER)
		bytes *= others;
	return standin_cost(COST_NCCL, (double)bytes) + steps * standin_cost(COST_STEP, 0);
}

/* ---- exchanges with everybody ---- */

struct piece {
	const char *from;
	char *to;
	int64_t sent, got; /* bytes */
};

/* piece[p]: to rank p and from it. This rank's own is copied. */
static enum exchanged exchange_all(struct site *site, const struct piece *piece)
{
	struct message message[2 * RANKS_MOST];
	int count = 0;

	for (int p = 0; p < site->ranks; p++) {
		if (p == site->rank) {
			if (piece[p].sent > 0 && piece[p].to != piece[p].from)
				memmove(piece[p].to, piece[p].from, (size_t)piece[p].sent);
			continue;
		}
		message[count++] = (struct message){
		        .sends = true, .peer = p, .from = piece[p].from, .bytes = piece[p].sent};
		message[count++] = (struct message){.peer = p, .to = piece[p].to, .bytes = piece[p].got};
	}
	enum exchanged exchanged = exchange(site->meeting, LANE_COLLECTIVES, site->came_ns, message, count);
	for (int i = 0; i < count && exchanged == EXCHANGED; i++)
		site->begin_ns = most(site->begin_ns, message[i].begin_ns);
	return exchanged;
}

/* ---- bytes that move ---- */

static enum exchanged move_pieces(struct site *site)
{
	const struct operation *operation = site->operation;
	int64_t bytes = operation->count * operation->bytes;
	bool gathers = operation->kind == ALLGATHER; /* else a broadcast */
	struct piece piece[RANKS_MOST] = {0};

	for (int p = 0; p < site->ranks; p++) {
		if (gathers || operation->other == site->rank) {
			piece[p].from = operation->from;
			piece[p].sent = bytes;
		}
		if (gathers || operation->other == p) {
			piece[p].to = operation->to + (gathers ? p * bytes : 0);
			piece[p].got = bytes;
		}
	}
	return exchange_all(site, piece);
}

/* ---- reductions ---- */

/* Piece p of the tensor begins at this element, as in the simulator (collectives/ring.c). */
static int64_t piece_at(const struct site *site, int p)
{
	const struct operation *operation = site->operation;
	if (operation->kind == REDUCESCATTER)
		return operation->count * p;
	return operation->count / site->ranks * p + operation->count % site->ranks * p / site->ranks;
}

/* The rank whose piece the sum begins with: an allreduce's own; behind the root or, where the sum stays, behind this
 * rank's own, so that it ends there */
static int first_of(const struct site *site)
{
	if (site->operation->kind == ALLREDUCE)
		return site->rank;
	return ((site->operation->kind == REDUCE ? site->operation->other : site->rank) + 1) % site->ranks;
}

/* One part of each piece, `at` elements from its beginning: spread, add, collect. blocks: room for this rank's part of
 * everybody's */
static enum exchanged reduce_part(struct site *site, char *blocks, int64_t at)
{
	const struct operation *operation = site->operation;
	int n = site->ranks, bytes = operation->bytes;
	struct piece piece[RANKS_MOST];
	char *block[RANKS_MOST];
	int64_t mine = 0;

	for (int turn = 0; turn < 2; turn++) /* the length of this rank's own first */
		for (int p = 0; p < n; p++) {
			int64_t begin = piece_at(site, p) + at,
			        count = most(0, least(piece_at(site, p + 1) - begin, PART));
			mine = p == site->rank ? count : mine;
			piece[p] = (struct piece){operation->from + begin * bytes, blocks + p * mine * bytes,
			        count * bytes, mine * bytes};
		}
	enum exchanged exchanged = exchange_all(site, piece);
	if (exchanged != EXCHANGED)
		return exchanged;
	for (int k = 0; k < n; k++)
		block[k] = blocks + (first_of(site) + k) % n * mine * bytes;
	reducer_fold(&operation->by, block, n, mine);
	if (operation->kind == REDUCESCATTER) {
		memcpy(operation->to + at * bytes, block[0], (size_t)(mine * bytes));
		return EXCHANGED;
	}
	bool all = operation->kind == ALLREDUCE, gets = all || operation->other == site->rank;
	for (int p = 0; p < n; p++) {
		int64_t got = piece[p].sent;
		piece[p] = (struct piece){block[0],
		        gets ? operation->to + (piece[p].from - operation->from) : NULL,
		        all || operation->other == p ? mine * bytes : 0, gets ? got : 0};
	}
	return exchange_all(site, piece);
}

static enum exchanged reduce(struct site *site)
{
	int64_t longest = piece_at(site, site->ranks) / site->ranks + 1, at = 0;
	int64_t own = piece_at(site, site->rank + 1) - piece_at(site, site->rank);
	char *blocks = malloc((size_t)(1 + least(own, PART) * site->ranks * site->operation->bytes));
	enum exchanged exchanged;
	if (!blocks)
		return EXCHANGE_DIFFERS;
	do
		exchanged = reduce_part(site, blocks, at);
	while (exchanged == EXCHANGED && (at += PART) < longest);
	free(blocks);
	return exchanged;
}

/* ---- a group of calls ---- */

static bool is_pair(const struct operation *operation)
{
	return operation->kind == SEND || operation->kind == RECV;
}

/* *ns: when the last message is over */
static enum exchanged run_pairs(
        struct meeting *meeting, const struct operation *operation, int count, int64_t came_ns, int64_t *ns)
{
	struct message *message = calloc((size_t)count + 1, sizeof *message);
	int messages = 0;
	if (!message)
		return EXCHANGE_DIFFERS;
	for (int i = 0; i < count; i++)
		if (is_pair(&operation[i]))
			message[messages++] = (struct message){.sends = operation[i].kind == SEND,
			        .peer = operation[i].other,
			        .from = operation[i].from,
			        .to = operation[i].to,
			        .bytes = operation[i].count * operation[i].bytes};
	enum exchanged exchanged =
	        messages ? exchange(meeting, LANE_PAIRS, came_ns, message, messages) : EXCHANGED;
	for (int i = 0; i < messages && exchanged == EXCHANGED; i++) {
		struct operation alone = {.kind = SEND, .count = message[i].bytes, .bytes = 1};
		*ns = most(*ns, message[i].begin_ns + operation_ns(&alone, 2));
	}
	free(message);
	return exchanged;
}

enum exchanged operations_run(
        struct meeting *meeting, const struct operation *operation, int count, int64_t *ns)
{
	enum exchanged exchanged = run_pairs(meeting, operation, count, *ns, ns);
	for (int i = 0; i < count && exchanged == EXCHANGED; i++) {
		struct site site = {.meeting = meeting,
		        .operation = &operation[i],
		        .ranks = meeting_size(meeting),
		        .rank = meeting_rank(meeting),
		        .came_ns = *ns,
		        .begin_ns = *ns};
		if (is_pair(&operation[i]))
			continue;
		exchanged = operation[i].kind <= REDUCESCATTER ? reduce(&site) : move_pieces(&site);
		*ns = site.begin_ns + operation_ns(&operation[i], site.ranks);
	}
	return exchanged;
}
