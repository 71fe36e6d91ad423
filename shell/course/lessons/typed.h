/* typed.h -- a list of lines: typed by a learner, or taken from a lesson */
#ifndef RANKSH_LESSON_TYPED_H
#define RANKSH_LESSON_TYPED_H

#include <stddef.h>

/* A typed line, or the lines of one block */
struct typed_line {
	char *text; /* owned */
	int line;
};
struct task_lines {
	struct typed_line *line;
	size_t count;
};
void typed_add(struct task_lines *typed, const char *text, size_t count, int line);
/* Splits a text into statements; lines count from 1. An unparsable part is one entry. */
void typed_text(struct task_lines *typed, const char *text);
/* Returns the number of lines without the last ones that only read results (print, sync ...). */
size_t typed_work(const struct task_lines *typed);
void typed_cut(struct task_lines *typed, size_t count); /* keeps the first `count` lines */
void typed_release(struct task_lines *typed);

#endif
