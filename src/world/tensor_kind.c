/* tensor_kind.c -- names of the kinds of memory, and the kind for a phase */
#include "world/tensor_kind.h"

#include "base/text.h"

#include <string.h>

const char *tensor_kind_name(enum tensor_kind kind)
{
	static const char *const names[] = {
#define X(symbol, word, name) name,
		TENSOR_KINDS(X)
#undef X
	};
	return kind < KIND_COUNT ? names[kind] : "other";
}

int tensor_kind_find(const char *word)
{
	return text_place(TENSOR_KIND_WORDS, word, strlen(word));
}

enum tensor_kind tensor_kind_of(char phase)
{
	if (phase == 'F' || phase == 'R')
		return KIND_ACTIVATIONS;
	return phase == 'B' || phase == 'W' ? KIND_ACTIVATION_GRADIENTS : KIND_BUFFERS;
}
