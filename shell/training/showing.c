/* showing.c -- the position in a program, and a step's output while it runs */
#include "shell/training/training.h"
#include "shell/training/transcript.h"
#include "shell/language/parse/rows.h"
#include "shell/language/run/player.h"
#include "base/text.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

struct step_words step_place(const struct training *t)
{
	struct step_words words;
	const struct program *p = t->now.program;
	size_t walked = t->in_setup ? p->setup : p->steps - p->setup,
	       total = !t->in_setup && t->round ? t->round : walked;
	/* "21?": data decides the number, and no iteration has shown it yet */
	bool more = t->at >= total;
	int count = snprintf(words.text, sizeof words.text, "step %zu/%zu%s", t->at + 1,
	        more ? t->at + 1 : total, more || (p->guessed && (t->in_setup || !t->round)) ? "?" : "");
	char *end = words.text + count;
	if (p->loops && t->in_setup)
		snprintf(end, sizeof words.text - (size_t)count, " of the setup");
	else if (p->loops)
		snprintf(end, sizeof words.text - (size_t)count, " of iteration %d", t->iteration);
	return words;
}

enum status step_unfinished(const struct training *t)
{
	bool between = t->at == 0 && (!t->in_setup || t->played == 0);
	if (!t->now.program || t->ended || t->torn || between)
		return ST_OK;
	return fail(ST_ARGUMENT,
	        "the script ends before %s, and ranks wait for it: `run 1` finishes the %s, `step` plays one "
	        "more step",
	        step_place(t).text, t->now.program->loops ? "iteration" : "program");
}

const struct program_step *step_ahead(const struct training *t)
{
	const struct program *p = t->now.program;
	size_t i = t->in_setup ? t->at : p->setup + t->at, end = t->in_setup ? p->setup : p->steps;
	return i < end ? &p->step[i] : NULL;
}

enum { SCREEN_LINES = 24 };

static void showing_put_row(struct showing *show, struct text *line)
{
	struct out *out = show->shell->out;
	struct text folded = {0};
	show->used += fold_lines(text_string(line), line->count, out_width(out), &folded);
	out_put(out, text_string(line), line->count);
	text_release(&folded);
	text_release(line);
}

static void showing_put_head(struct showing *show, const char *title)
{
	struct shell *shell = show->shell;
	struct text ranks = {0}, line = {0};
	const struct step_words place = step_place(show->t);
	const struct program_step *ahead = step_ahead(show->t);
	const struct ranks *some = ahead ? ahead->ranks : NULL;
	struct ranks all;
	ranks_all(&all, shell->world->n);
	ranks_text(some ? some : &all, &ranks);
	int width = transcript_width(shell->out);
	const char *word = strpbrk(text_string(&ranks), ",-") ? "ranks " : "rank ";
	int gap = width - (int)strlen(place.text) - 3 - (int)text_columns(title) - (int)ranks.count -
	        (int)strlen(word);
	/* a narrow line omits the ranks if all of them play the step */
	bool both = gap > 0 || some;
	text_add(&line, "%s%s%s   %s%*s%s%s\n", STYLED(shell->out, COLOUR_HEAD, place.text), title,
	        both ? gap > 1 ? gap : 1 : 0, "", both ? word : "", both ? text_string(&ranks) : "");
	showing_put_row(show, &line);
	text_release(&ranks);
	show->told = true;
}

static void showing_echo_line(struct showing *show, const char *line, size_t length)
{
	struct text row = {0};
	if (show->used >= SCREEN_LINES - 2) {
		show->left++;
		return;
	}
	text_add(&row, "    %s%.*s%s\n", STYLED(show->shell->out, COLOUR_KERNEL, (int)length, line));
	showing_put_row(show, &row);
}

/* Returns line i, from 1, without its newline. */
static struct slice_of_text showing_file_line(const struct showing *show, size_t i)
{
	const char *at = show->begin[i - 1], *end = show->begin[i];
	return (struct slice_of_text){at, (uint32_t)(end > at && end[-1] == '\n' ? end - at - 1 : end - at)};
}

/* Prints the file's lines from the `##`, or the last one printed, up to the statement's: each
 * once, without blank and comment lines. A statement of a sourced file, or of several lines, is
 * printed itself. */
static void showing_echo(struct showing *show, const struct statement *statement)
{
	size_t last = (size_t)statement->line, first = last, length;
	const struct player_file *file = show->t->now.program->file;
	const char *at = file->text, *end = at + file->count;
	for (bool more = !show->begin; more; more = text_line(&at, end, &length))
		*MEM_ADD(&show->begin, &show->begins) = at;
	struct slice_of_text line =
	        last < show->begins ? showing_file_line(show, last) : (struct slice_of_text){0};
	if (!line.length || !memmem(line.at, line.length, statement->source.at, statement->source.length)) {
		showing_echo_line(show, statement->source.at, statement->source.length);
		return;
	}
	for (; first > show->line + 1; first--) {
		struct slice_of_text before = showing_file_line(show, first - 1);
		if (before.length > 1 && strncmp(before.at, "##", 2) == 0)
			break;
	}
	for (size_t i = first; i <= last && i > show->line; i++) {
		line = showing_file_line(show, i);
		size_t blanks = strspn(line.at, " \t");
		if (blanks < line.length && line.at[blanks] != '#')
			showing_echo_line(show, line.at, line.length);
	}
	show->line = last > show->line ? last : show->line;
}

static void showing_title(void *self, const char *title, const char *why, int depth)
{
	struct showing *show = self;
	show->depth = depth;
	if (show->lines)
		transcript_title(show->t->transcript, depth);
	if (show->head)
		showing_put_head(show, title);
	FOR_LINES (line, why, show->lines ? strlen(why) : 0) {
		struct text row = {0};
		text_add(&row, "  %s%.*s%s\n",
		        STYLED(show->shell->out, COLOUR_NOTE, (int)line.length, line.at));
		showing_put_row(show, &row);
	}
}

static void showing_line(
        void *self, enum ran ran, struct statement *statement, const struct ranks *set, int depth)
{
	struct showing *show = self;
	if (show->lines)
		transcript_line(show->t->transcript, show->shell, ran, statement, set, depth);
	if (!show->echoes || ran == RAN_END || depth > show->depth)
		return;
	const struct program_step *ahead = step_ahead(show->t);
	if (show->head && !show->told && ahead && !*ahead->title)
		showing_put_head(show, "");
	showing_echo(show, statement);
}

void showing_watch(struct showing *show)
{
	player_watch(show->t->player, (struct watcher){show, showing_title, showing_line});
}

void showing_release(struct showing *show)
{
	mem_free(show->begin);
}

void showing_end(struct showing *show)
{
	if (show->head && !show->told)
		showing_put_head(show, "");
	/* two rows remain for the prompt and the number of omitted lines */
	if (show->lines && !show->echoes)
		transcript_say_calls(show->shell, show->t->transcript, SCREEN_LINES - 2 - show->used);
	else if (show->left)
		out_say(show->shell->out, "    ... and %zu more: `step in` shows all\n", show->left);
}
