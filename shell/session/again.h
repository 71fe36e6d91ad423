/* again.h -- what is told of a line of the log that has run again, in this world or by new ranks, and was not what it
 * was */
#ifndef RANKSH_SESSION_AGAIN_H
#define RANKSH_SESSION_AGAIN_H

#include "base/text.h"
#include <stdbool.h>

/* A line as an entry of the log has it: session/journal.h */
struct told_line {
	const char *line, *outside;
	bool refused;
	const char *differs; /* of one that has run again: sentences of steering.h, each with a newline */
};
/* It is refused, and was not: with the words of the refusal. Else each file that it has read both times, and that is
 * another one now, unless `out` tells of that file already; and each value that is not what it was. One line each, behind `indent`; nothing where all is as it
 * was. */
void again_tell(const struct told_line *then, const struct told_line *now, const char *words,
        const char *indent, struct text *out);

#endif
