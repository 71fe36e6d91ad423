/* inside.h -- private to line/: the answers to questions (training/question.h), each of which runs lines again
 *
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_LINE_INSIDE_H
#define RANKSH_LINE_INSIDE_H

#include "base/arithmetic.h"
#include "shell/line/rerun.h"
#include "shell/session/shell.h"
#include "shell/training/question.h"

enum status answer_whatif(struct shell *shell, const struct question *question);
enum status answer_saving(struct shell *shell, const struct question *question);

#endif
