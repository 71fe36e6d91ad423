/* routine.h -- a coroutine: a function on its own stack, which it or any callee can suspend
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

/* body(self) begins at the first resume. */
struct routine *routine_make(void (*body)(void *self), void *self);
/* Runs to the next suspend, and returns true; or to the end of `body`, and returns false. Do not
 * call it again after that. */
bool routine_resume(struct routine *routine);
/* From within the routine: returns to the caller of resume, and continues when resumed again. */
void routine_suspend(struct routine *routine);
/* Requires a routine that has ended or not begun. NULL is allowed. */
void routine_free(struct routine *routine);

#endif
