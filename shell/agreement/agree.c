/* agree.c -- verdicts: handed in by every process, weighed by rank 0 */
#include "shell/agreement/agree.h"
#include "base/memory.h"
#include "mpi/plane.h"
#include "shell/language/run/interpreter.h"
#include "shell/line/line.h"
#include "shell/session/credit.h"
#include "shell/session/out.h"
#include "shell/wire/capture.h"
#include "shell/wire/io.h"

#include <stdio.h>
#include <string.h>

enum { WORDS_MOST = 4000 };

/* What each process says after an order. Behind it come `words` bytes of failure text, `sticky_words` bytes
 * about its data, and what it fills into the output (out_pack). */
struct verdict {
	int32_t status, sticky;
	uint64_t digest;
	int64_t position; /* steps used: that they agree is what makes Ctrl-C work */
	uint32_t words, sticky_words;
};

/* ---- handing in ---- */

static uint64_t digest(const struct shell *shell)
{
	return shell->world->digest ^ interpreter_digest(shell->interpreter);
}

/* The verdict and all that stands behind it, in conductor->bytes. */
static void make_verdict(struct conductor *conductor, enum status status)
{
	struct shell *shell = &conductor->shell;
	const char *words = status == ST_OK ? "" : fail_text();
	struct verdict verdict = {
	        .status = (int32_t)status,
	        .sticky = (int32_t)shell->sticky,
	        .digest = digest(shell),
	        .position = credit_position(&conductor->credit, &shell->budget),
	        .words = (uint32_t)strnlen(words, WORDS_MOST - 1),
	        .sticky_words = shell->sticky ? (uint32_t)strlen(shell->sticky_text) : 0,
	};
	struct text *bytes = &conductor->bytes;
	text_clear(bytes);
	text_put(bytes, (const char *)&verdict, sizeof verdict);
	text_put(bytes, words, verdict.words);
	text_put(bytes, shell->sticky_text, verdict.sticky_words);
	out_pack(shell->out, plane_rank(conductor->plane), bytes);
}

static bool poll_meanwhile(void *self)
{
	struct conductor *conductor = self;
	return plane_rank(conductor->plane) == 0 ? conductor_poll(conductor) : conductor_forward(conductor);
}

/* ---- weighing: rank 0 ---- */

/* The verdict, and the words of a failure that stand behind it. */
struct heard {
	struct verdict verdict;
	const char *words, *sticky_words, *fills;
	size_t fills_count;
};

static bool read_verdict(const struct plane_bytes *bytes, struct heard *heard)
{
	if (bytes->count < sizeof heard->verdict)
		return false;
	memcpy(&heard->verdict, bytes->bytes, sizeof heard->verdict);
	size_t head = sizeof heard->verdict + heard->verdict.words + heard->verdict.sticky_words;
	heard->words = (const char *)bytes->bytes + sizeof heard->verdict;
	heard->sticky_words = heard->words + heard->verdict.words;
	heard->fills = heard->sticky_words + heard->verdict.sticky_words;
	heard->fills_count = bytes->count - head;
	return head <= bytes->count;
}

static void say_sticky(struct conductor *conductor, int rank, const struct heard *heard)
{
	if (heard->verdict.sticky)
		out_say(conductor->shell.out,
		        "[rank %d] %s: %.*s; what this rank computes from here on is not to be trusted\n",
		        rank, status_name((enum status)heard->verdict.sticky),
		        (int)heard->verdict.sticky_words, heard->sticky_words);
}

static bool same_place(const struct verdict *a, const struct verdict *b)
{
	return a->digest == b->digest && a->position == b->position;
}

static enum status say_differ(
        struct conductor *conductor, int rank, const struct verdict *theirs, const struct verdict *mine)
{
	conductor->differ_told = true;
	return fail(ST_BUG,
	        "a bug of ranksh: %s of rank %d and of rank 0 differ after this line; please report it, with "
	        "the journal",
	        theirs->digest != mine->digest ? "the books" : "the steps", rank);
}

