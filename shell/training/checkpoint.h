/* checkpoint.h -- parameters and optimizer state in files
 *
 *     ck/gpt-20.json      the manifest, written last: without it there is no checkpoint
 *     ck/gpt-20.0.npy     shard 0: one rank's part, as f32
 *     ck/gpt-20.1.npy ...
 *
 * The `part` lines (training.h) determine what is saved. If several ranks hold the same part, the
 * first of them writes it. Any strategy whose parts cover the same parameters can resume, on any
 * number of ranks. Dropout, data and learning rate follow from the iteration. */
#ifndef RANKSH_CHECKPOINT_H
#define RANKSH_CHECKPOINT_H

#include "shell/training/training.h"
#include "shell/training/verify.h"

/* bytes of the longest path in a line and of `-ITERATION.NUMBER.npy.new` */
enum { CHECKPOINT_PATH_ROOM = 600 };

struct shard {
	const char *file;      /* in the manifest's folder */
	struct part_line line; /* parameter, state and place; no tensor */
	struct layout layout;  /* f32 */
	uint64_t digest;
};
/* Owns its texts. */
struct checkpoint {
	char *path;
	char *model;
	int iteration; /* completed iterations */
	int parts;     /* parts of a batch (`# parts`) with which it can resume; 0: any */
	char *loses;   /* why results may differ from one rank's; "": they do not */
	struct whole *whole;
	int wholes;
	struct shard *shard;
	size_t shards;
	struct names *names; /* owns the shards' words */
};
void checkpoint_release(struct checkpoint *c);

/* Saves the training between two iterations. Fails with ST_ARGUMENT without a program, within an
 * iteration or in a dry run, and with ST_FILE. A failure before the shards are renamed keeps an
 * earlier checkpoint of this name; one after that leaves no manifest. Without `force`, files
 * that no checkpoint has written are refused before any file changes. every: as in the line; 0: a
 * single checkpoint. A replay writes nothing. */
enum status checkpoint_save(struct shell *shell, const char *prefix, long every, bool force);
/* Returns true if the file is a whole manifest. Not collective. */
bool manifest_whole(const char *path);
/* Reads a manifest. path: its file, PREFIX-ITERATION, or PREFIX for the latest. Collective. Fails
 * with ST_FILE. */
enum status checkpoint_open(struct shell *shell, const char *path, struct checkpoint *c);
/* Checks that all shards are as written and cover the manifest's parameters. path: as for
 * checkpoint_open */
enum status checkpoint_whole(struct shell *shell, const char *path, const struct checkpoint *c);
/* Fails with ST_SHAPE, naming the first difference from the program's parameters and state. */
enum status checkpoint_fits(struct shell *shell, const struct checkpoint *c, const struct program *program);
/* Fills every declared part, after the hosts have waited for all work. */
enum status checkpoint_restore(struct shell *shell, const struct checkpoint *c);

#endif
