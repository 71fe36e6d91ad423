/* hosts.c -- reads lists of hosts and shares the ranks among them */
#include "shell/terminal/hosts.h"
#include "base/file.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { HOSTFILE_MOST = 1 << 20, NAME_MOST = 253 };

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* ---- one word ---- */

/* The message says where the word is: "--hosts", or "F:3". */
static enum status host_check_name(const char *where, const char *name)
{
	size_t good = strspn(name, LETTERS ".-_");
	if (!*name)
		return fail(ST_ARGUMENT, "%s: a host's name is missing; write n1,n2 or n1:12,n2:4", where);
	if (strchr(name, '@'))
		return fail(ST_ARGUMENT,
		        "%s: '%s' names a user; put it into ~/.ssh/config (`Host %s`, `User NAME`) and write "
		        "%s",
		        where, name, strchr(name, '@') + 1, strchr(name, '@') + 1);
	if (name[good] || !strchr(LETTERS, *name) || good > NAME_MOST)
		return fail(ST_ARGUMENT,
		        "%s: '%s' is no host name: letters, digits, '.', '-' and '_'; write n1,n2 or "
		        "n1:12,n2:4",
		        where, name);
	return ST_OK;
}

static enum status host_read_slots(const char *where, const char *word, const char *number, int *slots)
{
	char *end;
	long value = strtol(number, &end, 10);
	if (!isdigit((unsigned char)*number) || *end || value < 1 || value > RANKS_DRY_MOST)
		return fail(ST_RANGE, "%s: '%s': slots are a number, 1 to %d", where, word, RANKS_DRY_MOST);
	*slots = (int)value;
	return ST_OK;
}

/* NAME or NAME:SLOTS. Adds the host even if it is listed already. */
static enum status host_add(struct hosts *hosts, const char *where, const char *word)
{
	const char *colon = strchr(word, ':');
	struct job_host host = {.name = mem_copy_text(word, colon ? (size_t)(colon - word) : strlen(word))};
	enum status status = host_check_name(where, host.name);
	if (status == ST_OK && colon)
		status = host_read_slots(where, word, colon + 1, &host.slots);
	*MEM_ADD(&hosts->host, &hosts->count) = host;
	return status;
}

static struct job_host *host_find(const struct hosts *hosts, const char *name, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (strcasecmp(hosts->host[i].name, name) == 0)
			return &hosts->host[i];
	return NULL;
}

/* ---- --hosts ---- */

static enum status hosts_read_typed(struct hosts *hosts, const char *typed)
{
	enum status status = ST_OK;
	for (const char *at = typed; at && status == ST_OK;) {
		size_t length = strcspn(at, ",");
		char *word = mem_copy_text(at, length);
		status = host_add(hosts, "--hosts", word);
		mem_free(word);
		at = at[length] ? at + length + 1 : NULL;
		const char *name = hosts->host[hosts->count - 1].name;
		if (status == ST_OK && host_find(hosts, name, hosts->count - 1))
			status = fail(ST_ARGUMENT, "--hosts: %s is listed twice; %s:2 gives it two ranks",
			        name, name);
	}
	return status;
}

/* ---- files: NAME, NAME:4 or NAME slots=4, comments after '#' ----
 *
 * If a name without slots is repeated, each line of the file is one slot, as in the files of PBS. */

/* A word after the host's name */
static enum status hostfile_read_option(struct job_host *host, const char *where, const char *word)
{
	static const char *const names[] = {"slots", "max_slots", "max-slots"};
	const char *equals = strchr(word, '='), *nearest = NULL;
	int least = text_too_far("slots"), most;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t length = strlen(names[i]);
		if (equals && (size_t)(equals - word) == length && strncmp(word, names[i], length) == 0)
			return host_read_slots(where, word, equals + 1, i ? &most : &host->slots);
	}
	char *name = mem_copy_text(word, strcspn(word, "="));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_nearer(name, names[i], &least))
			nearest = names[i];
	mem_free(name);
	return fail(ST_ARGUMENT, "%s: '%s' is unknown%s%s; a line is NAME, or NAME slots=4", where, word,
	        nearest ? ": did you mean " : "", nearest ? nearest : "");
}

/* Adds to a repeated host instead of a new one. *counted: a line without slots is repeated */
static enum status hostfile_join(struct hosts *hosts, const char *where, bool *counted)
{
	struct job_host *host = &hosts->host[hosts->count - 1];
	struct job_host *first = host_find(hosts, host->name, hosts->count - 1);
	host->ranks = 1; /* its lines */
	if (!first)
		return ST_OK;
	if (first->slots || host->slots)
		return fail(ST_ARGUMENT, "%s: %s is listed twice; write one line with all its slots", where,
		        host->name);
	*counted = true;
	first->ranks++;
	mem_free(host->name);
	hosts->count--;
	return ST_OK;
}

