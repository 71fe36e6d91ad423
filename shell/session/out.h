/* out.h -- what a line says. Most of it every process computes alike, and rank 0's copy is shown; text made
 * from a rank's own data is added by its owner alone and merged when equal: "[0-3] y[0,0] = 11.27". */
#ifndef RANKSH_OUT_H
#define RANKSH_OUT_H

#include "base/text.h"

struct out;
struct out *out_create(bool colour, int width);
void out_free(struct out *out);
int out_width(const struct out *out);
bool out_colour(const struct out *out);
void out_setup(struct out *out, bool colour, int width);
/* Common text; may hold newlines; styled runs by style(). */
void out_say(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_put(struct out *out, const char *bytes, size_t count);
/* "\033[38;5;75m" or "" when plain; enum colour of trace/trace.h; COLOUR_PLAIN ends it. */
const char *style(const struct out *out, int colour);
/* A place in the output where ranks have texts of their own: call on every process, in the same order. Texts
 * that a process knows are given by out_fill: its own rank's when made from data, all ranks' when computed
 * from the books. Returns the place's number. */
int out_place(struct out *out);
void out_fill(struct out *out, int place, int rank, const char *text);
/* For the conductor: this process's own fills as bytes; and, on rank 0, others' bytes merged in and
 * everything rendered and emptied. */
void out_pack(const struct out *out, int me, struct text *bytes);
/* false: not of the same shape (a bug) */
bool out_unpack(struct out *out, int rank, const void *bytes, size_t count);
void out_render(struct out *out, struct text *rendered);
bool out_empty(const struct out *out);
/* While the sum of all deltas is above 0, whatever is said is dropped (replays, checks). */
void out_mute(struct out *out, int delta);

#endif
