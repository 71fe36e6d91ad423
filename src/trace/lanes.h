/* lanes.h -- private to trace/: one rank's operations with their times, and its lanes as spans.
 *
 * An operation's times come from the backend; a moment is those times with what a picture asks of the record
 * besides, so that the pass over a lane touches one array. The same moments are held in two orders: program
 * order, in which the host issued them, and stream order, in which a lane shows them.
 *
 *      program   0 matmul/default  1 copy/io  2 record/io  3 wait/default  4 relu/default
 *      order     | default: 0 3 4 | io: 1 2 |         first[default] = 0, first[io] = 3
 *
 * Loaded for one rank at a time, O(its operations), and thrown away, unless trace.kept keeps it: the books grow between two
 * looks, and a rank's own part of them is small. Loading again into the same struct keeps its memory.
 * An umbrella header: it brings along what it includes. */
#ifndef RANKSH_TRACE_LANES_H
#define RANKSH_TRACE_LANES_H

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "trace/trace.h"

/* All that pictures ask of an operation: its record is looked at once. */
struct moment {
	op_id id;
	uint32_t place; /* index into lanes.order */
	uint32_t looks; /* a hash of its title, object, phase and colour */
	uint8_t kind, stream;
	bool issued; /* for good */
	struct times t;
};

struct lanes {
	const struct trace *trace;
	int rank;
	int streams;   /* lanes: numbers 0 .. streams-1 */
	bool blocking; /* some of them are: the default stream holds others back, and is held back (rule 7) */
	op_id crash;   /* 0: none */
	int64_t last;  /* the latest time of an operation that is known; 0: none is */
	size_t count, room;
	struct moment *moment;           /* in program order; op.number - 1 is the index */
	uint32_t *order;                 /* indices into moment, stream by stream, each in its order */
	uint32_t first[STREAMS_MAX + 2]; /* order[first[s]] .. order[first[s+1] - 1] are stream s */
	struct spans host;               /* the host's lane, from 0 to the end of time */
	bool lent;                       /* all of it is kept.c's */
};

/* Charges the look's budget for so many operations: ST_INTERRUPTED once Ctrl-C has used it up. Every process
 * charges the same amounts in the same order, so all of them stop at the same rank. */
enum status trace_step(const struct trace *trace, size_t operations);
/* When its host began with it: the launch of a device operation, no earlier than the clock; the start of a host operation */
static inline int64_t times_begin(enum op_kind kind, const struct times *t)
{
	if (op_kind_is_host(kind))
		return t->start != TIME_UNKNOWN ? t->start : t->issue;
	return t->issue == TIME_UNKNOWN ? t->issue : most_of(t->issue - t->launch, 0);
}
/* The latest of an operation's times that is known; 0: none is */
static inline int64_t times_last(const struct times *t)
{
	int64_t known[] = {t->issue, t->ready, t->start, t->end}, last = 0;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i] != TIME_UNKNOWN && known[i] > last)
			last = known[i];
	return last;
}
/* A zeroed struct is an empty one. */
enum status lanes_load(struct lanes *lanes, const struct trace *trace, int rank);
/* Of all ranks, by number, each of them empty: the books in one pass, in the order in which they lie in memory. No budget is charged. */
void lanes_load_all(struct lanes *lanes, const struct trace *trace);
void lanes_release(struct lanes *lanes);
/* kept.c: of trace->kept, loaded if they were not yet */
const struct lanes *kept_rank(const struct trace *trace, int rank);
/* The spans of one lane in the window, replacing what `out` held. They tile the window: the first begins at
 * window.from, each begins where the one before it ends, the last ends at window.to. A stream that the rank
 * has not used is one span of "done". */
void lanes_spans(const struct lanes *lanes, int stream, struct window window, struct spans *out);
/* The whole of the span that holds at a time, 0 or later. */
struct span lanes_span_at(const struct lanes *lanes, int stream, int64_t time);
/* Returns the operation as a moment; NULL: it is another rank's, was queued after the lanes were loaded, or is 0 or OP_EVERYTHING */
const struct moment *lanes_moment(const struct lanes *lanes, op_id id);
/* Returns the place of the stream's first operation that ends after `time`; the place after its last one: there is none. Ends grow
 * along a stream. */
uint32_t lanes_after(const struct lanes *lanes, int stream, int64_t time);
/* Follows records and waits back to the operation that a wait for `id` is really about: a record itself, where it came
 * after all that stood before it. */
op_id lanes_behind(const struct lanes *lanes, op_id id);
/* The stream's last operation that was queued before that one; NULL: none */
const struct moment *lanes_last_before(const struct lanes *lanes, int stream, const struct moment *m);
/* holders.c -- whom an operation waited for on its own rank; of several the one with the latest end, of equal ones the
 * lowest stream's. Rule 7: of the default stream's or the blocking streams' operations before it; NULL: none */
const struct moment *lanes_held_back(const struct lanes *lanes, const struct moment *m);
/* What a `sync` of everything waits for: the rank's last to end, or the first that keeps others from ending; NULL: none */
const struct moment *lanes_last_done(const struct lanes *lanes, const struct moment *sync);
/* Which copy has n's engine at that time, or which earlier collective its group's turn, and until when; or who is the next
 * to have it before `to`. 0: nobody */
op_id lanes_engine(const struct lanes *lanes, const struct moment *n, int64_t at, int64_t to, int64_t *until);

