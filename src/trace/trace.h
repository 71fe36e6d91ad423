/* trace.h -- what happened, computed from the operations' times: all that is shown to a person
 *
 * Pure functions: they read the books and the backend's times() and host(). A query costs no
 * virtual time, and shows queued work as the backend projects it.
 *
 * Times that a backend reports:
 *   issue   the host has finished launching it (the launch took `launch` before that)
 *   ready   its stream, its waits and its issue allow it; a collective or transfer has arrived
 *   start   it works; a collective: its last participant has arrived
 *   end     its outputs appear
 *   blame   the last to arrive, the holder of the engine, or (over by `ready`) what the default
 *           stream waited for
 * A host operation spends start .. end; a wait releases its stream or host at end.
 *
 * Files:
 *   a rank's lanes           lanes.c
 *   causes of delay          spans.c holders.c (on its own rank) sharing.c
 *   small questions          facts.c window.c (length of a section, iterations)
 *   the timeline             timeline.c sets.c (rows) cells.c bars.c (a lane) legend.c
 *   a cursor on it           spots.c details.c
 *   one instant              at.c
 *   from a wait to its root  why.c longest.c chain.c root.c
 *   what sets the end        critical.c constraints.c
 *   figures                  metrics.c program.c axes.c bubble.c roofline.c intervals.c
 *   tables of them           stats.c figures.c predicted.c
 *   other tables             stalls.c blame.c traffic.c memory.c races.c circles.c stuck.c
 *   how a table looks        table.c (aligned columns) plot.c (curves)
 *   a machine from times     calibrate.c calibration.c
 *   exports                  export.c export_csv.c export_svg.c export_html.c export_counters.c
 *                            kineto.c kineto_names.c
 * To add a table: one function that appends to a text, and its name here.
 *
 * May call: a backend (times only) waits/ races/ collectives/ kernels/ world/ machine/ base/.
 * Paints nothing. An umbrella header. */
#ifndef RANKSH_TRACE_H
#define RANKSH_TRACE_H

#include "backend/backend.h"

struct lanes;
/* All ranks' lanes, cached while no operation is added and no time changes, 96 bytes an operation.
 * The view, which draws a frame for each key, sets trace.kept, and lanes_load lends from it. A
 * zeroed struct is empty. */
struct kept_lanes {
	struct lanes *lanes; /* by rank */
	int ranks;
};
/* Releases the cache. Call it before the books or times change, and before world_free. */
void kept_forget(struct kept_lanes *kept);

struct trace {
	const struct world *world;
	struct backend *backend;
	/* Ctrl-C ends a long query (ST_INTERRUPTED) between two ranks, the same in every
	 * process; NULL: it does not */
	struct budget *budget;
	struct kept_lanes *kept;   /* NULL: lanes are loaded for each query */
	op_id first;               /* figures count operations from this one on; 0: all */
	const struct ranks *ranks; /* the ranks of tables; NULL: all */
};
/* Of a section's operations (-1: all), numbered from 1; all 0: none */
struct iterations {
	int first, last, of;
	op_id from; /* operations before it do not count; 0: all count */
};
/* Returns the trace as `stats` and `stalls` use it: without the setup and the first iteration,
 * which allocates memory, if there are more. */
struct trace trace_steady(const struct trace *trace, int section, struct iterations *iterations);
/* Appends ", iterations 2-20 of 20"; nothing if there are none. */
void iterations_text(const struct iterations *iterations, struct text *out);

/* A part of a lane's time. A rank's lanes are its streams by number (0 is the host).
 *  WORK   a stream's operation runs; on the host's lane: the host computes
 *  STALL  a stream is delayed before `op` by `cause`; DONE: nothing more is queued. On the host's
 *         lane: blocked (SYNC) or allocating memory (MEMORY) in `op`
 *  HOST   on the host's lane only: it issues `op` (LAUNCH), or is idle (DONE) before `op`
 * blame, for a STALL: the operation to blame (docs/internals/time.md). `op` itself: it came late,
 * or takes the time itself. 0: nothing queued is to blame (PEER, BUBBLE: trace_missing_rank), or
 * the launch is on its way to the device (LAUNCH). */
