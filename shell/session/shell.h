/* shell.h -- one process's session: the books, the backend, the interpreter's state and what is said. Passed
 * everywhere; no globals. An umbrella header. */
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

/* What the rooms above keep in a session; only they look into it. */
struct interpreter; /* language/ */
struct together;    /* submit/ */
struct lesson;      /* course/lessons/ */
struct print;       /* prints.h */
struct credit;      /* credit.h */
struct training;    /* training.h */
struct device;      /* device.h */
struct changes;     /* changes.h */
struct question;    /* question.h */
struct watch;       /* watch.h */
struct best;        /* best.h */
struct learned;     /* course/lessons/ */
struct course;      /* course.h */

/* What a statement asks for that cannot be done while it runs. Those of the first row empty the world or
 * make it again: the loop that runs a text grants them when the statement is over, before the next one
 * (line/line.c). Those of the second row are the front end's, when the whole line is over. */
enum wish_kind {
	WISH_NONE,
	WISH_EMPTY,
	WISH_WORLD,  /* another world, which `grant` makes */
	WISH_ANSWER, /* an answer to shell->wishes.question, which `grant` says; this world stays */
	WISH_RESTART,
	WISH_EDIT,
	WISH_VIEW,
	WISH_SPLIT
};
struct shell;
struct wish {
	enum wish_kind kind;
	/* WORLD, ANSWER: grants it. It reads shell->wishes.statement before it runs a line. */
	enum status (*grant)(struct shell *shell);
	/* of `undo`: lines; of `step back`: steps to have been played; of `lesson`: its number, 0 that of a file */
	int64_t number;
	int task; /* of `lesson`, from 1; 0: the first */
	/* EDIT; a lesson's; VIEW: " FROM TO", of a replay, or nothing; SPLIT: "on" or "off" */
	char file[512];
};

/* Timeouts that were told within an `expect error`: it expects them, and no script fails by them */
struct heard {
	int timeouts;
	struct text text; /* "timeout: ...", one after the other */
};

/* What outlives a world: lasting.h */
struct lasting {
	struct machine machine;
	/* of each rank, 1: as fast as its machine; NULL: all are (lasting.h); owned */
	double *slow;
	double pace;  /* wall seconds per virtual ms; 0: off */
	bool explain; /* explain on */
	bool strip;   /* timeline on */
};

struct shell {
	struct world *world;
	struct lasting lasting;
	struct backend *backend;
	/* the backend's hook: what waits here for the operation */
	void (*done)(void *self, op_id id);
	const struct device *device; /* what starts the backend; NULL: the simulator */
	struct transport *transport;
	struct out *out;
	struct interpreter *interpreter;
	struct budget budget; /* credit: see conductor.c */
	bool dry;             /* shapes and times, no data */
	bool interactive;     /* a front end is there */
	struct instant {
		bool set;
		int64_t time;
		uint64_t world;    /* its digest: of these books alone */
	} at;                      /* `at`: what `peek` speaks of */
	uint64_t salt;             /* added to the seeds of tensors: a world with other numbers */
	int64_t host_most;         /* of each world, as world.h has it */
	struct together *together; /* the `together { }` being filled (submit/together.c) */
	struct training *training; /* training.h: model, data, strategy, program */
	uint64_t fresh;            /* world.digest of an empty world */
	int arguments;
	char **argument; /* NAME=VALUE from the command line: beat the file's `let` */
	struct journal journal;
	struct steering steering;
	struct lasting at_reset; /* what `undo` starts from */
	struct lasting at_start; /* of the session */
	struct credit *credit;   /* of `budget` */
	/* How many of each kind have been reported in this world */
	struct {
		size_t races;          /* of world.races */
		size_t unread, orders; /* of world.unread, world_order_warning */
		size_t circles;        /* of world.circles */
		size_t swaps;          /* of world_swapped */
	} reported;
	/* `expect` */
	struct {
		int failed; /* `expect`s that were false, and timeouts: exit status 1 */
		/* of the `expect verify` that runs, before its comparison; NULL: none runs */
		const char *words;
		/* of the `expect error` around the statement; NULL: there is none */
		struct heard *heard;
	} expect;
	/* What became of this process's data after a line was accepted: reported when statuses are agreed */
	struct {
		enum status status;
		char words[512];
	} failure;
	/* Which files a line may read and write */
	struct {
		bool none; /* none is read: each is refused */
		/* texts that begin to run write no file, nor do their defs later: a lesson's */
		bool reads_only;
		bool writes_none; /* the statement is of such a text: shell_may_write */
	} files;
	/* The line at hand */
	struct {
		/* files that it has read: "NAME\tDIGEST\n" each, for the front end's journal */
		struct text outside;
		/* world.digest at the last forecast of the backend; 0: not asked in this line */
		uint64_t foreseen;
		/* it received an answer that it waited for: what led to it is final */
		bool reached;
	} line;
	/* Actions that a line defers */
	struct {
		struct question *question; /* of a WISH_ANSWER; owned: replay/question.h */
		struct wish statement;     /* of the statement that runs */
		struct wish front_end;     /* of the front end, by the line that runs */
	} wishes;
	/* Lines that run again */
	struct {
		/* a world without data in the place of one with data: values are those that the
		 * session read (steering.h) */
		bool recalls;
		/* what the world differs in (changes.h); NULL: in nothing */
		struct changes *changes;
		int depth; /* above 0: undo, restart: nothing is said, no file is written */
		int shown; /* of these: a line of a session that is followed, which is said */
	} replay;
	/* Lessons and classes: shell/course/ */
	struct {
		struct watch *watch;            /* of the task that is open; NULL: none is */
		struct best *best;              /* what `best()` refers to, borrowed; NULL: nothing */
		const struct course *functions; /* NULL: a world beside the session */
		struct lesson *lesson;          /* that is open; owned by the course */
		struct learned *learned;        /* what the learner has done; owned by the course */
	} course;
	/* What waits for, or was read from, this rank's data */
	struct {
		/* queued and not yet said, in the order of the program; owned: values/prints.h */
		struct print **prints;
		size_t print_count;
		struct noted {
			op_id id;
			double value;
		} * noted; /* noted.h: of this world */
		size_t noted_count;
	} values;
};

