/* why.c -- the questions of `why`, and the first link of their answers */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "trace/chain.h"

/* Returns the gap before an operation: from the end of the previous work on its stream to the
 * start of this work, or to the end of an operation without work, such as a `wait`. For a host
 * operation it goes from its begin to its end. If that time is unknown, the gap includes the
 * last known instant. */
static struct window gap_of(struct chain *chain, const struct lanes *lanes, const struct moment *m)
{
	struct window gap = {0, trace_is_work(m->kind) ? m->t.start : m->t.end, -1};
	if (gap.to == TIME_UNKNOWN)
		gap.to = chain_horizon(chain) + 1; /* includes the wait at this instant */
	if (m->stream == STREAM_HOST) {
		gap.from = times_begin(m->kind, &m->t);
		return gap;
	}
	const struct moment *before = lanes_work(lanes, m->stream, (int64_t)m->place - 1, -1);
	gap.from = before ? least_of(before->t.end, gap.to) : 0;
	return gap;
}

static void put_asked(const struct chain *chain, op_id id, struct text *out)
{
	const struct op *op = &chain->trace->world->ops[id];
	struct text line = {0};
	trace_put_line(chain->trace, id, &line);
	trace_put_op(chain->trace->world, id, "on", out);
	text_add(out, " (%s%s%s)", text_string(&line), line.count ? ", " : "",
	        trace_lane_name(chain->trace, op->rank, op->stream));
	text_release(&line);
}

static void explain_itself(struct chain *chain, const struct moment *m, struct text *words)
{
	bool begun = m->t.start != TIME_UNKNOWN;
	if (begun)
		text_add(words, " waited for nothing: it began at once, at %s", time_words(m->t.start).text);
	else
		text_add(words, " has not begun");
	chain_say(chain, words, 0);
	int64_t ns = m->t.end == TIME_UNKNOWN ? 0 : m->t.end - m->t.start;
	if (begun && (trace_is_work(m->kind) || m->kind == OP_HOST))
		chain_work(chain, m->id, &(struct in_the_way){ns, ns, 1, false, 0}, 1);
}

/* Explains the longest piece of m's stream in [since, m's start); TIME_UNKNOWN: since m's issue,
 * if m was queued for longer than it ran. Of equal pieces, explains the work. Returns false if
 * there is none, or if m is not work or has not started.
 *
 *      issued |                                                  | z begins
 *             |== matmul 2 ms ==| allreduce waits 2.5 ms |= 0.9 =|
 *             "queued for 5.40 ms, 2.50 ms of them while allreduce y waited for rank 2" */
static bool explain_behind(struct chain *chain, const struct moment *m, int64_t since)
{
	const struct op *op = &chain->trace->world->ops[m->id];
	struct bouts pieces = {0};
	struct text words = {0};
	if (!trace_is_work(m->kind) || m->t.start == TIME_UNKNOWN)
		return false;
	int64_t ran = m->t.end == TIME_UNKNOWN ? 0 : m->t.end - m->t.start;
	if (since == TIME_UNKNOWN && m->t.start - m->t.issue <= ran)
		return false;
	since = since == TIME_UNKNOWN ? m->t.issue : since;
	chain_pieces(chain, op->rank, op->stream, (struct window){since, m->t.start, -1}, &pieces);
	const struct bout *most = pieces_longest(&pieces, SPAN_STALL),
	                  *work = pieces_longest(&pieces, SPAN_WORK);
	most = most && (!work || most->ns > work->ns) ? most : work;
	if (most) {
		put_asked(chain, m->id, &words);
		text_add(&words, " was queued for %s", time_words(m->t.start - since).text);
		if (most->ns < m->t.start - since)
			text_add(&words, ", %s of them", time_words(most->ns).text);
		text_add(&words, " %s ", most->kind == SPAN_WORK ? "behind" : "while");
		op_label(chain->trace->world, most->op, &words);
	}
	if (most && most->kind == SPAN_WORK) {
		chain_say(chain, &words, 0);
		chain_work(chain, most->op, &(struct in_the_way){most->ns, most->ns, 1, true, most->from}, 1);
	} else if (most) {
		text_add(&words, " waited ");
		chain_follow(chain, op->rank, op->stream, most, &words, 0);
	}
	mem_free(pieces.piece);
	return most != NULL;
}

static int64_t waited_for(struct chain *chain, op_id id, struct bouts *pieces)
{
	const struct op *op = &chain->trace->world->ops[id];
	const struct lanes *lanes = chain_lanes(chain, op->rank);
	int64_t waited = 0;
	if (!lanes)
		return 0;
	chain_pieces(chain, op->rank, op->stream, gap_of(chain, lanes, lanes_moment(lanes, id)), pieces);
	for (size_t i = 0; i < pieces->count; i++)
		waited += pieces->piece[i].kind == SPAN_STALL ? pieces->piece[i].ns : 0;
	return waited;
}

static bool has_not_begun(const struct moment *m)
{
	return (trace_is_work(m->kind) ? m->t.start : m->t.end) == TIME_UNKNOWN;
}

static void put_waited(
        const struct chain *chain, const struct moment *m, int64_t waited, int64_t longest, struct text *out)
{
	bool still = has_not_begun(m), host = m->stream == STREAM_HOST;
	put_asked(chain, m->id, out);
	if (still && !host && waited <= 1) {
		text_add(out, " waits ");
		return;
	}
	text_add(out,
	        host            ? still ? " holds its host for " : " held its host for "
	                : still ? " has waited for "
	                        : " waited ");
	text_add(out, "%s%s",
	        time_words(still       ? waited - 1
	                        : host ? longest
	                               : waited)
	                .text,
	        still && !host ? ", now"
	                : host ? ","
	                       : "");
	if (waited > longest && !host && !still)
		text_add(out, ", %s of them", time_words(longest).text);
	text_add(out, " ");
}

