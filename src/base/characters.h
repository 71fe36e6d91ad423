/* characters.h -- a text as numbers: its vocabulary, and the place of each character in it
 *
 * A character is a Unicode code point. The vocabulary is sorted, so that ids are the same
 * everywhere. */
#ifndef RANKSH_CHARACTERS_H
#define RANKSH_CHARACTERS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct characters {
	int32_t *id; /* by character, 0 .. vocab-1; owned (mem_free) */
	int64_t count;
	int vocab;
};

/* Fails with ST_FILE if there are no bytes, or if they are not UTF-8 without NUL; *characters is
 * then empty. name: the file's, for messages. */
enum status characters_make(struct characters *characters, const char *name, const char *bytes, size_t count);

#endif