/* Kernels, copies, collectives, transfers: what a stream's lane shows as work */
bool trace_is_work(enum op_kind kind);
/* The host's clock when it came past the operation (0: none, time 0); TIME_UNKNOWN: it has not yet */
int64_t trace_clock_after(const struct trace *trace, op_id id);
/* Kernels are in the colour of their phase; a copy, collective or transfer in its own in every phase */
enum colour trace_colour(const struct record *record);
/* Does it stand on a thread of the host (stream kind=host)? */
bool trace_on_host(const struct world *world, op_id id);
/* Does the host's processor carry it out, though a stream of the device may call it (cudaLaunchHostFunc)? Kernels on a
 * thread of the host or on tensors that all lie in host memory, and copies between host memory and host memory or disk */
bool trace_by_host(const struct world *world, op_id id);
/* Is it a kernel of the GPU? */
bool trace_computes(const struct world *world, op_id id);
/* A transfer in a phase of a micro-batch, between stages of a pipeline: in no axis of a mesh, or in pp */
bool trace_is_stage_transfer(const struct world *world, op_id id);
/* One that receives: what turns waiting into a bubble */
bool trace_is_stage_receive(const struct world *world, op_id id);
/* Of a part of a transfer that receives: the sender's operation, 0 when it is not queued; 0 of one that
 * sends */
op_id trace_sender(const struct world *world, op_id id, int part);
/* Of a collective or a transfer: is the other one of those that it meets? */
bool trace_meets(const struct world *world, op_id id, op_id other);
/* When the rank's time in a section (-1: everything) begins: with its first launch or host operation; where the device
 * is then still at work of earlier sections, with its own first work there, or as soon as that earlier work is over.
 * TIME_UNKNOWN: it has no operation. */
int64_t trace_begins(const struct trace *trace, int section, int rank);
/* Is it of the section (-1: any), and more than initial data? */
bool trace_counts(const struct trace *trace, op_id id, int section);
/* When the last of its participants was ready; *last is that one's operation, 0 when it is not queued. */
int64_t trace_arrival(const struct trace *trace, op_id id, const struct times *t, op_id *last);
/* Of a transfer in several parts that has begun with one: when the last partner came of those that came later still, and whose
 * operation that is; 0: none did */
int64_t trace_last_partner(const struct trace *trace, op_id id, op_id *last);
/* ST_WAITS, worded: no figure can count an operation that has no end yet. */
enum status trace_never_ends(const struct trace *trace, op_id id);
/* A rank that an unfinished collective or transfer still waits for, because it has not queued its part; -1:
 * none. */
int trace_missing_rank(const struct world *world, op_id id);
/* Do the members of its meeting, as far as they are queued, bring what does not match? Nobody will ever leave it. */
bool trace_mismatch(const struct world *world, op_id id);
/* time_text and bytes_text within a format: text_add(out, "took %s", time_words(ns).text) */
struct short_words {
	char text[32];
};
struct short_words time_words(int64_t ns);
struct short_words bytes_words(int64_t bytes);
/* "rank 2", "ranks 0-3" */
void trace_put_ranks(const struct ranks *set, struct text *out);
/* "matmul y of rank 2"; `of` may be "on" */
void trace_put_op(const struct world *world, op_id id, const char *of, struct text *out);
/* Name of a lane: "host", "default", "compute" ... */
const char *trace_lane_name(const struct trace *trace, int rank, int stream);
/* The last of the lanes from `stream` on that are told as one, "load0-63": threads of the host by one name and numbers,
 * where they are more than four; else itself. A run is asked for at its first. */
int trace_last_thread(const struct trace *trace, int rank, int stream);
void trace_lanes_name(const struct trace *trace, int rank, int first, int last, struct text *out);
/* The causes' names by number; one more than the causes: work that ran, but slower than it would have
 * alone */
extern const char *const trace_causes[CAUSE_COUNT + 1];
extern const char trace_letters[CAUSE_COUNT];
static inline bool trace_in(const struct trace *trace, op_id id, int section)
{
	return id >= trace->first && (section < 0 || op_record(trace->world, id)->section == section);
}
/* A wait for other ranks: where nobody is to blame, for one that has not come (trace_missing_rank) */
static inline bool cause_is_peers(enum cause cause)
{
	return cause == CAUSE_PEER || cause == CAUSE_BUBBLE;
}
/* Do tables tell about the rank? */
static inline bool trace_tells(const struct trace *trace, int rank)
{
	return !trace->ranks || ranks_has(trace->ranks, rank);
}
static inline bool trace_is_everything(const struct trace *trace, int section)
{
	return section < 0 && !trace->first;
}
/* Nothing is drawn of what is no work. */
static inline void span_blank(struct span *span)
{
	span->cause = CAUSE_DONE;
	span->blame = 0;
}
/* By place in stream order, not in program order */
static inline const struct moment *moment_at(const struct lanes *lanes, uint32_t place)
{
	return &lanes->moment[lanes->order[place]];
}
/* Would a span like that go on with the last one: is only time between them? */
static inline bool span_joins(const struct span *last, int64_t from, op_id op, op_id blame,
        enum span_kind kind, enum cause cause, bool projected)
{
	return last->to == from && last->op == op && last->blame == blame && last->kind == kind &&
	        last->cause == cause && last->projected == projected;
}
/* Adds a span behind the others, joining it to the last one when only time sets them apart; an empty one is left out. */
static inline void spans_add(struct spans *spans, struct span span)
{
	struct span *last = spans->count ? &spans->span[spans->count - 1] : NULL;
	if (span.from >= span.to)
		return;
	if (last && span_joins(last, span.from, span.op, span.blame, span.kind, span.cause, span.projected))
		last->to = span.to;
	else
		*MEM_ADD(&spans->span, &spans->count) = span;
}

#endif
