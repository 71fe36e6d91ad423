/* diary.h -- the front end's journal: every line that was accepted, with what came from outside, in a file
 * that outlives everything.
 *
 * $XDG_STATE_HOME/ranksh/journal-DATE-PID (default ~/.local/state): lines of JSON. The first says with what
 * the session was opened; then one for each line: {"line": text, "lines": n, "adds": flag, "stop": steps,
 * "undo": flag, "stamp": ns, "outside": files}. `restart` and --resume run them again. A full disk is said
 * once; the session goes on, and the lines are still in memory. */
#ifndef RANKSH_DIARY_H
#define RANKSH_DIARY_H

#include "base/status.h"
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

/* lines: how many `undo` could take back behind it; adds: it is one of them; undo: it took some back, as
 * `undo` and `step back` do */
struct recorded {
	char *line, *outside;
	int64_t stop, stamp;
	int lines;
	bool adds, undo;
};
struct diary {
	char folder[1024], path[1200];
	int n; /* of the session */
	bool dry;
	char machine[512];
	struct recorded *lines;
	size_t count, room;
	int file; /* descriptor; -1: nothing is written */
	bool warned;
};

/* Finds and makes the folder; ST_FILE when it cannot. */
enum status diary_folder(struct diary *diary);
/* A new file, for a session of these. */
enum status diary_begin(struct diary *diary, int n, bool dry, const char *machine);
/* The newest file there is: its lines and what its session was opened with. ST_FILE: there is none. It is
 * written on. */
enum status diary_resume(struct diary *diary);
/* A line more. After an `undo` what it took back is nothing to run again, nor is the undo itself; where
 * something in between began an empty world or ran lines again, all stay and the undo is a line like others.
 * ST_FILE once, when the disk does not take it. */
enum status diary_add(struct diary *diary, struct recorded entry); /* copies it */
void diary_release(struct diary *diary);

#endif
