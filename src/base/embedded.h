/* embedded.h -- files carried in the binary, by their path in the repository */
#ifndef RANKSH_EMBEDDED_H
#define RANKSH_EMBEDDED_H

#include <stddef.h>

struct embedded {
	const char *path;
	const char *bytes;
	size_t count;
};
extern const struct embedded embedded_files[]; /* ended by a NULL path; made by tools/embed */

/* Returns the file whose path is FOLDER NAME ENDING, joined and cut at 127 bytes; NULL if there is
 * none. `folder` ends with "/". */
const struct embedded *embedded_find(const char *folder, const char *name, const char *ending);
/* Returns the i-th NAME in the folder, not in subfolders, whose path contains `ending`; NULL after
 * the last. The name ends before the first `ending` in its path, is cut at 63 bytes, and is valid
 * until this thread's next call. */
const char *embedded_name(const char *folder, int i, const char *ending);

#endif
