/* cheats.h -- generated wrong attempts: a compared tensor without the work, or overwritten
 *
 *     close(y, r)    y unwritten | y filled with its last number | y a copy of another tensor
 *
 * Each runs alone and after the solution. */
#ifndef RANKSH_LESSON_CHEATS_H
#define RANKSH_LESSON_CHEATS_H

#include "base/status.h"
#include "base/text.h"

struct lesson_task;
struct shell;
struct cheat {
	struct text what, lines;
};
struct cheats {
	struct cheat *cheat;
	size_t count;
};
/* Fills a zeroed *cheats from rank 0's tensors; always release it. Fails with ST_INTERRUPTED. */
enum status cheats_make(struct cheats *cheats, const struct lesson_task *task, int n, struct shell *of);
void cheats_release(struct cheats *cheats);

#endif
