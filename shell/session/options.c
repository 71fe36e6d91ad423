/* options.c -- the command line */
#include "shell/session/options.h"
#include "base/number.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *options_help(void)
{
	return "usage: ranksh [-n N] [OPTIONS] [FILE [NAME=VALUE ...]]\n"
	       "       mpirun -n N ranksh [OPTIONS] [FILE [NAME=VALUE ...]]\n"
	       "\n"
	       "Several GPUs at work, to be seen and tried: streams, collectives, stalls, on N simulated "
	       "GPUs.\n"
	       "Without FILE or -c a prompt opens (or, with no terminal, lines are read from the input).\n"
	       "\n"
	       "  -n N               ranks (4); one GPU each\n"
	       "  -c LINES           runs these lines\n"
	       "  --test FILE        runs FILE and compares what it prints with its `#>` lines\n"
	       "  --machine NAME     hardware to simulate: a name (`machine` lists them) or a file "
	       "(classroom)\n"
	       "  --dry              shapes and times only, no data: one process, N up to 4096\n"
	       "  --limit TIME       ends the run after this time: 10s\n"
	       "  --device KIND      auto, sim or cuda (auto)\n"
	       "  --resume           opens the last session again\n"
	       "  --check-lessons    holds every lesson to its checks\n"
	       "  --version, --help\n"
	       "  NAME=VALUE         beats the file's `let NAME =`\n"
	       "\n"
	       "exit status: 0; 1 an `expect` failed or a test's output differs; 2 a line was refused;\n"
	       "             3 ranks are stuck at the end; 4 the job died\n";
}

/* X(field to set, name, takes a value) */
#define OPTIONS(X)                     \
	X(N, "-n", 1)                  \
	X(C, "-c", 1)                  \
	X(TEST, "--test", 1)           \
	X(MACHINE, "--machine", 1)     \
	X(DRY, "--dry", 0)             \
	X(LIMIT, "--limit", 1)         \
	X(DEVICE, "--device", 1)       \
	X(RESUME, "--resume", 0)       \
	X(CHECK, "--check-lessons", 0) \
	X(VERSION, "--version", 0)     \
	X(HELP, "--help", 0)           \
	X(H, "-h", 0)                  \
	X(WIRE, "--wire", 0)
enum flag {
#define X(symbol, name, value) OPTION_##symbol,
	OPTIONS(X)
#undef X
	        OPTION_COUNT
};
static const struct {
	const char *name;
	bool value;
} rows[] = {
#define X(symbol, name, value) {name, value},
        OPTIONS(X)
#undef X
};

/* "--machine", or "--machine=x" whose value is then *value. */
static enum status find(const char *word, enum flag *option, const char **value)
{
	size_t length = strcspn(word, "=");
	const char *nearest = rows[OPTION_HELP].name;
	int least = 1000;
	*value = word[length] ? word + length + 1 : NULL;
	for (int i = 0; i < OPTION_COUNT; i++) {
		if (strlen(rows[i].name) == length && strncmp(rows[i].name, word, length) == 0) {
			*option = (enum flag)i;
			return *value && !rows[i].value ? fail(ST_ARGUMENT, "%s takes no value", rows[i].name)
			                                : ST_OK;
		}
		int distance = text_distance(rows[i].name, word);
		if (distance < least && i != OPTION_WIRE) {
			least = distance;
			nearest = rows[i].name;
		}
	}
	return fail(
	        ST_ARGUMENT, "no option %.*s; did you mean %s? (ranksh --help)", (int)length, word, nearest);
}

static enum status read_count(const char *value, int *n)
{
	char *end;
	long count = strtol(value, &end, 10);
	if (*end || end == value || count < 1 || count > RANKS_DRY_MOST)
		return fail(ST_RANGE, "-n wants a number of ranks, 1 to %d, not '%s'", RANKS_DRY_MOST, value);
	*n = (int)count;
	return ST_OK;
}

