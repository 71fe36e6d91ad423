/* trace.h -- timelines, causes of waits, figures and tables, computed from the operations' times
 *
 * Pure functions of the replicated state (world/) and of the times that the backend reports. A
 * query takes no virtual time. It shows queued work as the backend projects it. Each function that
 * returns a status may fail with ST_INTERRUPTED (trace.budget).
 *
 * The times of an operation, as a backend reports them:
 *   issue   the host has finished launching it (the launch took `launch` before that)
 *   ready   its issue, its stream and its waits let it begin; a collective or transfer has arrived
 *   start   it begins to work: for a collective, its last participant has arrived
 *   end     its outputs appear
 *   blame   the operation that delayed the start: the participant that arrived last, or the one
 *           that held the engine. If it had ended by `ready`, the default stream's rule made this
 *           operation wait for it
 * A host operation takes host time from start to end; a wait releases its stream or host at end.
 *
 * Files:
 *   a rank's lanes           lanes.c
 *   causes of delay          spans.c holders.c (on the same rank) sharing.c
 *   single facts             facts.c window.c (length of a section, iterations)
 *   the timeline             timeline.c sets.c (rows) cells.c bars.c (a lane) legend.c
 *   a cursor on it           spots.c details.c
 *   one instant              at.c
 *   from a wait to its root  why.c longest.c chain.c root.c
 *   what sets the end        critical.c constraints.c
 *   figures                  metrics.c program.c axes.c bubble.c roofline.c intervals.c
 *   tables of them           stats.c figures.c predicted.c
 *   other tables             stalls.c blame.c traffic.c memory.c races.c circles.c stuck.c
 *   layout                   table.c (aligned columns) plot.c (curves)
 *   a machine from times     calibrate.c calibration.c
 *   exports                  export.c export_csv.c export_svg.c export_html.c export_counters.c
 *                            kineto.c kineto_names.c
 * To add a table, write one function that appends to a text, and declare it here.
 *
 * May call: a backend (times only) waits/ races/ collectives/ kernels/ world/ machine/ base/.
 * Nothing here writes to the terminal. An umbrella header. */
#ifndef RANKSH_TRACE_H
#define RANKSH_TRACE_H

#include "backend/backend.h"

struct lanes;
/* A cache of all ranks' lanes, 96 bytes an operation, valid until an operation is added or a time
 * changes. The view, which draws a frame for each key, sets trace.kept; lanes_load then lends from
 * it. A zeroed struct is empty. */
struct kept_lanes {
	struct lanes *lanes; /* by rank */
	int ranks;
};
/* Releases the cache. Call it before such a change, and before world_free. */
void kept_forget(struct kept_lanes *kept);

struct trace {
	const struct world *world;
	struct backend *backend;
	/* lets Ctrl-C end a long query, after the same rank in every process; NULL: it runs to its
	 * end */
	struct budget *budget;
	struct kept_lanes *kept;   /* NULL: lanes are loaded for each query */
	op_id first;               /* figures count operations from this one on; 0: all */
	const struct ranks *ranks; /* the ranks of tables; NULL: all */
};
/* The iterations that a table covers, `first` to `last`, numbered from 1; all 0: none */
struct iterations {
	int first, last, of /* number of the latest one */;
	op_id from; /* no operation before this one counts; 0: all count */
};
/* Returns the trace for tables of the steady state, such as `stats`, and stores the iterations of
 * the section that it covers. If the section has the first iteration of a program, which allocates
 * memory, and later ones, that iteration and the setup are left out. */
struct trace trace_steady(const struct trace *trace, int section, struct iterations *iterations);
/* Appends ", iterations 2-20 of 20"; nothing if there are none. */
void iterations_text(const struct iterations *iterations, struct text *out);

/* A part of a lane's time. A rank's lanes are its streams by number (0 is the host).
 *  WORK   a stream's operation runs; on the host's lane: the host computes
 *  STALL  a stream is delayed before `op` by `cause` (DONE: nothing more is queued); on the host's
 *         lane: the host is blocked (SYNC) or allocates memory (MEMORY) in `op`
 *  HOST   on the host's lane only: the host issues `op` (LAUNCH), or is idle before it (DONE)
 * blame, for a STALL: the operation to blame (docs/internals/time.md). It is `op` itself if its
 * line came late, or if the time is its own. It is 0 if no queued operation is to blame (PEER,
 * BUBBLE: see trace_missing_rank), or if the launch is on its way to the device (LAUNCH). */
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
	uint32_t looks; /* moment.looks of `op` (lanes.h); 0 without `op` */
	/* enum span_kind, enum cause: bytes, because a view holds millions of spans */
	uint8_t kind, cause;
	bool projected; /* not final, or a graph's part with a predicted time: drawn dimmed */
	bool aside;     /* in a picture of the critical path: work that is not on it */
};
_Static_assert(sizeof(struct span) == 32, "two spans are one cache line");
struct spans {
	struct span *span;
	size_t count;
};
void spans_release(struct spans *spans);
/* Stores the whole span that a lane has at `time` (0 or later). */
enum status trace_span_at(const struct trace *trace, int rank, int stream, int64_t time, struct span *span);