static enum status hostfile_read_line(struct hosts *hosts, const char *where, char *line, bool *counted)
{
	char *rest;
	line[strcspn(line, "#")] = '\0';
	char *word = strtok_r(line, " \t\r", &rest);
	if (!word)
		return ST_OK;
	enum status status = host_add(hosts, where, word);
	while (status == ST_OK && (word = strtok_r(NULL, " \t\r", &rest)))
		status = hostfile_read_option(&hosts->host[hosts->count - 1], where, word);
	return status == ST_OK ? hostfile_join(hosts, where, counted) : status;
}

/* counted: each line is a slot, whether or not one is repeated */
static enum status hosts_read_file(struct hosts *hosts, const char *path, bool counted)
{
	char *bytes = NULL;
	size_t count = 0;
	int number = 0;
	enum status status = file_read(path, HOSTFILE_MOST, &bytes, &count);
	const char *saved = status == ST_OK ? text_lines_saved_as(bytes, count) : NULL;
	if (saved)
		status = fail(ST_FILE, "%s: %s", path, saved);
	if (status == ST_OK)
		FOR_LINES (line, bytes, count) {
			struct text where = {0};
			char *copy = mem_copy_text(line.at, line.length);
			text_add(&where, "%s:%d", path, ++number);
			if (status == ST_OK)
				status = hostfile_read_line(hosts, text_string(&where), copy, &counted);
			mem_free(copy);
			text_release(&where);
		}
	for (size_t i = 0; i < hosts->count && status == ST_OK; i++)
		if (counted && !hosts->host[i].slots)
			hosts->host[i].slots = hosts->host[i].ranks;
	mem_free(bytes);
	if (status == ST_OK && !hosts->count)
		status = fail(ST_ARGUMENT, "%s names no host; a line is NAME, or NAME slots=4", path);
	return status;
}

/* ---- allocations ---- */

/* "8(x2),4": 8 tasks on each of two nodes, then 4. Without such a text there is no allocation. */
static void hosts_read_slurm(struct hosts *hosts)
{
	const char *at = getenv("SLURM_TASKS_PER_NODE"), *list = getenv("SLURM_JOB_NODELIST");
	for (int tasks, used; at && sscanf(at, "%d%n", &tasks, &used) == 1 && tasks > 0;) {
		int times = 1, more = 0;
		at += used;
		if (sscanf(at, "(x%d)%n", &times, &more) == 1 && more)
			at += more;
		hosts->nodes += times;
		hosts->slots += times * tasks;
		at += *at == ',';
	}
	if (!hosts->nodes)
		return;
	hosts->from = HOSTS_SLURM;
	snprintf(hosts->name, sizeof hosts->name, "the Slurm job %s", getenv("SLURM_JOB_ID"));
	text_add(&hosts->list, "%s", list ? list : "");
}

/* "n1 8 n2 8" */
static enum status hosts_read_lsf(struct hosts *hosts, const char *pairs)
{
	enum status status = ST_OK;
	char *rest, *copy = mem_copy_text(pairs, strlen(pairs));
	for (char *word = strtok_r(copy, " ", &rest); word && status == ST_OK;
	        word = strtok_r(NULL, " ", &rest)) {
		const char *slots = strtok_r(NULL, " ", &rest);
		status = host_add(hosts, "LSB_MCPU_HOSTS", word);
		if (status == ST_OK)
			status = host_read_slots("LSB_MCPU_HOSTS", word, slots ? slots : "",
			        &hosts->host[hosts->count - 1].slots);
	}
	mem_free(copy);
	return status;
}

static enum status hosts_read_allocation(struct hosts *hosts)
{
	const char *launcher = getenv("RANKSH_LAUNCHER"), *nodes = getenv("PBS_NODEFILE");
	const char *pairs = getenv("LSB_MCPU_HOSTS");
	enum status status = ST_OK;
	if (launcher && strcmp(launcher, "none") == 0)
		return ST_OK;
	if (getenv("SLURM_JOB_ID")) {
		hosts_read_slurm(hosts);
	} else if (getenv("PBS_JOBID") && nodes && access(nodes, R_OK) == 0) {
		hosts->from = HOSTS_PBS;
		snprintf(hosts->name, sizeof hosts->name, "the PBS job %s", getenv("PBS_JOBID"));
		status = hosts_read_file(hosts, nodes, true);
	} else if (getenv("LSB_JOBID") && pairs) {
		hosts->from = HOSTS_LSF;
		snprintf(hosts->name, sizeof hosts->name, "the LSF job %s", getenv("LSB_JOBID"));
		status = hosts_read_lsf(hosts, pairs);
	}
	return status;
}

/* ---- all of them ---- */

/* Returns false for an allocation. */
static bool hosts_typed(const struct hosts *hosts)
{
	return hosts->from == HOSTS_TYPED || hosts->from == HOSTS_FILE;
}

