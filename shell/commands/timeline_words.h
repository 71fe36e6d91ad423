/* timeline_words.h -- the words after `timeline`, `replay` and `export FILE`: a window, streams */
#ifndef RANKSH_COMMANDS_TIMELINE_WORDS_H
#define RANKSH_COMMANDS_TIMELINE_WORDS_H

#include "shell/session/shell.h"

struct call;
enum { LANES_MOST = 16 };
struct timeline_words {
	bool all, current, last, critical;
	int section; /* -1: none */
	int64_t time[2];
	int times, lanes;
	name_id lane[LANES_MOST];
};

/* Reads the arguments of the row's argument `row`. force: set by that word; NULL: no such word.
 * Fails with ST_NAME, ST_ARGUMENT, ST_UNIT or ST_RANGE. */
enum status timeline_words_read(struct call *call, int row, struct timeline_words *asked, bool *force);
/* Returns true if a word names a window or a stream. */
bool timeline_words_any(const struct timeline_words *asked);
/* Sets the window, of the current section without a word, and its section (-1: everything). */
enum status timeline_words_find(
        struct shell *shell, const struct timeline_words *asked, int *section, struct window *window);

#endif
