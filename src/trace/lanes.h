/* lanes.h -- private to trace/: one rank's operations with their times, and its lanes as spans
 *
 * A moment holds an operation's times and the parts of its record that a picture needs, so a pass
 * over a lane touches one array. Moments have two orders: program order, and stream order, in
 * which a lane shows them.
 *
 *      program   0 matmul/default  1 copy/io  2 record/io  3 wait/default  4 relu/default
 *      order     | default: 0 3 4 | io: 1 2 |         first[default] = 0, first[io] = 3
 *
 * A query loads one rank at a time, in O(its operations), and drops it, unless trace.kept caches
 * all. An umbrella header. */
#ifndef RANKSH_TRACE_LANES_H
#define RANKSH_TRACE_LANES_H

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "trace/trace.h"

struct moment {
	op_id id;
	uint32_t place; /* index into lanes.order */
	uint32_t looks; /* a hash of its title, object, phase and colour */
	uint8_t kind, stream;
	bool issued; /* the time of issue is final */
	struct times t;
};

struct lanes {
	const struct trace *trace;
	int rank;
	int streams;   /* lanes: numbers 0 .. streams-1 */
	bool blocking; /* the rank has blocking streams: rule 7 orders them with the default one */
	op_id crash;   /* 0: none */
	int64_t last;  /* the latest known time of an operation; 0: none */
	size_t count, room;
	struct moment *moment; /* in program order, at op.number - 1 */
	uint32_t *order;       /* indices into moment, stream by stream */
	/* order[first[s]] .. order[first[s+1] - 1] are stream s */
	uint32_t first[STREAMS_MAX + 2];
	struct spans host; /* the host's lane, from 0 to the end of time */
	bool lent;         /* trace.kept owns the memory */
};

/* Charges that many operations to the query's budget. Fails with ST_INTERRUPTED after Ctrl-C,
 * after the same rank in every process. */
enum status trace_step(const struct trace *trace, size_t operations);
/* Returns when the host began the operation: the launch of a device operation (not before 0), the
 * start of a host operation. */
static inline int64_t times_begin(enum op_kind kind, const struct times *t)
{
	if (op_kind_is_host(kind))
		return t->start != TIME_UNKNOWN ? t->start : t->issue;
	return t->issue == TIME_UNKNOWN ? t->issue : most_of(t->issue - t->launch, 0);
}
/* Returns the operation's latest known time; 0: none is known. */
static inline int64_t times_last(const struct times *t)
{
	int64_t known[] = {t->issue, t->ready, t->start, t->end}, last = 0;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i] != TIME_UNKNOWN && known[i] > last)
			last = known[i];
	return last;
}
/* Loads the rank's lanes, reusing the struct's memory. A zeroed struct is empty. */
enum status lanes_load(struct lanes *lanes, const struct trace *trace, int rank);
/* Loads all ranks' lanes in one pass over the log, without budget. Requires each to be empty. */
void lanes_load_all(struct lanes *lanes, const struct trace *trace);
void lanes_release(struct lanes *lanes);
/* Returns the rank's lanes in trace->kept, loading all if it is empty. */
const struct lanes *kept_rank(const struct trace *trace, int rank);
/* Replaces `out` by one lane's spans, which tile the window without gaps. An unused stream is one
 * DONE span. */
void lanes_spans(const struct lanes *lanes, int stream, struct window window, struct spans *out);
/* Splits the span that contains `now` if its start is final, and marks later spans as projected.
 * passes: as in timeline_options */
void spans_cut(const struct trace *trace, struct spans *spans, int64_t now, bool passes);
/* Makes spans invisible that begin at as_of or later, except work. */
void spans_unseen(struct spans *spans, int64_t as_of);
/* Returns the whole span at `time` (0 or later). */
struct span lanes_span_at(const struct lanes *lanes, int stream, int64_t time);
/* Returns the operation as a moment; NULL if it is another rank's, was queued after loading, or is
 * 0 or OP_EVERYTHING. */
