/* shell.h -- a process's session, passed everywhere; no globals. An umbrella header. */
#ifndef RANKSH_SHELL_H
#define RANKSH_SHELL_H

#include "base/ranks.h"
#include "machine/machine.h"
#include "backend/backend.h"
#include "mpi/transport.h"
#include "shell/session/journal.h"
#include "shell/session/out.h"
#include "shell/session/steering.h"
#include "trace/trace.h"

/* Kept by the rooms above; opaque here */
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

/* A deferred action. The first row empties or replaces the world after the statement
 * (line/line.c); the second is the front end's, after the line. */
enum wish_kind {
	WISH_NONE,
	WISH_EMPTY,
	WISH_WORLD,  /* another world, made by `grant` */
	WISH_ANSWER, /* an answer to wishes.question, given by `grant` */
	WISH_RESTART,
	WISH_EDIT,
	WISH_VIEW,
	WISH_SPLIT
};
struct shell;
struct wish {
	enum wish_kind kind;
	/* WORLD, ANSWER: grants it. Reads wishes.statement before it runs a line. */
	enum status (*grant)(struct shell *shell);
	/* `undo`: lines; `step back`: steps; `lesson`: number, 0: a file */
	int64_t number;
	int task; /* `lesson`: from 1; 0: the first */
	/* EDIT, `lesson`: file; VIEW: " FROM TO" or ""; SPLIT: "on", "off" */
	char file[512];
};

/* Timeouts within an `expect error`, by which no script fails */
struct heard {
	int timeouts;
	struct text text; /* "timeout: ...", one a line */
};

/* State that outlives a world: lasting.h */
struct lasting {
	struct machine machine;
	/* slowness by rank, 1: full speed; NULL: all at full speed; owned */
	double *slow;
	double pace;  /* wall seconds per virtual ms; 0: off */
	bool explain; /* explain on */
	bool strip;   /* timeline on */
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
	struct budget budget; /* filled by credit: conductor.c */
	bool dry;             /* shapes and times, no data */
	bool interactive;     /* a front end is there */
	struct instant {
		bool set;
		int64_t time;
		uint64_t world;    /* its digest: valid for it alone */
	} at;                      /* the time that `at` sets for `peek` */
	uint64_t salt;             /* added to tensor seeds: other data for another world */
	int64_t host_most;         /* as in world.h */
	struct together *together; /* open `together { }` (submit/together.c) */
	struct training *training; /* training.h: model, data, strategy, program */
	uint64_t fresh;            /* an empty world's digest */
	int arguments;
	char **argument; /* NAME=VALUE: override a file's `let` */
	struct journal journal;
	struct steering steering;
	struct lasting at_reset; /* the start of `undo` */
	struct lasting at_start; /* at the session's start */
	struct credit *credit;   /* fills `budget` */
	/* Reported in this world */
	struct {
		size_t races;          /* of world.races */
		size_t unread, orders; /* of world.unread, world_order_warning */
		size_t circles;        /* of world.circles */
		size_t swaps;          /* of world_swapped */
	} reported;
	/* `expect` */
	struct {
		int failed; /* failed `expect`s, timeouts: exit status 1 */
		/* running `expect verify`, before its comparison; or NULL */
		const char *words;
		/* of the enclosing `expect error`; NULL: none */
		struct heard *heard;
	} expect;
	/* This process's first data failure, for the next agreement */
	struct {
		enum status status;
		char words[512];
	} failure;
	/* Files that a line may read and write */
	struct {
		bool none; /* no reads */
		/* new texts and their later defs write no file: a lesson's */
		bool reads_only;
		bool writes_none; /* the statement is such a text's: shell_may_write */
	} files;
	/* The current line */
	struct {
		/* files read: "NAME\tDIGEST\n" each, for the journal */
		struct text outside;
		/* world.digest at the last forecast; 0: none in this line */
		uint64_t foreseen;
		/* it received an awaited answer, so its past is final */
		bool reached;
	} line;
	/* Actions that a line defers */
	struct {
		struct question *question; /* for a WISH_ANSWER; owned: replay/replay.h */
		struct wish statement;
		struct wish front_end; /* from the running line */
	} wishes;
	/* Replays */
	struct {
		/* a dry world for one with data: values from the log (steering.h) */
		bool recalls;
		/* changes.h; NULL: none */
		struct changes *changes;
		int depth; /* above 0: no output, no files */
		int shown; /* of these: a followed session's, with output */
	} replay;
	/* Lessons and classes: shell/course/ */
	struct {
		struct watch *watch;            /* the open task's, or NULL */
		struct best *best;              /* for `best()`, borrowed; or NULL */
		const struct course *functions; /* NULL: a sandbox */
		struct lesson *lesson;          /* the open one; owned by the course */
		struct learned *learned;        /* owned by the course */
	} course;
	/* Values from this rank's data */
	struct {
		/* waiting, in program order; owned: values/prints.h */
		struct print **prints;
		size_t print_count;
		struct noted {
			op_id id;
			double value;
		} * noted; /* losses: values/prints.h */
		size_t noted_count;
	} values;
};

/* Opens world, backend and output; training/open.h opens the rest. */
enum status session_open(struct shell *shell, struct transport *t, int n, bool dry, const char *machine);
void session_close(struct shell *shell);
/* Collective. Makes an empty world; frees the old one first. Fails, with words, if not all
 * processes could restart the device; the simulator takes over. */
enum status session_reset(struct shell *shell);
/* Returns true without data, unless the world replaces one with data. */
static inline bool shell_keeps_no_data(const struct shell *shell)
{
	return shell->dry && !shell->replay.recalls;
}
/* Returns ST_OK in an empty world. Else requests one and returns ST_AGAIN, which the caller
 * returns at once: the statement then runs again. */
enum status session_wants_empty(struct shell *shell);
/* Keeps this process's first data failure for a later report. No decision may depend on it,
 * because the other processes do not know it. */
void shell_keep(struct shell *shell, enum status status);
/* Starts (1) or ends (-1) a replay: no output or files. */
void shell_replaying(struct shell *shell, int delta);
/* The same, with output: a followed line */
void shell_following(struct shell *shell, int delta);
static inline bool shell_quiet(const struct shell *shell)
{
	return shell->replay.depth > shell->replay.shown;
}
/* Carries out ready work, within the session's budget. */
enum status shell_advance(struct shell *shell);
/* Forecasts all processes' operations (backend.project), once a line for an unchanged world. */
enum status shell_foresee(struct shell *shell);
/* Carries out ready work and forecasts the rest, for a picture or table. */
enum status shell_look(struct shell *shell);
/* Collective. The same up to now: waits for no device. */
enum status shell_glance(struct shell *shell);
/* Completes the operations (backend.reach). */
enum status shell_reach(struct shell *shell, const op_id *ids, int count);
/* Arguments of "%s...%s" */
#define STYLED(out, colour, ...) style(out, colour), __VA_ARGS__, style(out, COLOUR_PLAIN)
/* Returns the latest host clock, in virtual ns. */
int64_t shell_clock(const struct shell *shell);
/* Records a file read; a replay warns if it has changed. */
void shell_read_file(struct shell *shell, const char *path, const void *bytes, size_t count);
/* Records another session's reads: its `outside`. */
void shell_read_files(struct shell *shell, const char *entries);

#endif
