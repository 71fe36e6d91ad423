/* inside.h -- what the files of src/machine share. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_MACHINE_INSIDE_H
#define RANKSH_MACHINE_INSIDE_H

#include "machine/machine.h"

enum {
#define X(field, unit, key, about) MACHINE_KEY_##field,
	MACHINE_KEYS(X)
#undef X
	        MACHINE_KEY_COUNT
};
_Static_assert(MACHINE_KEY_COUNT <= 32, "struct machine has room for 32 sources");

int machine_key_find(const char *name); /* -1: no such key */

#endif
