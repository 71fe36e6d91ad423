/* chain_end.c -- the last link of a chain of `why`, a root: work, or a host's activity; its
 * sentence, and its root */
#include "base/memory.h"
#include "trace/chain.h"

static void put_ran(
        const struct chain *chain, op_id id, const struct in_the_way *of, bool over, struct text *words)
{
	chain_put_op(chain, id, words);
	if (!over)
		text_add(words, " is under way");
	else
		text_add(words, " ran %s%s", time_words(of->ns).text, of->of_that ? " of that" : "");
	if (over && of->count > 1)
		text_add(words, ", the longest of %d that ran %s", of->count, time_words(of->work).text);
}

void chain_end(struct chain *chain, op_id id, const struct in_the_way *of, int depth)
{
	struct times t = backend_times(chain->trace->backend, id);
	struct text words = {0};
	bool over = t.end != TIME_UNKNOWN;
	int64_t elsewhere = 0, lost = trace_lost(chain->trace, id, &t);
	enum root_kind kind = root_of_work(chain, id, of->ns, &elsewhere);
	root_add(chain, kind, chain->trace->world->ops[id].rank, id, elsewhere);
	put_ran(chain, id, of, over, &words);
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

/* Launches of the host in the stretch: all of them, or the one that took more than all others
 * together */
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

void chain_host_at(struct chain *chain, int rank, const struct bout *wait, struct text *words)
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
		chain_put_with(chain, "while its host was at", by, words);
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
