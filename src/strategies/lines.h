/* lines.h -- how the files behind layers.h write their lines; nobody else's */
#ifndef RANKSH_LINES_H
#define RANKSH_LINES_H

#include "strategies/layers.h"

bool lines_half(const struct layers *layers); /* a half type, with f32 masters */
/* The rows of a micro-batch, and its tokens, as a word of an expression: "8" or "rows"; "512" or "rows*64" */
const char *lines_rows(const struct layers *layers, char word[32]);
const char *lines_tokens(const struct layers *layers, char word[64]);
/* Words like "n#" "w@": '#' stands for the unit and the suffix, '@' for the unit alone (parameters), '^' for
 * the unit before and the suffix (x^: what the unit reads). Other bytes stand for themselves. */
void lines_put(const struct layers *layers, int unit, const char *pattern);
/* "dw2 = matmul a.T dz": the gradient of a parameter, added to that of the micro-batches before, or (also) of
 * the unit's other lines. unit 0: the name carries no number. */
void lines_gradient(struct layers *layers, const char *parameter, int unit, const char *left,
        const char *right, bool also);
void lines_name(const struct layers *layers, const char *base, int unit, char name[48]);
/* What the strategy makes of the tensor base<number><suffix> at this place of `unit` */
void lines_place(struct layers *layers, enum layer_place at, enum half half, int unit, const char *base,
        int number, char name[48]);

/* "dp2 = dropout_grad dr2 p=0.1 seed=... at=...": to, of: whole names. No line for a model without
 * dropout. */
void lines_dropout(const struct layers *layers, const char *kernel, const char *to, const char *of, int unit,
        enum half half);

/* layers_gpt.c: unit 0 .. layers */
void gpt_forward(struct layers *layers, int unit);
void gpt_backward(struct layers *layers, int unit, int which);

#endif
