/* chain.c -- from a wait to whoever is to blame for it, and what that one did meanwhile, and so on
 *
 *      rank 1  comm     |    allreduce waits 2 ms   |== runs 1.5 ==|
 *              default  |   z waits for it, 3.5 ms                 |== z ==     the stretch: 3.5 ms
 *      rank 2  default  |===== matmul, 2 of its 4 ms ==|                        what the last to come was at
 *
 * In each stretch whatever took most of it is the next link: of allreduce's 3.5 ms waiting took 2, for rank 2, which was
 * at its matmul all that time. Work is a root; so is what a host was at, and a line that has not been given. A stretch lies
 * within the one before it, and a link that was met before ends the chain (ranks that wait for each other), so every chain
 * ends. */
#include "trace/chain.h"
#include "base/arithmetic.h"
#include "base/memory.h"

#include <string.h>

void chain_release(struct chain *chain)
{
	for (int rank = 0; chain->lanes && rank < chain->trace->world->n; rank++)
		if (chain->lanes[rank]) {
			lanes_release(chain->lanes[rank]);
			mem_free(chain->lanes[rank]);
		}
	mem_free(chain->lanes);
	mem_free(chain->seen);
	spans_release(&chain->spans);
	sharing_release(&chain->sharing);
}

const struct lanes *chain_lanes(struct chain *chain, int rank)
{
	if (!chain->lanes)
		chain->lanes = mem_alloc((size_t)chain->trace->world->n * sizeof(struct lanes *));
	if (!chain->lanes[rank] && chain->status == ST_OK) {
		chain->lanes[rank] = mem_alloc(sizeof **chain->lanes);
		chain->status = lanes_load(chain->lanes[rank], chain->trace, rank);
	}
	return chain->status == ST_OK ? chain->lanes[rank] : NULL;
}

int64_t chain_horizon(struct chain *chain)
{
	if (chain->horizon == TIME_UNKNOWN)
		chain->horizon = trace_window(chain->trace, -1).to;
	return chain->horizon;
}

/* ---- what a lane did in a stretch ---- */

/* Work by its operation, a wait by its cause and who is to blame: launches, and a host without a line, whoever they were of */
static bool joins(const struct bout *piece, const struct span *span)
{
	if (piece->kind != span->kind)
		return false;
	if (span->kind == SPAN_WORK)
		return piece->op == span->op;
	bool host = span->cause == CAUSE_LAUNCH || (span->kind == SPAN_HOST && span->cause == CAUSE_DONE);
	return piece->cause == span->cause &&
	        (host ? !piece->blame == !span->blame : piece->blame == span->blame);
}

void chain_pieces(struct chain *chain, int rank, int stream, struct window window, struct bouts *pieces)
{
	const struct lanes *lanes = chain_lanes(chain, rank);
	struct spans *spans = &chain->spans;
	pieces->count = 0;
	if (!lanes || window.from >= window.to)
		return;
	lanes_spans(lanes, stream, window, spans);
	for (size_t i = 0; i < spans->count; i++) {
		const struct span *span = &spans->span[i];
		size_t at = 0;
		if (!span->op)
			continue; /* nothing more was queued */
		while (at < pieces->count && !joins(&pieces->piece[at], span))
			at++;
		if (at == pieces->count)
			*MEM_ADD(&pieces->piece, &pieces->count) = (struct bout){.kind = span->kind,
			        .cause = span->cause,
			        .op = span->op,
			        .blame = span->blame,
			        .from = span->from};
		pieces->piece[at].to = span->to;
		pieces->piece[at].ns += span->to - span->from;
	}
}

const struct bout *pieces_longest(const struct bouts *pieces, enum span_kind kind)
{
	const struct bout *longest = NULL;
	for (size_t i = 0; i < pieces->count; i++) {
		const struct bout *piece = &pieces->piece[i];
		if (piece->kind == kind && (!longest || piece->ns > longest->ns))
			longest = piece;
	}
	return longest;
}

/* ---- words ---- */

