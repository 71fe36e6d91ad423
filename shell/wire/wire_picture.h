/* wire_picture.h -- a picture as text, short enough to be sent for every key
 *
 *     WIDTH HEIGHT \n  then for each row:   glyphs (UTF-8) \n  runs \n
 *     runs:  COUNT.COLOUR[d][r][@OP], separated by blanks; d dim, r reverse */
#ifndef RANKSH_WIRE_PICTURE_H
#define RANKSH_WIRE_PICTURE_H

#include "trace/trace.h"

/* Appends the picture as text. */
void wire_put_picture(const struct picture *picture, struct text *out);
/* Reads a picture, owned by the caller. Fails with ST_SYNTAX, and leaves *picture empty. */
enum status picture_read(const char *text, struct picture *picture);

#endif
