/* reach.c -- what mpirun gets for the hosts of a job, and the process that reaches each of them
 *
 *     mpirun --host n1:8,n2:8 --map-by slot -x RANKSH_DEVICE   /bin/sh -c START n1 SELF PREFIX   ...
 *            `------------------ reach_words ------------------------------------------------'
 *
 * START runs on every host. It reports a missing ranksh with the host's name; Open MPI does not
 * always. A rank compares its version with the front end's (RANKSH_FRONT_END), in process.c. */
#include "shell/terminal/hosts.h"
#include "base/memory.h"
#include "shell/session/options.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define ASK_MARK "\036ask "
#define ANSWER_MARK "\036answer "
/* What the other host's shell prints first, whichever shell it is */
#define ANSWER "ranksh: here I am"

enum { SLOW_S = 20 };

extern char **environ;

/* ---- mpirun's words ---- */

/* $0: the front end's host. PREFIX may be the folder above bin, or the binary's own. */
static const char start[] =
        "at=$1 in=${1%/*}; [ \"$(uname -n)\" = \"$0\" ] || [ -z \"$2\" ] || { in=$2 at=$2/bin/ranksh; "
        "[ -x \"$at\" ] || at=$2/ranksh; }; shift 2; [ -x \"$at\" ] && exec \"$at\" \"$@\"; "
        "printf '" FAULT_MARK "%s: there is no ranksh in %s; install it there, or name its folder by "
        "--prefix DIR\\n' \"$(uname -n)\" \"$in\" >&2; exit 2";

static void reach_put(struct text *words, const char *word, int *count)
{
	text_put(words, word, strlen(word) + 1);
	++*count;
}

/* Returns true for a variable that ranks read on their own host. RANKSH_SEGMENTS and RANKSH_MPI
 * are paths of this one. */
