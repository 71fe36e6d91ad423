/* system.h -- what ranksh asks of the operating system beyond POSIX
 *
 * A port to another system replaces linux.c and left.c, and routine.c if that system has no
 * ucontext. */
#ifndef RANKSH_SYSTEM_H
#define RANKSH_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Sends this process `signal` when the thread that started it ends. */
void system_end_with_parent(int signal);

/* Sets by how much the system may extend the sleeps of the calling thread (Linux: 50 us at first). */
void system_sleep_slack(int64_t ns);

/* Sets `path` to the full path of the file that this process runs. Returns false and sets errno if
 * it is unknown. */
bool system_own_file(char *path, size_t room);

/* Sets `path` to another name of that file, which has no blanks and holds while this process runs. */
void system_own_alias(char *path, size_t room);

/* Sets `boot` to a text that only processes on the same running computer share; "" if unknown. */
void system_boot(char *boot, size_t room);

/* Returns how many processes and threads this user may still start, by the user's limit and by the
 * control group's; INT64_MAX: no limit. Reads all of /proc if the user's limit is below 16384, and
 * assumes else that nothing is used of it. */
int64_t system_tasks_left(void);
/* Returns how many processors this process may use, by its affinity and the control group; at
 * least 1. */
int system_processors(void);
/* Returns the bytes of memory that new processes can have: of this computer, or, if less, of the
 * control group; INT64_MAX: unknown. */
int64_t system_memory_left(void);
/* Returns true if descriptor 0 of process `pid` of this user is a terminal; false if it is unknown. */
bool system_reads_terminal(pid_t pid);

/* Returns how many processes the system has killed since its start because memory ran out; -1:
 * unknown. */
int64_t system_memory_kills(void);

/* Returns a descriptor of shared memory of that size, which has no name and is freed with the last
 * process that maps it; -1 with errno. */
int system_shared_memory(size_t bytes);
/* Opens the memory that process `pid` of this user has as descriptor `fd`; -1 with errno. */
int system_shared_memory_of(pid_t pid, int fd);

/* A doorbell is a datagram socket that wakes a process. It is named by a job and a rank, and leaves
 * no file. The caller closes it; -1 if there can be none. */
int system_doorbell(uint64_t job, int rank);
/* Rings the doorbell of another rank by way of one's own, without blocking. Returns false if that
 * rank has none on this host. */
bool system_ring(int doorbell, uint64_t job, int rank);

#endif
