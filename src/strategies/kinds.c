/* kinds.c -- names of tensors, and what they stand for */
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

/* "flat12" */
static bool numbered(const char *name, size_t length, const char *word)
{
	size_t letters = strlen(word);
	return length > letters && strncmp(name, word, letters) == 0 &&
	        strspn(name + letters, "0123456789") == length - letters;
}

/* A flat group of parameters, by the tags of flat.c: "flat", "flat_root", "flat12", "flat12a", "flat12m" */
static bool is_group(const char *name, size_t length, const char *word)
{
	size_t letters = strlen(word), tag = length - letters;
	if (length < letters || strncmp(name, word, letters) != 0)
		return false;
	const char *at = name + letters;
	if (tag == 0 || (tag == strlen("_root") && strncmp(at, "_root", tag) == 0))
		return true;
	return numbered(name, at[tag - 1] == 'a' || at[tag - 1] == 'm' ? length - 1 : length, word);
}

/* "x0", "x0_3" */
static bool is_place(const char *name, const char *word)
{
	size_t length = strlen(word);
	return strncmp(name, word, length) == 0 &&
	        (!name[length] || numbered(name + length, strlen(name + length), "_"));
}

static bool is_parameter(const struct model *model, const char *name, size_t length)
{
	return is_group(name, length, "flat") || is_group(name, length, "shard") ||
	        model_has_parameter(model, name, length);
}

static bool is_optimizer(const struct model *model, const char *name, size_t length)
{
	static const char *const ends[] = {"_f32", "_m", "_v"};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t end = strlen(ends[i]);
		if (length > end && strcmp(name + length - end, ends[i]) == 0 &&
		        is_parameter(model, name, length - end))
			return true;
	}
	return false;
}

enum tensor_kind tensor_kind_of(const struct model *model, const char *name, char phase)
{
	size_t length = strlen(name);

	if (is_parameter(model, name, length))
		return KIND_PARAMETERS;
	if (numbered(name, length, "bucket") || (*name == 'd' && is_parameter(model, name + 1, length - 1)))
		return KIND_GRADIENTS;
	if (is_optimizer(model, name, length))
		return KIND_OPTIMIZER;
	if (phase == 'F' || phase == 'R' || is_place(name, "x0") || is_place(name, "ids"))
		return KIND_ACTIVATIONS;
	return phase == 'B' || phase == 'W' ? KIND_ACTIVATION_GRADIENTS : KIND_BUFFERS;
}
