/* showing.h -- the position in a program, and a step on the screen while it runs */
#ifndef RANKSH_SHOWING_H
#define RANKSH_SHOWING_H

#include "shell/training/training.h"

struct showing {
	struct shell *shell;
	struct training *t;
	bool head, lines; /* wanted: its title; its lines */
	bool echoes;      /* its lines as in the file, each before its output: for a script */
	/* ---- its own, zero at first */
	bool told;          /* the title is printed */
	int used;           /* rows of the screen */
	int depth;          /* of the step's `##` */
	size_t line;        /* of the file: the last one echoed */
	size_t left;        /* lines beyond the screen */
	const char **begin; /* of the file's lines; NULL: none echoed yet */
	size_t begins;
};
/* Watches the next step of the player. Release it in any case. */
void showing_watch(struct showing *show);
/* After the step: shows what remains */
void showing_end(struct showing *show);
void showing_release(struct showing *show);

/* "step 12/21 of iteration 0" */
void step_place(const struct training *t, struct text *out);
/* For a script's end: fails with ST_ARGUMENT within an iteration, because ranks may wait. */
enum status step_unfinished(const struct training *t);
/* Returns the next step, from the walk; NULL: data led elsewhere. */
const struct program_step *step_ahead(const struct training *t);

#endif
