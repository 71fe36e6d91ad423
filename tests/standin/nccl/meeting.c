/* meeting.c -- shared memory without a name: a memfd, which others open as /proc/PID/fd/N */
#include "standin/nccl/meeting.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct shared {
	uint64_t cookie;
	_Atomic uint32_t ranks; /* 0 until the first has come */
	struct seat seat[RANKS_MOST];
	struct channel channel[]; /* lane, from, to; pages that nobody touches take no memory */
};

struct meeting {
	struct shared *shared;
	size_t bytes;
	int ranks, rank;
	_Atomic bool aborted;
	const volatile int *_Atomic stop;
};

static size_t bytes_for(int ranks)
{
	return sizeof(struct shared) + (size_t)LANES * ranks * ranks * sizeof(struct channel);
}

/* ---- places ---- */

bool meeting_make(struct place *place)
{
	uint64_t cookie;
	int descriptor = memfd_create("standin nccl", MFD_CLOEXEC);
	bool good = descriptor >= 0 && getrandom(&cookie, sizeof cookie, 0) == sizeof cookie &&
	        ftruncate(descriptor, sizeof(struct shared)) == 0 &&
	        pwrite(descriptor, &cookie, sizeof cookie, 0) == sizeof cookie;

	if (good)
		*place = (struct place){cookie, getpid(), descriptor};
	else if (descriptor >= 0)
		close(descriptor);
	return good;
}

static bool has_cookie(int descriptor, uint64_t cookie)
{
	uint64_t found;
	return pread(descriptor, &found, sizeof found, 0) == sizeof found && found == cookie;
}

void meeting_forget(const struct place *place)
{
	static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER; /* two ranks in one process */
	pthread_mutex_lock(&once);
	if (place->pid == getpid() && has_cookie(place->descriptor, place->cookie))
		close(place->descriptor);
	pthread_mutex_unlock(&once);
}

static int open_place(const struct place *place)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", place->pid, place->descriptor);
	int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (descriptor >= 0 && has_cookie(descriptor, place->cookie))
		return descriptor;
	if (descriptor >= 0)
		close(descriptor);
	return -1;
}

/* ---- seats ---- */

/* Every rank sets the same size, so it does not matter which is the first. */
static struct shared *map(int descriptor, size_t bytes)
{
	if (ftruncate(descriptor, (off_t)bytes) != 0)
		return NULL;
	void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
	return shared == MAP_FAILED ? NULL : shared;
}

static enum entry sit(struct shared *shared, int ranks, int rank, int gpu)
{
	struct seat *seat = &shared->seat[rank];
	uint32_t size = 0, wanted = (uint32_t)ranks, state = FREE;
	if (!atomic_compare_exchange_strong(&shared->ranks, &size, wanted) && size != wanted)
		return OTHER_SIZE;
	if (!atomic_compare_exchange_strong(&seat->state, &state, COMING))
		return SEAT_TAKEN;
	seat->gpu = gpu;
	atomic_store(&seat->state, SITS);
	return ENTERED;
}

enum entry meeting_enter(const struct place *place, int ranks, int rank, int gpu, struct meeting **meeting)
{
	int descriptor = open_place(place);
	if (descriptor < 0)
		return NO_PLACE;
	struct meeting *made = calloc(1, sizeof *made);
	size_t bytes = bytes_for(ranks);
	struct shared *shared = made ? map(descriptor, bytes) : NULL;
	close(descriptor);
	enum entry entry = shared ? sit(shared, ranks, rank, gpu) : NO_PLACE;
	if (entry != ENTERED) {
		if (shared)
			munmap(shared, bytes);
		free(made);
		return entry;
	}
	*made = (struct meeting){.shared = shared, .bytes = bytes, .ranks = ranks, .rank = rank};
	*meeting = made;
	meeting_ring_all(made);
	return ENTERED;
}

void meeting_leave(struct meeting *meeting)
{
	if (meeting)
		munmap(meeting->shared, meeting->bytes);
	free(meeting);
}

int meeting_size(const struct meeting *meeting)
{
	return meeting->ranks;
}

int meeting_rank(const struct meeting *meeting)
{
	return meeting->rank;
}

struct seat *meeting_seat(struct meeting *meeting, int rank)
{
	return &meeting->shared->seat[rank];
}

struct channel *meeting_channel(struct meeting *meeting, int lane, int from, int to)
{
	return &meeting->shared->channel[(lane * meeting->ranks + from) * meeting->ranks + to];
}

/* ---- bells ---- */

void meeting_ring(struct meeting *meeting, int rank)
{
	_Atomic uint32_t *bell = &meeting->shared->seat[rank].bell;
	atomic_fetch_add(bell, 1);
	syscall(SYS_futex, bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void meeting_ring_all(struct meeting *meeting)
{
	for (int rank = 0; rank < meeting->ranks; rank++)
		meeting_ring(meeting, rank);
}

void meeting_abort(struct meeting *meeting)
{
	atomic_store(&meeting->aborted, true);
	meeting_ring(meeting, meeting->rank);
}

void meeting_stops_by(struct meeting *meeting, const volatile int *stop)
{
	atomic_store(&meeting->stop, stop);
}

bool meeting_aborted(struct meeting *meeting)
{
	const volatile int *stop = atomic_load(&meeting->stop);
	return atomic_load(&meeting->aborted) || (stop && __atomic_load_n(stop, __ATOMIC_ACQUIRE));
}

bool meeting_wait(struct meeting *meeting, bool (*met)(struct meeting *meeting, void *self), void *self)
{
	_Atomic uint32_t *bell = &meeting->shared->seat[meeting->rank].bell;
	const struct timespec sleep = {.tv_nsec = SLEEP_MS * 1000000};
	for (;;) {
		uint32_t rung = atomic_load(bell);
		if (meeting_aborted(meeting))
			return false;
		if (met(meeting, self))
			return true;
		syscall(SYS_futex, bell, FUTEX_WAIT, rung, &sleep, NULL, 0);
	}
}
