/* shell.h -- a process's session, passed everywhere; no globals. An umbrella header. */
#ifndef RANKSH_SHELL_H
#define RANKSH_SHELL_H

#include "base/ranks.h"
#include "machine/machine.h"
#include "backend/backend.h"
#include "mpi/transport.h"
#include "shell/session/journal.h"
#include "shell/session/numbers.h"
#include "shell/session/out.h"
#include "shell/session/steering.h"
#include "trace/trace.h"

/* Owned by the folders above; opaque here */
struct interpreter; /* language/ */
struct together;    /* submit/ */
struct lesson;      /* course/lessons/ */
struct print;       /* prints.h */
struct credit;      /* credit.h */
struct training;    /* training.h */
struct device;      /* device.h */
struct changes;     /* changes.h */
struct question;    /* replay.h */
struct watch;       /* course.h */
struct best;        /* best.h */
struct learned;     /* course/lessons/ */
struct course;      /* course.h */

/* A deferred action. EMPTY to ANSWER are done after the statement (line/line.c); the others by the
 * front end, after the line. */
enum wish_kind {
	WISH_NONE,
	WISH_EMPTY,  /* an empty world */
	WISH_WORLD,  /* another world, made by `grant` */
	WISH_ANSWER, /* an answer to wishes.question, made by `grant` */
	WISH_RESTART,
	WISH_EDIT,
	WISH_VIEW,
	WISH_SPLIT
};
struct shell;
struct wish {
	enum wish_kind kind;
	/* WORLD, ANSWER: fulfils the wish. It must read wishes.statement before it runs a line. */
	enum status (*grant)(struct shell *shell);
	/* `undo`: number of lines; `step back`: of steps; `lesson`: the lesson, 0: a file */
	int64_t number;
	int task; /* `lesson`: the task, from 1; 0: the first */
	/* EDIT, `lesson`: file; VIEW: " FROM TO" or ""; SPLIT: "on", "off" */
	char file[512];
};

/* Timeouts within an `expect error`, which do not fail the script */
struct heard {
	int timeouts;
	struct text text; /* "timeout: ...", one a line */
};

/* State that outlives a world: lasting.h */
struct lasting {
	struct machine machine;
	/* slowdown factor by rank, 1: full speed; NULL: all at full speed; owned */
	double *slow;
	double pace;  /* wall seconds per virtual ms; 0: off */
	bool explain; /* `explain on` */
	bool strip;   /* `timeline on` */
};

struct shell {
	struct world *world;
	struct lasting lasting;
	struct backend *backend;
	/* the backend's completion hook (struct backend_hooks) */
	void (*done)(void *self, op_id id);
	const struct device *device; /* NULL: the simulator */
	struct transport *transport;
	struct out *out;
	struct interpreter *interpreter;
	struct budget budget; /* of `credit` */
	bool dry;             /* shapes and times, no data */
	bool interactive;     /* there is a front end */
	struct instant {
		bool set;
		int64_t time;
		uint64_t world;    /* valid while this is the world's digest */
	} at;                      /* the time that `at` sets for `peek` */
	uint64_t salt;             /* added to seeds, so that another world has other data */
	int64_t host_most;         /* as in world.h */
	struct together *together; /* open `together { }` (submit/together.c) */
	struct training *training; /* training.h: model, data, strategy, program */
	uint64_t fresh;            /* digest of an empty world */
	int arguments;
	char **argument; /* NAME=VALUE, which replace a file's `let` */
	struct journal journal;
	struct steering steering;
	struct lasting at_reset; /* when this world was empty: `undo` begins with it */
	struct lasting at_start; /* at the session's start */
	struct credit *credit;   /* refills `budget` */
	/* Numbers of warnings reported in this world */
	struct {
		size_t races;          /* of world.races */
		size_t unread, orders; /* of world.unread, world_order_warning */
		size_t circles;        /* of world.circles */
		size_t swaps;          /* of world_swapped */
	} reported;
	/* `expect` */
	struct {
		int failed; /* number of failed `expect`s and timeouts: exit status 1 */
		/* in `expect verify`: the line to show before a failed comparison; else NULL */
		const char *words;
		/* of the enclosing `expect error`; NULL: none */
		struct heard *heard;
	} expect;
	/* This process's first data failure, until statuses are agreed */
	struct {
		enum status status;
		char words[512];
	} failure;
	struct {
		bool none; /* no file may be read */
		/* texts parsed now are a lesson's: they, and defs in them, write no file */
		bool reads_only;
		bool writes_none; /* the statement is in such a text: shell_may_write */
	} files;
	/* The current line */
	struct {
		/* files read: "NAME\tDIGEST\n" each, for the journal */
		struct text outside;
		/* world.digest at the line's last forecast; 0: none */
		uint64_t foreseen;
		/* the line has waited for operations: all that precedes them is final */
		bool reached;
	} line;
	/* Actions that a line defers */
	struct {
		struct question *question; /* of a WISH_ANSWER; owned: replay/replay.h */
		struct wish statement;     /* the running statement's */
		struct wish front_end;     /* the running line's */
	} wishes;
	/* Replays */
	struct {
		/* this dry world replaces one with data: values come from the log (steering.h) */
		bool recalls;
		/* changes.h; NULL: none */
		struct changes *changes;
		int depth; /* above 0: no output, no files */
		int shown; /* the part of `depth` that follows a session, with output */
	} replay;
	/* Lessons and classes: shell/course/ */
	struct {
		struct watch *watch;            /* the open task's, or NULL */
		struct best *best;              /* for `best()`, borrowed; or NULL */
		const struct course *functions; /* NULL: a sandbox */
		struct lesson *lesson;          /* the open one; owned by the course */
		struct learned *learned;        /* owned by the course */
	} course;
	struct numbers numbers; /* of the current line's answer */
	/* Values from this rank's data: values/prints.h */
	struct {
		/* waiting prints, in program order; owned */
		struct print **prints;
		size_t print_count;
		struct noted {
			op_id id;
			double value;
		} * noted; /* losses */
		size_t noted_count;
	} values;
};

