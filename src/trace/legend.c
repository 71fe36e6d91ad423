/* legend.c -- the words for a timeline's letters: "s waited 2.00 ms in `print`", "p waited for
 * rank 2"
 *
 * Words are printed once, beside the first row they apply to or below it. A sum covers all spans
 * of a cause on the lane; the operation to blame is that of the longest one.
 *
 *      0 host    lssssssssss|  s waited 2.00 ms in `print`      the host's total
 *        default .██████████|                                   no delays before its first work
 *        comm    eeee█ppp█..|  e waited for default, p waited for rank 2 */
#include "trace/picture.h"
#include "base/memory.h"
#include "trace/lanes.h"

#include <stdio.h>
#include <string.h>

struct sum {
	int64_t total;
	const struct span *longest;
};
struct lane_words {
	struct sum sum[CAUSE_COUNT];
	bool host, queued, predicted; /* predicted: a graph's parts */
	int unlike; /* the lane's rank if its ranks wait for different ones; -1: they do not */
};

void legend_release(struct legend *legend)
{
	mem_free(legend->entry);
	*legend = (struct legend){0};
}

static void entry_add(struct legend *legend, const struct legend_entry *new)
{
	for (size_t i = 0; i < legend->count; i++)
		if (strcmp(legend->entry[i].letter, new->letter) == 0 &&
		        strcmp(legend->entry[i].words, new->words) == 0)
			return;
	*MEM_ADD(&legend->entry, &legend->count) = *new;
}

void legend_say(struct legend *legend, const char *words)
{
	struct legend_entry entry = {.row = 0};
	snprintf(entry.words, sizeof entry.words, "%s", words);
	entry_add(legend, &entry);
}

static bool is_shared(const struct legend *legend, const struct legend_entry *one, bool same_lane)
{
	for (size_t i = 0; i < legend->count; i++) {
		const struct legend_entry *other = &legend->entry[i];
		if (other != one && *one->letter && strcmp(one->letter, other->letter) == 0 &&
		        (!same_lane || strcmp(one->lane, other->lane) == 0))
			return true;
	}
	return false;
}

static void put_entry(const struct legend *legend, const struct legend_entry *entry, struct text *out)
{
	bool lane = is_shared(legend, entry, false), rank = lane && is_shared(legend, entry, true);
	text_add(out, "%s%s", entry->letter, *entry->letter ? " " : "");
	if (rank)
		text_add(out, "rank %d ", entry->rank);
	if (lane)
		text_add(out, "%s ", entry->lane);
	text_add(out, "%s", entry->words);
}

void legend_close(struct legend *legend)
{
	struct text words = {0};
	for (size_t i = 0; i < legend->count; i++) {
		text_clear(&words);
		put_entry(legend, &legend->entry[i], &words);
		int columns = text_columns(text_string(&words));
		legend->width = columns > legend->width ? columns : legend->width;
	}
	text_release(&words);
}

static void put_rank(const struct trace *trace, const struct span *span, int unlike, struct text *out)
{
	int rank = span_waits_for(trace->world, span);
	if (rank >= 0 && unlike >= 0)
		text_add(out, "other ranks (%d for %d)", unlike, rank);
	else if (rank >= 0)
		text_add(out, "rank %d", rank);
	else
		text_add(out, "its peers");
}

/* "waited 2.00 ms in `print`" for the host; "host was in `print`" for a stream. Three digits from
 * 100 ms on, to fit beside the picture. */
static void put_sync(const struct trace *trace, bool host, const struct sum *sum, struct text *out)
{
	if (!host)
		text_add(out, "host was in `");
	else if (sum->total >= 99995000 && sum->total < 999500000)
		text_add(out, "waited %.0f ms in `", sum->total / 1e6);
	else
		text_add(out, "waited %s in `", time_words(sum->total).text);
	op_label(trace->world, host ? sum->longest->op : sum->longest->blame, out);
	text_add(out, "`");
}

