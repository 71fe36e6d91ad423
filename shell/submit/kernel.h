/* kernel.h -- the line of a kernel */
#ifndef RANKSH_SUBMIT_KERNEL_H
#define RANKSH_SUBMIT_KERNEL_H

#include "shell/language/run/command.h"

/* A time wants its unit, as a bare number has none that all would guess; 0 is 0 in any. The bound keeps sums of
 * times far from the end of 63 bits of nanoseconds. ST_UNIT, ST_RANGE */
enum status duration_check(const char *title, struct number number);
enum status kernel_run(struct call *call);

#endif
