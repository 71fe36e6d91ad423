/* measure.c -- runs a command and prints its wall seconds and its peak of resident memory in bytes:  measure
 * COMMAND ... The command's own output goes to standard error. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int count, char **argument)
{
	struct rusage usage = {0};
	double from = now();
	int status = 1;
	pid_t child = count > 1 ? fork() : -1;
	if (child == 0) {
		dup2(2, 1);
		execvp(argument[1], argument + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0)
		return 2;
	printf("%.4f %ld\n", now() - from, usage.ru_maxrss * 1024);
	return status != 0;
}
