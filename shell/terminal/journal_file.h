/* journal_file.h -- the session's log in a file that outlives everything. Rank 0 owns the log; here it is
 * stored, to be run again by new ranks.
 *
 * $XDG_STATE_HOME/ranksh/journal-DATE-PID (default ~/.local/state), or where --journal says: lines of JSON. The first says
 * with what the session was opened; then one for each line of the log as docs/internals/wire.md has it: {"line": text, "stop":
 * steps, "stamp": ns, "outside": files, "values": text}; {"keep": n, "typed": text} says that of the lines so far only the
 * first n stand (typed "restart": the same lines follow, with what new ranks have read); {"look": text, "stamp": ns, "refused": words} what was typed and has changed nothing. A
 * full disk is said once; the session goes on, and the lines are still in memory. */
#ifndef RANKSH_JOURNAL_FILE_H
#define RANKSH_JOURNAL_FILE_H

#include "shell/wire/wire.h"
#include <stdbool.h>

struct journal_file {
	char folder[1024], path[1200];
	int n;            /* of the session */
	char version[32]; /* of the ranksh that wrote it */
	bool dry;
	char machine[512];     /* "": what the device has by itself */
	char device[256];      /* its GPUs, as at the start; "": the simulator */
	struct log_change log; /* all its lines */
	int file;              /* descriptor; -1: nothing is written */
};

/* Finds and makes the folder; ST_FILE when it cannot. */
enum status journal_file_folder(struct journal_file *journal);
/* A new file, for a session of these. path: where, if it is not there yet; NULL: among the others. */
enum status journal_file_begin(struct journal_file *journal, const char *path, int n, bool dry,
        const char *machine, const char *device);
/* The file, or (NULL) the newest there is: its lines and what its session was opened with. ST_FILE: there is none. It is
 * written on. */
enum status journal_file_resume(struct journal_file *journal, const char *path);
/* The log has changed, by `typed`. ST_FILE once, when the disk does not take it. */
enum status journal_file_change(
        struct journal_file *journal, const struct log_change *change, const char *typed);
/* What was typed has changed nothing. refused: why; "" it was not */
enum status journal_file_look(
        struct journal_file *journal, const char *typed, int64_t stamp, const char *refused);

/* A line of the file has been read, without its newline: n, machine, dry, device and log are what it makes them. */
enum journal_says {
	JOURNAL_HEAD,
	JOURNAL_LINE,  /* the last one of the log now */
	JOURNAL_KEEP,  /* by `typed`; "" before that was kept */
	JOURNAL_LOOK,  /* `typed`, `refused`, `stamp` */
	JOURNAL_OTHER, /* nothing that is known here */
	JOURNAL_BAD    /* it is no object of JSON */
};
struct journal_look {
	struct text typed, refused; /* owned */
	int64_t stamp;
};
enum journal_says journal_file_line(
        struct journal_file *journal, const char *line, size_t count, struct journal_look *look);
void journal_look_release(struct journal_look *look);
void journal_file_release(struct journal_file *journal);

#endif
