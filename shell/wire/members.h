/* members.h -- a struct's members as those of a JSON object, by a table: one row for a member, read and
 * written by the same row. Which messages have it stands in the row too. */
#ifndef RANKSH_WIRE_MEMBERS_H
#define RANKSH_WIRE_MEMBERS_H

#include <stddef.h>
#include <stdint.h>
#include <cjson/cJSON.h>

/* TEXT: a struct text, FLAG: a bool; neither is written when it is empty or false. INT: an int, made to
 * fit where it is read. LONG: an int64_t. OPTION: an int64_t that is not written when it is `absent`. */
enum member_kind { MEMBER_TEXT, MEMBER_FLAG, MEMBER_INT, MEMBER_LONG, MEMBER_OPTION };
struct member {
	const char *key;
	enum member_kind kind;
	unsigned messages; /* MEMBER_OF(kind) of each message that has it, or'ed */
	size_t offset;     /* in the struct */
	int64_t absent;    /* what is read where there is none; an INT's least value too */
};
/* The row of a member that is called as its field is */
#define MEMBER(type, name, kind, messages, absent)                                  \
	{                                                                           \
#name, MEMBER_##kind, messages, offsetof(struct type, name), absent \
	}
#define MEMBER_OF(message) (1u << (message))
#define MEMBER_OF_ALL (~0u)

/* Adds to `object` what message `kind` has of `from`. Virtual times beyond 2^53 ns (104 days) lose digits. */
void members_put(const struct member *table, size_t count, int kind, const void *from, cJSON *object);
/* All rows, whatever the message is; texts in `to` are added to. object NULL: nothing is there. */
void members_get(const struct member *table, size_t count, const cJSON *object, void *to);
/* The text of a member; NULL: it has none. */
const char *member_text(const cJSON *object, const char *key);

#endif
