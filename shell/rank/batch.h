/* batch.h -- runs without a person, on rank 0: batch.c, and test.c for `#>` lines */
#ifndef RANKSH_BATCH_H
#define RANKSH_BATCH_H

#include "shell/rank/conductor.h"

/* Runs what the options name; the exit status of the process. */
int batch_run(struct conductor *conductor);
/* A script whose `#> text` lines say what has been printed since the `#>` lines before: what differs is
 * shown, and is ST_EXPECT. A refused line's message counts as printed when `#>` lines follow it. A script
 * without such lines is just run. */
enum status test_text(struct conductor *conductor, const char *file, const char *bytes, size_t count);
/* Runs it, and then who waits is stuck. */
enum status run_text(struct conductor *conductor, const char *file, const char *bytes, size_t count);
/* The last failure's words, on the real descriptor 2. */
void say_failure(struct conductor *conductor, enum status status);

#endif
