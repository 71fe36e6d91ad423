/* options.c -- reads the command line by a table: option, kind of value, field of struct options
 *
 *     typed       a.rsh M=1 --dry N=2 -n 8
 *     afterwards  a.rsh --dry -n 8 M=1 N=2      options anywhere, the file's NAME=VALUE last */
#include "shell/session/options.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *options_help(void)
{
	return "usage: ranksh [-n N] [OPTIONS] [FILE [NAME=VALUE ...]]\n"
	       "       mpirun -n N ranksh [OPTIONS] [FILE [NAME=VALUE ...]]\n"
	       "       ranksh help [WORD] | ranksh doctor [--try] [--json]\n"
	       "\n"
	       "A shell in which every line runs on N GPUs, real or simulated. It shows when each operation "
	       "ran "
	       "and why it waited.\n"
	       "Without FILE or -c it opens a prompt; if there is no terminal, it reads lines from the "
	       "input.\n"
	       "\n"
	       "  -n N               number of ranks (4); each has a GPU, or several share one\n"
	       "  -c LINES           runs these lines\n"
	       "  --test FILE        runs FILE and compares what it prints with its `#>` lines\n"
	       "  --machine NAME     hardware to simulate: a name (`machine` lists them) or a file "
	       "(classroom)\n"
	       "  --dry              shapes and times only, no data: one process, N up to 4096\n"
	       "  --limit TIME       ends the run after this time, such as 10s\n"
	       "  --device KIND      auto, sim or cuda (from RANKSH_DEVICE, or auto: cuda if there is a "
	       "GPU)\n"
	       "  --hosts LIST       runs on these hosts, by ssh: n1,n2 shares N evenly; n1:12,n2:4 sets "
	       "slots\n"
	       "  --hostfile FILE    the same: a line NAME, or NAME slots=4, for each host\n"
	       "  --prefix DIR       the folder of ranksh on the other hosts (the same path as here)\n"
	       "  --resume           opens the last session again\n"
	       "  --journal FILE     writes the session's lines to FILE, so that others can follow it; with "
	       "--resume: continues it\n"
	       "  --follow FILE      shows the session with the journal FILE while it runs; -: reads the "
	       "journal from the input\n"
	       "  --check-lessons    runs the checks of every lesson, or of the one in FILE\n"
	       "  --grade TASK FILE  checks whether the lines in FILE solve TASK: 4.2, or a lesson's file "
	       "for its first task\n"
	       "  --class DIR        joins the class with the folder DIR; --as NAME is your name on the "
	       "board\n"
	       "  --overview DIR     the class's board: each learner's task and error; --once prints it,\n"
	       "                     --csv prints a table\n"
	       "  --json             reads lines, also of -c or FILE, and prints each answer as a line of "
	       "JSON, for programs\n"
	       "  help [WORD]        prints what `help` shows at the prompt: for a command, a kernel, a "
	       "term\n"
	       "  doctor             prints what was found on this computer and what follows; --try also "
	       "starts\n"
	       "                     ranks, --json prints one JSON object. Status 1: no session can start\n"
	       "  --version, --help\n"
	       "  NAME=VALUE         overrides the file's `let NAME =`\n"
	       "\n"
	       "exit status: 0; 1 an `expect` failed, a test's output differs or a timeout ended a "
	       "collective;\n"
	       "             2 a line was refused, or the script ends within an iteration;\n"
	       "             3 ranks are stuck at the end; 4 the job died or reached --limit;\n"
	       "             130 Ctrl-C ended it\n";
}

/* FLAG: a bool, without a value; WORD: a word, given once; LAST: a word, of which the last counts;
 * TEST: a flag, whose file may be anywhere */
static const struct option {
	const char *name;
	enum { FLAG, WORD, TEST, COUNT, TIME, LAST } kind;
	size_t field;
} rows[] = {{"-n", COUNT, offsetof(struct options, n)}, {"-c", WORD, offsetof(struct options, lines)},
        {"--test", TEST, offsetof(struct options, file)},
        {"--machine", WORD, offsetof(struct options, machine)},
        {"--dry", FLAG, offsetof(struct options, dry)}, {"--limit", TIME, offsetof(struct options, limit_ns)},
        {"--device", LAST, offsetof(struct options, device)},
        {"--resume", FLAG, offsetof(struct options, resume)},
        {"--journal", WORD, offsetof(struct options, journal)},
        {"--follow", WORD, offsetof(struct options, follow)},
        {"--check-lessons", FLAG, offsetof(struct options, check_lessons)},
        {"--grade", WORD, offsetof(struct options, grade)},
        {"--class", WORD, offsetof(struct options, class_folder)},
        {"--as", WORD, offsetof(struct options, as)},
        {"--overview", WORD, offsetof(struct options, overview)},
        {"--hosts", WORD, offsetof(struct options, hosts)},
        {"--hostfile", WORD, offsetof(struct options, hostfile)},
        {"--prefix", WORD, offsetof(struct options, prefix)},
        {"--json", FLAG, offsetof(struct options, json)}, {"--once", FLAG, offsetof(struct options, once)},
        {"--csv", FLAG, offsetof(struct options, csv)}, {"--try", FLAG, offsetof(struct options, tries)},
        {"--version", FLAG, offsetof(struct options, version)},
        {"--help", FLAG, offsetof(struct options, help)}, {"-h", FLAG, offsetof(struct options, help)},
        {"--wire", FLAG, offsetof(struct options, wire)},
        {"--report", FLAG, offsetof(struct options, report)}};
