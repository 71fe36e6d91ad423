/* wire_picture.h -- a picture of cells as text, short enough to be sent for every key: glyphs, and runs of
 * equal style and operation.
 *
 *     WIDTH HEIGHT \n  then for each row:   glyphs (UTF-8) \n  runs \n
 *     a run:  COUNT.COLOUR[dbr][@OP]   separated by blanks; d dim, b bold, r reverse; OP what lies under the
 *                                      cells */
#ifndef RANKSH_WIRE_PICTURE_H
#define RANKSH_WIRE_PICTURE_H

#include "trace/trace.h"

void wire_put_picture(const struct picture *picture, struct text *out);
/* ST_SYNTAX: *picture is then empty. */
enum status picture_read(const char *text, struct picture *picture);

#endif
