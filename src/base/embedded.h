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

/* Returns the file FOLDER NAME ENDING, joined; NULL if there is none. */
const struct embedded *embedded_find(const char *folder, const char *name, const char *ending);
/* Returns the i-th NAME in the folder with that ending, not in subfolders, valid until the next
 * call; NULL after the last. */
const char *embedded_name(const char *folder, int i, const char *ending);

#endif
