/* export_html.c -- the timeline as a page: page.html with the spans as JSON in place of its mark
 *
 *      {"title": .., "from": ns, "to": ns, "styles": [..], "names": ["matmul y", ..],
 *       "blamed": {"17": "matmul y of rank 2"},
 *       "lanes": [{"rank": "0-3", "name": "compute",
 *                  "spans": [from, length, style, name, op, blamed op, ...]}]}
 *
 * Equal ranks are drawn once. `<` is escaped, because it could end the data. */
#include "base/embedded.h"
#include "base/memory.h"
#include "trace/export.h"
#include "trace/lanes.h"
#include "trace/sets.h"

#include <inttypes.h>
#include <string.h>

enum { ROWS_MOST = 4000 };

struct page {
	const struct trace *trace;
	struct text *out;
	struct names *names;
	struct text words;
	bool *blamed;
};

static void put_styles(struct text *out)
{
	text_add(out, "\"styles\":[");
	for (int style = 0; style < 2 * (COLOUR_COUNT + CAUSE_COUNT); style++) {
		int colour = style / 2;
		bool stall = colour >= COLOUR_COUNT;
		text_add(out, "%s{\"paint\":\"%s\",\"works\":%s,\"queued\":%s,\"words\":", style ? "," : "",
		        export_paint(stall ? COLOUR_STALL : (enum colour)colour),
		        stall || colour == COLOUR_PLAIN ? "false" : "true", style % 2 ? "true" : "false");
		export_string(out, stall ? trace_causes[colour - COLOUR_COUNT] : "");
		text_add(out, "}");
	}
	text_add(out, "],");
}

static void put_span(struct page *page, const struct span *span, bool begun)
{
	int colour = span->kind == SPAN_STALL ? COLOUR_COUNT + (int)span->cause
	                                      : (int)export_colour(page->trace, span);
	text_clear(&page->words);
	export_name(page->trace, span, &page->words);
	if (span->blame)
		page->blamed[span->blame] = true;
	text_add(page->out, "%s%" PRId64 ",%" PRId64 ",%d,%d,%u,%u", begun ? "," : "", span->from,
	        span->to - span->from, 2 * colour + span->projected,
	        (int)names_make(page->names, text_string(&page->words), page->words.count), span->op,
	        span->blame);
}

static void put_lane(struct page *page, const struct sets *sets, size_t row)
{
	const struct shown_lane *shown = &sets->shown[row];
	const struct alike *alike = &sets->set[shown->alike];
	bool begun = false;
	text_clear(&page->words);
	ranks_text(&alike->ranks, &page->words);
	text_add(page->out, "%s{\"rank\":", row ? ",\n" : "");
	export_string(page->out, text_string(&page->words));
	text_add(page->out, ",\"name\":");
	export_string(page->out, trace_lane_name(page->trace, alike->first, alike->lane[shown->lane]));
	text_add(page->out, ",\"spans\":[");
	for (size_t i = 0; i < shown->spans.count; i++) {
		const struct span *span = &shown->spans.span[i];
		if (span->kind != SPAN_WORK && span->cause == CAUSE_DONE)
			continue;
		put_span(page, span, begun);
		begun = true;
	}
	text_add(page->out, "]}");
}

static void put_blamed(struct page *page)
{
	const struct world *world = page->trace->world;
	bool begun = false;
	text_add(page->out, "\"blamed\":{");
	for (op_id id = 1; id <= world->op_count; id++) {
		if (!page->blamed[id])
			continue;
		text_clear(&page->words);
		trace_put_op(world, id, "of", &page->words);
		text_add(page->out, "%s\"%u\":", begun ? "," : "", id);
		export_string(page->out, text_string(&page->words));
		begun = true;
	}
	text_add(page->out, "},\n\"names\":[");
	for (name_id id = 0; id <= names_count(page->names); id++) {
		text_add(page->out, "%s", id ? "," : "");
		export_string(page->out, names_text(page->names, id));
	}
	text_add(page->out, "]");
}

static void put_head(struct page *page, struct window window)
{
	static const struct {
		enum colour colour;
		const char *words;
	} legend[] = {{COLOUR_KERNEL, "kernel"}, {COLOUR_BACKWARD, "backward"},
	        {COLOUR_COMM, "communication"}, {COLOUR_COPY, "copy"}, {COLOUR_HOSTWORK, "host"},
	        {COLOUR_STALL, "waits"}};
	text_clear(&page->words);
	text_add(
	        &page->words, "%d ranks on \"%s\"", page->trace->world->n, page->trace->world->machine->name);
	text_add(page->out, "{\"title\":");
	export_string(page->out, text_string(&page->words));
	text_add(page->out, ",\"from\":%" PRId64 ",\"to\":%" PRId64 ",\"legend\":[", window.from, window.to);
	for (size_t i = 0; i < sizeof legend / sizeof *legend; i++)
		text_add(page->out, "%s{\"paint\":\"%s\",\"words\":\"%s\"}", i ? "," : "",
		        export_paint(legend[i].colour), legend[i].words);
	text_add(page->out, "],\n");
	put_styles(page->out);
}

enum status trace_export_html(
        const struct trace *trace, const struct export_options *options, struct text *out)
{
	static const char mark[] = "@DATA@";
	const struct embedded *file = embedded_find("src/trace/", "page", ".html");
	const char *at = memmem(file->bytes, file->count, mark, strlen(mark));
	struct timeline_options timeline = export_timeline(options, 1280, ROWS_MOST);
	struct page page = {.trace = trace, .out = out, .names = names_create()};
	struct sets sets = {0};
	page.blamed = mem_alloc((trace->world->op_count + 1) * sizeof *page.blamed);
	enum status status = sets_find(trace, &timeline, options->window, &sets);
	text_put(out, file->bytes, (size_t)(at - file->bytes));
	put_head(&page, options->window);
	text_add(out, "\"lanes\":[\n");
	for (size_t row = 0; row < sets.shown_count && status == ST_OK; row++) {
		put_lane(&page, &sets, row);
		status = trace_step(trace, (int64_t)sets.shown[row].spans.count);
	}
	text_add(out, "],\n");
	put_blamed(&page);
	text_add(out, "}");
	at += strlen(mark);
	text_put(out, at, (size_t)(file->bytes + file->count - at));
	text_release(&page.words);
	mem_free(page.blamed);
	names_free(page.names);
	sets_release(&sets);
	return status;
}
