/* journal.h -- the session's log: accepted lines, in order, with their recorded inputs
 *
 * Every process has the same log. Rank 0 sends changes to the front end (docs/internals/wire.md),
 * which writes them to a file, and sends the lines to new ranks (`restart`, --resume):
 *
 *     tensor x[4]     model mlp     reset     stream io     undo ...
 *     |-------- worlds before --------|- this world: floor ..., which undo can take back -| */
#ifndef RANKSH_JOURNAL_H
#define RANKSH_JOURNAL_H

#include "base/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct journal_entry {
	char *line; /* no newline at its end */
	/* the lines that a session command (`lesson 1`) ran, or "" */
	char *ran;
	char *outside; /* files that it read: "NAME<tab>DIGEST\n" each */
	char *values;  /* read from data and clocks: session/steering.h */
	int64_t stop;  /* Ctrl-C stopped it after so many steps; 0: it ended by itself */
	long played;   /* with a stop: program steps completed in this world */
	int64_t stamp; /* virtual time of `pace` when typed, in ns; -1: pace was off */
	bool session;  /* it has only session commands: a replay runs only `ran` */
	bool counts;   /* `undo` takes it back */
	bool emptied;  /* it emptied the world */
	bool refused;  /* it was refused after a part had taken effect */
	/* if it closed a lesson: the number, from 1, of the entry that opened it; the session is
	 * then as before that entry; else 0 */
	size_t opened;
};
/* Consecutive lines of a script, up to a refused one */
struct script_piece {
	size_t end, values_end; /* in journal.script and journal.script_values */
	char *file;             /* owned; NULL: lines on the command line */
	int line;               /* number of its first line */
	bool refused;
};
/* The lines of the current text before a question */
struct journal_text {
	const char *text; /* borrowed; NULL if its lines cannot be separated */
	size_t from, to;  /* the lines since the world was empty */
	size_t values;    /* bytes of steering.read before these lines */
	int line;         /* the first one's number */
	const char *file; /* NULL: they were typed */
};
struct journal {
	struct journal_entry *entries; /* texts owned */
	size_t count;
	size_t floor; /* index of this world's first entry */
	size_t told;  /* rank 0: number of entries that the front end has */

	/* the current line */
	bool emptied;        /* it emptied the world */
	bool rewritten;      /* it reran others (`undo`) and gets no entry */
	size_t opened;       /* as in struct journal_entry */
	size_t closes_again; /* in a replay of a line that closes a lesson: its `opened`; else 0 */
	struct text ran;
	/* replaces the line's first does_to bytes in the entry (journal_did) */
	struct text does;
	size_t does_to;           /* 0: the line is kept as typed */
	size_t from, values;      /* where this world begins in the current text and its values */
	struct journal_text here; /* of a question (WISH_ANSWER) */

	/* a script's lines in this world, which are not entries, and their values */
	struct text script, script_values;
	struct script_piece *piece;
	size_t pieces;
};

void journal_begin(struct journal *journal);
/* Records that the current line has emptied the world. */
void journal_emptied(struct journal *journal);
/* Sets a switch such as `explain`. Records a change with the line, because a replay begins with
 * older settings. */
void journal_switch(struct journal *journal, const char *command, bool *to, bool on);
/* Records that bytes [from, to) of the line, or all of it (line NULL), had only the effect of
 * `did`. */
void journal_did(struct journal *journal, const char *line, size_t from, size_t to, const char *did);
/* Appends the current line, as its entry keeps it, to `kept`. */
void journal_kept(const struct journal *journal, const char *line, size_t count, struct text *kept);
void journal_entry_release(struct journal_entry *entry);
/* Adds an entry with copies of its texts. */
void journal_add(struct journal *journal, struct journal_entry entry);
/* Appends a part of a script: its text, the number of its first line, its values. Parts of two
 * scripts may not alternate. */
void journal_script_ran(struct journal *journal, const char *text, size_t count, const char *file, int line,
        const struct text *values, bool refused);
/* Notes that the front end must receive the entries from i on again. */
void journal_changed(struct journal *journal, size_t i);
void journal_drop(struct journal *journal, size_t i); /* removes the entry */
/* Returns the number of lines that `undo` can take back. */
int journal_lines(const struct journal *journal);
/* Appends a script that makes this world: the session's lines, those of earlier worlds
 * included. */
void journal_script(const struct journal *journal, struct text *out);
void journal_release(struct journal *journal);

#endif
