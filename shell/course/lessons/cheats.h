/* cheats.h -- a task's own cheats: a compared tensor got without work, or spoiled behind it
 *
 *     close(y, r)    y left unwritten | y filled with its last number | a tensor of its shape copied onto it: alone, and behind the solution */
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
/* Into a zeroed one, to be released in any case. Of tensors that rank 0 has. ST_INTERRUPTED */
enum status cheats_make(struct cheats *cheats, const struct lesson_task *task, int n, struct shell *of);
void cheats_release(struct cheats *cheats);

#endif
