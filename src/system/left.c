/* left.c -- how many processors, processes and how much memory this user may have (system.h, Linux)
 *
 * A control group limits a container, a job of Slurm, or a login. Version 2 has one tree, version 1
 * a tree for each controller; a limit of any folder above this process's group counts, too. */
#include "system/system.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define GROUPS "/sys/fs/cgroup"
enum { PATH_BYTES = 4096, TASKS_COUNTED = 16384 };

/* What one controller calls its files; [0]: version 2, [1]: version 1 */
struct controller {
	const char *name, *most[2], *used[2];
	const char *reclaimable; /* a key of memory.stat: bytes that the system frees first */
};
static const struct controller tasks = {
        .name = "pids", .most = {"pids.max", "pids.max"}, .used = {"pids.current", "pids.current"}};
static const struct controller memory = {.name = "memory",
        .most = {"memory.max", "memory.limit_in_bytes"},
        .used = {"memory.current", "memory.usage_in_bytes"},
        .reclaimable = "inactive_file "};

/* Returns the number after `key` at the begin of a line; -1: there is none. */
static int64_t number_after(const char *path, const char *key)
{
	char line[256];
	int64_t value = -1;
	FILE *file = fopen(path, "re");
	while (file && value < 0 && fgets(line, sizeof line, file)) {
		char *end, *digits = line + strlen(key);
		if (strncmp(line, key, strlen(key)) == 0) {
			value = strtoll(digits, &end, 10);
			value = end == digits ? -1 : value;
		}
	}
	if (file)
		fclose(file);
	return value;
}

static int64_t number_in(const char *folder, const char *name, const char *key)
{
	char path[PATH_BYTES + 64];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return number_after(path, key);
}

/* Sets `folder` to this process's group in the controller's tree. Returns its version, 0 or 1 as
 * in struct controller; -1: none. */
static int group_folder(const struct controller *controller, char folder[PATH_BYTES])
{
	char line[PATH_BYTES];
	int version = -1;
	FILE *file = fopen("/proc/self/cgroup", "re");
	while (file && version < 1 && fgets(line, sizeof line, file)) {
		char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (!names[1] || strcmp(names + 1, controller->name) == 0) {
			version = names[1] ? 1 : 0;
			snprintf(folder, PATH_BYTES, GROUPS "%s%.32s%.*s", names[1] ? "/" : "", names + 1,
			        PATH_BYTES - 64, path);
		}
	}
	if (file)
		fclose(file);
	return version;
}

/* Returns the least that this group and those above it leave; INT64_MAX: no limit. */
static int64_t group_left(const struct controller *controller)
{
	char folder[PATH_BYTES];
	int64_t least = INT64_MAX;
	int version = group_folder(controller, folder);
	while (version >= 0 && strlen(folder) >= strlen(GROUPS)) {
		int64_t most = number_in(folder, controller->most[version], "");
		int64_t used = number_in(folder, controller->used[version], "");
		if (used > 0 && controller->reclaimable) {
			int64_t freed = number_in(folder, "memory.stat", controller->reclaimable);
			used -= freed > 0 && freed < used ? freed : 0;
		}
		if (most >= 0 && used >= 0 && most - used < least)
			least = most > used ? most - used : 0;
		*strrchr(folder, '/') = '\0';
	}
	return least;
}

/* Counts the threads of this user's processes, as the limit does. */
static int64_t tasks_of_user(void)
{
	int64_t count = 0;
	DIR *processes = opendir("/proc");
	for (struct dirent *entry; processes && (entry = readdir(processes));) {
		char path[sizeof entry->d_name + 16];
		snprintf(path, sizeof path, "/proc/%s/status", entry->d_name);
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9' ||
		        number_after(path, "Uid:\t") != (int64_t)getuid())
			continue;
		int64_t threads = number_after(path, "Threads:\t");
		count += threads > 0 ? threads : 0;
	}
	if (processes)
		closedir(processes);
	return count;
}

int64_t system_tasks_left(void)
{
	struct rlimit limit;
	int64_t left = group_left(&tasks), mine = INT64_MAX;
	if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		mine = (int64_t)limit.rlim_cur;
		if (mine < TASKS_COUNTED)
			mine -= tasks_of_user();
	}
	return mine < left ? mine : left;
}

int system_processors(void)
{
	static const struct controller processors = {.name = "cpu"};
	char folder[PATH_BYTES];
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
	int version = group_folder(&processors, folder);
	int64_t quota_us = -1, period_us = 100000;
	if (version == 0)
		quota_us = number_in(folder, "cpu.max", ""); /* "150000 100000", "max 100000" */
	else if (version == 1 && number_in(folder, "cpu.cfs_period_us", "") > 0) {
		quota_us = number_in(folder, "cpu.cfs_quota_us", "");
		period_us = number_in(folder, "cpu.cfs_period_us", "");
	}
	int64_t share = quota_us > 0 ? (quota_us + period_us - 1) / period_us : count;
	return share < count ? (int)share : count;
}

int64_t system_memory_left(void)
{
	int64_t left = group_left(&memory), kilobytes = number_after("/proc/meminfo", "MemAvailable:");
	return kilobytes >= 0 && kilobytes * 1024 < left ? kilobytes * 1024 : left;
}

int64_t system_memory_kills(void)
{
	return number_after("/proc/vmstat", "oom_kill ");
}
