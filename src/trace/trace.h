/* trace.h -- what happened, from the operations' times: everything shown to a person is computed here, by
 * pure functions.
 *
 * Nothing is changed: a function reads the books and the backend's times() and host(), so looking costs no virtual
 * time and shows what is queued as the backend projects it. What is kept from one look to the next (kept.h) makes a
 * look quicker, and no answer another one.
 * Times that a backend must mean:
 *   issue   the host has finished launching it (the launch took `launch` before that)
 *   ready   its stream, its waits and its issue allow it; a collective or transfer has arrived
 *   start   it works: of a collective, its last participant has arrived        end   its outputs appear
 *   of a host-lane operation, start .. end is what the host spends in it; of a wait, end is when it lets go
 *   blame   who was last to arrive, what held the engine, or (over by `ready`) what the default stream waited for
 *
 * Files, by what they answer:
 *   a rank's lanes           lanes.c (those kept from one look to the next: kept.h)
 *   causes of delay          spans.c holders.c (whom an operation waited for) sharing.c holdings.c (with whom it shared)
 *   small questions          facts.c window.c (how long a section is) iterations.c (which ones a table speaks of)
 *   the timeline             timeline.c sets.c alike.c (rows) now.c cells.c bars.c (a lane) legend.c picture.c
 *   a cursor on it           spots.c spots_path.c details.c density.c
 *   one instant              at.c
 *   from a wait to its root  why.c longest.c chain.c ends.c root.c
 *   what sets the end        critical.c constraints.c slack.c
 *   figures                  metrics.c program.c axes.c bubble.c roofline.c staleness.c intervals.c
 *   tables of them           stats.c figures.c predicted.c diff.c
 *   other tables             stalls.c blame.c traffic.c memory.c memory_over.c races.c circles.c brings.c stuck.c
 *   how a table looks        table.c (aligned columns) plot.c (curves)
 *   a machine from times     calibrate.c samples.c calibration.c
 *   exports                  export.c export_words.c export_csv.c export_svg.c export_html.c export_counters.c kineto.c kineto_names.c
 * To add a table: one file with one function that appends to a text, and its name here.
 *
 * May call: a backend (times only) waits/ races/ collectives/ kernels/ world/ machine/ base/. Paints
 * nothing. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_TRACE_H
#define RANKSH_TRACE_H

#include "backend/backend.h"

struct kept_lanes;
struct trace {
	const struct world *world;
	struct backend *backend;
	struct budget
	        *budget; /* Ctrl-C ends a long look (ST_INTERRUPTED) between two ranks, at the same one in
	                        * every process; NULL: it does not */
	struct kept_lanes *kept;   /* kept.h; NULL: nothing is kept from one look to the next */
	op_id first;               /* figures count operations from this one on; 0: all */
	const struct ranks *ranks; /* tables tell about these; NULL: all */
};
/* Which iterations of a program the operations of a section are of (-1: of everything), by the numbers that people see, from 1;
 * all 0: of none. */
struct iterations {
	int first, last, of;
	op_id from; /* what stands before it does not count; 0: all does */
};
/* As `stats` and `stalls` look at a section: a program's first iteration, in which memory is got, is left out where there are
 * more, with the setup before it. */
struct trace trace_steady(const struct trace *trace, int section, struct iterations *iterations);
/* ", iterations 2-20 of 20"; nothing where there are none */
void iterations_text(const struct iterations *iterations, struct text *out);

/* A part of a lane's time. Lanes of a rank: its streams by number (0 is the host).
 *   WORK   a stream's operation runs; on the host's lane: the host computes
 *   STALL  a stream is held up before `op`, by `cause`; DONE: nothing more is queued. On the host's lane: blocked
 *          (SYNC) or getting memory (MEMORY), in `op`
 *   HOST   on the host's lane only: it issues `op` (LAUNCH), or is idle (DONE) before `op`
 * blame, of a STALL: docs/time.md says who. `op` itself: it came late, or takes the time itself. 0: on nothing that has been
 * queued (PEER, BUBBLE: trace_missing_rank has not come), and a launch that is on its way to the device (LAUNCH). */
enum span_kind { SPAN_WORK, SPAN_STALL, SPAN_HOST };
/* X(symbol, letter, name) -- in this order the first that holds; see docs/time.md */
#define CAUSES(X)                \
	X(LAUNCH, 'l', "launch") \
	X(HOST, 'h', "host")     \
	X(SYNC, 's', "sync")     \
	X(MEMORY, 'm', "memory") \
	X(EVENT, 'e', "event")   \
	X(DATA, 'd', "data")     \
	X(PEER, 'p', "peer")     \
	X(BUBBLE, 'b', "bubble") \
	X(ENGINE, 'g', "engine") \
	X(DONE, '.', "done")