/* Opens world, backend and output; training/open.h opens the rest. Call session_close also after a
 * failure. */
enum status session_open(struct shell *shell, struct transport *t, int n, bool dry, const char *machine);
void session_close(struct shell *shell);
/* Collective. Frees the world and makes an empty one. Fails if some process could not restart the
 * device; the simulator has then replaced it on all. */
enum status session_reset(struct shell *shell);
/* Returns true if values of data are unknown: with --dry, unless the log has them (recalls). */
static inline bool shell_keeps_no_data(const struct shell *shell)
{
	return shell->dry && !shell->replay.recalls;
}
/* Returns ST_OK in an empty world. Else it requests one and returns ST_AGAIN; the caller must
 * return that at once, and its statement runs again. */
enum status session_wants_empty(struct shell *shell);
/* Gives a number of the answer to the front end, if that wants numbers; not in a replay. rank: its
 * rank; SHELL_ALL: the same for all */
enum { SHELL_ALL = -1 };
void shell_number(struct shell *shell, int rank, const char *name, double value);
/* Keeps this process's first data failure for a later report. No decision may depend on it,
 * because the other processes do not know it. */
void shell_keep(struct shell *shell, enum status status);
/* Begins (1) or ends (-1) a replay, without output and files. */
void shell_replaying(struct shell *shell, int delta);
/* The same with output, for a followed session */
void shell_following(struct shell *shell, int delta);
static inline bool shell_quiet(const struct shell *shell)
{
	return shell->replay.depth > shell->replay.shown;
}
/* Carries out ready work, within the session's budget. */
enum status shell_advance(struct shell *shell);
/* Forecasts all operations (backend.project), at most once in a line while the world is
 * unchanged. */
enum status shell_foresee(struct shell *shell);
/* Carries out ready work, and forecasts the rest for a picture or table. */
enum status shell_look(struct shell *shell);
/* Collective. Forecasts without waiting for a device. */
enum status shell_glance(struct shell *shell);
/* Runs until the operations have completed (backend.reach); reports timeouts on the way. */
enum status shell_reach(struct shell *shell, const op_id *ids, int count);
/* Makes the arguments of a format "%s...%s", which prints in that colour. */
#define STYLED(out, colour, ...) style(out, colour), __VA_ARGS__, style(out, COLOUR_PLAIN)
/* Returns the latest host clock, in virtual ns. */
int64_t shell_clock(const struct shell *shell);
/* Records that the line read a file; a replay warns if it has changed. */
void shell_read_file(struct shell *shell, const char *path, const void *bytes, size_t count);
/* The same for recorded reads ("NAME<tab>DIGEST\n" each), of another shell. */
void shell_read_files(struct shell *shell, const char *entries);

#endif
