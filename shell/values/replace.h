/* replace.h -- files of others stay: a line replaces a file that a line of its kind has written. For any other file it needs the
 * word `force`. */
#ifndef RANKSH_REPLACE_H
#define RANKSH_REPLACE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* By what an earlier output is recognized */
struct output_kind {
	const char *is;     /* "file of `plot`" */
	const char *begins; /* its first bytes; NULL: these do not tell */
	bool (*is_own)(const char *
	                path); /* or this: returns true if the regular file is one; NULL: there is no such check */
};

/* A file that a line is about to write. The texts are the caller's. */
struct output {
	const char *path;
	const struct output_kind *kind;
	const char *line; /* as it can be typed, without the word `force`: "plot loss \"my loss.svg\"" */
	bool force;
};

/* Looks on this process alone. Returns ST_OK if no file has this name, or one that is empty or of the kind; with force if it is any
 * regular file, or a link to one or to nothing. Fails with ST_FILE: words say what is there, and the line with `force` if that
 * would write. */
enum status may_replace(const struct output *output);
/* Returns true if the file has exactly these bytes. */
bool file_is(const char *path, const char *bytes, size_t count);

#endif