enum span_kind { SPAN_WORK, SPAN_STALL, SPAN_HOST };
/* X(symbol, letter, name), in order of precedence; see docs/internals/time.md */
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
	op_id op /* runs, or is delayed */, blame;
	uint32_t looks; /* of op: lanes.h; 0 without one */
	/* enum span_kind, enum cause; a view holds millions of spans */
	uint8_t kind, cause;
	bool projected; /* or a graph's part as predicted: drawn dimmed */
	bool aside;     /* on a picture of the critical path: work beside it */
};
_Static_assert(sizeof(struct span) == 32, "two spans are one cache line");
struct spans {
	struct span *span;
	size_t count;
};
void spans_release(struct spans *spans);
/* Stores the whole span of one lane at `time` (0 or later). ST_INTERRUPTED */
enum status trace_span_at(const struct trace *trace, int rank, int stream, int64_t time, struct span *span);

/* Returns how much longer an operation took than alone because it shared its device or links, ns;
 * 0 if it has no end yet or times are measured. *with: the operation that shared them longest
 * (itself: its own parts), 0 if nothing was lost. Reads all operations; tables use sharing.h. */
int64_t trace_shared(const struct trace *trace, op_id id, op_id *with);

struct window {
	int64_t from, to;
	int section; /* -1: any */
};
/* Returns a section's window (-1: everything): from the first rank's start in it to the last one's
 * end. */
struct window trace_window(const struct trace *trace, int section);
/* True if nothing in the section (-1: at all) takes time. */
bool trace_empty(const struct trace *trace, int section);
/* The same; if true, appends a line that says so. */
bool trace_says_nothing(const struct trace *trace, int section, struct text *out);
/* True if a host or stream waits for something that never ends without more lines. */
bool trace_hangs(const struct trace *trace);
/* Ends a line; if trace_hangs, with a note that it counts only what ends. */
void trace_put_hangs(const struct trace *trace, struct text *out);
/* The window for a picture: an eighth longer if an operation without an end would begin at its
 * end */
struct window trace_window_seen(const struct trace *trace, int section);
/* The window for figures and stalls: without host threads that go on alone at the end, unless
 * there is nothing else */
struct window trace_time(const struct trace *trace, int section);
/* Stores the window of the last iteration as far as it is queued. Returns false if there is none
 * or it has done nothing. */
bool trace_last_iteration(const struct trace *trace, struct window *window);
/* -- pictures: rows of cells, painted by terminal/ or printed as text */
struct cell {
	uint32_t glyph;
	uint8_t colour; /* enum colour */
	uint8_t dim, reverse;
};
/* X(symbol, ANSI 256-colour foreground; -1: the terminal's own). HEAD is bold. */
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
	int width, height, lanes /* of a timeline: all of them, shown or not */;
	struct cell *cells;
	op_id *ops; /* by cell: the operation at it, 0 none */
};
/* Makes a picture of blank cells; release it with picture_release. */
void picture_make(struct picture *picture, int width, int height);
void picture_release(struct picture *picture);
/* Returns a cell; NULL outside the picture. */
struct cell *picture_cell(struct picture *picture, int row, int column);
/* Writes UTF-8 text from a column on, cut at `limit` columns. */
void picture_write(
        struct picture *picture, int row, int column, int limit, enum colour colour, const char *utf8);
/* Appends the cells as lines of text, with escapes only if colour is true. */
void picture_text(const struct picture *picture, bool colour, struct text *out);

/* Ranks with equal timelines are drawn once; measured ones if no boundary differs by more than a
 * cell. now: the latest host's clock. Spans that end later are dimmed. It is a mark in the ruler
 * and in idle lanes, or the end mark if the whole window is past; < 0: no mark. as_of: show the
 * timeline as of this time (0: now); later than now it shows the projection. first_row and rows
 * count lanes. The picture has one row more for the ruler, and up to legend_rows for legend words
 * that do not fit beside the lanes. */
