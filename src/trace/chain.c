/* chain.c -- follows a wait to the operation to blame, to that one's activity meanwhile, and so on
 *
 *      rank 1  comm     |    allreduce waits 2 ms   |== runs 1.5 ==|
 *              default  |   z waits for it, 3.5 ms                 |== z ==   the stretch: 3.5 ms
 *      rank 2  default  |===== matmul, 2 of its 4 ms ==|                      the last to come
 *
 * Work is a root; so are host activities and missing lines. A stretch lies within the one before
 * it, and a repeated link (ranks that wait for each other) ends the chain, so every chain ends. */
#include "trace/chain.h"
#include "base/arithmetic.h"
#include "base/memory.h"

#include <string.h>

/* Ends the chain at that work, which is the root: adds its sentence and the root. */
static void chain_end(struct chain *chain, op_id id, const struct in_the_way *of, int depth)
{
	struct times t = backend_times(chain->trace->backend, id);
	struct text words = {0};
	bool over = t.end != TIME_UNKNOWN;
	int64_t elsewhere = 0, lost = trace_lost(chain->trace, id, &t);
	enum root_kind kind = root_of_work(chain, id, of->ns, &elsewhere);
	root_add(chain, kind, chain->trace->world->ops[id].rank, id, elsewhere);
	chain_put_op(chain, id, &words);
	if (!over)
		text_add(&words, " is under way");
	else
		text_add(&words, " ran %s%s", time_words(of->ns).text, of->of_that ? " of that" : "");
	if (over && of->count > 1)
		text_add(&words, ", the longest of %d that ran %s", of->count, time_words(of->work).text);
	if (kind == ROOT_SLOW) {
		text_add(&words, ": %s alone, %s without `slow %gx`", time_words(t.alone).text,
		        time_words(op_record(chain->trace->world, id)->alone_ns).text,
		        world_slow_at(chain->trace->world, id)->factor);
	} else if (kind == ROOT_SHARED) {
		op_id with = sharing_with(&chain->sharing, id);
		text_add(&words, ": %s in all, %s alone; it shared a resource",
		        time_words(t.end - t.start).text, time_words(t.end - t.start - lost).text);
		if (with && with != id)
			chain_put_with(chain, " with", with, &words);
	} else if (kind == ROOT_LONGER) {
		text_add(&words, ": %s in all; on other ranks this line takes %s",
		        time_words(t.end - t.start).text, time_words(elsewhere).text);
	}
	chain_say(chain, &words, depth);
}

/* Ends the chain at the launches in the stretch: all, or the one that took more than all others
 * together. */
static void end_at_launches(struct chain *chain, int rank, const struct bout *wait, struct text *words)
{
	const struct lanes *lanes = chain_lanes(chain, rank);
	struct bouts issued = {0};
	int64_t all = 0;
	if (!lanes)
		return;
	lanes_spans(lanes, STREAM_HOST, (struct window){wait->from, wait->to, -1}, &chain->spans);
	for (size_t i = 0; i < chain->spans.count; i++) {
		const struct span *span = &chain->spans.span[i];
		if (span->kind != SPAN_HOST || span->cause != CAUSE_LAUNCH)
			continue;
		*MEM_ADD(&issued.piece, &issued.count) =
		        (struct bout){.kind = SPAN_HOST, .op = span->op, .ns = span->to - span->from};
		all += span->to - span->from;
	}
	const struct bout *longest = pieces_longest(&issued, SPAN_HOST);
	bool one = longest && longest->ns * 2 > all;
	for (size_t i = 0; i < issued.count; i++)
		if (!one || longest == &issued.piece[i])
			root_add(chain, ROOT_LAUNCH, rank, issued.piece[i].op, issued.piece[i].ns);
	if (one)
		chain_put_with(chain, "while its host was launching", longest->op, words);
	else
		text_add(words, "while its host was launching %zu operations", issued.count);
	mem_free(issued.piece);
}

