/* verify.h -- the parts of verify: the model trained on one rank (alone.c), and what ranks hold compared with
 * it (compare.c)
 *
 * The measure. An optimizer makes a step of a gradient, and gradients agree to rounding only. So a difference
 * is put beside what training has changed, tensor by tensor: |w - w'| / |w' - begin|, norms over all
 * elements. Two things are made good before:
 *     - Adam divides by the root of v: rounding of a gradient near zero becomes a step of full size. Each
 *     element is multiplied by that root again
 *       (`weight`, the smallest root of all iterations): differences are weighed as those of gradients.
 *     - A parameter is rounded in every step: `floor` is what that alone can do.
 * A half type's parameters are its f32 masters. */
#ifndef RANKSH_VERIFY_H
#define RANKSH_VERIFY_H

#include "shell/language/run/interpreter.h"
#include "shell/training/training.h"
#include "strategies/layers.h"

/* One rank's parameters, those of `list` one behind the other; arrays are parts of one memory that begins at
 * `end` (mem_free) */
struct alone {
	const struct parameter *list; /* the caller's */
	int count;
	size_t elements;
	float *end;    /* [elements] after the iterations */
	float *begin;  /* [elements] before them */
	float *weight; /* [elements] of a difference: the least that Adam divided its step by; sgd: 1 */
};
struct alone alone_of(const struct parameter *list, int count); /* without memory */
/* Takes the memory, and trains the model of `call` by one rank of a session of its own, which Ctrl-C ends
 * too. */
enum status alone_train(
        struct shell *shell, const struct strategy_call *call, int iterations, struct alone *alone);
/* The strategy serial for the model that `shell` trains; and the same rounded otherwise, in its way-th way:
 * in f32, or the batch in parts. false: no such way */
struct strategy_call alone_call(const struct shell *shell);
bool alone_otherwise(const struct strategy_call *call, int way, struct strategy_call *other);

/* Of one parameter, over the copies and parts of all ranks */
struct difference {
	double squares, elements; /* sum of (weight * difference)^2 */
	double most;              /* of an element, unweighted */
	int64_t wrong;            /* elements that are no number */
	int32_t status;
};
/* The tensor as f32 as memory is now */
enum status shell_floats(struct shell *shell, const struct view *view, float *values);
/* What the ranks hold of `parts`, when all that was queued is done; d: [alone->count], the same on all
 * processes afterwards. */
enum status compare_parts(
        struct shell *shell, const struct parts *parts, const struct alone *alone, struct difference *d);
/* A whole parameter's `values` */
struct difference compare_whole(const struct alone *alone, int64_t first, int64_t count, const float *values);

#endif
