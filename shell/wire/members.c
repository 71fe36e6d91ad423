/* members.c -- a struct's members as a JSON object's, by a table
 *
 *     MEMBER(request, cursor, INT, COMPLETE, 0)
 *
 *     written   in message COMPLETE: "cursor":17        read   from any message; 0 if absent */
#include "shell/wire/members.h"
#include "base/arithmetic.h"
#include "base/text.h"

#include <string.h>

void members_put(const struct member *table, size_t count, int kind, const void *from, cJSON *object)
{
	for (const struct member *row = table; row < table + count; row++) {
		const void *at = (const char *)from + row->offset;
		if (!(row->messages & MEMBER_OF(kind)))
			continue;
		if (row->kind == MEMBER_TEXT) {
			if (((const struct text *)at)->count)
				cJSON_AddStringToObject(object, row->key, text_string(at));
		} else if (row->kind == MEMBER_FLAG) {
			if (*(const bool *)at)
				cJSON_AddTrueToObject(object, row->key);
		} else {
			int64_t value = row->kind == MEMBER_INT ? *(const int *)at : *(const int64_t *)at;
			if (row->kind != MEMBER_OPTION || value != row->absent)
				cJSON_AddNumberToObject(object, row->key, (double)value);
		}
	}
}

const char *member_text(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

void members_get(const struct member *table, size_t count, const cJSON *object, void *to)
{
	for (const struct member *row = table; row < table + count; row++) {
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, row->key);
		void *at = (char *)to + row->offset;
		/* the sender may be any program: a double does not hold larger numbers exactly */
		bool whole = cJSON_IsNumber(item) && item->valuedouble > -9e15 && item->valuedouble < 9e15;
		int64_t value = whole ? (int64_t)item->valuedouble : row->absent;
		if (row->kind == MEMBER_TEXT)
			text_add(at, "%s", cJSON_IsString(item) ? item->valuestring : "");
		else if (row->kind == MEMBER_FLAG)
			*(bool *)at = cJSON_IsTrue(item);
		else if (row->kind == MEMBER_INT)
			*(int *)at = (int)least_of(most_of(value, row->absent), INT32_MAX);
		else
			*(int64_t *)at = value;
	}
}

void put_json_line(struct text *out, cJSON *object, const char *suffix)
{
	char *printed = cJSON_PrintUnformatted(object);
	text_add(out, "%s%s\n", printed, suffix);
	cJSON_free(printed);
	cJSON_Delete(object);
}

void members_release(const struct member *table, size_t count, void *from)
{
	for (const struct member *row = table; row < table + count; row++)
		if (row->kind == MEMBER_TEXT)
			text_release((struct text *)((char *)from + row->offset));
}
