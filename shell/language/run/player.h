/* player.h -- files that run as a program: it stops at each `## title`, and continues on demand
 *
 * A program runs on its own stack (routine.h), so typed lines can run between its steps. Its last
 * file may have a top-level `for it in ... { }`: the lines before it are the setup, the block is
 * the iteration, repeated on demand.
 *
 *     file 1, file 2 ...  ##   ##   |     for it in {  ##   ##   ##   }
 *     player_go's stop         STEP SETUP                   STEP STEP ROUND
 *
 * After ROUND, the iteration runs again with `it` one higher. The first `##` of the setup or of an
 * iteration does not stop: the lines before it belong to the step that it names. STEP and SETUP
 * are left out if nothing ran since the last stop. A `##` that only some ranks of the program's
 * `use` reach begins no step. */
#ifndef RANKSH_PLAYER_H
#define RANKSH_PLAYER_H

#include "shell/language/run/command.h"

enum ran {
	RAN_LINE,  /* a command, `tensor`, a view, `expect` */
	RAN_CALL,  /* a call of a def, whose lines come next, one level deeper */
	RAN_BLOCK, /* a command with a block (`capture G {`), whose lines come next */
	RAN_END,   /* the end of such a block */
};
/* Callbacks of a running program; each may be NULL. depth: nested def calls. */
struct watcher {
	void *self;
	/* A step begins. why: the comment lines after the title, without `#`. Variables in both
	 * are filled in. */
	void (*title)(void *self, const char *title, const char *why, int depth);
	/* A statement will run for the set's ranks, or its block has ended. */
	void (*line)(
	        void *self, enum ran ran, struct statement *statement, const struct ranks *set, int depth);
};
enum player_stop { PLAYER_STEP, PLAYER_SETUP, PLAYER_ROUND, PLAYER_END /* finished, or failed */ };

struct player_file {
	const char *name; /* for messages, with a line's number: "mine.rsh" */
	const char *what; /* names the file in messages on its options: "strategy mine.rsh" */
	const char *text;
	size_t count;
	const struct given *given; /* values of its options */
	int givens;
	/* it may repeat an option that an earlier file declares: both share it */
	bool shares;
};
struct player_source {
	const struct player_file *file;
	int files;
	const struct player_file *part; /* files that replace strategies/parts/ in the binary */
	int parts;
	int first; /* `it` in the setup and the first iteration */
};
struct player;

/* Parses the files; nothing runs. The files and parts must outlive the player. Defs that the
 * learner types later replace theirs. Fails with ST_SYNTAX for the grammar, a `##` in a command's
 * block or `expect error`, or lines after the iteration; else as givens_fit. */
enum status player_make(struct player **player, struct shell *shell, struct player_source source);
/* Returns the replacement of "strategies/parts/NAME.rsh" in the running program; NULL if none. */
const struct player_file *player_part(const struct shell *shell, const char *name);
void player_watch(struct player *player, struct watcher watcher);
/* Runs to the next stop. A failure (a refused line, Ctrl-C) ends the program. */
enum status player_go(struct player *player, enum player_stop *stop);
/* Unwinds a suspended program first, as if its current line had failed. NULL is allowed. */
void player_free(struct player *player);
/* Appends a variable of its files, as `print` shows it on rank 0; nothing if there is none. */
void player_variable(struct player *player, const char *name, struct text *out);
/* Evaluates a condition on rank 0, with the variables of its files. */
enum status player_holds(struct player *player, const char *expression, bool *holds);
/* Passes a statement that is about to run, or the end of a block, to the watcher. */
void player_line(struct player *player, enum ran ran, struct statement *statement, const struct ranks *set);
/* Calls `what` with each def of its files that can still be called. */
struct definition; /* state.h */
void player_each_def(
        const struct player *player, void (*what)(void *self, const struct definition *def), void *self);
bool player_loops(const struct player *player); /* true if the program has an iteration */
bool player_runs(const struct shell *shell);    /* true while a program's lines run */

#endif
