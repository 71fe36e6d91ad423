/* kinds.c -- names of tensors, and what they stand for */
#include "strategies/kinds.h"

#include <string.h>

const char *tensor_kind_name(enum tensor_kind kind)
{
	static const char *const names[] = {
#define X(symbol, name) name,
		TENSOR_KINDS(X)
#undef X
	};
	return kind < KIND_COUNT ? names[kind] : "other";
}

/* "flat12" */
static bool numbered(const char *name, size_t length, const char *word)
{
	size_t letters = strlen(word);
	return length > letters && strncmp(name, word, letters) == 0 && strspn(name + letters, "0123456789") == length - letters;
}

static bool is_parameter(const struct parameter *list, int count, const char *name, size_t length)
{
	if (numbered(name, length, "flat") || numbered(name, length, "shard"))
		return true;
	for (int i = 0; i < count; i++)
		if (strlen(list[i].name) == length && strncmp(list[i].name, name, length) == 0)
			return true;
	return false;
}

enum tensor_kind tensor_kind_of(const struct parameter *list, int count, const char *name)
{
	static const char *const ends[] = { "_f32", "_m", "_v" };
	size_t length = strlen(name);

	if (is_parameter(list, count, name, length))
		return KIND_PARAMETERS;
	if (numbered(name, length, "bucket") || (*name == 'd' && is_parameter(list, count, name + 1, length - 1)))
		return KIND_GRADIENTS;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t end = strlen(ends[i]);
		if (length > end && strcmp(name + length - end, ends[i]) == 0 && is_parameter(list, count, name, length - end))
			return KIND_OPTIMIZER;
	}
	return KIND_OTHER;
}