/* The world and its backend, what is said and the journal; training/open.h opens all of a session. */
enum status session_open(struct shell *shell, struct transport *t, int n, bool dry, const char *machine);
void session_close(struct shell *shell);
/* An empty world, same machine. Nothing of the one before may be in use: it has given back all that it had before the new one
 * begins. All processes call it. Fails, with words, where the device could not be started again by all of them: the
 * simulator then carries out what comes. */
enum status session_reset(struct shell *shell);
/* Without data, and not in the place of a world that had them */
static inline bool shell_keeps_no_data(const struct shell *shell)
{
	return shell->dry && !shell->replay.recalls;
}
/* Is the world empty? Else the statement at hand wishes for it, and is run again then: ST_AGAIN, to be
 * returned at once. */
enum status session_wants_empty(struct shell *shell);
/* This process's data failed (first: kept and told later): nothing else may hang on it, the others do not
 * know. */
void shell_keep(struct shell *shell, enum status status);
/* Lines run again from here on (1), or no more (-1): nothing is said meanwhile, and no file written. */
void shell_replaying(struct shell *shell, int delta);
/* The same of a line of a session that is followed: it is said */
void shell_following(struct shell *shell, int delta);
static inline bool shell_quiet(const struct shell *shell)
{
	return shell->replay.depth > shell->replay.shown;
}
/* What is ready is carried out; all steps come out of the session's budget. */
enum status shell_advance(struct shell *shell);
/* Before figures are asked for: what was done, and will be if nothing more is queued, of all processes (backend.project).
 * Of the same books once a line. */
enum status shell_foresee(struct shell *shell);
/* Before a picture or a table: what is ready is carried out, and the rest projected. */
enum status shell_look(struct shell *shell);
/* The same of what has happened until now: no device is waited for. Called by all. */
enum status shell_glance(struct shell *shell);
/* Until all of the operations are over (backend.reach) */
enum status shell_reach(struct shell *shell, const op_id *ids, int count);
/* Arguments of "%s...%s": words in a colour */
#define STYLED(out, colour, ...) style(out, colour), __VA_ARGS__, style(out, COLOUR_PLAIN)
/* The latest of the hosts' clocks, in virtual ns */
int64_t shell_clock(const struct shell *shell);
/* A command has read a file: replays warn when it is not the same any more. */
void shell_read_file(struct shell *shell, const char *path, const void *bytes, size_t count);
/* As it, of what another session has read for this one: its `outside` */
void shell_read_files(struct shell *shell, const char *entries);

#endif
