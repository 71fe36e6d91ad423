/* mutants.c -- the files that may get a bug: a script; or a strategy's own file, the parts that it
 * sources, and, if those allow few changes, the model's parts */
#include "base/embedded.h"
#include "base/memory.h"
#include "shell/course/hunt/hunt.h"
#include "shell/language/run/command.h"
#include "shell/language/run/player.h"
#include "shell/values/share.h"
#include "shell/training/choose.h"

#include <ctype.h>
#include <string.h>

static void each_source(
        const char *text, size_t count, void (*found)(void *, const struct embedded *), void *self)
{
	static const char source[] = "source ";
	const char *at = text, *end = text + count;
	while ((at = memmem(at, (size_t)(end - at), source, sizeof source - 1))) {
		char name[64];
		size_t length = 0;
		bool begins = at == text || !isalnum((unsigned char)at[-1]);
		at += sizeof source - 1;
		while (at + length < end && length < sizeof name - 1 &&
		        (isalnum((unsigned char)at[length]) || at[length] == '_'))
			length++;
		memcpy(name, at, length);
		name[length] = '\0';
		const struct embedded *part = begins ? built_in_part(name) : NULL;
		if (part)
			found(self, part);
	}
}

static void keep_part(void *self, const struct embedded *part)
{
	struct program *whole = self;
	if (program_file(whole, part->path))
		return;
	program_add_aside(whole, part->path, part->bytes, part->count);
	each_source(part->bytes, part->count, keep_part, whole);
}

static void list_part(void *self, const struct embedded *part)
{
	struct mutants *mutants = self;
	const struct player_file *file = program_file(mutants->whole, part->path);
	for (int i = 0; i < mutants->files; i++)
		if (strcmp(mutants->file[i]->name, part->path) == 0)
			return;
	if (file && mutants->files < HUNT_FILES)
		mutants->file[mutants->files++] = file;
	each_source(part->bytes, part->count, list_part, mutants);
}

/* Indices of a program's files, as choose.c orders them */
enum { MODEL_FILE = 1, STRATEGY_FILE = 2 };

void mutants_of(struct mutants *mutants, struct program *whole)
{
	bool script = program_is_script(whole);
	const struct player_file *own = &whole->file[script ? 0 : STRATEGY_FILE];
	*mutants = (struct mutants){.whole = program_use(whole), .file = {own}, .files = 1};
	if (!script)
		each_source(own->text, own->count, list_part, mutants);
	mutants->own = mutants->files;
	if (!script)
		each_source(whole->file[MODEL_FILE].text, whole->file[MODEL_FILE].count, list_part, mutants);
	size_t count = 0;
	for (int i = 0; i < mutants->files; i++) {
		changes_find(&mutants->changes, mutants->file[i]->text, mutants->file[i]->count);
		while (count < mutants->changes.count)
			*MEM_ADD(&mutants->file_of, &count) = i;
	}
}

void mutants_close(struct mutants *mutants)
{
	changes_release(&mutants->changes);
	mem_free(mutants->file_of);
	program_release(mutants->whole);
	*mutants = (struct mutants){0};
}

struct program *mutants_program(const struct mutants *mutants, size_t change, struct names *names)
{
	const struct player_file *file = mutants->file[mutants->file_of[change]];
	struct text text = {0};
	change_apply(&mutants->changes.change[change], file->text, file->count, &text);
	struct program *made =
	        program_with(mutants->whole, names, file->name, text_string(&text), text.count);
	text_release(&text);
	return made;
}

static enum status read_script(struct shell *shell, const char *path, struct program **whole)
{
	char *bytes = NULL;
	size_t count = 0;
	enum status status = shell_file(shell, path, &bytes, &count);
	if (status == ST_OK) {
		*whole = program_make(path, shell->world->names);
		program_add(*whole,
		        &(struct player_file){.name = path, .what = path, .text = bytes, .count = count});
		/* no walk: an endless script ends at the step limit (search.c) */
		struct tree *tree = NULL;
		status = tree_parse(&tree, bytes, count, path, 1);
		tree_release(tree);
	}
	mem_free(bytes);
	return status;
}

/* If no model was chosen, these are tried until the strategy accepts one. */
static void small_model(int i, struct choice *model)
{
	static const struct {
		const char *model, *option;
		int value;
	} options[] = {{"mlp", "layers", 8}, {"mlp", "hidden", 64}, {"mlp", "batch", 64},
	        {"gpt", "layers", 2}, {"gpt", "hidden", 32}, {"gpt", "heads", 4}, {"gpt", "seq", 16},
	        {"gpt", "batch", 8}, {"gpt", "experts", 4}};
	bool gpt = i > 0;
	*model = (struct choice){.name = gpt ? "gpt" : "mlp"};
	for (size_t k = 0; k < sizeof options / sizeof *options; k++)
		if (strcmp(options[k].model, model->name) == 0 &&
		        (i == 2 || strcmp(options[k].option, "experts") != 0))
			choice_give(model,
			        &(struct given){
			                .name = options[k].option, .number = {options[k].value, UNIT_PLAIN}});
}

static enum status put_together(struct shell *shell, const struct choice *strategy, struct program **whole)
{
	bool chosen = shell->training->now.model_program != NULL;
	enum status status = ST_ARGUMENT;
	for (int i = 0; i < (chosen ? 1 : 3) && status != ST_OK && status != ST_INTERRUPTED; i++) {
		struct choice choice[FILES_MAX] = {{0}, *strategy};
		if (!chosen)
			small_model(i, &choice[0]);
		program_release(*whole);
		*whole = NULL;
		status = choose_program(shell, choice, 2, whole);
		if (status == ST_OK)
			status = program_walk(shell, *whole, shell->world->n);
		if (status == ST_NAME)
			break;
	}
	if (status == ST_OK) {
		const struct program *made = *whole;
		for (int i = MODEL_FILE; i <= STRATEGY_FILE; i++)
			each_source(made->file[i].text, made->file[i].count, keep_part, *whole);
	}
	return status;
}

enum status mutants_open(struct mutants *mutants, struct shell *shell, const struct hunt_asked *asked)
{
	const char *name = asked->strategy->name;
	struct program *whole = NULL;
	enum status status = choice_is_path(name) ? read_script(shell, name, &whole)
	                                          : put_together(shell, asked->strategy, &whole);
	*mutants = (struct mutants){0};
	if (status == ST_OK)
		mutants_of(mutants, whole);
	program_release(whole);
	/* an interrupt is reported without the model's file and line */
	return status == ST_INTERRUPTED ? fail(ST_INTERRUPTED, "interrupted") : status;
}
