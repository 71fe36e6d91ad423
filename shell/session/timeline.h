/* timeline.h -- the timeline as text */
#ifndef RANKSH_TIMELINE_H
#define RANKSH_TIMELINE_H

#include "shell/session/shell.h"
#include "trace/trace.h"

/* Shows the lanes, ranks and time window of `what`, or a line that says it is empty. */
enum status timeline_draw(
        struct shell *shell, const struct trace *trace, const struct timeline_options *what);
/* After a prompt line: shows the current section, if `timeline on` is set. */
void timeline_strip(struct shell *shell);

/* Finds the last section of that name. Section 0, before the first mark, has no name. Fails with
 * ST_NAME, and suggests the nearest mark. */
enum status section_find(const struct shell *shell, const char *name, int *section);

#endif
