/* note.h -- notes and warnings */
#ifndef RANKSH_NOTE_H
#define RANKSH_NOTE_H

#include "shell/session/shell.h"

/* Shows a note, "   text            [0-3]": wrapped, after three blanks, its ranks at the
 * right. */
void shell_note(struct shell *shell, const struct ranks *set, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
/* Reports new races, uninitialized reads and doubtful orders, after a prompt line or a script. */
void warn_new(struct shell *shell);

#endif