const struct moment *lanes_moment(const struct lanes *lanes, op_id id);
/* Returns the place of the stream's first operation that ends after `time`; one past its last if
 * there is none. */
uint32_t lanes_after(const struct lanes *lanes, int stream, int64_t time);
/* Returns the stream's first work at that place or after it (step 1), or before it (-1); NULL if
 * none. */
const struct moment *lanes_work(const struct lanes *lanes, int stream, int64_t place, int step);
/* Returns the operation that a wait for `id` depends on, skipping records and waits; the record
 * itself if it was issued after the work before it had ended. */
op_id lanes_behind(const struct lanes *lanes, op_id id);
/* Returns the stream's last operation queued before m; NULL if none. */
const struct moment *lanes_last_before(const struct lanes *lanes, int stream, const struct moment *m);
/* holders.c: returns the last operation of that stream before m, if m waits for it by rule 7
 * (default and blocking streams); else NULL. */
const struct moment *lanes_holder(const struct lanes *lanes, const struct moment *m, int stream);
/* Returns the holder with the latest end on any stream, the lowest stream of equals; NULL if
 * none. */
const struct moment *lanes_held_back(const struct lanes *lanes, const struct moment *m);
/* Returns the operation that a `sync` of everything waits for: the rank's last to end, or the
 * first that never ends; NULL if none. */
const struct moment *lanes_last_done(const struct lanes *lanes, const struct moment *sync);
/* Returns the operation that n waits for at time `at`: the copy on n's engine, or the earlier
 * collective that has its group's turn; if there is none, the next one before `to`; else 0. Stores
 * its end in *until. */
op_id lanes_engine(const struct lanes *lanes, const struct moment *n, int64_t at, int64_t to, int64_t *until);

/* True for collectives, transfers and one-sided operations: NCCL carries them out. */
static inline bool trace_communicates(enum op_kind kind)
{
	return kind == OP_COLLECTIVE || kind == OP_P2P || kind == OP_ONE_SIDED;
}
/* True for kernels, copies, collectives and transfers: work on a stream's lane. */
bool trace_is_work(enum op_kind kind);
/* Returns the host's clock after the operation (time 0 for id 0); TIME_UNKNOWN if the clock has
 * not passed it yet. */
int64_t trace_clock_after(const struct trace *trace, op_id id);
/* Returns the colour of the phase for a kernel; that of its kind for a copy, collective or
 * transfer. */
enum colour trace_colour(const struct record *record);
/* True if the operation is on a host thread (stream kind=host). */
bool trace_on_host(const struct world *world, op_id id);
/* True if the host's processor carries the operation out: kernels on a host thread or on host
 * memory only, and copies between host memory and host memory or disk. */
bool trace_by_host(const struct world *world, op_id id);
/* True for a kernel of the GPU. */
bool trace_computes(const struct world *world, op_id id);
/* True for a transfer in a micro-batch's phase between pipeline stages: in the axis pp, or in no
 * axis of a mesh. */
bool trace_is_stage_transfer(const struct world *world, op_id id);
/* True if such a transfer has a part that receives: a wait for it is a bubble. */
bool trace_is_stage_receive(const struct world *world, op_id id);
/* Returns the sender's operation for a part that receives; 0 if it is not queued, or if the part
 * sends. */
op_id trace_sender(const struct world *world, op_id id, int part);
/* True if both are in one collective, or are the two sides of a transfer. */
bool trace_meets(const struct world *world, op_id id, op_id other);
/* Returns when the rank's time in a section (-1: everything) begins (trace.h, figures).
 * TIME_UNKNOWN: no operation. */
int64_t trace_begins(const struct trace *trace, int section, int rank);
/* True if the operation is in the section (-1: any) and not initial data. */
bool trace_counts(const struct trace *trace, op_id id, int section);
/* Returns when the last participant was ready; TIME_UNKNOWN if one is missing or the members do
 * not match. *last: that participant's operation; 0 if it is not queued or is `id` itself */
