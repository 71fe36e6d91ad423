/* source.h -- what the stand-in's NVRTC sees in a source: whether its brackets, texts and comments are whole */
#ifndef RANKSH_STANDIN_SOURCE_H
#define RANKSH_STANDIN_SOURCE_H

#include <stdbool.h>

/* False: `line` is where, and `words` what is wrong there, as a compiler would say it. */
bool source_whole(const char *text, int *line, const char **words);

#endif
