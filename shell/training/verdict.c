/* verdict.c -- the verdict of verify, and its message */
#include "shell/training/verify.h"
#include "shell/session/shell.h"
#include "shell/training/program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns `scaler`: factor, good steps since, steps taken (parameters.rsh); NULL if the loss scale
 * is constant. */
static const struct whole *scaler_of(const struct alone *alone)
{
	const struct whole *scaler = whole_of(alone, "scaler", "");
	return scaler && whole_count(scaler) == 3 ? scaler : NULL;
}

/* Ranks that skipped the same steps have equal factors and counts. */
bool verdict_other_steps(const struct alone *alone, const struct difference *d)
{
	const struct whole *scaler = scaler_of(alone);
	return scaler && d[scaler - alone->whole].most > 0;
}

/* true: training changed no parameter, on one rank or on the ranks */
struct untrained {
	bool alone, ranks;
};
static struct untrained untrained_of(const struct alone *alone, const struct difference *d)
{
	struct untrained same = {true, true};
	for (int i = 0; i < alone->count; i++) {
		const struct whole *whole = &alone->whole[i];
		size_t bytes = (size_t)whole_count(whole) * sizeof *alone->end;
		if (whole == scaler_of(alone) || *whole->state)
			continue;
		same.ranks = same.ranks && !d[i].moved;
		same.alone = same.alone &&
		        memcmp(alone->end + whole->first, alone->begin + whole->first, bytes) == 0;
	}
	return same;
}

enum verdict verdict_of(const struct alone *alone, const struct difference *d, const struct comparison *v)
{
	struct untrained same = untrained_of(alone, d);
	if (v->lost)
		return VERDICT_DIFFERS;
	if (!v->wrong && (same.alone || !v->loss_wrong))
		return same.alone ? VERDICT_NONE : VERDICT_AS_ONE;
	if (v->loses)
		return same.alone || same.ranks ? VERDICT_NONE : VERDICT_LOSES;
	return verdict_other_steps(alone, d) ? VERDICT_NONE : VERDICT_DIFFERS;
}

enum { TITLE_ROOM = 80 };

/* "w1", "w1's m" */
static const char *whole_title(const struct whole *whole, char title[TITLE_ROOM])
{
	snprintf(title, TITLE_ROOM, "%s%s%s", whole->name, *whole->state ? "'s " : "", whole->state);
	return title;
}

static void verdict_say_table(struct shell *shell, const struct alone *alone, const struct difference *d,
        const struct comparison *v)
{
	out_say(shell->out, "   %-23s    its change    its max\n", "difference relative to");
	for (int i = 0; i < alone->count; i++) {
		const struct whole *whole = &alone->whole[i];
		char shape[48], title[TITLE_ROOM], share[16];
		bool off = !(v->share[i] <= v->limit);
		if (*whole->state && !off) /* list optimizer state only if it differs */
			continue;
		double largest = 0;
		for (int64_t k = 0; k < whole_count(whole); k++)
			largest = fmax(largest, fabs(alone->end[whole->first + k]));
		snprintf(shape, sizeof shape, "[%lld,%lld]", (long long)whole->rows, (long long)whole->cols);
		snprintf(share, sizeof share, "%.2g", v->share[i]);
		const char *of_change = isfinite(v->share[i]) ? share
		        : d[i].wrong                          ? "not finite"
		                                              : "unchanged";
		out_say(shell->out, "   %-10s %-12s %13s   %8.2g%s\n", whole_title(whole, title), shape,
		        of_change, d[i].most == 0 ? 0 : d[i].most / largest, off ? "   off" : "");
	}
}

static void verdict_say_limit(struct shell *shell, const struct alone *alone, const struct comparison *v)
{
	char title[TITLE_ROOM];
	const char *where = whole_title(&alone->whole[v->worst], title);
	double most = v->share[v->worst];
	char amount[40] = ""; /* empty if not finite */
	if (isfinite(most))
		snprintf(amount, sizeof amount, "is %.2g, ", most);
	if (v->wrong)
		out_say(shell->out, "%d of %d tensors by more than %.2g of their change; the most %sin %s\n",
		        v->wrong, alone->count, v->limit, amount, where);
	else if (most <= 0)
		out_say(shell->out, "no difference beyond the parameters' rounding\n");
	else
		out_say(shell->out, "largest difference %.2g of a tensor's change, in %s (%.2g is allowed)\n",
		        most, where, v->limit);
}