struct timeline_options {
	struct window window;
	int width, first_row, rows /* 0: all */;
	bool merge;
	op_id selected;
	int64_t now, as_of;
	/* virtual time passes by itself (`pace`): spans that begin before now are not projected */
	bool passes;
	const struct ranks *ranks; /* NULL: all */
	/* NULL; else its pieces are drawn, other work as a line, and no waits: critical.h */
	const struct critical *path;
	struct timeline_places *places; /* NULL: not wanted */
	const name_id *lane;            /* lane[0 .. lanes-1]: streams by name; 0 of them: all */
	int lanes, legend_rows /* 0: as many as needed */;
};
/* A lane; for a row with several ranks, one rank's */
struct lane_place {
	int rank, stream;
};
/* The lane of each row shown, and the columns of the window. Zeroed before use; released by the
 * caller. */
struct timeline_places {
	struct lane_place *shown; /* by row shown */
	size_t shown_count;
	int first_column, cells;
	struct sets *sets; /* of all rows */
};
/* Returns the lane's row among all rows, shown or not; -1: none. */
int timeline_row_of(const struct timeline_places *places, int rank, int stream);
void timeline_places_release(struct timeline_places *places);
enum status timeline_picture(
        const struct trace *trace, const struct timeline_options *options, struct picture *picture);

/* -- figures: one rank in a section (-1: everything)
 *
 * Times are those that `timeline` draws, so queued work counts; ST_WAITS if an operation that
 * counts has no end without further lines. Parts are 0 .. 1, and 0 if the whole is empty. Work is
 * kernels, copies, collectives and transfers, from start to end.
 *
 * The rank's time runs from its first launch (or host work) to its last end, without initial data,
 * and without host threads unless there is nothing else. If the device is still busy with earlier
 * sections at that launch, it runs from the section's first work, or from the earlier work's end
 * if that is sooner. */
/* The rank's time. (For several ranks `time` is the largest; every other metric is the mean.) */
enum status metric_time(const struct trace *trace, int section, int rank, int64_t *ns);
/* The longest rank's; *ranks: those with any time, NULL: not wanted */
enum status metric_longest(const struct trace *trace, int section, int64_t *ns, int *ranks);
/* work of the stream / the rank's time */
enum status metric_busy(const struct trace *trace, int section, int rank, int stream, double *part);
/* time when both streams work / work of the less busy one */
enum status metric_overlap(const struct trace *trace, int section, int rank, int a, int b, double *part);
/* Work that kernels may hide, and its word in expressions. X(symbol, word) */
#define HIDEABLES(X)                                       \
	X(COMMUNICATION, "communication")                  \
	X(COLLECTIVES, "collectives")                      \
	X(TRANSFERS, "transfers") /* one-sided ones too */ \
	X(COPIES, "copies")
enum hideable {
#define X(symbol, word) HIDE_##symbol,
	HIDEABLES(X)
#undef X
	        HIDE_COUNT
};
/* time when that work runs and no kernel of the rank's device does */
enum status metric_exposed(const struct trace *trace, int section, int rank, enum hideable work, int64_t *ns);
/* time when that work and a kernel run / time when that work runs; for communication this is
 * Holistic Trace Analysis' overlap */
enum status metric_hidden(const struct trace *trace, int section, int rank, enum hideable work, double *part);
/* 1 - time when any stream with kernels in the section works / the rank's time; metric_bubble is
 * the schedule's. Waits of such a stream are idle, collectives on it are not. If no stream has
 * kernels, all streams with work count. */
enum status metric_idle(const struct trace *trace, int section, int rank, double *part);
/* The host's waits between the rank's first and last launch in the section: sync, print, reading a
 * value, a pageable copy, a barrier, memory still in use */
enum status metric_host_waits(const struct trace *trace, int section, int rank, int64_t *ns);
/* time when the stream works and no other stream of the rank's device does, in any section */
enum status metric_exposed_stream(const struct trace *trace, int section, int rank, int stream, int64_t *ns);
/* One mesh axis, or any group, on one rank: its own operations and those in groups whose parts lie
 * within its parts (in the smaller one, if two axes do)
 *
 *     operations   collectives, transfers and one-sided operations that the rank has queued
 *     sent         their part in metric_sent
 *     exposed_ns   their part in metric_exposed; all groups together have all of it. Concurrent
 *                  time goes to the group that a stream with kernels waits for; else to the axis
 *                  made first */
