/* options.h -- the command line, read and checked before anything starts; pure */
#ifndef RANKSH_OPTIONS_H
#define RANKSH_OPTIONS_H

#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

struct options {
	bool help, version, dry, check_lessons, resume;
	bool wire;           /* a front end talks to this process: docs/internals/wire.md */
	bool report_start;   /* rank 0 writes START_MARK on descriptor 2 when MPI has started */
	int n;               /* ranks; 0: not given */
	const char *machine; /* NULL: classroom */
	const char *file;    /* of --test too */
	bool test;
	const char *lines; /* -c */
	char **asked;      /* `ranksh help WORDS`: these, asked_words many; NULL: no help is asked for */
	int asked_words;
	const char *grade;   /* a task, "4.2" or the file of one: is FILE its solution? */
	const char *journal; /* where the session's is kept; NULL: among the others */
	const char *follow;  /* another session's journal; "-": descriptor 0; NULL: none */
	int64_t limit_ns;    /* wall time; 0: none */
	const char *device;  /* as typed, NULL: not given; from device_choose on "sim" or "cuda", */
	enum {
		DEVICE_AUTO,
		DEVICE_TYPED,
		DEVICE_SET /* by RANKSH_DEVICE */
	} device_by;       /* ... and who said so */
	char **argument;   /* NAME=VALUE ...; points into argv, as `word` does */
	int arguments;
	char **word; /* all words of the command line, for a process that is to be given the same */
	int words;
	const char *class_folder, *as; /* --class, --as */
	const char *overview;          /* the board of that folder, */
	bool once, csv;                /* ... printed once; as a table */
	const char *machine_then;      /* --resume, --follow: the session's, where --machine names no other */
};

/* A line of its own, for the front end of a script */
#define START_MARK "\036started"
enum { RANKS_DEFAULT = 4, RANKS_DRY_MOST = 4096, RANKS_MPI_MOST = 512 };

/* ST_ARGUMENT names the word and the nearest. *options points into argv, whose words are put in another
 * order: NAME=VALUE behind all else. */
enum status options_read(struct options *options, int argc, char **argv);
const char *options_help(void);
/* True for --grade and --check-lessons. */
bool options_course(const struct options *options);
/* True for a run of one process, whatever -n says: it has no data, or that of all ranks (shell/sandbox/). */
bool options_alone(const struct options *options);
/* True for a run without prompt and escape codes: a file, lines, a test, help, or no terminal on both ends. */
bool options_batch(const struct options *options);

#endif
