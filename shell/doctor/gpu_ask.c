/* gpu_ask.c -- examines the GPUs in a child process
 *
 *     doctor ---- fork ---> child: device_examine    it may hang or crash in NVIDIA's driver
 *        ^----- pipe -------- struct device_findings */
#include "shell/doctor/gpu_ask.h"
#include "shell/doctor/patience.h"
#include "shell/wire/io.h"
#include "system/system.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEATH_MS = 200 };

static void gpu_child(int out)
{
	static struct device_findings findings;
	int none = open("/dev/null", O_RDWR);
	system_end_with_parent(SIGKILL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	dup2(none, 0);
	dup2(none, 1);
	dup2(none, 2);
	device_examine(&findings);
	_exit(write_all(out, (const char *)&findings, sizeof findings) == ST_OK ? 0 : 1);
}

/* Reads the answer until the child ends, or the limit is over. */
static void gpu_listen(int in, struct gpu_answer *answer)
{
	struct patience patience = patience_begin("asking NVIDIA's driver", GPU_LIMIT_MS);
	size_t count = 0, size = sizeof answer->found;
	ssize_t got = 1;
	bool left = true;
	while (count < size && got > 0 && (left = patience_left(&patience))) {
		struct pollfd end = {.fd = in, .events = POLLIN};
		if (poll(&end, 1, PATIENCE_TICK_MS) <= 0)
			continue;
		got = read(in, (char *)&answer->found + count, size - count);
		count += got > 0 ? (size_t)got : 0;
	}
	patience_end(&patience);
	answer->hung = !left;
	answer->valid = count == size;
}

/* Returns the signal that ended it; 0: none. A process that waits in the kernel does not die of SIGKILL at once, and may never. */
static int gpu_bury(pid_t child)
{
	int status = 0;
	kill(child, SIGKILL);
	for (int ms = 0; ms < DEATH_MS && waitpid(child, &status, WNOHANG) == 0; ms += 10)
		poll(NULL, 0, 10);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void gpu_ask(struct gpu_answer *answer)
{
	int ends[2];
	*answer = (struct gpu_answer){0};
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	pid_t child = fork();
	if (child == 0)
		gpu_child(ends[1]);
	close(ends[1]);
	if (child > 0) {
		gpu_listen(ends[0], answer);
		answer->signal = gpu_bury(child);
	}
	close(ends[0]);
}
