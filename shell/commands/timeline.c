/* timeline.c -- timeline: hosts and streams on one clock; replay: the same, animated
 *
 *     timeline [current]  the current section     timeline last            the last iteration
 *     timeline slow       a section               timeline 40ms 52ms       a window
 *     timeline all        from time 0             @0-3 timeline compute    some ranks, streams
 *     timeline critical   the critical path       timeline slow critical   that of a section
 *
 * A word is one of these, a time, a section or a stream, in this order. */
#include "shell/commands/timeline_words.h"
#include "shell/language/run/command.h"
#include "shell/session/timeline.h"
#include "trace/critical.h"

#include <stdio.h>
#include <string.h>

static bool timeline_read_time(const char *word, int64_t *ns)
{
	struct number number;
	int used;
	return *word >= '0' && *word <= '9' && number_read(word, &number, &used) == ST_OK && !word[used] &&
	        number_is_time(number, ns);
}

/* Returns the stream of that name on any of the ranks; 0: none. */
static name_id timeline_stream(const struct world *world, const struct ranks *set, const char *word)
{
	for (size_t i = 0; i < world->stream_count; i++) {
		const struct stream *stream = &world->streams[i];
		if (ranks_has(set, stream->rank) && strcmp(names_text(world->names, stream->name), word) == 0)
			return stream->name;
	}
	return 0;
}

static enum status timeline_unknown(const struct world *world, const struct ranks *set, const char *word)
{
	const char *nearest = NULL;
	int best = text_too_far(word);
	static const char *const words[] = {"all", "current", "last", "critical", "on", "off"};
	size_t own = sizeof words / sizeof *words;
	for (size_t i = 0; i < world->section_count + world->stream_count + own; i++) {
		size_t stream = i - world->section_count;
		const char *name = i < world->section_count
		        ? names_text(world->names, world->sections[i].name)
		        : stream < world->stream_count ? names_text(world->names, world->streams[stream].name)
		                                       : words[stream - world->stream_count];
		bool here = i < world->section_count || stream >= world->stream_count ||
		        ranks_has(set, world->streams[stream].rank);
		if (*name && here && text_nearer(word, name, &best))
			nearest = name;
	}
	if (nearest)
		return fail(ST_NAME, "no section '%s'; did you mean '%s'?", word, nearest);
	return fail(ST_NAME,
	        "no section '%s': `mark %s` before the lines begins one (it is not a stream or a time "
	        "either)",
	        word, word);
}

static enum status timeline_read_word(struct call *call, const char *word, struct timeline_words *asked)
{
	const struct world *world = call->shell->world;
	int section = (int)world->section_count - 1; /* the last of that name; < 1: none */
	while (section > 0 && strcmp(names_text(world->names, world->sections[section].name), word) != 0)
		section--;
	name_id stream = timeline_stream(world, call->set, word);
	int64_t time;
	if (strcmp(word, "all") == 0) {
		asked->all = true;
	} else if (strcmp(word, "current") == 0) {
		asked->current = true;
	} else if (strcmp(word, "last") == 0) {
		asked->last = true;
	} else if (strcmp(word, "critical") == 0) {
		asked->critical = true;
	} else if (timeline_read_time(word, &time)) {
		if (asked->times == 2)
			return fail(ST_ARGUMENT, "%s: %s is a third time: two make a window",
			        call->statement->row->name, word);
		asked->time[asked->times++] = time;
	} else if (section > 0) {
		asked->section = section;
	} else if (*word >= '0' && *word <= '9') {
		return fail(ST_UNIT, "%s: '%s' is not a time: a number and ns, us, ms or s, as 40ms",
		        call->statement->row->name, word);
	} else if (stream && asked->lanes < LANES_MOST) {
		asked->lane[asked->lanes++] = stream;
	} else if (stream) {
		return fail(ST_ARGUMENT, "%s: %s is one stream too many: at most %d",
		        call->statement->row->name, word, LANES_MOST);
	} else {
		return timeline_unknown(world, call->set, word);
	}
	return ST_OK;
}

static enum status timeline_check(const char *command, const struct timeline_words *asked)
{
	int windows = asked->all + asked->current + asked->last + (asked->section >= 0) + (asked->times > 0);
	if (windows > 1)
		return fail(ST_ARGUMENT,
		        "%s: one of `all`, `last`, a section and two times: each is a window", command);
	if (asked->times == 1)
		return fail(ST_ARGUMENT, "%s: one time is not a window: write two, as in `%s 40ms 52ms`",
		        command, command);
	if (asked->times == 2 && asked->time[0] == asked->time[1])
		return fail(ST_RANGE,
		        "%s: the window is empty: the two times are the same (`at` shows an instant)",
		        command);
	if (asked->times == 2 && asked->time[0] > asked->time[1])
		return fail(ST_RANGE, "%s: the window ends before it begins: the earlier time comes first",
		        command);
	return ST_OK;
}

bool timeline_words_any(const struct timeline_words *asked)
{
	return asked->all || asked->current || asked->last || asked->section >= 0 || asked->times ||
	        asked->lanes;
}

