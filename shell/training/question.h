/* question.h -- what `whatif`, `sweep`, `compare` and `at` ask for: worlds in which the session's lines run again. A command
 * reads it from its line and leaves it with the wish (WISH_ANSWER); line/ answers it when the line is over. */
#ifndef RANKSH_QUESTION_H
#define RANKSH_QUESTION_H

#include "shell/language/run/command.h"
#include "shell/session/changes.h"

enum question_kind {
	QUESTION_WHATIF,
	QUESTION_SAVING /* of `why` */,
	QUESTION_PEEK /* behind `at` */,
	QUESTION_SWEEP,
	QUESTION_COMPARE,
	QUESTION_DIFF
};
enum { SWEEP_MOST = 64, COMPARED_MOST = 8 };
struct question {
	enum question_kind kind;
	char asked[200]; /* "link_rate=2x", as typed */
	struct changes changes;
	struct given given[CHANGES_MOST]; /* changes.option points here */
	/* SWEEP: given[0], or changes.key[0], takes these values */
	double value[SWEEP_MOST];
	enum unit unit;
	int values;
	/* COMPARE: "ddp overlap=off", the rest of a `strategy` line each, and so many iterations; DIFF: two files */
	char world[COMPARED_MOST][200];
	int worlds;
	int64_t run;
	/* SAVING: changes.op points here; owned */
	struct op_otherwise *without;
	bool several;
};
/* For the line of `call`, as typed. NULL: its lines run again, and it has been answered. Owned, until question_end. */
struct question *question_make(const struct call *call, enum question_kind kind);
/* ST_OK: it is left with a wish, and is the shell's; else released. Returns status. */
enum status question_end(struct shell *shell, struct question *question, enum status status);
void question_free(struct question *question);

#endif