static void verdict_say_none(struct shell *shell, const struct alone *alone, const struct difference *d)
{
	const struct whole *scaler = scaler_of(alone);
	struct untrained same = untrained_of(alone, d);
	int left_out = scaler ? alone->iterations - (int)alone->end[scaler->first + 2] : 0;
	const char *times = alone->iterations == 1 ? "" : "s";
	out_say(shell->out, "   %s%s%s: ", STYLED(shell->out, COLOUR_BAD, "no verdict"));
	if (verdict_other_steps(alone, d))
		out_say(shell->out,
		        "loss_scale=dynamic skipped %d of %d step%s on one rank, and other steps on ranks "
		        "with a part of the batch; try a lower init_scale=, at which nothing overflows\n",
		        left_out, alone->iterations, times);
	else if (scaler && left_out == alone->iterations)
		out_say(shell->out,
		        "nothing was trained yet: the loss scale skipped every step so far (%d); try a lower "
		        "init_scale=, or more iterations\n",
		        left_out);
	else
		out_say(shell->out,
		        "nothing was trained: after %d iteration%s all parameters %sare unchanged\n",
		        alone->iterations, times,
		        same.alone && same.ranks ? ""
		                : same.alone     ? "of one rank "
		                                 : "of the ranks ");
}

/* If the ranks trained nothing, the relative difference is 1. */
static void verdict_say_loses(struct shell *shell, const struct alone *alone, const struct difference *d,
        const struct comparison *v)
{
	char title[TITLE_ROOM];
	/* of the parameters with a finite difference: one rank may leave an expert unchanged */
	int most = -1;
	for (int i = 0; i < alone->count; i++) {
		if (*alone->whole[i].state || &alone->whole[i] == scaler_of(alone))
			continue;
		if (most < 0 ||
		        (isfinite(v->share[i]) &&
		                (!isfinite(v->share[most]) || v->share[i] > v->share[most])))
			most = i;
	}
	most = most < 0 ? v->worst : most;
	out_say(shell->out, "   other numbers than one rank's are expected: %s\n", v->loses);
	if (verdict_other_steps(alone, d))
		out_say(shell->out, "   and loss_scale=dynamic skipped other steps than on one rank\n");
	out_say(shell->out,
	        "   after %d iteration%s the largest difference is %.2g of a parameter's change, in %s "
	        "(unchanged parameters: 1)\n",
	        alone->iterations, alone->iterations == 1 ? "" : "s", v->share[most],
	        whole_title(&alone->whole[most], title));
}

static void verdict_say_rounding(struct shell *shell, const struct alone *alone, const struct comparison *v)
{
	bool factor = alone_by_factor(alone);
	const char *how = !factor ? alone->half ? "in f32, or its batch in parts"
	                : v->rounding.scaled    ? "its batch in parts, also with a factor on its gradients"
	                                        : "its batch in parts"
	        : alone->half     ? "in f32"
	                          : "all its gradients with a factor";
	if (v->lost)
		out_say(shell->out, "   something is not a number%s\n",
		        !alone->half               ? ""
		                : scaler_of(alone) ? ": f16 ends at 65504, and init_scale= may be too large"
		                                   : ": f16 ends at 65504, and loss_scale= may be too large");
	else if (!isfinite(v->rounding.worst))
		out_say(shell->out,
		        "   one rank with other rounding (%s) changes parameters that this one "
		        "does not\n",
		        how);
	else if (v->wrong && v->times * v->rounding.worst > v->furthest)
		out_say(shell->out,
		        "   but one rank with other rounding (%s) differs by %.2g too: rounding errors have "
		        "grown too far, verify after fewer iterations\n",
		        how, v->rounding.worst);
	else if (v->wrong && v->rounding.worst == 0 && factor && scaler_of(alone))
		out_say(shell->out,
		        "   the effect of rounding alone is not known with loss_scale=dynamic; "
		        "`loss_scale=1` shows it\n");
	else if (v->wrong && v->rounding.worst == 0 && program_is_script(alone->program))
		out_say(shell->out,
		        "   the effect of rounding alone is not known: the script has no `option %s` to "
		        "change one rank's rounding\n",
		        alone->half ? "dtype" : "loss_scale");
	else if (v->rounding.worst > 0)
		out_say(shell->out, "   one rank with other rounding (%s) differs by %.2g\n", how,
		        v->rounding.worst);
}

void verdict_say(struct shell *shell, const struct alone *alone, const struct difference *d,
        const struct comparison *v)
{
	enum verdict verdict = verdict_of(alone, d, v);
	verdict_say_table(shell, alone, d, v);
	if (verdict == VERDICT_NONE)
		verdict_say_none(shell, alone, d);
	else if (verdict == VERDICT_LOSES)
		verdict_say_loses(shell, alone, d, v);
	else {
		if (verdict == VERDICT_DIFFERS)
			out_say(shell->out, "   %s%s%s from one rank",
			        STYLED(shell->out, COLOUR_BAD, "differs"));
		else
			out_say(shell->out, "   %s%s%s", STYLED(shell->out, COLOUR_GOOD, "as one rank"));
		out_say(shell->out, " after %d iteration%s: ", alone->iterations,
		        alone->iterations == 1 ? "" : "s");
		if (v->loss_wrong && !v->wrong) /* else it follows from the tensors */
			out_say(shell->out, "the loss is %.6g, and %.6g on one rank; all tensors agree\n",
			        v->loss, alone->loss);
		else {
			verdict_say_limit(shell, alone, v);
			verdict_say_rounding(shell, alone, v);
		}
	}
}
