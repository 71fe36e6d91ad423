/* meeting.h -- where the ranks of a communicator meet: a mapping of shared memory, and who sits in it
 *
 * 1. A rank writes its own seat and its own halves of channels, and nothing else. Counters only grow. There is no lock
 *    that a killed process could take with it, and no condition variable that could count it among the waiting.
 * 2. Who waits reads its bell, looks at what it waits for, and sleeps on the bell. Who changes something rings the bell
 *    behind the change. A sleep ends by itself after SLEEP_MS, so that even a lost ring costs no more.
 * 3. A wait ends when what it waits for is there, or when the waiting side has been aborted: that a peer died is not
 *    noticed, as by NCCL's kernels. */
#ifndef RANKSH_STANDIN_MEETING_H
#define RANKSH_STANDIN_MEETING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLEEP_MS = 50, RANKS_MOST = 64 };
enum { LANES = 2, SLOTS = 2, CHUNK = 64 << 10 }; /* see exchange.h; bytes of a slot */

/* What an ncclUniqueId holds: a descriptor of the process that made it; `cookie` tells that the memory is still that */
struct place {
	uint64_t cookie;
	int32_t pid, descriptor;
};

enum seat_state { FREE, COMING, SITS };
struct seat {
	_Atomic uint32_t bell;  /* rung by others too */
	_Atomic uint32_t state; /* enum seat_state */
	int gpu;                /* once it sits */
};

/* One side of a channel: exchange.h */
struct half {
	_Atomic uint64_t posted, moved, ended;
	int64_t at_ns, bytes;
};
struct channel {
	struct half sender, receiver;
	char slot[SLOTS][CHUNK];
};

struct meeting;

/* Makes a place for a communicator, held until meeting_forget or the end of this process. False: no memory. */
bool meeting_make(struct place *place);
/* Nobody else will come to this place; nothing where another process made it */
void meeting_forget(const struct place *place);

enum entry { ENTERED, NO_PLACE, OTHER_SIZE, SEAT_TAKEN };
/* Takes seat `rank` of `ranks`. The owner calls meeting_leave. */
enum entry meeting_enter(const struct place *place, int ranks, int rank, int gpu, struct meeting **meeting);
void meeting_leave(struct meeting *meeting);

int meeting_size(const struct meeting *meeting);
int meeting_rank(const struct meeting *meeting);
struct seat *meeting_seat(struct meeting *meeting, int rank);
struct channel *meeting_channel(struct meeting *meeting, int lane, int from, int to);

void meeting_ring(struct meeting *meeting, int rank);
void meeting_ring_all(struct meeting *meeting);
/* All that this rank waits for here, on any thread, ends. */
void meeting_abort(struct meeting *meeting);
/* So do they where *stop is not 0, a flag that others write; NULL: none. */
void meeting_stops_by(struct meeting *meeting, const volatile int *stop);
/* Either */
bool meeting_aborted(struct meeting *meeting);
/* Waits until `met` says so. False: aborted. */
bool meeting_wait(struct meeting *meeting, bool (*met)(struct meeting *meeting, void *self), void *self);

#endif