/* stretch: explains so many ns before the operation; 0: its wait */
static void explain_op(struct chain *chain, op_id id, int64_t stretch)
{
	const struct op *op = &chain->trace->world->ops[id];
	struct bouts pieces = {0};
	struct text words = {0};
	int64_t waited = waited_for(chain, id, &pieces);
	const struct lanes *lanes = chain_lanes(chain, op->rank);
	if (lanes) {
		const struct moment *m = lanes_moment(lanes, id);
		bool host = m->stream == STREAM_HOST;
		const struct bout *longest = pieces_longest(&pieces, SPAN_STALL);
		/* if it still waits: the current reason, even if others took longer */
		for (size_t i = 0; longest && has_not_begun(m) && i < pieces.count; i++)
			if (pieces.piece[i].kind == SPAN_STALL)
				longest = &pieces.piece[i];
		bool behind = !host && stretch > 2 * waited && m->t.start != TIME_UNKNOWN;
		if ((behind || !longest) &&
		        explain_behind(chain, m, behind ? m->t.start - stretch : TIME_UNKNOWN)) {
			/* explained */
		} else if (!longest || m->kind == OP_HOST ||
		        (!host && trace_lost(chain->trace, id, &m->t) > longest->ns)) {
			put_asked(chain, id, &words);
			explain_itself(chain, m, &words);
		} else {
			put_waited(chain, m, waited, longest->ns, &words);
			chain_follow(chain, op->rank, op->stream, longest, &words, 0);
		}
	}
	mem_free(pieces.piece);
}

static void explain_members(struct chain *chain, op_id id)
{
	uint32_t match = trace_brings_differ(chain->trace->world, id);
	struct text words = {0};

	if (!match)
		return;
	trace_put_brings(chain->trace, match, &words);
	chain_say(chain, &words, 0);
}

static void explain_ops(struct chain *chain, const struct why_question *q)
{
	chain->status = trace_step(chain->trace, q->ops > 1 ? chain->trace->world->op_count : 1);
	if (chain->status != ST_OK)
		return;
	op_id id = q->ops > 1 ? longest_of_ops(chain, q) : q->op[0];
	explain_op(chain, id, 0);
	explain_members(chain, id);
}

static void explain_lanes(struct chain *chain, const struct why_question *q)
{
	struct text words = {0};
	struct wait longest = longest_of_lanes(chain, q);
	if (longest.op) {
		explain_op(chain, longest.op, longest.idle ? longest.ns : 0);
		explain_members(chain, longest.op);
	} else if (chain->status == ST_OK) {
		text_add(&words, "nothing has waited there");
		chain_say(chain, &words, 0);
	}
}

static void say_lane(struct chain *chain, int rank, int stream, const struct span *span)
{
	struct text words = {0};
	text_add(&words, "%s ", trace_lane_name(chain->trace, rank, stream));
	if (!span->op) {
		text_add(&words, "had no more work");
	} else if (span->kind == SPAN_WORK) {
		text_add(&words, "ran ");
	} else if (span->kind == SPAN_HOST) {
		text_add(&words, span->cause == CAUSE_LAUNCH ? "was launching " : "had no line before ");
	} else {
		text_add(&words, "waited (%s), before ", trace_causes[span->cause]);
	}
	if (span->op)
		chain_put_op(chain, span->op, &words);
	chain_say(chain, &words, 0);
}

static void explain_time(struct chain *chain, const struct why_question *q, int rank)
{
	const struct lanes *lanes = chain_lanes(chain, rank);
	struct window at = {q->time, q->time + 1, -1};
	struct bout longest = {0};
	int waits = -1;
	struct bouts pieces = {0};
	for (int s = 0; lanes && s < lanes->streams; s++) {
		lanes_spans(lanes, s, at, &chain->spans);
		struct span span = chain->spans.span[0];
		if (s == STREAM_HOST || lanes->first[s + 1] > lanes->first[s])
			say_lane(chain, rank, s, &span);
		if (s == STREAM_HOST || span.kind != SPAN_STALL || !span.op)
			continue;
		chain_pieces(chain, rank, s, gap_of(chain, lanes, lanes_moment(lanes, span.op)), &pieces);
		for (size_t i = 0; i < pieces.count; i++) {
			const struct bout *p = &pieces.piece[i];
			if (p->from <= q->time && p->to > q->time && p->cause == span.cause &&
			        p->ns > longest.ns) {
				longest = *p;
				waits = s;
			}
		}
	}
	if (waits >= 0) {
		struct text words = {0};
		put_waited(chain, lanes_moment(lanes, longest.op), longest.ns, longest.ns, &words);
		chain_follow(chain, rank, waits, &longest, &words, 0);
	}
	mem_free(pieces.piece);
}

enum status trace_why(
        const struct trace *trace, const struct why_question *question, int width, struct why *why)
{
	struct chain chain = {.trace = trace, .why = why, .width = width, .horizon = TIME_UNKNOWN};
	chain.sharing.trace = trace;
	if (question->of == WHY_OP)
		explain_ops(&chain, question);
	else if (question->of == WHY_TIME)
		explain_time(&chain, question, ranks_first(question->ranks));
	else
		explain_lanes(&chain, question);
	if (chain.status == ST_OK) {
		roots_tie(&chain);
		roots_word(&chain);
	}
	chain_release(&chain);
	return chain.status;
}
