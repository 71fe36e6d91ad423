/* names.h -- texts as small integers, in order of first use */
#ifndef RANKSH_NAMES_H
#define RANKSH_NAMES_H

#include <stddef.h>

typedef int name_id; /* 0 is no name */
struct names;

struct names *names_create(void);
void names_free(struct names *names);
/* Returns the text's number; a new text gets the next one. */
name_id names_make(struct names *names, const char *text, size_t length);
name_id names_find(const struct names *names, const char *text, size_t length); /* 0: unknown */
/* Returns the table's copy, valid as long as the table. */
const char *names_keep(struct names *names, const char *text);
const char *names_text(const struct names *names, name_id id); /* "" for 0 */
int names_count(const struct names *names);                    /* ids are 1 .. count */
size_t names_bytes(const struct names *names);                 /* of all texts */

#endif