static bool reach_passes(const char *variable)
{
	static const char *const begins[] = {"RANKSH_", "OPENBLAS_", "NCCL_",
	        "LANG=", "LC_ALL=", "LC_CTYPE=", "LD_LIBRARY_PATH=", "CUDA_HOME=", "CUDA_PATH=",
	        "VIRTUAL_ENV=", "CONDA_PREFIX=", "XDG_DATA_HOME="};
	if (strncmp(variable, "RANKSH_SEGMENTS=", 16) == 0 || strncmp(variable, "RANKSH_MPI=", 11) == 0)
		return false;
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(variable, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* Open MPI 4 and 5 have different names. No tree: only this computer needs to reach all others.
 * ssh is RANKSH_SSH, or what the user has set for Open MPI. */
static void reach_prepare(const char *host)
{
	char alias[64], agent[80], front_end[100];
	const char *ssh = getenv("RANKSH_SSH"), *theirs = getenv("OMPI_MCA_plm_rsh_agent");
	theirs = theirs ? theirs : getenv("PRTE_MCA_plm_ssh_agent");
	if (!ssh || !*ssh)
		setenv("RANKSH_SSH", theirs ? theirs : "ssh -o BatchMode=yes -o ConnectTimeout=10", 1);
	system_own_alias(alias, sizeof alias); /* Open MPI splits the agent at blanks */
	snprintf(agent, sizeof agent, "%s --reach", alias);
	setenv("OMPI_MCA_plm_rsh_agent", agent, 1);
	setenv("PRTE_MCA_plm_ssh_agent", agent, 1);
	setenv("OMPI_MCA_plm_rsh_no_tree_spawn", "1", 1);
	setenv("PRTE_MCA_plm_ssh_no_tree_spawn", "1", 1);
	setenv("RES_OPTIONS", "timeout:2 attempts:2", 0); /* an unknown name is refused within 20 s */
	snprintf(front_end, sizeof front_end, RANKSH_VERSION " %s", host);
	setenv("RANKSH_FRONT_END", front_end, 1);
}

/* The words for mpirun, and then the program */
static void reach_put_words(
        const struct hosts *hosts, const char *self, const char *prefix, struct text *words, int *count)
{
	struct utsname here;
	if (uname(&here) != 0)
		*here.nodename = '\0';
	reach_prepare(here.nodename);
	if (hosts->from != HOSTS_SLURM) {
		reach_put(words, "--host", count);
		reach_put(words, text_string(&hosts->list), count);
	}
	reach_put(words, "--map-by", count);
	reach_put(words, "slot", count);
	for (char **variable = environ; *variable; variable++)
		if (reach_passes(*variable)) {
			reach_put(words, "-x", count);
			text_put(words, *variable, strcspn(*variable, "="));
			reach_put(words, "", count);
		}
	reach_put(words, "/bin/sh", count);
	reach_put(words, "-c", count);
	reach_put(words, start, count);
	reach_put(words, here.nodename, count);
	reach_put(words, self, count);
	reach_put(words, prefix ? prefix : "", count);
}

enum status reach_words(
        const struct options *options, const char *self, int *n, struct text *words, int *count)
{
	struct hosts hosts;
	enum status status = hosts_read(options, &hosts);
	*count = 0;
	if (status == ST_OK)
		status = hosts_share(&hosts, n);
	if (status == ST_OK && hosts.from != HOSTS_NONE)
		reach_put_words(&hosts, self, options->prefix, words, count);
	hosts_release(&hosts);
	return status;
}

/* ---- one host ---- */

static const char *reach_advice(const char *said, const char *host, char advice[300])
{
	static const struct {
		const char *said, *advice;
	} rows[] = {{"resolve", "is the name right?"},
	        {"Permission denied", "`ssh-copy-id %s` puts your key there"},
	        {"verification failed", "`ssh %s` once, to accept its key"},
	        {"ssh: not found", "install ssh here (Debian: apt-get install openssh-client)"},
	        {"", "try `ssh %s true`"}};
	size_t i = 0;
	while (!strstr(said, rows[i].said))
		i++;
	const char *at = strstr(rows[i].advice, "%s");
	if (!at)
		return rows[i].advice;
	snprintf(advice, 300, "%.*s%s%s", (int)(at - rows[i].advice), rows[i].advice, host, at + 2);
	return advice;
}

/* An answer's absence is a failure of ssh. 127: the other host's shell found no program. */
static void reach_report(const char *host, bool answered, int status, const char *said)
{
	char advice[300];
	if (!answered && status != 0)
		dprintf(2, FAULT_MARK "%s cannot be reached: %s; %s\n", host,
		        *said ? said : "ssh gave no reason", reach_advice(said, host, advice));
	else if (status == 127)
		dprintf(2,
		        FAULT_MARK
		        "%s cannot start Open MPI (%s); install the Open MPI of this computer there\n",
		        host, said);
}

/* Passes on what comes after the answer. `said`: the last line */
static bool reach_listen(int from, const char *host, struct text *said)
{
	FILE *lines = fdopen(from, "r");
	char *line = NULL;
	size_t room = 0;
	bool answered = false;
	while (lines && getline(&line, &room, lines) > 0) {
		line[strcspn(line, "\r\n")] = '\0';
		if (!answered && strcmp(line, ANSWER) == 0) {
			answered = true;
			dprintf(2, ANSWER_MARK "%s\n", host);
		} else if (answered) {
			dprintf(2, "%s\n", line);
		}
		if (*line) {
			text_clear(said);
			text_add(said, "%s", line);
		}
	}
	free(line);
	if (lines)
		fclose(lines);
	return answered;
}

int reach_run(int count, char **word)
{
	struct text command = {0}, said = {0};
	const char *host = count > 0 ? word[0] : "";
	int ends[2], status = 0;
	pid_t parent = getpid();
	system_end_with_parent(SIGTERM);
	dprintf(2, ASK_MARK "%s\n", host);
	text_add(&command, "echo '" ANSWER "';");
	for (int i = 1; i < count; i++) /* as ssh joins them */
		text_add(&command, " %s", word[i]);
	if (pipe2(ends, O_CLOEXEC) != 0)
		return 255;
	pid_t pid = fork();
	if (pid == 0) {
		system_end_with_parent(SIGTERM);
		if (getppid() != parent)
			_exit(255);
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		/* the shell splits the user's command */
		execl("/bin/sh", "sh", "-c", "exec $RANKSH_SSH \"$@\"", "sh", host, text_string(&command),
		        (char *)NULL);
		_exit(255);
	}
	close(ends[1]);
	bool answered = reach_listen(ends[0], host, &said);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
	reach_report(host, answered, code, text_string(&said));
	text_release(&command);
	text_release(&said);
	return code;
}

/* ---- the front end ---- */

static void reach_forget(struct text *waits, const char *host)
{
	struct text left = {0};
	for (const char *at = text_string(waits); *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		if (length != strlen(host) || strncmp(at, host, length) != 0)
			text_add(&left, "%s%.*s", left.count ? " " : "", (int)length, at);
		at += length;
	}
	text_release(waits);
	*waits = left;
}

bool reach_hear(const char *line, size_t count, struct text *waits, struct text *faults)
{
	static const char *const marks[] = {ASK_MARK, ANSWER_MARK, FAULT_MARK};
	const char *mark = memchr(line, *FAULT_MARK, count);
	for (size_t i = 0; mark && i < sizeof marks / sizeof *marks; i++) {
		size_t length = strlen(marks[i]);
		if (line + count - mark < (ptrdiff_t)length || strncmp(mark, marks[i], length) != 0)
			continue;
		char *rest = mem_copy_text(mark + length, (size_t)(line + count - mark) - length);
		if (i == 0)
			text_add(waits, "%s%s", waits->count ? " " : "", rest);
		else if (i == 1)
			reach_forget(waits, rest);
		else if (!strstr(text_string(faults), rest))
			text_add(faults, "%s%s", faults->count ? "\n" : "", rest);
		mem_free(rest);
		return true;
	}
	return false;
}

void reach_starting(bool several, const struct text *waits, int64_t seconds, struct text *words)
{
	if (waits->count)
		text_add(words, "waiting for %s", text_string(waits));
	else
		text_add(words,
		        several && seconds >= SLOW_S ? "slow, or a firewall between the hosts"
		                                     : "starting the ranks");
}