struct axis_use {
	int axis; /* index into world.groups */
	int64_t operations, exposed_ns;
	double sent[LINK_KINDS];
	bool known; /* false: an operation has no end, and exposed_ns does not count it */
};
/* Fills use[0 .. count-1] by .axis. ST_WAITS; ST_INTERRUPTED */
enum status metric_axes(const struct trace *trace, int section, int rank, struct axis_use *use, int count);
/* If the rank has others along two axes or more: stores the axes and the groups that belong to
 * none, in the order in which they were made, the world last, and returns their number; else 0.
 * The caller frees *use with mem_free. */
size_t trace_axes(const struct world *world, int rank, struct axis_use **use);
/* Returns the axis that counts a group's operations on the rank; the group itself if there is
 * none. */
int trace_axis_of(const struct world *world, int rank, int group);
/* By cause: time that the rank's streams with work in the section spend in it / (the rank's time x
 * number of such streams). The host's lane does not count. */
enum status metric_stalls(const struct trace *trace, int section, int rank, double part[CAUSE_COUNT]);
/* The schedule's bubble: 1 - work / span, with the micro-batches' phases replayed in each rank's
 * order. A phase waits only for the phases that send to it, and takes its kind's mean time. The
 * kind is its letter; B with a later W is another kind. Its time is that on its compute stream
 * with waits inside the stage (other axes' collectives, launches) but not for other stages.
 *
 * The span is the longest rank's, from its first phase to its last (arXiv:2401.10241), without
 * time between phases and differences between stages. Transfers count if they have their own phase
 * (`phase C3`), with their time alone. The value covers the whole machine; `rank` is ignored. */
enum status metric_bubble(const struct trace *trace, int section, int rank, double *part);
/* Completed iterations in the section: their number, and the mean time between ends on the rank
 * that ends last, ns; for a single one, its whole time */
enum status metric_iteration(const struct trace *trace, int section, int *count, double *each);
/* Bytes sent by the rank over links whose name begins with `link` ("nvlink", "pcie up"); NULL:
 * over all. ST_NAME lists the links. */
enum status metric_sent(const struct trace *trace, int section, int rank, const char *link, double *bytes);
/* The same over all links, for one stream's operations, or for those that move the tensor of that
 * name (0: any) */
double metric_sent_by(const struct trace *trace, int section, int rank, int stream, name_id tensor);
/* The same for operations of any group: all but copies */
double metric_sent_to_others(const struct trace *trace, int section, int rank);
/* Operations of that title; waits of the host by their reason ("print", "sync"). */
struct counted_ops {
	const char *title;
	int stream;     /* 0: any */
	name_id tensor; /* reads or writes it, a slice or a view of it; 0: any */
};
int64_t metric_count(const struct trace *trace, int section, int rank, const struct counted_ops *which);
/* For the rank's adds into windows that it has read with a get: other ranks' updates to those
 * bytes between the get's start and the add's end, mean and maximum. Returns the number of such
 * adds. */
int64_t trace_staleness(const struct trace *trace, int section, int rank, double *mean, double *most);
/* What the rank's kernels with that name reached, as parts: FLOP/s by their types' peak, memory
 * bandwidth. ST_NAME: there is none; ST_WAITS */
struct roofline {
	double flops, bytes;
};
enum status metric_roofline(
        const struct trace *trace, int section, int rank, const char *kernel, struct roofline *roofline);
/* Model FLOPs utilization (MFU), the whole job in its steady iterations: matrix products in
 * forward and backward passes / (the longest rank's time x ranks with any time x their types'
 * peak). Recomputation (phase R, attention's probabilities in its gradient) and the optimizer do
 * not count; causal attention counts visible positions only (arXiv:2204.02311, appendix B, counts
 * all). all: these count too: hardware FLOPs utilization (arXiv:2205.05198). */