enum cause {
#define X(symbol, letter, name) CAUSE_##symbol,
	CAUSES(X)
#undef X
	        CAUSE_COUNT
};
struct span {
	int64_t from, to;
	op_id op /* that runs, or that is delayed */, blame;
	uint32_t looks; /* of op: lanes.h; 0 without one */
	/* enum span_kind, enum cause; a view holds millions of spans */
	uint8_t kind, cause;
	bool projected; /* or, of a graph, its part as predicted: drawn dimmed */
	bool aside;     /* in a picture of the critical path: work that is not on it */
};
_Static_assert(sizeof(struct span) == 32, "two spans are one cache line");
struct spans {
	struct span *span;
	size_t count;
};
void spans_release(struct spans *spans);
/* The whole of the span of one lane that holds at a time, 0 or later: what the stream or the host did, or whom it waited for.
 * It loads that rank's operations and no other's. ST_INTERRUPTED */
enum status trace_span_at(const struct trace *trace, int rank, int stream, int64_t time, struct span *span);

/* How long an operation took beyond what it takes alone, because it shared its device or links, ns; `with` is then what it shared
 * them with the longest (itself: parts of its own), else 0. 0 too of what has no end yet, and where times are measured. It looks
 * at all operations: for tables there is sharing.h. */
int64_t trace_shared(const struct trace *trace, op_id id, op_id *with);

struct window {
	int64_t from, to;
	int section; /* -1: any */
};
/* The whole of a section, or of everything (-1): from where the first rank's time in it begins to where the last one's
 * ends. */
struct window trace_window(const struct trace *trace, int section);
/* Is there nothing in the section (-1: at all) that takes time? */
bool trace_empty(const struct trace *trace, int section);
/* ... then says so, in a line. */
bool trace_says_nothing(const struct trace *trace, int section, struct text *out);
/* Does a host or a stream wait for what never ends, unless lines come? */
bool trace_hangs(const struct trace *trace);
/* Ends the line of a figure: if so, that it is one of what ends. */
void trace_put_hangs(const struct trace *trace, struct text *out);
/* The same for a picture: where an operation waits that has no end, and would begin to at the very end, an eighth more of it is seen. */
struct window trace_window_seen(const struct trace *trace, int section);
/* The same for figures and stalls: what threads of the host do once all else is over does not count, as reading ahead
 * for what has not been asked yet; unless there is nothing else. */
struct window trace_time(const struct trace *trace, int section);
/* The last iteration, or what of it is queued: from its first rank's time in it to the end of its work. False: there is none that
 * has done anything; the window is as it was */
bool trace_last_iteration(const struct trace *trace, struct window *window);
/* -- pictures: rows of cells, one colour a cell; painted by terminal/ or printed as text */
struct cell {
	uint32_t glyph;
	uint8_t colour; /* enum colour */
	uint8_t dim, reverse;
};
/* X(symbol, ANSI 256-colour foreground). -1: the terminal's own, which is seen on light screens too; HEAD is bold. */
#define COLOURS(X)        \
	X(PLAIN, -1)      \
	X(KERNEL, 75)     \
	X(COPY, 179)      \
	X(COMM, 170)      \
	X(FORWARD, 75)    \
	X(BACKWARD, 108)  \
	X(WEIGHT, 150)    \
	X(OPTIMIZER, 216) \
	X(HOSTWORK, 250)  \
	X(STALL, 203)     \
	X(QUEUED, 242)    \
	X(HEAD, -1)       \
	X(GOOD, 114)      \
	X(BAD, 203)       \
	X(NOTE, 244)
enum colour {
#define X(symbol, ansi) COLOUR_##symbol,
	COLOURS(X)
#undef X
	        COLOUR_COUNT
};
struct picture {
	int width, height, lanes /* of a timeline: in all, shown or not */;
	struct cell *cells;
	op_id *ops; /* per cell: what lies under it, 0 none */
};
/* All cells blank. */
void picture_make(struct picture *picture, int width, int height);
void picture_release(struct picture *picture);
struct cell *picture_cell(struct picture *picture, int row, int column); /* NULL outside */
/* Writes UTF-8 text from a column on, cut at `limit` columns. */
void picture_write(
        struct picture *picture, int row, int column, int limit, enum colour colour, const char *utf8);