/* Ends the chain at the host of the stream's rank, whose activity is a root. Completes `words`. */
static void chain_host_at(struct chain *chain, int rank, const struct bout *wait, struct text *words)
{
	op_id by = wait->blame;
	const struct world *world = chain->trace->world;
	enum op_kind kind = by ? op_record(world, by)->kind : OP_KERNEL;
	if (wait->cause == CAUSE_LAUNCH && by) {
		end_at_launches(chain, rank, wait, words);
	} else if (wait->cause == CAUSE_LAUNCH) {
		text_add(words, "for its launch, on the way to the device");
		root_add(chain, ROOT_LAUNCH, rank, wait->op, wait->ns);
	} else if (wait->cause == CAUSE_SYNC) {
		chain_put_with(chain, "while its host was held in", by, words);
		root_add(chain, ROOT_HELD, rank, by, wait->ns);
	} else if (wait->cause == CAUSE_MEMORY) {
		chain_put_with(chain, "while its host got memory:", by, words);
		root_add(chain, ROOT_MEMORY, rank, by, wait->ns);
	} else if (kind == OP_HOST) {
		chain_put_with(chain, "while its host ran", by, words);
		root_add(chain, ROOT_HOST, rank, by, wait->ns);
	} else if (kind == OP_SYNC) {
		chain_put_with(chain, "for its line, which came after an answer:", by, words);
		root_add(chain, ROOT_HELD, world->ops[by].rank, by, wait->ns);
	} else {
		text_add(words,
		        kind == OP_CRASH ? "forever: its rank has crashed" : "for its line, which came late");
		root_add(chain, ROOT_MISSING, rank, kind == OP_CRASH ? by : wait->op, wait->ns);
	}
}

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

static bool bout_joins(const struct bout *piece, const struct span *span)
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
			continue;
		while (at < pieces->count && !bout_joins(&pieces->piece[at], span))
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

void chain_say(struct chain *chain, struct text *words, int depth)
{
	enum { DEEPEST = 12 }; /* deeper it would be a narrow column */
	if (!chain->quiet)
		text_wrapped(&chain->why->text, text_string(words), 2 * (int)least_of(depth, DEEPEST),
		        chain->width);
	text_release(words);
}

void chain_put_op(const struct chain *chain, op_id id, struct text *out)
{
	trace_put_op(chain->trace->world, id, "on", out);
	trace_put_line_behind(chain->trace, id, out);
}

void chain_put_with(const struct chain *chain, const char *words, op_id id, struct text *out)
{
	text_add(out, "%s ", words);
	chain_put_op(chain, id, out);
}

static bool link_seen(struct chain *chain, const struct bout *wait)
{
	for (size_t i = 0; i < chain->seen_count; i++)
		if (chain->seen[i].op == wait->op && chain->seen[i].blame == wait->blame)
			return true;
	MEM_ADD(&chain->seen, &chain->seen_count)->op = wait->op;
	chain->seen[chain->seen_count - 1].blame = wait->blame;
	return false;
}

/* True for a wait for another side's arrival, not for its end. */
static bool for_a_peer(const struct chain *chain, const struct bout *wait)
{
	return wait->cause == CAUSE_PEER ||
	        (wait->cause == CAUSE_BUBBLE && trace_is_stage_receive(chain->trace->world, wait->op));
}

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

/* Adds the next link: the operation to blame waited itself. told: an operation whose line was
 * named */
static void explain_wait(struct chain *chain, const struct bout *wait, op_id told, int depth)
{
	const struct op *op = &chain->trace->world->ops[wait->op];
	bool still = chain->horizon != TIME_UNKNOWN && wait->to >= chain->horizon;
	struct text words = {0};
	if (wait->op != told)
		chain_put_op(chain, wait->op, &words);
	else
		trace_put_op(chain->trace->world, wait->op, "on", &words);
	if (still)
		text_add(&words, " waits ");
	else
		text_add(&words, " waited %s of that ", time_words(wait->ns).text);
	chain_follow(chain, op->rank, op->stream, wait, &words, depth);
}

static void explain_late(struct chain *chain, const struct bout *wait, op_id by, int depth);

/* If fused transfers began with one part and waited for another partner most of the time, follows
 * that partner and returns true. */
static bool partner_was_late(struct chain *chain, op_id id, const struct in_the_way *of, int depth)
{
	struct times t = backend_times(chain->trace->backend, id);
	op_id with = 0;
	struct text words = {0};
	int64_t arrival = trace_last_partner(chain->trace, id, &with);
	if (!with || t.end == TIME_UNKNOWN)
		return false;
	struct bout wait = {.kind = SPAN_STALL,
	        .cause = CAUSE_PEER,
	        .op = id,
	        .blame = with,
	        .from = most_of(t.start, of->from),
	        .to = arrival};
	wait.ns = wait.to - wait.from;
	if (wait.ns * 2 < of->ns || wait.ns <= 0 || link_seen(chain, &wait))
		return false;
	chain_put_op(chain, id, &words);
	text_add(&words, " had begun with a part of it, and waited %s%s for rank %d, the last to arrive",
	        time_words(wait.ns).text, of->of_that ? " of that" : "", chain->trace->world->ops[with].rank);
	chain_say(chain, &words, depth);
	explain_late(chain, &wait, with, depth + 1);
	return true;
}

