/* options.c -- RANKSH_STANDIN: how the stand-in is, and which of its calls fail, are late or end the process */
#include "inside.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS(X) CUDA_FUNCTIONS(X) CUBLAS_FUNCTIONS(X) NCCL_FUNCTIONS(X) NVRTC_FUNCTIONS(X)
static const char *const names[] = {
#define X(name, symbol, needed, result, parameters) #name,
        FUNCTIONS(X)
#undef X
};
enum { CALLS = sizeof names / sizeof *names };

static struct {
	struct standin_options said;
	bool sticky, wrong;
	int fail_call, fail_at, hang_call, hang_at,
	        die_at; /* a call: -1 for none; counted from 1, 0: never */
	int64_t delay_ns[CALLS];
	long counts[CALLS], calls;
} options;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int call_of(const char *name, size_t length)
{
	for (int i = 0; i < CALLS; i++)
		if (strlen(names[i]) == length && !strncmp(names[i], name, length))
			return i;
	return -1;
}

/* "10us", "1.5GB": the number, and how many of the units it has; false: another text, or nothing above 0 */
struct unit {
	const char *name;
	double size;
};
static const struct unit sizes[] = {{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {NULL, 0}};
static const struct unit lengths[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
static bool number(const char *text, const struct unit *units, int64_t *value)
{
	char *end;
	double n = strtod(text, &end);
	for (const struct unit *unit = units; unit->name; unit++)
		if (!strcmp(end, unit->name) && n >= 0 && n * unit->size < 1e15) {
			*value = (int64_t)(n * unit->size);
			return end > text;
		}
	return false;
}

bool time_read(const char *text, int64_t *ns)
{
	return number(text, lengths, ns);
}

static bool count(const char *text, int least, int most, int *value)
{
	char *end;
	long n = strtol(text, &end, 10);
	*value = (int)n;
	return end > text && !*end && n >= least && n <= most;
}

/* "1GB" for every GPU, or "1GB,2GB": one each, the last also for those that follow */
static bool memories(char *text, int64_t *bytes)
{
	int i = 0;
	char *save;
	for (char *one = strtok_r(text, ",", &save); one; one = strtok_r(NULL, ",", &save), i++)
		if (i == STANDIN_GPUS || !number(one, sizes, &bytes[i]))
			return false;
	for (int j = i; i && j < STANDIN_GPUS; j++)
		bytes[j] = bytes[i - 1];
	return i > 0;
}

/* The rank that launchers give this process */
static int rank(void)
{
	static const char *const variables[] = {
	        "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (getenv(variables[i]))
			return atoi(getenv(variables[i]));
	return 0;
}

/* NAME=VALUE, value writable */
static bool option(const char *name, char *value)
{
	char *colon = strchr(value, ':');
	int call = colon ? call_of(value, (size_t)(colon - value)) : -1;
	if (!strcmp(name, "gpus"))
		return count(value, 0, STANDIN_GPUS, &options.said.gpus);
	if (!strcmp(name, "memory"))
		return memories(value, options.said.memory_bytes);
	if (!strcmp(name, "used"))
		return memories(value, options.said.used_bytes);
	if (!strcmp(name, "async"))
		return count(value, 1, 1000000000, &options.said.async);
	if (!strcmp(name, "nccl"))
		return count(value, 20000, 99999, &options.said.nccl);
	if (!strcmp(name, "driver"))
		return count(value, 1000, 99999, &options.said.driver);
	if (!strcmp(name, "clock")) {
		options.said.wall = !strcmp(value, "wall");
		return options.said.wall || !strcmp(value, "virtual");
	}
	if (!strcmp(name, "fail")) {
		options.fail_call = call;
		return call >= 0 && count(colon + 1, 1, 1000000000, &options.fail_at);
	}
	if (!strcmp(name, "hang")) {
		options.hang_call = call;
		return call >= 0 && count(colon + 1, 1, 1000000000, &options.hang_at);
	}
	if (!strcmp(name, "delay"))
		return call >= 0 && time_read(colon + 1, &options.delay_ns[call]);
	if (!strcmp(name, "cost"))
		return costs_read(value);
	if (!strcmp(name, "die") && colon) {
		int who, at;
		*colon = 0;
		if (!count(value, 0, 1000000, &who) || !count(colon + 1, 1, 1000000000, &at))
			return false;
		options.die_at = who == rank() ? at : options.die_at;
		return true;
	}
	return false;
}

static void read_options(void)
{
	options.said.gpus = 1;
	options.said.nccl = 22809;
	options.said.driver = 13000;
	options.fail_call = options.hang_call = -1;
	for (int i = 0; i < STANDIN_GPUS; i++)
		options.said.memory_bytes[i] = 16000000000;
	char *text = strdup(getenv("RANKSH_STANDIN") ? getenv("RANKSH_STANDIN") : ""), *save;
	options.wrong = !text;
	for (char *word = text ? strtok_r(text, " ", &save) : NULL; word; word = strtok_r(NULL, " ", &save)) {
		char *shown = strdup(word), *equals = strchr(word, '=');
		bool sticky = !equals && !strcmp(word, "sticky"),
		     free_of_cost = !equals && !strcmp(word, "free"), known = sticky || free_of_cost;
		options.sticky |= sticky;
		if (free_of_cost)
			costs_clear();
		if (equals) {
			*equals = 0;
			known = option(word, equals + 1);
		}
		if (!known) {
			fprintf(stderr, "stand-in: RANKSH_STANDIN has a wrong word: %s\n",
			        shown ? shown : word);
			options.wrong = true;
		}
		free(shown);
	}
	free(text);
	job_sit_down();
}

const struct standin_options *standin_options(void)
{
	pthread_once(&once, read_options);
	return options.wrong ? NULL : &options.said;
}

bool standin_fails(const char *call)
{
	if (!standin_options())
		return false;
	int i = call_of(call, strlen(call));
	if (i < 0)
		return false;
	pthread_mutex_lock(&lock);
	long at = ++options.counts[i], all = ++options.calls;
	pthread_mutex_unlock(&lock);
	if (options.die_at && all >= options.die_at)
		kill(getpid(), SIGKILL);
	while (i == options.hang_call && (at == options.hang_at || (options.sticky && at > options.hang_at)))
		pause();
	if (options.delay_ns[i]) {
		int64_t ns = options.delay_ns[i];
		nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
		if (!options.said.wall)
			standin_set_now(standin_now() + ns);
	}
	return i == options.fail_call && (at == options.fail_at || (options.sticky && at > options.fail_at));
}
