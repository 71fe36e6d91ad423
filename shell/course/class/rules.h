/* rules.h -- the class's rules, which the instructor writes to the file `class` in its folder:
 *
 *     lessons = 1 2 4-6        # lessons that can be opened; without this line: all
 *     minutes = 90             # for each lesson, from its opening
 *     until = 14:30            # for all lessons
 *     hint = after 14:00       # or yes, no
 *     solution = no
 *
 * Times of day are by the learner's clock. Pure. */
#ifndef RANKSH_CLASS_RULES_H
#define RANKSH_CLASS_RULES_H

#include "base/status.h"
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

enum { CLASS_LESSONS_MOST = 64, DAY_MINUTES = 24 * 60 };
struct class_rules {
	uint64_t lessons;   /* bit 0: lesson 1; 0: all */
	int minutes;        /* for a lesson; 0: no limit */
	int until;          /* minute of the day; 0: no limit */
	int hint, solution; /* shown from this minute of the day; 0: always; DAY_MINUTES: never */
};

/* Reads all correct lines. Fails with ST_SYNTAX for the first mistake, with `name` and line. */
enum status rules_read(struct class_rules *rules, const char *bytes, size_t count, const char *name);
bool rules_opens(const struct class_rules *rules, int lesson);
/* Adds "lessons 1 2 4-6, until 14:30, no hints", or nothing if there are no rules. */
void rules_words(const struct class_rules *rules, struct text *out);
void rules_lessons(const struct class_rules *rules, struct text *out); /* adds "1 2 4-6" */

#endif
