/* embedded.h -- files carried in the binary: machines/, lessons/ and others, by their path in the repository */
#ifndef RANKSH_EMBEDDED_H
#define RANKSH_EMBEDDED_H

#include <stddef.h>

struct embedded {
	const char *path;
	const char *bytes;
	size_t count;
};
extern const struct embedded embedded_files[]; /* ended by a NULL path; made by tools/embed */

#endif
