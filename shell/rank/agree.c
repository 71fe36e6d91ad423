/* agree.c -- every process sends its result, and rank 0 checks them
 *
 *     rank 0   order ---> carries it out ---> gathers ---> checks: ok, digests equal ---> renders
 *     others   order ---> carries it out ---> hands in ---> next order
 *
 * All refuse the same lines, because their worlds are equal. If statuses differ, one process
 * failed alone. Digests show at which line a process diverged. */
#include "shell/rank/conductor.h"
#include "base/memory.h"
#include "mpi/transport.h"
#include "shell/language/run/interpreter.h"
#include "shell/session/credit.h"
#include "shell/session/numbers.h"
#include "shell/session/out.h"
#include "shell/wire/block.h"
#include "shell/wire/io.h"

#include <stdio.h>
#include <string.h>

enum { WORDS_MOST = 4000 };

/* A result's first block; its failure's and data failure's words, its numbers and its output
 * follow. */
struct rank_result {
	int32_t status, sticky;
	uint64_t digest;
	int64_t position; /* steps used: Ctrl-C relies on their equality */
};

/* ---- handing in ---- */

static struct rank_result result_of(const struct conductor *conductor, enum status status)
{
	const struct shell *shell = &conductor->shell;
	return (struct rank_result){.status = (int32_t)status,
	        .sticky = (int32_t)shell->failure.status,
	        .digest = shell->world->digest ^ interpreter_digest(shell->interpreter),
	        .position = credit_position(&conductor->credit)};
}

/* ---- checking: rank 0 ---- */

static void say_sticky(struct conductor *conductor, int rank, int32_t status, const char *words)
{
	if (status == ST_OK)
		return;
	struct out *out = conductor->shell.out;
	enum severity before = out_severity(out, SEVERITY_ERROR);
	conductor->data_failed = true;
	out_say(out, "[rank %d] %s: %s; do not trust this rank's data from here on\n", rank,
	        status_name((enum status)status), words);
	out_severity(out, before);
}

/* Takes a rank's output and returns its status. Reports different worlds once. */
static enum status weigh(struct conductor *conductor, int rank, const struct rank_result *mine)
{
	const struct transport_bytes *heard = &conductor->results[rank];
	const char *at = heard->bytes, *end = at + heard->count, *words, *data, *numbers;
	size_t count;
	struct rank_result theirs;
	if (!block_take_struct(&at, end, &theirs, sizeof theirs) || !block_take(&at, end, &words, &count) ||
	        !block_take(&at, end, &data, &count) || !block_take(&at, end, &numbers, &count) ||
	        !numbers_unpack(&conductor->shell.numbers, rank, numbers, count))
		return fail(
		        ST_BUG, "a bug of ranksh: rank %d sent a result of %zu bytes", rank, heard->count);
	say_sticky(conductor, rank, theirs.sticky, data);
	if (!out_unpack(conductor->shell.out, rank, at, (size_t)(end - at)))
		return fail(ST_BUG, "a bug of ranksh: rank %d printed another number of messages than rank 0",
		        rank);
	if ((theirs.digest != mine->digest || theirs.position != mine->position) && !conductor->differ_told) {
		conductor->differ_told = true;
		return fail(ST_BUG,
		        "a bug of ranksh: %s of rank %d and of rank 0 differ after this line: please report "
		        "it with the journal",
		        theirs.digest != mine->digest ? "the operation log" : "the steps", rank);
	}
	return theirs.status == ST_OK ? ST_OK : fail((enum status)theirs.status, "rank %d: %s", rank, words);
}

/* Returns ST_BUG if a rank reports one, else the first failure in rank order. words[WORDS_MOST]:
 * its message. */
static enum status weigh_all(struct conductor *conductor, enum status status, char *words)
{
	struct rank_result mine = result_of(conductor, status);
	say_sticky(conductor, 0, mine.sticky, conductor->shell.failure.words);
	for (int rank = 1; rank < transport_size(conductor->transport); rank++) {
		enum status weighed = weigh(conductor, rank, &mine);
		if (weighed != ST_OK && (status == ST_OK || weighed == ST_BUG)) {
			status = weighed;
			snprintf(words, WORDS_MOST, "%s", fail_text());
		}
	}
	return status;
}

/* ---- going on, or not ---- */

enum status agree_end(struct conductor *conductor, enum status status)
{
	char words[WORDS_MOST + 200];
	if (transport_size(conductor->transport) == 1)
		return status;
	int count =
	        snprintf(words, sizeof words, "rank %d: %.*s\nthe ranks no longer agree, so the job ends\n",
	                transport_rank(conductor->transport), WORDS_MOST, fail_text());
	write_all(capture_err(conductor->capture), words, (size_t)count);
	transport_die(conductor->transport, 4);
	return status;
}

enum status agree_all(struct conductor *conductor, enum status status)
{
	struct shell *shell = &conductor->shell;
	bool first = transport_rank(conductor->transport) == 0;
	if (conductor->credit.lost)
		return agree_end(conductor,
		        fail(conductor->credit.lost, "the progress of other ranks was not received (%s)",
		                status_name(conductor->credit.lost)));
	if (status == ST_MPI) /* the others' state is unknown, so they are not asked */
		return agree_end(conductor, status);
	char words[WORDS_MOST];
	snprintf(words, sizeof words, "%s", status == ST_OK ? "" : fail_text());
	struct rank_result result = result_of(conductor, status);
	struct text *message = &conductor->bytes;
	text_clear(message);
	block_put(message, &result, sizeof result);
	block_put_string(message, words);
	block_put_string(message, result.sticky ? shell->failure.words : "");
	struct text numbers = {0};
	if (!first)
		numbers_pack(&shell->numbers, transport_rank(conductor->transport), &numbers);
	block_put(message, text_string(&numbers), numbers.count);
	text_release(&numbers);
	out_pack(shell->out, transport_rank(conductor->transport), message);
	enum status sent = transport_gather(conductor->transport, conductor->bytes.bytes,
	        conductor->bytes.count, conductor->results, conductor_poll, conductor);
	if (sent != ST_OK)
		return agree_end(conductor, sent);
	if (first) {
		conductor_poll(conductor);
		status = weigh_all(conductor, status, words);
		for (int rank = 0; rank < transport_size(conductor->transport); rank++)
			mem_free(conductor->results[rank].bytes);
		struct text rendered = {0};
		while (!out_empty(shell->out)) {
			text_clear(&rendered);
			enum severity severity = out_render_some(shell->out, &rendered);
			if (rendered.count)
				conductor->to.say(
				        conductor->to.self, severity, rendered.bytes, rendered.count);
		}
		text_release(&rendered);
		conductor->flushed_ns = wall_ns();
	} else {
		out_render(shell->out, NULL);
	}
	shell->failure.status = ST_OK;
	return fail(status, "%s", words);
}
