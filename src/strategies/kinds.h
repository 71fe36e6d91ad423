/* kinds.h -- what a tensor is to the model, told by its name: the names are those of layers.h and of the strategies' flat tensors and buckets.
 *
 *     w2 table flat1 shard1     parameters         dw2 dflat1 dshard1 bucket1     gradients
 *     w2_f32 shard1_m w2_v      optimizer (masters and Adam's means)
 *     all others                KIND_OTHER: the caller knows whether forward made them (activations) or not (buffers)
 *
 * To add a kind: a row here, and its names in kinds.c. May call: base/. */
#ifndef RANKSH_KINDS_H
#define RANKSH_KINDS_H

#include "strategies/layers.h"

/* X(symbol, name) -- ACTIVATIONS and BUFFERS are never a name's kind */
#define TENSOR_KINDS(X) \
	X(PARAMETERS, "parameters") X(GRADIENTS, "gradients") X(OPTIMIZER, "optimizer") X(ACTIVATIONS, "activations") X(BUFFERS, "buffers")
enum tensor_kind {
#define X(symbol, name) KIND_##symbol,
	TENSOR_KINDS(X)
#undef X
	KIND_COUNT, KIND_OTHER = KIND_COUNT
};
const char *tensor_kind_name(enum tensor_kind kind);
/* list: model_parameters() */
enum tensor_kind tensor_kind_of(const struct parameter *list, int count, const char *name);

#endif
