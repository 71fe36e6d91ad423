/* launcher.h -- which launcher started this process, and whether MPI connects it to others
 *
 *                          one of several    MPI connects them    this process
 *     mpirun               yes               yes                  is a rank
 *     srun --mpi=pmix      yes               yes                  is a rank
 *     srun --mpi=none      yes               no                   is refused
 *     srun --pty bash      the shell is      perhaps the shell    is a front end, as in any shell */
#ifndef RANKSH_LAUNCHER_H
#define RANKSH_LAUNCHER_H

#include <stdbool.h>

struct launcher {
	const char *name;     /* "srun" */
	const char *variable; /* the environment's variable that has `count` */
	const char *type;     /* the beginning of a command whose processes MPI connects; NULL: unknown */
	int number, count;    /* this process is `number` of 0 .. count-1 */
};

/* Returns true if MPI_Init makes this process a rank of a job. n: the ranks that the user wants; 0:
 * not given. With RANKSH_LAUNCHER=none only mpirun starts ranks. */
bool launcher_joins(int n);

/* Returns false if this process has another number than 0 among those that MPI connects. */
bool launcher_first(void);

/* Returns true if a launcher started this process as one of several. Returns false with
 * RANKSH_LAUNCHER=none, and in a shell that srun opened in a terminal. */
bool launcher_several(struct launcher *launcher);

/* Number 0 reports on descriptor err that MPI does not connect the processes. Returns the exit
 * status of each of them, 2. */
int launcher_refuse(const struct launcher *launcher, int err);

/* Returns after how many milliseconds without input a user at a terminal may miss the prompt; -1 if
 * nothing shows that there is a terminal. *name: the launcher, which passes lines but no terminal */
int launcher_patience_ms(const char **name);

#endif
