/* changes.h -- what a world whose lines run again has otherwise than the session's (replay/rerun.h)
 *
 *     lines     mark base   run 2   mark slow   set launch=5us   run 2
 *     launch    20us ------------------------   5us                        as the lines have it: `plain`
 *     changed   20us ------------   10us -----  2.5us                      launch=0.5x, from the section `slow` on
 *
 * A change holds from the first line of a section on, whatever lines of that section set: a number of the machine is what it
 * is told to be, or a multiple of what they make it. Options of `strategy` and `model` hold from the first line on. */
#ifndef RANKSH_CHANGES_H
#define RANKSH_CHANGES_H

#include "base/ranks.h"
#include "machine/machine.h"

struct op_otherwise; /* backend/backend.h */
struct given;        /* an option: language/run/command.h */
struct shell;

enum { CHANGES_MOST = 16 };
struct key_change {
	int key; /* machine_key */
	bool factor;
	struct number number;
	char name[24];
};
struct changes {
	int section; /* the one from which on they hold */
	bool on;     /* it has been reached */
	bool other;  /* `machine` takes the place of the lines' machine, */
	struct machine machine;
	struct machine plain;                /* the lines' own */
	struct key_change key[CHANGES_MOST]; /* ... and these numbers change it, or else the lines' */
	int keys;
	struct ranks slowed; /* on which kernels take `slow` times as long */
	double slow;
	char without[200];   /* lines of this text are left out; "": none */
	struct names *lines; /* those that ran, each once, while none was left out; NULL: not asked for */
	long left_out;       /* so many times */
	const struct given *option[CHANGES_MOST]; /* the caller's */
	bool used[CHANGES_MOST];                  /* some program has it */
	int options;
	const struct op_otherwise *op; /* by id; the caller's */
	size_t ops;
	bool data; /* the world has numbers: those of the time `until` */
	int64_t until;
};

/* Their section begins. ST_RANGE: a multiple is out of a number's range. */
enum status changes_begin(struct shell *shell);
/* shell->lasting.machine is as a line has made it: it becomes what it is with the changes. */
enum status changes_machine(struct shell *shell);
/* The machine as the lines have made it */
const struct machine *changes_plain(const struct shell *shell);
/* How slow the rank is, where a line says `factor` */
double changes_slow(const struct shell *shell, int rank, double factor);
/* Lines of this text are left out. ST_RANGE: it is too long, or empty. */
enum status changes_without(struct changes *changes, const char *text);
/* Is the statement, as it was typed, one that is left out? */
bool changes_leave_out(struct shell *shell, const char *source, size_t length);

#endif
