/* replay.c -- the journal's lines run again: undo, step back
 *
 * The world begins empty, with the machine, what else outlives a world, and the plan of training of then, and the lines from the journal's
 * floor on run as they ran: with their stops and stamps, in silence. Of a command of the session (`lesson 1`)
 * the lines that it ran by itself run again, and not the command: which task a learner is at is not the
 * world's.
 *
 * When the line at the floor itself is taken back, the world before it is wanted, of which nothing is left:
 * the session is as it was opened, and the whole journal runs again, as new ranks would run it:
 *
 *     tensor x[4]   model mlp   strategy ddp   undo     ->     tensor x[4]   model mlp
 *     |------ a world ------|   |- floor: the next one */
#include "shell/replay/replay.h"
#include "base/memory.h"
#include "shell/language/run/interpreter.h"
#include "shell/line/line.h"
#include "shell/session/again.h"
#include "shell/session/course.h"
#include "shell/session/lasting.h"
#include "shell/values/share.h"
#include "shell/session/watch.h"
#include "shell/training/open.h"
#include "shell/training/training.h"

#include <stdio.h>
#include <string.h>

static struct told_line told(const struct journal_entry *entry)
{
	return (struct told_line){.line = entry->line, .outside = entry->outside, .refused = entry->refused};
}

/* The entry's line, of which `i` is the new one: where it differs from what it was, that is told, and the front end has
 * to hear of it. */
static void compare(struct shell *shell, const struct journal_entry *entry, size_t i, struct text *changed)
{
	struct journal *journal = &shell->journal;
	if (i >= journal->count)
		return;
	struct told_line then = told(entry), now = told(&journal->entries[i]);
	now.differs = text_string(&shell->steering.told);
	again_tell(&then, &now, fail_text(), "   ", changed);
	if (then.refused != now.refused || strcmp(then.outside, now.outside) != 0 ||
	        strcmp(entry->values, journal->entries[i].values) != 0)
		journal_changed(journal, i);
}

/* One entry of the old journal; the run adds a new one. A line that was refused half-way is refused at the
 * same place again. changed: gets what is told of a line that is not what it was */
static void run_entry(
        struct shell *shell, const struct journal_entry *entry, bool whole, struct text *changed)
{
	struct journal *journal = &shell->journal;
	size_t i = journal->count;
	steering_again(&shell->steering, entry->values);
	if (whole || !entry->session) {
		journal->closes_again = whole ? 0 : entry->opened;
		shell_line(shell, entry->line, strlen(entry->line), entry->stop, entry->stamp);
		journal->closes_again = 0;
		compare(shell, entry, i, changed);
		return;
	}
	const char *own = shell->course.watch ? shell->course.watch->own_file
	                                      : NULL; /* a task's own lines, and their defs */
	shell->files.reads_only = true;
	if (*entry->ran)
		shell_settle(
		        shell, interpreter_run_granting(shell, entry->ran, strlen(entry->ran), own, 1, NULL));
	shell->files.reads_only = false;
	steering_over(&shell->steering);
	journal_add(journal, *entry);
}

/* Rank 0 reads the files, and knows of more of them than the others: all say what it says. */
static enum status say_changed(struct shell *shell, struct text *changed)
{
	char words[2000];
	snprintf(words, sizeof words, "%s", text_string(changed));
	text_release(changed);
	enum status status = shell_spread(shell, ST_OK, words, sizeof words);
	if (status == ST_OK)
		out_put(shell->out, words, strlen(words));
	return status;
}

/* An empty world, and then the lines from the floor on, or all of them (whole). Their entries are taken out,
 * and their runs put them in again. */
