/* transcript.c -- records the lines of a step as they run, and shows them
 *
 * One line may have several texts, because names and numbers differ. Ranks with equal text and
 * phase share an entry. The lines of a call follow it, one deeper. A script takes LINEs, OPENs and
 * CLOSEs.
 *
 *     ## pass on            depth  run  kind     set   text
 *     phase C               0      1    SETTING  0-3   phase C         only in a script
 *     pass x                0      2    CALL     0-3   pass x          `step` shows depth 0
 *       send x to=rank+1    1      3    LINE     0     send x to=1     `step in`: no settings,
 *                           1      3    LINE     1     send x to=2     equal calls once
 *     capture g {           0      4    OPEN     0-3   capture g {
 *       y = relu x          0      5    LINE     0-3   y = relu x
 *     }                     0      6    CLOSE */
#include "shell/training/transcript.h"
#include "shell/language/parse/lex.h"
#include "shell/language/run/state.h"
#include "base/arithmetic.h"
#include "base/text.h"
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"

#include <string.h>

enum entry_kind { ENTRY_LINE, ENTRY_CALL, ENTRY_SETTING, ENTRY_OPEN, ENTRY_CLOSE };
struct ran_line {
	enum entry_kind kind;
	int depth;
	size_t run;       /* number of the statement */
	struct ranks set; /* with equal texts and phases */
	char *text;       /* NULL: CLOSE */
	name_id phase;    /* 0: none */
};
struct transcript {
	struct ran_line *entry;
	size_t count;
	size_t runs;
	int depth; /* of the step's `##` */
};

struct transcript *transcript_make(void)
{
	return mem_alloc(sizeof(struct transcript));
}

static void transcript_clear(struct transcript *transcript)
{
	for (size_t i = 0; i < transcript->count; i++)
		mem_free(transcript->entry[i].text);
	transcript->count = 0;
}

void transcript_free(struct transcript *transcript)
{
	transcript_clear(transcript);
	mem_free(transcript->entry);
	mem_free(transcript);
}

void transcript_begin(struct transcript *transcript)
{
	transcript_clear(transcript);
	transcript->depth = 0;
}

/* The calls that led to the `##` are not part of the step. */
void transcript_title(struct transcript *transcript, int depth)
{
	size_t kept = 0;
	for (size_t i = 0; i < transcript->count; i++)
		if (transcript->entry[i].kind == ENTRY_CALL)
			mem_free(transcript->entry[i].text);
		else
			transcript->entry[kept++] = transcript->entry[i];
	transcript->count = kept;
	transcript->depth = depth;
}

static struct ran_line *transcript_add(struct transcript *transcript, enum entry_kind kind, int depth)
{
	struct ran_line *line = MEM_ADD(&transcript->entry, &transcript->count);
	*line = (struct ran_line){.kind = kind, .depth = depth, .run = transcript->runs};
	return line;
}

static enum entry_kind entry_kind_of(enum ran ran, const struct statement *statement)
{
	if (ran != RAN_LINE)
		return ran == RAN_CALL ? ENTRY_CALL : ENTRY_OPEN;
	/* later lines show their effect; a sourced file's lines are recorded themselves */
	bool setting = statement->kind == STATEMENT_COMMAND &&
	        is_listed("phase use source", slice_of_string(statement->row->name));
	return setting ? ENTRY_SETTING : ENTRY_LINE;
}

/* All ranks share a text in which nothing varies. A statement has few texts. */
static void transcript_add_texts(struct transcript *transcript, struct shell *shell, enum entry_kind kind,
        struct statement *statement, const struct ranks *set, int depth)
{
	size_t first = transcript->count;
	struct text text = {0};
	bool varies = false, phases = shell->interpreter->now.scope->setting[SETTING_PHASE].each != NULL;
	FOR_RANKS (rank, set) {
		size_t i = first;
		if (varies || transcript->count == first) {
			text_clear(&text);
			interpreter_render(shell, statement, set, rank, &text, &varies);
			text_add(&text, kind == ENTRY_OPEN ? " {" : "");
		}
		name_id phase = setting_at(&shell->interpreter->now.scope->setting[SETTING_PHASE], rank);
		while (i < transcript->count &&
		        (strcmp(transcript->entry[i].text, text_string(&text)) != 0 ||
		                transcript->entry[i].phase != phase))
			i++;
		if (i == transcript->count) {
			struct ran_line *entry = transcript_add(transcript, kind, depth);
			entry->text = mem_copy_text(text_string(&text), text.count);
			entry->phase = phase;
		}
		ranks_add(&transcript->entry[i].set, rank);
		if (!varies && !phases) {
			transcript->entry[i].set = *set;
			break;
		}
	}
	text_release(&text);
}

