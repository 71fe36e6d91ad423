/* lesson_file.h -- a lesson's file taken apart; pure */
#ifndef RANKSH_LESSON_FILE_H
#define RANKSH_LESSON_FILE_H

#include "base/status.h"
#include "base/text.h"

enum { TASKS_MAX = 12, WRONG_MAX = 4 };

struct task {
	struct text title, story, start, check, hint, solution, question, answer;
	struct text wrong[WRONG_MAX];
	int wrongs;
};

struct lesson_file {
	struct text title, minutes;
	struct task task[TASKS_MAX];
	int tasks;
	int ranks;              /* it wants at least so many; 0: any number does */
};

/* ST_SYNTAX names the line. On failure nothing is left to release. */
enum status lesson_file_read(struct lesson_file *file, const char *bytes, size_t count, const char *name);
void lesson_file_release(struct lesson_file *file);
/* The next line at *at (without its newline), or NULL at the end; *length is its length. */
const char *lesson_line(const char **at, const char *end, size_t *length);

#endif
