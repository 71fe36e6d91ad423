/* wire.h -- lines and JSON between front end and rank 0; the only thing both sides share. docs/internals/wire.md
 * describes it for others.
 *
 * A request is a line: plain text is a command; a line that begins with WIRE_MARK carries JSON. A reply is
 * WIRE_MARK and JSON; any other line on the way back is foreign output. */
#ifndef RANKSH_WIRE_H
#define RANKSH_WIRE_H

#include "trace/trace.h"
#include <stdint.h>

enum { WIRE_MARK = 0x1e, WIRE_VERSION = 2 };

enum request_kind {
	REQUEST_RUN,
	REQUEST_HELLO,
	REQUEST_RESIZE,
	REQUEST_COMPLETE,
	REQUEST_VIEW,
	REQUEST_INTERRUPT,
	REQUEST_LEAVE
};
/* What the front end asks. Which members a kind has stands behind them (and in wire.c's table); the others are as a
 * reader of an empty object finds them. Texts are owned: request_release. */
struct request {
	enum request_kind kind;
	struct text text;    /* RUN, COMPLETE: the line or lines */
	int cursor;          /* COMPLETE: bytes before it */
	bool silent;         /* RUN: a replay; says nothing */
	bool shown;          /* RUN: a replay, of a session that is followed; says what it says */
	bool look;           /* RUN: a look at such a session: it takes no time of `pace` */
	int64_t stop, stamp; /* RUN: of the journal; 0 and -1 when typed now */
	struct text values;  /* RUN: of the journal */
	int width, height;   /* HELLO, RESIZE, VIEW */
	bool colour;         /* HELLO */
	struct text solved;  /* HELLO: tasks, "1.1 4.2 " */
	int lanes;           /* RESIZE: rows for living lanes, which are sent unasked; 0: none */
	int64_t from, to;    /* VIEW: the window; from > to: everything */
	int first_row;
	bool path;   /* the critical path is drawn in full, other work as a line */
	int64_t now; /* a replay: as it was then; -1: as it is */
	bool passes; /* now is the clock of `pace`: of rank 0 alone, never on the wire */
	op_id selected; /* where the cursor stands: an operation on a lane, 0 nowhere; and the time of it there */
	int rank, stream;
	int64_t time;
	struct text
	        seek; /* where it goes from there, and the frame with it: docs/internals/wire.md; "" nowhere */
	struct text find; /* what `seek` looks for */
};

/* A line of the session's log as it travels: what it takes to run it again (session/journal.h). */
struct logged_line {
	struct text line, outside, values;
	int64_t stop, stamp;
	bool refused;
};
/* What a request has changed in the log: its first `kept` lines stand, and `line` follow them. */
struct log_change {
	int kept;
	struct logged_line *line;
	size_t count;
};

enum reply_kind { REPLY_HELLO, REPLY_OUTPUT, REPLY_FOREIGN, REPLY_DONE, REPLY_COMPLETE, REPLY_VIEW };
/* What rank 0 answers. OUTPUT and FOREIGN may come at any time; each other kind is the one reply to a request. Texts,
 * the log and the picture are owned: reply_release. */
struct reply {
	enum reply_kind kind;
	struct text
	        /* OUTPUT, FOREIGN; DONE: why it was refused; COMPLETE: "name\n" each; VIEW: facts of what is
	         * selected; HELLO: machine */
	        text;
	int rank; /* FOREIGN, VIEW */
	/* HELLO */
	int version, n;
	bool dry;
	struct text device;  /* on GPUs: which, "cuda: 4 ranks, 4 x NVIDIA H100, NCCL 2.28.9" */
	struct text missing; /* on the simulator, though a driver is there: what is not */
	/* HELLO, DONE */
	enum status status;
	struct text prompt; /* "0.06 ms > " */
	struct text enter;  /* what Enter on an empty line runs; "" nothing */
	struct text task;   /* of a lesson, that is open: "task 4.2", "task 2 of F.rsh"; "" none */
	int waits;          /* ranks that wait for lines not given yet */
	int64_t clock;      /* virtual ns */
	int64_t stamp;      /* DONE: the virtual time at which the line was typed, under `pace`; else -1 */
	struct log_change log;
	struct text again;   /* DONE of a replay: values that are not what they were, a sentence a line */
	struct text learned; /* DONE: what was done in a lesson, "WHAT<tab>TASK<tab>WORDS\n" each */
	struct text wish;    /* "restart", "view", "edit FILE" or "" */
	/* VIEW */
	struct picture picture;
	int64_t from, to, whole_from, whole_to;
	int rows, first_row;     /* how many rows there are in all, and the first one drawn */
	int first_column, cells; /* the window lies in so many columns of the picture */
	struct text lanes;       /* "RANK.STREAM" of each row drawn, between blanks */
	struct text density; /* a digit for each of `width` parts of everything: 0 nobody works .. 9 all do */
	struct text part;    /* "iteration 3": the window is that of it */
	/* The cursor: where it is now. The operation or the wait it stands on lasts from `time` to `until`, in row `row` of all;
	 * -1: in none. Nowhere: `selected` is 0. */
	op_id selected;
	int stream, row; /* and rank */
	int64_t time, until;
	struct text told; /* why it did not move */
	bool unasked;     /* living lanes: nobody waits for it */
	struct text
	        links; /* "ROW TIME LETTER" lines: what it waited for, in which row, until when, and the cause's letter */
};

/* One line more, empty, to be filled. */
struct logged_line *log_add(struct log_change *log);
/* Only the first `count` lines stay. */
void log_shorten(struct log_change *log, size_t count);
/* As JSON: on the wire, and in the journal's file. The object is the caller's; `line` is an empty one. */
struct cJSON *logged_line_object(const struct logged_line *line);
void logged_line_read(const struct cJSON *object, struct logged_line *line);
/* As a whole line, newline and all. */
void request_write(const struct request *request, struct text *line);
void reply_write(const struct reply *reply, struct text *line);
/* A line without its newline. ST_SYNTAX: it cannot be read. *reply and *request must be zeroed or
 * released. */
enum status request_read(const char *line, size_t count, struct request *request);
/* foreign: the line was no reply at all; it comes as REPLY_FOREIGN with rank -1. */
enum status reply_read(const char *line, size_t count, struct reply *reply);
void request_release(struct request *request);
void reply_release(struct reply *reply);
/* cJSON allocates by base/memory.h; once, before the first use. */
void wire_start(void);

#endif
