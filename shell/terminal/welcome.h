/* welcome.h -- the first screen */
#ifndef RANKSH_WELCOME_H
#define RANKSH_WELCOME_H

#include "base/text.h"
#include <stdbool.h>

struct welcome {
	int n;               /* ranks */
	const char *device;  /* the GPUs' start line, "cuda: ..."; "": they are simulated, */
	const char *why;     /* ... and why (device_why) */
	const char *missing; /* what the driver that is there lacks; "" */
	const char *machine;
	int width;         /* of the terminal, in columns */
	bool wide, colour; /* arrows can be shown (UTF-8); escape codes */
};
void welcome_write(struct text *out, const struct welcome *welcome);

#endif