void chain_say(struct chain *chain, struct text *words, int depth)
{
	enum { DEEPEST = 12 }; /* behind that it would be a column at the right edge */
	if (!chain->quiet)
		text_wrapped(&chain->why->text, text_string(words), 2 * (int)least_of(depth, DEEPEST),
		        chain->width);
	text_release(words);
}

void chain_put_op(const struct chain *chain, op_id id, struct text *out)
{
	const struct world *world = chain->trace->world;
	struct text line = {0};
	op_label(world, id, out);
	text_add(out, " on rank %d", world->ops[id].rank);
	trace_put_line(chain->trace, id, &line);
	if (line.count)
		text_add(out, " (%s)", text_string(&line));
	text_release(&line);
}

/* A sentence's beginning, and behind it the operation */
static void put_with_op(const struct chain *chain, const char *words, op_id id, struct text *out)
{
	text_add(out, "%s ", words);
	chain_put_op(chain, id, out);
}

/* ---- ends of a chain ---- */

static void add_lost(struct chain *chain, op_id id, int64_t lost, struct text *words)
{
	op_id with = sharing_with(&chain->sharing, id);
	struct times t = backend_times(chain->trace->backend, id);
	text_add(words, ": ");
	time_text(t.end - t.start, words);
	text_add(words, " in all, ");
	time_text(t.end - t.start - lost, words);
	text_add(words, " alone; it shared what it needs");
	if (with && with != id)
		put_with_op(chain, " with", with, words);
}

static void add_slow(const struct chain *chain, op_id id, struct text *words)
{
	struct times t = backend_times(chain->trace->backend, id);
	const struct slowness *slow = world_slow_at(chain->trace->world, id);
	text_add(words, ": ");
	time_text(t.alone, words);
	text_add(words, " alone, ");
	time_text(op_record(chain->trace->world, id)->alone_ns, words);
	text_add(words, " without `slow %gx`", slow->factor);
}

/* "matmul y on rank 2 (line 9) ran 2.00 ms of that" */
static void put_ran(
        const struct chain *chain, op_id id, const struct in_the_way *of, bool over, struct text *words)
{
	chain_put_op(chain, id, words);
	text_add(words, over ? " ran " : " is under way");
	if (!over)
		return;
	time_text(of->ns, words);
	text_add(words, of->of_that ? " of that" : "");
	if (of->count < 2)
		return;
	text_add(words, ", the longest of %d that ran ", of->count);
	time_text(of->work, words);
}

void chain_work(struct chain *chain, op_id id, const struct in_the_way *of, int depth)
{
	struct times t = backend_times(chain->trace->backend, id);
	struct text words = {0};
	bool over = t.end != TIME_UNKNOWN;
	int64_t elsewhere = 0, lost = trace_lost(chain->trace, id, &t);
	enum root_kind kind = root_of_work(chain, id, of->ns, &elsewhere);
	root_add(chain, kind, chain->trace->world->ops[id].rank, id, elsewhere);
	put_ran(chain, id, of, over, &words);
	if (kind == ROOT_SLOW)
		add_slow(chain, id, &words);
	else if (kind == ROOT_SHARED)
		add_lost(chain, id, lost, &words);
	else if (kind == ROOT_LONGER) {
		text_add(&words, ": ");
		time_text(t.end - t.start, &words);
		text_add(&words, " in all; on other ranks this line takes ");
		time_text(elsewhere, &words);
	}
	chain_say(chain, &words, depth);
}

/* What its host issued in the stretch, one launch after the other */
static void launches(struct chain *chain, int rank, const struct bout *wait, struct text *words)
{
	const struct lanes *lanes = chain_lanes(chain, rank);
	size_t count = 0;
	if (!lanes)
		return;
	lanes_spans(lanes, STREAM_HOST, (struct window){wait->from, wait->to, -1}, &chain->spans);
	for (size_t i = 0; i < chain->spans.count; i++) {
		const struct span *span = &chain->spans.span[i];
		if (span->kind != SPAN_HOST || span->cause != CAUSE_LAUNCH)
			continue;
		root_add(chain, ROOT_LAUNCH, rank, span->op, span->to - span->from);
		count++;
	}
	if (count == 1)
		put_with_op(chain, "while its host was launching", wait->blame, words);
	else
		text_add(words, "while its host was launching %zu operations", count);
}

