/* program.c -- the files of a program */
#include "shell/training/program.h"
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
	for (size_t i = 0; i < program->steps; i++)
		mem_free(program->step[i].title);
	mem_free(program->file);
	mem_free(program->step);
	mem_free(program);
}

enum status program_player(const struct program *program, struct shell *shell, struct player **player)
{
	return player_make(player, shell, program->file, (int)program->files);
}

void program_source(const struct program *program, struct text *out)
{
	for (size_t i = 0; i < program->files; i++) {
		const struct player_file *file = &program->file[i];
		if (program->files > 1)
			text_add(out, "%s# ---- %s\n", i ? "\n" : "", file->name);
		text_put(out, file->text, file->count);
		if (file->count && file->text[file->count - 1] != '\n')
			text_put(out, "\n", 1);
	}
}
