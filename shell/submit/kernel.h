/* kernel.h -- a kernel's line */
#ifndef RANKSH_SUBMIT_KERNEL_H
#define RANKSH_SUBMIT_KERNEL_H

#include "shell/language/run/command.h"

/* A time needs its unit, except 0. The bound keeps sums of times within 63 bits of nanoseconds.
 * ST_UNIT, ST_RANGE */
enum status duration_check(const char *title, struct number number);
enum status kernel_run(struct call *call);

#endif
