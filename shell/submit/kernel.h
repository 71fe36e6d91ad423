/* kernel.h -- the line of a kernel */
#ifndef RANKSH_SUBMIT_KERNEL_H
#define RANKSH_SUBMIT_KERNEL_H

#include "shell/language/run/command.h"

enum status kernel_run(struct shell *shell, struct call *call);

#endif
