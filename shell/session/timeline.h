/* timeline.h -- the timeline as text, by the command and after each line */
#ifndef RANKSH_TIMELINE_H
#define RANKSH_TIMELINE_H

#include "shell/session/shell.h"
#include "trace/trace.h"

/* what: the window, ranks and lanes; the rest is as the session's output is. A window in which nothing is says so. */
enum status timeline_draw(
        struct shell *shell, const struct trace *trace, const struct timeline_options *what);
/* After a line of the prompt when `timeline on`: the current section's. */
void timeline_strip(struct shell *shell);

/* The last section marked with that name: a loop that marks "step" again and again means the latest.
 * ST_NAME with the nearest mark, at most two letters away. Section 0, before the first mark, has no name. */
enum status section_find(const struct shell *shell, const char *name, int *section);

#endif
