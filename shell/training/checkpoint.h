/* checkpoint.h -- the state of a training in files: parameters and optimizer, whole, whoever held which part
 *
 *     ck/gpt-20.json      the manifest, written last: without it there is no checkpoint
 *     ck/gpt-20.0.npy     shard 0: what one rank's tensor held of one parameter, or of a state of one, as f32
 *     ck/gpt-20.1.npy ...
 *
 * What there is, is what `part` lines declare (parts.h); of a part that several ranks hold, the first of them writes
 * it. Nothing in the files says how many ranks there were: any strategy whose parts cover the same parameters
 * may go on from them. Where dropout, the data and the learning rate stand follows from the iteration. */
#ifndef RANKSH_CHECKPOINT_H
#define RANKSH_CHECKPOINT_H

#include "shell/training/parts.h"
#include "shell/training/verify.h"

struct shard {
	const char *file;      /* beside the manifest */
	struct part_line line; /* of, state, and where it lies; no tensor */
	struct layout layout;  /* f32 */
	uint64_t digest;       /* of its elements */
};
/* Its texts are its own (checkpoint_release). A zeroed one may be released. */
struct checkpoint {
	char *path;    /* of the manifest */
	char *model;   /* and its options, as they were given */
	int iteration; /* so many were done */
	int parts;     /* its batch was trained in so many (`# parts`); 0: in any */
	char *loses;   /* why it is not what one rank would have; "": it is */
	struct whole *whole;
	int wholes;
	struct shard *shard;
	size_t shards;
	struct names *names; /* keeps the shards' words */
};
void checkpoint_release(struct checkpoint *c);

/* Of the program at hand, between two iterations: every rank's host waits for all its work and for the copies of what
 * it writes. Says what was written. ST_ARGUMENT: there is no program, its iteration is not at its end, a dry run;
 * ST_FILE: worded; then there is no manifest. Lines that run again write nothing. force: files are replaced
 * that no checkpoint has written; else these refuse it before any wait, and all files stay. every: that of the line that asked for
 * it; 0: it asked for one checkpoint. */
enum status checkpoint_save(struct shell *shell, const char *prefix, long every, bool force);
/* On this process alone. Returns true if the file is a whole manifest. */
bool manifest_whole(const char *path);
/* Of `path`: a manifest, or PREFIX-ITERATION, or PREFIX: then the latest. All processes get the same. ST_FILE: there
 * is none, it cannot be read, or it is torn. */
enum status checkpoint_open(struct shell *shell, const char *path, struct checkpoint *c);
/* Where the latest checkpoint of a prefix, `found`, cannot be used (`status`, worded): the words name the one before it
 * too. The same for all processes; returns `status`. */
enum status checkpoint_name_before(
        struct shell *shell, const char *prefix, const char *found, enum status status);
/* Are all shards there, as they were written, and do they cover what the manifest names? path: as it was opened by */
enum status checkpoint_whole(struct shell *shell, const char *path, const struct checkpoint *c);
/* Has the model the same parameters, and the optimizer the same state? ST_SHAPE: the first that differs */
enum status checkpoint_fits(struct shell *shell, const struct checkpoint *c, const struct program *program);
/* Every part that the ranks have declared gets its elements; hosts wait for all work first. */
enum status checkpoint_restore(struct shell *shell, const struct checkpoint *c);

#endif
