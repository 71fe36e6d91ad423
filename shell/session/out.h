/* out.h -- a line's output: common text, which every process makes and rank 0 shows; and texts by
 * rank, merged when equal: "[0-3] y[0,0] = 11.27" */
#ifndef RANKSH_OUT_H
#define RANKSH_OUT_H

#include "base/text.h"

struct out;
/* OK: the answer. ERROR: a script with it fails (an `expect` is false, a check is wrong). */
enum severity { SEVERITY_OK, SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };
const char *severity_name(enum severity severity);
struct out *out_create(bool colour, int width);
void out_free(struct out *out);
int out_width(const struct out *out);
bool out_colour(const struct out *out);
void out_setup(struct out *out, bool colour, int width);
/* Adds common text, with newlines and styled runs (style()). */
void out_say(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_put(struct out *out, const char *bytes, size_t count);
/* Returns an escape code, or "" without colours. colour: of trace/trace.h; COLOUR_PLAIN ends
 * it. */
const char *style(const struct out *out, int colour);
/* Adds a place for texts by rank; returns its number. Every process calls it, in the same order.
 * out_fill sets a rank's text there: a text from data only on the rank's own process, a text
 * computed from the world on every process. */
int out_place(struct out *out);
void out_fill(struct out *out, int place, int rank, const char *text);
/* Sets the severity of the output that follows. Returns the former one, which the caller restores. */
enum severity out_severity(struct out *out, enum severity severity);
/* Appends the texts of rank `me`, to be sent to rank 0. */
void out_pack(const struct out *out, int me, struct text *bytes);
/* On rank 0: merges a rank's packed texts. Returns false if the places do not match (a bug). */
bool out_unpack(struct out *out, int rank, const void *bytes, size_t count);
/* Appends the output to `rendered` (NULL: drops it), and empties `out`. */
void out_render(struct out *out, struct text *rendered);
/* The same for the first part with one severity, which it returns. */
enum severity out_render_some(struct out *out, struct text *rendered);
bool out_empty(const struct out *out);
/* Adds delta to a count; while it is above 0, output is dropped (replays, checks). */
void out_mute(struct out *out, int delta);

#endif
