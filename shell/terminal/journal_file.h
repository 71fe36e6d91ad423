/* journal_file.h -- the session's log in a file that outlives everything. Rank 0 owns the log; here it is
 * stored, to be run again by new ranks.
 *
 * $XDG_STATE_HOME/ranksh/journal-DATE-PID (default ~/.local/state): lines of JSON. The first says with what
 * the session was opened; then one for each line of the log as docs/wire.md has it: {"line": text, "stop":
 * steps, "stamp": ns, "outside": files, "values": text}; {"keep": n} says that of the lines so far only the first n stand. A
 * full disk is said once; the session goes on, and the lines are still in memory. */
#ifndef RANKSH_JOURNAL_FILE_H
#define RANKSH_JOURNAL_FILE_H

#include "shell/wire/wire.h"
#include <stdbool.h>

struct journal_file {
	char folder[1024], path[1200];
	int n; /* of the session */
	bool dry;
	char machine[512];     /* "": what the device has by itself */
	char device[256];      /* its GPUs, as at the start; "": the simulator */
	struct log_change log; /* all its lines */
	int file;              /* descriptor; -1: nothing is written */
};

/* Finds and makes the folder; ST_FILE when it cannot. */
enum status journal_file_folder(struct journal_file *journal);
/* A new file, for a session of these. */
enum status journal_file_begin(
        struct journal_file *journal, int n, bool dry, const char *machine, const char *device);
/* The newest file there is: its lines and what its session was opened with. ST_FILE: there is none. It is
 * written on. */
enum status journal_file_resume(struct journal_file *journal);
/* The log has changed. ST_FILE once, when the disk does not take it. */
enum status journal_file_change(struct journal_file *journal, const struct log_change *change);
void journal_file_release(struct journal_file *journal);

#endif