enum status metric_mfu(const struct trace *trace, int section, bool all, double *part);
/* Message bytes / time x nccl-tests' factor for the collective; 1 for a transfer or copy.
 * ST_ARGUMENT for other operations */
enum status metric_busbw(const struct trace *trace, op_id id, double *bytes_per_s);

/* -- tables: appended to `out`, at most `width` columns wide. ST_INTERRUPTED leaves the text
 * incomplete. */
enum status trace_stalls(const struct trace *trace, int section, int width, struct text *out);
/* If the backend measures, ranks within 1 % of each other share a column (in `stalls`: rows), and
 * a table compares with predictions. */
enum status trace_stats(const struct trace *trace, int section, int width, struct text *out);
/* Appends the line "   times +-1.2 us" if that is more than `shown` ns, the resolution of the
 * table. */
void trace_put_uncertainty(const struct trace *trace, int64_t shown, struct text *out);
/* Returns when future lines may begin if that is before `time` and they may still move what is
 * shown at `time`; else TIME_UNKNOWN. */
int64_t trace_forecasts(const struct trace *trace, int64_t time);
/* All ranks at one instant: running work with its progress, and waits */
enum status trace_at(const struct trace *trace, int64_t time, int width, struct text *out);
/* Each kernel by name and type: time, FLOP/s and bytes/s with their part of the peaks, its bound,
 * and time lost by sharing */
enum status trace_roofline(const struct trace *trace, int section, int width, struct text *out);
enum status trace_traffic(const struct trace *trace, int section, int width, struct text *out);
enum status trace_diff(const struct trace *trace, int a, int b, int width, struct text *out);
/* Two sections, or two worlds, side by side */
struct diff_side {
	struct trace trace;
	int section; /* -1: everything */
	const char *name;
};
/* Appends the figures of both. ST_INTERRUPTED */
enum status trace_diff_figures(const struct diff_side side[2], int width, struct text *out);
/* Appends number and mean time of the operations of each name, if they differ. */
enum status trace_diff_operations(const struct diff_side side[2], int width, struct text *out);
/* world.races[first] and later, equal ones of several ranks once; cure: with the line that would
 * order them */
void trace_races(const struct trace *trace, size_t first, bool cure, int width, struct text *out);
/* world.circles from `first` on, with each rank's two lines */
void trace_circles(const struct trace *trace, size_t first, int width, struct text *out);
/* All orders that NCCL can hang in or that make it add tensors that were not meant together:
 * reported ones, and those across groups, which are only possible */
void trace_orders(const struct trace *trace, int width, struct text *out);
/* Returns the operation's first match whose members a message should name: tensors of different
 * names, or members that do not agree and come from different lines. 0: none. */
uint32_t trace_brings_differ(const struct world *world, op_id id);
/* "allreduce 1 in world: rank 0 brings g1 (line 5), rank 1 brings g2 (line 6)" */
void trace_put_brings(const struct trace *trace, uint32_t match, struct text *out);
/* The same, wrapped, with NCCL's result; and for all matches of world_swapped from `first` on */
void trace_put_swap(const struct trace *trace, uint32_t match, int width, struct text *out);
void trace_swaps(const struct trace *trace, size_t first, int width, struct text *out);
/* Appends which ranks wait for which, each rank's last operation, and its next one in the group.
 * Returns true if no line can resolve it. */
bool trace_stuck(const struct trace *trace, int width, bool ended, struct text *out);
void trace_memory(const struct trace *trace, int width, struct text *out);
/* Allocated memory on each rank's device over the section's time, by kind. A block counts from
 * when the host's clock made its tensor until it is freed there, like PyTorch's
 * memory_allocated(). */
enum status trace_memory_over(const struct trace *trace, int section, int width, int64_t now,
        const char *kind_name(int kind), struct text *out);
/* Returns the most memory allocated at once while the section's lines ran (-1: all lines), with
 * what was there at its start; kind: how much of it was of this kind, -1: all. */
int64_t metric_peak(const struct trace *trace, int section, int rank, int kind);

#endif
