/* verify.h -- parts of verify: the model trained on one rank (alone.c), the comparison (compare.c)
 *
 * verify compares the parameters and optimizer state that `part` lines declare. The lines of the
 * model's file alone, on one rank, determine the whole set.
 *
 * The measure. Gradients agree up to rounding only, so a difference is relative to the change by
 * training, tensor by tensor: |w - w'| / |w' - begin|, norms over all elements. Two corrections:
 *     - Adam divides by the root of v: rounding of a gradient near zero becomes a full step. Each
 *       element is multiplied by that root again (`weight`, the smallest of all iterations).
 *     - The rounding of the parameter itself, in every step, is subtracted.
 * Adam is scale-invariant: a constant factor on all gradients shows in m and v only. */
#ifndef RANKSH_VERIFY_H
#define RANKSH_VERIFY_H

#include "shell/training/program.h"
#include "shell/training/training.h"

/* A parameter, or a state of one, whole */
struct whole {
	char name[48];
	char state[16];            /* "": the parameter itself */
	int64_t rows, cols, first; /* first: its first element in the arrays */
};
struct alone {
	const struct program *program;
	int iterations;
	int parts; /* number of parts in which the batch must be trained; 0: any */
	struct whole *whole;
	int count;
	size_t elements;
	bool half;    /* computes in a half type */
	float *end;   /* [elements] after the iterations; of state v the square root */
	float *begin; /* [elements] before them */
	/* [elements] factor of a difference: the least divisor of Adam's steps; else 1 */
	float *weight;
	double loss;      /* after the iterations; NAN: none */
	double loss_most; /* largest magnitude after any iteration */
};
static inline int64_t whole_count(const struct whole *whole)
{
	return whole->rows * whole->cols;
}
/* Returns true for fixed parts and scripts, whose rounding only a factor on gradients changes. */
static inline bool alone_by_factor(const struct alone *alone)
{
	return alone->parts || program_is_script(alone->program);
}
/* Returns NULL if there is none. */
const struct whole *whole_find(const struct whole *whole, int count, const char *name, const char *state);
const struct whole *whole_of(const struct alone *alone, const char *name, const char *state);
void alone_release(struct alone *alone);
/* Trains alone->program on this process; Ctrl-C ends it. Requires program, iterations and parts;
 * all else zero. */
enum status alone_train(struct shell *shell, struct alone *alone);
/* Sets *whole by a run of the setup only. The caller frees it, also after a failure. */
enum status alone_wholes(
        struct shell *shell, const struct program *program, struct whole **whole, int *count);
/* Sends rank 0's result or failure to all. */
enum status alone_spread(struct shell *shell, enum status status, struct alone *alone);

/* For one parameter or state, over all ranks */
struct difference {
	double squares, elements; /* sum of (weight * difference)^2 */
	double most;              /* of an element, unweighted */
	int64_t wrong;            /* elements with NaN or infinity */
	int64_t moved;            /* elements that changed on the ranks */
	int32_t status;
};
/* Reads the line's tensor as f32, as memory is now; of state v the square root. */
enum status part_floats(
        struct shell *shell, const struct part_line *line, const struct view *view, float *values);
/* Makes the hosts wait for all parts. Takes virtual time, also with --dry. */
enum status compare_await(struct shell *shell);
/* Fills d[alone->count], equal on all processes. Fails if an element is undeclared. */
enum status compare_parts(struct shell *shell, const struct alone *alone, struct difference *d);
/* Returns the place of a part's element i in the whole; -1 outside of it or of the block. */
int64_t part_place(
        const struct part_line *line, const struct layout *layout, const struct whole *whole, int64_t i);
/* A `loss` of several elements counts as none. */
enum status compared_loss(struct shell *shell, double *loss);
/* Returns the difference from one rank's loss, relative to its largest; 0 if either is missing. */
double loss_share(const struct alone *alone, double loss);
/* Compares item i of both. */
struct difference compare_whole(const struct alone *alone, int i, const struct alone *other);

/* ---- verdict.c ----
 *
 *     as one rank     all tensors are within the limit
 *     differs         one is not, or has NaN or infinity
 *     none            nothing was trained, or ranks skipped other steps than one rank
 *     loses           the strategy is lossy (`# loses`, choose.h), and the difference is finite
 *
 * A script fails unless the verdict is the first or the last. */

enum verdict { VERDICT_AS_ONE, VERDICT_DIFFERS, VERDICT_NONE, VERDICT_LOSES };
/* The distance between one rank's computations with different rounding */
struct rounding {
	double worst; /* 0: not measured */
	double loss;  /* as loss_share */
	bool scaled;  /* factors on the gradients were tried, too */
};
struct comparison {
	double *share; /* by item: relative to the change by training; INFINITY: not finite */
	double limit;
	struct rounding rounding;
	double furthest;   /* no limit exceeds it */
	int times;         /* accepted multiple of `rounding` */
	int worst, wrong;  /* an item's number; items beyond the limit */
	bool lost;         /* NaN or infinity */
	double loss;       /* of the ranks; NAN: none */
	double loss_limit; /* of its loss_share */
	bool loss_wrong;
	const char *loses; /* why results may differ from one rank's; NULL: they do not */
};
/* Returns true if a dynamic loss scale made the ranks skip other steps than one rank. */
bool verdict_other_steps(const struct alone *alone, const struct difference *d);
enum verdict verdict_of(const struct alone *alone, const struct difference *d, const struct comparison *v);
void verdict_say(struct shell *shell, const struct alone *alone, const struct difference *d,
        const struct comparison *v);

#endif
