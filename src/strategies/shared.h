/* shared.h -- steps that most strategies have in common: setup, batch, forward, optimizer; data-parallel
 * shares of the batch */
#ifndef RANKSH_SHARED_H
#define RANKSH_SHARED_H

#include "strategies/layers.h"

#define OPTION_ACCUMULATE                                                                                    \
	{                                                                                                    \
		"accumulate", "1", NULL, UNIT_PLAIN, 1,                                                      \
		        "micro-batches of an optimizer step: their gradients add up, and are exchanged once" \
	}

/* How a step's batch falls to ranks and micro-batches: rank r has rows first .. first+rows of it, as
 * micro-batches m = 0 .. micro-1 */
struct shares {
	int ranks, micro;
	int64_t batch;
	bool even;                                       /* every rank and micro-batch has as many rows */
	char rows[16], share[16], suffix[16], first[64]; /* what shares_layers' pointers point at */
};
/* ST_RANGE when there are fewer rows than ranks x micro-batches. */
enum status shares_make(const struct strategy_call *call, int ranks, int micro, struct shares *shares);
/* A step begins: "## title", "# why" (may have several lines). */
void step_begin(struct text *out, const char *why, const char *title, ...)
        __attribute__((format(printf, 3, 4)));
/* Lines of setup that tell each rank its rows when they are not even: `let first0 = ...`, `let rows0 = ...`
 * for each micro-batch. */
void shares_setup(const struct shares *shares, struct text *out);
/* Rows, the first of them, suffix, share and `add` of micro-batch m in *layers */
void shares_layers(struct shares *shares, int m, struct layers *layers);

/* `tensor x0 ...` of all micro-batches. */
void shares_batch_setup(struct shares *shares, struct layers *layers);

/* The setup steps of ranks that hold the whole model: streams ("compute comm"), data, parameters and the
 * optimizer's state; gradients too, unless the strategy makes them. */
enum status replica_setup(struct layers *layers, const struct strategy_call *call, struct shares *shares,
        const char *streams, bool gradients);
/* Steps of micro-batch m: its rows come, forward through all units. */
void batch_step(struct layers *layers, const struct strategy_call *call, int m);
void forward_steps(struct layers *layers, int m);
/* One step: sgd or adam for every parameter. */
enum status optimizer_step(struct layers *layers);

/* Every parameter is whole on this rank, under its own name. */
enum status parts_whole(const struct strategy_call *call, int rank, struct parts *parts);

#endif
