/* diary.h -- the front end's journal: every line that was accepted, with what came from outside, in a file that outlives everything.
 *
 * $XDG_STATE_HOME/ranksh/journal-DATE-PID (default ~/.local/state): lines of JSON. The first says with what the session was opened; then
 * one for each line: {"line": text, "stop": steps, "stamp": ns, "outside": files}. `restart` and --resume run them again. A
 * full disk is said once; the session goes on, and the lines are still in memory. */
#ifndef RANKSH_DIARY_H
#define RANKSH_DIARY_H

#include "base/status.h"
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

struct recorded { char *line, *outside; int64_t stop, stamp; };
struct diary {
	char folder[1024], path[1200];
	int n;                  /* of the session */
	bool dry;
	char machine[512];
	struct recorded *lines;
	size_t count, room;
	int file;               /* descriptor; -1: nothing is written */
	bool warned;
};

/* Finds and makes the folder; ST_FILE when it cannot. */
enum status diary_folder(struct diary *diary);
/* A new file, for a session of these. */
enum status diary_begin(struct diary *diary, int n, bool dry, const char *machine);
/* The newest file there is: its lines and what its session was opened with. ST_FILE: there is none. It is written on. */
enum status diary_resume(struct diary *diary);
/* ST_FILE once, when the disk does not take it. */
enum status diary_add(struct diary *diary, const char *line, int64_t stop, int64_t stamp, const char *outside);
void diary_release(struct diary *diary);

#endif
