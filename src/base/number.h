/* number.h -- numbers with units, as people write them: 20us 4k 80% 1.5x 12GB/s */
#ifndef RANKSH_NUMBER_H
#define RANKSH_NUMBER_H

#include "base/status.h"
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

/* What a number counts. PLAIN mixes with anything; different others do not mix (ST_UNIT). */
enum unit {
	UNIT_PLAIN,
	UNIT_TIME /* ns */,
	UNIT_BYTES,
	UNIT_BYTE_RATE /* bytes/s */,
	UNIT_FLOP_RATE /* flop/s */
};

struct number {
	double value;
	enum unit unit;
};

/* Reads a number with an optional unit at `s`; *used is the characters taken. k M G are 1024s, except
 * before B/s and FLOP/s, where they are 1000s. "inf" is not read here. "80%" gives 0.8, "1.5x" 1.5.
 * No sign, no blank before the unit. T works as k M G do. C locale wanted (LC_NUMERIC).
 * ST_SYNTAX: no number there; ST_UNIT: an unknown unit; ST_RANGE: too large.
 * A % counts only when the next character is not a name, number or bracket (else it is the remainder). */
enum status number_read(const char *s, struct number *number, int *used);
/* A whole number from least to most: it may be made an integer. NaN is none. */
bool number_is_whole(double value, double least, double most);
/* A moment or a length of virtual time, 0 or more: it has a time's unit, or is 0, which needs none. */
bool number_is_time(struct number number, int64_t *ns);
const char *unit_name(enum unit unit);
/* The digits of a whole number, at `to` (20 bytes at most, no NUL); gives their end */
char *number_digits(char *to, int64_t value);
/* Without a unit: whole numbers nearer to 0 than `whole` (at most 1e18) in full, others with `digits` significant ones */
enum { NUMBER_ROOM = 32 };
void number_plain(double value, int digits, double whole, char out[NUMBER_ROOM]);
/* "2.00 ms", "64 kB", "0.83", "12", "273 MB/s": as a person would say it, at most 6 significant digits; whole
 * numbers in full */
void number_text(struct number number, struct text *out);
void time_text(int64_t ns, struct text *out);     /* "0", "20 us", "2.00 ms", "1.25 s" */
void bytes_text(int64_t bytes, struct text *out); /* "96 B", "4 kB", "1.5 MB": 1024s */
/* Appends bytes_text between two texts, either of which may be "". */
void bytes_in_words(struct text *out, const char *before, int64_t bytes, const char *after);

#endif