/* The cells as lines of text, escapes only when colour is true. */
void picture_text(const struct picture *picture, bool colour, struct text *out);

/* Lanes of ranks whose timelines are equal are drawn once ("0-3"); measured ones, where no boundary is more than a cell off. */
/* now: the latest host's clock. What ends behind it is dimmed, and it is a mark at its own column, in the ruler and in lanes that
 * are idle then; the end mark, where all of the window is past. < 0: neither. as_of: a time at which it is looked at anew, 0: at
 * now: the mark is there, and what is not over then is dimmed; ahead of now that is as the projection has it. first_row and rows
 * count lanes: the picture has one row more for the ruler, and up to legend_rows for words that have no room beside the lanes. */
struct timeline_options {
	struct window window;
	int width, first_row, rows /* 0: all */;
	bool merge;
	op_id selected;
	int64_t now, as_of;
	bool passes; /* virtual time goes by by itself (`pace`): what is projected to end before now is over */
	const struct ranks *ranks; /* NULL: all */
	const struct critical
	        *path; /* NULL; else its pieces are drawn, other work as a line, and no wait: critical.h */
	struct timeline_places *places; /* NULL: nobody asks */
	const name_id *lane;            /* lane[0 .. lanes-1]: streams by name, 0 of them: all */
	int lanes, legend_rows /* 0: as many as are needed */;
};
/* A lane; of a row that stands for several ranks, of one of them. */
struct lane_place {
	int rank, stream;
};
/* What stands where in a picture: of whom the rows are that it shows, and in which columns the window lies. A zeroed struct is
 * filled, and is to be released. */
struct timeline_places {
	struct lane_place *shown; /* by row shown */
	size_t shown_count;
	int first_column, cells;
	struct sets *sets; /* all rows */
};
/* A lane's row among all, shown or not; -1: it has none */
int timeline_row_of(const struct timeline_places *places, int rank, int stream);
void timeline_places_release(struct timeline_places *places);
enum status timeline_picture(
        const struct trace *trace, const struct timeline_options *options, struct picture *picture);

/* -- figures of one rank. section -1: everything; else the operations under that mark. Times are as
 * `timeline` draws them, so what is queued
 *    counts; ST_WAITS where an operation that counts has no end without further lines. Parts are 0 .. 1; of
 *    nothing they are 0. Work: kernels, copies, collectives, transfers, each from start to end. The rank's
 *    time: from the start of its first launch (or host work) to the end of its last operation, initial data
 *    aside, and threads of the host unless it has nothing else; where the device is at that launch still at work of earlier sections, from the section's first work there,
 *    or from the end of that earlier work when this comes first. */
/* The rank's time. (`time` of several ranks is the largest; every other metric the mean.) */
enum status metric_time(const struct trace *trace, int section, int rank, int64_t *ns);
/* work of the stream / the rank's time */
enum status metric_busy(const struct trace *trace, int section, int rank, int stream, double *part);
/* time in which both streams work / work of the less busy one */
enum status metric_overlap(const struct trace *trace, int section, int rank, int a, int b, double *part);
/* Work that kernels may hide, and its word in expressions. X(symbol, word) */
#define HIDEABLES(X)                                                      \
	X(COMMUNICATION, "communication") /* collectives and transfers */ \
	X(COLLECTIVES, "collectives")                                     \
	X(TRANSFERS, "transfers") /* one-sided ones too */                \
	X(COPIES, "copies")
enum hideable {
#define X(symbol, word) HIDE_##symbol,
	HIDEABLES(X)
#undef X
	        HIDE_COUNT
};
/* time in which that work runs and no kernel of the rank's device does */
enum status metric_exposed(const struct trace *trace, int section, int rank, enum hideable work, int64_t *ns);
/* time in which that work and a kernel run / time in which that work runs; of communication it is what Holistic Trace
 * Analysis calls the overlap of communication and computation */
enum status metric_hidden(const struct trace *trace, int section, int rank, enum hideable work, double *part);
/* 1 - time in which any stream works that has kernels in the section / the rank's time: the timeline's, where metric_bubble is
 * the schedule's. What such a stream waits for, whatever the cause, is idle; a collective on it is not. Where no
 * stream of the device has kernels, any stream of it that has work. */
enum status metric_idle(const struct trace *trace, int section, int rank, double *part);
/* Of the time between the rank's first and last launch in the section, that in which the host stands in a wait: sync, print, a
 * value that is read, a pageable copy, a barrier, memory that the device still uses. What a print brings, and a barrier's own
 * collective, is no launch, nor what goes to a thread of the host. */
