/* note.h -- what a line has to say about ranks */
#ifndef RANKSH_NOTE_H
#define RANKSH_NOTE_H

#include "shell/session/shell.h"

/* "   text            [0-3]": three blanks, the ranks at the right edge; wrapped. */
void shell_note(struct shell *shell, const struct ranks *set, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

#endif
