/* hosts.h -- the hosts of a job: from --hosts, --hostfile, or an allocation of Slurm, PBS or LSF
 *
 *     --hosts n1,n2        -n 7     4 ranks on n1, 3 on n2: hosts without a number share evenly
 *     --hosts n1:12,n2:4            16 ranks; -n 8 fills n1 first
 *     Slurm, 8 tasks on each of 2   16 ranks; Open MPI reads the nodes itself
 *
 * The ranks of a host are neighbours. Open MPI puts this computer first if it is in the list. */
#ifndef RANKSH_HOSTS_H
#define RANKSH_HOSTS_H

#include "base/text.h"
#include "shell/session/options.h"

struct job_host {
	char *name;
	int slots; /* the most ranks; 0: no number was given */
	int ranks; /* hosts_share */
};
/* One batch system's allocation is read only if no list is typed. Zeroed: this computer alone */
struct hosts {
	enum hosts_from { HOSTS_NONE, HOSTS_TYPED, HOSTS_FILE, HOSTS_SLURM, HOSTS_PBS, HOSTS_LSF } from;
	struct job_host *host; /* owned; none for Slurm */
	size_t count;
	int nodes, slots; /* of all; slots 0: a host has no number */
	char name[128];   /* for messages: "--hosts", "the hostfile F", "the Slurm job 12" */
	struct text list; /* the words after mpirun's --host (hosts_share); Slurm: its list of nodes */
};

/* Reads the list. An allocation of one slot, or with RANKSH_LAUNCHER=none, is ignored: it is an
 * interactive shell. Fails with ST_ARGUMENT or ST_FILE, naming the word, and the line of a file.
 * Release *hosts also after a failure. */
enum status hosts_read(const struct options *options, struct hosts *hosts);
/* Shares *n ranks among the hosts; *n 0: sets it to all slots, or to RANKS_DEFAULT without any.
 * Fails with ST_RANGE if there are too few slots, or too many hosts. */
enum status hosts_share(struct hosts *hosts, int *n);
/* Reads and shares, to check the command line. */
enum status hosts_check(const struct options *options);
void hosts_release(struct hosts *hosts);

/* Returns the number of words, with its value, of an option of this page, which ranks do not get: 1
 * or 2; 0: the word is another one. */
int hosts_option(const char *word);

/* ---- reach.c: what mpirun starts for each other host instead of ssh ----
 *
 *     mpirun -- ranksh --reach HOST COMMAND -- ssh HOST COMMAND
 *
 * The front end reads its lines on descriptor 2: the host is asked, it has answered, or a message
 * that names it. A rank that cannot take part writes such a message, too (FAULT_MARK). */

/* Reads and shares the hosts (hosts_read, hosts_share), sets the environment of mpirun, and appends
 * its words, each ended by a NUL: the placement, the environment to pass on, and the ranks' program,
 * `self` here and that of --prefix on other hosts. *count: their number; 0: this computer alone */
enum status reach_words(
        const struct options *options, const char *self, int *n, struct text *words, int *count);
/* Runs the process of one host. word: the arguments after --reach. Returns ssh's exit status. */
int reach_run(int count, char **word);
/* Reads a line: keeps in `waits` the hosts that have not answered, each with a blank before it, and
 * in `faults` the messages, a line each, once. Returns false for any other line. */
bool reach_hear(const char *line, size_t count, struct text *waits, struct text *faults);
/* Appends what the start waits for after so many seconds: "starting the ranks", "waiting for n2".
 * several: the job is on several hosts */
void reach_starting(bool several, const struct text *waits, int64_t seconds, struct text *words);

#endif
