/* talk.h -- the front end's side of the wire: requests, replies, output, Ctrl-C, the job's
 * death */
#ifndef RANKSH_TALK_H
#define RANKSH_TALK_H

#include "shell/terminal/launch.h"
#include "shell/wire/wire.h"

/* Live lanes in the upper half of the terminal; prompt and answers scroll below them
 *
 *     ms     0        1        2   now 1.20         rows 1 .. lanes: repainted for each frame
 *     0-3 io [=== copy x ===]-----
 *     ------------------------------------
 *     1.20 ms > y = matmul x w                      the rest scrolls (DECSTBM) */
struct split_screen {
	bool wanted; /* `split on`; shown if the terminal is large enough */
	bool colour;
	int columns, rows, lanes; /* the terminal's; lanes 0: not split */
};
/* Sets up the split for the present size; call it also after another use of the screen. The caller
 * then sends split->lanes to rank 0. */
void split_arrange(struct split_screen *split);
/* Paints rank 0's frame; the cursor stays. */
void split_paint(const struct split_screen *split, const struct reply *frame);
void split_erase(const struct split_screen *split);
/* Ends the split, with the cursor in the last row. */
void split_end(struct split_screen *split);

/* Pages for all output of a typed line; starts zeroed */
struct pager {
	int used;    /* rows printed since the last key */
	bool enough; /* the user has left the pager */
};
/* Words for the user */
struct saying {
	enum said {
		SAID_OUTPUT, /* a line's */
		SAID_RANK,   /* what a rank's process wrote to its descriptors 1 and 2 */
		SAID_JOB,    /* what mpirun wrote */
		SAID_NOTE,
		SAID_ERROR,
		SAID_PROGRESS /* the line that runs, for so many seconds now */
	} by;
	const char *bytes;
	size_t count;
	const char *severity; /* OUTPUT: as in struct reply */
	int rank, seconds;
};
/* Receives them in place of the terminal */
typedef void talk_hearer(void *self, const struct saying *saying);

struct talk {
	struct job job;
	bool alive;
	struct text incoming;  /* an incomplete line from rank 0 */
	bool terminal;         /* escape codes may be used (TERM is not dumb) */
	const char *busy_with; /* shown if the answer takes over a second; NULL: nothing */
	int late;              /* number of late replies to TAB to drop */
	bool progress_shown;
	struct split_screen *split; /* where live lanes are painted; NULL: dropped */
	struct pager *pager;        /* NULL: output is printed at once */
	bool again;                 /* the line is a replay: Ctrl-C does not stop it */
	bool colour;                /* errors are red */
	talk_hearer *hearer;        /* NULL: the terminal */
	void *hearing;              /* its `self` */
	int64_t asked_ns, interrupted_ns;
};

/* Handlers set flags; signal_taken clears one. Fatal signals: screen.h */
void signals_start(void);
bool signal_came(int number);
bool signal_taken(int number);
bool signal_asked_to_end(void);
/* Ends the session as SIGTERM does: the reader of the output has left. */
void signal_end(void);

enum status talk_start(struct talk *talk, const struct options *options);
/* Ends and collects the job, dead or alive. Returns its job_outcome(). */
int talk_bury(struct talk *talk);
void talk_stop(struct talk *talk);
/* Sends without waiting. Fails with ST_MPI if the job is gone. */
enum status talk_send(struct talk *talk, const struct request *request);
/* Sends the request and waits for that kind of reply, which the caller owns. Fails with ST_MPI
 * (the job died), ST_QUIT (the user ended it) or, if wait_ms >= 0, ST_LIMIT (after that time, or
 * by Ctrl-C). */
enum status talk_ask(struct talk *talk, const struct request *request, enum reply_kind kind,
        struct reply *reply, int wait_ms);
/* Shows available output without blocking. Fails with ST_MPI if the job died. */
enum status talk_listen(struct talk *talk);

/* say.c: shows the words on the terminal, or passes them to the hearer. */
void talk_say(const struct talk *talk, const struct saying *saying);

/* Returns the columns of the terminal; 0 if output goes elsewhere. */
int terminal_columns(void);
/* Prints without control characters: another program may have written the text. */
void print_plain(const char *bytes, size_t count);
/* pager.c: prints the lines, wrapped to the output width. With a pager, the space bar shows the
 * next screen, Enter one more row, and q or Ctrl-C drops the rest. */
void pager_print(struct pager *pager, const char *lines, size_t count);

#endif