int64_t trace_arrival(const struct trace *trace, op_id id, const struct times *t, op_id *last);
/* For fused transfers, which begin when one part can: returns when the last partner that came
 * later was ready, and stores its operation in *last. If none came later, returns the start and
 * stores 0. */
int64_t trace_last_partner(const struct trace *trace, op_id id, op_id *last);
/* Fails with ST_WAITS: no figure can count an operation without an end. */
enum status trace_never_ends(const struct trace *trace, op_id id);
/* Returns a rank that has not queued its part of the match; -1 if none. */
int trace_missing_rank(const struct world *world, op_id id);
/* Returns the rank of the operation to blame, or if there is none the missing rank; -1: none. */
int span_waits_for(const struct world *world, const struct span *span);
/* True if the queued members of its match do not agree, so it never ends. */
bool trace_mismatch(const struct world *world, op_id id);
/* Appends "rank 2", "ranks 0-3". */
void trace_put_ranks(const struct ranks *set, struct text *out);
/* Appends "matmul y of rank 2"; `of` may be "on". */
void trace_put_op(const struct world *world, op_id id, const char *of, struct text *out);
/* Returns the lane's name: "host", "default", "compute" ... */
const char *trace_lane_name(const struct trace *trace, int rank, int stream);
/* Returns the last lane of a run that is shown as one, "load0-63": more than four host threads
 * with one name and consecutive numbers; else `stream`. Requires `stream` to be the first of its
 * run. */
int trace_last_thread(const struct trace *trace, int rank, int stream);
void trace_lanes_name(const struct trace *trace, int rank, int first, int last, struct text *out);
/* Names by cause; at CAUSE_COUNT "slowed": work that took longer than alone */
extern const char *const trace_causes[CAUSE_COUNT + 1];
extern const char trace_letters[CAUSE_COUNT];
static inline bool trace_in(const struct trace *trace, op_id id, int section)
{
	return id >= trace->first && (section < 0 || op_record(trace->world, id)->section == section);
}
static inline bool cause_is_peers(enum cause cause)
{
	return cause == CAUSE_PEER || cause == CAUSE_BUBBLE;
}
/* True if tables include the rank. */
static inline bool trace_tells(const struct trace *trace, int rank)
{
	return !trace->ranks || ranks_has(trace->ranks, rank);
}
static inline bool trace_is_everything(const struct trace *trace, int section)
{
	return section < 0 && !trace->first;
}
/* True for a delay of at least that many ns. */
static inline bool span_waits(const struct span *span, int64_t least)
{
	return span->kind == SPAN_STALL && span->cause != CAUSE_DONE && span->to - span->from >= least;
}
/* Makes a span that is not work invisible. */
static inline void span_blank(struct span *span)
{
	span->cause = CAUSE_DONE;
	span->blame = 0;
}
static inline const struct moment *moment_at(const struct lanes *lanes, uint32_t place)
{
	return &lanes->moment[lanes->order[place]];
}
static inline bool span_joins(const struct span *last, int64_t from, op_id op, op_id blame,
        enum span_kind kind, enum cause cause, bool projected)
{
	return last->to == from && last->op == op && last->blame == blame && last->kind == kind &&
	        last->cause == cause && last->projected == projected;
}
/* Appends a span, or extends the last one by it; ignores empty spans. */
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

/* ---- intervals.c: sets of time intervals [from, to) in ns. The parts of a joined set are sorted
 * by start, not empty, and do not touch. */
struct interval {
	int64_t from, to;
};
/* A zeroed struct is the empty set. */
struct intervals {
	struct interval *part;
	size_t count;
};

/* Adds an interval, in any order; ignores empty ones. Call intervals_join before asking for
 * lengths. */
void intervals_add(struct intervals *set, int64_t from, int64_t to);
/* Sorts the parts, and joins those that overlap or touch. */
void intervals_join(struct intervals *set);
int64_t intervals_length(const struct intervals *set);
/* Returns the length of the intersection of two joined sets. */
int64_t intervals_common(const struct intervals *a, const struct intervals *b);
void intervals_release(struct intervals *set);

#endif
