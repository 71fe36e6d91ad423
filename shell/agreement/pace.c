/* pace.c -- virtual time tied to the wall clock, on rank 0 */
#include "shell/agreement/pace.h"
#include "shell/session/credit.h"
#include "shell/wire/io.h"

/* The rate was changed by a line, or a reset took virtual time back: both clocks begin anew. */
static void follow(struct pace *pace, const struct shell *shell)
{
	int64_t latest = shell->pace > 0 ? shell_clock(shell) : 0;
	if (pace->rate == shell->pace && (pace->rate == 0 || latest >= pace->virtual))
		return;
	*pace = (struct pace){.rate = shell->pace, .wall = wall_ns(), .virtual = latest};
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
