/* legend.c -- the words for a timeline's letters: "s waited 2.00 ms in `print`", "p waited for rank 2"
 *
 * Words are gathered lane by lane from the top, each kept with the row where it first holds. They are told
 * beside that row or, where the rows above have filled their lines, below it; none is told twice. A sum goes
 * over all spans of a cause on the lane, but whom it waited for is said of the longest one.
 *
 *      0 host    lssssssssss|  s waited 2.00 ms in `print`      of the host, with its total
 *        default .██████████|                                   the delay before its first work is not told
 *        comm    eeee█ppp█..|  e waited for default, p waited for rank 2
 */
#include "trace/legend.h"
#include "base/memory.h"
#include "trace/lanes.h"

#include <stdio.h>
#include <string.h>

/* One cause on one lane: how long in all, and the longest span of it */
struct sum {
	int64_t total;
	const struct span *longest;
};

void legend_release(struct legend *legend)
{
	mem_free(legend->entry);
	*legend = (struct legend){0};
}

/* The words of a row, unless a row above has told them */
static void tell(struct legend *legend, int row, const char *words)
{
	for (size_t i = 0; i < legend->count; i++)
		if (strcmp(legend->entry[i].words, words) == 0)
			return;
	struct legend_entry *entry = MEM_ADD(&legend->entry, &legend->count);
	*entry = (struct legend_entry){.row = row};
	snprintf(entry->words, sizeof entry->words, "%s", words);
	int columns = text_columns(entry->words);
	legend->width = columns > legend->width ? columns : legend->width;
}

/* Of a rendezvous that nobody is to blame for: a rank that has not come to it yet */
static void put_rank(const struct trace *trace, const struct span *span, struct text *out)
{
	int rank = span->blame ? trace->world->ops[span->blame].rank
	        : span->op     ? trace_missing_rank(trace->world, span->op)
	                       : -1;
	if (rank >= 0)
		text_add(out, "rank %d", rank);
	else
		text_add(out, "its peers");
}

/* Three digits from 100 ms on: the words about them must fit in beside the picture. */
static void put_total(int64_t ns, struct text *out)
{
	if (ns >= 99995000 && ns < 999500000)
		text_add(out, "%.0f ms", ns / 1e6);
	else
		time_text(ns, out);
}

static void words_of(const struct trace *trace, bool host, const struct sum *sum, struct text *out)
{
	const struct span *span = sum->longest;
	const struct op *blame = span->blame ? &trace->world->ops[span->blame] : NULL;

	switch (span->cause) {
	case CAUSE_LAUNCH:
		text_add(out, "l launch");
		break;
	case CAUSE_HOST:
		text_add(out, "h the host was not there yet");
		break;
	case CAUSE_SYNC:
		text_add(out, host ? "s waited " : "s host was in ");
		if (host) {
			put_total(sum->total, out);
			text_add(out, " in ");
		}
		text_add(out, "`");
		op_label(trace->world, host ? span->op : span->blame, out);
		text_add(out, "`");
		break;
	case CAUSE_MEMORY:
		text_add(out, "m got device memory");
		break;
	case CAUSE_EVENT:
		text_add(out, "e waited for %s",
		        blame ? trace_lane_name(trace, blame->rank, blame->stream) : "an event");
		break;
	case CAUSE_DATA:
		text_add(out, "d waited for data: %s", trace_lane_name(trace, blame->rank, blame->stream));
		break;
	case CAUSE_PEER:
	case CAUSE_BUBBLE:
		text_add(out, span->cause == CAUSE_PEER ? "p waited for " : "b bubble: waited for ");
		put_rank(trace, span, out);
		break;
	case CAUSE_ENGINE:
		text_add(out, "g busy with ");
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

void legend_add(
        struct legend *legend, const struct trace *trace, int row, bool host, const struct spans *spans)
{
	struct sum sum[CAUSE_COUNT] = {{0}};
	bool queued = false, divided = false, begun = false;
	struct text words = {0};

	for (size_t i = 0; i < spans->count; i++) {
		const struct span *span = &spans->span[i];
		struct sum *s = &sum[span->cause];
		if (span->kind == SPAN_WORK && span->projected) {
			bool part = backend_times(trace->backend, span->op).divided;
			divided |= part;
			queued |= !part;
		}
		begun = begun || span->kind == SPAN_WORK;
		/* before a stream has worked for the first time its delays by the host are drawn as dots */
		if (span->kind == SPAN_WORK || span->cause == CAUSE_DONE ||
		        (!host && !begun && span->cause <= CAUSE_MEMORY))
			continue;
		s->total += span->to - span->from;
		if (!s->longest || span->to - span->from > s->longest->to - s->longest->from)
			s->longest = span;
	}
	for (;;) { /* what took longest is told first */
		int most = CAUSE_DONE;
		for (int cause = 0; cause < CAUSE_DONE; cause++)
			if (sum[cause].total > sum[most].total)
				most = cause;
		if (most == CAUSE_DONE)
			break;
		text_clear(&words);
		words_of(trace, host, &sum[most], &words);
		tell(legend, row, text_string(&words));
		sum[most].total = 0;
	}
	if (queued)
		tell(legend, row, "\xe2\x96\x91 queued");
	if (divided)
		tell(legend, row, "\xe2\x96\x91 as predicted");
	text_release(&words);
}

void legend_line(struct legend *legend, int row, int width, struct text *line)
{
	text_clear(line);
	for (size_t i = 0; i < legend->count; i++) {
		struct legend_entry *entry = &legend->entry[i];
		int used = text_columns(text_string(line));
		if (entry->told || entry->row > row ||
		        (used && used + 2 + (int)text_columns(entry->words) > width))
			continue;
		text_add(line, "%s%s", used ? ", " : "", entry->words);
		entry->told = true;
	}
}
