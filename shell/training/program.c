/* program.c -- the files of a program */
#include "shell/training/program.h"
#include "shell/language/parse/lex.h"
#include "shell/language/run/evaluate.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdint.h>
#include <string.h>

struct program *program_make(const char *name)
{
	struct program *program = mem_alloc(sizeof *program);
	program->users = 1;
	snprintf(program->name, sizeof program->name, "%s", name);
	return program;
}

static char *copy(const char *text)
{
	return text ? mem_copy_text(text, strlen(text)) : NULL;
}

void program_add(struct program *program, const struct player_file *file)
{
	struct given *given = mem_alloc((size_t)file->givens * sizeof *given);
	for (int i = 0; i < file->givens; i++)
		given[i] = (struct given){
		        copy(file->given[i].name), file->given[i].number, copy(file->given[i].word)};
	MEM_GROW(&program->file, program->files, &program->file_room);
	program->file[program->files++] = (struct player_file){.name = copy(file->name),
	        .what = copy(file->what),
	        .text = mem_copy_text(file->text, file->count),
	        .count = file->count,
	        .given = given,
	        .givens = file->givens,
	        .shares = file->shares};
}

static void free_text(const char *text)
{
	mem_free((void *)(uintptr_t)text);
}

static void free_file(const struct player_file *file)
{
	for (int i = 0; i < file->givens; i++) {
		free_text(file->given[i].name);
		free_text(file->given[i].word);
	}
	mem_free((void *)(uintptr_t)file->given);
	free_text(file->name);
	free_text(file->what);
	free_text(file->text);
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
	mem_free(program->loses);
	mem_free(program->because);
	for (size_t i = 0; i < program->files; i++)
		free_file(&program->file[i]);
	for (size_t i = 0; i < program->steps; i++) {
		mem_free(program->step[i].title);
		mem_free(program->step[i].ranks);
	}
	mem_free(program->file);
	mem_free(program->step);
	mem_free(program);
}

enum status program_player(const struct program *program, struct shell *shell, struct player **player)
{
	return player_make(player, shell, program->file, (int)program->files);
}

/* The value that the option was given; false: none was */
static bool given_text(const struct player_file *file, struct slice_of_text name, struct text *out)
{
	for (int i = 0; i < file->givens; i++) {
		const struct given *given = &file->given[i];
		if (!slice_is(name, given->name))
			continue;
		if (given->word)
			text_add(out, "%s", given->word);
		else
			value_exact(value_number(given->number.value, given->number.unit), out);
		return true;
	}
	return false;
}

/* A strategy's file before that one has the option too */
static bool has_option(const struct program *program, size_t number, struct slice_of_text name)
{
	bool has = false;
	for (size_t i = 0; i < number && !has; i++) {
		const struct player_file *file = &program->file[i];
		struct tree *tree = NULL;
		if (tree_parse(&tree, file->text, file->count, file->name, 1) != ST_OK)
			continue;
		for (const struct statement *at = tree->block.first; at && !has; at = at->next)
			has = at->kind == STATEMENT_OPTION && at->given->name.length == name.length &&
			        memcmp(at->given->name.at, name.at, name.length) == 0;
		tree_release(tree);
	}
	return has;
}

/* The file's text; the defaults of its options are the values that they were given. An option that a file
 * before has, and that is shared with it, becomes a comment. */
static void put_file(const struct program *program, size_t number, struct text *out)
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
			        file->shares && has_option(program, number, at->given->name) ? "# " : "");
			text_put(out, line, (size_t)(value - line));
			if (!given_text(file, at->given->name, out))
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
		put_file(program, i, out);
		if (file->count && file->text[file->count - 1] != '\n')
			text_put(out, "\n", 1);
	}
}
