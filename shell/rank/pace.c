/* pace.c -- ties virtual time to the wall clock, on rank 0
 *
 *     wall      w0 ----------------- now               rate: wall seconds a virtual millisecond
 *     virtual   v0 ------ v0 + (now - w0) / rate       the stamp for a line typed now
 *
 * After a line, the reply waits until the wall clock reaches the hosts' latest clock. */
#include "shell/rank/pace.h"
#include "shell/wire/io.h"

/* Restarts both clocks after a line changed the rate, or a reset moved virtual time back. */
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
