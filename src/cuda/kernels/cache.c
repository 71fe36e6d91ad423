/* cache.c -- the files in which compiled kernels are kept: folders, names, and the locks of the
 * processes that compile */
#include "cuda/kernels/cache.h"
#include "base/file.h"
#include "base/search.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 600000, LOCK_POLL_MS = 20 };

/* Makes BASE/NAME. The result is "" if that fails, or if another user could write there. */
static void folder_make(char folder[CACHE_PATH_BYTES], const char *base, const char *name)
{
	struct stat about;
	int length = snprintf(folder, CACHE_PATH_BYTES, "%s/%s", base, name);
	bool fits = *base == '/' && length < CACHE_PATH_BYTES - 128;
	if (fits) {
		mkdir(base, 0700);
		mkdir(folder, 0700);
	}
	if (!fits || stat(folder, &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid() ||
	        (about.st_mode & (S_IWGRP | S_IWOTH)))
		*folder = '\0';
}

static void folders_make(struct kernel_cache *cache)
{
	char base[CACHE_PATH_BYTES] = "", name[32];
	const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *temporary = getenv("TMPDIR");
	if (given && *given == '/')
		snprintf(base, sizeof base, "%s", given);
	else if (home)
		snprintf(base, sizeof base, "%s/.cache", home);
	folder_make(cache->folder[0], base, "ranksh");
	snprintf(name, sizeof name, "ranksh-%u", (unsigned)geteuid());
	folder_make(cache->folder[1], temporary && *temporary == '/' ? temporary : "/tmp", name);
}

void cache_open(struct kernel_cache *cache, const struct cuda_library *cuda)
{
	int version[2] = {0};
	*cache = (struct kernel_cache){.lock = -1, .progress = cuda->progress};
	folders_make(cache);
	cuda->nvrtcVersion(&version[0], &version[1]);
	cache->digest = hash_bytes(HASH_BEGIN, version, sizeof version);
	for (const struct embedded *file = embedded_files; file->path; file++)
		if (fnmatch("src/*.cu*", file->path, 0) == 0 || fnmatch("src/*.h", file->path, 0) == 0)
			cache->digest = hash_bytes(cache->digest, file->bytes, file->count);
}

void cache_close(struct kernel_cache *cache)
{
	if (cache->reports) {
		close(cache->ends[1]);
		pthread_join(cache->reporter, NULL);
		close(cache->ends[0]);
	}
	if (cache->lock >= 0)
		close(cache->lock);
}

bool cache_path(const struct kernel_cache *cache, int folder, const char *source, int architecture,
        char path[CACHE_PATH_BYTES])
{
	const char *name = strrchr(source, '/') + 1;
	snprintf(path, CACHE_PATH_BYTES, "%.900s/kernels-%.*s-sm_%d-%016llx", cache->folder[folder],
	        (int)strcspn(name, "."), name, architecture, (unsigned long long)cache->digest);
	return *cache->folder[folder];
}

bool cache_complete(const struct kernel_cache *cache, int architecture)
{
	char path[CACHE_PATH_BYTES];
	bool complete = true;
	for (const struct embedded *file = embedded_files; file->path && complete; file++) {
		bool there = fnmatch("*.cu", file->path, 0) != 0;
		for (int i = 0; i < CACHE_FOLDERS && !there; i++)
			there = cache_path(cache, i, file->path, architecture, path) &&
			        access(path, R_OK) == 0;
		complete = there;
	}
	return complete;
}

void cache_write(const struct kernel_cache *cache, const char *source, int architecture, const void *code,
        size_t bytes)
{
	char path[CACHE_PATH_BYTES];
	bool written = false;
	for (int i = 0; i < CACHE_FOLDERS && !written; i++)
		written = cache_path(cache, i, source, architecture, path) &&
		        file_write(path, code, bytes) == ST_OK;
}

static void *report_progress(void *self)
{
	const struct kernel_cache *cache = self;
	struct pollfd closed = {.fd = cache->ends[0], .events = POLLIN};
	if (poll(&closed, 1, 1000) == 0)
		dprintf(cache->progress,
		        "cuda: compiling the kernels for this GPU, once: about a minute (`make gpu` builds "
		        "them in)\n");
	return NULL;
}

static void start_reporter(struct kernel_cache *cache)
{
	if (cache->progress <= 0 || pipe2(cache->ends, O_CLOEXEC) != 0)
		return;
	cache->reports = pthread_create(&cache->reporter, NULL, report_progress, cache) == 0;
	if (!cache->reports) {
		close(cache->ends[0]);
		close(cache->ends[1]);
	}
}

/* Opens the lock file in the first folder whose file system has locks. */
static void open_lock(struct kernel_cache *cache)
{
	char path[CACHE_PATH_BYTES];
	for (int i = 0; i < CACHE_FOLDERS && cache->lock < 0; i++) {
		struct flock any = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		snprintf(path, sizeof path, "%.1000s/lock", cache->folder[i]);
		if (*cache->folder[i])
			cache->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (cache->lock >= 0 && fcntl(cache->lock, F_OFD_GETLK, &any) != 0) {
			close(cache->lock);
			cache->lock = -1;
		}
	}
}

bool cache_lock(struct kernel_cache *cache, const struct embedded *source, bool wait)
{
	struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET}, family = all;
	family.l_type = F_WRLCK;
	family.l_start = source - embedded_files;
	family.l_len = 1;
	if (!cache->compiles) {
		cache->compiles = true;
		start_reporter(cache);
		open_lock(cache);
	}
	if (cache->lock < 0)
		return true;
	fcntl(cache->lock, F_OFD_SETLK, &all);
	for (int waited = 0; fcntl(cache->lock, F_OFD_SETLK, &family) != 0; waited += LOCK_POLL_MS) {
		if (errno != EAGAIN || waited >= LOCK_WAIT_MS)
			return true; /* a process that was stopped may hold it */
		if (!wait)
			return false;
		poll(NULL, 0, LOCK_POLL_MS);
	}
	return true;
}
