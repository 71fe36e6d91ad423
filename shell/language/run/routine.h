/* routine.h -- a coroutine: a function on a stack of its own, which can suspend in any callee
 *
 *     caller    resume ------+            +---- resume ------+            +---- continues
 *                            |            |                  |            |
 *     routine                +-- works ---+ suspend          +-- works ---+ suspend
 *
 * Exactly one of the stacks runs. Routines may resume other routines. */
#ifndef RANKSH_ROUTINE_H
#define RANKSH_ROUTINE_H

#include <stdbool.h>

struct routine;

/* body(self) begins with the first resume. */
struct routine *routine_make(void (*body)(void *self), void *self);
/* Runs to the next suspend (true), or to the end of `body` (false), after which it is not
 * called. */
bool routine_resume(struct routine *routine);
/* From within the routine: returns to the caller of resume, and continues when resumed again. */
void routine_suspend(struct routine *routine);
/* Requires that it has ended or not begun. NULL is allowed. */
void routine_free(struct routine *routine);

#endif