static void hosts_sum(struct hosts *hosts)
{
	if (hosts->count)
		hosts->nodes = (int)hosts->count;
	for (size_t i = 0; i < hosts->count; i++)
		hosts->slots += hosts->host[i].slots;
	for (size_t i = 0; i < hosts->count; i++)
		if (!hosts->host[i].slots)
			hosts->slots = 0;
}

enum status hosts_read(const struct options *options, struct hosts *hosts)
{
	*hosts = (struct hosts){0};
	enum status status = ST_OK;
	if (options->hosts) {
		hosts->from = HOSTS_TYPED;
		snprintf(hosts->name, sizeof hosts->name, "--hosts");
		status = hosts_read_typed(hosts, options->hosts);
	} else if (options->hostfile) {
		hosts->from = HOSTS_FILE;
		snprintf(hosts->name, sizeof hosts->name, "%s", options->hostfile);
		status = hosts_read_file(hosts, options->hostfile, false);
		status = status == ST_OK ? ST_OK : fail_in(status, "--hostfile");
	} else {
		status = hosts_read_allocation(hosts);
	}
	hosts_sum(hosts);
	if (status == ST_OK && !hosts_typed(hosts) && hosts->slots == 1)
		hosts_release(hosts);
	if (status == ST_OK && options->prefix && hosts->from == HOSTS_NONE)
		status = fail(ST_ARGUMENT,
		        "--prefix %s: on which hosts? --hosts n1,n2 or --hostfile F names them",
		        options->prefix);
	return status;
}

/* Gives n ranks: hosts with slots are filled in order, the others share the rest evenly. */
static void hosts_distribute(struct hosts *hosts, int n)
{
	int open = 0, place = 0;
	for (size_t i = 0; i < hosts->count; i++) {
		struct job_host *host = &hosts->host[i];
		host->ranks = host->slots < n ? host->slots : n;
		n -= host->ranks;
		open += !host->slots;
	}
	for (size_t i = 0; i < hosts->count; i++)
		if (!hosts->host[i].slots) {
			hosts->host[i].ranks = n / open + (place < n % open);
			place++;
		}
}

static enum status hosts_count(const struct hosts *hosts, int *n)
{
	size_t open = 0;
	for (size_t i = 0; i < hosts->count; i++)
		open += !hosts->host[i].slots;
	if (!*n && open && open < hosts->count)
		return fail(ST_ARGUMENT,
		        "%s: some hosts have slots and some have none: give each a number (n1:12,n2:4), or "
		        "-n",
		        hosts->name);
	if (!*n)
		*n = hosts->slots ? hosts->slots : RANKS_DEFAULT;
	if (*n < 2)
		return fail(ST_RANGE, "%s has one slot; for one rank, `ranksh -n 1` needs no other host",
		        hosts->name);
	if (*n > RANKS_MPI_MOST)
		return fail(ST_RANGE, "%s has %d slots, and ranksh starts at most %d ranks: -n %d",
		        hosts->name, *n, RANKS_MPI_MOST, RANKS_MPI_MOST);
	if (!open && *n > hosts->slots)
		return fail(ST_RANGE, "-n %d is more than the %d slot%s of %s; -n %d or fewer, or %s", *n,
		        hosts->slots, hosts->slots == 1 ? "" : "s", hosts->name, hosts->slots,
		        hosts_typed(hosts) ? "more slots" : "a larger allocation");
	return ST_OK;
}

enum status hosts_share(struct hosts *hosts, int *n)
{
	if (hosts->from == HOSTS_NONE) {
		*n = *n ? *n : RANKS_DEFAULT;
		return ST_OK;
	}
	enum status status = hosts_count(hosts, n);
	if (status != ST_OK || hosts->from == HOSTS_SLURM)
		return status;
	hosts_distribute(hosts, *n);
	for (size_t i = 0; i < hosts->count; i++) {
		const struct job_host *host = &hosts->host[i];
		if (!host->ranks && !host->slots)
			return fail(ST_RANGE, "-n %d: no rank is left for %s; more ranks, or fewer hosts", *n,
			        host->name);
		if (host->ranks)
			text_add(&hosts->list, "%s%s:%d", hosts->list.count ? "," : "", host->name,
			        host->ranks);
	}
	return ST_OK;
}

enum status hosts_check(const struct options *options)
{
	struct hosts hosts;
	int n = options->n;
	enum status status = hosts_read(options, &hosts);
	bool known = n || !(options->resume || options->follow); /* else the journal has the number */
	if (status == ST_OK && known)
		status = hosts_share(&hosts, &n);
	hosts_release(&hosts);
	return status;
}

int hosts_option(const char *word)
{
	static const char *const names[] = {"--hosts", "--hostfile", "--prefix"};
	size_t length = strcspn(word, "=");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == length && strncmp(word, names[i], length) == 0)
			return word[length] ? 1 : 2;
	return 0;
}

void hosts_release(struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++)
		mem_free(hosts->host[i].name);
	mem_free(hosts->host);
	text_release(&hosts->list);
	*hosts = (struct hosts){0};
}
