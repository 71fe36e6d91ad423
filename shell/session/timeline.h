/* timeline.h -- the timeline as text */
#ifndef RANKSH_TIMELINE_H
#define RANKSH_TIMELINE_H

#include "shell/session/shell.h"
#include "trace/trace.h"

/* Draws what->window, ranks and lanes, or says that it is empty. */
enum status timeline_draw(
        struct shell *shell, const struct trace *trace, const struct timeline_options *what);
/* After a prompt line: the current section, if `timeline on`. */
void timeline_strip(struct shell *shell);

/* Finds the last section of that name. ST_NAME suggests the nearest mark. Section 0, before the
 * first mark, has no name. */
enum status section_find(const struct shell *shell, const char *name, int *section);

#endif
