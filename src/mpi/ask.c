/* ask.c -- what an mpirun and the loader answer to a child of this process */
#include "mpi/ask.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_MS = 5000 };

/* Runs a function in a child, and reads the first line of its standard output, within 5 s. */
static void ask_child(void (*child)(const char *), const char *argument, char *line, size_t room)
{
	int ends[2];
	size_t count = 0;
	*line = '\0';
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	pid_t pid = fork();
	if (pid == 0) {
		int none = open("/dev/null", O_RDWR);
		setpgid(0, 0);
		dup2(none, 0);
		dup2(ends[1], 1);
		dup2(none, 2);
		child(argument);
		_exit(127);
	}
	close(ends[1]);
	struct pollfd end = {.fd = ends[0], .events = POLLIN};
	while (pid > 0 && count + 1 < room && !memchr(line, '\n', count) && poll(&end, 1, ANSWER_MS) > 0) {
		ssize_t got = read(ends[0], line + count, room - 1 - count);
		if (got <= 0)
			break;
		count += (size_t)got;
	}
	close(ends[0]);
	line[count] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (pid > 0) {
		kill(-pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

static void child_version(const char *mpirun)
{
	execl(mpirun, "mpirun", "--version", (char *)NULL);
}

static void child_load(const char *name)
{
	struct link_map *map;
	void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	if (library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0)
		dprintf(1, "%s\n", map->l_name);
	_exit(0);
}

bool ask_loader(const char *name, char *path, size_t room)
{
	ask_child(child_load, name, path, room);
	return *path;
}

bool mpirun_name(const char *mpirun, char *name, size_t room)
{
	char line[200];
	ask_child(child_version, mpirun, line, sizeof line);
	/* "mpirun (Open MPI) 5.0.11", "orterun (OpenRTE) 4.1.4" */
	const char *version = strstr(line, "(Open MPI) ");
	version = version ? version : strstr(line, "(OpenRTE) ");
	if (version)
		snprintf(name, room, "Open MPI %s", strchr(version, ')') + 2);
	else
		snprintf(name, room, "%s",
		        strstr(line, "HYDRA")           ? "MPICH"
		                : strstr(line, "Intel") ? "Intel MPI"
		                                        : "another MPI");
	return version;
}
