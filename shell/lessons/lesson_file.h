/* lesson_file.h -- a lesson's file taken apart; pure */
#ifndef RANKSH_LESSON_FILE_H
#define RANKSH_LESSON_FILE_H

#include "base/status.h"
#include "base/text.h"

enum { TASKS_MAX = 12, WRONG_MAX = 4, COUNTS_MAX = 16 };

struct lesson_task {
	struct text title, story, start, check, hint, solution, question, answer;
	struct text wrong[WRONG_MAX];
	int wrongs;
};

struct lesson_file {
	struct text title, minutes;
	struct lesson_task task[TASKS_MAX];
	int tasks;
	int count
	        /* numbers of ranks it is for, rising; a single one: at least so many; none: any number
	         * does */
	        [COUNTS_MAX];
	int counts;
};

/* ST_SYNTAX names the line. On failure nothing is left to release. */
enum status lesson_file_read(struct lesson_file *file, const char *bytes, size_t count, const char *name);
void lesson_file_release(struct lesson_file *file);
/* ST_RANK: it is not for n ranks; says for how many, and how to start that. */
enum status lesson_file_fits(const struct lesson_file *file, int number, int n);
/* The next line at *at (without its newline), or NULL at the end; *length is its length. */
const char *lesson_line(const char **at, const char *end, size_t *length);

#endif
