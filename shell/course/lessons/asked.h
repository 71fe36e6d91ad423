/* asked.h -- evaluates gates (a check's `expect` lines) and figures in a played world */
#ifndef RANKSH_LESSON_ASKED_H
#define RANKSH_LESSON_ASKED_H

#include "shell/course/lessons/played.h"

/* Evaluates played->figures into played->best; skips those without a value. */
void asked_figures(struct shell *shell, struct task_play *played);
/* Evaluates the gates up to the first that fails, or all (all_gates); only those with `best` if
 * figures are recorded (best.keeps). */
void asked_gates(struct shell *shell, struct task_play *played);

/* Adds the first arguments of the check's close() and close_step(), each with a blank after it. */
void gates_compared(const struct text *check, struct text *names);
/* Returns true if the gates contain the name as a whole word. */
bool gates_speak_of(const char *lines, const char *name);
/* A gate's topic, given by the functions in it. X(symbol, words for the learner) */
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
