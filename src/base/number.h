/* number.h -- numbers with units: 20us 4k 80% 1.5x 12GB/s */
#ifndef RANKSH_NUMBER_H
#define RANKSH_NUMBER_H

#include "base/status.h"
#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

/* PLAIN combines with any unit; other pairs of different units fail with ST_UNIT. */
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

/* Reads an unsigned number with an optional unit, without a blank; *used: characters read. k M G
 * T are 1024s, but 1000s before B/s and FLOP/s. "80%" is 0.8, "1.5x" 1.5; % before a name,
 * number or bracket is the remainder. Requires the C locale. Fails with ST_SYNTAX if there is no
 * number, ST_UNIT if the unit is unknown, ST_RANGE if the number is too large. */
enum status number_read(const char *s, struct number *number, int *used);
/* Returns true for a whole number from least to most, not for NaN. */
bool number_is_whole(double value, double least, double most);
/* Sets *ns and returns true for a time of 0 or more. Requires a unit of time, except for 0. */
bool number_is_time(struct number number, int64_t *ns);
const char *unit_name(enum unit unit);
/* Writes up to 20 digits and a NUL. Returns the end of the digits. */
char *number_digits(char *to, int64_t value);
/* Writes a number without a unit: a whole number nearer to 0 than `whole` (at most 1e18) in full,
 * others with `digits` significant digits. */
enum { NUMBER_ROOM = 32 };
void number_plain(double value, int digits, double whole, char out[NUMBER_ROOM]);
/* Appends "2.00 ms", "64 kB", "0.83", "12", "273 MB/s": at most 6 significant digits, whole
 * numbers in full. */
void number_text(struct number number, struct text *out);
void time_text(int64_t ns, struct text *out);     /* "0", "20 us", "2.00 ms", "1.25 s" */
void bytes_text(int64_t bytes, struct text *out); /* "96 B", "4 kB", "1.5 MB", in 1024s */
/* time_text and bytes_text for use in a format: text_add(out, "took %s", time_words(ns).text) */
struct short_words {
	char text[32];
};
struct short_words time_words(int64_t ns);
struct short_words bytes_words(int64_t bytes);

#endif
