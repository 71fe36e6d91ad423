/* curves.h -- the loss against virtual time: a curve for each program that has run in this session */
#ifndef RANKSH_CURVES_H
#define RANKSH_CURVES_H

#include "trace/plot.h"
#include "world/op.h"

struct shell;
struct training;

struct curves {
	struct curve *curve; /* by age; the last one may be this world's */
	size_t count;
	bool open;     /* the last one is */
	op_id *loss;   /* of this world: by iteration and rank, what wrote `loss` last in it; 0: nothing */
	size_t losses; /* so many, of all iterations played */
};

/* Behind an iteration: notes which operations have its losses. */
void curves_iteration(struct shell *shell);
/* The curve of this world, as far as losses are known: all processes call it. With --dry there is none. */
enum status curves_gather(struct shell *shell);
/* This world goes. again: its lines will run again, and make the curve anew. */
void curves_world_ends(struct curves *curves, bool again);
void curves_release(struct curves *curves);

#endif
