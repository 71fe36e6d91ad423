/* player.h -- texts that run as a program: stopped at each `## title`, and gone on with when the next
 * step is wanted
 *
 * A program runs on a stack of its own (routine.h). Between its steps the ordinary stack runs what is
 * typed. Its last file may have a top-level `for it in ... { }`: what stands before is its setup, the
 * block its iteration, which goes round as often as it is asked for.
 *
 *     file 1, file 2 ...  ##  ##  | for it in  {  ##  ##  ##  }
 *                         ^   ^   ^               ^   ^     ^
 *     player_go comes     STEP    SETUP           STEP      ROUND (and on with `it` one higher)
 *
 * A `##` that not all the ranks of the program (those of its `use`) meet belongs to the step under way.
 * Lines of the setup or the iteration before its first `##` belong to the step that this one names. */
#ifndef RANKSH_PLAYER_H
#define RANKSH_PLAYER_H

#include "shell/language/run/command.h"

enum ran {
	RAN_LINE,  /* a command, `tensor`, a view, `expect` */
	RAN_CALL,  /* of a def: what it does comes next, one deeper */
	RAN_BLOCK, /* a command with a block (`capture G {`): its lines come next */
	RAN_END,   /* ... of it */
};
/* What happens while a program runs; each may be NULL. depth: of calls of defs within each other. */
struct watcher {
	void *self;
	/* A step has begun: its title, and the lines of comment behind it without their `#`, variables
	 * filled in. */
	void (*title)(void *self, const char *title, const char *why, int depth);
	/* A statement runs next for the ranks of the set, or the block of one is over. */
	void (*line)(
	        void *self, enum ran ran, struct statement *statement, const struct ranks *set, int depth);
};
enum player_stop { PLAYER_STEP, PLAYER_SETUP, PLAYER_ROUND, PLAYER_END };

struct player_file {
	const char *name; /* for messages, with a line's number: "mine.rsh" */
	const char *what; /* of its options: "strategy mine.rsh" */
	const char *text;
	size_t count;
	const struct given *given; /* values of its options */
	int givens;
	/* an option that a file before it has is the same option, not a second one of that name */
	bool shares;
};
struct player;

/* Reads the files. ST_SYNTAX: the grammar, `##` in a block that cannot be left, lines behind the
 * iteration; worded with file and line. Nothing runs. Defs that
 * the learner types from here on stand before those of the files. `file` and what it points to stay as long as the
 * player. */
enum status player_make(
        struct player **player, struct shell *shell, const struct player_file *file, int files);
/* `it` of the setup and of the first iteration, else 0; before it is played */
void player_begin_at(struct player *player, int first);
/* Parts that stand in the place of those in the binary; they stay as long as the player. */
void player_aside(struct player *player, const struct player_file *part, int parts);
/* The part "strategies/parts/NAME.rsh" that the program which runs has in the place of the one in the binary; NULL: none */
const struct player_file *player_part(const struct shell *shell, const char *name);
/* Who is told of the steps to come */
void player_watch(struct player *player, struct watcher watcher);
/* To the next stop. On a failure (a refused line, Ctrl-C) the program is over. */
enum status player_go(struct player *player, enum player_stop *stop);
/* A suspended program is unwound first: as if the line at which it stands had failed. NULL is allowed. */
void player_free(struct player *player);
/* A variable of its files, as `print` shows it on rank 0; nothing where there is none. */
void player_variable(struct player *player, const char *name, struct text *out);
/* An expression in its files' scope, as its first rank has it: whether it is true. */
enum status player_holds(struct player *player, const char *expression, bool *holds);
/* From the interpreter: a line runs next (watcher.line) */
void player_line(struct player *player, enum ran ran, struct statement *statement, const struct ranks *set);
/* Calls `what` with each def of its files that can still be called. */
struct definition; /* state.h */
void player_each_def(
        const struct player *player, void (*what)(void *self, const struct definition *def), void *self);
bool player_loops(const struct player *player); /* it has an iteration */
/* The lines that run are a program's (of this shell). */
bool player_runs(const struct shell *shell);

#endif
