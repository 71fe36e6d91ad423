/* inside.h -- what the files of the front end's session share: session.c (the prompt), job.c (its ranks,
 * their death, restart), act.c (a line), follower.c (lines of another session). An umbrella header: it brings along what it includes. */
#ifndef RANKSH_TERMINAL_INSIDE_H
#define RANKSH_TERMINAL_INSIDE_H

#include "shell/session/course.h"
#include "shell/session/options.h"
#include "shell/terminal/follow.h"
#include "shell/terminal/journal_file.h"
#include "shell/terminal/split.h"
#include "shell/terminal/talk.h"

struct session {
	struct options options;
	struct talk talk;
	struct journal_file journal;
	const struct course *course;
	struct learning *learning;       /* NULL until the session is open */
	struct text prompt, enter, task; /* as the last reply has them */
	struct text pending;             /* lines of a block that is still open */
	struct split_screen split;
	char machine[64];
	struct text device, missing; /* of the ranks' hello */
	bool colour, wide, leaving;
	int code;
	struct follow follow; /* --follow */
	enum {
		FOLLOW_NONE,
		FOLLOW_ON,
		FOLLOW_FORK, /* the lines are the user's own */
		FOLLOW_OVER  /* nothing more is read: the world stays */
	} mode;
	bool plain; /* --follow without a terminal: what is shown goes to the output, and nothing is typed */
	struct text shown_prompt;
};

/* Whether the terminal can be painted on, has colours and more than ASCII: talk.terminal, colour, wide; and the locale, in which
 * characters are UTF-8. */
void choose_looks(struct session *session);
/* Columns that outputs may take. */
int width_of_output(void);
void say_bad(const struct session *session, const char *text);

/* Starts the ranks and says hello. A job that does not answer is buried, and what it said is shown. */
enum status job_open(struct session *session, int *n);
/* The job is lost: ST_MPI it died; ST_QUIT the user had enough of a line that does not stop. */
void job_lose(struct session *session, enum status status);
/* The journal's lines again, silently; of those that differ from then it is told. *lines: that were run, without those
 * that are refused now and were not. false: the ranks died of one of them, and the user was told of which. */
bool job_replay(struct session *session, size_t *lines);
/* Behind a replay: which task is open again */
void job_say_task(const struct session *session);
void job_restart(struct session *session);
/* The reply's prompt, what Enter does, and the task at hand */
void keep_state(struct session *session, const struct reply *reply);

/* The terminal is split, or whole, as is wanted and as it is large enough; rank 0 is told. */
void arrange_split(struct session *session);
/* Rank 0 is told how wide the terminal is, and how many rows of it are for living lanes. */
void tell_size(struct session *session);
/* A line was typed, or was completed by Enter. */
void act_on(struct session *session, const char *line);

/* ---- a session that follows another one ---- */

/* Its ranks, and the lines so far; the source is open. Without a terminal those are shown, too. */
enum status follower_open(struct session *session);
/* How long to wait for keys until the source is looked at again; -1: it is not read */
int follower_wait_ms(const struct session *session);
/* A line of the source, if one is there; true: something was said, below the line that is being typed. */
bool follower_hear(struct session *session);
/* A line was typed: true when it was fork, rejoin, or one that would change the world that is followed. */
bool follower_acts(struct session *session, const char *line);
/* Without a terminal, to the end of the source; the exit status. */
int follower_plain(struct session *session);

/* Of a line that has run again: what is not as it was, behind what was told of lines before it (words). true: it is refused,
 * and was not */
bool job_warn_changed(const struct session *session, const struct logged_line *entry,
        const struct reply *reply, struct text *words);
/* Is the first screen wanted? (`set hello=off`) */
bool wants_hello(const struct session *session);

#endif
