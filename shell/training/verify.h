/* verify.h -- the parts of verify: the model trained on one rank (alone.c), and what ranks hold compared with
 * it (compare.c)
 *
 * What is compared is what `part` lines declare (parts.h): parameters, and the optimizer's state that belongs
 * to them. The model's file alone, on one rank, says which there are.
 *
 * The measure. An optimizer makes a step of a gradient, and gradients agree to rounding only. So a difference
 * is put beside what training has changed, tensor by tensor: |w - w'| / |w' - begin|, norms over all
 * elements. Two things are made good before:
 *     - Adam divides by the root of v: rounding of a gradient near zero becomes a step of full size. Each element of a
 *       parameter is multiplied by that root again (`weight`, the smallest root of all iterations):
 *       differences are weighed as those of gradients.
 *     - A parameter is rounded in every step: what that alone can do is taken off.
 * But then a factor on all gradients is not seen, as Adam's step does not hang on it. It is seen in m and
 * v. */
#ifndef RANKSH_VERIFY_H
#define RANKSH_VERIFY_H

#include "shell/training/program.h"
#include "shell/training/training.h"

/* A parameter, or a state of one, as the one rank has it whole */
struct whole {
	char name[48];
	char state[16];            /* "": the parameter itself */
	int64_t rows, cols, first; /* first: its first element among those of all */
};
struct alone {
	const struct program *program; /* that is trained, */
	int iterations;                /* ... for so many of them */
	int parts;                     /* the batch has to be trained in so many parts; 0: in any */
	struct whole *whole;
	int count;
	size_t elements;
	bool half;        /* it computes in a half type */
	float *end;       /* [elements] after the iterations; v as its root */
	float *begin;     /* [elements] before them */
	float *weight;    /* [elements] of a difference: the least that Adam divided its step by; else 1 */
	double loss;      /* after the iterations; NAN: it has none */
	double loss_most; /* the largest after any of them, without its sign */
};
static inline int64_t whole_count(const struct whole *whole)
{
	return whole->rows * whole->cols;
}
/* Another rounding of it comes by a factor on all gradients: its batch falls into given parts, or it is a script, which no
 * strategy cuts otherwise. */
static inline bool alone_by_factor(const struct alone *alone)
{
	return alone->parts || program_is_script(alone->program);
}
/* One of `count`; NULL: none has that name and state. */
const struct whole *whole_find(const struct whole *whole, int count, const char *name, const char *state);
const struct whole *whole_of(const struct alone *alone, const char *name, const char *state);
void alone_release(struct alone *alone);
/* Trains alone->program by one rank of a session of its own, on this process; Ctrl-C ends it too. The rest of *alone
 * is zeroed. */
enum status alone_train(struct shell *shell, struct alone *alone);
/* Only which there are, without training: its setup on one rank, without data. *whole is the caller's (mem_free), also
 * after a failure. */
enum status alone_wholes(
        struct shell *shell, const struct program *program, struct whole **whole, int *count);
/* To all processes, which know program and iterations, from rank 0, which may have failed */
enum status alone_spread(struct shell *shell, enum status status, struct alone *alone);

/* Of one parameter or state, over the copies and parts of all ranks */
struct difference {
	double squares, elements; /* sum of (weight * difference)^2 */
	double most;              /* of an element, unweighted */
	int64_t wrong;            /* elements that are no number */
	int64_t moved;            /* elements of the ranks that are not as they began */
	int32_t status;
};
/* The line's tensor as f32, as memory is now; of the state v the root of each element */
enum status part_floats(
        struct shell *shell, const struct part_line *line, const struct view *view, float *values);
/* Waits for all that ranks hold of the parameters: a line of each rank at a time. It takes virtual time, so it is done with
 * --dry too. */
enum status compare_await(struct shell *shell);
/* What the ranks hold, after compare_await; d: [alone->count], the same on all processes
 * afterwards. Whatever of a parameter no rank has declared is a failure. */
enum status compare_parts(struct shell *shell, const struct alone *alone, struct difference *d);
/* Where element i of a part lies in the whole, counted in rows; -1: outside of it, or of the part's block */
int64_t part_place(
        const struct part_line *line, const struct layout *layout, const struct whole *whole, int64_t i);
/* Reads program_loss for a comparison: a `loss` of several elements counts as none. */
enum status compared_loss(struct shell *shell, double *loss);
/* Returns the difference of a loss from one rank's, relative to the largest that the one rank has had: a loss near zero is
 * rounding. 0 if one of the two is missing. */
double loss_share(const struct alone *alone, double loss);
/* Item i of one, beside the same of the other */
struct difference compare_whole(const struct alone *alone, int i, const struct alone *other);

#endif
