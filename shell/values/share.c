/* share.c -- shares one process's data or outcome with all
 *
 * The outcome is shared first, and bytes only after a success, so that no process waits for bytes
 * that are not sent.
 *
 *     owner    reads a file ----- agree: ok ----- bytes ----->
 *     others                ----- agree: ok ----- receive --->   all have the same bytes
 *     or                    ----- agree: no such file ------->   all refuse with the same words */
#include "shell/values/share.h"
#include "base/file.h"
#include "base/memory.h"
#include "mpi/transport.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/*     nothing, or an empty file     written
 *     an output of this kind        replaced: a script runs twice
 *     another file, a link          `force` replaces the file, and writes through the link
 *     a folder, a device, a pipe    refused, with `force` too */

static bool begins_with(const char *path, const char *bytes)
{
	char *begin;
	size_t length = strlen(bytes), count;
	bool same = file_read(path, length, &begin, &count) == ST_OK && count == length &&
	        memcmp(begin, bytes, length) == 0;
	mem_free(begin);
	return same;
}

static bool file_is(const char *path, const char *bytes, size_t count)
{
	char *there;
	size_t length;
	bool same = file_there(path) == FILE_REGULAR && file_read(path, count + 1, &there, &length) == ST_OK;
	if (same) {
		same = length == count && memcmp(there, bytes, count) == 0;
		mem_free(there);
	}
	return same;
}

enum status may_replace(const struct output *output)
{
	const char *path = output->path;
	enum file_there there = file_there(path);
	struct stat about;
	if (there == FILE_LINK && stat(path, &about) == 0 && !S_ISREG(about.st_mode))
		there = FILE_OTHER;
	if (there == FILE_OTHER)
		return fail(ST_FILE, "%s is not a regular file", path);
	const struct output_kind *kind = output->kind;
	bool earlier = there == FILE_REGULAR &&
	        (file_is(path, "", 0) || (kind->begins && begins_with(path, kind->begins)) ||
	                (kind->is_own && kind->is_own(path)));
	if (there == FILE_NONE || output->force || earlier)
		return ST_OK;
	if (there == FILE_LINK)
		return fail(
		        ST_FILE, "%s is a symbolic link: `%s force` writes through it", path, output->line);
	return fail(
	        ST_FILE, "%s exists and is not a %s: `%s force` overwrites it", path, kind->is, output->line);
}

enum status shell_agree(struct shell *shell, int owner, enum status mine)
{
	return outcome_from(shell->transport, owner, mine);
}

enum status shell_agree_all(struct shell *shell, enum status mine)
{
	enum status status = ST_OK;
	for (int process = 0; process < transport_size(shell->transport) && status == ST_OK; process++)
		status = shell_agree(shell, process, mine);
	return status;
}

enum status shell_spread(struct shell *shell, enum status mine, void *bytes, size_t count)
{
	void *block = bytes;
	size_t got = count;
	enum status status = shell_agree(shell, 0, mine);
	if (status == ST_OK)
		status = transport_broadcast(shell->transport, 0, &block, &got);
	if (block == bytes)
		return status;
	memcpy(bytes, block, got < count ? got : count);
	mem_free(block);
	return status;
}

enum status shell_say_found(struct shell *shell, enum status mine, const struct text *words)
{
	void *bytes = words->bytes;
	size_t count = words->count;
	enum status status = shell_agree(shell, 0, mine);
	if (status == ST_OK)
		status = transport_broadcast(shell->transport, 0, &bytes, &count);
	if (status == ST_OK)
		out_put(shell->out, bytes, count);
	if (bytes != words->bytes)
		mem_free(bytes);
	return status;
}

enum status read_file(const char *path, char **bytes, size_t *count)
{
	enum { MOST = 64 << 20 };
	enum status status = file_read(path, MOST, bytes, count);
	if (status != ST_OK || *count < MOST)
		return status;
	mem_free(*bytes);
	*bytes = NULL;
	return fail(ST_LIMIT, "%s: a file of more than 64 MB", path);
}

enum status shell_no_file(const char *path)
{
	return fail(ST_FILE, "%s: files cannot be read here", path);
}

enum status shell_may_write(const struct shell *shell, const char *path)
{
	return shell->files.writes_none
	        ? fail(ST_FILE, "%s is not written: a lesson's own lines may read files, but not write them",
	                  path)
	        : ST_OK;
}

enum status shell_write(struct shell *shell, const struct output *output, const struct text *text)
{
	bool writes = !shell->replay.depth && transport_rank(shell->transport) == 0;
	enum status status = shell_may_write(shell, output->path);
	if (status != ST_OK)
		return status;
	if (writes) {
		status = may_replace(output);
		if (status == ST_OK)
			status = file_write(output->path, text_string(text), text->count);
		else if (file_is(output->path, text_string(text), text->count))
			status = ST_OK;
	}
	status = shell_agree(shell, 0, status);
	return shell_written(shell, output->path, status);
}

/* Records a refusal as a recorded input named "WORD PATH". */
static enum status keep_outcome(struct shell *shell, const char *word, const char *path, enum status status)
{
	struct text what = {0};
	struct ranks first = {0};
	double refused = 1;
	bool then = false;
	int looks = shell->steering.looks;
	shell->steering.looks = 0; /* also for a read-only command that writes (`export`) */
	ranks_add(&first, 0);
	text_add(&what, "%s %s", word, path);
	if (shell->replay.recalls)
		then = steering_recall(&shell->steering, text_string(&what), what.count, &refused, 1);
	else if (shell->replay.depth)
		then = steering_knows(&shell->steering, text_string(&what), what.count);
	if (!shell->replay.recalls && (then || status != ST_OK))
		steering_read(&shell->steering, text_string(&what), what.count, &first, &refused, 1);
	text_release(&what);
	shell->steering.looks = looks;
	return then && status == ST_OK ? fail(ST_FILE, "%s was not written when this line was typed", path)
	                               : status;
}

enum status shell_written(struct shell *shell, const char *path, enum status status)
{
	return keep_outcome(shell, "no", path, status);
}

enum status shell_replaces(struct shell *shell, const char *path, enum status status)
{
	return keep_outcome(shell, "kept", path, status);
}

enum status shell_file(struct shell *shell, const char *path, char **bytes, size_t *count)
{
	enum status status = ST_OK;
	*bytes = NULL;
	*count = 0;
	if (shell->files.none)
		return shell_no_file(path);
	if (transport_rank(shell->transport) == 0)
		status = read_file(path, bytes, count);
	status = shell_agree(shell, 0, status);
	if (status == ST_OK)
		status = transport_broadcast(shell->transport, 0, (void **)bytes, count);
	if (status == ST_OK)
		shell_read_file(shell, path, *bytes, *count);
	return status;
}
