/* replay.h -- rebuilds this world from the journal, or another world to answer a question
 *
 * A command leaves its question with a wish (WISH_ANSWER); replay/ answers it after the line. */
#ifndef RANKSH_REPLAY_H
#define RANKSH_REPLAY_H

#include "shell/language/run/command.h"
#include "shell/session/changes.h"

/* `undo N` (wishes.statement.number): replays without the last N lines. If one of them began this
 * world, the world before it returns. Fails with ST_RANGE if there are fewer lines. */
enum status replay_undo(struct shell *shell);
/* `step back`: replays up to step wishes.statement.number. */
enum status replay_back(struct shell *shell);

enum { SWEEP_MOST = 64, COMPARED_MOST = 8 };
struct question {
	enum status (*answer)(struct shell *shell, const struct question *question);
	char asked[200]; /* "link_rate=2x", as typed */
	struct changes changes;
	struct given given[CHANGES_MOST]; /* changes.option points here */
	/* SWEEP: values of given[0] or changes.key[0] */
	double value[SWEEP_MOST];
	enum unit unit;
	int values;
	/* COMPARE: "ddp overlap=off", a `strategy` line's rest, and iterations; DIFF: two files */
	char world[COMPARED_MOST][200];
	int worlds;
	int64_t run;
	/* SAVING: changes.op points here; owned */
	struct op_otherwise *without;
	bool several;
};
/* Returns a question for the call's line, owned until question_end; NULL in a replay. */
struct question *question_make(
        const struct call *call, enum status (*answer)(struct shell *shell, const struct question *question));
/* On ST_OK leaves the question to the shell, by a wish; else frees it. Returns status. */
enum status question_end(struct shell *shell, struct question *question, enum status status);
void question_free(struct question *question);

enum status answer_compare(struct shell *shell, const struct question *question);
enum status answer_diff(struct shell *shell, const struct question *question);
enum status answer_peek(struct shell *shell, const struct question *question);
enum status answer_saving(struct shell *shell, const struct question *question);
enum status answer_sweep(struct shell *shell, const struct question *question);
enum status answer_whatif(struct shell *shell, const struct question *question);

#endif