/* Returns the ns by which an operation took longer than alone because it shared its device or
 * links; 0 if it has no end yet or times are measured. Stores in *with the operation that shared
 * them longest (`id` if only its own parts did), 0 if nothing was lost. Reads all operations, so
 * tables use sharing.h. */
int64_t trace_shared(const struct trace *trace, op_id id, op_id *with);

struct window {
	int64_t from, to;
	int section; /* -1: any */
};
/* Returns a section's window (-1: everything): from the first start on any rank to the last known
 * time. */
struct window trace_window(const struct trace *trace, int section);
/* True if no operation in the section (-1: any) takes time. */
bool trace_empty(const struct trace *trace, int section);
/* Returns trace_empty, and if true appends a line that says so. */
bool trace_says_nothing(const struct trace *trace, int section, struct text *out);
/* True if a host or stream of any rank needs more lines to continue. */
bool trace_hangs(const struct trace *trace);
/* Ends a line of output; if trace_hangs, first notes that operations without an end are left
 * out. */
void trace_put_hangs(const struct trace *trace, struct text *out);
/* Returns the window for a picture: trace_window, made an eighth longer if an operation without an
 * end became ready in its last eighth. */
struct window trace_window_seen(const struct trace *trace, int section);
/* Returns the window for figures and `stalls`: it ends with the last operation that is not on a
 * host thread, if there is one. */
struct window trace_time(const struct trace *trace, int section);
/* Stores the window of the last iteration as far as it is queued. Returns false if there is none
 * or it has done no work. */
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
	int width, height, lanes /* of a timeline, shown or not */;
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

/* merge: ranks with equal timelines are drawn once; measured ones are equal if no boundary differs
 * by more than a cell. now: the clock of the host that is furthest ahead. Spans that end after it
 * are dimmed. A mark shows it in the ruler and in idle lanes; if the whole window is before it,
 * each lane has an end mark instead. Below 0: no mark, and only projected spans are dimmed. as_of:
 * draws the timeline as it was at this time (0: at `now`), or will be by the projection. first_row
 * and rows count lanes. The picture has one more row for the ruler, and up to legend_rows for
 * legend words that do not fit beside the lanes. */
struct timeline_options {
	struct window window;
	int width, first_row, rows /* 0: all */;
	bool merge;
	op_id selected;
	int64_t now, as_of;
	/* virtual time passes by itself (`pace`): spans that begin before now are not projected */
	bool passes;
	const struct ranks *ranks; /* NULL: all */
	/* if not NULL, its pieces are drawn in full, other work as a line, and waits not at all
	 * (critical.h) */
	const struct critical *path;
	struct timeline_places *places; /* NULL: not wanted */
	const name_id *lane;            /* lane[0 .. lanes-1]: names of those to draw; none: all */
	int lanes, legend_rows /* 0: as many as needed */;
};
/* The lane of a row; if the row stands for several ranks, the lane of one of them */
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
/* Draws the timeline. The caller releases the picture, which is empty after ST_INTERRUPTED. */
enum status timeline_picture(
        const struct trace *trace, const struct timeline_options *options, struct picture *picture);

/* -- figures: one rank in a section (-1: everything)
 *
 * Times are those that `timeline` draws, so queued work counts. A metric fails with ST_WAITS if an
 * operation that counts has no end without further lines. A formula above a metric is the value
 * that it stores. Parts are 0 .. 1, and 0 if the whole is empty. Work is kernels, copies,
 * collectives and transfers, from start to end.
 *
 * The rank's time in a section runs from its first launch (or host work) to its last end. Initial
 * data does not count, and host threads count only if there is nothing else. If the device is
 * still busy with earlier sections at that launch, the time begins with the section's first work,
 * or at the earlier work's end if that is sooner. */
/* Stores the rank's time. */
enum status metric_time(const struct trace *trace, int section, int rank, int64_t *ns);
/* Stores the longest rank's time, and in *ranks (NULL: not wanted) the number of ranks with any */
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
/* 1 - time when any stream with kernels in the section works / the rank's time. A collective on
 * such a stream is work, its waits are idle time. If no stream has kernels, all streams with work
 * count. */
