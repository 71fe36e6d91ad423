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
/* Who runs out of memory where all do has company soon. Whoever is still alone then was left in the middle of
 * something. */
static const int64_t PATIENCE_NS = INT64_C(3000000000);

/* What each process says after an order, followed by `words` bytes of failure text and its fills
 * (out_pack). */
struct verdict {
	int32_t status, sticky;
	uint64_t digest;
	int64_t position; /* steps used: that they agree is what makes Ctrl-C work */
	uint32_t words, sticky_words;
	uint32_t mute; /* there was no memory for all that it has to say: it is left out */
};

/* ---- handing in ---- */

/* The books failed, not the line. */
static bool is_lame(enum status status)
{
	return status == ST_MEMORY || status == ST_MPI;
}

static uint64_t digest(const struct shell *shell)
{
	return shell->world->digest ^ interpreter_digest(shell->interpreter);
}

static void make_verdict(struct conductor *conductor, enum status status, struct verdict *verdict)
{
	struct shell *shell = &conductor->shell;
	const char *words = status == ST_OK ? "" : fail_text();
	*verdict = (struct verdict){
	        .status = (int32_t)status,
	        .sticky = (int32_t)shell->sticky,
	        .digest = digest(shell),
	        .position = credit_position(&conductor->credit, &shell->budget),
	        .mute = out_broken(shell->out),
	        .words = (uint32_t)strnlen(words, WORDS_MOST - 1),
	        .sticky_words = shell->sticky ? (uint32_t)strlen(shell->sticky_text) : 0,
	};
	struct text *bytes = &conductor->bytes;
	text_clear(bytes);
	text_put(bytes, (const char *)verdict, sizeof *verdict);
	text_put(bytes, words, verdict->words);
	text_put(bytes, shell->sticky_text, verdict->sticky_words);
	out_pack(shell->out, plane_rank(conductor->plane), bytes);
}

static bool poll_while_patient(void *self)
{
	struct conductor *conductor = self;
	if (plane_rank(conductor->plane) == 0)
		conductor_poll(conductor);
	else
		conductor_forward(conductor);
	return conductor->patience_ns && wall_ns() > conductor->patience_ns;
}

