/* verdict.h -- verify's verdict on the differences, and its words
 *
 *     as one rank     all tensors are within the limit
 *     differs         one is not, or has NaN or infinity
 *     none            nothing was trained, or ranks skipped other steps than one rank
 *     loses           the strategy is lossy (`# loses`, head.h), and the difference is finite
 *
 * A script fails unless the verdict is the first or the last. */
#ifndef RANKSH_VERDICT_H
#define RANKSH_VERDICT_H

#include "shell/training/verify.h"

enum verdict { VERDICT_AS_ONE, VERDICT_DIFFERS, VERDICT_NONE, VERDICT_LOSES };
/* The distance of one rank's computations that round differently */
struct rounding {
	double worst; /* 0: not measured */
	double loss;  /* as loss_share */
	bool scaled;  /* factors on the gradients were tried, too */
};
struct comparison {
	double *share; /* by item: relative to the change by training; INFINITY: not finite */
	double limit;
	struct rounding rounding;
	double furthest;   /* bound of all limits */
	int times;         /* accepted multiple of `rounding` */
	int worst, wrong;  /* an item's number; items beyond the limit */
	bool lost;         /* NaN or infinity */
	double loss;       /* of the ranks; NAN: none */
	double loss_limit; /* of its loss_share */
	bool loss_wrong;
	const char *loses; /* why the program cannot agree with one rank; NULL: it should */
};
/* Returns true if a dynamic loss scale made the ranks skip other steps than one rank. */
bool verdict_other_steps(const struct alone *alone, const struct difference *d);
enum verdict verdict_of(const struct alone *alone, const struct difference *d, const struct comparison *v);
/* Prints the table of tensors and the verdict. */
void verdict_say(struct shell *shell, const struct alone *alone, const struct difference *d,
        const struct comparison *v);

#endif
