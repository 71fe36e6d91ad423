/* typed.h -- lines that somebody has typed in a task, or that a lesson has in their place */
#ifndef RANKSH_LESSON_TYPED_H
#define RANKSH_LESSON_TYPED_H

#include <stddef.h>

/* A line that somebody has typed, or several of one block */
struct typed_line {
	char *text; /* owned */
	int line;
};
struct task_lines {
	struct typed_line *line;
	size_t count;
};
void typed_add(struct task_lines *typed, const char *text, size_t count, int line);
/* A whole text as its statements; its lines count from 1. What cannot be read is one. */
void typed_text(struct task_lines *typed, const char *text);
/* So many of them are work: those behind only look at it (print, sync ...). */
size_t typed_work(const struct task_lines *typed);
void typed_cut(struct task_lines *typed, size_t count); /* so many stay */
void typed_release(struct task_lines *typed);

#endif
