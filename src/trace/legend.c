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
	int unlike; /* of ranks that wait for unlike ones: the one whose span it is; -1: they do not */
};

void legend_release(struct legend *legend)
{
	mem_free(legend->entry);
	*legend = (struct legend){0};
}

/* The words of a row, unless a row above has told them of the same letter */
static void tell(struct legend *legend, const struct legend_entry *new)
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
	tell(legend, &entry);
}

/* Does a letter stand for several things? Of lanes of one name: of their ranks */
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

/* Of a rendezvous that nobody is to blame for: a rank that has not come to it yet */
static void put_rank(
        const struct trace *trace, const struct span *span, const struct sum *sum, struct text *out)
{
	int rank = span->blame ? trace->world->ops[span->blame].rank
	        : span->op     ? trace_missing_rank(trace->world, span->op)
	                       : -1;
	if (rank >= 0 && sum->unlike >= 0)
		text_add(out, "another rank (%d for %d)", sum->unlike, rank);
	else if (rank >= 0)
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
		text_add(out, "launch");
		break;
	case CAUSE_HOST:
		text_add(out, "the host was not there yet");
		break;
	case CAUSE_SYNC:
		text_add(out, host ? "waited " : "host was in ");
		if (host) {
			put_total(sum->total, out);
			text_add(out, " in ");
		}
		text_add(out, "`");
		op_label(trace->world, host ? span->op : span->blame, out);
		text_add(out, "`");
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
		text_add(out, span->cause == CAUSE_PEER ? "waited for " : "bubble: waited for ");
		put_rank(trace, span, sum, out);
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

static const char letters[CAUSE_COUNT] = {
#define X(symbol, letter, name) [CAUSE_##symbol] = letter,
        CAUSES(X)
#undef X
};

void legend_add(struct legend *legend, const struct trace *trace, int row, int rank, int stream, bool begun,
        bool unlike, const struct spans *spans)
{
	struct sum sum[CAUSE_COUNT] = {{0}};
	bool queued = false, divided = false, host = stream == STREAM_HOST;
	struct legend_entry entry = {.row = row, .rank = rank};
	struct text words = {0};

	snprintf(entry.lane, sizeof entry.lane, "%s", trace_lane_name(trace, rank, stream));
	for (size_t i = 0; i < spans->count; i++) {
		const struct span *span = &spans->span[i];
		struct sum *s = &sum[span->cause];
		if (span->kind == SPAN_WORK && span->projected) {
			bool part =
			        trace->backend->measures && backend_times(trace->backend, span->op).divided;
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
		sum[most].unlike = unlike ? rank : -1;
		words_of(trace, host, &sum[most], &words);
		entry.letter[0] = letters[most];
		snprintf(entry.words, sizeof entry.words, "%s", text_string(&words));
		tell(legend, &entry);
		sum[most].total = 0;
	}
	text_release(&words);
	entry = (struct legend_entry){.row = row, .letter = "\xe2\x96\x91"};
	snprintf(entry.words, sizeof entry.words, "queued");
	if (queued)
		tell(legend, &entry);
	snprintf(entry.words, sizeof entry.words, "as predicted");
	if (divided)
		tell(legend, &entry);
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
