/* journal.h -- the session's log: every line that was accepted, in order, with what came to it from
 * outside.
 *
 * Every process keeps the same one, and rank 0 tells the front end what has changed in it (docs/internals/wire.md),
 * which writes that to a file and sends the lines again to new ranks (`restart`, --resume). `undo` and
 * `step back` run those of this world again, from the line that emptied it on:
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
	char *line; /* without a newline at its end, but for blocks within */
	/* of a command of the session (`lesson 1`, `next`): the lines that it ran by itself, or "" */
	char *ran;
	char *outside; /* files that it read: "NAME<tab>DIGEST\n" each */
	char *values;  /* from data and clocks, which decided how it went on: session/steering.h */
	int64_t stop;  /* budget steps after which Ctrl-C ended the line; 0: it ended by itself */
	long played; /* of one with a stop: steps of the program since the world was empty, without the one begun */
	int64_t stamp; /* virtual ns of `pace` when it was typed; -1: pace was off */
	bool session; /* only commands of the session: a world made again does not need them, but for `ran` */
	bool counts;  /* `undo` takes it back */
	bool emptied; /* it began an empty world */
	bool refused; /* when a part of it had taken effect */
	/* it closed a lesson: number, from 1, of the entry that opened it; 0: no. The session is as it was before that one. */
	size_t opened;
};
/* Lines of a script that ran one after the other, up to one that was refused */
struct script_piece {
	size_t end, values_end; /* in journal.script, journal.script_values: behind its last byte */
	char *file;             /* owned; NULL: of lines on the command line */
	int line;               /* number of its first line */
	bool refused;
};
/* The text at hand, as far as it has come: `text` NULL where its lines so far cannot be told apart. */
struct journal_text {
	const char *text; /* borrowed */
	size_t from, to;  /* its lines since the world was empty */
	size_t values;    /* bytes of steering.read before those lines */
	int line;         /* number of the first of them */
	const char *file; /* NULL: they were typed */
};
struct journal {
	struct journal_entry *entries; /* texts owned */
	size_t count;
	size_t floor; /* the first entry of this world */
	size_t told;  /* rank 0: the front end knows these entries, and has to learn of those behind them */

	/* of the line at hand */
	bool emptied;   /* it began an empty world */
	bool rewritten; /* it has run other lines again (`undo`): it is no entry itself */
	size_t opened;  /* as struct journal_entry has it */
	size_t closes_again; /* what `opened` was, of an entry that runs again, when that lesson is closed; else 0 */
	struct text ran; /* lines that its commands ran by themselves */
	struct text
	        /* what is kept instead of its first does_to bytes: a part of it did less than it says */
	        does;
	size_t does_to; /* 0: the line itself is kept */
	size_t from,
	        values; /* where in the text at hand the world begins, and in what it has read: journal_text */
	struct journal_text here; /* of a question (WISH_ANSWER) */

	/* lines of scripts, since the world was empty, and what they have read: these are no entries */
	struct text script, script_values;
	struct script_piece *piece;
	size_t pieces;
};

/* A line begins: nothing is known of it yet. */
void journal_begin(struct journal *journal);
/* The world at hand is empty: the line at hand, if it becomes an entry, is the first of it. */
void journal_emptied(struct journal *journal);
/* Sets a switch of the session, as `explain on` does. If that changes it, the entry keeps the line, because a replay begins with
 * the switches of an earlier time and sets them again. */
void journal_switch(struct journal *journal, const char *command, bool *to, bool on);
/* A statement of the line at hand, its bytes [from, to), did less than it says: the entry keeps what it
 * did. line NULL: the whole line did. */
void journal_did(struct journal *journal, const char *line, size_t from, size_t to, const char *did);
/* What the entry of the line at hand keeps of it, in `kept`. */
void journal_kept(const struct journal *journal, const char *line, size_t count, struct text *kept);
void journal_entry_release(struct journal_entry *entry);
/* Copies the texts. */
void journal_add(struct journal *journal, struct journal_entry entry);
/* The text at hand, a script's, is over, and has read `values`; its first line has the number `line`. Texts of one script come
 * one behind the other. */
void journal_script_ran(struct journal *journal, const char *text, size_t count, const char *file, int line,
        const struct text *values, bool refused);
/* The entries from the i-th on are not what the front end knows. */
void journal_changed(struct journal *journal, size_t i);
/* Takes the entry out; those behind it move up. */
void journal_drop(struct journal *journal, size_t i);
/* Lines that `undo` could take back. */
int journal_lines(const struct journal *journal);
/* A script that makes this world: the lines of the session, those of worlds before it too. */
void journal_script(const struct journal *journal, struct text *out);
void journal_release(struct journal *journal);

#endif
