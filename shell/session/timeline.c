/* timeline.c -- timelines as text */
#include "shell/session/timeline.h"

#include <string.h>

enum status timeline_draw(struct shell *shell, const struct trace *trace, const struct timeline_options *what)
{
	enum { MOST_ROWS = 40 };
	struct timeline_options options = *what;
	options.width = out_width(shell->out);
	options.merge = true;
	options.now = shell_clock(shell);
	options.rows = MOST_ROWS;
	struct picture picture = {0};
	struct text text = {0};
	const struct window *window = &options.window;
	enum status status = timeline_picture(trace, &options, &picture);
	size_t count = picture.width * (size_t)picture.height, blank = 0;
	while (status == ST_OK && blank < count && !picture.ops[blank])
		blank++;
	if (status == ST_OK && (window->to <= window->from || blank == count)) {
		out_say(shell->out, "   nothing has run or is queued here");
		if (window->to > window->from)
			out_say(shell->out, ", from %s to %s", time_words(window->from).text,
			        time_words(window->to).text);
		out_say(shell->out, ": it is now %s\n", time_words(options.now).text);
	} else if (status == ST_OK) {
		int64_t cell = (window->to - window->from) / options.width;
		picture_text(&picture, out_colour(shell->out), &text);
		trace_put_uncertainty(trace, cell, &text);
		out_put(shell->out, text_string(&text), text.count);
	}
	if (picture.lanes > MOST_ROWS)
		out_say(shell->out, "   ... %d more rows: `@0-3 timeline` draws some ranks, `view` scrolls\n",
		        picture.lanes - MOST_ROWS);
	picture_release(&picture);
	text_release(&text);
	return status;
}

void timeline_strip(struct shell *shell)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	if (shell->lasting.strip && !shell_quiet(shell) && shell_foresee(shell) == ST_OK)
		timeline_draw(shell, &trace,
		        &(struct timeline_options){
		                .window = trace_window_seen(&trace, (int)shell->world->section_count - 1)});
}

enum status section_find(const struct shell *shell, const char *name, int *section)
{
	const struct world *world = shell->world;
	const char *nearest = NULL;
	int best = text_too_far(name);
	for (size_t i = world->section_count; i > 0; i--) {
		const char *text = names_text(world->names, world->sections[i - 1].name);
		if (strcmp(text, name) == 0) {
			*section = i - 1;
			return ST_OK;
		}
		if (*text && text_nearer(name, text, &best))
			nearest = text;
	}
	if (nearest)
		return fail(ST_NAME, "no section '%s'; did you mean '%s'?", name, nearest);
	return fail(ST_NAME, "no section '%s': `mark %s` before the lines begins one", name, name);
}