static enum status hand_in(struct conductor *conductor, struct verdict *verdict)
{
	struct text *bytes = &conductor->bytes;
	const void *message = bytes->bytes;
	size_t count = bytes->count;
	if (bytes->broken) {
		text_release(bytes);
		verdict->words = verdict->sticky_words = 0;
		verdict->mute = 1;
		message = verdict;
		count = sizeof *verdict;
	}
	return plane_gather(
	        conductor->plane, message, count, conductor->verdicts, poll_while_patient, conductor);
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
	if (heard->verdict.mute && rank > 0) /* of rank 0, out_render says so */
		out_say(conductor->shell.out,
		        "[rank %d] this computer is out of memory: what this rank said is lost\n", rank);
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

/* One other process's verdict beside rank 0's. *apart: its books failed, or rank 0's, and they do not say the
 * same. */
static enum status weigh(struct conductor *conductor, int rank, const struct heard *mine, bool *apart)
{
	struct heard heard;
	enum status status = (enum status)mine->verdict.status;
	if (!read_verdict(&conductor->verdicts[rank], &heard))
		return fail(ST_BUG, "a bug of ranksh: rank %d sent a verdict of %zu bytes", rank,
		        conductor->verdicts[rank].count);
	enum status theirs = (enum status)heard.verdict.status;
	say_sticky(conductor, rank, &heard);
	bool whole = heard.verdict.mute || mine->verdict.mute ||
	        out_unpack(conductor->shell.out, rank, heard.fills, heard.fills_count);
	if (is_lame(theirs) || is_lame(status)) {
		*apart |= theirs != status || !same_place(&heard.verdict, &mine->verdict);
		return *apart && is_lame(theirs)
		        ? fail(theirs, "rank %d: %.*s", rank, (int)heard.verdict.words, heard.words)
		        : status;
	}
	if (!whole)
		return fail(ST_BUG, "a bug of ranksh: rank %d did not say as many things as rank 0", rank);
	if (!same_place(&heard.verdict, &mine->verdict) && !conductor->differ_told)
		return say_differ(conductor, rank, &heard.verdict, &mine->verdict);
	if (status == ST_OK && theirs != ST_OK)
		return fail(theirs, "rank %d: %.*s", rank, (int)heard.verdict.words, heard.words);
	return status;
}

/* The words of `mine` outlive the others': it is rank 0's own failure that is told, if it has one. */
static enum status weigh_all(struct conductor *conductor, const struct heard *mine, bool *apart)
{
	enum status status = (enum status)mine->verdict.status, agreed = status;
	char words[WORDS_MOST];
	snprintf(words, sizeof words, "%.*s", (int)mine->verdict.words, mine->words);
	say_sticky(conductor, 0, mine);
	for (int rank = 1; rank < plane_size(conductor->plane); rank++) {
		bool was_apart = *apart;
		enum status weighed = weigh(conductor, rank, mine, apart);
		if (*apart && !was_apart && !is_lame(weighed))
			weighed = fail(status, "rank 0: %s", words);
		if (agreed == ST_OK || weighed == ST_BUG || (*apart && !was_apart)) {
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
static enum status conclude(struct conductor *conductor, bool *apart)
{
	struct heard mine;
	char words[WORDS_MOST];
	conductor_poll(conductor);
	enum status status = read_verdict(&conductor->verdicts[0], &mine)
	        ? weigh_all(conductor, &mine, apart)
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
	const char *failure = fail_text();
	if (plane_size(conductor->plane) == 1)
		return status;
	if (strncmp(failure, "rank ", 5) == 0)
		snprintf(words, sizeof words, "%s", failure);
	else
		snprintf(words, sizeof words, "rank %d: %.*s", plane_rank(conductor->plane), WORDS_MOST,
		        failure);
	size_t count = strlen(words);
	snprintf(words + count, sizeof words - count, "\nthe ranks cannot go on together: the job ends\n");
	write_all(conductor->capture ? capture_err(conductor->capture) : 2, words, strlen(words));
	plane_die(conductor->plane, 4);
	return status;
}

/* The books of all have failed alike: rank 0 says so, and the world before the line is made again. */
static enum status refuse_together(struct conductor *conductor, enum status status)
{
	void *bytes = NULL;
	size_t count;
	char words[WORDS_MOST];
	snprintf(words, sizeof words, "%s", fail_text());
	enum status heard = plane_rank(conductor->plane) == 0
	        ? plane_send_all(conductor->plane, "", 0)
	        : plane_receive(conductor->plane, &bytes, &count, poll_while_patient, conductor);
	mem_free(bytes);
	if (heard == ST_INTERRUPTED)
		fail(heard, "%s", words);
	else if (heard == ST_OK && conductor->shell.half_done)
		heard = shell_take_back(&conductor->shell);
	return heard == ST_OK ? fail(status, "%s", words) : agree_end(conductor, heard);
}

enum status agree_all(struct conductor *conductor, enum status status)
{
	struct shell *shell = &conductor->shell;
	bool first = plane_rank(conductor->plane) == 0, many = plane_size(conductor->plane) > 1,
	     apart = false;
	struct verdict verdict;
	if (conductor->credit.lost)
		return agree_end(conductor,
		        fail(conductor->credit.lost, "how far the others go did not come through (%s)",
		                status_name(conductor->credit.lost)));
	make_verdict(conductor, status, &verdict);
	conductor->patience_ns = many && is_lame(status) ? wall_ns() + PATIENCE_NS : 0;
	char words[WORDS_MOST];
	snprintf(words, sizeof words, "%s", fail_text());
	enum status sent = hand_in(conductor, &verdict);
	if (sent == ST_INTERRUPTED)
		fail(sent, "%s", words);
	if (sent != ST_OK)
		return agree_end(conductor, sent);
	fail(status, "%s", words);
	if (first)
		status = conclude(conductor, &apart);
	if (apart)
		return agree_end(conductor, status);
	if (many && is_lame(status))
		status = refuse_together(conductor, status);
	if (!first)
		out_render(shell->out, NULL);
	shell->sticky = ST_OK;
	return status;
}
