/* characters.h -- a text as numbers: which characters it has, and for each character its place among them.
 *
 * A character is a Unicode code point; the vocabulary is sorted by code point, so that a text has the same
 * numbers everywhere. */
#ifndef RANKSH_CHARACTERS_H
#define RANKSH_CHARACTERS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct characters {
	int32_t *id; /* of each character of the text, 0 .. vocab-1; owned (mem_free) */
	int64_t count;
	int vocab;
};

/* name: the file's, for messages. ST_FILE when the bytes are none or no text (UTF-8 without NUL);
 * Empty on failure. */
enum status characters_make(struct characters *characters, const char *name, const char *bytes, size_t count);

#endif
