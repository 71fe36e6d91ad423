/* cache.h -- the files in which compiled kernels are kept from one session to the next
 *
 *      1. XDG_CACHE_HOME/ranksh, or ~/.cache/ranksh
 *      2. /tmp/ranksh-UID (TMPDIR in place of /tmp), if the first is read-only or full
 *
 * Files are read from both and written to the first that takes them. */
#ifndef RANKSH_CUDA_CACHE_H
#define RANKSH_CUDA_CACHE_H

#include "base/embedded.h"
#include "cuda/library/library.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_FOLDERS = 2, CACHE_PATH_BYTES = 1024 };

struct kernel_cache {
	char folder[CACHE_FOLDERS][CACHE_PATH_BYTES]; /* "": cannot be used */
	uint64_t digest; /* of all sources and NVRTC's version: any change makes new files */
	int lock;        /* descriptor of a file with one byte per family; -1: none */
	bool compiles;   /* cache_lock has been called */
	int progress;    /* descriptor for the line of progress; 0: none */
	bool reports;    /* the thread `reporter` runs until ends[1], of a pipe, is closed */
	pthread_t reporter;
	int ends[2];
};

/* Finds the folders. Requires NVRTC to be open. Close with cache_close. */
void cache_open(struct kernel_cache *cache, const struct cuda_library *cuda);
void cache_close(struct kernel_cache *cache);

/* Writes the path of a family's code there. Returns false if the folder cannot be used. */
bool cache_path(const struct kernel_cache *cache, int folder, const char *source, int architecture,
        char path[CACHE_PATH_BYTES]);
/* Returns true if the code of every family is there. */
bool cache_complete(const struct kernel_cache *cache, int architecture);
/* Writes the code to the first folder that accepts it. No such folder is no error. */
void cache_write(const struct kernel_cache *cache, const char *source, int architecture, const void *code,
        size_t bytes);

/* Locks a family in place of the last one locked, so that one process of this user and node
 * compiles it; cache_close unlocks. `wait`: for at most 10 minutes. Returns false if another
 * process has the lock; true also after that time, and if no folder has locks. After true read the
 * files again, which another process may have written. After one second writes a line of
 * progress. */
bool cache_lock(struct kernel_cache *cache, const struct embedded *source, bool wait);

#endif
