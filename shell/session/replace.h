/* replace.h -- files of others stay: a line replaces a file that a line of its kind has written. Over any other file it wants
 * the word `force`. */
#ifndef RANKSH_REPLACE_H
#define RANKSH_REPLACE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* By what an earlier output is recognized */
struct output_kind {
	const char *is;                   /* "file of `plot`" */
	const char *begins;               /* its first bytes; NULL: they tell nothing */
	bool (*is_own)(const char *path); /* or this: true of a regular file that is one; NULL */
};

/* A file that a line is about to write. The texts are the caller's. */
struct output {
	const char *path;
	const struct output_kind *kind;
	bool force;
	const char
	        *line; /* the line as it can be typed, up to the word `force`: "plot loss \"my loss.svg\"" */
};

/* On this process alone. ST_OK: no file has this name, or an empty one, or one of the kind; with force any regular file, and
 * a link. ST_FILE names what is there, and the line with `force`, if that would write. */
enum status may_replace(const struct output *output);
/* Returns true if the file has exactly these bytes. */
bool file_is(const char *path, const char *bytes, size_t count);

#endif
