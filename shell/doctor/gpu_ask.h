/* gpu_ask.h -- what a child process finds of GPUs */
#ifndef RANKSH_DOCTOR_GPU_ASK_H
#define RANKSH_DOCTOR_GPU_ASK_H

#include "shell/session/device.h"

#include <stdbool.h>

enum { GPU_LIMIT_MS = 30000 };
struct gpu_answer {
	bool valid; /* `found` is */
	bool hung;  /* no answer within the limit */
	int signal; /* the child died of it, unless it answered; 0: it did not */
	struct device_findings found;
};
void gpu_ask(struct gpu_answer *answer);

#endif
