/* journal_file.h -- a file with the session's log, which rank 0 owns; new ranks can run it
 *
 * The file is $XDG_STATE_HOME/ranksh/journal-DATE-PID (default ~/.local/state), or --journal's:
 * lines of JSON, first the session's description, then
 *
 *     {"line": text, "stop": steps, "stamp": ns, "outside": files, "values": text}
 *         a log line (docs/internals/wire.md)
 *     {"keep": n, "typed": text}
 *         only the first n lines stay; after "restart" the others follow again, with new
 *         values and files
 *     {"look": text, "stamp": ns, "refused": words}
 *         for followers: a typed line that has changed nothing
 *
 * A full disk is reported once; the session continues in memory. */
#ifndef RANKSH_JOURNAL_FILE_H
#define RANKSH_JOURNAL_FILE_H

#include "shell/wire/wire.h"
#include <stdbool.h>

struct journal_file {
	char folder[1024], path[1200];
	int n;            /* ranks */
	char version[32]; /* the version of ranksh that wrote it */
	bool dry;
	char machine[512]; /* "": the device default */
	char device[256];  /* its GPUs at the start; "": the simulator */
	struct log_change log;
	int file; /* descriptor; -1: no file is written */
};

/* Finds or creates the folder. Fails with ST_FILE. */
enum status journal_file_folder(struct journal_file *journal);
/* Creates the file with its head: at `path`, or (NULL) in the folder. Fails with ST_FILE. */
enum status journal_file_begin(struct journal_file *journal, const char *path, int n, bool dry,
        const char *machine, const char *device);
/* Continues the file, or (NULL) the newest one; journal->file is -1 if it is read-only. Fails with
 * ST_FILE. */
enum status journal_file_resume(struct journal_file *journal, const char *path);
/* Applies the change that the line `typed` made, also to the file. Fails with ST_FILE once, when a
 * write fails. */
enum status journal_file_change(
        struct journal_file *journal, const struct log_change *change, const char *typed);
/* Writes a typed line that has changed nothing. refused: why it was refused, or "" */
enum status journal_file_look(
        struct journal_file *journal, const char *typed, int64_t stamp, const char *refused);

/* Applies a line of the file to the journal and `look`. */
enum journal_says {
	JOURNAL_HEAD,
	JOURNAL_LINE,  /* now the last line of the log */
	JOURNAL_KEEP,  /* by `typed`; "" if absent */
	JOURNAL_LOOK,  /* typed, refused, stamp */
	JOURNAL_OTHER, /* unknown */
	JOURNAL_BAD    /* no JSON object */
};
struct journal_look {
	struct text typed, refused; /* owned */
	int64_t stamp;
};
enum journal_says journal_file_line(
        struct journal_file *journal, const char *line, size_t count, struct journal_look *look);
void journal_look_release(struct journal_look *look);
struct options;
/* Sets the options that the command line lacks to those of the session. */
void journal_file_options(const struct journal_file *journal, struct options *options);
void journal_file_release(struct journal_file *journal);

#endif