static int transcript_open_depth(const struct transcript *transcript)
{
	int open = 0;
	for (size_t i = transcript->count; i-- > 0;) {
		const struct ran_line *entry = &transcript->entry[i];
		open += (entry->kind == ENTRY_OPEN) - (entry->kind == ENTRY_CLOSE);
		if (open > 0)
			return entry->depth;
	}
	return 0;
}

void transcript_line(struct transcript *transcript, struct shell *shell, enum ran ran,
        struct statement *statement, const struct ranks *set, int depth)
{
	transcript->runs++;
	if (ran == RAN_END)
		transcript_add(transcript, ENTRY_CLOSE, transcript_open_depth(transcript));
	else
		transcript_add_texts(transcript, shell, entry_kind_of(ran, statement), statement, set, depth);
}

static void entry_put(const struct ran_line *entry, const struct shell *shell, struct text *out)
{
	if (ranks_count(&entry->set) < shell->world->n) {
		text_add(out, "@");
		ranks_text(&entry->set, out);
		text_add(out, " ");
	}
	text_add(out, "%s", entry->text);
}

enum {
	SCREEN = 80,
	INDENT = 4,
	FOLDED_LEAST = 3 /* lines of a call that `step in` folds when repeated */
};

int transcript_width(const struct out *out)
{
	return (int)least_of(out_width(out), SCREEN);
}

static void transcript_put_line(struct shell *shell, const struct text *line)
{
	out_say(shell->out, "%*s%s%s%s\n", INDENT, "", STYLED(shell->out, COLOUR_KERNEL, text_string(line)));
}

/* Returns true if the call did nothing: an override point without a def, or `let`s. */
static bool call_is_idle(const struct transcript *transcript, size_t call)
{
	const struct ran_line *entry = &transcript->entry[call];
	if (entry->kind != ENTRY_CALL)
		return false;
	for (size_t i = call + 1; i < transcript->count; i++) {
		const struct ran_line *other = &transcript->entry[i];
		struct ranks both = other->set;
		if (other->run == entry->run)
			continue;
		if (other->depth <= entry->depth)
			return true;
		ranks_and(&both, &entry->set);
		if ((other->kind == ENTRY_LINE || other->kind == ENTRY_OPEN) && !ranks_empty(&both))
			return false;
	}
	return true;
}

void transcript_say_calls(struct shell *shell, const struct transcript *transcript, int most)
{
	struct text line = {0}, one = {0}, folded = {0};
	size_t left = 0, width = (size_t)transcript_width(shell->out);
	for (size_t i = 0; i < transcript->count; i++) {
		const struct ran_line *entry = &transcript->entry[i];
		if (entry->depth > transcript->depth || entry->kind == ENTRY_CLOSE ||
		        entry->kind == ENTRY_SETTING || call_is_idle(transcript, i))
			continue;
		text_clear(&one);
		entry_put(entry, shell, &one);
		size_t columns = text_columns(text_string(&line)) + text_columns(text_string(&one));
		if (line.count && INDENT + columns + 4 > width) {
			transcript_put_line(shell, &line);
			text_clear(&line);
		}
		if (!line.count) { /* the first of a line, measured with its indent */
			text_clear(&folded);
			text_add(&line, "%*s%s", INDENT, "", text_string(&one));
			most -= fold_lines(text_string(&line), line.count, out_width(shell->out), &folded);
			text_clear(&line);
		}
		if (most < 0)
			left++;
		else
			text_add(&line, "%s%s", line.count ? ";  " : "", text_string(&one));
	}
	if (line.count)
		transcript_put_line(shell, &line);
	if (left)
		out_say(shell->out, "%*s... and %zu more: `step in` shows all\n", INDENT, "", left);
	text_release(&line);
	text_release(&one);
	text_release(&folded);
}

static struct slice_of_text entry_word(const struct ran_line *entry)
{
	const char *text = entry->text ? entry->text : "", *result = strstr(text, "= ");
	if (result)
		text = result + 2;
	return (struct slice_of_text){text, (uint32_t)strcspn(text, " ")};
}

/* Returns the next entry of another statement that is not deeper. */
static size_t entry_end(const struct transcript *transcript, size_t first)
{
	const struct ran_line *entry = &transcript->entry[first];
	size_t end = first + 1;
	while (end < transcript->count &&
	        (transcript->entry[end].run == entry->run || transcript->entry[end].depth > entry->depth))
		end++;
	return end;
}

