/* blocks.h -- the same lines for several stages, written once: `@0-2,5 {`, the lines, `}` */
#ifndef RANKSH_BLOCKS_H
#define RANKSH_BLOCKS_H

#include "strategies/stages.h"

/* "0-2,5" */
void blocks_ranks(const bool *in, int ranks, struct text *out);
/* Indented, since a brace alone at a line's beginning would end the iteration. */
void blocks_put(struct text *out, const char *who, const struct text *lines);
/* What each stage has, in one block where neighbours have the same */
typedef void stage_writer(const struct pipe *pipe, int stage, const struct parameter *list, int count);
void blocks_each(struct pipe *pipe, stage_writer *lines, const struct parameter *list, int count);

#endif
