/* members.h -- a struct's members as a JSON object's, each by one row of a table */
#ifndef RANKSH_WIRE_MEMBERS_H
#define RANKSH_WIRE_MEMBERS_H

#include <stddef.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "base/text.h"

/* TEXT: a struct text, FLAG: a bool; written unless empty or false. INT: an int, clamped when
 * read. LONG: an int64_t. OPTION: an int64_t, written unless it equals `absent`. */
enum member_kind { MEMBER_TEXT, MEMBER_FLAG, MEMBER_INT, MEMBER_LONG, MEMBER_OPTION };
struct member {
	const char *key;
	enum member_kind kind;
	unsigned messages; /* MEMBER_OF(kind) of each message, or'ed */
	size_t offset;
	int64_t absent; /* the value if absent; also an INT's minimum */
};
/* A row whose key is the field name */
#define MEMBER(type, name, kind, messages, absent)                                  \
	{                                                                           \
#name, MEMBER_##kind, messages, offsetof(struct type, name), absent \
	}
#define MEMBER_OF(message) (1u << (message))
#define MEMBER_OF_ALL (~0u)

/* Adds the members of message `kind` to the object. Virtual times beyond 2^53 ns (104 days) lose
 * digits. */
void members_put(const struct member *table, size_t count, int kind, const void *from, cJSON *object);
/* Reads all rows, for any message. Texts are appended. A NULL object has no members. */
void members_get(const struct member *table, size_t count, const cJSON *object, void *to);
/* Appends the object, `suffix` and a newline. Frees the object. */
void put_json_line(struct text *out, cJSON *object, const char *suffix);
void members_release(const struct member *table, size_t count, void *from);
/* Returns the object's text for this key, owned by the object; NULL if there is none. */
const char *member_text(const cJSON *object, const char *key);

#endif
