/* kinds.c -- the words of kinds, and what a phase says */
#include "strategies/kinds.h"

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
	static const char *const words[] = {
#define X(symbol, word, name) word,
		TENSOR_KINDS(X)
#undef X
	};
	for (int i = 0; i < KIND_COUNT; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

enum tensor_kind tensor_kind_of(char phase)
{
	if (phase == 'F' || phase == 'R')
		return KIND_ACTIVATIONS;
	return phase == 'B' || phase == 'W' ? KIND_ACTIVATION_GRADIENTS : KIND_BUFFERS;
}
