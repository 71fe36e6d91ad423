/* showing.h -- where a program is, and what is told of a step while it runs */
#ifndef RANKSH_SHOWING_H
#define RANKSH_SHOWING_H

#include "shell/training/training.h"

struct showing {
	struct shell *shell;
	struct training *t;
	bool head, lines; /* what is wanted: its title; what it did */
	bool echoes; /* its lines as the file has them, each before what it prints: of a script, which is a demo */
	/* ---- its own, from zero on */
	bool told;          /* the title is out */
	int used;           /* rows of the screen */
	int depth;          /* of the step's `##` */
	size_t line;        /* of the file: the last one that was echoed */
	size_t left;        /* lines that the screen has no room for */
	const char **begin; /* of the file's lines; NULL: none was echoed */
	size_t begins;
};
/* It is told of the step that the player plays next. To be released in any case */
void showing_watch(struct showing *show);
/* Behind the step: what was not told while it ran */
void showing_end(struct showing *show);
void showing_release(struct showing *show);

/* "step 12/21 of iteration 0" */
void step_place(const struct training *t, struct text *out);
/* For a script that ends while ranks wait: fails with ST_ARGUMENT if the program is within an iteration, because they may wait for
 * the rest of it. */
enum status step_unfinished(const struct training *t);
/* The step that comes next, as the walk has met it; NULL: it has not, since data led it elsewhere. Every
 * iteration is taken to have the steps of the first. */
const struct program_step *step_ahead(const struct training *t);

#endif
