/* function.c -- the rows of functions and metrics */
#include "shell/language/parse/function.h"
#include "shell/language/parse/lex.h"

static const struct function_row rows[] = {
#define X(symbol, compute, name, least, most, kinds, nature) \
	{FUNCTION_##symbol, name, least, most, kinds, NATURE_##nature},
        FUNCTIONS(X)
#undef X
};

const struct function_row *function_find(const char *name, size_t length)
{
	for (int i = 0; i < FUNCTION_ROWS; i++)
		if (text_is(name, name + length, rows[i].name))
			return &rows[i];
	return NULL;
}

const struct function_row *function_at(int i)
{
	return i >= 0 && i < FUNCTION_ROWS ? &rows[i] : NULL;
}
