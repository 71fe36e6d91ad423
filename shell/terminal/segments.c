/* segments.c -- creates, locks and removes a job's shared-memory folder */
#include "shell/terminal/segments.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHARED "/dev/shm"
static const char *const settings[] = {
        "OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory"};

/* Locks this user's folder. Returns its descriptor; -1 if it is none, or its front end lives. */
static int folder_lock(const char *path)
{
	struct stat folder;
	int lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (lock >= 0 && fstat(lock, &folder) == 0 && folder.st_uid == geteuid() &&
	        flock(lock, LOCK_EX | LOCK_NB) == 0)
		return lock;
	if (lock >= 0)
		close(lock);
	return -1;
}

/* Empties and removes a locked folder. If a rank still writes, it stays until the next start. */
static void folder_remove(const char *path, int lock)
{
	DIR *entries = opendir(path);
	for (struct dirent *entry; entries && (entry = readdir(entries));)
		unlinkat(lock, entry->d_name, 0);
	if (entries)
		closedir(entries);
	rmdir(path);
	close(lock);
}

static void remove_dead(const char *prefix)
{
	DIR *entries = opendir(SHARED);
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		char path[sizeof SHARED + sizeof entry->d_name];
		int lock;
		snprintf(path, sizeof path, SHARED "/%s", entry->d_name);
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && (lock = folder_lock(path)) >= 0)
			folder_remove(path, lock);
	}
	if (entries)
		closedir(entries);
}

/* Another start may remove the folder before it is locked: then there is none. */
void segments_open(struct segments *segments)
{
	char prefix[32];
	struct stat folder;
	*segments = (struct segments){.lock = -1};
	unsetenv("RANKSH_SEGMENTS");
	snprintf(prefix, sizeof prefix, "ranksh.%u.", (unsigned)geteuid());
	remove_dead(prefix);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (getenv(settings[i]))
			return;
	snprintf(segments->path, sizeof segments->path, SHARED "/%sXXXXXX", prefix);
	if (!mkdtemp(segments->path)) {
		*segments->path = '\0';
		return;
	}
	segments->lock = folder_lock(segments->path);
	if (segments->lock < 0 || fstat(segments->lock, &folder) != 0 || folder.st_nlink == 0)
		segments_close(segments);
	else
		setenv("RANKSH_SEGMENTS", segments->path, 1);
}

void segments_close(struct segments *segments)
{
	if (*segments->path && segments->lock >= 0)
		folder_remove(segments->path, segments->lock);
	else if (*segments->path)
		rmdir(segments->path);
	*segments = (struct segments){.lock = -1};
}
