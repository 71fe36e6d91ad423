/* program.c -- the files of a program */
#include "shell/training/program.h"
#include "shell/training/choose.h"
#include "shell/language/parse/lex.h"
#include "shell/language/run/command.h"
#include "base/memory.h"
#include "shell/language/parse/tree.h"
#include "shell/session/quote.h"

#include <stdint.h>
#include <string.h>

struct program *program_make(const char *name, struct names *names)
{
	struct program *program = mem_alloc(sizeof *program);
	program->users = 1;
	program->names = names;
	program->name = mem_copy_text(name, strlen(name));
	return program;
}

static struct player_file *program_copy_file(
        struct program *program, const struct player_file *file, struct player_file **list, size_t *count)
{
	struct given *given = mem_alloc((size_t)file->givens * sizeof *given);
	for (int i = 0; i < file->givens; i++) {
		given[i] = file->given[i];
		given[i].name = names_keep(program->names, given[i].name);
		if (given[i].word)
			given[i].word = names_keep(program->names, given[i].word);
	}
	struct player_file *own = MEM_ADD(list, count);
	*own = *file;
	own->name = names_keep(program->names, file->name);
	own->what = names_keep(program->names, file->what);
	own->text = mem_copy_text(file->text, file->count);
	own->given = given;
	return own;
}

void program_add(struct program *program, const struct player_file *file)
{
	program_copy_file(program, file, &program->file, &program->files);
}

void program_add_aside(struct program *program, const char *name, const char *text, size_t count)
{
	const struct player_file part = {.name = name, .what = name, .text = text, .count = count};
	program_copy_file(program, &part, &program->aside, &program->asides);
}

const struct player_file *program_file(const struct program *program, const char *name)
{
	for (size_t i = 0; i < program->files; i++)
		if (strcmp(program->file[i].name, name) == 0)
			return &program->file[i];
	for (size_t i = 0; i < program->asides; i++)
		if (strcmp(program->aside[i].name, name) == 0)
			return &program->aside[i];
	return NULL;
}

void program_copy_heads(const struct program *from, struct program *to)
{
	text_put(&to->written, from->written.bytes, from->written.count);
	text_put(&to->loses, from->loses.bytes, from->loses.count);
	text_put(&to->parts, from->parts.bytes, from->parts.count);
	text_put(&to->own_pace, from->own_pace.bytes, from->own_pace.count);
}

struct program *program_with(
        const struct program *from, struct names *names, const char *file, const char *text, size_t count)
{
	struct program *made = program_make(from->name, names);
	const struct player_file *changed = file ? program_file(from, file) : NULL;
	for (size_t i = 0; i < from->files + from->asides; i++) {
		bool aside = i >= from->files;
		const struct player_file *old = aside ? &from->aside[i - from->files] : &from->file[i];
		struct player_file own = *old;
		if (old == changed) {
			own.text = text;
			own.count = count;
		}
		program_copy_file(
		        made, &own, aside ? &made->aside : &made->file, aside ? &made->asides : &made->files);
	}
	made->built_in = true;
	made->alone = program_use(from->alone);
	program_copy_heads(from, made);
	return made;
}

static void program_release_files(struct player_file *file, size_t files)
{
	for (size_t i = 0; i < files; i++) {
		mem_free((void *)(uintptr_t)file[i].given);
		mem_free((void *)(uintptr_t)file[i].text);
	}
	mem_free(file);
}

struct program *program_use(struct program *program)
{
	if (program)
		program->users++;
	return program;
}

void program_release(struct program *program)
{
	if (!program || --program->users)
		return;
	program_release(program->alone);
	text_release(&program->loses);
	text_release(&program->parts);
	text_release(&program->own_pace);
	text_release(&program->resumed);
	text_release(&program->links);
	text_release(&program->idle);
	text_release(&program->written);
	mem_free(program->name);
	program_release_files(program->file, program->files);
	program_release_files(program->aside, program->asides);
	if (program->hunted) {
		program_release(program->hunted->whole);
		text_release(&program->hunted->tried);
		mem_free(program->hunted->file);
	}
	mem_free(program->hunted);
	for (size_t i = 0; i < program->steps; i++) {
		mem_free(program->step[i].title);
		mem_free(program->step[i].ranks);
	}
	if (program->schedule)
		schedule_release(program->schedule);
	mem_free(program->schedule);
	mem_free(program->step);
	mem_free(program);
}

enum status program_player(const struct program *program, struct shell *shell, struct player **player)
{
	return player_make(player, shell,
	        (struct player_source){.file = program->file,
	                .files = (int)program->files,
	                .part = program->aside,
	                .parts = (int)program->asides,
	                .first = program->first});
}

void program_model(const struct program *program, struct text *out)
{
	if (!program->alone) {
		text_add(out, "%s", program->name);
		return;
	}
	const struct player_file *model = &program->alone->file[1];
	quote_word(program->alone->name, out);
	for (int i = 0; i < model->givens; i++) {
		text_add(out, " %s=", model->given[i].name);
		given_text(&model->given[i], out);
	}
}

static bool file_put_given(const struct player_file *file, struct slice_of_text name, struct text *out)
{
	for (int i = 0; i < file->givens; i++)
		if (slice_is(name, file->given[i].name)) {
			given_text(&file->given[i], out);
			return true;
		}
	return false;
}

static bool program_has_option(const struct program *program, size_t number, struct slice_of_text name)
{
	bool has = false;
	char option[WORD_SHOWN];
	word_text(name, option);
	for (size_t i = 0; i < number && !has; i++)
		has = file_has_option(&program->file[i], option);
	return has;
}

/* Given values become defaults. An option shared with an earlier file becomes a comment. */
static void program_put_file(const struct program *program, size_t number, struct text *out)
{
	const struct player_file *file = &program->file[number];
	struct tree *tree = NULL;
	const char *from = file->text;
	if (tree_parse(&tree, file->text, file->count, file->name, 1) == ST_OK)
		for (const struct statement *at = tree->block.first; at; at = at->next) {
			if (at->kind != STATEMENT_OPTION)
				continue;
			const char *line = file->text + (at->source.at - tree->text),
			           *value = file->text + (at->given->value.at - tree->text);
			text_put(out, from, (size_t)(line - from));
			text_add(out,
			        file->shares && program_has_option(program, number, at->given->name) ? "# "
			                                                                             : "");
			text_put(out, line, (size_t)(value - line));
			if (!file_put_given(file, at->given->name, out))
				text_put(out, value, at->given->value.length);
			from = value + at->given->value.length;
		}
	text_put(out, from, (size_t)(file->text + file->count - from));
	tree_release(tree);
}

void program_source(const struct program *program, struct text *out)
{
	for (size_t i = 0; i < program->files; i++) {
		const struct player_file *file = &program->file[i];
		if (program->files > 1)
			text_add(out, "%s# ---- %s\n", i ? "\n" : "", file->name);
		program_put_file(program, i, out);
		if (file->count && file->text[file->count - 1] != '\n')
			text_put(out, "\n", 1);
	}
}
