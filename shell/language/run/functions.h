/* functions.h -- the functions and metrics of expressions: what they are asked, and the C function of each.
 *
 * To add one: a row of FUNCTIONS (parse/function.h), and its function in functions.c (of numbers, tensors and
 * the books), metrics.c (of the trace) or schedules.c (of the pipeline). */
#ifndef RANKSH_FUNCTIONS_H
#define RANKSH_FUNCTIONS_H

#include "shell/language/parse/function.h"
#include "shell/language/run/evaluate.h"
#include "trace/trace.h"

/* A function on one rank, with the names among its arguments looked up. Those that are numbers or tensors are
 * evaluated by the function itself. */
struct asked {
	struct eval *eval;
	const struct formula *formula;
	struct trace trace;
	int section;        /* k; not given: the one that runs now */
	int index[2];       /* by argument. s: the stream's number; e, g: into the books; c: enum cause */
	enum hideable work; /* x, w; not given: communication */
	name_id tensor;     /* l, y: its name; 0: it is none's */
	int group;          /* x, l, y: into the books; -1: it is no group's name */
	const char *word;   /* o, l: the last one; NULL: not given */
};
/* Argument i, which is a name, into `asked` (lookup.c). ST_NAME */
enum status argument_look_up(struct asked *asked, int i);
/* Argument i, a count; ST_UNIT, ST_RANGE */
enum status whole_number(struct asked *asked, int i, int64_t *whole);
/* Of close() and close_step(): what they allow on the rank */
enum status close_tolerance(struct eval *eval, const struct formula *formula, double *tolerance);
#define X(symbol, compute, name, least, kinds, nature) \
	enum status value_of_##compute(struct asked *asked, struct value *value);
FUNCTIONS(X)
#undef X

#endif
