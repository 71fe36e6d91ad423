/* shared.c -- memory between processes: files without a name, which another process opens as /proc/PID/fd/N. The last process that ends takes
 * them along. */
#include "inside.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static int map(int fd, int64_t bytes, void **at)
{
	*at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	return *at == MAP_FAILED ? errno : 0;
}

/* Of a file that has a name in /proc/PID/fd only */
static int share(const char *name, int64_t bytes, void **at, int *fd)
{
	if ((*fd = memfd_create(name, MFD_CLOEXEC)) < 0)
		return errno;
	int failed = ftruncate(*fd, bytes) ? errno : map(*fd, bytes, at);
	if (failed)
		close(*fd);
	return failed;
}

int standin_share(int64_t bytes, void **at, int *fd)
{
	return share("standin", bytes, at, fd);
}

int standin_attach(int pid, int fd, int64_t bytes, void **at)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
	int own = open(path, O_RDWR | O_CLOEXEC);
	if (own < 0)
		return errno;
	int failed = map(own, bytes, at);
	close(own);
	return failed;
}

/* ---- the log that belongs to memory which an application shares: a file named after the memory's own, found among those that are open */

/* The process's open file of that name: its number, or -1 */
static int find_in(const char *process, const char *name)
{
	char folder[300], path[600], link[600];
	snprintf(folder, sizeof folder, "/proc/%s/fd", process);
	DIR *all = opendir(folder);
	int found = -1;
	for (struct dirent *one; all && found < 0 && (one = readdir(all));) {
		snprintf(path, sizeof path, "%s/%s", folder, one->d_name);
		ssize_t length = readlink(path, link, sizeof link - 1);
		link[length > 0 ? length : 0] = 0;
		if (!strncmp(link, name, strlen(name)))
			found = atoi(one->d_name);
	}
	if (all)
		closedir(all);
	return found;
}

/* Maps a copy of it that this process holds open for the others. false: nobody has it */
static bool adopt(const char *process, int fd, void **at)
{
	char path[300];
	snprintf(path, sizeof path, "/proc/%s/fd/%d", process, fd);
	int own = open(path, O_RDWR | O_CLOEXEC);
	if (own < 0)
		return false;
	bool mapped = !map(own, (int64_t)log_bytes(), at);
	if (!mapped)
		close(own);
	return mapped;
}

static struct log *find_log(const char *name)
{
	char wanted[120];
	void *at = NULL;
	int fd;
	snprintf(wanted, sizeof wanted, "/memfd:%s ", name);
	if ((fd = find_in("self", wanted)) >= 0)
		return standin_attach(getpid(), fd, (int64_t)log_bytes(), &at) ? NULL : at;
	DIR *all = opendir("/proc");
	for (struct dirent *one; all && !at && (one = readdir(all));)
		if (atoi(one->d_name) > 0 && (fd = find_in(one->d_name, wanted)) >= 0 &&
		        !adopt(one->d_name, fd, &at))
			at = NULL;
	if (all)
		closedir(all);
	if (!at && share(name, (int64_t)log_bytes(), &at, &fd))
		return NULL;
	return at;
}

/* The file of /proc/self/maps that `at` is in, as "DEVICE-INODE", and where in it; false: no shared file */
static bool file_of(const void *at, char name[80], size_t *offset)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[1000], rights[5], device[20];
	unsigned long long first, last, start, inode;
	bool found = false;
	while (maps && !found && fgets(line, sizeof line, maps))
		if (sscanf(line, "%llx-%llx %4s %llx %19s %llu", &first, &last, rights, &start, device,
		            &inode) == 6 &&
		        (uintptr_t)at >= first && (uintptr_t)at < last) {
			if (rights[3] != 's')
				break;
			found = true;
			snprintf(name, 80, "standin-%s-%llu", device, inode);
			*offset = (size_t)((uintptr_t)at - first + start);
		}
	if (maps)
		fclose(maps);
	return found;
}

/* One process at a time looks and makes: the lock is on this library's own file, and goes with the process. */
struct log *log_of_mapping(const void *at, size_t *offset)
{
	char name[80];
	Dl_info self;
	if (!file_of(at, name, offset) || !dladdr((void *)(uintptr_t)&standin_lock, &self))
		return NULL;
	int lock = open(self.dli_fname, O_RDONLY | O_CLOEXEC);
	if (lock < 0)
		return NULL;
	flock(lock, LOCK_EX);
	struct log *log = find_log(name);
	close(lock);
	return log;
}