/* The host of the stream that waits was at it: no stream's wait, and so a root. */
static void host_is_at(struct chain *chain, int rank, const struct bout *wait, struct text *words)
{
	op_id by = wait->blame;
	const struct world *world = chain->trace->world;
	enum op_kind kind = by ? op_record(world, by)->kind : OP_KERNEL;
	if (wait->cause == CAUSE_LAUNCH && by) {
		launches(chain, rank, wait, words);
	} else if (wait->cause == CAUSE_LAUNCH) {
		text_add(words, "for its launch, on the way to the device");
		root_add(chain, ROOT_LAUNCH, rank, wait->op, wait->ns);
	} else if (wait->cause == CAUSE_SYNC) {
		put_with_op(chain, "while its host was held in", by, words);
		root_add(chain, ROOT_HELD, rank, by, wait->ns);
	} else if (wait->cause == CAUSE_MEMORY) {
		put_with_op(chain, "while its host got memory:", by, words);
		root_add(chain, ROOT_MEMORY, rank, by, wait->ns);
	} else if (kind == OP_HOST) {
		put_with_op(chain, "while its host was at", by, words);
		root_add(chain, ROOT_HOST, rank, by, wait->ns);
	} else if (kind == OP_SYNC) {
		put_with_op(chain, "for its line, which came behind an answer:", by, words);
		root_add(chain, ROOT_HELD, world->ops[by].rank, by, wait->ns);
	} else {
		text_add(words,
		        kind == OP_CRASH ? "for ever: its rank has crashed"
		                         : "for its line, which came late");
		root_add(chain, ROOT_MISSING, rank, wait->op, wait->ns);
	}
}

/* ---- links ---- */

static bool met_before(struct chain *chain, const struct bout *wait)
{
	for (size_t i = 0; i < chain->seen_count; i++)
		if (chain->seen[i].op == wait->op && chain->seen[i].blame == wait->blame)
			return true;
	MEM_ADD(&chain->seen, &chain->seen_count);
	chain->seen[chain->seen_count - 1].op = wait->op;
	chain->seen[chain->seen_count - 1].blame = wait->blame;
	return false;
}

/* Is the wait for another side to come, and not for the end of something? */
static bool for_a_peer(const struct chain *chain, const struct bout *wait)
{
	return wait->cause == CAUSE_PEER ||
	        (wait->cause == CAUSE_BUBBLE && trace_is_stage_receive(chain->trace->world, wait->op));
}

/* All that the lane worked in the stretch, and in how many operations */
static int64_t work_in(const struct bouts *pieces, int *count)
{
	int64_t ns = 0;
	*count = 0;
	for (size_t i = 0; i < pieces->count; i++) {
		bool work = pieces->piece[i].kind == SPAN_WORK;
		ns += work ? pieces->piece[i].ns : 0;
		*count += work;
	}
	return ns;
}

/* The next link: what was to blame waited itself. Its line was told with it. */
static void explain_wait(struct chain *chain, const struct bout *wait, op_id told, int depth)
{
	const struct op *op = &chain->trace->world->ops[wait->op];
	bool still = chain->horizon != TIME_UNKNOWN && wait->to >= chain->horizon;
	struct text words = {0};
	if (wait->op != told) {
		chain_put_op(chain, wait->op, &words);
	} else {
		op_label(chain->trace->world, wait->op, &words);
		text_add(&words, " on rank %d", op->rank);
	}
	text_add(&words, still ? " waits " : " waited ");
	if (!still) {
		time_text(wait->ns, &words);
		text_add(&words, " of that ");
	}
	chain_follow(chain, op->rank, op->stream, wait, &words, depth);
}

/* Why the operation to blame was late: what its lane did in the stretch until it was there, or over. Work counts together,
 * and the longest of it is told. */
