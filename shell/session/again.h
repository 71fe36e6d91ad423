/* again.h -- how a replayed log line differs from its entry */
#ifndef RANKSH_SESSION_AGAIN_H
#define RANKSH_SESSION_AGAIN_H

#include "base/text.h"
#include <stdbool.h>

struct told_line {
	const char *line, *outside;
	bool refused;
	const char *differs; /* of steering.h, after a replay */
};
/* Appends a line after `indent` for each difference: changed values; a new refusal with its words,
 * or else changed files, read both times, that `out` does not mention yet. */
void again_tell(const struct told_line *then, const struct told_line *now, const char *words,
        const char *indent, struct text *out);

#endif
