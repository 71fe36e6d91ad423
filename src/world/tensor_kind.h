/* tensor_kind.h -- the purpose of a tensor's memory: as given by `kind=`, or else by the phase of
 * the operation that makes it
 *
 *     F R      activations                 others     buffers: targets, scratch, receive buffers
 *     B W      their gradients
 *
 * To add a kind: a row here. May call: base/. */
#ifndef RANKSH_TENSOR_KIND_H
#define RANKSH_TENSOR_KIND_H

/* X(symbol, word of `kind=`, name) */
#define TENSOR_KINDS(X)                                                   \
	X(PARAMETERS, "parameter", "parameters")                          \
	X(GRADIENTS, "gradient", "gradients")                             \
	X(OPTIMIZER, "optimizer", "optimizer")                            \
	X(ACTIVATIONS, "activation", "activations")                       \
	X(ACTIVATION_GRADIENTS, "activation_gradient", "their gradients") \
	X(BUFFERS, "buffer", "buffers")
#define TENSOR_KIND_AFTER_BLANK(symbol, word, name) " " word
#define TENSOR_KIND_WORDS (&TENSOR_KINDS(TENSOR_KIND_AFTER_BLANK)[1])
enum tensor_kind {
#define X(symbol, word, name) KIND_##symbol,
	TENSOR_KINDS(X)
#undef X
	        KIND_COUNT
};
/* Returns -1 for an unknown word of `kind=`. */
int tensor_kind_find(const char *word);
const char *tensor_kind_name(enum tensor_kind kind);
/* Returns the kind of tensors made in a phase: 'F' 'R' 'B' 'W' ..., or 0. */
enum tensor_kind tensor_kind_of(char phase);

#endif
