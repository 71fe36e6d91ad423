/* patience.c -- shows on standard error how long a check waits */
#include "shell/doctor/patience.h"
#include "shell/wire/io.h"

#include <stdio.h>
#include <unistd.h>

enum { TERMINAL_MS = 1000, PIPE_MS = 4000 };

static int64_t patience_ms(const struct patience *patience)
{
	return (wall_ns() - patience->began_ns) / 1000000;
}

struct patience patience_begin(const char *doing, int limit_ms)
{
	return (struct patience){
	        .doing = doing, .began_ns = wall_ns(), .limit_ms = limit_ms, .terminal = isatty(2)};
}

bool patience_left(struct patience *patience)
{
	int64_t ms = patience_ms(patience);
	if (patience->terminal && ms > TERMINAL_MS)
		fprintf(stderr, "\r   %s  %lld s of %d", patience->doing, (long long)ms / 1000,
		        patience->limit_ms / 1000);
	else if (!patience->shown && ms > PIPE_MS)
		fprintf(stderr, "%s, for at most %d s\n", patience->doing, patience->limit_ms / 1000);
	patience->shown = ms > (patience->terminal ? TERMINAL_MS : PIPE_MS);
	return ms < patience->limit_ms;
}

int64_t patience_end(const struct patience *patience)
{
	if (patience->terminal && patience->shown)
		fputs("\r\033[K", stderr);
	return patience_ms(patience);
}
