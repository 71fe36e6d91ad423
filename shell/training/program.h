/* program.h -- a program: the files that it is made of, and what a walk through it has found
 *
 * The files run one after the other in one scope (language/run/player.h). A strategy's program is what `data` has said and
 * the mesh, a model's file, those of the strategies, and two lines that drive them (choose.c); a script is a program of one file. */
#ifndef RANKSH_PROGRAM_H
#define RANKSH_PROGRAM_H

#include "shell/language/run/player.h"
#include "shell/session/shell.h"
#include "schedules/schedule.h"

/* One step, as the walk has met it */
struct program_step {
	char *title;         /* "": its lines stand before the first `##` */
	struct ranks *ranks; /* for which it has lines; NULL: all */
};
/* Of a program with a wrong line, which is to be found: hunt/ */
struct hunted {
	struct program *whole; /* without it; a use of it */
	char *file;            /* in which it is: "strategies/ddp.rsh"; owned */
	long change;           /* the number of it */
	long level, seed;
	int attempts;
	struct text
	        tried; /* lines that were mended in vain: "31 wait io on compute", each on a line of its own */
	bool mended;
};
struct program {
	int users;
	struct names *names; /* mostly the session's; they outlive it, and have the words of its files */
	char *name; /* of the strategy, the model or the file; model_of reads the model again by it */
	struct player_file *file; /* owned, with all that they point to */
	size_t files;
	struct text loses;   /* `# loses EXPR: why` of its strategies: "EXPR: why", a line each */
	struct text resumed; /* likewise, of the checkpoint that it goes on from */
	struct text
	        own_pace; /* `# own pace`, likewise: a loss that is read between iterations would be waited for */
	struct text
	        written; /* the strategies as the line has them: "ddp=2 bucket=8k + tp=2"; empty: no such line */
	struct text links; /* of a stack: stack_links */
	struct text idle;  /* stack_idle */
	struct text parts; /* `# parts EXPR: why` of its model: "EXPR: why", or nothing */
	bool built_in;     /* none of its files is a learner's */
	struct player_file
	        *aside; /* parts that `source` finds in the place of those in the binary; owned likewise */
	size_t asides;
	struct hunted *hunted; /* owned; NULL: no line is wrong on purpose */
	struct program *alone; /* the same model on one rank, for verify; NULL: there is none */
	int first;             /* its first iteration: above 0 where it goes on from a checkpoint */
	/* ---- by program_walk */
	struct program_step *step; /* of the setup, then of iteration 0 */
	size_t steps;
	size_t setup; /* steps of the setup; all of them where there is no iteration */
	bool loops;
	bool guessed;              /* data decides somewhere: another walk may have other steps */
	bool loads;                /* its setup makes threads of the host: a data loader's */
	double elements;           /* of the parameters that rank 0 declares */
	struct schedule *schedule; /* that its setup lays out, owned; NULL: none */
};

static inline bool program_is_script(const struct program *program)
{
	return program->files == 1;
}
/* With one user and no files. */
struct program *program_make(const char *name, struct names *names);
/* Copies the text. */
void program_add(struct program *program, const struct player_file *file);
/* A part that `source` finds in the place of the one of that name in the binary. Copies the text. */
void program_add_aside(struct program *program, const char *name, const char *text, size_t count);
/* The file or part of that name; NULL: there is none */
const struct player_file *program_file(const struct program *program, const char *name);
/* The same program, with another text of the file of that name (NULL: with the same), and with names of its own; it is not looked at
 * ahead as a learner's is. */
struct program *program_with(
        const struct program *from, struct names *names, const char *file, const char *text, size_t count);
/* What its line and the heads of its files say of it: the same files make another program. */
void program_copy_heads(const struct program *from, struct program *to);
struct program *program_use(struct program *program); /* NULL is allowed */
void program_release(struct program *program);        /* NULL is allowed */
/* Reads it for `shell`, whose world it will run in. */
enum status program_player(const struct program *program, struct shell *shell, struct player **player);
/* "gpt layers=2 seed=3": the model that it trains, with the options that it was given; of a script its name */
void program_model(const struct program *program, struct text *out);
/* Its files, one behind the other, with the options that they were given: a script that is the same
 * program */
void program_source(const struct program *program, struct text *out);

/* walk.c: the setup and one iteration, played in a world of its own that has shapes and times but no data.
 * Finds the steps, and what is wrong with the program: any refused line, and ranks that wait for ever at the
 * iteration's end. The shell's world is not touched; Ctrl-C ends it too. */
enum status program_walk(struct shell *shell, struct program *program, int ranks);
/* uncalled.c: appends to program->idle a line for each def of a strategy's own file that overrides one and is called by nothing, and for
 * each option given to such a file that nothing reads. Behind a walk by `player`. */
void program_uncalled(struct player *player, struct program *program);

#endif