enum status metric_idle(const struct trace *trace, int section, int rank, double *part);
/* Stores the time of the host's waits between the rank's first and last launch in the section:
 * sync, print, reading a value, a pageable copy, a barrier, or memory still in use. */
enum status metric_host_waits(const struct trace *trace, int section, int rank, int64_t *ns);
/* time when the stream works and no other stream of the rank's device does, in any section */
enum status metric_exposed_stream(const struct trace *trace, int section, int rank, int stream, int64_t *ns);
/* One rank's use of a mesh axis, or of any group. An axis includes the groups whose part lies
 * within its own (the smaller axis, if there are two):
 *
 *     operations   collectives, transfers and one-sided operations that the rank has queued
 *     sent         their share of metric_sent
 *     exposed_ns   their share of metric_exposed; all groups together have all of it (axes.c) */
struct axis_use {
	int axis; /* index into world.groups */
	int64_t operations, exposed_ns;
	double sent[LINK_KINDS];
	bool known; /* false: an operation has no end, and exposed_ns does not count it */
};
/* Fills use[0 .. count-1], each by its .axis. Fails with ST_WAITS (all are filled). */
enum status metric_axes(const struct trace *trace, int section, int rank, struct axis_use *use, int count);
/* Stores the axes, and the groups that belong to none, in the order in which they were made, the
 * world last. Returns their number; 0 if the rank has other ranks along fewer than two axes. The
 * caller frees *use with mem_free. */
size_t trace_axes(const struct world *world, int rank, struct axis_use **use);
/* Returns the axis that counts a group's operations on the rank; the group itself if there is
 * none. */
int trace_axis_of(const struct world *world, int rank, int group);
/* by cause: time that it costs the rank's streams with work in the section / (the rank's time x
 * number of such streams). The host's lane and host threads do not count. */
enum status metric_stalls(const struct trace *trace, int section, int rank, double part[CAUSE_COUNT]);
/* The schedule's bubble: 1 - work / (span x ranks), with the micro-batches' phases replayed in
 * each rank's order. A phase waits only for its rank's previous phase and for the phases that send
 * to it, and takes the mean time of its kind. The kind is its letter; B with a later W is another
 * kind. Its time is that on its compute stream, with waits inside the stage (for other axes'
 * collectives, launches).
 *
 * The span is the longest rank's, from its first phase to its last (arXiv:2401.10241). Time
 * between phases and differences between stages do not count; a transfer in a phase of its own
 * (`phase C3`) counts with its time alone. The value covers the whole machine; `rank` is
 * ignored. */
enum status metric_bubble(const struct trace *trace, int section, int rank, double *part);
/* Stores the number of completed iterations in the section, and the mean time in ns from the end
 * of one, on its last rank to finish, to that of the next; for a single iteration, its time. */
enum status metric_iteration(const struct trace *trace, int section, int *count, double *each);
/* Stores the bytes that the rank has sent over links whose name begins with `link` ("nvlink",
 * "pcie up"); NULL: over all. Links that lead to the rank count only under their exact names.
 * Fails with ST_NAME, listing the links. */
enum status metric_sent(const struct trace *trace, int section, int rank, const char *link, double *bytes);
/* Returns the same over all links, for one stream's operations (0: all) that move the tensor of
 * that name (0: any) */
double metric_sent_by(const struct trace *trace, int section, int rank, int stream, name_id tensor);
/* Returns the same for all operations but copies */
double metric_sent_to_others(const struct trace *trace, int section, int rank);
/* Selects operations of that title; if the program has none, the host's waits for that reason
 * ("print", "sync"). So a `barrier` or `copy` that also blocks the host counts once. */
struct counted_ops {
	const char *title;
	int stream;     /* 0: any */
	name_id tensor; /* counts those that use it, a slice or a view of it; 0: any */
};
int64_t metric_count(const struct trace *trace, int section, int rank, const struct counted_ops *which);
/* For each add of the rank to bytes of a window that it has read with a get, counts other ranks'
 * updates of these bytes from the get's start to the add's end. Stores the mean and the maximum;
 * returns the number of such adds. */
int64_t trace_staleness(const struct trace *trace, int section, int rank, double *mean, double *most);
/* The parts of the peaks that the rank's kernels of that name reach: FLOP/s of their types, and
 * memory bandwidth. Fails with ST_NAME if none has run, or with ST_WAITS. */
struct roofline {
	double flops, bytes;
};
enum status metric_roofline(
        const struct trace *trace, int section, int rank, const char *kernel, struct roofline *roofline);
/* Model FLOPs utilization (MFU) of the whole job in its steady iterations: matrix products in
 * forward and backward passes / (the longest rank's time x ranks with any time x their types'
 * peak). Recomputation (phase R, attention's probabilities in its gradient) and the optimizer do
 * not count, unless `all` is true: then it is the hardware FLOPs utilization (arXiv:2205.05198).
 * Causal attention counts visible positions only (arXiv:2204.02311, appendix B, counts all). */
