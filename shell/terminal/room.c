/* room.c -- limits and disk space that mpirun needs; a job's shared-memory folder
 *
 * Measured with Open MPI 4.1: with too few descriptors it hangs, or its ranks end silently. PMIx
 * creates two files of 4 MB in Open MPI's folder, and each rank one of slightly over 4 MB in
 * shared memory. */
#include "shell/terminal/room.h"
#include "base/number.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { FILES_OWN = 28, FILES_A_RANK = 5, FILE_BYTES = 5 << 20, FOLDER_BYTES = 9 << 20 };

static const char *room_folder(void)
{
	static const char *const names[] = {"OMPI_MCA_orte_tmpdir_base", "TMPDIR", "TEMP", "TMP"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *folder = getenv(names[i]);
		if (folder && *folder)
			return folder;
	}
	return "/tmp";
}

static enum status files_fit(int n)
{
	struct rlimit limit;
	unsigned long wanted = FILES_OWN + FILES_A_RANK * (unsigned long)n;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
		return ST_OK;
	rlim_t before = limit.rlim_cur;
	limit.rlim_cur = wanted;
	if (limit.rlim_max >= wanted && setrlimit(RLIMIT_NOFILE, &limit) == 0)
		return ST_OK;
	return fail(ST_FILE,
	        "mpirun needs %lu open files for %d ranks, and the limit is %lu: `ulimit -n %lu` before "
	        "ranksh, or fewer ranks (-n)",
	        wanted, n, (unsigned long)before, wanted);
}

/* Leaves the decision to mpirun if the folder cannot be examined. */
static enum status folder_fits(void)
{
	struct statvfs disk;
	if (statvfs(room_folder(), &disk) != 0 || disk.f_blocks == 0)
		return ST_OK;
	double free = (double)disk.f_frsize * (double)(geteuid() ? disk.f_bavail : disk.f_bfree);
	if (free >= FOLDER_BYTES)
		return ST_OK;
	return fail(ST_FILE,
	        "%s has room for %s, and mpirun needs %s there: set TMPDIR to a folder with more room",
	        room_folder(), bytes_words((int64_t)free).text, bytes_words(FOLDER_BYTES).text);
}

enum status room_for_mpirun(int n)
{
	struct rlimit limit;
	enum status status = files_fit(n);
	if (status == ST_OK && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < FILE_BYTES)
		status = fail(ST_FILE,
		        "mpirun needs files of %s, and the limit is %s: `ulimit -f unlimited` before ranksh",
		        bytes_words(FILE_BYTES).text, bytes_words((int64_t)limit.rlim_cur).text);
	return status == ST_OK ? folder_fits() : status;
}

/* ---- shared memory ---- */

#define SHARED "/dev/shm"
static const char *const settings[] = {
        "OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory"};

/* Locks the folder. Returns its descriptor; -1 if it is not this user's folder, or its front end
 * lives. */
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

/* The folder stays until the next start if a rank still writes to it. */
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

/* Makes no folder if another start removes it before it is locked. */
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
