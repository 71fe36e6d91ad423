/* frame.c -- a frame of the view, and the facts about an operation
 *
 * The picture is drawn by trace/ for the window that the front end asks for; what it needs to move that window (the
 * whole extent, how many rows there are, the first one shown) goes with it. Nothing is kept between frames. */
#include "shell/rank/frame.h"

static void add_time(struct text *out, const char *what, int64_t ns)
{
	text_add(out, "%s ", what);
	if (ns == TIME_UNKNOWN)
		text_add(out, "not known");
	else
		time_text(ns, out);
}

/* Three lines: what it is, when it ran, what it cost and who made it late. */
static void say_facts(const struct shell *shell, op_id id, struct text *out)
{
	const struct world *world = shell->world;
	const struct op *op = &world->ops[id];
	const struct record *record = op_record(world, id);
	struct times times = backend_times(shell->backend, id), foreseen;
	op_label(world, id, out);
	text_add(out, "   rank %d, %s%s", op->rank,
	        names_text(world->names, world_stream(world, op->rank, op->stream)->name),
	        times.projected         ? ", queued"
	                : times.divided ? ", within its graph as predicted"
	                                : "");
	if (record->phase)
		text_add(out, "   phase %s", names_text(world->names, record->phase));
	if (record->bytes > 0) {
		text_add(out, "   ");
		bytes_text(record->bytes, out);
	}
	add_time(out, "\nqueued at", times.issue);
	add_time(out, "   could begin", times.ready);
	add_time(out, "   began", times.start);
	add_time(out, "   ended", times.end);
	text_add(out, "\n");
	if (times.start != TIME_UNKNOWN && times.end != TIME_UNKNOWN)
		add_time(out, "took", times.end - times.start);
	if (shell->backend->predicted) {
		if (shell->backend->predicted(shell->backend, id, &foreseen) && foreseen.end != TIME_UNKNOWN)
			add_time(out, "   predicted", foreseen.end - foreseen.start);
	} else if (times.alone > 0) {
		add_time(out, "   alone", times.alone);
	}
	bool waited = times.start != TIME_UNKNOWN && times.ready != TIME_UNKNOWN && times.start > times.ready;
	if (waited)
		add_time(out, "   waited", times.start - times.ready);
	if (times.blame) {
		text_add(out, waited ? " for " : "   behind ");
		op_label(world, times.blame, out);
		text_add(out, " of rank %d", world->ops[times.blame].rank);
	}
	text_add(out, "\n");
}

/* request->from > to asks for everything. A first row behind the last is moved back: rows become fewer when ranks
 * become alike. */
enum status view_frame(struct shell *shell, const struct request *request, struct reply *reply)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	struct window whole = trace_window(&trace, -1);
	if (whole.to <= whole.from)
		whole.to = whole.from + 1;
	struct timeline_options options = {
	        .window = {request->from, request->to, -1},
	        .width = request->width,
	        .first_row = request->first_row,
	        .rows = request->height > 3 ? request->height - 2
	                                    : 1, /* the ruler, and the legend where it is narrow */
	        .merge = true,
	        .legend_rows = 1,
	        .now = shell_clock(shell),
	        .selected = request->selected <= shell->world->op_count ? request->selected : 0,
	};
	if (request->to <= request->from)
		options.window = whole;
	reply->kind = REPLY_VIEW;
	reply->from = options.window.from;
	reply->to = options.window.to;
	reply->whole_from = whole.from;
	reply->whole_to = whole.to;
	enum status status = timeline_picture(&trace, &options, &reply->picture);
	if (status == ST_OK && options.first_row >= reply->picture.lanes &&
	        options.first_row > 0) { /* scrolled behind the last lane */
		options.first_row = reply->picture.lanes > 0 ? reply->picture.lanes - 1 : 0;
		picture_release(&reply->picture);
		status = timeline_picture(&trace, &options, &reply->picture);
	}
	reply->rows = reply->picture.lanes;
	reply->first_row = options.first_row;
	if (status == ST_OK && options.selected)
		say_facts(shell, options.selected, &reply->text);
	return status;
}
