/* shell.h -- one process's session: the books, the backend, the interpreter's state and what is said. Passed
 * everywhere; no globals. */
#ifndef RANKSH_SHELL_H
#define RANKSH_SHELL_H

#include "machine/machine.h"
#include "backend/backend.h"
#include "mpi/plane.h"
#include "shell/session/journal.h"
#include "shell/session/out.h"
#include "backend/backend.h"
#include "trace/trace.h"

/* What the rooms above keep in a session; only they look into it. */
struct interpreter; /* language/ */
struct together;    /* submit/ */
struct lesson;      /* lessons/ */
struct model;       /* strategies/ */
struct prints;      /* prints.c */
struct credit;      /* credit.h */
struct training;    /* training.h */
struct retired;     /* worlds that a reset within a line has left behind: freed when the line is over */

/* What a line asks of the front end once it has run (session.c of commands/). */
enum wish_kind { WISH_NONE, WISH_RESTART, WISH_EDIT, WISH_VIEW };
struct wish {
	enum wish_kind kind;
	char file[512];
};

struct shell {
	struct world *world;
	struct machine machine;
	struct backend *backend;
	struct plane *plane;
	struct out *out;
	struct interpreter *interpreter;
	struct budget budget;         /* credit: see conductor.c */
	bool dry;                     /* shapes and times, no data */
	bool interactive;             /* a front end is there */
	bool explain;                 /* explain on */
	bool strip;                   /* timeline on */
	int races_told;               /* world.races already reported */
	int unread_told, orders_told; /* world.unread, world_order_warning: the same */
	int expects_failed, lines_refused;
	enum status
	        /* what became of this process's data after a line was accepted; told when statuses are
	         * agreed */
	        sticky;
	char sticky_text[512];
	double pace;               /* wall seconds per virtual ms; 0: off */
	struct text typed;         /* every program line since the last reset, for undo and journal save */
	struct prints *prints;     /* prints queued and not yet done (prints.c) */
	struct together *together; /* the `together { }` being filled (submit/together.c) */
	struct lesson *lesson;     /* lesson.c */
	struct training *training; /* training.h: model, data, strategy, program; NULL until one is given */
	const struct model *model; /* of the program that trains; NULL: there is none */
	bool again;                /* the reset at hand is undo's: its lines run again */
	uint64_t fresh;            /* world.digest of an empty world */
	int replaying;             /* undo, restart: say nothing */
	int arguments;
	char **argument;                 /* NAME=VALUE from the command line: beat the file's `let` */
	struct journal journal;          /* the parts of `typed` */
	struct machine machine_at_reset; /* what `undo` starts from */
	struct credit *credit;           /* of `budget` */
	struct retired *retired;
	int depth;      /* of shell_line within shell_line (a lesson's) */
	bool half_done; /* memory ran out in the middle of the last line: shell_take_back */
	bool kept;      /* the last line is in the journal */
	bool undid;     /* `undo` ran in this line: the line itself is not kept */
	struct text
	        keep_as; /* what the journal keeps in the line's place, as far as its first kept_to bytes */
	size_t kept_to;  /* 0: it keeps the line */
	struct wish wish;
	struct text outside; /* files read by this line: "NAME\tDIGEST\n" each, for the front end's journal */
};

#endif

/* The world and its backend, what is said and the journal; training/open.h opens all of a session. */
enum status session_open(struct shell *shell, struct plane *plane, int n, bool dry, const char *machine);
void session_close(struct shell *shell);
/* An empty world, same machine. The one before stands until session_forget: lines may be running in it, and
 * what they hold by name moves from its names. */
enum status session_reset(struct shell *shell);
const struct names *session_names_before(const struct shell *shell);
void session_forget(struct shell *shell);
/* This process's data failed (first: kept and told later): nothing else may hang on it, the others do not
 * know. */
void shell_keep(struct shell *shell, enum status status);
/* The latest of the hosts' clocks, in virtual ns */
int64_t shell_clock(const struct shell *shell);
/* A command has read a file: replays warn when it is not the same any more. */
void shell_read_file(struct shell *shell, const char *path, const void *bytes, size_t count);
