/* functions.h -- the C functions of the functions and metrics in expressions.
 *
 * To add one, add a row to FUNCTIONS (parse/rows.h), and its function to functions.c, or metrics.c
 * (the trace, the pipeline). */
#ifndef RANKSH_FUNCTIONS_H
#define RANKSH_FUNCTIONS_H

#include "shell/language/parse/rows.h"
#include "shell/language/run/evaluate.h"
#include "trace/trace.h"

/* A function on one rank, with names among its arguments looked up */
struct asked {
	struct eval *eval;
	const struct formula *formula;
	struct trace trace;
	int section; /* k; default: the current one */
	/* by argument. s: the stream's number; e, g: index in the world; c: enum cause */
	int index[2];
	enum hideable work; /* x, w; default: communication */
	name_id tensor;     /* l, y: its name; 0 if none */
	int group;          /* x, l, y: index in the world; -1 if no group */
	const char *word;   /* o, l: the last one; NULL if none */
};
/* Argument i, a count; ST_UNIT, ST_RANGE */
enum status whole_number(struct asked *asked, int i, int64_t *whole);
enum status close_tolerance(struct eval *eval, const struct formula *formula, double *tolerance);
#define X(symbol, compute, name, least, kinds, nature) \
	enum status value_of_##compute(struct asked *asked, struct value *value);
FUNCTIONS(X)
#undef X

#endif
