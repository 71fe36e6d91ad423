/* verdict.h -- what verify makes of the differences, and says
 *
 *     as one rank     all tensors are within the limit
 *     differs         one is not, or something is no number
 *     none            nothing can be told: nothing was trained, or ranks have left out other steps than one rank
 *     loses           the strategy leaves something out on purpose (`# loses`, head.h), and its difference has a size
 *
 * A script fails but for the first and the last. */
#ifndef RANKSH_VERDICT_H
#define RANKSH_VERDICT_H

#include "shell/training/verify.h"

enum verdict { VERDICT_AS_ONE, VERDICT_DIFFERS, VERDICT_NONE, VERDICT_LOSES };
/* How far computations of one rank are apart that round differently */
struct rounding {
	double worst; /* 0: not asked for */
	double loss;  /* of the loss, as loss_share */
	bool scaled;  /* factors on the gradients were tried as well as parts of the batch */
};
struct comparison {
	double *share; /* by item: the difference, of what training has changed; INFINITY: it has no size */
	double limit;
	struct rounding rounding;
	double furthest;   /* no limit is above it */
	int times;         /* so many times as far as `rounding` is right as well */
	int worst, wrong;  /* an item's number; how many are beyond the limit */
	bool lost;         /* something is no number */
	double loss;       /* of the ranks; NAN: they have none */
	double loss_limit; /* of its loss_share */
	bool loss_wrong;
	const char *loses; /* why the program cannot agree with one rank; NULL: it ought to */
};
/* By a dynamic loss scale the ranks have left out other steps than the one rank */
bool verdict_other_steps(const struct alone *alone, const struct difference *d);
enum verdict verdict_of(const struct alone *alone, const struct difference *d, const struct comparison *v);
/* The table of tensors, and what follows from it */
void verdict_say(struct shell *shell, const struct alone *alone, const struct difference *d,
        const struct comparison *v);

#endif
