/* patience.h -- a wait with a limit. After a second a terminal shows the seconds; without one, a
 * line after four seconds says what is waited for. */
#ifndef RANKSH_DOCTOR_PATIENCE_H
#define RANKSH_DOCTOR_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

struct patience {
	const char *doing; /* "starting 2 ranks" */
	int64_t began_ns;
	int limit_ms;
	bool terminal, shown;
};
enum { PATIENCE_TICK_MS = 100 }; /* how often to call patience_left */

struct patience patience_begin(const char *doing, int limit_ms);
/* Returns false after the limit. */
bool patience_left(struct patience *patience);
/* Clears the line, and returns the milliseconds since the begin. */
int64_t patience_end(const struct patience *patience);

#endif
