/* options.h -- the command line, read and checked before anything starts */
#ifndef RANKSH_OPTIONS_H
#define RANKSH_OPTIONS_H

#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

struct options {
	bool help, version, dry, check_lessons, resume;
	bool wire;           /* this process serves a front end: docs/internals/wire.md */
	bool report;         /* a front end starts this process: the marks below */
	int n;               /* ranks; 0: not given */
	const char *machine; /* NULL: classroom */
	const char *file;    /* also for --test */
	bool test;
	const char *lines; /* -c */
	char **asked;      /* the words after `ranksh help`; NULL: no help */
	int asked_words;
	bool doctor;         /* the word `doctor` */
	bool tries;          /* doctor --try */
	const char *grade;   /* the task that FILE solves: "4.2" or a file */
	const char *journal; /* the journal's file; NULL: the default folder */
	const char *follow;  /* another session's journal; "-": descriptor 0; NULL: none */
	int64_t limit_ns;    /* wall time; 0: none */
	const char *device;  /* as typed or NULL; device_choose replaces it */
	enum {
		DEVICE_AUTO,
		DEVICE_TYPED,
		DEVICE_SET /* by RANKSH_DEVICE */
	} device_by;       /* the source of `device` */
	char **argument;   /* NAME=VALUE ...; points into argv, like `word` */
	int arguments;
	char **word; /* the whole command line, for child processes */
	int words;
	const char *class_folder, *as;
	const char *overview; /* the class's folder */
	bool once, csv;
	bool json;                    /* answers, or doctor's findings, as JSON */
	const char *hosts, *hostfile; /* the lists of hosts, as typed */
	const char *prefix;           /* the folder of ranksh on the other hosts */
	const char *machine_then;     /* --resume, --follow: the machine of that session */
};

/* With --report, rank 0 writes on descriptor 2 the line START_MARK when MPI has started, and on 1
 * the line INPUT_READ and a number whenever it has read INPUT_PART more bytes of a script's lines.
 * INPUT_END follows the last line. */
#define START_MARK "\036started"
#define INPUT_READ "\036read "
#define INPUT_END "\036ended"
enum { INPUT_PART = 8192 };
/* A line of a rank or of ssh for a front end (shell/terminal/reach.c): why a host cannot take part */
#define FAULT_MARK "\036fault "
enum { RANKS_DEFAULT = 4, RANKS_DRY_MOST = 4096, RANKS_MPI_MOST = 512 };

/* Reads the command line. *options points into argv, whose NAME=VALUE words are moved to its end.
 * Fails with ST_ARGUMENT, naming the word and the nearest option, or with ST_RANGE or ST_UNIT for
 * a value. */
enum status options_read(struct options *options, int argc, char **argv);
const char *options_help(void);
/* Returns the first of the options with which ranksh itself starts the ranks, such as "--journal";
 * NULL if none. */
const char *options_front_end(const struct options *options);
/* Returns true for --grade and --check-lessons. */
bool options_course(const struct options *options);
/* Returns true if one process runs: it has no data, or the data of all ranks (shell/sandbox/). */
bool options_alone(const struct options *options);
/* Returns true for a run without prompt and escape codes: a file, lines, a test, help, or a
 * descriptor 0 or 1 that is no terminal. */
bool options_batch(const struct options *options);

#endif
