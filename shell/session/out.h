/* out.h -- a line's output: common text, equal everywhere and shown by rank 0, and texts by rank,
 * merged when equal: "[0-3] y[0,0] = 11.27" */
#ifndef RANKSH_OUT_H
#define RANKSH_OUT_H

#include "base/text.h"

struct out;
struct out *out_create(bool colour, int width);
void out_free(struct out *out);
int out_width(const struct out *out);
bool out_colour(const struct out *out);
void out_setup(struct out *out, bool colour, int width);
/* Adds common text, with newlines and styled runs (style()). */
void out_say(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_put(struct out *out, const char *bytes, size_t count);
/* Returns "\033[38;5;75m", or "" when plain. colour: of trace/trace.h; COLOUR_PLAIN ends. */
const char *style(const struct out *out, int colour);
/* Adds a place for texts by rank; returns its number. Every process calls it, in the same order.
 * out_fill adds a text: a process fills in its own rank if the text comes from data, all ranks if
 * it is computed from the world. */
int out_place(struct out *out);
void out_fill(struct out *out, int place, int rank, const char *text);
/* out_pack appends this process's texts. On rank 0 out_unpack merges another's bytes; out_render
 * renders and empties; NULL: only empties. */
void out_pack(const struct out *out, int me, struct text *bytes);
/* Returns false if the places do not match (a bug). */
bool out_unpack(struct out *out, int rank, const void *bytes, size_t count);
void out_render(struct out *out, struct text *rendered);
bool out_empty(const struct out *out);
/* Drops output while the deltas' sum is above 0 (replays, checks). */
void out_mute(struct out *out, int delta);

#endif
