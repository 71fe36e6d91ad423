/* share.c -- what one process knows becomes everyone's: a file's bytes, how something went.
 *
 * Both are collective: every process calls them in the same order, and none goes on before it knows the
 * outcome. */
#include "shell/session/share.h"
#include "base/file.h"
#include "base/memory.h"
#include "mpi/plane.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char *read_file(const char *path, size_t *count)
{
	enum { MOST = 64 << 20 };
	struct stat about;
	bool endless =
	        stat(path, &about) == 0 && !S_ISREG(about.st_mode); /* a device, a pipe: it may never end */
	FILE *file = endless ? NULL : fopen(path, "rb");
	struct text text = {0};
	char block[4096];
	size_t got;
	*count = 0;
	if (!file) {
		fail(ST_FILE, "%s%s%s", path, endless ? " is not a regular file" : ": ",
		        endless ? "" : strerror(errno));
		return NULL;
	}
	while ((got = fread(block, 1, sizeof block, file)) > 0 && text.count < MOST)
		text_put(&text, block, got);
	bool broken = ferror(file) != 0;
	int error = errno;
	fclose(file);
	if (broken || text.count >= MOST) {
		if (broken)
			fail(ST_FILE, "%s: %s", path, strerror(error));
		else
			fail(ST_LIMIT, "%s: a file of more than 64 MB", path);
		text_release(&text);
		return NULL;
	}
	if (!text.bytes)
		text.bytes = mem_copy_text("", 0);
	*count = text.count;
	return text.bytes;
}

enum status shell_agree(struct shell *shell, int owner, enum status mine)
{
	struct {
		int status;
		char text[500];
	} verdict = {(int)mine, ""};
	size_t count = sizeof verdict;
	void *bytes = &verdict;
	int me = shell->plane ? plane_rank(shell->plane) : owner;
	if (mine != ST_OK)
		snprintf(verdict.text, sizeof verdict.text, "%s", fail_text());
	if (!shell->plane || plane_size(shell->plane) == 1)
		return mine;
	if (me != owner)
		bytes = NULL;
	enum status status = plane_broadcast(shell->plane, owner, &bytes, &count);
	if (status != ST_OK || me == owner)
		return status != ST_OK ? status : mine;
	memcpy(&verdict, bytes, count < sizeof verdict ? count : sizeof verdict);
	mem_free(bytes);
	return verdict.status == ST_OK ? ST_OK : fail((enum status)verdict.status, "%s", verdict.text);
}

enum status shell_write(struct shell *shell, const char *path, const struct text *text)
{
	bool writes = !shell->replaying && (!shell->plane || plane_rank(shell->plane) == 0);
	return shell_agree(shell, 0, writes ? file_write(path, text_string(text), text->count) : ST_OK);
}

enum status shell_file(struct shell *shell, const char *path, char **bytes, size_t *count)
{
	bool owner = !shell->plane || plane_rank(shell->plane) == 0;
	enum status status = ST_OK;
	*bytes = NULL;
	*count = 0;
	if (owner && !(*bytes = read_file(path, count)))
		status = ST_FILE;
	status = shell_agree(shell, 0, status);
	if (status == ST_OK && shell->plane && plane_size(shell->plane) > 1) {
		void *block = *bytes;
		status = plane_broadcast(shell->plane, 0, &block, count);
		*bytes = block;
	}
	if (status != ST_OK) {
		mem_free(*bytes);
		*bytes = NULL;
	}
	return status;
}
