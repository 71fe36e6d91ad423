/* note.h -- notes and warnings */
#ifndef RANKSH_NOTE_H
#define RANKSH_NOTE_H

#include "shell/session/shell.h"

/* Says "   text            [0-3]", wrapped: three blanks, the ranks at the right edge. */
void shell_note(struct shell *shell, const struct ranks *set, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
/* Reports new races, unwritten reads and doubtful orders, after a prompt line or script. */
void warn_new(struct shell *shell);

#endif
