/* replay.c -- reruns journal lines: undo, step back
 *
 * The world begins empty, with its settings and training plan of that time. The lines from the
 * floor on run silently, with their stops and stamps. In place of a session command (`lesson 1`),
 * the lines that it ran run again. To take back the floor's line itself, the whole journal runs,
 * as on new ranks:
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
#include "shell/training/open.h"
#include "shell/training/training.h"

#include <stdio.h>
#include <string.h>

static struct told_line told(const struct journal_entry *entry)
{
	return (struct told_line){.line = entry->line, .outside = entry->outside, .refused = entry->refused};
}

/* Compares an old entry with new entry i, and reports differences, also to the front end. */
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
	const char *own = shell->course.watch ? shell->course.watch->own_file : NULL;
	shell->files.reads_only = true;
	if (*entry->ran)
		shell_settle(
		        shell, interpreter_run_granting(shell, entry->ran, strlen(entry->ran), own, 1, NULL));
	shell->files.reads_only = false;
	steering_over(&shell->steering);
	journal_add(journal, *entry);
}

/* Every process prints rank 0's text, because only rank 0 reads files and sees all changes. */
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

/* Reruns the lines from the floor, or all (whole); their entries are added anew. */
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
	char words[1000]; /* of a failure, after which the lines still run */
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
	if (journal->count > from) /* the first line's own reset has found an empty world */
		journal->entries[from].emptied |= first_empties;
	journal->rewritten = true;
	enum status said = say_changed(shell, &changed);
	return status == ST_OK ? said : fail(status, "%s", words);
}

/* Entries that do not count for `undo` stay. To take back an entry that emptied the world, the
 * whole journal runs. */
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

/* Replays the lines; commands that play the program stop at `limit`. */
enum status replay_back(struct shell *shell)
{
	const int64_t played = shell->wishes.statement.number;
	struct training *t = shell->training;
	struct journal *journal = &shell->journal;
	struct plan plan = {0};
	struct text values = {0};
	text_put(&values, text_string(&shell->steering.program), shell->steering.program.count);
	/* a script has no journal: only its steps are replayed, on the current machine */
	bool typed = journal->count > journal->floor;
	enum status status = ST_OK;
	plan_copy(&t->now, &plan);
	journal_changed(journal, journal->floor);
	t->limit = played;
	t->rewritten = false;
	if (typed)
		status = replay(shell, false);
	if (status == ST_OK && t->rewritten)
		status = replay(shell, false);
	t->limit = -1;
	if (status == ST_OK && (!typed || t->played != played || !t->now.program))
		status = play_again(shell, &plan, played, &values);
	text_release(&values);
	plan_release(&plan);
	return status;
}

/* ---- a question ---- */

void question_free(struct question *question)
{
	if (question)
		mem_free(question->without);
	mem_free(question);
}

struct question *question_make(
        const struct call *call, enum status (*answer)(struct shell *shell, const struct question *question))
{
	if (call->shell->replay.changes)
		return NULL;
	struct question *question = mem_alloc(sizeof *question);
	question->answer = answer;
	snprintf(question->asked, sizeof question->asked, "%.*s", WHOLE(call->statement->source));
	return question;
}

/* Answers the question. Fails with ST_ARGUMENT if the lines before it are not all known. */
static enum status question_answer(struct shell *shell)
{
	struct question *question = shell->wishes.question;
	enum status status;
	shell->wishes.question = NULL;
	if (shell->journal.here.text)
		status = question->answer(shell, question);
	else
		status = fail(ST_ARGUMENT,
		        "`%s` must be alone on its line, outside of blocks, defs and `source`d files",
		        question->asked);
	question_free(question);
	return status == ST_INTERRUPTED ? fail(ST_INTERRUPTED, "interrupted") : status;
}

enum status question_end(struct shell *shell, struct question *question, enum status status)
{
	if (status != ST_OK) {
		question_free(question);
		return status;
	}
	question_free(shell->wishes.question);
	shell->wishes.question = question;
	shell->wishes.statement = (struct wish){.kind = WISH_ANSWER, .grant = question_answer};
	return ST_OK;
}
