/* say.c -- say, source: a script speaks; a script runs another */
#include "shell/commands/services.h"
#include "shell/language/run/interpreter.h"

#include "base/memory.h"
#include "mpi/plane.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum status say_run(struct shell *shell, struct call *call)
{
	struct text first = {0}, text = {0};
	bool same = true;
	enum status status = shell->backend->advance(shell->backend, &shell->budget);
	FOR_RANKS (rank, call_ranks(call)) {
		const char *word;
		if (status != ST_OK || (status = call_word(call, 0, 0, rank, &word)) != ST_OK)
			break;
		if (rank == ranks_first(call_ranks(call)))
			text_add(&first, "%s", word);
		same = same && strcmp(text_string(&first), word) == 0;
	}
	if (status == ST_OK && same)
		out_say(shell->out, "%s\n", text_string(&first));
	int place = status == ST_OK && !same ? out_place(shell->out, call_ranks(call)) : -1;
	for (int rank = ranks_first(call_ranks(call)); !same && status == ST_OK && rank >= 0;
	        rank = ranks_next(call_ranks(call), rank)) {
		const char *word = "";
		status = call_word(call, 0, 0, rank, &word);
		out_fill(shell->out, place, rank, word);
	}
	text_release(&first);
	text_release(&text);
	return status;
}

const struct command command_say = {
        .name = "say",
        .topic = "write",
        .usage = "say \"TEXT\"",
        .help = "shows a text; $i and $(i+1) in it are replaced by their values",
        .example = "let i = 3\nsay \"step $i of $(i+1)\"",
        .torch = "print(f\"step {i}\")",
        .class = COMMAND_STEER,
        .argument = {{ARG_TEXT, 0, NULL, "\"TEXT\""}},
        .run = say_run,
};

static char *read_file(const char *path, size_t *count)
{
	enum { MOST = 64 << 20 };
	FILE *file = fopen(path, "rb");
	struct text text = {0};
	char block[4096];
	size_t got;
	*count = 0;
	if (!file) {
		fail(ST_FILE, "%s: %s", path, strerror(errno));
		return NULL;
	}
	while ((got = fread(block, 1, sizeof block, file)) > 0 && text.count < MOST)
		text_put(&text, block, got);
	bool broken = ferror(file) != 0;
	int error = errno;
	fclose(file);
	if (broken || text.count >= MOST || text.broken) {
		if (broken)
			fail(ST_FILE, "%s: %s", path, strerror(error));
		else if (text.broken)
			fail(ST_MEMORY, "%s: this computer is out of memory", path);
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

static enum status source_run(struct shell *shell, struct call *call)
{
	const char *word;
	char *bytes;
	size_t count;
	enum status status = call_word(call, 0, 0, ranks_first(call_ranks(call)), &word);
	char *path = status == ST_OK ? mem_copy_text(word, strlen(word)) : NULL;
	if (!path)
		return status == ST_OK ? ST_MEMORY : status;
	status = shell_file(shell, path, &bytes, &count);
	if (status == ST_OK) {
		shell_read_file(shell, path, bytes, count);
		status = interpreter_run(shell, bytes, count, path, 1);
	}
	if (status == ST_INCOMPLETE)
		status = fail(ST_SYNTAX, "%s: a bracket, brace or quote is open at the end", path);
	mem_free(bytes);
	mem_free(path);
	return status;
}

const struct command command_source = {
        .name = "source",
        .topic = "write",
        .usage = "source FILE.rsh",
        .help = "runs the lines of a file",
        .class = COMMAND_STEER,
        .argument = {{ARG_FILE, 0, NULL, "FILE"}},
        .run = source_run,
};
