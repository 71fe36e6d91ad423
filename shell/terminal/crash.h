/* crash.h -- restores the terminal when a fatal signal ends the process */
#ifndef RANKSH_CRASH_H
#define RANKSH_CRASH_H

#include <stdbool.h>

/* Saves the modes of the terminal at descriptor 0, still unchanged. From then on SIGSEGV, SIGFPE,
 * SIGABRT, SIGBUS and SIGILL restore them, and the process dies from the same signal. */
void crash_start(void);
/* on: the process paints the whole screen, so a fatal signal also leaves that. */
void crash_whole_screen(bool on);

#endif
