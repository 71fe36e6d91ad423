/* journal.c -- adds, drops and counts log entries
 *
 * The front end receives the entries from `told` on. A line's entry is made after it has run,
 * because it may run others again, empty the world, or do less than its text says. */
#include "shell/session/journal.h"
#include "base/memory.h"

#include <string.h>

void journal_entry_release(struct journal_entry *entry)
{
	mem_free(entry->line);
	mem_free(entry->ran);
	mem_free(entry->outside);
	mem_free(entry->values);
}

void journal_begin(struct journal *journal)
{
	journal->emptied = journal->rewritten = false;
	journal->does_to = journal->from = journal->values = journal->opened = 0;
	text_clear(&journal->ran);
	text_clear(&journal->does);
}

static void forget_pieces(struct journal *journal)
{
	for (size_t i = 0; i < journal->pieces; i++)
		mem_free(journal->piece[i].file);
	journal->pieces = 0;
}

/* Drops the lines that the command ran before: they are not the new world's. */
void journal_emptied(struct journal *journal)
{
	journal->emptied = true;
	journal->floor = journal->count;
	text_clear(&journal->ran);
	text_clear(&journal->script);
	text_clear(&journal->script_values);
	forget_pieces(journal);
}

void journal_script_ran(struct journal *journal, const char *text, size_t count, const char *file, int line,
        const struct text *values, bool refused)
{
	struct script_piece *last = journal->pieces ? &journal->piece[journal->pieces - 1] : NULL;
	for (size_t i = 0; i < journal->from; i++)
		line += text[i] == '\n';
	text_put(&journal->script, text + journal->from, count - journal->from);
	text_put(&journal->script_values, text_string(values) + journal->values,
	        values->count - journal->values);
	if (journal->script.count && journal->script.bytes[journal->script.count - 1] != '\n')
		text_put(&journal->script, "\n", 1);
	if (!last || last->refused) {
		last = MEM_ADD(&journal->piece, &journal->pieces);
		*last = (struct script_piece){
		        .line = line, .file = file ? mem_copy_text(file, strlen(file)) : NULL};
	}
	last->end = journal->script.count;
	last->values_end = journal->script_values.count;
	last->refused = refused;
}

void journal_switch(struct journal *journal, const char *command, bool *to, bool on)
{
	if (*to != on)
		text_add(&journal->ran, "%s %s\n", command, on ? "on" : "off");
	*to = on;
}

void journal_did(struct journal *journal, const char *line, size_t from, size_t to, const char *did)
{
	if (line) {
		text_put(&journal->does, line + journal->does_to, from - journal->does_to);
	} else {
		text_clear(&journal->does);
		to = SIZE_MAX;
	}
	text_add(&journal->does, "%s", did);
	journal->does_to = to;
}

void journal_kept(const struct journal *journal, const char *line, size_t count, struct text *kept)
{
	text_put(kept, text_string(&journal->does), journal->does_to ? journal->does.count : 0);
	if (journal->does_to < count)
		text_put(kept, line + journal->does_to, count - journal->does_to);
	while (kept->count && kept->bytes[kept->count - 1] == '\n')
		kept->bytes[--kept->count] = '\0';
}

void journal_add(struct journal *journal, struct journal_entry entry)
{
	entry.line = mem_copy_text(entry.line, strlen(entry.line));
	entry.ran = mem_copy_text(entry.ran, strlen(entry.ran));
	entry.outside = mem_copy_text(entry.outside, strlen(entry.outside));
	entry.values = mem_copy_text(entry.values, strlen(entry.values));
	*MEM_ADD(&journal->entries, &journal->count) = entry;
}

void journal_changed(struct journal *journal, size_t i)
{
	journal->told = journal->told > i ? i : journal->told;
}

/* Requires i >= floor: entries of earlier worlds are never dropped. */
void journal_drop(struct journal *journal, size_t i)
{
	journal_entry_release(&journal->entries[i]);
	MEM_REMOVE(journal->entries, &journal->count, i);
	journal_changed(journal, i);
}

int journal_lines(const struct journal *journal)
{
	int lines = 0;
	for (size_t i = journal->floor; i < journal->count; i++)
		lines += journal->entries[i].counts;
	return lines;
}

/* A session command becomes `reset`, if it emptied the world, and the lines that it ran. Lines of
 * earlier worlds stay, because their models, `set`s and defs may still apply. A closed lesson's
 * lines are left out, unless its opening line did more; then the script closes the lesson, too. */
void journal_script(const struct journal *journal, struct text *out)
{
	size_t *begins = mem_alloc(journal->count * sizeof *begins);
	for (size_t i = 0; i < journal->count; i++) {
		const struct journal_entry *entry = &journal->entries[i];
		begins[i] = out->count;
		bool closes = entry->opened && entry->opened <= i;
		bool opens = closes && !journal->entries[entry->opened - 1].session;
		if (closes)
			begins[i] = out->count = begins[entry->opened - 1 + opens];
		bool empties = entry->session ? entry->emptied && i : closes;
		text_add(out, "%s",
		        !empties                 ? ""
		                : !opens         ? "reset\n"
		                : entry->session ? "lesson off\n"
		                                 : "");
		text_add(out, entry->session ? "%s" : "%s\n", entry->session ? entry->ran : entry->line);
	}
	mem_free(begins);
}

void journal_release(struct journal *journal)
{
	for (size_t i = 0; i < journal->count; i++)
		journal_entry_release(&journal->entries[i]);
	mem_free(journal->entries);
	forget_pieces(journal);
	mem_free(journal->piece);
	text_release(&journal->script);
	text_release(&journal->script_values);
	text_release(&journal->ran);
	text_release(&journal->does);
	*journal = (struct journal){0};
}