/* Returns true if both calls ran the same lines, apart from ranks, names and numbers. */
static bool calls_ran_alike(const struct transcript *transcript, size_t a, size_t b, size_t count)
{
	int deeper = transcript->entry[b].depth - transcript->entry[a].depth;
	for (size_t k = 0; k < count; k++) {
		const struct ran_line *x = &transcript->entry[a + k], *y = &transcript->entry[b + k];
		if (x->kind != y->kind || x->depth + deeper != y->depth ||
		        !slices_equal(entry_word(x), entry_word(y)))
			return false;
	}
	return true;
}

/* Calls shown with their lines */
struct shown_calls {
	size_t *first, count;
};

/* Returns true if a call like this one was shown; else adds it. */
static bool call_was_shown(
        struct shown_calls *shown, const struct transcript *transcript, size_t first, size_t count)
{
	for (size_t i = 0; i < shown->count; i++)
		if (calls_ran_alike(transcript, shown->first[i], first, count) &&
		        entry_end(transcript, shown->first[i]) == shown->first[i] + count)
			return true;
	*MEM_ADD(&shown->first, &shown->count) = first;
	return false;
}

/* folded: without its lines. Returns false if it prints nothing. */
static bool entry_say(struct shell *shell, const struct transcript *transcript, size_t i, bool folded)
{
	const struct ran_line *entry = &transcript->entry[i];
	struct text line = {0};
	if (entry->kind == ENTRY_SETTING || call_is_idle(transcript, i))
		return false;
	int deeper = entry->depth > transcript->depth ? entry->depth - transcript->depth : 0;
	text_add(&line, "%*s", 2 * deeper, "");
	if (entry->kind == ENTRY_CLOSE)
		text_add(&line, "}");
	else
		entry_put(entry, shell, &line);
	text_add(&line, "%s", folded ? " ..." : "");
	transcript_put_line(shell, &line);
	text_release(&line);
	return true;
}

bool transcript_say_lines(struct shell *shell, const struct transcript *transcript)
{
	struct shown_calls shown = {0};
	bool any = false;
	for (size_t i = 0, lines, next; i < transcript->count; i = next) {
		const struct ran_line *entry = &transcript->entry[i];
		bool folded = false;
		for (lines = i + 1; lines < transcript->count && transcript->entry[lines].run == entry->run;)
			lines++;
		next = lines;
		if (entry->kind == ENTRY_CALL) {
			size_t end = entry_end(transcript, i);
			folded =
			        end - lines >= FOLDED_LEAST && call_was_shown(&shown, transcript, i, end - i);
			next = folded ? end : lines;
		}
		for (; i < lines; i++)
			any = (entry_say(shell, transcript, i, folded) && folded) || any;
	}
	if (any)
		out_say(shell->out, "%*s...: as in that name's call above, with these names and numbers\n",
		        INDENT, "");
	mem_free(shown.first);
	return transcript->count > 0;
}

/* Puts the entry's ranks into its phase. now: by rank, the script's phase; updated */
static void entry_put_phases(
        const struct ran_line *entry, const struct shell *shell, name_id *now, struct text *out)
{
	struct ran_line phase = {.text = NULL};
	struct text line = {0};
	FOR_RANKS (rank, &entry->set) {
		if (now[rank] != entry->phase)
			ranks_add(&phase.set, rank);
		now[rank] = entry->phase;
	}
	if (ranks_empty(&phase.set))
		return;
	text_add(&line, "phase %s", entry->phase ? names_text(shell->world->names, entry->phase) : "off");
	phase.text = line.bytes;
	entry_put(&phase, shell, out);
	text_put(out, "\n", 1);
	text_release(&line);
}

void transcript_script(
        const struct transcript *transcript, const struct shell *shell, name_id *phase, struct text *out)
{
	size_t bytes = (size_t)shell->world->n * sizeof *phase;
	/* phases before the open block, because a phase ends with its block */
	name_id *outer = mem_alloc(bytes);
	for (size_t i = 0; i < transcript->count; i++) {
		const struct ran_line *entry = &transcript->entry[i];
		if (entry->kind == ENTRY_CALL || entry->kind == ENTRY_SETTING)
			continue;
		if (entry->kind == ENTRY_CLOSE) {
			text_add(out, "}\n");
			memcpy(phase, outer, bytes);
			continue;
		}
		entry_put_phases(entry, shell, phase, out);
		entry_put(entry, shell, out);
		text_put(out, "\n", 1);
		if (entry->kind == ENTRY_OPEN)
			memcpy(outer, phase, bytes);
	}
	mem_free(outer);
}
