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

/* ---- files that processes find by their names among those that are open */

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

/* Maps a copy of it that this process holds open for the others: its number, or -1 */
static int adopt(const char *process, int fd, int64_t bytes, void **at)
{
	char path[300];
	snprintf(path, sizeof path, "/proc/%s/fd/%d", process, fd);
	int own = open(path, O_RDWR | O_CLOEXEC);
	if (own >= 0 && map(own, bytes, at)) {
		close(own);
		return -1;
	}
	return own;
}

static int parent_of(const char *process)
{
	char path[300], line[400] = "";
	int parent = -1;
	snprintf(path, sizeof path, "/proc/%s/stat", process);
	FILE *file = fopen(path, "re");
	if (file && fgets(line, sizeof line, file) && strrchr(line, ')') &&
	        sscanf(strrchr(line, ')') + 1, " %*c %d", &parent) != 1)
		parent = -1;
	if (file)
		fclose(file);
	return parent;
}

/* The file of that name that a process has open, or a new one; parent: of those alone whose parent that is, 0: of any. -1: none */
static int find_or_make(const char *name, int parent, int64_t bytes, void **at)
{
	char wanted[120];
	int fd, own = -1;
	snprintf(wanted, sizeof wanted, "/memfd:%s ", name);
	DIR *all = opendir("/proc");
	for (struct dirent *one; all && own < 0 && (one = readdir(all));)
		if (atoi(one->d_name) > 0 && (!parent || parent_of(one->d_name) == parent) &&
		        (fd = find_in(one->d_name, wanted)) >= 0)
			own = adopt(one->d_name, fd, bytes, at);
	if (all)
		closedir(all);
	if (own < 0 && share(name, bytes, at, &own))
		return -1;
	return own;
}

static struct log *find_log(const char *name)
{
	char wanted[120];
	void *at;
	snprintf(wanted, sizeof wanted, "/memfd:%s ", name);
	int fd = find_in("self", wanted);
	if (fd >= 0)
		return standin_attach(getpid(), fd, (int64_t)log_bytes(), &at) ? NULL : at;
	return find_or_make(name, 0, (int64_t)log_bytes(), &at) < 0 ? NULL : at;
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

/* One process at a time looks and makes: the lock is on this library's own file, and goes with the process. -1: no lock */
static int lock_all(void)
{
	Dl_info self;
	int lock = dladdr((void *)(uintptr_t)&standin_lock, &self)
	        ? open(self.dli_fname, O_RDONLY | O_CLOEXEC)
	        : -1;
	if (lock >= 0)
		flock(lock, LOCK_EX);
	return lock;
}

struct log *log_of_mapping(const void *at, size_t *offset)
{
	char name[80];
	int lock = file_of(at, name, offset) ? lock_all() : -1;
	if (lock < 0)
		return NULL;
	struct log *log = find_log(name);
	close(lock);
	return log;
}

int share_among(const char *name, int parent, size_t bytes, void **at)
{
	int lock = lock_all();
	if (lock < 0)
		return -1;
	int fd = find_or_make(name, parent, (int64_t)bytes, at);
	close(lock);
	return fd;
}
