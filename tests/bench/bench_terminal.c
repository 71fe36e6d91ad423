/* bench_terminal.c -- what a person waits for, measured through a pseudo-terminal:
 *     bench_terminal RANKSH EMPTY     EMPTY: an MPI program that only starts and ends, the baseline of the
 *                                     start
 * prints start against the baseline, the answer to a command with 8 ranks in a row and after an idle second,
 * and what 8 idle ranks use. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof *values, by_value);
	return values[count / 2];
}

static double run_ms(char *const argv[])
{
	double from = now_ms();
	pid_t child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_RDWR);
		dup2(null, 0);
		dup2(null, 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	return now_ms() - from;
}

struct shell {
	pid_t pid;
	int terminal;
};

static struct shell shell_open(const char *ranksh, const char *ranks)
{
	struct shell shell;
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	shell.pid = forkpty(&shell.terminal, NULL, NULL, &size);
	if (shell.pid == 0) {
		setenv("TERM", "xterm", 1);
		execl(ranksh, ranksh, "-n", ranks, (char *)NULL);
		_exit(127);
	}
	return shell;
}

/* Reads until `text` has come `times` times; -1 after 20 s. */
static int await(struct shell *shell, const char *text, int times)
{
	char seen[1 << 16];
	size_t count = 0;
	double until = now_ms() + 20000;

	while (now_ms() < until) {
		struct pollfd wait = {.fd = shell->terminal, .events = POLLIN};
		if (poll(&wait, 1, 1000) <= 0)
			continue;
		ssize_t got = read(shell->terminal, seen + count, sizeof seen - count - 1);
		if (got <= 0)
			return -1;
		count += (size_t)got;
		seen[count] = '\0';
		int found = 0;
		for (char *p = seen; (p = strstr(p, text)); p += strlen(text))
			found++;
		if (found >= times)
			return 0;
		if (count > sizeof seen - 4096)
			count = 0;
	}
	return -1;
}

static void shell_close(struct shell *shell)
{
	if (write(shell->terminal, "quit\r", 5) < 0)
		kill(shell->pid, SIGTERM);
	char rest[4096];
	while (read(shell->terminal, rest, sizeof rest) > 0)
		;
	waitpid(shell->pid, NULL, 0);
	close(shell->terminal);
}

static double command_ms(struct shell *shell)
{
	double from = now_ms();
	/* the prompt that follows the answer is "0.00 ms > "; the answer itself names no time */
	if (write(shell->terminal, "let a = 1\r", 10) != 10 || await(shell, "ms > ", 1) < 0)
		return -1;
	return now_ms() - from;
}

/* The parent of a process and the clock ticks that it has used; 0: it is gone. */
static long parent_of(long process, long *ticks)
{
	char path[64], line[1024];
	long parent = 0, user = 0, system = 0;
	snprintf(path, sizeof path, "/proc/%ld/stat", process);
	FILE *file = fopen(path, "r");
	if (file && fgets(line, sizeof line, file) && strrchr(line, ')'))
		sscanf(strrchr(line, ')') + 2, "%*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &parent,
		        &user, &system);
	if (file)
		fclose(file);
	*ticks = user + system;
	return parent;
}

/* Clock ticks that the shell has used: its front end, mpirun, the ranks. */
static long ticks_used(const struct shell *shell)
{
	DIR *proc = opendir("/proc");
	long sum = 0;
	for (struct dirent *e; proc && (e = readdir(proc));) {
		long process = isdigit((unsigned char)e->d_name[0]) ? atol(e->d_name) : 0, ticks = 0, above;
		for (long at = process; at > 1; at = parent_of(at, &above))
			if (at == shell->pid) {
				parent_of(process, &ticks);
				sum += ticks;
				break;
			}
	}
	if (proc)
		closedir(proc);
	return sum;
}

static void idle(double ms)
{
	struct timespec t = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000};
	nanosleep(&t, NULL);
}

static void bench_start(const char *ranksh, const char *empty)
{
	enum { TIMES = 7 };
	double start[TIMES], base[TIMES];
	for (int i = 0; i < TIMES; i++) {
		char *const argv[] = {
		        "mpirun", "--oversubscribe", "--bind-to", "none", "-n", "4", (char *)empty, NULL};
		base[i] = run_ms(argv);
		double from = now_ms();
		struct shell shell = shell_open(ranksh, "4");
		if (await(&shell, "ms > ", 1) < 0)
			printf("no prompt came\n");
		start[i] = now_ms() - from;
		shell_close(&shell);
	}
	double s = median(start, TIMES), b = median(base, TIMES);
	printf("start: prompt of 4 ranks %.0f ms / empty MPI program %.0f ms = %.2f (at most 1.3)\n", s, b,
	        s / b);
}

static void bench_commands(const char *ranksh)
{
	enum { ROW = 200, APART = 9 };
	double row[ROW], apart[APART];
	struct shell shell = shell_open(ranksh, "8");
	if (await(&shell, "ms > ", 1) < 0) {
		printf("no prompt came\n");
		return;
	}
	for (int i = 0; i < ROW; i++)
		row[i] = command_ms(&shell);
	for (int i = 0; i < APART; i++) {
		idle(1000);
		apart[i] = command_ms(&shell);
	}
	long before = ticks_used(&shell);
	idle(4000);
	double part = (double)(ticks_used(&shell) - before) / (double)sysconf(_SC_CLK_TCK) / 4;
	shell_close(&shell);
	printf("command, 8 ranks: median %.2f ms in a row (at most 1), %.2f ms after an idle second (at most "
	       "5)\n",
	        median(row, ROW), median(apart, APART));
	printf("idle, 8 ranks, mpirun and the front end: %.1f %% of a core (at most 5)\n", 100 * part);
}

int main(int count, char **argument)
{
	if (count != 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	setenv("XDG_STATE_HOME", "/tmp", 0);
	bench_start(argument[1], argument[2]);
	bench_commands(argument[1]);
	return 0;
}
