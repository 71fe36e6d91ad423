/* functions.h -- the C functions that compute functions and metrics in expressions.
 *
 * To add one, add a row to FUNCTIONS (parse/rows.h), and its C function to functions.c, or to
 * metrics.c if it uses the trace or the pipeline. */
#ifndef RANKSH_FUNCTIONS_H
#define RANKSH_FUNCTIONS_H

#include "shell/language/parse/rows.h"
#include "shell/language/run/evaluate.h"
#include "trace/trace.h"

/* A call of a function on one rank, with the names among its arguments looked up. Letters are the
 * kinds of FUNCTIONS. */
struct asked {
	struct eval *eval;
	const struct formula *formula;
	struct trace trace;
	int section; /* k; default: the current one */
	/* by argument. s: the stream's number; e, g: index in the world; c: enum cause */
	int index[2];
	enum hideable work; /* x, w; default: communication */
	name_id tensor;     /* l, y: its name; 0 if none */
	int group;          /* x, l, y: index in the world; -1 if none */
	const char *word;   /* o, l: the last such argument; NULL if none */
};
/* Stores argument i as a whole number. Fails with ST_ARGUMENT, ST_UNIT or ST_RANGE. */
enum status whole_number(struct asked *asked, int i, int64_t *whole);
/* Stores the tolerance given to close() or close_step(), or else the default. */
enum status close_tolerance(struct eval *eval, const struct formula *formula, double *tolerance);
#define X(symbol, compute, name, least, kinds, nature) \
	enum status value_of_##compute(struct asked *asked, struct value *value);
FUNCTIONS(X)
#undef X

#endif
