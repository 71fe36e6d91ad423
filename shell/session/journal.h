/* journal.h -- the session's log: accepted lines, in order, with their outside inputs
 *
 * The same on every process. Rank 0 sends changes to the front end (docs/internals/wire.md), which
 * writes a file and sends the lines to new ranks (`restart`, --resume):
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
	/* lines run by a session command (`lesson 1`), or "" */
	char *ran;
	char *outside; /* files that it read: "NAME<tab>DIGEST\n" each */
	char *values;  /* from data and clocks: session/steering.h */
	int64_t stop;  /* steps until Ctrl-C; 0: it ended by itself */
	long played;   /* with a stop: completed program steps in this world */
	int64_t stamp; /* virtual ns of `pace` when typed; -1: pace was off */
	bool session;  /* only session commands: a replay needs `ran` alone */
	bool counts;   /* `undo` takes it back */
	bool emptied;  /* it began an empty world */
	bool refused;  /* after a part had taken effect */
	/* if it closed a lesson: the number, from 1, of the entry that opened it; else 0. The
	 * session is as before that entry. */
	size_t opened;
};
/* Consecutive lines of a script, up to a refused one */
struct script_piece {
	size_t end, values_end; /* in journal.script and journal.script_values */
	char *file;             /* owned; NULL: lines on the command line */
	int line;               /* number of its first line */
	bool refused;
};
/* The current text; `text` NULL if its lines cannot be separated */
struct journal_text {
	const char *text; /* borrowed */
	size_t from, to;  /* since the world was empty */
	size_t values;    /* bytes of steering.read before these lines */
	int line;         /* the first one's number */
	const char *file; /* NULL: they were typed */
};
struct journal {
	struct journal_entry *entries; /* texts owned */
	size_t count;
	size_t floor; /* this world's first entry */
	size_t told;  /* rank 0: entries that the front end has */

	/* the current line */
	bool emptied;        /* it began an empty world */
	bool rewritten;      /* it reran others (`undo`) and gets no entry */
	size_t opened;       /* as in struct journal_entry */
	size_t closes_again; /* `opened` of a replayed closing entry; else 0 */
	struct text ran;
	/* replaces the first does_to bytes if a part did less */
	struct text does;
	size_t does_to;           /* 0: the line stays */
	size_t from, values;      /* this world's start in the current text and its values */
	struct journal_text here; /* of a question (WISH_ANSWER) */

	/* script lines in this world, with values; not entries */
	struct text script, script_values;
	struct script_piece *piece;
	size_t pieces;
};

/* Starts a line. */
void journal_begin(struct journal *journal);
/* Marks the world as empty before the current line's entry. */
void journal_emptied(struct journal *journal);
/* Sets a switch such as `explain`. Entries keep changes, because replays begin with earlier
 * ones. */
void journal_switch(struct journal *journal, const char *command, bool *to, bool on);
/* Records that bytes [from, to) of the line, or all (line NULL), did only `did`. */
void journal_did(struct journal *journal, const char *line, size_t from, size_t to, const char *did);
/* Appends the current line's entry to `kept`. */
void journal_kept(const struct journal *journal, const char *line, size_t count, struct text *kept);
void journal_entry_release(struct journal_entry *entry);
/* Copies the texts. */
void journal_add(struct journal *journal, struct journal_entry entry);
/* Appends a script's text, with its first line's number and its values. One script's texts are
 * contiguous. */
void journal_script_ran(struct journal *journal, const char *text, size_t count, const char *file, int line,
        const struct text *values, bool refused);
/* Marks entries from i on as changed for the front end. */
void journal_changed(struct journal *journal, size_t i);
/* Removes the entry. */
void journal_drop(struct journal *journal, size_t i);
/* Returns the number of lines for `undo`. */
int journal_lines(const struct journal *journal);
/* Appends a script of this world: all session lines, from earlier worlds too. */
void journal_script(const struct journal *journal, struct text *out);
void journal_release(struct journal *journal);

#endif
