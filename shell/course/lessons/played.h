/* played.h -- runs a task's starter and an attempt's lines in a sandbox, and evaluates gates
 *
 *     starter (seeds, `let`s)   lines   end   | reference's tensors, starter's variables | gates
 *
 * A reference runs in its own world; its tensors are copied, so the attempt's lines cannot reach
 * it. An umbrella header. */
#ifndef RANKSH_LESSON_PLAYED_H
#define RANKSH_LESSON_PLAYED_H

#include "shell/course/lessons/lesson_file.h"
#include "shell/course/lessons/task_rules.h"
#include "shell/course/lessons/typed.h"
#include "shell/values/best.h"
#include "shell/session/shell.h"

/* How a world differs from the learner's */
struct variation {
	char label[64]; /* "M = 6", "8 ranks", "other data"; "": no difference */
	int n;
	uint64_t salt;
	char argument[64]; /* "M=6" or "" */
};

/* One rank's tensor at the end of a world */
struct kept_tensor {
	char *name; /* owned, as are the elements */
	struct layout layout;
	void *elements;
	bool starters; /* it existed after the starter */
};
struct kept_rank {
	struct kept_tensor *tensor;
	size_t count;
};
struct kept_world {
	struct kept_rank *rank; /* by rank; NULL: empty */
	int n;
};
void kept_world_release(struct kept_world *kept);
/* Returns NULL if there is none. */
const struct kept_tensor *kept_find(const struct kept_rank *kept, const char *name);

struct gate {
	struct text line;   /* the `expect`, without its remark */
	struct text remark; /* "": none */
	bool asked, held;
	struct text words;        /* output of a failed gate */
	struct text figure, best; /* values of the left side and of `best()`; "": none */
};
struct gates {
	struct gate *gate;
	size_t count;
};
/* Parses a check's lines. */
void gates_read(struct gates *gates, const struct text *check);
void gates_release(struct gates *gates);

enum play_outcome {
	PLAYED_NOT, /* not yet run */
	PLAYED_TO_END,
	PLAYED_REFUSED, /* a line failed, the starter's included, or memory ran out */
	PLAYED_OVER,    /* the step limit was reached */
	PLAYED_STUCK
};
/* Set the inputs and zero the rest; free with played_release. */
struct task_play {
	const struct lesson_task *task;
	const struct task_lines *lines;
	bool ruled;                      /* the task's rules apply to the lines */
	const struct kept_world *beside; /* a reference's tensors; NULL: none */
	struct gates *gates;             /* NULL: none */
	bool all_gates;                  /* evaluate all, not only up to the first failure */
	/* by rank: records figures or looks them up; NULL: none */
	struct best *best;
	/* expressions to record in best, one a line; NULL: none */
	const char *figures;
	bool wants_tensors;              /* copy the tensors to `kept` */
	int64_t steps_most, memory_most; /* 0: no limit */

	enum play_outcome outcome;
	int line;          /* the line that failed */
	struct text words; /* why it did not finish */
	struct text cause; /* of a failed time gate: the cause of the lost time */
	struct kept_world kept;
	int64_t steps, memory; /* steps used; peak memory of any one space, in bytes */
};
/* Rank 0 only. A failing line is an outcome, not an error; fails as sandbox_run does. */
enum status played_run(struct task_play *played, const struct variation *variant, struct shell *of);
void played_release(struct task_play *played);
/* Removes the name on the rank, also if it is a variable or a stream. */
void played_unname(struct shell *shell, int rank, const char *name);
struct best *bests_make(int n); /* records figures until bests_keep(best, n, false) */
void bests_keep(struct best *best, int n, bool keep);
void bests_release(struct best *best, int n);

#endif
