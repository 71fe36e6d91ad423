/* crash.h -- a fatal signal leaves the terminal as it was */
#ifndef RANKSH_CRASH_H
#define RANKSH_CRASH_H

#include <stdbool.h>

/* Saves the modes of the terminal at descriptor 0, which nothing has changed yet. From then on SIGSEGV, SIGFPE, SIGABRT, SIGBUS
 * and SIGILL put them back, and the process dies of the same signal. */
void crash_start(void);
/* on: the whole screen is being painted on, so a fatal signal also leaves it. */
void crash_whole_screen(bool on);

#endif
