/* inside.h -- struct session, for session.c, job.c, act.c and follower.c. An umbrella header. */
#ifndef RANKSH_TERMINAL_INSIDE_H
#define RANKSH_TERMINAL_INSIDE_H

#include "shell/session/course.h"
#include "shell/session/options.h"
#include "shell/terminal/journal_file.h"
#include "shell/terminal/talk.h"
#include "shell/wire/wire.h"

/* Another session's journal, read while it grows */
struct follow {
	const char *path; /* as typed; "-": descriptor 0 */
	const char *name;
	struct journal_file told; /* the source's session as far as it was read */
	int file;                 /* -1: not open */
	bool pipe;
	struct text bytes, line; /* bytes not taken yet; the line taken last */
	int64_t size;
	size_t lines;
	int nap_ms; /* interval until the next read */
};
struct session {
	struct options options;
	struct talk talk;
	struct journal_file journal;
	const struct course *course;
	struct learning *learning;
	/* From the last reply */
	struct text prompt, enter, task;
	int64_t clock; /* virtual ns */
	int waits;     /* ranks */
	/* A typed line's reply, without texts that were shown; in `status` ST_MPI if the ranks died,
	 * ST_INTERRUPTED if the user ended them */
	struct reply last;
	struct script *script; /* script.h; NULL: the lines come from the keyboard */
	int n;                 /* ranks of the last start */
	struct text pending;
	struct split_screen split;
	char machine[64];
	struct text device, missing; /* from the ranks' hello */
	bool wide, leaving;
	int code;
	struct follow follow; /* --follow */
	enum {
		FOLLOW_NONE,
		FOLLOW_ON,
		FOLLOW_FORK, /* the user's own lines */
		FOLLOW_OVER  /* the source has ended; the world stays */
	} mode;
	bool plain; /* --follow without a terminal: output only, no typing */
	struct text shown_prompt;
};

/* Sets talk.terminal, talk.colour, wide (the output is UTF-8) and a UTF-8 locale. */
void choose_looks(struct session *session);
/* Returns the columns for output. */
int width_of_output(void);
/* say.c: print an error, or a note with its newlines, folded. */
void say_note(const struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say_bad(const struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Starts the ranks and sets session->n; prints why if they fail to start. */
enum status job_open(struct session *session);
/* Handles lost ranks. status: ST_MPI: the job died; ST_QUIT: the user ended it, because a line did
 * not stop */
void job_lose(struct session *session, enum status status);
/* Runs the journal silently and reports differences. *lines: the number that ran, without newly
 * refused ones. Returns false if the ranks died, which is reported. */
bool job_replay(struct session *session, size_t *lines);
/* Runs a logged line again, silent or shown, and keeps the reply's state. */
enum status job_run_again(
        struct session *session, const struct logged_line *line, bool shown, struct reply *reply);
void job_say_task(const struct session *session);
void job_restart(struct session *session);
/* Keeps the reply's prompt, Enter line, task and times. */
void keep_state(struct session *session, const struct reply *reply);

/* Splits the terminal if wanted and large enough; sends rank 0 the size. */
void arrange_split(struct session *session);
/* Sends rank 0 the width and the rows for live lanes. */
void tell_size(struct session *session);
void act_on(struct session *session, const char *line);

/* ---- following ---- */

/* Opens `path`; for "-" takes descriptor 0, which becomes /dev/tty. Fails with ST_FILE. */
enum status follow_open(struct follow *follow, const char *path);
/* Sets *line to the next line without its newline, valid until the next call; NULL: none yet, call
 * again after nap_ms. Fails with ST_QUIT (the pipe has ended) or ST_FILE (the file was replaced or
 * has become shorter). */
enum status follow_take(struct follow *follow, const char **line, size_t *count);
/* Waits for the source's head, which must agree with our version and with options n, machine and
 * dry. Fails with ST_FILE or ST_ARGUMENT. */
enum status follow_head(struct follow *follow, const struct options *options);
void follow_release(struct follow *follow);

/* Starts ranks as the source's head says. With a terminal, also runs the source's lines so far. */
enum status follower_open(struct session *session);
/* Returns the poll timeout until the next read; -1: none. */
int follower_wait_ms(const struct session *session);
/* Handles the source's next line or its end, if one has come. Returns true if it did: text may now
 * be below the input line. */
bool follower_hear(struct session *session);
/* Returns false if act_on shall handle the line. */
bool follower_acts(struct session *session, const char *line);
/* Follows without a terminal until the source ends. Returns the exit status. */
int follower_plain(struct session *session);

/* Appends to `words` how a replayed line differs from the log. Returns true if it is newly
 * refused. */
bool job_warn_changed(const struct session *session, const struct logged_line *entry,
        const struct reply *reply, struct text *words);
/* Returns true if the welcome screen is wanted (`set hello=off`). */
bool wants_hello(const struct session *session);
/* welcome.c: appends the welcome screen; or its first line, with the ranks and their machine. */
void welcome_write(struct text *out, const struct session *session);
void welcome_ranks(struct text *out, const struct session *session);

#endif
