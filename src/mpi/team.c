/* team.c -- messages between a team's threads
 *
 *     thread 0   send to 2 --.                    mail[2]   0 -> "..."   1 -> "..."
 *     thread 1   send to 2 --+--> under one lock            ^ the oldest from that sender and tag
 *     thread 2   receive from 0 <-------------------------- waits until it is there
 *
 * A message is copied when sent, so a sender never waits, and messages with one sender and tag
 * keep their order. */
#include "mpi/team.h"
#include "mpi/inside.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

struct mail {
	int from, tag;
	void *bytes;
	size_t count;
};
struct box {
	struct mail *mail;
	size_t count;
	bool left;
};
struct team {
	pthread_mutex_t lock;
	pthread_cond_t moved; /* a message arrived, a rank left, or all stop */
	int n, leaving;
	bool stopped;
	struct box *box;              /* by rank */
	struct transport **transport; /* by rank */
};

struct team *team_create(int n)
{
	struct team *team = mem_alloc(sizeof *team);
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->moved, NULL);
	team->n = n;
	team->box = mem_alloc((size_t)n * sizeof *team->box);
	team->transport = mem_alloc((size_t)n * sizeof(struct transport *));
	for (int rank = 0; rank < n; rank++) {
		struct transport *t = team->transport[rank] = mem_alloc(sizeof *t);
		*t = (struct transport){.team = team, .rank = rank, .size = n, .fail_at = -1, .doorbell = -1};
	}
	return team;
}

struct transport *team_transport(struct team *team, int rank)
{
	return team->transport[rank];
}

void team_free(struct team *team)
{
	for (int rank = 0; rank < team->n; rank++) {
		for (size_t i = 0; i < team->box[rank].count; i++)
			mem_free(team->box[rank].mail[i].bytes);
		mem_free(team->box[rank].mail);
		mem_free(team->transport[rank]);
	}
	mem_free(team->box);
	mem_free(team->transport);
	pthread_cond_destroy(&team->moved);
	pthread_mutex_destroy(&team->lock);
	mem_free(team);
}

void team_leave(struct team *team, int rank)
{
	pthread_mutex_lock(&team->lock);
	team->box[rank].left = true;
	team->leaving++;
	pthread_cond_broadcast(&team->moved);
	pthread_mutex_unlock(&team->lock);
}

void team_stop(struct team *team)
{
	pthread_mutex_lock(&team->lock);
	team->stopped = true;
	pthread_cond_broadcast(&team->moved);
	pthread_mutex_unlock(&team->lock);
}

bool team_stopped(struct team *team)
{
	pthread_mutex_lock(&team->lock);
	bool stopped = team->stopped;
	pthread_mutex_unlock(&team->lock);
	return stopped;
}

bool team_await(struct team *team, int ms)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pthread_mutex_lock(&team->lock);
	while (team->leaving < team->n &&
	        pthread_cond_timedwait(&team->moved, &team->lock, &until) != ETIMEDOUT)
		;
	bool all = team->leaving == team->n;
	pthread_mutex_unlock(&team->lock);
	return all;
}

/* ---- messages (inside.h) ---- */

void team_send(struct transport *t, int to, int tag, const void *bytes, size_t count)
{
	struct team *team = t->team;
	char *copy = mem_copy_text(count ? bytes : "", count);
	pthread_mutex_lock(&team->lock);
	struct box *box = &team->box[to];
	*MEM_ADD(&box->mail, &box->count) = (struct mail){t->rank, tag, copy, count};
	pthread_cond_broadcast(&team->moved);
	pthread_mutex_unlock(&team->lock);
}

/* Removes the oldest message with that sender and tag; false if none. Requires the lock. */
static bool take(struct box *box, int from, int tag, struct mail *mail)
{
	for (size_t i = 0; i < box->count; i++) {
		if (box->mail[i].from != from || box->mail[i].tag != tag)
			continue;
		*mail = box->mail[i];
		MEM_REMOVE(box->mail, &box->count, i);
		return true;
	}
	return false;
}

enum status team_receive(struct transport *t, int from, int tag, void **bytes, size_t *count)
{
	struct team *team = t->team;
	struct mail mail = {0};
	enum status status = ST_OK;
	bool there = false;
	pthread_mutex_lock(&team->lock);
	while (status == ST_OK && !(there = take(&team->box[t->rank], from, tag, &mail))) {
		if (team->stopped)
			status = fail(ST_INTERRUPTED, "interrupted");
		else if (team->box[from].left)
			status = fail(ST_MPI, "rank %d has ended and sends nothing any more", from);
		else
			pthread_cond_wait(&team->moved, &team->lock);
	}
	pthread_mutex_unlock(&team->lock);
	*bytes = mail.bytes;
	*count = mail.count;
	return status;
}

/* ---- groups ---- */

enum status team_exchange(struct transport_group *group, const struct transport_piece *piece)
{
	struct transport *t = group->transport;
	enum status status = ST_OK;
	for (int k = 1; k < group->n; k++) {
		int to = (group->place + k) % group->n;
		if (piece[to].send_bytes > 0)
			team_send(
			        t, group->ranks[to], TAG_DATA, piece[to].send, (size_t)piece[to].send_bytes);
	}
	for (int k = 1; k < group->n; k++) {
		int from = (group->place + k) % group->n;
		if (piece[from].receive_bytes > 0)
			status = first_failure(status,
			        message_receive_exactly(t, group->ranks[from], TAG_DATA, piece[from].receive,
			                (size_t)piece[from].receive_bytes));
	}
	return status;
}

enum status team_bcast(struct transport_group *group, int root, void *data, int64_t bytes)
{
	if (group->place != root)
		return message_receive_exactly(
		        group->transport, group->ranks[root], TAG_DATA, data, (size_t)bytes);
	for (int place = 0; place < group->n; place++)
		if (place != root)
			team_send(group->transport, group->ranks[place], TAG_DATA, data, (size_t)bytes);
	return ST_OK;
}