void chain_work(struct chain *chain, op_id id, const struct in_the_way *of, int depth)
{
	if (!partner_was_late(chain, id, of, depth))
		chain_end(chain, id, of, depth);
}

/* Explains why the operation to blame was late, by its lane's activity in the stretch until it
 * arrived or ended. */
static void explain_late(struct chain *chain, const struct bout *wait, op_id by, int depth)
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
		chain_work(chain, works->op, &(struct in_the_way){works->ns, work, count, true, works->from},
		        depth);
	else if (chain->status == ST_OK && waits)
		explain_wait(chain, waits, by, depth);
	else if (chain->status == ST_OK)
		chain_work(chain, by, &(struct in_the_way){wait->ns, wait->ns, 1, true, wait->from}, depth);
	mem_free(pieces.piece);
}

/* Members that arrived together with the last one are equally to blame: adds their roots, without
 * text. */
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
		explain_late(chain, wait, member, 0);
		chain->quiet--;
	}
}

static bool never_comes(struct chain *chain, const struct bout *wait, struct text *words)
{
	const struct world *world = chain->trace->world;
	int missing = wait->blame ? -1 : trace_missing_rank(world, wait->op);
	if (link_seen(chain, wait)) {
		if (chain->quiet) /* a tie reached a link whose root is known */
			return true;
		text_add(
		        words, "for an operation above: they wait for each other (`stuck` shows the circle)");
		root_add(chain, ROOT_CIRCLE, world->ops[wait->op].rank, wait->op, wait->ns);
		return true;
	}
	if (wait->blame && trace_mismatch(world, wait->op)) {
		text_add(words, "forever: rank %d brings ", world->ops[wait->blame].rank);
		op_label(world, wait->blame, words);
		text_add(words, " (`stuck` shows the mismatch)");
		root_add(chain, ROOT_MISMATCH, world->ops[wait->op].rank, wait->op, wait->ns);
		return true;
	}
	if (wait->blame)
		return false;
	const struct lanes *lanes = missing >= 0 ? chain_lanes(chain, missing) : NULL;
	op_id crash = lanes ? lanes->crash : 0;
	text_add(words,
	        crash                  ? "for rank %d, which has crashed"
	                : missing >= 0 ? "for rank %d, which has no line for it yet"
	                               : "for a missing line",
	        missing);
	root_add(chain, ROOT_MISSING, missing >= 0 ? missing : world->ops[wait->op].rank,
	        crash ? crash : wait->op, wait->ns);
	return true;
}

static void put_for(const struct chain *chain, const struct bout *wait, struct text *words)
{
	const struct world *world = chain->trace->world;
	if (for_a_peer(chain, wait))
		text_add(words, "for rank %d, %s", world->ops[wait->blame].rank,
		        backend_times(chain->trace->backend, wait->blame).ready == TIME_UNKNOWN
		                ? "which has not reached it"
		                : "the last to arrive");
	else if (wait->cause == CAUSE_ENGINE && op_record(world, wait->op)->kind == OP_COPY)
		chain_put_with(chain, "for the copy engine, busy with", wait->blame, words);
	else
		chain_put_with(chain, wait->cause == CAUSE_ENGINE ? "for its turn, after" : "for",
		        wait->blame, words);
}

void chain_follow(
        struct chain *chain, int rank, int stream, const struct bout *wait, struct text *words, int depth)
{
	bool of_host = stream == STREAM_HOST;
	/* on the host's own lane, its activity is to blame */
	struct bout at = *wait;
	if (of_host && wait->kind != SPAN_STALL)
		at.blame = wait->op;
	bool host = of_host ? at.blame == at.op : wait->cause <= CAUSE_MEMORY;
	if (host)
		chain_host_at(chain, rank, &at, words);
	if (host || never_comes(chain, wait, words)) {
		chain_say(chain, words, depth);
		return;
	}
	put_for(chain, wait, words);
	chain_say(chain, words, depth);
	if (wait->blame == wait->op)
		chain_work(chain, wait->op, &(struct in_the_way){wait->ns, wait->ns, 1, true, wait->from},
		        depth + 1);
	else
		explain_late(chain, wait, wait->blame, depth + 1);
	if (for_a_peer(chain, wait))
		follow_ties(chain, wait, wait->blame);
}
