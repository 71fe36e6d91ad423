/* follow.c -- reads the lines of a growing file
 *
 *     {"ranksh":"0.1",...}\n{"line":"stream io"}\n{"line":"y = re
 *     |------------- taken --------------------| |--- waits ---|     for its newline
 *
 * A shared folder does not report remote writes, so the file is polled. */
#include "shell/terminal/inside.h"
#include "shell/terminal/talk.h"
#include "shell/wire/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAP_LEAST_MS = 2, NAP_MOST_MS = 50, PIECE = 1 << 16 };
static const int64_t TOLD_NS = 1000000000; /* after this time the wait is reported */

/* Returns the pipe's new descriptor; descriptor 0 becomes the keyboard. */
static int take_input(void)
{
	int file = fcntl(0, F_DUPFD_CLOEXEC, 3), keys = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (keys < 0)
		keys = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup2(keys, 0);
	close(keys);
	return file;
}

enum status follow_open(struct follow *follow, const char *path)
{
	struct stat about = {0};
	bool input = strcmp(path, "-") == 0;
	*follow = (struct follow){
	        .path = path, .name = input ? "the pipe" : path, .told.file = -1, .nap_ms = NAP_LEAST_MS};
	follow->file = input ? take_input() : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (follow->file < 0 || fstat(follow->file, &about) != 0)
		return fail(ST_FILE, "--follow: cannot read %s: %s", follow->name, strerror(errno));
	if (S_ISDIR(about.st_mode))
		return fail(ST_FILE, "--follow needs the journal of a session, and %s is a folder", path);
	if (!input && !S_ISREG(about.st_mode))
		return fail(ST_FILE,
		        "--follow needs the journal of a session, and %s is not a regular file; a pipe is "
		        "`... | ranksh --follow -`",
		        path);
	follow->pipe = input;
	return ST_OK;
}

static enum status is_still_there(const struct follow *follow)
{
	struct stat own, named;
	if (follow->pipe)
		return ST_OK;
	if (fstat(follow->file, &own) != 0 || stat(follow->path, &named) != 0)
		return fail(ST_FILE, "%s no longer exists: %s", follow->path, strerror(errno));
	if (own.st_ino != named.st_ino || own.st_dev != named.st_dev)
		return fail(ST_FILE, "%s is another file now", follow->path);
	if (own.st_size < follow->size)
		return fail(ST_FILE, "%s has become shorter: a journal only grows", follow->path);
	return ST_OK;
}

static enum status read_more(struct follow *follow, bool *more)
{
	char piece[PIECE];
	struct pollfd end = {.fd = follow->file, .events = POLLIN};
	*more = false;
	if (follow->pipe && poll(&end, 1, 0) <= 0)
		return ST_OK;
	ssize_t got = read(follow->file, piece, sizeof piece);
	if (got < 0 && errno != EINTR && errno != EAGAIN)
		return fail(ST_FILE, "cannot read %s: %s", follow->name, strerror(errno));
	if (got == 0 && follow->pipe && follow->bytes.count)
		return fail(
		        ST_FILE, "%s has ended in the middle of line %zu", follow->name, follow->lines + 1);
	if (got == 0 && follow->pipe)
		return fail(ST_QUIT, "%s has ended", follow->name);
	if (got > 0) {
		text_put(&follow->bytes, piece, (size_t)got);
		follow->size += got;
		*more = true;
	}
	return ST_OK;
}

enum status follow_take(struct follow *follow, const char **line, size_t *count)
{
	enum status status = ST_OK;
	bool more = false, whole = take_line(&follow->bytes, &follow->line);
	*line = NULL;
	if (!whole) {
		status = read_more(follow, &more);
		whole = take_line(&follow->bytes, &follow->line);
	}
	if (whole) {
		*line = text_string(&follow->line);
		*count = follow->line.count;
		follow->lines++;
		follow->nap_ms = 0;
		return ST_OK;
	}
	if (status == ST_OK && !more)
		status = is_still_there(follow);
	follow->nap_ms = more || follow->nap_ms < NAP_LEAST_MS ? NAP_LEAST_MS
	        : follow->nap_ms * 2 > NAP_MOST_MS             ? NAP_MOST_MS
	                                                       : follow->nap_ms * 2;
	return status;
}

/* ---- the first line ---- */

static enum status not_a_journal(const struct follow *follow)
{
	return fail(ST_FILE, "--follow: %s is not a journal of ranksh (`ranksh --journal FILE` writes one)",
	        follow->name);
}

static enum status await_head(struct follow *follow)
{
	int64_t began = wall_ns();
	const char *line = NULL;
	size_t count;
	struct journal_look look = {0};
	while (!line) {
		enum status status = follow_take(follow, &line, &count);
		if (status == ST_QUIT || (!line && follow->bytes.count && *follow->bytes.bytes != '{'))
			return not_a_journal(follow);
		if (status != ST_OK)
			return status;
		if (began && wall_ns() - began > TOLD_NS) {
			fprintf(stderr, "   %s is empty yet: waiting for its session (Ctrl-C leaves)\n",
			        follow->name);
			began = 0;
		}
		if (!line)
			poll(NULL, 0, follow->nap_ms);
		if (signal_asked_to_end() || signal_taken(SIGINT))
			return fail(ST_FILE, "%s has not begun", follow->name);
	}
	enum journal_says says = journal_file_line(&follow->told, line, count, &look);
	journal_look_release(&look);
	int most = follow->told.dry ? RANKS_DRY_MOST : RANKS_MPI_MOST;
	return says == JOURNAL_HEAD && follow->told.n >= 1 && follow->told.n <= most ? ST_OK
	                                                                             : not_a_journal(follow);
}

static enum status check_head(const struct options *options, const struct follow *follow)
{
	const struct journal_file *told = &follow->told;
	const char *name = follow->name, *gpus = "its GPUs";
	if (strcmp(told->version, RANKSH_VERSION) != 0)
		return fail(ST_ARGUMENT, "--follow: %s was written by ranksh %s, but this is " RANKSH_VERSION,
		        name, *told->version ? told->version : "of another kind");
	if (options->n && options->n != told->n)
		return fail(ST_ARGUMENT, "--follow: %s is a session of %d rank%s, not of %d", name, told->n,
		        told->n == 1 ? "" : "s", options->n);
	if (options->machine && strcmp(options->machine, told->machine) != 0)
		return fail(ST_ARGUMENT, "--follow: %s is a session on %s, not on %s", name,
		        *told->machine ? told->machine : gpus, options->machine);
	if (options->dry && !told->dry)
		return fail(ST_ARGUMENT, "--follow: %s is a session with data, and --dry has none", name);
	return ST_OK;
}

enum status follow_head(struct follow *follow, const struct options *options)
{
	enum status status = await_head(follow);
	return status == ST_OK ? check_head(options, follow) : status;
}

void follow_release(struct follow *follow)
{
	if (follow->file >= 0)
		close(follow->file);
	text_release(&follow->bytes);
	text_release(&follow->line);
	journal_file_release(&follow->told);
	*follow = (struct follow){.file = -1, .told.file = -1};
}