static enum status replay(struct shell *shell, bool whole)
{
	struct journal *journal = &shell->journal;
	size_t from = whole ? 0 : journal->floor, count = journal->count - from;
	if (whole) {
		training_free(shell);
		shell->training = training_make();
	}
	lasting_take(shell, whole ? &shell->at_start : &shell->at_reset);
	enum status status = shell_reset_again(shell);
	char words[1000]; /* of its failure, behind which the lines run all the same */
	snprintf(words, sizeof words, "%s", fail_text());
	if (shell->course.functions)
		shell->course.functions->again(shell, whole);
	struct journal_entry *entries = mem_alloc(count * sizeof *entries);
	memcpy(entries, journal->entries + from, count * sizeof *entries);
	journal->count = journal->floor = from;
	bool first_empties = count && entries[0].emptied;
	struct text changed = {0};
	shell_replaying(shell, 1);
	for (size_t i = 0; i < count; i++) {
		run_entry(shell, &entries[i], whole, &changed);
		journal_entry_release(&entries[i]);
	}
	shell_replaying(shell, -1);
	mem_free(entries);
	if (journal->count > from) /* this time it found an empty world */
		journal->entries[from].emptied |= first_empties;
	journal->rewritten = true;
	enum status said = say_changed(shell, &changed);
	return status == ST_OK ? said : fail(status, "%s", words);
}

/* Counted are the lines that a person would: an entry that does not count (a session's command that changed nothing
 * by itself) stays. Where one that emptied the world goes, the world before it is wanted (whole). */
enum status replay_undo(struct shell *shell)
{
	int64_t count = shell->wishes.statement.number;
	struct journal *journal = &shell->journal;
	int lines = journal_lines(journal);
	if (lines == 0)
		return fail(ST_RANGE, "nothing to undo");
	if (count > lines)
		return fail(ST_RANGE, "undo %lld: %d line%s were typed since the world was empty",
		        (long long)count, lines, lines == 1 ? "" : "s");
	bool whole = false;
	struct text taken = {0};
	if (count > 5)
		text_add(&taken, "   taken back: the last %lld lines\n", (long long)count);
	bool each = !taken.count;
	for (size_t i = journal->count; i > journal->floor && count > 0; i--) {
		const struct journal_entry *entry = &journal->entries[i - 1];
		if (!entry->counts)
			continue;
		count--;
		whole |= entry->emptied;
		if (each) {
			size_t length = strcspn(entry->line, "\n"), shown = length > 60 ? 60 : length;
			shown = text_valid(entry->line, shown);
			text_add(&taken, "   taken back: %.*s%s\n", (int)shown, entry->line,
			        entry->line[shown] ? " ..." : "");
		}
		journal_drop(journal, i - 1);
	}
	enum status status = replay(shell, whole);
	out_put(shell->out, text_string(&taken), taken.count);
	text_release(&taken);
	return status;
}

/* Without the lines typed: the steps alone, by the values that they read when they were played */
static enum status play_again(
        struct shell *shell, const struct plan *plan, long played, const struct text *values)
{
	struct text changed = {0};
	struct told_line steps = {.line = "step", .outside = ""};
	plan_copy(plan, &shell->training->now);
	enum status status = shell_reset(shell);
	shell_replaying(shell, 1);
	steering_again(&shell->steering, text_string(values));
	if (status == ST_OK && played > 0)
		status = program_steps(shell, played, false);
	steering_over(&shell->steering);
	shell_replaying(shell, -1);
	steps.differs = text_string(&shell->steering.told);
	again_tell(&steps, &steps, "", "   ", &changed);
	enum status said = say_changed(shell, &changed);
	return status == ST_OK ? said : status;
}

/* With `limit` set, commands that play the program stop there, so the lines between them run as they did. What the
 * lines did not play (a script's steps are in no journal) is played by itself. */
enum status replay_back(struct shell *shell)
{
	const int64_t played = shell->wishes.statement.number;
	struct training *t = shell->training;
	struct journal *journal = &shell->journal;
	struct plan plan = {0};
	struct text values = {0};
	text_put(&values, text_string(&shell->steering.program), shell->steering.program.count);
	/* the lines of a script are in no journal: its steps alone are played again, on the machine as it is
	 * now */
	bool typed = journal->count > journal->floor;
	enum status status = ST_OK;
	plan_copy(&t->now, &plan);
	journal_changed(journal, journal->floor); /* a line that plays fewer steps now is another one */
	t->limit = played;
	t->rewritten = false;
	if (typed)
		status = replay(shell, false);
	if (status == ST_OK && t->rewritten) /* the session is what its log says */
		status = replay(shell, false);
	t->limit = -1;
	if (status == ST_OK && (!typed || t->played != played || !t->now.program))
		status = play_again(shell, &plan, played, &values);
	text_release(&values);
	plan_release(&plan);
	return status;
}