static void put_cause(
        const struct trace *trace, const struct lane_words *lane, enum cause cause, struct text *out)
{
	const struct span *span = lane->sum[cause].longest;
	const struct op *blame = span->blame ? &trace->world->ops[span->blame] : NULL;

	switch (cause) {
	case CAUSE_LAUNCH:
		text_add(out, "launch");
		break;
	case CAUSE_HOST:
		text_add(out, "the host was late");
		break;
	case CAUSE_SYNC:
		put_sync(trace, lane->host, &lane->sum[cause], out);
		break;
	case CAUSE_MEMORY:
		text_add(out, "got device memory");
		break;
	case CAUSE_EVENT:
		text_add(out, "waited for %s",
		        blame ? trace_lane_name(trace, blame->rank, blame->stream) : "an event");
		break;
	case CAUSE_DATA:
		text_add(out, "waited for data: %s", trace_lane_name(trace, blame->rank, blame->stream));
		break;
	case CAUSE_PEER:
	case CAUSE_BUBBLE:
		text_add(out, cause == CAUSE_PEER ? "waited for " : "bubble: waited for ");
		put_rank(trace, span, lane->unlike, out);
		break;
	case CAUSE_ENGINE:
		text_add(out, "busy with ");
		if (blame)
			op_label(trace->world, span->blame, out);
		else
			text_add(out, "other work");
		break;
	case CAUSE_DONE:
	case CAUSE_COUNT:
		break;
	}
}

static void add_span(const struct trace *trace, struct lane_words *lane, bool *begun, const struct span *span)
{
	struct sum *sum = &lane->sum[span->cause];
	if (span->kind == SPAN_WORK) {
		*begun = true;
		if (span->projected && trace->backend->measures &&
		        backend_times(trace->backend, span->op).divided)
			lane->predicted = true;
		else if (span->projected)
			lane->queued = true;
		return;
	}
	/* delays by the host before a stream's first work are dots */
	if (span->cause == CAUSE_DONE || (!lane->host && !*begun && span->cause <= CAUSE_MEMORY))
		return;
	sum->total += span->to - span->from;
	if (!sum->longest || span->to - span->from > sum->longest->to - sum->longest->from)
		sum->longest = span;
}

static void add_causes(
        struct legend *legend, const struct trace *trace, struct legend_entry entry, struct lane_words *lane)
{
	struct text words = {0};
	for (;;) {
		enum cause most = CAUSE_DONE;
		for (enum cause cause = 0; cause < CAUSE_DONE; cause++)
			if (lane->sum[cause].total > lane->sum[most].total)
				most = cause;
		if (most == CAUSE_DONE)
			break;
		text_clear(&words);
		put_cause(trace, lane, most, &words);
		entry.letter[0] = trace_letters[most];
		snprintf(entry.words, sizeof entry.words, "%s", text_string(&words));
		entry_add(legend, &entry);
		lane->sum[most].total = 0;
	}
	text_release(&words);
}

void legend_add(struct legend *legend, const struct trace *trace, int row, int rank, int stream, bool begun,
        bool unlike, const struct spans *spans)
{
	struct lane_words lane = {.host = stream == STREAM_HOST, .unlike = unlike ? rank : -1};
	struct legend_entry entry = {.row = row, .rank = rank};

	snprintf(entry.lane, sizeof entry.lane, "%s", trace_lane_name(trace, rank, stream));
	for (size_t i = 0; i < spans->count; i++)
		add_span(trace, &lane, &begun, &spans->span[i]);
	add_causes(legend, trace, entry, &lane);
	if (lane.queued)
		entry_add(legend,
		        &(struct legend_entry){.row = row, .letter = "\xe2\x96\x91", .words = "queued"});
	if (lane.predicted)
		entry_add(legend,
		        &(struct legend_entry){
		                .row = row, .letter = "\xe2\x96\x91", .words = "as predicted"});
}

bool legend_line(struct legend *legend, int row, int width, struct text *line)
{
	struct text words = {0};
	text_clear(line);
	for (size_t i = 0; i < legend->count; i++) {
		struct legend_entry *entry = &legend->entry[i];
		int used = text_columns(text_string(line));
		text_clear(&words);
		put_entry(legend, entry, &words);
		if (entry->told || entry->row > row ||
		        (used && used + 2 + (int)text_columns(text_string(&words)) > width))
			continue;
		text_add(line, "%s%s", used ? ", " : "", text_string(&words));
		entry->told = true;
	}
	text_release(&words);
	return line->count > 0 && *text_string(line);
}
