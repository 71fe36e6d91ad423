/* welcome.h -- the first screen */
#ifndef RANKSH_WELCOME_H
#define RANKSH_WELCOME_H

#include "base/text.h"
#include <stdbool.h>

/* n ranks, on the named machine; why it is simulated (device_why); width of the terminal in columns; wide: can it show arrows (UTF-8). */
void welcome_write(
        struct text *out, int n, const char *why, const char *machine, int width, bool wide, bool colour);

#endif
