/* routine.h -- a function on a stack of its own: it can stop in the middle of whatever it has called,
 * and go on there.
 *
 *     caller    resume ------+            +---- resume ------+            +---- goes on: it stopped
 *                            |            |                  |            |
 *     routine                +-- works ---+ suspend          +-- works ---+ suspend
 *
 * One thread, no parallelism: exactly one of the two stacks runs. Routines may resume other routines. */
#ifndef RANKSH_ROUTINE_H
#define RANKSH_ROUTINE_H

#include <stdbool.h>

struct routine;

/* Begins with the first resume: body(self). */
struct routine *routine_make(void (*body)(void *self), void *self);
/* Goes on to the next suspend (true), or to the end of `body` (false). Not from within the routine, not
 * after its end. */
bool routine_resume(struct routine *routine);
/* From within the routine: back to where it was resumed; returns when it is resumed again. */
void routine_suspend(struct routine *routine);
/* One that has ended or has not begun: what a suspended one holds on its stack would be lost. NULL is
 * allowed. */
void routine_free(struct routine *routine);

#endif