enum { ROWS = sizeof rows / sizeof *rows, OF_FRONT_END = ROWS - 2 };

/* Finds the row, and sets *value of "--machine=x". The message of a failure has the nearest option
 * that users type. */
static enum status find(const char *word, const struct option **option, const char **value)
{
	size_t length = strcspn(word, "=");
	const char *nearest = "--help";
	int least = 1000;
	*value = word[length] ? word + length + 1 : NULL;
	for (int i = 0; i < ROWS; i++) {
		if (strlen(rows[i].name) == length && strncmp(rows[i].name, word, length) == 0) {
			*option = &rows[i];
			return *value && rows[i].kind == FLAG
			        ? fail(ST_ARGUMENT, "%s takes no value", rows[i].name)
			        : ST_OK;
		}
		if (i < OF_FRONT_END && text_nearer(word, rows[i].name, &least))
			nearest = rows[i].name;
	}
	return fail(
	        ST_ARGUMENT, "no option %.*s; did you mean %s? (ranksh --help)", (int)length, word, nearest);
}

static enum status read_count(const char *value, int *n)
{
	char *end;
	long count = strtol(value, &end, 10);
	if (*end || end == value || count < 1 || count > RANKS_DRY_MOST)
		return fail(ST_RANGE, "-n needs a number of ranks, 1 to %d, not '%s'", RANKS_DRY_MOST, value);
	*n = (int)count;
	return ST_OK;
}

static enum status read_limit(const char *value, int64_t *ns)
{
	struct number number;
	int used;
	if (number_read(value, &number, &used) != ST_OK || value[used] || number.unit != UNIT_TIME ||
	        !(number.value >= 1e6))
		return fail(ST_UNIT, "--limit needs a time, as in 10s, not '%s'", value);
	*ns = number.value < 1e18 ? (int64_t)number.value : INT64_MAX / 4;
	return ST_OK;
}

static enum status once(const char **where, const char *value, const char *what)
{
	if (*where)
		return fail(ST_ARGUMENT, "%s twice: %s, %s", what, *where, value);
	*where = value;
	return ST_OK;
}

static enum status apply(struct options *options, const struct option *option, const char *value)
{
	void *field = (char *)options + option->field;
	switch (option->kind) {
	case FLAG:
		*(bool *)field = true;
		return ST_OK;
	case WORD:
		return once(field, value, option->name);
	case TEST:
		options->test = true;
		return value ? once(field, value, "a file") : ST_OK;
	case COUNT:
		return read_count(value, field);
	case TIME:
		return read_limit(value, field);
	case LAST:
		*(const char **)field = value;
	}
	return ST_OK;
}

/* A session whose lines come from a prompt or a program (terminal/script.h) */
static enum status check_lines(const struct options *options)
{
	const char *other = options->test ? "--test"
	        : options->grade          ? "--grade"
	        : options->check_lessons  ? "--check-lessons"
	        : options->asked          ? "help"
	        : options->arguments      ? options->argument[0]
	        : !options->json          ? NULL
	        : options->overview       ? "--overview"
	        : options->follow         ? "--follow"
	                                  : NULL;
	if (other && (options->class_folder || options->json))
		return fail(ST_ARGUMENT, "%s runs lines as if typed: it cannot be combined with %s",
		        options->json ? "--json" : "--class", other);
	return ST_OK;
}

static enum status check_prompt(const struct options *options)
{
	const char *option = options->follow ? "--follow" : options->resume ? "--resume" : "--journal";
	bool batch = options->file || options->lines || options->test || options->check_lessons;
	if (options->as && !options->class_folder)
		return fail(ST_ARGUMENT, "--as %s: in which class? --class DIR says so", options->as);
	if ((options->once || options->csv) && !options->overview)
		return fail(ST_ARGUMENT, "%s: of which class? --overview DIR says so",
		        options->csv ? "--csv" : "--once");
	if (options->overview && (options->class_folder || options->resume || batch))
		return fail(ST_ARGUMENT,
		        "--overview shows a class: it cannot be combined with a session, a file or lines");
	if (options->follow && (options->resume || options->journal))
		return fail(ST_ARGUMENT, "--follow and %s cannot be combined; `fork` keeps its own journal",
		        options->resume ? "--resume" : "--journal");
	if (batch && (options->follow || options->resume || options->journal))
		return fail(
		        ST_ARGUMENT, "%s opens a prompt: it cannot be combined with a file or lines", option);
	return ST_OK;
}

