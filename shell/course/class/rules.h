/* rules.h -- what an instructor says of a class, in the file `class` of its folder:
 *
 *     lessons = 1 2 4-6        # those that can be opened; without the line all
 *     minutes = 90             # for each lesson, from when it is opened
 *     until = 14:30            # for all of them
 *     hint = after 14:00       # or yes, no
 *     solution = no
 *
 * Times of day are those of the learner's computer. Pure. */
#ifndef RANKSH_CLASS_RULES_H
#define RANKSH_CLASS_RULES_H

#include "base/status.h"
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

enum { CLASS_LESSONS_MOST = 64, DAY_MINUTES = 24 * 60 };
/* When hints, or solutions, are shown: from that minute of the day on; 0: always; DAY_MINUTES: never */
struct class_rules {
	uint64_t lessons; /* bit 0: lesson 1; 0: all */
	int minutes;      /* 0: any time */
	int until;        /* a minute of the day, from 1; 0: none */
	int hint, solution;
};

/* ST_SYNTAX: the first mistake, with its line, and `name` for the file; the other lines count all the same. */
enum status rules_read(struct class_rules *rules, const char *bytes, size_t count, const char *name);
/* Can the lesson be opened? */
bool rules_opens(const struct class_rules *rules, int lesson);
/* "lessons 1 2 4-6, until 14:30, no hints"; nothing where nothing is said */
void rules_words(const struct class_rules *rules, struct text *out);
void rules_lessons(const struct class_rules *rules, struct text *out); /* "1 2 4-6" */

#endif
