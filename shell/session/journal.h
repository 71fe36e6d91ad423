/* journal.h -- the lines that made this world, since the last reset, with what came from outside: where
 * Ctrl-C stopped them, and when on the wall clock they were typed (`pace`). Every process keeps the same one;
 * `undo` and `journal save` live on it. The text itself is shell->typed, which commands may add to (a
 * lesson's starter lines): such text is kept, and is not what `undo` takes back.
 *
 * The front end keeps a file of its own for `restart` and --resume: terminal/diary.h. */
#ifndef RANKSH_JOURNAL_H
#define RANKSH_JOURNAL_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shell;

struct entry {
	size_t from, to; /* bytes of shell->typed */
	bool scenery;    /* not typed by a person: undo leaves it */
	int64_t stop;    /* budget steps after which Ctrl-C ended the line; 0: it ended by itself */
	int64_t stamp;   /* virtual ns of `pace` when it was typed; -1: pace was off */
};
struct journal {
	struct entry *entries;
	size_t count, room;
};

void journal_release(struct journal *journal);
/* After a line: text that commands added to shell->typed by themselves, or took away by a reset, is accounted
 * for. */
enum status journal_settle(struct shell *shell);
/* The line joins shell->typed. ST_MEMORY: it does not, and undo would not know of it. */
enum status journal_add(struct shell *shell, const char *line, size_t count, int64_t stop, int64_t stamp);
/* Lines that a person typed. */
int journal_lines(const struct journal *journal);
#endif
