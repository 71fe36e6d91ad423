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
/* Appends a line, after `indent`, for each difference: changed values; then the message `words` of
 * a refusal that is new, or else the changed files that were read both times and that `out` does
 * not name yet. */
void again_tell(const struct told_line *then, const struct told_line *now, const char *words,
        const char *indent, struct text *out);

#endif
