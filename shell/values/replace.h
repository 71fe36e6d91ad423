/* replace.h -- a line may replace a file written by such a line; other files need `force` */
#ifndef RANKSH_REPLACE_H
#define RANKSH_REPLACE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Recognizes an earlier output */
struct output_kind {
	const char *is;     /* "file of `plot`" */
	const char *begins; /* its first bytes; NULL: no such check */
	/* or returns true for such a regular file; may be NULL */
	bool (*is_own)(const char *path);
};

/* A file to be written; texts borrowed */
struct output {
	const char *path;
	const struct output_kind *kind;
	const char *line; /* without `force`: "plot loss \"my loss.svg\"" */
	bool force;
};

/* Checks on this process alone. Returns ST_OK if the file is missing, empty or of this kind; with
 * force also for any regular file, and for a link to one or to nothing. ST_FILE names the
 * obstacle, and the line with `force` if that helps. */
enum status may_replace(const struct output *output);
/* Returns true if the file has exactly these bytes. */
bool file_is(const char *path, const char *bytes, size_t count);

#endif
