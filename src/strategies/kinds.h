/* kinds.h -- what a tensor's memory is for, told by its name (those of layers.h, of the strategies' flat
 * tensors and buckets), and where the name says nothing, by the phase of the line that takes the memory:
 *
 *     w2 table flat1 shard1     parameters         dw2 dflat1 dshard1 bucket1     gradients
 *     w2_f32 shard1_m w2_v      optimizer (masters and Adam's means)
 *     x0 x0_3 ids               activations: also what phases F and R make
 *     -                         activation gradients: what phases B and W make
 *     all others                buffers: targets, scratch, places for what arrives
 *
 * To add a kind: a row here, and its names in kinds.c. May call: base/. */
#ifndef RANKSH_KINDS_H
#define RANKSH_KINDS_H

#include "strategies/layers.h"

/* X(symbol, word of `kind=`, name) */
#define TENSOR_KINDS(X)                                                   \
	X(PARAMETERS, "parameter", "parameters")                          \
	X(GRADIENTS, "gradient", "gradients")                             \
	X(OPTIMIZER, "optimizer", "optimizer")                            \
	X(ACTIVATIONS, "activation", "activations")                       \
	X(ACTIVATION_GRADIENTS, "activation_gradient", "their gradients") \
	X(BUFFERS, "buffer", "buffers")
#define TENSOR_KIND_WORDS "parameter gradient optimizer activation activation_gradient buffer"
enum tensor_kind {
#define X(symbol, word, name) KIND_##symbol,
	TENSOR_KINDS(X)
#undef X
	        KIND_COUNT
};
int tensor_kind_find(const char *word); /* of `kind=`; -1: none */
const char *tensor_kind_name(enum tensor_kind kind);
/* phase: 'F' 'R' 'B' 'W' ..., or 0 */
enum tensor_kind tensor_kind_of(const struct model *model, const char *name, char phase);

#endif
