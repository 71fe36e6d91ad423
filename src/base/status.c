/* status.c -- the message of a failure, one a thread, without control characters: it may contain
 * typed words, paths and file contents */
#include "base/status.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char words[4096];

enum status fail(enum status status, const char *format, ...)
{
	va_list arguments;
	char fresh[sizeof words];

	va_start(arguments, format);
	/* an argument may be the old message */
	vsnprintf(fresh, sizeof fresh, format, arguments);
	va_end(arguments);
	text_make_safe(fresh);
	memcpy(words, fresh, sizeof words);
	return status;
}

enum status fail_in(enum status status, const char *format, ...)
{
	va_list arguments;
	char where[256];

	va_start(arguments, format);
	vsnprintf(where, sizeof where, format, arguments);
	va_end(arguments);
	return fail(status, "%s: %s", where, words);
}

const char *fail_text(void)
{
	return words;
}

char *fail_copy(void)
{
	return mem_copy_text(words, strlen(words));
}

const char *status_name(enum status status)
{
	static const char *const names[] = {
#define X(symbol, name) name,
		STATUSES(X)
#undef X
	};
	return status < ST_COUNT ? names[status] : "unknown status";
}

int status_exit(enum status status)
{
	switch (status) {
	case ST_OK:
	case ST_QUIT:
		return 0;
	case ST_EXPECT:
		return 1;
	case ST_STUCK:
		return 3;
	case ST_INTERRUPTED:
	case ST_MPI:
	case ST_BUG:
		return 4;
	default:
		return 2;
	}
}
