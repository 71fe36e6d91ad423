/* talk.h -- the front end's side of the wire: one request out, its reply in, and everything that may come
 * meanwhile: output, text that a rank printed by itself, Ctrl-C, the death of the job. */
#ifndef RANKSH_TALK_H
#define RANKSH_TALK_H

#include "shell/terminal/launch.h"
#include "shell/terminal/pager.h"
#include "shell/terminal/split.h"
#include "shell/wire/wire.h"

struct talk {
	struct job job;
	bool alive;
	struct text incoming;  /* the beginning of a line from rank 0 */
	bool terminal;         /* may escape codes be used at all (TERM is not dumb) */
	const char *busy_with; /* shown if the next answer takes more than a second; NULL: nothing is shown */
	int late; /* completions whose answers are dropped when they come: TAB did not wait for them */
	bool progress_shown;
	struct split_screen *split; /* living lanes are painted there; NULL: they are dropped */
	struct pager *pager;        /* what is asked may be long to read; NULL: it is printed as it comes */
	bool again;                 /* what is asked is a line that runs again: Ctrl-C does not stop it */
	int64_t asked_ns, interrupted_ns;
};

/* Signals that the front end takes note of; flags are taken down by whoever acts on them. Fatal ones: crash.h. */
void signals_start(void);
bool signal_has_interrupt(void);
bool signal_taken_interrupt(void);
bool signal_taken_resize(void);
bool signal_asked_to_end(void);

enum status talk_start(struct talk *talk, const struct options *options);
/* The job is over, however: how it ended is worded (fail_text); 0 when it left by itself. */
int talk_bury(struct talk *talk);
void talk_stop(struct talk *talk);
/* Only sends it. ST_MPI: the job is gone. */
enum status talk_send(struct talk *talk, const struct request *request);
/* Sends it and waits for the reply of that kind. ST_MPI: the job died. ST_QUIT: the user ended the job.
 * wait_ms < 0: as long as it takes. */
enum status talk_ask(struct talk *talk, const struct request *request, enum reply_kind kind,
        struct reply *reply, int wait_ms);
/* What lies there of output and foreign text, without waiting, while nobody is asked. ST_MPI: the job
 * died. */
enum status talk_listen(struct talk *talk);

/* Columns of the terminal that shows our output; 0: it goes elsewhere. */
int terminal_columns(void);
/* To the output, folded to its width. */
void print_folded(const char *lines, size_t count);

#endif