/* One other process's verdict beside rank 0's: the status of both, worded. */
static enum status weigh(struct conductor *conductor, int rank, const struct heard *mine)
{
	struct heard heard;
	enum status status = (enum status)mine->verdict.status;
	if (!read_verdict(&conductor->verdicts[rank], &heard))
		return fail(ST_BUG, "a bug of ranksh: rank %d sent a verdict of %zu bytes", rank,
		        conductor->verdicts[rank].count);
	enum status theirs = (enum status)heard.verdict.status;
	say_sticky(conductor, rank, &heard);
	bool whole = out_unpack(conductor->shell.out, rank, heard.fills, heard.fills_count);
	if (!whole)
		return fail(ST_BUG, "a bug of ranksh: rank %d did not say as many things as rank 0", rank);
	if (!same_place(&heard.verdict, &mine->verdict) && !conductor->differ_told)
		return say_differ(conductor, rank, &heard.verdict, &mine->verdict);
	if (status == ST_OK && theirs != ST_OK)
		return fail(theirs, "rank %d: %.*s", rank, (int)heard.verdict.words, heard.words);
	return status;
}

/* The words of `mine` outlive the others': it is rank 0's own failure that is told, if it has one; but for a
 * bug. */
static enum status weigh_all(struct conductor *conductor, const struct heard *mine)
{
	enum status agreed = (enum status)mine->verdict.status;
	char words[WORDS_MOST];
	snprintf(words, sizeof words, "%.*s", (int)mine->verdict.words, mine->words);
	say_sticky(conductor, 0, mine);
	for (int rank = 1; rank < plane_size(conductor->plane); rank++) {
		enum status weighed = weigh(conductor, rank, mine);
		if (agreed == ST_OK || weighed == ST_BUG) {
			agreed = weighed;
			snprintf(words, sizeof words, "%s", fail_text());
		}
	}
	return agreed == ST_OK ? ST_OK : fail(agreed, "%s", words);
}

static void say_rendered(struct conductor *conductor)
{
	struct text rendered = {0};
	out_render(conductor->shell.out, &rendered);
	if (rendered.count)
		conductor->say(conductor->self, rendered.bytes, rendered.count);
	text_release(&rendered);
	conductor->flushed_ns = wall_ns();
}

/* Rank 0, with everybody's verdict. */
static enum status conclude(struct conductor *conductor)
{
	struct heard mine;
	char words[WORDS_MOST];
	conductor_poll(conductor);
	enum status status = read_verdict(&conductor->verdicts[0], &mine)
	        ? weigh_all(conductor, &mine)
	        : fail(ST_BUG, "a bug of ranksh: no verdict of rank 0");
	for (int rank = 0; rank < plane_size(conductor->plane); rank++)
		mem_free(conductor->verdicts[rank].bytes);
	snprintf(words, sizeof words, "%s", fail_text());
	say_rendered(conductor);
	return fail(status, "%s", words);
}

/* ---- going on, or not ---- */

enum status agree_end(struct conductor *conductor, enum status status)
{
	char words[WORDS_MOST + 200];
	if (plane_size(conductor->plane) == 1)
		return status;
	int count = snprintf(words, sizeof words,
	        "rank %d: %.*s\nthe ranks cannot go on together: the job ends\n",
	        plane_rank(conductor->plane), WORDS_MOST, fail_text());
	write_all(conductor->capture ? capture_err(conductor->capture) : 2, words, (size_t)count);
	plane_die(conductor->plane, 4);
	return status;
}

enum status agree_all(struct conductor *conductor, enum status status)
{
	struct shell *shell = &conductor->shell;
	bool first = plane_rank(conductor->plane) == 0;
	if (conductor->credit.lost)
		return agree_end(conductor,
		        fail(conductor->credit.lost, "how far the others go did not come through (%s)",
		                status_name(conductor->credit.lost)));
	if (status == ST_MPI) /* nobody knows what the others are waiting for: they are not asked */
		return agree_end(conductor, status);
	char words[WORDS_MOST];
	snprintf(words, sizeof words, "%s", fail_text());
	make_verdict(conductor, status);
	enum status sent = plane_gather(conductor->plane, conductor->bytes.bytes, conductor->bytes.count,
	        conductor->verdicts, poll_meanwhile, conductor);
	if (sent != ST_OK)
		return agree_end(conductor, sent);
	fail(status, "%s", words);
	if (first)
		status = conclude(conductor);
	else
		out_render(shell->out, NULL);
	shell->sticky = ST_OK;
	return status;
}
