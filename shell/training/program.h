/* program.h -- a program: its files, and the results of a walk through it
 *
 * The files run in one scope (language/run/player.h). A script is a program with one file. */
#ifndef RANKSH_PROGRAM_H
#define RANKSH_PROGRAM_H

#include "shell/language/run/player.h"
#include "shell/session/shell.h"
#include "schedules/schedule.h"

struct program_step {
	char *title;         /* "": its lines are before the first `##` */
	struct ranks *ranks; /* that have lines in it; NULL: all */
};
/* hunt/: a program with one wrong line, which the user searches */
struct hunted {
	struct program *whole;
	char *file; /* "strategies/ddp.rsh"; owned */
	long change;
	long level, seed;
	int attempts;
	struct text tried; /* wrong fixes, "31 wait io on compute", one a line */
	bool mended;
};
struct program {
	int users;
	/* mostly the session's; outlives the program */
	struct names *names;
	char *name;               /* of strategy, model or file: choice_of_model reads it */
	struct player_file *file; /* owned, with its contents */
	size_t files;
	struct text loses;         /* `# loses` of its strategies: "EXPR: why", one a line */
	struct text resumed;       /* the same, of the checkpoint that it resumes */
	struct text own_pace;      /* `# own pace`, likewise */
	struct text written;       /* its strategies as typed: "ddp=2 + tp=2"; or empty */
	struct text links;         /* stack_links */
	struct text idle;          /* stack_idle */
	struct text parts;         /* `# parts` of its model: "EXPR: why", or nothing */
	bool built_in;             /* no file is a learner's */
	struct player_file *aside; /* files that replace built-in parts; owned */
	size_t asides;
	struct hunted *hunted; /* owned; NULL: none */
	struct program *alone; /* the same model on one rank, for verify; NULL: none */
	int first;             /* its first iteration: above 0 after a resume */
	/* ---- by program_walk */
	struct program_step *step; /* of the setup, then of iteration 0 */
	size_t steps;
	size_t setup; /* steps of the setup; all if there is no iteration */
	bool loops;
	bool guessed;              /* its steps depend on data, so a run may have others */
	bool loads;                /* its setup makes threads of a data loader */
	double elements;           /* in parameters declared on rank 0 */
	struct schedule *schedule; /* of its setup, owned; NULL: none */
};

static inline bool program_is_script(const struct program *program)
{
	return program->files == 1;
}
/* Returns a program with one reference and no files. */
struct program *program_make(const char *name, struct names *names);
/* Copies the text. */
void program_add(struct program *program, const struct player_file *file);
/* Replaces the built-in part for `source`. Copies the text. */
void program_add_aside(struct program *program, const char *name, const char *text, size_t count);
/* Returns the file or part of that name; NULL if none. */
const struct player_file *program_file(const struct program *program, const char *name);
/* Returns a copy of the program with another text of `file` (NULL: unchanged), which counts as
 * built-in. */
struct program *program_with(
        const struct program *from, struct names *names, const char *file, const char *text, size_t count);
/* Copies the notes of the files' heads, and the strategies as typed. */
void program_copy_heads(const struct program *from, struct program *to);
struct program *program_use(struct program *program); /* NULL is allowed */
void program_release(struct program *program);        /* NULL is allowed */
enum status program_player(const struct program *program, struct shell *shell, struct player **player);
/* Appends "gpt layers=2 seed=3", the model with its given options, or a script's name. */
void program_model(const struct program *program, struct text *out);
/* Appends all files with options filled in, as one script. */
void program_source(const struct program *program, struct text *out);

/* walk.c: plays the setup and one iteration in a scratch world without data. Finds the steps and
 * the errors: refused lines, and ranks that still wait at the end. Ctrl-C ends it. */
enum status program_walk(struct shell *shell, struct program *program, int ranks);
/* places.c: appends to program->idle a line for each overriding def in a user's strategy that is
 * never called, and each option that nothing reads. Call after `player` has walked. */
void program_uncalled(struct player *player, struct program *program);

#endif
