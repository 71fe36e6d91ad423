/* welcome.h -- the first screen */
#ifndef RANKSH_WELCOME_H
#define RANKSH_WELCOME_H

#include "base/text.h"
#include <stdbool.h>

struct welcome {
	int n;               /* ranks */
	const char *device;  /* the GPUs, "cuda: ..."; "": simulated, */
	const char *why;     /* for this reason (device_why) */
	const char *missing; /* what an existing driver lacks; "" */
	const char *machine;
	int width;         /* terminal columns */
	bool wide, colour; /* UTF-8; escape codes */
};
void welcome_write(struct text *out, const struct welcome *welcome);

#endif
