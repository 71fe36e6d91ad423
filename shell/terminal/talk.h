/* talk.h -- the front end's side of the wire: a request out, its reply in, and meanwhile output,
 * Ctrl-C or the job's death */
#ifndef RANKSH_TALK_H
#define RANKSH_TALK_H

#include "shell/terminal/launch.h"
#include "shell/terminal/pager.h"
#include "shell/terminal/split.h"
#include "shell/wire/wire.h"

struct talk {
	struct job job;
	bool alive;
	struct text incoming;  /* an incomplete line from rank 0 */
	bool terminal;         /* escape codes may be used (TERM is not dumb) */
	const char *busy_with; /* shown if the answer takes over a second; NULL: nothing */
	/* late completions to drop */
	int late;
	bool progress_shown;
	struct split_screen *split; /* where live lanes are painted; NULL: dropped */
	struct pager *pager;        /* for long output; NULL: it is printed at once */
	bool again;                 /* the line is a replay: Ctrl-C does not stop it */
	int64_t asked_ns, interrupted_ns;
};

/* Installs handlers that set flags; functions with `taken` clear them. Fatal signals: crash.h. */
void signals_start(void);
bool signal_has_interrupt(void);
bool signal_taken_interrupt(void);
bool signal_taken_resize(void);
bool signal_asked_to_end(void);

enum status talk_start(struct talk *talk, const struct options *options);
/* Ends and collects the job, dead or alive. Returns its job_outcome(). */
int talk_bury(struct talk *talk);
void talk_stop(struct talk *talk);
/* Sends a request without waiting. Fails with ST_MPI if the job is gone. */
enum status talk_send(struct talk *talk, const struct request *request);
/* Sends a request and waits for that kind of reply, owned by the caller. Fails with ST_MPI (the
 * job died), ST_QUIT (the user ended it) or, if wait_ms >= 0, ST_LIMIT (after that time, or by
 * Ctrl-C). */
enum status talk_ask(struct talk *talk, const struct request *request, enum reply_kind kind,
        struct reply *reply, int wait_ms);
/* Shows available output without blocking. Fails with ST_MPI if the job died. */
enum status talk_listen(struct talk *talk);

/* Returns the output terminal's columns; 0: output goes elsewhere. */
int terminal_columns(void);
/* Prints the lines, folded to the output width. */
void print_folded(const char *lines, size_t count);

#endif
