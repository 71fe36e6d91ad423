/* wire.h -- requests and replies between front end and rank 0 (docs/internals/wire.md)
 *
 * A request is a line: plain text is a command; WIRE_MARK introduces JSON. A reply is WIRE_MARK
 * and JSON; any other line from rank 0 is foreign output. */
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
	REQUEST_END,
	REQUEST_LEAVE
};
/* In a kind that a member's comment does not name, the member has its default. Owns its texts. */
struct request {
	enum request_kind kind;
	struct text text;    /* RUN, COMPLETE: the line or lines */
	int cursor;          /* COMPLETE: its byte offset */
	bool silent;         /* RUN: a replay without output */
	bool shown;          /* RUN: a replay with output, for a followed session */
	bool look;           /* RUN: a read-only command there: takes no `pace` time */
	int64_t stop, stamp; /* RUN: from the journal; 0 and -1 for a typed line */
	struct text values;  /* RUN: from the journal */
	int width, height;   /* HELLO, RESIZE, VIEW */
	bool colour;         /* HELLO */
	bool numbers;        /* HELLO: DONE shall have them */
	struct text solved;  /* HELLO: solved tasks, "1.1 4.2 " */
	int lanes;           /* RESIZE: rows for live lanes, sent unasked; 0: none */
	int64_t from, to;    /* VIEW: the window; from >= to: everything */
	int first_row;
	bool path;   /* draw the critical path in full, other work as a line */
	int64_t now; /* replay: draw the state at this time; -1: the present */
	bool passes; /* now is the `pace` clock; rank 0 only, never sent */
	/* The cursor: an operation (0: none), its lane and a time */
	op_id selected;
	int rank, stream;
	int64_t time;
	/* cursor movement (docs/internals/wire.md); "" none */
	struct text seek;
	struct text find; /* for seek "find" */
};

/* A log line with all that a new run needs (session/journal.h). */
struct logged_line {
	struct text line, outside, values;
	int64_t stop, stamp;
	bool refused;
};
/* A change of the log: the first `kept` lines stay, and line[count] follow them. */
struct log_change {
	int kept;
	struct logged_line *line;
	size_t count;
};

enum reply_kind { REPLY_HELLO, REPLY_OUTPUT, REPLY_FOREIGN, REPLY_DONE, REPLY_COMPLETE, REPLY_VIEW };
/* OUTPUT and FOREIGN may come at any time; others answer a request. Owns its texts, log and
 * picture. */
struct reply {
	enum reply_kind kind;
	/* OUTPUT, FOREIGN; DONE: why it was refused; COMPLETE: "name\n" each; HELLO: machine;
	 * VIEW: facts about the selected operation */
	struct text text;
	struct text severity; /* OUTPUT: "note", "warning", "error"; "": an answer */
	int rank;             /* FOREIGN, VIEW */
	/* HELLO */
	int version, n;
	bool dry;
	struct text device;  /* on GPUs: "cuda: 4 ranks, 4 x NVIDIA H100, NCCL 2.28.9" */
	struct text missing; /* simulated despite a driver: what is missing */
	/* HELLO, DONE */
	enum status status;
	struct text prompt; /* "0.06 ms > " */
	struct text enter;  /* what Enter on an empty line runs; "" nothing */
	struct text task;   /* the open task: "task 4.2", "task 2 of F.rsh"; "" none */
	int waits;          /* ranks that wait for lines not given yet */
	int64_t clock;      /* virtual ns */
	int64_t stamp;      /* DONE: virtual time of typing, under `pace`; else -1 */
	struct log_change log;
	struct text again;   /* DONE in a replay: changed values, a sentence each line */
	struct text numbers; /* DONE: the answer's, as a JSON object (session/numbers.h) */
	/* DONE: lesson progress, "WHAT<tab>TASK<tab>WORDS\n" each */
	struct text learned;
	struct text wish; /* "restart", "view", "split on", "edit FILE" or "" */
	/* VIEW */
	struct picture picture;
	int64_t from, to, whole_from, whole_to;
	int rows, first_row;     /* all rows, and the first one drawn */
	int first_column, cells; /* the window's columns in the picture */
	struct text lanes;       /* "RANK.STREAM" for each row drawn, separated by blanks */
	/* a digit for each of `width` time slices: 0 idle .. 9 all busy */
	struct text density;
	struct text part; /* "iteration 3" if the window shows exactly that */
	/* The cursor; selected 0: none. Its operation or wait lasts from `time` to `until`, in row
	 * `row` of all; -1: none. */
	op_id selected;
	int stream, row;
	int64_t time, until;
	struct text told; /* why the cursor did not move */
	bool unasked;     /* live lanes: no request waits for it */
	/* a line "ROW TIME LETTER" for each operation waited for: its row, its end, the cause */
	struct text links;
};

/* Appends an empty line and returns it. The log owns it. */
struct logged_line *log_add(struct log_change *log);
void log_copy(struct log_change *log, const struct logged_line *line);
void log_shorten(struct log_change *log, size_t count);
/* A log line as JSON and back. The caller owns the object; the `line` that is read must be
 * empty. */
struct cJSON *logged_line_object(const struct logged_line *line);
void logged_line_read(const struct cJSON *object, struct logged_line *line);
/* Append the message as a whole line with its newline. */
void request_write(const struct request *request, struct text *line);
void reply_write(const struct reply *reply, struct text *line);
/* Reads a line without its newline. Fails with ST_SYNTAX. *request must be zeroed or released. */
enum status request_read(const char *line, size_t count, struct request *request);
/* The same for a reply. Any other line becomes a REPLY_FOREIGN with rank -1. */
enum status reply_read(const char *line, size_t count, struct reply *reply);
void request_release(struct request *request);
void reply_release(struct reply *reply);
/* Appends a picture as text, short enough to be sent for every key:
 *
 *     WIDTH HEIGHT \n  then for each row:   glyphs (UTF-8) \n  runs \n
 *     runs:  COUNT.COLOUR[d][r][@OP], separated by blanks; d dim, r reverse */
void wire_put_picture(const struct picture *picture, struct text *out);
/* Reads such a text. The caller owns *picture. Fails with ST_SYNTAX; *picture is then empty. */
enum status picture_read(const char *text, struct picture *picture);
/* Makes cJSON use base/memory.h; call it first. */
void wire_start(void);

#endif
