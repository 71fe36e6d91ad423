/* lesson_file.h -- a lesson's file taken apart; pure */
#ifndef RANKSH_LESSON_FILE_H
#define RANKSH_LESSON_FILE_H

#include "base/status.h"
#include "base/text.h"

enum { TASKS_MAX = 12, WRONG_MAX = 4, COUNTS_MAX = 16 };

/* The texts of a task; those from PART_START to PART_SOLUTION are begun by a line "#: name". */
enum lesson_part {
	PART_TITLE,
	PART_STORY,
	PART_START,
	PART_CHECK,
	PART_HINT,
	PART_SOLUTION,
	PART_QUESTION,
	PART_ANSWER,
	PART_WRONG, /* WRONG_MAX of them */
	PARTS = PART_WRONG + WRONG_MAX
};
struct lesson_task {
	struct text part[PARTS];
	int wrongs;
};

struct lesson_file {
	struct text title, minutes;
	struct lesson_task task[TASKS_MAX];
	int tasks;
	/* The numbers of ranks that it is for, rising. One alone: at least so many; none: any number does. */
	int count[COUNTS_MAX];
	int counts;
};

/* Into a zeroed one, which is to be released in any case. ST_SYNTAX names the line. */
enum status lesson_file_read(struct lesson_file *file, const char *bytes, size_t count, const char *name);
void lesson_file_release(struct lesson_file *file);
/* ST_RANK: it is not for n ranks; says for how many, and how to start that. */
enum status lesson_file_fits(const struct lesson_file *file, int number, int n);

#endif