static enum status read_limit(const char *value, int64_t *ns)
{
	struct number number;
	int used;
	if (number_read(value, &number, &used) != ST_OK || value[used] || number.unit != UNIT_TIME ||
	        !(number.value >= 1e6))
		return fail(ST_UNIT, "--limit wants a time, as in 10s, not '%s'", value);
	*ns = number.value < 1e18 ? (int64_t)number.value : INT64_MAX / 4;
	return ST_OK;
}

static enum status read_device(const char *value, const char **device)
{
	if (strcmp(value, "auto") != 0 && strcmp(value, "sim") != 0 && strcmp(value, "cuda") != 0)
		return fail(ST_ARGUMENT, "--device is auto, sim or cuda, not '%s'", value);
	*device = value;
	return ST_OK;
}

static enum status once(const char **where, const char *value, const char *what)
{
	if (*where)
		return fail(ST_ARGUMENT, "%s twice: %s, %s", what, *where, value);
	*where = value;
	return ST_OK;
}

static enum status apply(struct options *options, enum flag option, const char *value)
{
	switch (option) {
	case OPTION_N:
		return read_count(value, &options->n);
	case OPTION_C:
		return once(&options->lines, value, "-c");
	case OPTION_TEST:
		options->test = true;
		return once(&options->file, value, "a file");
	case OPTION_MACHINE:
		return once(&options->machine, value, "--machine");
	case OPTION_LIMIT:
		return read_limit(value, &options->limit_ns);
	case OPTION_DEVICE:
		return read_device(value, &options->device);
	case OPTION_DRY:
		options->dry = true;
		break;
	case OPTION_RESUME:
		options->resume = true;
		break;
	case OPTION_CHECK:
		options->check_lessons = true;
		break;
	case OPTION_VERSION:
		options->version = true;
		break;
	case OPTION_HELP:
	case OPTION_H:
		options->help = true;
		break;
	case OPTION_WIRE:
		options->wire = true;
		break;
	case OPTION_COUNT:
		break;
	}
	return ST_OK;
}

/* What is left must agree with itself. */
static enum status check(const struct options *options)
{
	if (options->lines && options->file)
		return fail(ST_ARGUMENT, "-c and a file (%s): one of them", options->file);
	if (options->arguments && !options->file)
		return fail(ST_ARGUMENT, "%s: no such file, and NAME=VALUE goes behind a file",
		        options->argument[0]);
	if (!options->dry && options->n > RANKS_MPI_MOST)
		return fail(ST_RANGE,
		        "-n %d: that many processes do not fit here; --dry models up to %d ranks in one",
		        options->n, RANKS_DRY_MOST);
	if (options->resume && (options->file || options->lines || options->test || options->check_lessons))
		return fail(ST_ARGUMENT, "--resume opens a prompt: it goes with no file and no lines");
	return ST_OK;
}

enum status options_read(struct options *options, int argc, char **argv)
{
	*options = (struct options){.device = "auto", .argument = argv + 1};
	for (int i = 1; i < argc; i++) {
		char *word = argv[i];
		enum flag option = OPTION_HELP;
		const char *value;
		enum status status;
		if (word[0] != '-' || !word[1]) {
			if (options->file && strchr(word, '='))
				options->argument[options->arguments++] = word;
			else if ((status = once(&options->file, word, "a file")) != ST_OK)
				return status;
			continue;
		}
		status = find(word, &option, &value);
		if (status == ST_OK && rows[option].value && !value &&
		        !(value = i + 1 < argc ? argv[++i] : NULL))
			status = fail(ST_ARGUMENT, "%s wants a value (ranksh --help)", rows[option].name);
		if (status == ST_OK)
			status = apply(options, option, value);
		if (status != ST_OK)
			return status;
	}
	return check(options);
}

bool options_batch(const struct options *options)
{
	return options->file || options->lines || options->check_lessons ||
	        (!options->wire && !(isatty(0) && isatty(1)));
}