enum status metric_host_waits(const struct trace *trace, int section, int rank, int64_t *ns);
/* time in which the stream works and no other stream of the rank's device does, whatever section that one's
 * work is of */
enum status metric_exposed_stream(const struct trace *trace, int section, int rank, int stream, int64_t *ns);
/* One axis of a mesh, or any group, on one rank: its own operations and those of groups whose parts lie within its
 * parts (an axis that holds the rank's part of a group; the smaller of two).
 *
 *     operations   collectives, transfers and one-sided operations that the rank has queued
 *     sent         what metric_sent counts, of these
 *     exposed_ns   its part of what metric_exposed counts, so that all groups' parts add up to the whole: of several
 *                  that run at once, the one that a stream with kernels waits for; else of the axis made first
 */
struct axis_use {
	int axis; /* into world.groups */
	int64_t operations, exposed_ns;
	double sent[LINK_KINDS];
	bool known; /* false: an operation has no end, and exposed_ns does not count it */
};
/* Of use[0 .. count-1].axis. ST_WAITS: one of their operations has no end; ST_INTERRUPTED */
enum status metric_axes(const struct trace *trace, int section, int rank, struct axis_use *use, int count);
/* Where the rank has others along two axes or more: the axes, in the order in which they were made, then the groups
 * that count with none. Else 0 of them. mem_free */
size_t trace_axes(const struct world *world, int rank, struct axis_use **use);
/* The axis with which the rank counts a group's operations; the group itself where there is none */
int trace_axis_of(const struct world *world, int rank, int group);
/* By cause: time that the rank's streams with work in the section spend in it / (the rank's time x number of
 * such streams). The host's own lane does not count: a host that waits while its device works costs
 * nothing. */
enum status metric_stalls(const struct trace *trace, int section, int rank, double part[CAUSE_COUNT]);
/* The schedule's own bubble: 1 - work / span of the micro-batches' phases replayed in the order in which each
 * rank runs them, where a phase waits for nothing but the phases that send it what it receives, and takes the
 * mean time of the phases of its kind: of its letter, where B whose W comes later counts as another one than B of all
 * gradients. That is the time on the phase's compute stream with what it waits for within the stage (collectives of
 * other axes, launches), other stages aside. The span is the longest of any rank from its first phase to the end of
 * its last (arXiv:2401.10241). What lies between phases and that stages are unequal is left out (`stalls` shows
 * those); transfers count where they have a phase of their own (`phase C3`), with the time they take alone. p stages
 * with m micro-batches in GPipe's or the 1F1B order give (p-1)/(m+p-1). Of the whole machine: the same for
 * every rank, which is why `rank` is not looked at. */
enum status metric_bubble(const struct trace *trace, int section, int rank, double *part);
/* The iterations that stand in the section (-1: in any) and are over: how many, and the time from the end of one to the end of
 * the next, on the mean, on the rank that ends last; of a single one all of it. ns */
enum status metric_iteration(const struct trace *trace, int section, int *count, double *each);
/* Bytes over links whose name begins with `link` ("nvlink", "pcie up"), away from the rank; NULL: over all.
 * ST_NAME lists the links. */
enum status metric_sent(const struct trace *trace, int section, int rank, const char *link, double *bytes);
/* The same over all links, of one stream's operations, or of those that move the tensor of that name (0: of any) */
double metric_sent_by(const struct trace *trace, int section, int rank, int stream, name_id tensor);
/* The same of operations among ranks, of whichever group: all but copies */
double metric_sent_to_others(const struct trace *trace, int section, int rank);
/* Operations of that title; waits of the host by their reason ("print", "sync"). */
struct counted_ops {
	const char *title;
	int stream;     /* 0: on any */
	name_id tensor; /* that reads or writes it, a slice or a view of it; 0: any */
};
int64_t metric_count(const struct trace *trace, int section, int rank, const struct counted_ops *which);
/* Of the rank's adds into windows that it has got before: how many updates by others were made to those bytes between the
 * start of its get and the end of its add, on the mean and at most. The adds that count; 0: there are none. */
int64_t trace_staleness(const struct trace *trace, int section, int rank, double *mean, double *most);
/* What the rank's kernels of a name have reached, as a part of what the machine can: of the peak of their types, of the bandwidth
 * of its memory. ST_NAME: there is none; ST_WAITS */
