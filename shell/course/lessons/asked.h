/* asked.h -- gates and figures, asked in a world that was played (played.h) */
#ifndef RANKSH_LESSON_ASKED_H
#define RANKSH_LESSON_ASKED_H

#include "shell/course/lessons/played.h"

/* played->figures into played->best. One that cannot be known is left out. */
void asked_figures(struct shell *shell, struct task_play *played);
/* The gates one by one, up to the first that does not hold, or all; where figures are kept, those alone that speak of `best`. */
enum status asked_gates(struct shell *shell, struct task_play *played);

/* The first arguments of the check's close() and close_step(), a blank behind each: what it compares */
void gates_compared(const struct text *check, struct text *names);
/* A name, of a function or a tensor, stands in gates as a word of its own. */
bool gates_speak_of(const char *lines, const char *name);
/* What a gate is about, by the functions that it asks. X(symbol, what a learner reads) */
#define TOPICS(X)                 \
	X(LINES, "the lines")     \
	X(NUMBERS, "the numbers") \
	X(ORDER, "the order")     \
	X(TIME, "time")           \
	X(MEMORY, "memory")       \
	X(TRAFFIC, "bytes sent")
enum topic {
#define X(symbol, words) TOPIC_##symbol,
	TOPICS(X)
#undef X
	        TOPIC_COUNT
};
enum topic gate_topic(const struct gate *gate);
const char *topic_words(enum topic topic);

#endif
