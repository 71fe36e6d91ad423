/* pace.c -- virtual time tied to the wall clock, on rank 0
 *
 *     wall      w0 ----------------- now               rate: wall seconds a virtual millisecond
 *     virtual   v0 ------ v0 + (now - w0) / rate       the stamp of a line that is typed now
 *
 * After a line the other way round: the hosts' latest clock as a time of the wall, which the reply waits for. */
#include "shell/rank/pace.h"
#include "shell/wire/io.h"

/* The rate was changed by a line, or a reset took virtual time back: both clocks begin anew. */
static void follow(struct pace *pace, const struct shell *shell)
{
	int64_t latest = shell->lasting.pace > 0 ? shell_clock(shell) : 0;
	if (pace->rate == shell->lasting.pace && (pace->rate == 0 || latest >= pace->virtual))
		return;
	*pace = (struct pace){.rate = shell->lasting.pace, .wall = wall_ns(), .virtual = latest};
}

int64_t pace_stamp(struct pace *pace, const struct shell *shell)
{
	follow(pace, shell);
	if (pace->rate <= 0)
		return -1;
	return pace->virtual + (int64_t)((double)(wall_ns() - pace->wall) / (pace->rate * 1e9) * 1e6);
}

int64_t pace_left(struct pace *pace, const struct shell *shell)
{
	follow(pace, shell);
	if (pace->rate <= 0)
		return 0;
	double ahead = (double)(shell_clock(shell) - pace->virtual) / 1e6 * pace->rate * 1e9;
	int64_t left = pace->wall + (int64_t)ahead - wall_ns();
	return left > 0 ? left : 0;
}
