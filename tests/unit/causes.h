/* causes.h -- checks the world in `shell`: every instant of every lane has one cause, and blames
 * an operation that can be its reason; over the whole time and random windows */
#ifndef RANKSH_TEST_CAUSES_H
#define RANKSH_TEST_CAUSES_H

#include "dice.h"
#include "lines.h"

#include "trace/lanes.h"

/* Does it make sense to blame that operation for the stall? Whoever is waited for is not there, or not over, before its end;
 * a host is at it all along. */
static bool makes_sense(const struct lanes *lanes, const struct span *s)
{
	const struct trace *trace = lanes->trace;
	const struct op *blamed = &trace->world->ops[s->blame], *op = &trace->world->ops[s->op];
	struct times t = backend_times(trace->backend, s->blame),
	             delayed = backend_times(trace->backend, s->op);
	const struct match *match = &trace->world->matches[op->match];
	bool own = blamed->rank == lanes->rank, not_over = t.end >= s->to;
	switch (s->cause) {
	case CAUSE_LAUNCH:
		return own && times_begin(op_record(trace->world, s->blame)->kind, &t) <= s->from &&
		        t.issue >= s->to;
	case CAUSE_PEER: /* late; behind a collective that left it out; or it brings something else, or an abort came */
		return !own &&
		        (t.ready >= s->to || (t.start >= s->to && match->before) || op->flags & OPF_ABORTED ||
		                match->mismatch);
	case CAUSE_ENGINE:
		return not_over && (t.end <= delayed.start || op->flags & OPF_ABORTED) &&
		        (own || op_record(trace->world, s->blame)->kind == OP_COLLECTIVE);
	case CAUSE_SYNC: /* on a stream's lane it is the command, on the host's what that waits for */
	case CAUSE_MEMORY:
	case CAUSE_DATA:
	case CAUSE_EVENT:
		return own && not_over;
	default: /* behind a crash a host does nothing more */
		return op_record(trace->world, s->blame)->kind == OP_CRASH ? own && t.end <= s->from
		                                                           : not_over;
	}
}

/* Nobody is to blame where a rank has not come to a meeting, as no operation of it is queued. */
static void check_span(const struct lanes *lanes, const struct span *s)
{
	const struct trace *trace = lanes->trace;
	bool missing = (s->cause == CAUSE_PEER || s->cause == CAUSE_BUBBLE) && !s->blame &&
	        trace_missing_rank(trace->world, s->op) >= 0;
	if (s->kind == SPAN_WORK) {
		struct times t = backend_times(trace->backend, s->op);
		assert_true(t.start <= s->from && t.end >= s->to);
	} else if (s->kind == SPAN_STALL && s->cause == CAUSE_DONE) {
		assert_int_equal(s->op, 0);
	} else if (s->kind == SPAN_STALL && !missing) {
		assert_true(s->op != 0);
		if (!s->blame || !makes_sense(lanes, s))
			fail_msg("rank %d: from %lld to %lld operation %u waits, %s, and %u is to blame",
			        lanes->rank, (long long)s->from, (long long)s->to, s->op,
			        trace_causes[s->cause], s->blame);
	}
}

/* Does the collective come behind one that left a member out? */
static bool behind_backup(const struct world *world, op_id id)
{
	uint32_t behind = 0;
	FOR_MATCHES (of, world, id)
		behind = of.part ? behind : of.match->before;
	const struct match *before = behind ? &world->matches[behind] : NULL;
	bool backup = false;
	for (int i = 0; before && i < before->n; i++)
		backup |= before->member[i] && op_record(world, before->member[i])->backup;
	return backup;
}

/* What was waited for comes at the very time when the wait is over and the work begins; of a collective behind one that left a
 * member out that is when the member is over with that one. */
static void check_release(const struct lanes *lanes, const struct span *s, const struct span *work)
{
	const struct trace *trace = lanes->trace;
	if (s->kind != SPAN_STALL || work->kind != SPAN_WORK || work->op != s->op || !s->blame)
		return;
	struct times t = backend_times(trace->backend, s->blame), own = backend_times(trace->backend, s->op);
	int64_t came = s->to;
	if (s->cause == CAUSE_EVENT || s->cause == CAUSE_DATA || s->cause == CAUSE_ENGINE)
		came = t.end;
	else if (s->cause == CAUSE_PEER)
		came = behind_backup(trace->world, s->op) ? t.start : t.ready;
	else if (s->cause == CAUSE_LAUNCH)
		came = own.issue;
	if (came != s->to)
		fail_msg("rank %d: operation %u waits until %lld, %s, and %u comes at %lld", lanes->rank,
		        s->op, (long long)s->to, trace_causes[s->cause], s->blame, (long long)came);
}

static void check_lane(const struct lanes *lanes, int stream, struct window window, struct spans *spans)
{
	int64_t at = window.from;
	lanes_spans(lanes, stream, window, spans);
	for (size_t i = 0; i < spans->count; i++) {
		assert_int_equal(spans->span[i].from, at);
		assert_true(spans->span[i].to > at);
		at = spans->span[i].to;
		check_span(lanes, &spans->span[i]);
		if (i + 1 < spans->count)
			check_release(lanes, &spans->span[i], &spans->span[i + 1]);
	}
	assert_int_equal(at, window.to);
}

/* What is asked for by a time within it is the same span. */
static void check_at(struct dice *dice, const struct lanes *lanes, int stream, const struct spans *spans)
{
	for (size_t i = 0; i < spans->count; i++) {
		const struct span *s = &spans->span[i];
		struct span at =
		        lanes_span_at(lanes, stream, s->from + throw(dice, (uint32_t)(s->to - s->from)));
		assert_int_equal(at.kind, s->kind);
		assert_int_equal(at.cause, s->cause);
		assert_int_equal(at.op, s->op);
		assert_int_equal(at.blame, s->blame);
		assert_true(at.from <= s->from && at.to >= s->to);
		if (i && i + 1 < spans->count)
			assert_true(at.from == s->from && at.to == s->to);
	}
}

static void check_program(struct dice *dice)
{
	struct trace trace = {.world = shell.world, .backend = shell.backend};
	struct window whole = trace_window(&trace, -1);
	struct lanes lanes = {0};
	struct spans spans = {0};
	for (int rank = 0; rank < shell.world->n; rank++) {
		assert_int_equal(lanes_load(&lanes, &trace, rank), ST_OK);
		for (int i = 0; i < 4; i++) {
			struct window window = whole;
			uint32_t length = (uint32_t)(whole.to - whole.from);
			if (i) {
				window.from += throw(dice, length);
				window.to = window.from + 1 + throw(dice, length);
			}
			for (int stream = 0; stream < lanes.streams + 1; stream++) {
				check_lane(&lanes, stream, window, &spans);
				check_at(dice, &lanes, stream, &spans);
			}
		}
	}
	spans_release(&spans);
	lanes_release(&lanes);
}

#endif