static void explain(struct chain *chain, const struct bout *wait, op_id by, int depth)
{
	const struct op *op = &chain->trace->world->ops[by];
	struct times t = backend_times(chain->trace->backend, by);
	int64_t there = for_a_peer(chain, wait) ? t.ready : t.end;
	struct window window = {wait->from, least_of(there, wait->to), -1};
	struct bouts pieces = {0};
	int count;
	chain_pieces(chain, op->rank, op->stream, window, &pieces);
	const struct bout *waits = pieces_longest(&pieces, SPAN_STALL),
	                  *works = pieces_longest(&pieces, SPAN_WORK);
	int64_t work = work_in(&pieces, &count);
	if (chain->status == ST_OK && works && (!waits || work >= waits->ns))
		chain_work(chain, works->op, &(struct in_the_way){works->ns, work, count, true}, depth);
	else if (chain->status == ST_OK && waits)
		explain_wait(chain, waits, by, depth);
	else if (chain->status == ST_OK)
		chain_work(chain, by, &(struct in_the_way){wait->ns, wait->ns, 1, true}, depth);
	mem_free(pieces.piece);
}

/* Members that came at the very time of the last one are as much to blame: their roots join, without words. */
static void follow_ties(struct chain *chain, const struct bout *wait, op_id by)
{
	const struct world *world = chain->trace->world;
	struct backend *backend = chain->trace->backend;
	if (op_record(world, by)->kind != OP_COLLECTIVE || !world->ops[by].match)
		return;
	const struct match *match = &world->matches[world->ops[by].match];
	int64_t ready = backend_times(backend, by).ready;
	for (int i = 0; i < match->n && chain->status == ST_OK; i++) {
		op_id member = match->member[i];
		if (!member || member == by || backend_times(backend, member).ready != ready)
			continue;
		chain->quiet++;
		explain(chain, wait, member, 0);
		chain->quiet--;
	}
}

/* A rank that has no operation yet is to blame, or who brings something else, or all that wait for each other. */
static bool never_comes(struct chain *chain, const struct bout *wait, struct text *words)
{
	const struct world *world = chain->trace->world;
	int missing = wait->blame ? -1 : trace_missing_rank(world, wait->op);
	if (met_before(chain, wait)) {
		if (chain->quiet) /* a tie comes to a link that has its root */
			return true;
		text_add(words, "for the first again: they wait for each other (`stuck` says how)");
		root_add(chain, ROOT_MISSING, world->ops[wait->op].rank, wait->op, wait->ns);
		return true;
	}
	if (wait->blame)
		return false;
	text_add(words,
	        missing >= 0 ? "for rank %d, which has not been given its line yet"
	                     : "for a line not given yet",
	        missing);
	root_add(chain, ROOT_MISSING, missing >= 0 ? missing : world->ops[wait->op].rank, wait->op, wait->ns);
	return true;
}

static void put_for(const struct chain *chain, const struct bout *wait, struct text *words)
{
	const struct world *world = chain->trace->world;
	if (for_a_peer(chain, wait))
		text_add(words, "for rank %d, the last to come to it", world->ops[wait->blame].rank);
	else if (wait->cause == CAUSE_ENGINE && op_record(world, wait->op)->kind == OP_COPY)
		put_with_op(chain, "for the copy engine, busy with", wait->blame, words);
	else
		put_with_op(chain, wait->cause == CAUSE_ENGINE ? "for its turn, behind" : "for", wait->blame,
		        words);
}

void chain_follow(
        struct chain *chain, int rank, int stream, const struct bout *wait, struct text *words, int depth)
{
	bool of_host = stream == STREAM_HOST;
	/* on the host's own lane that is what it computes, issues, or gets memory for: not what it waits for */
	struct bout at = *wait;
	if (of_host && wait->kind != SPAN_STALL)
		at.blame = wait->op;
	bool host = of_host ? at.blame == at.op : wait->cause <= CAUSE_MEMORY;
	if (host)
		host_is_at(chain, rank, &at, words);
	if (host || never_comes(chain, wait, words)) {
		chain_say(chain, words, depth);
		return;
	}
	put_for(chain, wait, words);
	chain_say(chain, words, depth);
	if (wait->blame == wait->op)
		chain_work(chain, wait->op, &(struct in_the_way){wait->ns, wait->ns, 1, true}, depth + 1);
	else
		explain(chain, wait, wait->blame, depth + 1);
	if (for_a_peer(chain, wait))
		follow_ties(chain, wait, wait->blame);
}
