/* program.c -- the files of a program */
#include "shell/training/program.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

struct program *program_make(const char *name)
{
	struct program *program = mem_alloc(sizeof *program);
	program->users = 1;
	snprintf(program->name, sizeof program->name, "%s", name);
	return program;
}

void program_add(struct program *program, const char *name, const char *text, size_t count)
{
	MEM_GROW(&program->file, program->files, &program->file_room);
	program->file[program->files++] = (struct program_file){.name = mem_copy_text(name, strlen(name)),
	        .text = mem_copy_text(text, count),
	        .count = count};
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
	for (size_t i = 0; i < program->files; i++) {
		mem_free(program->file[i].name);
		mem_free(program->file[i].text);
	}
	for (size_t i = 0; i < program->steps; i++)
		mem_free(program->step[i].title);
	mem_free(program->file);
	mem_free(program->step);
	mem_free(program);
}

enum status program_player(const struct program *program, struct shell *shell, struct player **player)
{
	struct player_file *file = mem_alloc(program->files * sizeof *file);
	for (size_t i = 0; i < program->files; i++)
		file[i] = (struct player_file){
		        program->file[i].name, program->file[i].text, program->file[i].count};
	enum status status = player_make(player, shell, file, (int)program->files);
	mem_free(file);
	return status;
}

void program_source(const struct program *program, struct text *out)
{
	for (size_t i = 0; i < program->files; i++) {
		const struct program_file *file = &program->file[i];
		if (program->files > 1)
			text_add(out, "%s# ---- %s\n", i ? "\n" : "", file->name);
		text_put(out, file->text, file->count);
		if (file->count && file->text[file->count - 1] != '\n')
			text_put(out, "\n", 1);
	}
}