enum status metric_mfu(const struct trace *trace, int section, bool all, double *part);
/* Message bytes / time x nccl-tests' factor for the collective (1 for a transfer or copy). Fails
 * with ST_ARGUMENT for other operations, or with ST_WAITS. */
enum status metric_busbw(const struct trace *trace, op_id id, double *bytes_per_s);

/* -- tables: appended to `out`, at most `width` columns wide. ST_INTERRUPTED leaves the text
 * incomplete. */
enum status trace_stalls(const struct trace *trace, int section, int width, struct text *out);
/* Appends each rank's figures. If the backend measures, ranks that differ by at most 1 % share a
 * column (in `stalls`, rows), and a table compares measured with predicted times. */
enum status trace_stats(const struct trace *trace, int section, int width, struct text *out);
/* Calls `take` for each number of that table: times in ns, bytes, counts, parts of 1. */
typedef void trace_figure(void *self, int rank, const char *name, double value);
enum status trace_figures(const struct trace *trace, int section, trace_figure *take, void *self);
/* Appends the line "   times +-1.2 us", the error of measured times, if it exceeds the table's
 * resolution of `shown` ns. */
void trace_put_uncertainty(const struct trace *trace, int64_t shown, struct text *out);
/* Returns the earliest time at which a future line may begin, if that is before `time` and such
 * lines may still move operations shown at `time`; else TIME_UNKNOWN. */
int64_t trace_forecasts(const struct trace *trace, int64_t time);
/* Appends all ranks at one instant: running work with its progress, and waits. */
enum status trace_at(const struct trace *trace, int64_t time, int width, struct text *out);
/* Appends for each kernel, by name and type: time, FLOP/s and bytes/s with their part of the
 * peaks, its bound, and the time lost by sharing. */
enum status trace_roofline(const struct trace *trace, int section, int width, struct text *out);
enum status trace_traffic(const struct trace *trace, int section, int width, struct text *out);
enum status trace_diff(const struct trace *trace, int a, int b, int width, struct text *out);
/* Two sections, or two worlds, side by side */
struct diff_side {
	struct trace trace;
	int section; /* -1: everything */
	const char *name;
};
/* Appends the figures of both. */
enum status trace_diff_figures(const struct diff_side side[2], int width, struct text *out);
/* Appends number and mean time of the operations of each name for which the sides differ. */
enum status trace_diff_operations(const struct diff_side side[2], int width, struct text *out);
/* Appends world.races from `first` on, races equal on several ranks once. cure: each with the
 * line that would order the two operations */
void trace_races(const struct trace *trace, size_t first, bool cure, int width, struct text *out);
/* Appends world.circles from `first` on, with each rank's two lines. */
void trace_circles(const struct trace *trace, size_t first, int width, struct text *out);
/* Appends all orders of issue in which NCCL can hang, or adds tensors that do not belong together:
 * the reported ones, and circles across groups, which are only possible. */
void trace_orders(const struct trace *trace, int width, struct text *out);
/* Returns the operation's first match whose members a message should name, because they bring
 * tensors of different names, or disagree and come from different lines; 0 if none. */
uint32_t trace_brings_differ(const struct world *world, op_id id);
/* Appends "allreduce 1 in world: rank 0 brings g1 (line 5), rank 1 brings g2 (line 6)". */
void trace_put_brings(const struct trace *trace, uint32_t match, struct text *out);
/* Appends the same, wrapped, with NCCL's result; trace_swaps does so for all matches of
 * world_swapped from `first` on. */
void trace_put_swap(const struct trace *trace, uint32_t match, int width, struct text *out);
void trace_swaps(const struct trace *trace, size_t first, int width, struct text *out);
/* Appends which ranks wait for which, each rank's last operation, and its next one in the group.
 * ended: no more lines will come. Returns true if ranks wait and no line can resolve it. */
bool trace_stuck(const struct trace *trace, int width, bool ended, struct text *out);
void trace_memory(const struct trace *trace, int width, struct text *out);
/* Appends the allocated memory on each rank's device over the section's time, by kind. A block
 * counts from its allocation to its `free` on the host's clock, like PyTorch's
 * memory_allocated(). */
enum status trace_memory_over(const struct trace *trace, int section, int width, int64_t now,
        const char *kind_name(int kind), struct text *out);
/* Returns the most bytes allocated at once while the section's lines ran (-1: all lines), with
 * those allocated before it. kind: only the bytes of this kind at that moment; -1: all */
int64_t metric_peak(const struct trace *trace, int section, int rank, int kind);

#endif
