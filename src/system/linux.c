/* linux.c -- system.h for Linux */
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

void system_end_with_parent(int signal)
{
	prctl(PR_SET_PDEATHSIG, (unsigned long)signal, 0UL, 0UL, 0UL);
}

void system_sleep_slack(int64_t ns)
{
	prctl(PR_SET_TIMERSLACK, (unsigned long)ns, 0UL, 0UL, 0UL);
}

bool system_own_file(char *path, size_t room)
{
	ssize_t length = readlink("/proc/self/exe", path, room - 1);
	path[length > 0 ? length : 0] = '\0';
	return length > 0;
}

void system_own_alias(char *path, size_t room)
{
	snprintf(path, room, "/proc/%d/exe", getpid());
}

void system_boot(char *boot, size_t room)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
	if (!file || !fgets(boot, (int)room, file))
		boot[0] = '\0';
	if (file)
		fclose(file);
}

/* Only a character device is opened, because to open a pipe or another device may have effects. */
bool system_reads_terminal(pid_t pid)
{
	char path[64];
	struct stat about;
	snprintf(path, sizeof path, "/proc/%d/fd/0", (int)pid);
	int fd = stat(path, &about) == 0 && S_ISCHR(about.st_mode)
	        ? open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
	        : -1;
	bool terminal = fd >= 0 && isatty(fd);
	if (fd >= 0)
		close(fd);
	return terminal;
}

int system_shared_memory(size_t bytes)
{
	int fd = memfd_create("ranksh", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, (off_t)bytes) != 0) {
		int failed = errno;
		close(fd);
		errno = failed;
		return -1;
	}
	return fd;
}

int system_shared_memory_of(pid_t pid, int fd)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* The first byte is 0, which makes the name abstract: no file remains. */
static socklen_t doorbell_name(uint64_t job, int rank, struct sockaddr_un *name)
{
	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	int length = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "ranksh-%016llx-%d",
	        (unsigned long long)job, rank);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int system_doorbell(uint64_t job, int rank)
{
	struct sockaddr_un name;
	socklen_t bytes = doorbell_name(job, rank, &name);
	int doorbell = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (doorbell >= 0 && bind(doorbell, (struct sockaddr *)&name, bytes) != 0) {
		close(doorbell);
		return -1;
	}
	return doorbell;
}

/* EAGAIN: the queue is full, so the doorbell has been rung. */
bool system_ring(int doorbell, uint64_t job, int rank)
{
	struct sockaddr_un name;
	socklen_t bytes = doorbell_name(job, rank, &name);
	return sendto(doorbell, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&name, bytes) == 0 ||
	        errno == EAGAIN;
}
