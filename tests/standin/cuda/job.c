/* job.c -- what the processes of a job have taken of each GPU. Processes with one parent (mpirun, a shell) share a table, each with a seat of its own;
 * a lock on the seat's byte goes with the process, however it ends, and what a seat without a lock says counts no more. */
#include "inside.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { SEATS = 64, ALL = SEATS /* the byte whose lock guards the whole table */ };
struct seat {
	int64_t taken[STANDIN_GPUS];
};

static struct seat *seats; /* NULL: there is no table */
static int table = -1, mine;

static bool lock(int command, int byte, int type)
{
	struct flock lock = {.l_type = (short)type, .l_start = byte, .l_len = 1};
	return fcntl(table, command, &lock) == 0;
}

static bool taken_by_other(int seat)
{
	struct flock lock = {.l_type = F_WRLCK, .l_start = seat, .l_len = 1};
	return fcntl(table, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void job_sit_down(void)
{
	char name[40];
	void *at;
	snprintf(name, sizeof name, "standin-job-%d", (int)getppid());
	if ((table = share_among(name, getppid(), SEATS * sizeof *seats, &at)) < 0)
		return;
	for (mine = 0; mine < SEATS && !lock(F_SETLK, mine, F_WRLCK); mine++)
		continue;
	if (mine == SEATS)
		return;
	seats = at;
	seats[mine] = (struct seat){0};
}

int64_t job_others(int device)
{
	int64_t bytes = 0;
	for (int i = 0; seats && i < SEATS; i++) {
		int64_t taken = __atomic_load_n(&seats[i].taken[device], __ATOMIC_SEQ_CST);
		if (i != mine && taken && taken_by_other(i))
			bytes += taken;
	}
	return bytes;
}

void job_begin(void)
{
	if (seats)
		lock(F_SETLKW, ALL, F_WRLCK);
}

void job_end(int device, size_t taken)
{
	if (!seats)
		return;
	__atomic_store_n(&seats[mine].taken[device], (int64_t)taken, __ATOMIC_SEQ_CST);
	lock(F_SETLK, ALL, F_UNLCK);
}
