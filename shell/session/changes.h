/* changes.h -- the changes that a counterfactual replay makes to the session's lines
 * (replay/rerun.h)
 *
 *     lines     mark base   run 2   mark slow   set launch=5us   run 2
 *     launch    20us ------------------------   5us           the lines' own: `plain`
 *     changed   20us ------------   10us -----  2.5us         launch=0.5x, from section `slow` on
 *
 * From its section on, a change replaces a number of the machine that the lines set, or multiplies
 * it. Options for `strategy` and `model` hold from the first line. */
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
	int section; /* the changes begin with this section */
	bool on;     /* the section has begun */
	bool other;  /* `machine` replaces the lines' machine */
	struct machine machine;
	struct machine plain;                /* the lines' own machine */
	struct key_change key[CHANGES_MOST]; /* changed numbers of the machine in use */
	int keys;
	struct ranks slowed; /* ranks whose kernels take `slow` times as long */
	double slow;
	char without[200];   /* lines with this text are omitted; "": none */
	struct names *lines; /* lines before the first omitted one; NULL: not requested */
	long left_out;       /* number of omitted lines */
	const struct given *option[CHANGES_MOST]; /* borrowed */
	bool used[CHANGES_MOST];                  /* some program has this option */
	int options;
	const struct op_otherwise *op; /* by id; borrowed */
	size_t ops;
	bool data; /* the world has data, up to the time `until` */
	int64_t until;
};

/* Applies the changes when their section begins. Fails with ST_RANGE if a multiple is out of its
 * number's range. */
enum status changes_begin(struct shell *shell);
/* Applies the changes to a newly set shell->lasting.machine. */
enum status changes_machine(struct shell *shell);
/* Returns the machine that the lines set. */
const struct machine *changes_plain(const struct shell *shell);
/* Returns the rank's slowdown factor when a line sets `factor`. */
double changes_slow(const struct shell *shell, int rank, double factor);
/* Sets `without`. Fails with ST_RANGE if the text is too long or empty. */
enum status changes_without(struct changes *changes, const char *text);
/* Returns true if the statement with this source is omitted, and counts it. */
bool changes_leave_out(struct shell *shell, const char *source, size_t length);

#endif
