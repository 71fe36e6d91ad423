/* function.c -- the rows of functions and metrics */
#include "shell/language/parse/function.h"
#include "shell/language/parse/lex.h"

static const struct function_row rows[] = {
#define X(symbol, compute, name, least, kinds, nature) \
	{FUNCTION_##symbol, name, least, kinds, NATURE_##nature},
        FUNCTIONS(X)
#undef X
};

const struct function_row *function_find(struct slice_of_text name)
{
	for (int i = 0; i < FUNCTION_ROWS; i++)
		if (slice_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

const char *function_near(const char *word)
{
	const char *near = NULL;
	int best = text_too_far(word);
	for (int i = 0; i < FUNCTION_ROWS; i++)
		if (text_nearer(word, rows[i].name, &best))
			near = rows[i].name;
	return near;
}
