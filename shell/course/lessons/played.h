/* played.h -- a task's starter and somebody's lines behind it, played in a sandbox; what came of it, and whether gates hold
 *
 *     starter (its seeds, its `let`s)   lines   end   | the reference's tensors laid beside   gates, one by one
 *     |---------------- the world ----------------|   | the starter's variables again     |
 *
 * A reference is played in a world of its own and hands its tensors over as bytes; so nothing of it stands where lines can reach it.
 *
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_LESSON_PLAYED_H
#define RANKSH_LESSON_PLAYED_H

#include "shell/course/lessons/lesson_file.h"
#include "shell/course/lessons/task_rules.h"
#include "shell/course/lessons/typed.h"
#include "shell/values/best.h"
#include "shell/session/shell.h"

/* In which way a world is otherwise than the one that the learner sees */
struct variation {
	char label[64]; /* "M = 6", "8 ranks", "other data"; "": it is as he sees it */
	int n;
	uint64_t salt;
	char argument[64]; /* "M=6" or "" */
};

/* A tensor of one rank, as a world left it */
struct kept_tensor {
	char *name; /* owned, as the elements */
	struct layout layout;
	void *elements;
	bool starters; /* it was there behind the starter's lines */
};
struct kept_rank {
	struct kept_tensor *tensor;
	size_t count;
};
struct kept_world {
	struct kept_rank *rank; /* by rank; NULL: nothing is kept */
	int n;
};
void kept_world_release(struct kept_world *kept);
const struct kept_tensor *kept_find(const struct kept_world *kept, int rank, const char *name);

struct gate {
	struct text line;   /* the `expect` without its remark */
	struct text remark; /* "": it has none */
	bool asked, held;
	struct text words;        /* of one that does not hold */
	struct text figure, best; /* the left side, and the `best()` on its right; "" where they are none */
};
struct gates {
	struct gate *gate;
	size_t count;
};
/* The lines of a check, unasked */
void gates_read(struct gates *gates, const struct text *check);
void gates_release(struct gates *gates);

enum play_outcome {
	PLAYED_NOT, /* not yet, or not at all */
	PLAYED_TO_END,
	PLAYED_REFUSED, /* a line was; of the starter's too, and where there is no memory for it */
	PLAYED_OVER,    /* it takes more steps than can be */
	PLAYED_STUCK
};
/* Set what goes in, and the rest to 0; played_release */
struct task_play {
	const struct lesson_task *task;
	const struct task_lines *lines;
	bool ruled;                      /* they are held to what a task allows */
	const struct kept_world *beside; /* a reference's; NULL: none */
	struct gates *gates;             /* NULL: none; asked up to the first that does not hold, */
	bool all_gates;                  /* ... or all */
	struct best *best;   /* one a thread: figures are kept there, or looked up (best.keeps); NULL: none */
	const char *figures; /* expressions, one a line, that are kept in best[] too; NULL: none */
	bool wants_tensors;  /* into `kept` */
	int64_t steps_most, memory_most; /* 0: any number */

	enum play_outcome outcome;
	int line;          /* that was refused */
	struct text words; /* why it did not come to its end */
	struct text cause; /* of a gate of times that does not hold: what the time was lost with */
	struct kept_world kept;
	int64_t steps, memory; /* that it took: of the memory that was taken most of, in bytes */
};
/* By rank 0 alone. What lines come to is an outcome; fails as sandbox_run does. */
enum status played_run(struct task_play *played, const struct variation *variant, struct shell *of);
void played_release(struct task_play *played);
/* In a world that is played: whatever has the name on the rank, a variable or a stream as well, has it no longer. */
void played_unname(struct shell *shell, int rank, const char *name);
struct best *bests_make(int n);
void bests_keep(struct best *best, int n, bool keep);
void bests_release(struct best *best, int n);

#endif