enum status timeline_words_find(
        struct shell *shell, const struct timeline_words *asked, int *section, struct window *window)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	enum status status = shell_look(shell);
	if (status != ST_OK)
		return status;
	*section = asked->all ? -1 : asked->section >= 0 ? asked->section : interpreter_section_now(shell);
	*window = trace_window_seen(&trace, *section);
	if (asked->times)
		*window = (struct window){asked->time[0], asked->time[1], -1};
	if (asked->last)
		trace_last_iteration(&trace, window);
	return ST_OK;
}

static enum status timeline_show(struct call *call, const struct timeline_words *asked)
{
	struct shell *shell = call->shell;
	struct trace trace = {.world = shell->world, .backend = shell->backend, .budget = &shell->budget};
	struct timeline_options options = {.ranks = call->set, .lane = asked->lane, .lanes = asked->lanes};
	int section;
	enum status status = timeline_words_find(shell, asked, &section, &options.window);
	if (status != ST_OK)
		return status;
	if (!asked->critical)
		return timeline_draw(shell, &trace, &options);
	struct critical path;
	status = critical_find(&trace, section, false, &path);
	options.path = path.count ? &path : NULL;
	if (status == ST_OK)
		status = timeline_draw(shell, &trace, &options);
	if (status == ST_OK && !path.count && options.window.to > options.window.from)
		out_say(shell->out, "   no critical path: nothing has an end yet\n");
	critical_release(&path);
	return status;
}

enum status timeline_words_read(struct call *call, int row, struct timeline_words *asked, bool *force)
{
	const char *word;
	enum status status = ST_OK;
	*asked = (struct timeline_words){.section = -1};
	for (int i = 0; i < call_count(call, row) && status == ST_OK; i++) {
		status = call_word(call, row, i, ranks_first(call->set), &word);
		if (status == ST_OK && force && strcmp(word, "force") == 0)
			*force = true;
		else if (status == ST_OK)
			status = timeline_read_word(call, word, asked);
	}
	return status == ST_OK ? timeline_check(call->statement->row->name, asked) : status;
}

static enum status timeline_run(struct call *call)
{
	const char *word = "";
	struct timeline_words asked;
	enum status status = call_common(call, 0, &word);
	if (status == ST_OK && call_count(call, 0) == 1 &&
	        (strcmp(word, "on") == 0 || strcmp(word, "off") == 0)) {
		struct shell *shell = call->shell;
		journal_switch(&shell->journal, "timeline", &shell->lasting.strip, word[1] == 'n');
		return ST_OK;
	}
	if (status == ST_OK)
		status = timeline_words_read(call, 0, &asked, NULL);
	return status == ST_OK ? timeline_show(call, &asked) : status;
}

const struct command command_timeline = {
        .name = "timeline",
        .topic = "look",
        .usage = "timeline [on|off|all|current|last|SECTION|FROM TO] [critical] [STREAM...]",
        .help = "draws every host and stream on one clock; unfinished work is dimmed. Draws a section (the"
                " current one without a word), the `last` iteration of `run`, or a range of time (`timeline "
                "40ms 52ms`). With names of "
                "streams it draws only these; `@0-3 timeline compute` has a row per rank. x16, or a digit,"
                " counts the operations in one column, + is several; a thin bar is mostly idle in its "
                "column. `critical` draws the section's critical path in full, other work as a line, and "
                "no waits. `on` draws the timeline after every line",
        .example = "spin 2ms\ntimeline",
        .class = COMMAND_LOOK,
        .unless = {"on off", COMMAND_SESSION},
        .argument = {{ARG_WORD, ARG_OPTIONAL | ARG_MANY, NULL, "SECTION"}},
        .run = timeline_run,
};

static enum status replay_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct timeline_words asked;
	struct window window;
	int section;
	if (!shell->interactive)
		return fail(ST_ARGUMENT, "`replay` needs a terminal; `timeline` prints the final picture");
	enum status status = timeline_words_read(call, 0, &asked, NULL);
	if (status == ST_OK && (asked.lanes || asked.critical))
		status = fail(
		        ST_ARGUMENT, "replay shows all streams: %s", command_usage(call->statement->row));
	if (status == ST_OK)
		status = timeline_words_find(shell, &asked, &section, &window);
	if (status == ST_OK && window.to <= window.from)
		status = fail(ST_ARGUMENT, "nothing has run or is queued here: there is nothing to replay");
	if (status != ST_OK)
		return status;
	if (!shell->replay.depth)
		shell->wishes.front_end.kind = WISH_VIEW;
	snprintf(shell->wishes.front_end.file, sizeof shell->wishes.front_end.file, " %lld %lld",
	        (long long)window.from, (long long)window.to);
	return ST_OK;
}

const struct command command_replay = {
        .name = "replay",
        .topic = "look",
        .usage = "replay [all|last|SECTION|FROM TO]",
        .help = "replays the section on the whole screen with a moving now: bars grow as they did. Space "
                "pauses, arrows step, < and > halve and double the speed, r ends it and leaves the view, ? "
                "lists all keys, q leaves",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, ARG_OPTIONAL | ARG_MANY, NULL, "SECTION"}},
        .run = replay_run,
};
