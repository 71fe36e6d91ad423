/* batch.h -- runs without a prompt, on rank 0: batch.c, and test.c for `#>` lines */
#ifndef RANKSH_BATCH_H
#define RANKSH_BATCH_H

#include "shell/rank/conductor.h"

/* Runs the options' file, lines or input. Returns the process's exit status. */
int batch_run(struct conductor *conductor);
/* Runs a script and compares its output with its `#>` lines, among them a refused line's message.
 * Shows differences: ST_EXPECT. Without `#>` lines it only runs, and reports that nothing was
 * compared. */
enum status test_text(struct conductor *conductor, const char *file, const char *bytes, size_t count);
/* Runs a script; ranks that wait at its end are stuck. */
enum status run_text(struct conductor *conductor, const char *file, const char *bytes, size_t count);
/* Writes the last failure's words to the real descriptor 2. */
void say_failure(struct conductor *conductor, enum status status);

#endif