static enum status check_hosts(const struct options *options)
{
	const char *option = options->hosts ? "--hosts" : options->hostfile ? "--hostfile" : "--prefix";
	const char *alone = options->asked ? "help"
	        : options->overview        ? "--overview"
	        : options->grade           ? "--grade"
	        : options->check_lessons   ? "--check-lessons"
	        : options->dry             ? "--dry"
	        : options->n == 1          ? "-n 1"
	                                   : NULL;
	if (!options->hosts && !options->hostfile && !options->prefix)
		return ST_OK;
	if (options->hosts && options->hostfile)
		return fail(ST_ARGUMENT, "--hosts and --hostfile cannot be combined");
	if (alone)
		return fail(ST_ARGUMENT,
		        "%s and %s cannot be combined: %s runs one process, on this computer", option, alone,
		        alone);
	if (options->prefix && *options->prefix != '/')
		return fail(ST_ARGUMENT,
		        "--prefix needs a path that begins with '/', the same on the other hosts, not '%s'",
		        options->prefix);
	return ST_OK;
}

static enum status check(const struct options *options)
{
	if (options->tries && !options->doctor)
		return fail(ST_ARGUMENT, "--try: did you mean `ranksh doctor --try`?");
	if (options->doctor && (options->file || options->lines || options->test || options_course(options)))
		return fail(ST_ARGUMENT, "doctor cannot be combined with a file or lines: ranksh doctor");
	if (options->asked && (options->lines || options->test || options->check_lessons || options->grade))
		return fail(ST_ARGUMENT, "help cannot be combined with a file or lines: ranksh help");
	if (options->lines && options->file)
		return fail(ST_ARGUMENT, "-c and a file (%s) cannot be combined", options->file);
	if (options->test && !options->file)
		return fail(ST_ARGUMENT, "--test needs a file (ranksh --help)");
	if (!options->dry && options->n > RANKS_MPI_MOST)
		return fail(ST_RANGE,
		        "-n %d: ranksh starts at most %d processes; --dry models up to %d ranks in one",
		        options->n, RANKS_MPI_MOST, RANKS_DRY_MOST);
	if (options->grade && !options->file)
		return fail(ST_ARGUMENT,
		        "--grade %s needs a file with the lines to be graded (ranksh --help)",
		        options->grade);
	enum status status = check_lines(options);
	if (status == ST_OK)
		status = check_hosts(options);
	return status == ST_OK ? check_prompt(options) : status;
}

static enum status read_option(struct options *options, char **argv, int end, int *i)
{
	const struct option *option = NULL;
	const char *value;
	enum status status = find(argv[*i], &option, &value);
	if (status == ST_OK && option->kind != FLAG && option->kind != TEST && !value) {
		if (*i + 1 == end)
			return fail(ST_ARGUMENT, "%s needs a value (ranksh --help)", option->name);
		value = argv[++*i];
	}
	return status == ST_OK ? apply(options, option, value) : status;
}

enum status options_read(struct options *options, int argc, char **argv)
{
	enum status status = ST_OK;
	int end = argc;
	*options = (struct options){.word = argv + 1, .words = argc - 1};
	for (int i = 1; i < end && status == ST_OK; i++) {
		char *word = argv[i];
		/* `ranksh help WORDS` runs one process without data; a file is ./help */
		if (!options->file && strcmp(word, "help") == 0) {
			options->asked = argv + i + 1;
			options->asked_words = end - i - 1;
			options->dry = true;
			options->n = 1;
			options->device = "sim";
			break;
		}
		if (!options->file && strcmp(word, "doctor") == 0) { /* a file is ./doctor */
			options->doctor = true;
			continue;
		}
		if (word[0] == '-' && word[1]) {
			status = read_option(options, argv, end, &i);
		} else if (options->file && strchr(word, '=')) {
			memmove(argv + i, argv + i + 1, (size_t)(argc - 1 - i) * sizeof *argv);
			argv[argc - 1] = word;
			end--;
			i--;
		} else {
			status = once(&options->file, word, "a file");
		}
	}
	options->argument = argv + end;
	options->arguments = argc - end;
	return status == ST_OK ? check(options) : status;
}

const char *options_front_end(const struct options *options)
{
	return options->json            ? "--json"
	        : options->class_folder ? "--class"
	        : options->resume       ? "--resume"
	        : options->follow       ? "--follow"
	        : options->journal      ? "--journal"
	                                : NULL;
}

bool options_course(const struct options *options)
{
	return options->check_lessons || options->grade;
}

bool options_alone(const struct options *options)
{
	return options->dry || options->n == 1 || options_course(options);
}

bool options_batch(const struct options *options)
{
	return options->file || options->lines || options->check_lessons || options->asked ||
	        (!options->wire && !options->follow && !(isatty(0) && isatty(1)));
}