struct roofline {
	double flops, bytes;
};
enum status metric_roofline(
        const struct trace *trace, int section, int rank, const char *kernel, struct roofline *roofline);
/* Of the whole job, all ranks alike, of its steady iterations: model FLOPs utilization, flops of the matrix products of forward and
 * backward passes / (time x ranks x peak of their types). What is computed again (phase R, attention's probabilities in its
 * gradient) and the optimizer do not count, of causal attention what is seen does (arXiv:2204.02311, appendix B, counts all of it).
 * all: these count too, which is hardware FLOPs utilization (arXiv:2205.05198). Time: the longest of any rank; ranks: that have any. */
enum status metric_mfu(const struct trace *trace, int section, bool all, double *part);
/* Message bytes / time x nccl-tests' factor for the collective; of a transfer or copy, the factor is 1.
 * ST_ARGUMENT for others. */
enum status metric_busbw(const struct trace *trace, op_id id, double *bytes_per_s);

/* -- tables and files: appended to `out`, width columns at most. Those that return a status may be
 * interrupted (ST_INTERRUPTED); what they have appended by then is of no use. */
enum status trace_stalls(const struct trace *trace, int section, int width, struct text *out);
/* Where the backend measures, ranks that are within 1 % of each other share a column (of `stalls`: rows), and there is a
 * table of what was predicted. */
enum status trace_stats(const struct trace *trace, int section, int width, struct text *out);
/* "   times +-1.2 us": a line of its own, where that is more than `shown` ns, which is all that is seen of a time */
void trace_put_uncertainty(const struct trace *trace, int64_t shown, struct text *out);
/* When lines to come may begin, if that is before `time` and something has not happened yet that is shown there, and that they
 * may move: the instant is a forecast. Else TIME_UNKNOWN. */
int64_t trace_forecasts(const struct trace *trace, int64_t time);
/* All ranks at that instant: what runs and how far, what waits for whom */
enum status trace_at(const struct trace *trace, int64_t time, int width, struct text *out);
/* Each kernel by name and type: how long, its FLOP/s and bytes/s and what part of the machine's these are, what bounds it, and what
 * it lost by sharing */
enum status trace_roofline(const struct trace *trace, int section, int width, struct text *out);
enum status trace_traffic(const struct trace *trace, int section, int width, struct text *out);
enum status trace_diff(const struct trace *trace, int a, int b, int width, struct text *out);
/* world.races[first] and later, equal ones of several ranks told once. cure: with the line that would put them in order */
void trace_races(const struct trace *trace, size_t first, bool cure, int width, struct text *out);
/* world.circles from `first` on: operations of a group that NCCL can hang in, with both lines of each rank */
void trace_circles(const struct trace *trace, size_t first, int width, struct text *out);
/* All orders that NCCL can hang in, or that make it add what was not meant: those that were reported, and those across groups,
 * which are only possible. Costs a pass over the books. */
void trace_orders(const struct trace *trace, int width, struct text *out);
/* Returns the operation's first match whose members a message names: the tensors of a collective have different names, or the members
 * do not agree and come from different lines. 0: none. */
uint32_t trace_brings_differ(const struct world *world, op_id id);
/* "allreduce 1 in world: rank 0 brings g1 (line 5), rank 1 brings g2 (line 6)": the members that are there, of a match */
void trace_put_brings(const struct trace *trace, uint32_t match, struct text *out);
/* The same, wrapped, with what NCCL makes of it, and all that world_swapped knows from `first` on */
void trace_put_swap(const struct trace *trace, uint32_t match, int width, struct text *out);
void trace_swaps(const struct trace *trace, size_t first, int width, struct text *out);
/* Who waits for whom, with each rank's last operation and what it has queued next in the group. True:
 * nobody can ever move. */
bool trace_stuck(const struct trace *trace, int width, bool ended, struct text *out);
void trace_memory(const struct trace *trace, int width, struct text *out);
/* What the allocator had handed out on each rank's device, by kind, over the section's time; kind_name: of a number in the books. A
 * block counts from when the host's clock made its tensor until it is freed there, as PyTorch's memory_allocated() does: the device
 * may come to the work in it later. */
enum status trace_memory_over(const struct trace *trace, int section, int width, int64_t now,
        const char *kind_name(int kind), struct text *out);
/* The most that was allocated at once while the section's lines ran, in program order, what it began with included (-1: of everything);
 * kind: how much of that was of this kind, -1: all */
int64_t metric_peak(const struct trace *trace, int section, int rank, int kind);

#endif
